/* The page: what is in which place, and what belongs to no part of it. */

/* ---- models ---- */

/* Files' names, and what tells those of one name apart. */
function nameModels(models) {
    const seen = new Map();
    for (const model of models) {
        const file = String(model.raw.file ?? 'model');
        const again = (seen.get(file) ?? 0) + 1;
        seen.set(file, again);
        model.name = again > 1 ? `${file} (${again})` : file;
        if (model.raw.role === 'against') {
            model.name += ' – against';
        }
    }
}

function describeReference(reference) {
    if (!reference) {
        return 'none';
    }
    return `${reference.file} (${reference.kind}): ${count(reference.matched)} nodes matched, ` +
        `${count(reference.unmatched)} unmatched`;
}

function tagFacts(raw) {
    const facts = [['Nodes', raw.nodes], ['Tensors', raw.tensors], ['Weights', raw.weights],
        ['Modules', state.model.modules.length], ['Depth', raw.depth]]
        .map(([term, value]) => [term, count(value), 'figure']);
    return [...facts, ['Hierarchy', raw.hierarchy ?? 'none', ''], ['Reference', describeReference(raw.reference), '']];
}

function drawFacts() {
    const {raw} = state.model;
    byId('file').textContent = state.model.name;
    const facts = raw.verification ? verificationFacts(raw.verification) : tagFacts(raw);
    byId('facts').replaceChildren(...facts.map(([term, value, kind]) =>
        make('div', {class: kind}, [make('dt', {}, term), make('dd', {}, value)])));
}

function showModel(models, number) {
    const model = models[number];
    byId('model').value = String(number);
    change({model, number, selected: null, zoomed: null, problem: '',
        measure: model.has(state.measure) ? state.measure : 'nodes'});
}

/* ---- light and dark ---- */

const darkness = matchMedia('(prefers-color-scheme: dark)');

function isDark() {
    return (document.documentElement.dataset.theme ?? (darkness.matches ? 'dark' : 'light')) === 'dark';
}

function updateTheme() {
    byId('theme').setAttribute('aria-pressed', isDark());
}

function startTheme() {
    byId('theme').addEventListener('click', () => {
        document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
        updateTheme();
    });
    darkness.addEventListener('change', updateTheme);
    updateTheme();
}

/* ---- paper ---- */

const ROWS_ON_PAPER = 200;

/** The table as it is printed: nodes with problems, or the first ones that are shown. */
function layOutPaper() {
    const {model} = state;
    const wrong = table.shown.filter((row) => model.problems(row).length > 0);
    const rows = (wrong.length > 0 ? wrong : table.shown).slice(0, ROWS_ON_PAPER);
    const note = `${count(rows.length)} of ${counted(model.rows.length, 'node')} ` +
        (wrong.length > 0 ? `are printed, of ${count(wrong.length)} with problems.` : 'are printed.');
    byId('paper').replaceChildren(make('p', {class: 'hint'}, note), make('table', {}, [
        headings(model.scale.columns.map((column) => [column.title])),
        make('tbody', {}, rows.map((row) => make('tr', {}, model.scale.columns.map((column) => make('td', {},
            model.cellText(row, column)))))),
    ]));
}

function startPaper() {
    addEventListener('beforeprint', layOutPaper);
    addEventListener('afterprint', () => byId('paper').replaceChildren());
}

/* ---- all of it ---- */

/* "/" goes to the search, from wherever nobody types. */
function startKeys() {
    addEventListener('keydown', (event) => {
        const types = event.target.closest?.('input[type=search], select, textarea');
        if (event.key === '/' && !types && !event.ctrlKey && !event.metaKey && !event.altKey) {
            byId('search').focus();
            event.preventDefault();
        } else if (event.key === 'Escape' && event.target === byId('search')) {
            byId('search').value = '';
            change({query: ''});
        }
    });
}

function start() {
    const report = JSON.parse(byId('document').textContent);
    const models = (report.models ?? []).map((raw) => new Model(raw));
    if (models.length === 0) {
        throw new Error('it holds no model');
    }
    nameModels(models);
    byId('model').append(...models.map((model, i) => make('option', {value: i}, model.name)));
    byId('model').addEventListener('change', () => showModel(models, Number(byId('model').value)));
    byId('model-switch').hidden = models.length === 1;
    byId('content').hidden = false;
    startTheme();
    watch([], drawFacts);
    startMetrics(models);
    startIcicle();
    startLayers();
    watch([], drawDepths);
    startTable();
    startPaper();
    startKeys();
    drawPublished(report.published);
    const {scale} = models[0];
    document.body.classList.add(scale.kind);
    byId('title').textContent = scale.title;
    byId('problem-label').textContent = scale.problemsOf;
    byId('layers-card').hidden = scale.kind !== 'tags';
    document.title = scale.pageTitle(models[0].name);
    showModel(models, 0);
}

try {
    start();
} catch (error) {
    byId('failure').hidden = false;
    byId('failure').textContent = `This report cannot be shown: ${error.message}.`;
    console.error(error);
}
