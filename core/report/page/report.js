/* What the document says, prepared for looking up. */

/* Names of metrics in the order in which they are shown, and what they count. */
const METRICS = {
    coverage: 'nodes with a tag',
    'contamination.weights': 'nodes in another place than the owners of their weights',
    'contamination.calls': 'nodes in another place than the program called them in',
    'contamination.structure': 'nodes in another place than their counterparts in equal layers',
    specificity: 'nodes at the deepest module that could be tagged',
    scope: 'nodes whose tag is a whole hierarchy',
    tensors: 'tensors with the tags of producer and consumers',
    weights: 'weights whose readers are where their owners are',
    cohesion: 'modules that no path leaves and comes back to',
    separation: 'layers with the operators of their equals, and none of theirs',
    injectivity: 'tags that are those of one module',
    consistency: 'nodes of which attribute, metadata, names and module tree say the same',
};

/** Those of METRICS and any others that one of the objects has. */
function metricNames(objects) {
    const there = new Set(objects.flatMap((metrics) => Object.keys(metrics ?? {})));
    const known = Object.keys(METRICS).filter((name) => there.delete(name));
    return [...known, ...there];
}

/** How good a metric is, in percent; null where it is not known. */
function goodness(name, metric) {
    if (!metric || typeof metric.percent !== 'number') {
        return null;
    }
    return name.startsWith('contamination') ? 100 - metric.percent : metric.percent;
}

/* What charts are sized by. */
const MEASURES = {
    nodes: {text: 'nodes', of: (module) => module.total},
    parameters: {text: 'parameters', of: (module) => module.parameters},
    time: {text: 'time', of: (module) => module.milliseconds},
};

class Model {
    constructor(raw) {
        this.raw = raw;
        this.scale = raw.verification ? new ErrorScale(raw.verification.tolerance) : new TagScale();
        this.modules = raw.modules ?? [];
        const table = raw.nodes_table ?? {columns: [], rows: []};
        this.rows = table.rows;
        this.column = Object.fromEntries(table.columns.map((name, index) => [name, index]));
        this.texts = [];
        this.sizes = {};
        this.plantTree();
    }

    /* Modules in depth-first order: those below one are a range of it. */
    plantTree() {
        const below = this.modules.map(() => []);
        this.roots = [];
        this.modules.forEach((module, index) => (below[module.parent] ?? this.roots).push(index));
        this.first = new Int32Array(this.modules.length);
        this.last = new Int32Array(this.modules.length);
        this.order = [];
        const stack = this.roots.map((root) => [root, 0]).reverse();
        while (stack.length > 0) {
            const top = stack[stack.length - 1];
            const [module, next] = top;
            if (next === 0) {
                this.first[module] = this.order.length;
                this.order.push(module);
            }
            if (next < below[module].length) {
                top[1]++;
                stack.push([below[module][next], 0]);
            } else {
                this.last[module] = this.order.length - 1;
                stack.pop();
            }
        }
        this.plantShown();
    }

    /* The tree of those that have tags, to which nodes belong: what is between them is left out. */
    plantShown() {
        this.children = this.modules.map(() => []);
        this.above = this.modules.map(() => null);
        this.shown = this.order.filter((index) => {
            const {parent, has_tag: hasTag} = this.modules[index];
            const isRoot = !this.modules[parent];
            if (!isRoot) {
                const isThere = this.modules[parent].has_tag || !this.modules[this.modules[parent].parent];
                this.above[index] = isThere ? parent : this.above[parent];
            }
            if (hasTag && !isRoot) {
                this.children[this.above[index]].push(index);
            }
            return hasTag || isRoot;
        });
    }

    has(measure) {
        return this.modules.some((module) => MEASURES[measure].of(module) > 0);
    }

    /** What each module takes in a chart: never less than those below it. */
    sizesBy(measure) {
        if (!this.sizes[measure]) {
            const sizes = new Float64Array(this.modules.length);
            for (const module of this.shown.toReversed()) {
                const below = this.children[module].reduce((sum, child) => sum + sizes[child], 0);
                sizes[module] = Math.max(MEASURES[measure].of(this.modules[module]) || 0, below);
            }
            this.sizes[measure] = sizes;
        }
        return this.sizes[measure];
    }

    /** The modules around one, outermost first, and itself. */
    chain(module) {
        const chain = [];
        for (let at = module; at !== null; at = this.above[at]) {
            chain.push(at);
        }
        return chain.reverse();
    }

    /** What a module is called where those around it are seen: the end of its address. */
    label(module) {
        const {tag, path, has_tag: hasTag, class: className} = this.modules[module];
        const own = hasTag ? tag : `${className || 'module'} ${path.split('.').pop()}`;
        return own.slice(own.lastIndexOf('/', own.length - 2) + 1) || own || '/';
    }

    tag(module) {
        const found = this.modules[module];
        return found ? found.full_tag || found.tag || '/' : '';
    }

    contains(module, other) {
        return other !== null && this.first[other] >= this.first[module] &&
            this.first[other] <= this.last[module];
    }

    cell(row, name) {
        const value = this.rows[row][this.column[name]];
        return name === 'carried' || name === 'growth' ? readError(value) : value;
    }

    problems(row) {
        return this.scale.problems(this, row);
    }

    /** How good or wrong a module is, on the scale of the page. */
    value(module) {
        return this.scale.value(this.modules[module]);
    }

    /** The text of a cell of the table. */
    cellText(row, column) {
        if (column.name === '') {
            return count(row + 1);
        }
        const value = column.name === 'problems' ? this.problems(row).join(', ') : this.cell(row, column.name);
        return column.of ? column.of(value) : value ?? '';
    }

    /** All that a search looks at, in lower case. */
    text(row) {
        this.texts[row] ??= [...this.scale.columns.slice(1).map((column) => this.cellText(row, column)),
            ...this.problems(row)].join('\n').toLowerCase();
        return this.texts[row];
    }

    /** How many nodes have each problem. */
    problemCounts() {
        const counts = new Map();
        for (let row = 0; row < this.rows.length; row++) {
            for (const problem of this.problems(row)) {
                counts.set(problem, (counts.get(problem) ?? 0) + 1);
            }
        }
        return counts;
    }
}

/* ---- what is looked at ---- */

/** One of the report's models and what was chosen of it. Modules are numbers, or null. */
const state = {
    model: null,
    number: 0,
    selected: null, /* whose nodes the table shows */
    zoomed: null,   /* where the chart begins */
    measure: 'nodes',
    query: '',
    problem: '', /* a metric, ANY_PROBLEM, or '' for all nodes */
    sort: '',    /* a column, or '' for the order of the file */
    descending: false,
};
const ANY_PROBLEM = '*';

const watchers = [];

/** Calls a function whenever one of these changes, and the model. */
function watch(names, run) {
    watchers.push({names: new Set([...names, 'model']), run});
}

function change(update) {
    const changed = Object.keys(update).filter((name) => state[name] !== update[name]);
    Object.assign(state, update);
    for (const watcher of watchers) {
        if (changed.some((name) => watcher.names.has(name))) {
            watcher.run();
        }
    }
}

/** Selects the nodes of a module; once more: those of all. */
function select(module) {
    change({selected: state.selected === module ? null : module});
}
