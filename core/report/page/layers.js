/* Layers: repeated instances of one structure, as bars; which were taken for which, as matrices. */

const MOST_BARS = 128;  /* of one group; the worst are shown */
const MOST_CELLS = 32;  /* columns of a matrix that is a table; larger ones are pictures */
const MOST_WRONG = 24;  /* cells that are listed beside a picture */
const PICTURE_WIDTH = 420;
const ORACLES = {weights: 'the weights', calls: 'the call chain'};

/* What tells some tags apart: their ends, without the beginning that all have, up to a dot or slash. */
function shortLabels(tags) {
    const ends = tags.map((tag) => tag.slice(tag.lastIndexOf('/', tag.length - 2) + 1) || tag);
    if (new Set(ends).size < new Set(tags).size || tags.length < 2) {
        return new Set(ends).size < new Set(tags).size ? tags : ends;
    }
    let common = 0;
    while (ends.every((end) => end[common] === ends[0][common] && common < end.length)) {
        common++;
    }
    const cut = ends[0].slice(0, common).lastIndexOf('.') + 1;
    return ends.map((end) => end.slice(cut) || end);
}

/* ---- bars ---- */

function memberBar(model, member, label) {
    return make('button', {type: 'button', class: 'member', 'data-member': member.module,
        title: `${model.tag(member.module)}: ${counted(member.nodes, 'node')}`,
        onclick: () => select(member.module)}, [
        make('span', {class: 'label'}, label),
        scoreBar(member.score),
        make('span', {class: 'number'}, percent(member.score)),
        make('span', {class: 'number faint'}, counted(member.nodes, 'node')),
    ]);
}

function drawBars(model, layer) {
    const labels = layer.members.map((member) => model.label(member.module));
    let shown = layer.members.map((member, i) => i);
    const notes = [];
    if (shown.length > MOST_BARS) {
        shown = shown.sort((a, b) => (layer.members[a].score ?? 101) - (layer.members[b].score ?? 101))
            .slice(0, MOST_BARS).sort((a, b) => a - b);
        notes.push(make('p', {class: 'hint'}, `the ${MOST_BARS} worst of ${count(layer.members.length)}`));
    }
    const bars = shown.map((i) => make('li', {}, memberBar(model, layer.members[i], labels[i])));
    return make('div', {class: 'bars'}, [...notes, make('ul', {class: 'members'}, bars)]);
}

/* ---- matrices ---- */

/** Cells off the diagonal that hold nodes: {row, column, nodes}, most nodes first. */
function wrongCells(matrix) {
    const wrong = [];
    matrix.counts.forEach((counts, row) => counts.forEach((nodes, column) => {
        if (nodes > 0 && matrix.columns[column] !== matrix.rows[row]) {
            wrong.push({row, column, nodes});
        }
    }));
    return wrong.sort((a, b) => b.nodes - a.nodes);
}

/* Shows the nodes of one row of a matrix that are in the wrong place. */
function showWrong(model, layer, oracle, tag) {
    const member = layer.members.find((m) => model.modules[m.module].tag === tag);
    change({selected: member ? member.module : null, problem: `contamination.${oracle}`});
    byId('nodes').scrollIntoView();
}

function matrixCell(model, layer, oracle, matrix, row, column) {
    const nodes = matrix.counts[row][column];
    const tagged = matrix.rows[row];
    const ran = matrix.columns[column];
    const title = `${counted(nodes, 'node')} tagged ${tagged}, ran in ${ran}`;
    if (nodes === 0) {
        return make('td', {class: 'zero'}, '·');
    }
    if (tagged === ran) {
        return make('td', {class: 'right', title}, count(nodes));
    }
    return make('td', {class: 'wrong', title}, make('button', {type: 'button', class: 'link', 'aria-label': title,
        onclick: () => showWrong(model, layer, oracle, tagged)}, count(nodes)));
}

function matrixTable(model, layer, oracle, matrix) {
    const rowLabels = shortLabels(matrix.rows);
    const columnLabels = [...shortLabels(matrix.columns.filter((name) => name !== 'elsewhere'))];
    const names = matrix.columns.map((name) => name === 'elsewhere' ? name : columnLabels.shift());
    const rows = matrix.rows.map((tag, row) => make('tr', {}, [
        make('th', {scope: 'row', title: tag}, rowLabels[row]),
        ...matrix.columns.map((_, column) => matrixCell(model, layer, oracle, matrix, row, column)),
    ]));
    return make('table', {class: 'matrix'}, [
        make('thead', {}, make('tr', {}, [
            make('th', {scope: 'col', class: 'corner'}, 'tagged \\ ran in'),
            ...names.map((name, i) => make('th', {scope: 'col', title: matrix.columns[i]}, name)),
        ])),
        make('tbody', {}, rows),
    ]);
}

