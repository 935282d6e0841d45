#include "verify/verify.h"

#include "verify/work.h"

#include <math.h>

/* ---- modules ---- */

static void sum_up_outputs(htp_verify_work *work, uint32_t m)
{
    htp_verify_module *module = &work->modules[m];
    const htp_numbers *outputs = &work->borders.outputs[m];
    module->first = work->borders.first[m];
    module->has_nodes = module->first != HTP_NONE;
    module->worst.node = HTP_NONE;
    for (size_t i = 0; i < outputs->count; i++) {
        const htp_difference_of *carried = &work->carried[outputs->items[i]];
        module->values += carried->is_known;
        module->carried = htp_measure_worse(module->carried, *carried);
    }
}

/* The worst difference of what each node of graph 0 reads. */
struct reads {
    const htp_verify_work *work;
    double *worst; /* by node */
};

static void note_read(void *user, uint32_t node, uint32_t value)
{
    struct reads *reads = user;
    uint32_t top = reads->work->borders.flow.top[node];
    const htp_difference_of *carried = &reads->work->carried[value];
    if (top != HTP_NONE && carried->is_known && carried->relative > reads->worst[top]) {
        reads->worst[top] = carried->relative;
    }
}

/* The own error of the innermost module around a node of which it is known. */
static double own_around(const htp_verify_work *work, uint32_t node)
{
    uint32_t module = work->borders.innermost[node];
    while (module != HTP_NONE && !work->modules[module].own.is_known) {
        module = work->borders.tree->modules[module].parent;
    }
    return module == HTP_NONE ? (double)INFINITY : work->modules[module].own.relative;
}

static void sum_up_node(htp_verify_work *work, uint32_t node, double read)
{
    const htp_view *view = work->borders.view;
    htp_view_range made = view->nodes.items[node].outputs;
    htp_verify_node *found = &work->nodes[node];
    for (uint32_t i = 0; i < made.count; i++) {
        uint32_t value = view->operands.items[made.first + i];
        if (value != HTP_NONE && work->carried[value].is_known) {
            found->is_known = true;
            found->carried = fmax(found->carried, work->carried[value].relative);
        }
    }
    found->growth = found->carried > read ? fmin(found->carried - read, own_around(work, node)) : 0;
}

static void sum_up_nodes(htp_verify_work *work)
{
    const htp_view *view = work->borders.view;
    struct reads reads = {work, HTP_NEW_ARRAY(work->arena, double, view->nodes.count + 1)};
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_flow_each_read(view, n, note_read, &reads);
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (view->nodes.items[n].graph != 0) {
            continue;
        }
        sum_up_node(work, n, reads.worst[n]);
        double growth = work->nodes[n].growth;
        for (uint32_t m = work->borders.innermost[n]; m != HTP_NONE && growth > 0;
             m = work->borders.tree->modules[m].parent) {
            htp_verify_operator *worst = &work->modules[m].worst;
            if (worst->node == HTP_NONE || growth > worst->growth) {
                *worst = (htp_verify_operator){n, growth, work->nodes[n].carried};
            }
        }
    }
}

/* ---- the result ---- */

/* Finds the modules that add error, and have none inside that does. @return the first one that
 * runs; HTP_NONE: there is none */
static uint32_t find_first(const htp_verify_work *work)
{
    const htp_tree *tree = work->borders.tree;
    bool *has_inner = HTP_NEW_ARRAY(work->arena, bool, tree->module_count + 1U);
    uint32_t first = HTP_NONE;
    for (uint32_t m = tree->module_count; m-- > 0;) { /* parents precede children */
        htp_verify_module *module = &work->modules[m];
        bool adds = htp_difference_is_beyond(&module->own);
        uint32_t parent = tree->modules[m].parent;
        if (parent != HTP_NONE && (adds || has_inner[m])) {
            has_inner[parent] = true;
        }
        module->is_source = adds && !has_inner[m];
        if (module->is_source &&
            (first == HTP_NONE || module->first <= work->modules[first].first)) {
            first = m;
        }
    }
    return first;
}

/* The first value that is beyond the tolerance: of nodes in the order of the file, then what no
 * node of graph 0 makes, such as an input that is returned. @return HTP_NONE: there is none */
