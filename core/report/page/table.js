/* The table of nodes: only the rows that are seen are elements of the page. */

const table = {
    shown: [],     /* rows of the model, filtered and sorted */
    active: 0,     /* the row that arrow keys move, a place in shown */
    first: -1,     /* what is drawn */
    last: -1,
    scroller: null,
    spacer: null,
};

/* Rows are as high as the style says. */
function rowHeight() {
    return parseFloat(getComputedStyle(table.scroller).getPropertyValue('--row')) || 32;
}

/* ---- which rows ---- */

/** The rows that the search, the filter and the selected module leave, in order. */
function findRows() {
    const {model, selected, problem} = state;
    const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (let row = 0; row < model.rows.length; row++) {
        if (problem && !(problem === ANY_PROBLEM ? model.problems(row).length > 0 :
            model.problems(row).includes(problem))) {
            continue;
        }
        if (selected !== null && !model.contains(selected, model.cell(row, 'module'))) {
            continue;
        }
        if (words.every((word) => model.text(row).includes(word))) {
            found.push(row);
        }
    }
    return sortRows(found);
}

function sortRows(rows) {
    const {model, sort, descending} = state;
    if (sort) {
        const keys = new Map(rows.map((row) => [row, model.cell(row, sort) ?? '']));
        const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? Math.sign(a - b) || 0 :
            collator.compare(String(a), String(b));
        rows.sort((a, b) => compare(keys.get(a), keys.get(b)) || a - b);
    }
    return descending ? rows.reverse() : rows;
}

function updateTable() {
    const {model, selected} = state;
    table.shown = findRows();
    table.active = 0;
    table.first = -1;
    table.scroller.scrollTop = 0;
    table.scroller.setAttribute('aria-rowcount', table.shown.length + 1);
    byId('found').textContent = table.shown.length === model.rows.length ?
        counted(model.rows.length, 'node') : `${count(table.shown.length)} of ${counted(model.rows.length, 'node')}`;
    byId('unselect').hidden = selected === null;
    byId('unselect').textContent = selected === null ? '' : `in ${model.tag(selected)} ×`;
    byId('unselect').setAttribute('aria-label', selected === null ? '' :
        `only nodes in ${model.tag(selected)}: show those of all modules`);
    drawRows();
    showNode();
}

/* ---- drawing ---- */

function drawCell(row, column) {
    const {model} = state;
    const {name} = column;
    const text = model.cellText(row, column);
    const content = name === 'problems' ? model.problems(row).map((problem) => make('span', {class: 'problem'}, problem)) :
        name === 'tag' || name === 'name' || name === 'source' ? pathText(text) :
            name === 'growth' && model.problems(row).length > 0 ? make('span', {class: 'problem'}, text) : text;
    return make('span', {role: 'gridcell', class: `cell ${name || 'number'}`, title: name === 'problems' ? text : null}, content);
}

function drawRow(place, height) {
    const row = table.shown[place];
    const element = make('div', {
        role: 'row', class: 'row', id: `row-${place}`, 'aria-rowindex': place + 2,
        'aria-selected': place === table.active, 'data-place': place,
    }, state.model.scale.columns.map((column) => drawCell(row, column)));
    element.style.transform = `translateY(${place * height}px)`;
    return element;
}

/* Draws what is seen and some rows around it, unless it is there. */
function drawRows() {
    const height = rowHeight();
    const margin = 8;
    const first = Math.max(0, Math.floor(table.scroller.scrollTop / height) - margin);
    const last = Math.min(table.shown.length,
        Math.ceil((table.scroller.scrollTop + table.scroller.clientHeight) / height) + margin);
    table.spacer.style.height = `${table.shown.length * height}px`;
    if (first !== table.first || last !== table.last) {
        table.first = first;
        table.last = last;
        const rows = [];
        for (let place = first; place < last; place++) {
            rows.push(drawRow(place, height));
        }
        table.spacer.replaceChildren(...rows);
    }
    markActive();
}

function markActive() {
    for (const element of table.spacer.children) {
        element.setAttribute('aria-selected', Number(element.dataset.place) === table.active);
    }
    if (table.active >= table.first && table.active < table.last) {
        table.scroller.setAttribute('aria-activedescendant', `row-${table.active}`);
    } else {
        table.scroller.removeAttribute('aria-activedescendant');
    }
}

