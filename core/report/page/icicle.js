/* The module tree as a chart: a column for each level, rectangles as high as what modules hold. */

const icicle = {
    columnWidth: 116,  /* at least, in pixels; on a narrow screen: */
    narrowColumnWidth: 80,
    smallest: 3,       /* pixels of height below which neighbours are drawn as one */
    labelled: 14,      /* pixels of height from which on there is room for a line of text */
    focused: null,     /* the module that the tab key comes to */
    drawn: new Map(),  /* module to its element */
};

/* ---- layout ---- */

function icicleHeight(model, sizes, width) {
    const leaves = model.shown.filter((m) => sizes[m] > 0 && model.children[m].length === 0).length;
    return Math.max(160, Math.min(leaves * 22, width < 600 ? 460 : 620));
}

/** Rectangles of what lies at and below some siblings; those too small for one are put together:
 * {module | null, count, level, top, height, score}. */
function layOutIcicle(model, sizes, from, height, levels) {
    const boxes = [];
    const pending = [{siblings: from, level: 0, top: 0, scale: null}];
    const total = from.reduce((sum, module) => sum + sizes[module], 0);
    while (pending.length > 0 && total > 0) {
        const {siblings, level, top} = pending.pop();
        let at = top;
        let run = null;
        for (const module of siblings) {
            const extent = sizes[module] / total * height;
            const score = model.value(module);
            if (extent >= icicle.smallest) {
                run = null;
                boxes.push({module, count: 1, level, top: at, height: extent, score});
                if (level + 1 < levels) {
                    pending.push({siblings: model.children[module], level: level + 1, top: at});
                }
            } else if (extent > 0) {
                if (!run) {
                    run = {module: null, count: 0, level, top: at, height: 0, score: model.scale.best};
                    boxes.push(run);
                }
                run.count++;
                run.height += extent;
                run.score = typeof score === 'number' ? model.scale.worse(run.score, score) : run.score;
                run = run.height >= icicle.smallest ? null : run;
            }
            at += extent;
        }
    }
    return boxes;
}

function levelsBelow(model, from) {
    const level = new Map(from.map((module) => [module, 1]));
    let most = 1;
    for (const module of from) {
        for (const at of model.shown) {
            if (at !== module && model.contains(module, at)) {
                const here = level.get(model.above[at]) + 1;
                level.set(at, here);
                most = Math.max(most, here);
            }
        }
    }
    return most;
}

/* ---- drawing ---- */

const ruler = document.createElement('canvas').getContext('2d');

/* As much of a text as is that wide. Its end stays, which tells layers apart. */
function fitted(text, width) {
    const end = text.slice(-3);
    const shortened = (length) => `${text.slice(0, length)}…${end}`;
    const fits = (some) => ruler.measureText(some).width <= width;
    if (fits(text)) {
        return text;
    }
    let low = 0;
    let high = Math.max(0, text.length - end.length - 1);
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (fits(shortened(middle))) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low > 1 ? shortened(low) : '';
}

function describeModule(model, module) {
    const m = model.modules[module];
    const facts = [counted(m.total, 'node')];
    if (m.own !== m.total) {
        facts.push(`${count(m.own)} of its own`);
    }
    facts.push(counted(m.parameters, 'parameter'));
    if (m.bytes > 0) {
        facts.push(bytes(m.bytes));
    }
    if (typeof m.milliseconds === 'number') {
        facts.push(milliseconds(m.milliseconds));
    }
    return [...facts, ...model.scale.facts(m)].join(', ');
}

function boxText(model, box, width, hasMore) {
    if (box.height < icicle.labelled) {
        return [];
    }
    const mark = model.scale.mark(model.value(box.module));
    const room = width - (hasMore ? 20 : 14);
    const lines = [];
    if (box.height >= 2.4 * icicle.labelled && mark) {
        lines.push(fitted(model.label(box.module), room), fitted(mark, room));
    } else {
        const label = model.label(box.module);
        lines.push(fitted(mark ? `${mark}  ${label}` : label, room));
    }
    const middle = box.top + box.height / 2;
    return lines.map((line, i) => draw('text', {
        x: box.level * width + 7,
        y: middle + (i - (lines.length - 1) / 2) * 15,
    }, line));
}