static uint32_t find_first_tensor(const htp_verify_work *work)
{
    const htp_view *view = work->borders.view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_view_range made = view->nodes.items[n].outputs;
        for (uint32_t i = 0; i < made.count; i++) {
            uint32_t value = view->operands.items[made.first + i];
            if (value != HTP_NONE && htp_difference_is_beyond(&work->carried[value])) {
                return value;
            }
        }
    }
    for (uint32_t v = 0; v < view->values.count; v++) {
        if (htp_difference_is_beyond(&work->carried[v])) {
            return v;
        }
    }
    return HTP_NONE;
}

/* The innermost module around a value that is compared: where B is optimised, one with a tag. */
static uint32_t find_module_of(const htp_verify_work *work, uint32_t value)
{
    const htp_tree *tree = work->borders.tree;
    const htp_view_value *made = &work->borders.view->values.items[value];
    uint32_t module = made->maker == HTP_VIEW_BY_NODE ? work->borders.innermost[made->node] : 0;
    while (work->request->level > 0 && !tree->modules[module].has_tag &&
           tree->modules[module].parent != HTP_NONE) {
        module = tree->modules[module].parent;
    }
    return module;
}

/* Names the module where error begins. Where none adds error of its own, since it cannot run alone
 * or since little errors add up, it is that of the first tensor that is beyond. */
static void name_first(const htp_verify_work *work, htp_verification *verification)
{
    verification->first = find_first(work);
    verification->first_tensor = HTP_NONE;
    if (verification->first == HTP_NONE && verification->is_beyond) {
        verification->first_tensor = find_first_tensor(work);
        verification->first = find_module_of(work, verification->first_tensor);
    }
    verification->is_beyond = verification->is_beyond || verification->first != HTP_NONE;
}

static uint32_t count_in_bodies(const htp_view *view)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        count += view->nodes.items[n].graph != 0;
    }
    return count;
}

static void note_tolerance(htp_verification *verification, double tolerance)
{
    double *const bounds = verification->tolerances;
    bounds[0] = bounds[1] == 0 || tolerance < bounds[0] ? tolerance : bounds[0];
    bounds[1] = tolerance > bounds[1] ? tolerance : bounds[1];
}

static void count_tensors(htp_verify_work *work, htp_verification *verification)
{
    const htp_view *a = work->sides[HTP_COMPARED_A].view;
    for (int m = 0; m < HTP_COMPARED; m++) {
        verification->in_bodies[m] = count_in_bodies(work->sides[m].view);
    }
    for (uint32_t v = 0; v < a->values.count; v++) {
        const htp_difference_of *carried = &work->carried[v];
        verification->compared += htp_verify_has(work, v);
        verification->is_beyond = verification->is_beyond || htp_difference_is_beyond(carried);
        if (carried->is_known) {
            note_tolerance(verification, htp_verify_tolerance(work, v));
        }
    }
    htp_verify_uncompared(work, &verification->not_compared);
    for (size_t i = 0; i < verification->not_compared.count; i++) {
        const htp_uncompared *left = &verification->not_compared.items[i];
        verification->unmatched[left->model] += htp_uncompared_counts(left->reason);
        verification->inside += left->reason == HTP_UNCOMPARED_INNER;
    }
}

/* Outputs of A that are not compared. Nothing is equal if there is none that is, or one that has
 * other dims in B, or that A does not compute. */
static void count_outputs(const htp_verify_work *work, htp_verification *verification)
{
    const htp_verify_reference *reference = work->request->reference;
    for (size_t i = 0; i < work->comparison.values.count; i++) {
        const htp_compared_value *output = &work->comparison.values.items[i];
        uint32_t value = output->values[HTP_COMPARED_A];
        if (!output->is_output || value == HTP_NONE) {
            continue;
        }
        bool is_missing = reference && reference->gap && reference->is_result[value] &&
                          !work->arrays[HTP_COMPARED_A][work->runs - 1][value];
        verification->outputs[0]++;
        verification->outputs[1] += !htp_verify_has_output(work, output);
        verification->is_unknown = verification->is_unknown || is_missing || work->misfits[value];
    }
    verification->is_unknown =
        verification->is_unknown ||
        (work->request->values ? verification->compared == 0
                               : verification->outputs[0] == verification->outputs[1]);
}