/* A matrix that is too large for numbers: a point for each cell, and a list of the wrong ones. */
function matrixPicture(model, layer, oracle, matrix, wrong) {
    const scale = PICTURE_WIDTH / matrix.columns.length;
    const width = PICTURE_WIDTH;
    const height = Math.ceil(matrix.rows.length * scale);
    const canvas = make('canvas', {width, height, class: 'matrix', role: 'img',
        'aria-label': `${count(matrix.rows.length)} layers, ${counted(wrong.length, 'cell')} off the diagonal`});
    const pen = canvas.getContext('2d');
    const paint = (row, column, colour, size) => {
        pen.fillStyle = colour;
        pen.fillRect(column * scale - (size - scale) / 2, row * scale - (size - scale) / 2, size, size);
    };
    matrix.columns.forEach((name, column) => {
        const row = name === matrix.rows[column] ? column : matrix.rows.indexOf(name);
        if (row >= 0 && matrix.counts[row][column] > 0) {
            paint(row, column, '#4b8fcf', Math.max(scale, 1.5));
        }
    });
    wrong.forEach(({row, column}) => paint(row, column, '#c4570f', Math.max(scale, 4)));
    const list = wrong.slice(0, MOST_WRONG).map((cell) => make('li', {}, [
        make('button', {type: 'button', class: 'link',
            onclick: () => showWrong(model, layer, oracle, matrix.rows[cell.row])}, counted(cell.nodes, 'node')),
        ` tagged ${matrix.rows[cell.row]}, ran in ${matrix.columns[cell.column]}`,
    ]));
    const more = wrong.length - list.length;
    return make('div', {}, [canvas, make('ul', {class: 'wrong-cells'}, list),
        more > 0 ? make('p', {class: 'hint'}, `and ${counted(more, 'cell')} more`) : null]);
}

function drawMatrix(model, layer, oracle) {
    const matrix = layer.confusion[oracle];
    const wrong = wrongCells(matrix);
    const sum = wrong.reduce((total, cell) => total + cell.nodes, 0);
    const isLarge = matrix.columns.length > MOST_CELLS;
    return make('figure', {}, [
        make('figcaption', {}, [`Tagged layer by the layer that ran it, known by ${ORACLES[oracle] ?? oracle}: `,
            make('strong', {}, sum === 0 ? 'all on the diagonal' : `${counted(sum, 'node')} off the diagonal`)]),
        make('div', {class: 'scroll', role: 'region', tabindex: 0, 'aria-label': `confusion matrix by ${oracle}`},
            isLarge ? matrixPicture(model, layer, oracle, matrix, wrong) : matrixTable(model, layer, oracle, matrix)),
    ]);
}

/* ---- groups ---- */

const OPEN_GROUPS = 4;

function drawGroup(model, layer, number) {
    const isOpen = number < OPEN_GROUPS || (typeof layer.score === 'number' && layer.score < 100);
    const body = make('div', {class: 'group'});
    const show = () => {
        if (body.childElementCount === 0) {
            body.append(drawBars(model, layer), make('div', {class: 'matrices'},
                Object.keys(layer.confusion ?? {}).map((oracle) => drawMatrix(model, layer, oracle))));
        }
    };
    const box = make('details', {open: isOpen, ontoggle: show}, [
        make('summary', {}, [
            make('span', {class: `score-chip ${scoreClass(layer.score)}`}, percent(layer.score)),
            make('span', {class: 'title'}, `${count(layer.members.length)} × ${layer.structure || 'one structure'}`),
            make('span', {class: 'faint'}, `below ${model.tag(layer.parent)}`),
        ]), body]);
    if (isOpen) {
        show();
    }
    return box;
}

function drawLayers() {
    const {model} = state;
    const layers = model.raw.layers ?? [];
    const groups = layers.map((layer, number) => drawGroup(model, layer, number));
    byId('layers').replaceChildren(...(groups.length > 0 ? groups :
        [make('p', {class: 'hint'}, 'There are no layers: no structure is repeated below one parent.')]));
    markMembers();
}

function markMembers() {
    for (const bar of document.querySelectorAll('[data-member]')) {
        bar.setAttribute('aria-pressed', Number(bar.dataset.member) === state.selected);
    }
}

function startLayers() {
    watch([], drawLayers);
    watch(['selected'], markMembers);
}
