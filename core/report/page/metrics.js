/* Tables of metrics: of one model, of several side by side, by depth; and published figures. */

/* A mark whose shape says what its colour says. */
function verdict(name, metric) {
    const good = goodness(name, metric);
    const [kind, sign, words] = good === null ? ['na', '–', 'not known'] :
        good === 100 ? ['best', '✓', 'as good as can be'] : ['short', '▲', 'not as good as can be'];
    return make('span', {class: `verdict ${kind}`, role: 'img', 'aria-label': words}, sign);
}

function metricPercent(name, metric) {
    const attributes = {class: `number ${scoreClass(goodness(name, metric))} tint`};
    if (!metric || typeof metric.percent !== 'number') {
        return make('td', {...attributes, title: metric?.reason}, 'n/a');
    }
    return make('td', {...attributes, title: `${count(metric.count)} of ${count(metric.of)}`},
        percent(metric.percent));
}

function headings(texts) {
    return make('thead', {}, make('tr', {}, texts.map(([text, attributes]) =>
        make('th', {scope: 'col', ...attributes}, text))));
}

/* ---- one model ---- */

/* The name of a metric: a button where there are nodes with this problem. */
function metricName(name, counts) {
    const there = counts.get(name) ?? 0;
    if (there === 0) {
        return make('span', {class: 'name'}, dotted(name));
    }
    return make('button', {type: 'button', class: 'link', title: `show ${counted(there, 'node')}`,
        onclick: () => {
            change({problem: name, selected: null});
            byId('nodes').scrollIntoView();
        }}, dotted(name));
}

/* What is behind a metric in numbers or, where it is not known, in words. */
function metricNote(raw, name, metric) {
    const parts = (object) => Object.entries(object).map(([key, value]) => `${key} ${count(value)}`).join(', ');
    if (metric?.reason) {
        return metric.reason;
    }
    if (name === 'specificity' && raw.specificity) {
        return parts(raw.specificity);
    }
    return name === 'scope' && raw.scopes ? parts(raw.scopes) : METRICS[name] ?? '';
}

function metricRow(model, name, counts) {
    const metric = model.raw.metrics[name];
    const good = goodness(name, metric);
    const known = good !== null;
    return make('tr', {}, [
        make('td', {class: 'sign'}, verdict(name, metric)),
        make('th', {scope: 'row'}, metricName(name, counts)),
        make('td', {class: 'wide'}, scoreBar(good)),
        make('td', {class: 'number strong'}, known ? percent(metric.percent) : 'n/a'),
        make('td', {class: 'number'}, known ? `${count(metric.count)} of ${count(metric.of)}` : ''),
        make('td', {class: 'note'}, metricNote(model.raw, name, metric)),
    ]);
}

function metricTable(model) {
    const counts = model.problemCounts();
    return make('table', {class: 'metrics'}, [
        headings([['', {class: 'sign'}], ['metric'], ['right', {class: 'wide'}], ['percent', {class: 'number'}],
            ['count', {class: 'number'}], ['of what', {class: 'note'}]]),
        make('tbody', {}, metricNames([model.raw.metrics]).map((name) => metricRow(model, name, counts))),
    ]);
}

/* ---- several models ---- */

const COLUMNS_OF_MODELS = 5; /* more of them are rows */

function modelButton(models, number) {
    return make('button', {type: 'button', class: 'link', title: models[number].name, 'aria-pressed': number === state.number,
        onclick: () => showModel(models, number)}, models[number].name);
}

function metricsAsRows(models, names) {
    const rows = names.map((name) => make('tr', {}, [
        make('th', {scope: 'row', title: METRICS[name]}, dotted(name)),
        ...models.map((model) => metricPercent(name, model.raw.metrics[name])),
    ]));
    return make('table', {class: 'side'}, [
        headings([['metric'], ...models.map((model, i) => [modelButton(models, i), {class: 'number'}])]),
        make('tbody', {}, rows),
    ]);
}

function modelsAsRows(models, names) {
    const rows = models.map((model, i) => make('tr', {}, [
        make('th', {scope: 'row'}, modelButton(models, i)),
        make('td', {class: 'number'}, count(model.raw.nodes)),
        ...names.map((name) => metricPercent(name, model.raw.metrics[name])),
    ]));
    const titles = names.map((name) => [dotted(name), {class: 'number', title: METRICS[name]}]);
    return make('table', {class: 'side'}, [
        headings([['model'], ['nodes', {class: 'number'}], ...titles]), make('tbody', {}, rows)]);
}

function sideBySide(models) {
    const names = metricNames(models.map((model) => model.raw.metrics));
    return models.length > COLUMNS_OF_MODELS ? modelsAsRows(models, names) : metricsAsRows(models, names);
}

function startMetrics(models) {
    byId('side-card').hidden = models.length === 1;
    watch([], () => {
        byId('metrics-heading').textContent = state.model.scale.heading;
        byId('metrics').replaceChildren(state.model.raw.verification ? sourceTable(state.model) : metricTable(state.model));
        if (models.length > 1) {
            byId('side').replaceChildren(sideBySide(models));
        }
    });
}

/* ---- by depth ---- */

function drawDepths() {
    const depths = state.model.raw.depths ?? [];
    const names = metricNames(depths.map((depth) => depth.metrics));
    const rows = depths.map((depth) => make('tr', {}, [
        make('th', {scope: 'row', class: 'number'}, count(depth.depth)),
        make('td', {class: 'number'}, count(depth.modules)),
        make('td', {class: 'number'}, count(depth.nodes)),
        ...names.map((name) => metricPercent(name, depth.metrics?.[name])),
    ]));
    byId('depths-card').hidden = rows.length === 0;
    byId('depths').replaceChildren(make('table', {class: 'side'}, [
        headings(['depth', 'modules', 'nodes', ...names].map((name) => [dotted(name), {class: 'number'}])),
        make('tbody', {}, rows)]));
}

/* ---- published ---- */

function publishedText(value) {
    return typeof value === 'number' ? count(value) :
        typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** A table of whatever the document says was published: a row for each, a column for each key. */
function drawPublished(published) {
    const entries = (published ?? []).map((entry) => typeof entry === 'object' && entry ? entry : {figure: entry});
    const keys = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
    byId('published-card').hidden = entries.length === 0;
    byId('published').replaceChildren(make('table', {}, [
        headings([...keys.map((key) => [key.replaceAll('_', ' ')]), ['']]),
        make('tbody', {}, entries.map((entry) => make('tr', {}, [
            ...keys.map((key) => make('td', {class: typeof entry[key] === 'number' ? 'number' : null},
                publishedText(entry[key]))),
            make('td', {}, make('span', {class: 'published'}, 'published')),
        ]))),
    ]));
}