static void fill_in(htp_verify_work *work, htp_verification *verification)
{
    verification->runs = work->runs;
    for (size_t i = 0; i < work->kinds.axes.names.count; i++) {
        htp_verify_axis axis = {.name = work->kinds.axes.names.items[i]};
        for (uint32_t r = 0; r < work->runs; r++) {
            axis.sizes[r] = work->sizes[r][i];
        }
        HTP_PUSH(work->arena, &verification->axes, axis);
    }
    verification->lengths = work->lengths;
    count_tensors(work, verification);
    count_outputs(work, verification);
    verification->modules = work->modules;
    verification->nodes = work->nodes;
    name_first(work, verification);
}

/* Infers the types of A's tensors, whose sizes tell how many of them fit in memory. */
static void infer_types(htp_verify_work *work)
{
    htp_side *side = &work->sides[HTP_COMPARED_A];
    htp_numbers values = {0};
    for (uint32_t v = 0; v < side->view->values.count; v++) {
        if (work->counterparts.of_a[v] != HTP_NONE) {
            HTP_PUSH(work->arena, &values, v);
        }
    }
    htp_view_types_need(side->types, values.items, values.count);
}

/* Where B is optimised, modules without a tag are parts of what is compared as a whole. */
static void leave_out_inner(htp_verify_work *work)
{
    const htp_tree *tree = work->sides[HTP_COMPARED_A].tree;
    for (uint32_t m = 0; work->request->level > 0 && m < tree->module_count; m++) {
        htp_verify_module *module = &work->modules[m];
        if (!tree->modules[m].has_tag) {
            module->carried = module->own = (htp_difference_of){.is_known = false};
            module->values = 0;
            module->no_own = "it has no tag, and B is optimised: the module around it is compared";
        }
    }
}

/* Tensors of nodes that a file of values lacks have no counterpart. */
static void leave_out_missing(htp_verify_work *work)
{
    const htp_side *a = &work->sides[HTP_COMPARED_A];
    for (uint32_t v = 0; v < a->view->values.count; v++) {
        uint32_t other = work->counterparts.of_a[v];
        if (other != HTP_NONE && htp_counterparts_can_fetch(a->view, v) && !htp_side_has(a, v)) {
            work->counterparts.of_a[v] = HTP_NONE;
            work->counterparts.of_b[other] = HTP_NONE;
        }
    }
}

htp_status htp_verify(htp_arena *arena, const htp_verify_request *request,
                      htp_verification *verification)
{
    htp_verify_work *work = HTP_NEW(arena, htp_verify_work);
    const htp_view *a = request->views[HTP_COMPARED_A];
    const htp_tree *tree = request->trees[HTP_COMPARED_A];
    *work = (htp_verify_work){
        .arena = arena,
        .request = request,
        .carried = HTP_NEW_ARRAY(arena, htp_difference_of, a->values.count + 1),
        .misfits = HTP_NEW_ARRAY(arena, bool, a->values.count + 1),
        .is_unread = HTP_NEW_ARRAY(arena, bool, a->values.count + 1),
        .has_lengths = HTP_NEW_ARRAY(arena, bool, a->values.count + 1),
        .bytes = HTP_NEW_ARRAY(arena, uint64_t, a->values.count + 1),
        .types = HTP_NEW_ARRAY(arena, int32_t, request->views[1]->values.count + 1),
        .modules = HTP_NEW_ARRAY(arena, htp_verify_module, tree->module_count + 1U),
        .nodes = HTP_NEW_ARRAY(arena, htp_verify_node, a->nodes.count + 1),
    };
    *verification = (htp_verification){.request = request};
    for (int m = 0; m < HTP_COMPARED; m++) {
        HTP_TRY(htp_view_check(request->views[m]));
        work->sides[m] = htp_side_new(arena, request, m);
        HTP_TRY(htp_side_check(&work->sides[m]));
    }
    HTP_TRY(htp_compare(arena, request->views, request->trees, &work->comparison));
    htp_counterparts_find(arena, &work->comparison, &work->counterparts);
    leave_out_missing(work);
    infer_types(work);
    HTP_TRY(htp_input_kinds_find(arena, a, work->sides[HTP_COMPARED_A].types, &work->kinds));
    HTP_TRY(htp_verify_choose(work));
    htp_module_borders_find(arena, a, tree, &work->borders);
    HTP_TRY(htp_verify_carried(work));
    for (uint32_t m = 0; m < tree->module_count; m++) {
        sum_up_outputs(work, m);
    }
    HTP_TRY(htp_verify_own(work));
    leave_out_inner(work);
    sum_up_nodes(work);
    fill_in(work, verification);
    return request->save ? htp_verify_save(work, &verification->index) : HTP_OK;
}