function drawHeadings() {
    return make('div', {role: 'row', class: 'row headings', id: 'headings', 'aria-rowindex': 1}, state.model.scale.columns.map((column) => {
        const isSorted = state.sort === column.name;
        return make('span', {role: 'columnheader', class: `cell ${column.name || 'number'}`,
            'aria-sort': isSorted ? (state.descending ? 'descending' : 'ascending') : 'none'},
        make('button', {type: 'button', 'data-sort': column.name, 'aria-label': `sort by ${column.label ?? column.title}`,
            onclick: () => change({sort: column.name, descending: isSorted && !state.descending})},
        [column.title, make('span', {class: 'arrow', 'aria-hidden': 'true'},
            isSorted ? (state.descending ? ' ↓' : ' ↑') : '')]));
    }));
}

function updateHeadings() {
    const old = byId('table').firstElementChild;
    const focused = old.contains(document.activeElement) ? document.activeElement.dataset.sort : null;
    old.replaceChildren(drawHeadings());
    if (focused !== null) {
        old.querySelector(`[data-sort="${focused}"]`).focus();
    }
}

/* ---- one node ---- */

/** All that is known of the active row, in full. */
function showNode() {
    const {model} = state;
    const row = table.shown[table.active];
    if (row === undefined) {
        byId('detail').replaceChildren(make('p', {class: 'hint'}, 'No node is like that.'));
        return;
    }
    const facts = [['Node', model.cell(row, 'name')], ['Operator', model.cell(row, 'op_type')],
        ['Tag', model.cell(row, 'tag')], ...model.scale.nodeFacts(model, row)];
    const module = model.cell(row, 'module');
    const known = facts.filter(([, value]) => value);
    byId('detail').replaceChildren(
        make('dl', {}, known.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)])),
        model.modules[module] ? make('button', {type: 'button', onclick: () => change({selected: module})},
            'All nodes of its module') : '');
}

function activate(place) {
    table.active = Math.max(0, Math.min(table.shown.length - 1, place));
    const height = rowHeight();
    const {scroller} = table;
    const top = table.active * height;
    if (top < scroller.scrollTop) {
        scroller.scrollTop = top;
    } else if (top + height > scroller.scrollTop + scroller.clientHeight) {
        scroller.scrollTop = top + height - scroller.clientHeight;
    }
    drawRows();
    showNode();
}

const TABLE_KEYS = {
    ArrowDown: () => table.active + 1,
    ArrowUp: () => table.active - 1,
    PageDown: () => table.active + Math.floor(table.scroller.clientHeight / rowHeight()),
    PageUp: () => table.active - Math.floor(table.scroller.clientHeight / rowHeight()),
    Home: () => 0,
    End: () => table.shown.length - 1,
};

function moveInTable(event) {
    if (event.key in TABLE_KEYS) {
        activate(TABLE_KEYS[event.key]());
        event.preventDefault();
    }
}

/* ---- around it ---- */

function drawProblems() {
    const counts = [...state.model.problemCounts()].sort((a, b) => collator.compare(a[0], b[0]));
    const any = state.model.rows.filter((_, row) => state.model.problems(row).length > 0).length;
    const choices = [['', 'all nodes'], [ANY_PROBLEM, `any problem (${count(any)})`],
        ...counts.map(([name, nodes]) => [name, `${name} (${count(nodes)})`])];
    if (state.problem && !choices.some(([value]) => value === state.problem)) {
        choices.push([state.problem, `${state.problem} (0)`]);
    }
    byId('problem').replaceChildren(...choices.map(([value, text]) => make('option', {value}, text)));
    byId('problem').value = state.problem;
}

function startTable() {
    table.spacer = make('div', {class: 'spacer', role: 'rowgroup'});
    table.scroller = make('div', {class: 'rows', role: 'grid', tabindex: 0, 'aria-label': 'Nodes', 'aria-owns': 'headings',
        'aria-readonly': 'true', onscroll: drawRows, onkeydown: moveInTable,
        onclick: (event) => {
            const row = event.target.closest('[data-place]');
            if (row) {
                activate(Number(row.dataset.place));
            }
        }}, table.spacer);
    byId('table').replaceChildren(make('div', {role: 'presentation', class: 'head'}), table.scroller);
    byId('search').addEventListener('input', () => change({query: byId('search').value}));
    byId('problem').addEventListener('change', () => change({problem: byId('problem').value}));
    byId('unselect').addEventListener('click', () => change({selected: null}));
    watch(['sort', 'descending'], updateHeadings);
    watch(['problem'], drawProblems);
    watch(['query', 'problem', 'selected', 'sort', 'descending'], updateTable);
    new ResizeObserver(() => {
        table.first = -1;
        drawRows();
    }).observe(table.scroller);
}