function drawBox(model, box, width, last) {
    const shape = draw('rect', {
        x: box.level * width + 0.5, y: box.top,
        width: width - 1, height: box.height > 6 ? box.height - 1 : box.height, /* a gap where there is room */
        rx: box.height > 8 ? 3 : 0,
    });
    if (box.module === null) {
        return draw('g', {class: `box small ${model.scale.classOf(box.score)}`, 'aria-hidden': 'true'}, [
            shape, draw('title', {}, `${counted(box.count, 'module')} too small to be drawn`)]);
    }
    const hasMore = last && box.height >= icicle.labelled && model.children[box.module].length > 0;
    const parts = [shape, ...boxText(model, box, width, hasMore)];
    if (hasMore) {
        parts.push(draw('text', {class: 'more', x: (box.level + 1) * width - 5,
            y: box.top + box.height / 2}, '›'));
    }
    const group = draw('g', {
        class: `box ${model.scale.classOf(box.score)}`,
        role: 'treeitem', tabindex: -1,
        'aria-level': model.chain(box.module).length,
        'aria-label': `${model.tag(box.module)}, ${describeModule(model, box.module)}`,
        'data-module': box.module,
    }, parts);
    icicle.drawn.set(box.module, group);
    return group;
}

function hatching() {
    return draw('defs', {}, draw('pattern', {id: 'hatch', width: 6, height: 6,
        patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'}, [
        draw('rect', {width: 6, height: 6, class: 'hatch-ground'}),
        draw('rect', {width: 2, height: 6, class: 'hatch-line'}),
    ]));
}

function drawIcicle() {
    const holder = byId('icicle');
    const {model} = state;
    const hadFocus = holder.contains(document.activeElement);
    const width = holder.clientWidth;
    if (width === 0) {
        return;
    }
    ruler.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const sizes = model.sizesBy(state.measure);
    const from = state.zoomed === null ? model.roots : [state.zoomed];
    const deepest = levelsBelow(model, from);
    const levels = Math.max(1, Math.min(deepest, Math.floor(width / (width < 600 ? icicle.narrowColumnWidth : icicle.columnWidth))));
    const height = icicleHeight(model, sizes, width);
    const boxes = layOutIcicle(model, sizes, from, height, levels);
    icicle.drawn.clear();
    const picture = draw('svg', {
        viewBox: `0 0 ${width} ${height}`, role: 'tree', 'aria-label': 'Modules',
    }, [hatching(), ...boxes.map((box) => drawBox(model, box, width / levels, box.level + 1 === levels))]);
    holder.replaceChildren(boxes.length > 0 ? picture : make('p', {class: 'hint'}, 'There is nothing to show.'));
    setTabStop();
    markSelected();
    if (hadFocus) {
        icicle.drawn.get(icicle.focused)?.focus();
    }
}

/* ---- what is chosen ---- */

function onBox(event, run) {
    const box = event.target.closest('[data-module]');
    if (box) {
        run(Number(box.dataset.module));
    }
}

/* One element of the chart is reached by the tab key. */
function setTabStop() {
    if (!icicle.drawn.has(icicle.focused)) {
        icicle.focused = state.zoomed ?? icicle.drawn.keys().next().value ?? null;
    }
    for (const [module, group] of icicle.drawn) {
        group.setAttribute('tabindex', module === icicle.focused ? 0 : -1);
    }
}

function markSelected() {
    for (const [module, group] of icicle.drawn) {
        group.setAttribute('aria-selected', module === state.selected);
        group.classList.toggle('outside', state.selected !== null &&
            !state.model.contains(state.selected, module) && !state.model.contains(module, state.selected));
    }
    showModule(state.selected);
    drawTrail();
}

function showModule(module) {
    const status = byId('module-status');
    if (module === null) {
        status.replaceChildren(make('span', {}, 'No module is selected.'));
        return;
    }
    const {path, class: className} = state.model.modules[module];
    const more = [className, path].filter(Boolean).join(' at ');
    status.replaceChildren(make('strong', {}, state.model.tag(module)),
        make('span', {}, more), make('span', {}, describeModule(state.model, module)));
}

