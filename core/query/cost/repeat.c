/*
 * How often bodies run, and which branch counts.
 */
#include "query/cost/cost_parts.h"

#include "onnx/reader/literals.h"

#include <string.h>

/* State of one model. */
struct repeating {
    htp_cost *cost;
    const uint32_t *graphs;  /* by graph: in the builder */
    htp_polynomial_id *runs; /* by graph: how often it runs; HTP_NONE for functions */
    bool *is_left_out;       /* by graph: the branch that costs less, or in one */
    htp_cost_sum *sums;      /* by graph: all in it, in all runs */
};

static bool has_op(const htp_view *view, uint32_t node, const char *op_type)
{
    return strcmp(htp_view_text(view, view->nodes.items[node].op_type), op_type) == 0;
}

static const htp_view_attribute *find_attribute(const htp_view *view, uint32_t node,
                                                const char *name)
{
    htp_view_name number = htp_view_find_name(view, name);
    return number ? htp_view_find_attribute(view, node, number) : NULL;
}

/* The length of the first sequence that a Scan walks. */
static htp_polynomial_id scan_length(const struct repeating *r, uint32_t number)
{
    const htp_view *view = r->cost->view;
    const htp_view_node *node = &view->nodes.items[number];
    const htp_view_attribute *count = find_attribute(view, number, "num_scan_inputs");
    const htp_view_attribute *axes = find_attribute(view, number, "scan_input_axes");
    const htp_counting counting = {
        .view = view, .builder = r->cost->builder, .symbols = r->cost->symbols, .node = node};
    const int64_t *list = NULL;
    if (!count || count->i < 1 || count->i > node->inputs.count) {
        return HTP_NONE;
    }
    const htp_tensor *walked =
        htp_counting_input(&counting, node->inputs.count - (uint32_t)count->i);
    int64_t axis = axes && htp_view_attribute_ints(axes, r->cost->arena, &list) > 0 ? list[0] : 0;
    axis = walked && axis < 0 ? axis + walked->rank : axis;
    return walked && axis >= 0 && axis < walked->rank
               ? htp_counting_dim(&counting, walked, (uint32_t)axis)
               : HTP_NONE;
}

/* How often the body of a Loop runs in one run of its node. */
static htp_polynomial_id loop_length(const struct repeating *r, uint32_t graph)
{
    const htp_cost *cost = r->cost;
    uint32_t made = r->graphs[graph];
    const htp_nested_graph *body = made ? &cost->builder->graphs.items[made - 1] : NULL;
    if (!body || !body->has_trips) {
        return HTP_NONE;
    }
    htp_polynomial_id id = htp_symbols_polynomial(cost->symbols, body->trips);
    return cost->symbols->algebra.polynomials.items[id].has_unknown ? HTP_NONE : id;
}

static void note(struct repeating *r, uint32_t node, const char *what)
{
    const htp_view *view = r->cost->view;
    HTP_PUSH(r->cost->arena, &r->cost->notes,
             htp_arena_printf(r->cost->arena, "%s %s: %s",
                              htp_view_text(view, view->nodes.items[node].op_type),
                              htp_view_call_node(view, node), what));
}

static void find_runs(struct repeating *r)
{
    const htp_view *view = r->cost->view;
    htp_algebra *algebra = &r->cost->symbols->algebra;
    r->runs[0] = htp_polynomial_number(algebra, 1);
    for (uint32_t g = 1; g < view->graphs.count; g++) {
        const htp_view_graph *graph = &view->graphs.items[g];
        r->runs[g] = HTP_NONE;
        if (graph->parent == HTP_NONE || graph->node == HTP_NONE ||
            r->runs[graph->parent] == HTP_NONE) {
            continue;
        }
        htp_polynomial_id trips = htp_polynomial_number(algebra, 1);
        if (!has_op(view, graph->node, "If")) {
            trips =
                has_op(view, graph->node, "Scan") ? scan_length(r, graph->node) : loop_length(r, g);
        }
        if (trips == HTP_NONE) {
            note(r, graph->node, "how often it runs is not known; its body is counted once");
            trips = htp_polynomial_number(algebra, 1);
        }
        htp_polynomial_id runs = htp_polynomial_multiply(algebra, r->runs[graph->parent], trips);
        if (runs == HTP_NONE) {
            note(r, graph->node, "it runs too often to be told; its body is counted once");
            runs = r->runs[graph->parent];
        }
        r->runs[g] = runs;
    }
}

/* ---- branches ---- */

