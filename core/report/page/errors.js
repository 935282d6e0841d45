/* What a verification found: facts of its run, and the modules that error comes from. */

const MOST_SOURCES = 100;

function sizesText(runs) {
    const texts = runs.map((sizes) => Object.entries(sizes).map(([name, size]) => `${name}=${size}`).join(', '));
    return texts.filter(Boolean).join('; ') || 'those of the model';
}

function verificationFacts(found) {
    const {without_counterpart: without} = found;
    const runtime = `${found.runtime}, ${found.level > 0 ? `B optimised at level ${found.level}` : 'without optimisation'}`;
    return [['Compared tensors', count(found.compared), 'figure'],
        ['Without a counterpart', `${count(without.a)} of A, ${count(without.b)} of B`, 'figure'],
        ['Tolerance', errorText(found.tolerance), 'figure'],
        ['First', found.first ?? (found.is_unknown ? 'unknown' : 'none'), ''],
        ['B', found.b, ''], ['ONNX Runtime', runtime, ''], ['Sizes', sizesText(found.sizes), '']];
}

/* A bar as long as the power of ten of an error above the tolerance. */
function errorBar(scale, error) {
    const bar = scoreBar(null);
    const steps = Math.log10(error / (scale.tolerance || 1e-7)) / ERROR_STEPS;
    bar.firstChild.className = `fill ${scale.classOf(error)}`;
    bar.firstChild.style.width = `${100 * Math.max(0, Math.min(1, steps))}%`;
    return bar;
}

function sourceRow(model, module) {
    const facts = model.modules[module];
    const worst = facts.worst_operator;
    return make('tr', {}, [
        make('td', {class: 'sign'}, make('span', {class: 'verdict short', role: 'img', 'aria-label': BEYOND}, '▲')),
        make('th', {scope: 'row'}, make('button', {type: 'button', class: 'link', 'data-source': module,
            onclick: () => {
                change({selected: module});
                byId('nodes').scrollIntoView();
            }}, dotted(facts.address, '/'))),
        make('td', {class: 'wide'}, errorBar(model.scale, model.value(module))),
        make('td', {class: 'number strong'}, errorText(model.value(module))),
        make('td', {class: 'number'}, `carried ${errorText(readError(facts.carried_error?.relative ?? null))}`),
        make('td', {class: 'note'}, worst ? [worst.op_type, worst.node, worst.source].filter(Boolean).join(' ') : ''),
    ]);
}

/** The modules that error comes from, in the order in which they run. */
function sourceTable(model) {
    const sources = model.order.filter((module) => model.modules[module].is_source)
        .sort((a, b) => model.modules[a].first_node - model.modules[b].first_node);
    if (sources.length === 0) {
        const {is_beyond: beyond, is_unknown: unknown} = model.raw.verification;
        return make('p', {class: 'hint'}, beyond ? 'No module alone is beyond the tolerance.' :
            unknown ? 'Not all outputs were compared.' : 'Nothing is beyond the tolerance.');
    }
    const more = sources.length - MOST_SOURCES;
    return make('div', {}, [
        make('table', {class: 'metrics'}, [
            headings([['', {class: 'sign'}], ['module'], ['', {class: 'wide'}], ['own', {class: 'number'}],
                ['', {class: 'number'}], ['operator that adds most', {class: 'note'}]]),
            make('tbody', {}, sources.slice(0, MOST_SOURCES).map((module) => sourceRow(model, module))),
        ]),
        more > 0 ? make('p', {class: 'hint'}, `and ${counted(more, 'module')} more`) : null,
    ]);
}