/** Begins the chart at a module, and selects it; all modules are neither zoomed nor selected. */
function zoom(module) {
    const isRoot = state.model.roots.length === 1 && state.model.roots[0] === module;
    icicle.focused = module;
    change({zoomed: isRoot ? null : module, selected: isRoot ? null : module});
}

function zoomOut() {
    if (state.zoomed !== null) {
        const inner = state.zoomed;
        const parent = state.model.above[inner];
        change({zoomed: state.model.roots.includes(parent) && state.model.roots.length === 1 ? null : parent});
        icicle.focused = inner;
        setTabStop();
        icicle.drawn.get(inner)?.focus();
    }
}

function drawTrail() {
    const {model, zoomed, selected} = state;
    const button = (kind, text, run) => make('button', {type: 'button', class: kind, onclick: run}, text);
    const parts = [];
    if (zoomed === null) {
        parts.push(make('span', {}, 'All modules'));
    } else {
        parts.push(button('back', '← Back', zoomOut),
            ...model.chain(zoomed).slice(0, -1).map((module) => button('step', model.label(module), () => zoom(module))),
            make('span', {'aria-current': 'true'}, model.label(zoomed)));
    }
    if (selected !== null && selected !== zoomed && model.children[selected].length > 0) {
        parts.push(button('into', `Begin at ${model.label(selected)}`, () => zoom(selected)));
    }
    byId('trail').replaceChildren(...parts);
}

/* ---- keys ---- */

function siblingOf(module, step) {
    const {model} = state;
    const siblings = model.children[model.above[module]] ?? model.roots;
    let at = siblings.indexOf(module) + step;
    while (at >= 0 && at < siblings.length && !icicle.drawn.has(siblings[at])) {
        at += step;
    }
    return siblings[at];
}

const ICICLE_KEYS = {
    ArrowDown: (module) => siblingOf(module, 1),
    ArrowUp: (module) => siblingOf(module, -1),
    ArrowRight: (module) => state.model.children[module].find((child) => icicle.drawn.has(child)),
    ArrowLeft: (module) => state.model.above[module],
    Home: () => icicle.drawn.keys().next().value,
    End: () => [...icicle.drawn.keys()].pop(),
};

const ICICLE_ACTIONS = {' ': select, Enter: zoom, Escape: zoomOut, Backspace: zoomOut};

function moveInIcicle(event) {
    const module = icicle.focused;
    if (event.key in ICICLE_ACTIONS) {
        ICICLE_ACTIONS[event.key](module);
    } else if (event.key in ICICLE_KEYS) {
        icicle.drawn.get(ICICLE_KEYS[event.key](module))?.focus();
    } else {
        return;
    }
    event.preventDefault();
}

/* ---- around it ---- */

function drawMeasures() {
    const {model} = state;
    const there = Object.keys(MEASURES).filter((name) => model.has(name));
    const choices = there.map((name) => make('label', {}, [
        make('input', {type: 'radio', name: 'measure', value: name, checked: name === state.measure,
            onchange: () => change({measure: name})}),
        MEASURES[name].text,
    ]));
    byId('measures').replaceChildren(make('legend', {}, 'Size by'), ...choices);
}

function drawLegend() {
    const {scale} = state.model;
    byId('legend').setAttribute('aria-label', scale.legend);
    byId('legend').replaceChildren(...[...scale.steps, UNKNOWN].map((step) =>
        make('li', {}, [make('span', {class: `swatch ${step.name}`, 'aria-hidden': 'true'}), step.text])));
}

function startIcicle() {
    fill(byId('icicle'), {
        onclick: (event) => onBox(event, select),
        ondblclick: (event) => onBox(event, zoom),
        onkeydown: moveInIcicle,
        onfocusin: (event) => onBox(event, (module) => {
            icicle.focused = module;
            setTabStop();
            showModule(module);
        }),
        onpointerover: (event) => onBox(event, showModule),
        onpointerleave: () => showModule(state.selected),
    });
    watch([], drawLegend);
    watch([], drawMeasures);
    watch(['zoomed', 'measure'], drawIcicle);
    watch(['selected'], markSelected);
    new ResizeObserver(drawIcicle).observe(byId('icicle'));
}