static void add_sum(const htp_cost *cost, htp_cost_sum *sum, const htp_cost_sum *more)
{
    htp_amount_add(&cost->symbols->algebra, &sum->multiply_adds, &more->multiply_adds, 1);
    htp_amount_add(&cost->symbols->algebra, &sum->activations, &more->activations, 1);
}

static void add_nodes(struct repeating *r)
{
    htp_cost *cost = r->cost;
    htp_algebra *algebra = &cost->symbols->algebra;
    for (uint32_t n = 0; n < cost->view->nodes.count; n++) {
        uint32_t graph = cost->view->nodes.items[n].graph;
        htp_cost_node *node = &cost->nodes[n];
        if (r->runs[graph] == HTP_NONE) {
            continue;
        }
        node->multiply_adds = htp_polynomial_multiply(algebra, node->multiply_adds, r->runs[graph]);
        node->activations = htp_polynomial_multiply(algebra, node->activations, r->runs[graph]);
        if (node->multiply_adds != HTP_NONE) {
            htp_amount_add_polynomial(algebra, &r->sums[graph].multiply_adds, node->multiply_adds,
                                      1);
        }
        if (node->activations != HTP_NONE) {
            htp_amount_add_polynomial(algebra, &r->sums[graph].activations, node->activations, 1);
        }
    }
}

/* Whether a branch costs at least as much as another: multiply-adds first. */
static bool costs_more(const htp_cost *cost, const htp_cost_sum *a, const htp_cost_sum *b)
{
    const htp_algebra *algebra = &cost->symbols->algebra;
    bool is_above = htp_amount_is_above(algebra, &a->multiply_adds, &b->multiply_adds);
    bool is_below = htp_amount_is_above(algebra, &b->multiply_adds, &a->multiply_adds);
    return is_above &&
           (!is_below || htp_amount_is_above(algebra, &a->activations, &b->activations));
}

/* Adds a graph to the one around it; of two branches the one that costs more, once both have been
 * added up: at the first one. */
static void add_graph(struct repeating *r, uint32_t g, uint32_t sibling)
{
    htp_cost *cost = r->cost;
    const htp_view_graph *graph = &cost->view->graphs.items[g];
    htp_cost_sum *around = &r->sums[graph->parent];
    if (sibling == HTP_NONE) {
        add_sum(cost, around, &r->sums[g]);
    } else if (costs_more(cost, &r->sums[g], &r->sums[sibling])) {
        r->is_left_out[sibling] = true;
        add_sum(cost, around, &r->sums[g]);
    } else if (costs_more(cost, &r->sums[sibling], &r->sums[g])) {
        r->is_left_out[g] = true;
        add_sum(cost, around, &r->sums[sibling]);
    } else {
        note(r, graph->node, "which branch costs more depends on the axes; both are counted");
        add_sum(cost, around, &r->sums[g]);
        add_sum(cost, around, &r->sums[sibling]);
    }
}

/* Inner graphs have larger numbers, and so has the second branch of an If. */
static void choose_branches(struct repeating *r)
{
    const htp_view *view = r->cost->view;
    uint32_t *second = HTP_NEW_ARRAY(r->cost->arena, uint32_t, view->nodes.count + 1);
    for (uint32_t g = (uint32_t)view->graphs.count; g-- > 1;) {
        const htp_view_graph *graph = &view->graphs.items[g];
        if (r->runs[g] == HTP_NONE) {
            continue;
        }
        bool is_branch = has_op(view, graph->node, "If");
        if (is_branch && second[graph->node] == 0) {
            second[graph->node] = g;
        } else {
            add_graph(r, g, is_branch ? second[graph->node] : HTP_NONE);
        }
    }
    for (uint32_t g = 1; g < view->graphs.count; g++) {
        uint32_t parent = view->graphs.items[g].parent;
        r->is_left_out[g] = r->is_left_out[g] || r->runs[g] == HTP_NONE || r->is_left_out[parent];
    }
}

void htp_cost_repeat(htp_cost *cost, const uint32_t *graphs)
{
    size_t count = cost->view->graphs.count + 1;
    struct repeating r = {
        .cost = cost,
        .graphs = graphs,
        .runs = HTP_NEW_ARRAY(cost->arena, htp_polynomial_id, count),
        .is_left_out = HTP_NEW_ARRAY(cost->arena, bool, count),
        .sums = HTP_NEW_ARRAY(cost->arena, htp_cost_sum, count),
    };
    find_runs(&r);
    add_nodes(&r);
    choose_branches(&r);
    for (uint32_t n = 0; n < cost->view->nodes.count; n++) {
        cost->nodes[n].is_left_out = r.is_left_out[cost->view->nodes.items[n].graph];
    }
}
