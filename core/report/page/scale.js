/* What a page shows of modules and nodes, and what their colours tell: scores of tags, or errors of a verification. */

const TAG_COLUMNS = [
    {name: '', title: '#', label: 'number'},
    {name: 'op_type', title: 'Operator'},
    {name: 'name', title: 'Name'},
    {name: 'tag', title: 'Tag'},
    {name: 'scope', title: 'Scope'},
    {name: 'source', title: 'Source'},
    {name: 'problems', title: 'Problems'},
];

/** Scores in percent: the share of nodes without a problem. */
class TagScale {
    kind = 'tags';
    title = 'Tag quality';
    heading = 'Metrics';
    legend = 'Colours tell the score: the share of nodes without a problem';
    steps = SCORES;
    best = 100;
    columns = TAG_COLUMNS;
    problemsOf = 'Problems';

    pageTitle(name) {
        return `Tag quality of ${name}`;
    }

    value(module) {
        return module.score;
    }

    classOf(score) {
        return scoreClass(score);
    }

    worse(a, b) {
        return Math.min(a, b);
    }

    /** What is written on a module, where it is worth a word. */
    mark(score) {
        return typeof score === 'number' && score < 100 ? percent(score) : '';
    }

    facts(module) {
        return [`score ${percent(module.score)}`, ...(module.convex === false ? ['a path leaves it and comes back'] : [])];
    }

    problems(model, row) {
        return model.cell(row, 'problems') ?? [];
    }

    nodeFacts(model, row) {
        const ran = Object.entries(model.cell(row, 'truth') ?? {}).filter(([, at]) => model.modules[at])
            .map(([oracle, at]) => [`Ran in, by ${oracle}`, model.tag(at)]);
        return [['Scope', model.cell(row, 'scope')], ['Source', model.cell(row, 'source')],
            ['Problems', model.problems(row).join(', ')], ...ran];
    }
}

/* ---- errors ---- */

const ERROR_STEPS = 5; /* powers of ten from the tolerance on */
const BEYOND = 'beyond the tolerance';

/** An error, "9.8e-3"; "inf" in a document is infinity. */
function errorText(error) {
    return typeof error !== 'number' ? 'n/a' : error === 0 ? '0' :
        Number.isFinite(error) ? error.toExponential(1) : '∞';
}

function readError(error) {
    return error === 'inf' ? Infinity : error;
}

/** Errors relative to the largest element of a tensor, by powers of ten of the tolerance. */
class ErrorScale {
    kind = 'errors';
    title = 'Where models part';
    heading = 'Where error comes from';
    legend = 'Colours tell the own error of modules';
    best = 0;
    problemsOf = 'Error';
    columns = [...TAG_COLUMNS.slice(0, 4), {name: 'source', title: 'Source'}, {name: 'carried', title: 'Carried', of: errorText},
        {name: 'growth', title: 'Adds', of: errorText}];

    constructor(tolerance) {
        this.tolerance = tolerance;
        const limits = Array.from({length: ERROR_STEPS}, (_, i) => (tolerance || 1e-7) * 10 ** i);
        this.steps = [...limits.map((most, i) => ({most, name: `s${i}`, text: `≤ ${errorText(most)}`})),
            {most: Infinity, name: `s${ERROR_STEPS}`, text: 'more'}];
    }

    pageTitle(name) {
        return `Where ${name} and another model part`;
    }

    value(module) {
        return readError(module.own_error?.relative ?? null);
    }

    classOf(error) {
        return typeof error === 'number' ? this.steps.find((step) => error <= step.most).name : UNKNOWN.name;
    }

    worse(a, b) {
        return Math.max(a, b);
    }

    mark(error) {
        return typeof error === 'number' && error > this.tolerance ? errorText(error) : '';
    }

    facts(module) {
        return [`own ${errorText(this.value(module))}`,
            `carried ${errorText(readError(module.carried_error?.relative ?? null))}`,
            ...(module.no_own ? [`no own: ${module.no_own}`] : [])];
    }

    problems(model, row) {
        return model.cell(row, 'growth') > this.tolerance ? [BEYOND] : [];
    }

    nodeFacts(model, row) {
        return [['Source', model.cell(row, 'source')], ['Carried', errorText(model.cell(row, 'carried'))],
            ['Adds', errorText(model.cell(row, 'growth'))]];
    }
}
