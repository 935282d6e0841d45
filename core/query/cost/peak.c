/*
 * The most memory that values take at once.
 */
#include "query/cost/cost_parts.h"

#define AT_END (HTP_NONE - 1)

/* State of one model. */
struct living {
    htp_cost *cost;
    const htp_polynomial_id *bytes; /* by value */
    uint32_t *last; /* by value: the node of its graph that reads it last; HTP_NONE, or AT_END */
    uint32_t *next_dying; /* by value: another one with the same last reader, plus one; 0: none */
    uint32_t *dying;      /* by node: the first value that it reads last, plus one; 0: none */
    htp_cost_peak *peaks; /* by graph */
};

/* Adds an amount to those of which the largest counts. */
static void add_peak(const htp_cost *cost, htp_cost_peak *peak, const htp_amount *amount)
{
    const htp_algebra *algebra = &cost->symbols->algebra;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < peak->count; i++) {
        if (htp_amount_is_above(algebra, &peak->amounts[i], amount)) {
            return;
        }
    }
    for (uint32_t i = 0; i < peak->count; i++) {
        if (!htp_amount_is_above(algebra, amount, &peak->amounts[i])) {
            peak->amounts[kept++] = peak->amounts[i];
        }
    }
    peak->is_broken = peak->is_broken || amount->is_broken || kept == HTP_COST_MAX_PEAKS;
    if (kept < HTP_COST_MAX_PEAKS) {
        peak->amounts[kept++] = htp_amount_copy(algebra, amount);
    }
    peak->count = kept;
}

/* ---- who reads a value last ---- */

static void note_read(struct living *l, uint32_t value, uint32_t node, uint32_t graph)
{
    const htp_view *view = l->cost->view;
    if (value == HTP_NONE) {
        return;
    }
    while (graph != view->values.items[value].graph && view->graphs.items[graph].node != HTP_NONE) {
        node = view->graphs.items[graph].node;
        graph = view->nodes.items[node].graph;
    }
    uint32_t *last = &l->last[value];
    *last =
        *last == HTP_NONE || (*last != AT_END && (node == AT_END || node > *last)) ? node : *last;
}

static void find_readers(struct living *l)
{
    const htp_view *view = l->cost->view;
    for (uint32_t v = 0; v < view->values.count; v++) {
        l->last[v] = HTP_NONE;
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        for (uint32_t i = 0; i < node->inputs.count; i++) {
            note_read(l, view->operands.items[node->inputs.first + i], n, node->graph);
        }
    }
    for (uint32_t g = 0; g < view->graphs.count; g++) {
        htp_view_range outputs = view->graphs.items[g].outputs;
        for (uint32_t i = 0; i < outputs.count; i++) {
            note_read(l, view->operands.items[outputs.first + i], AT_END, g);
        }
    }
    for (uint32_t v = 0; v < view->values.count; v++) {
        /* What nobody reads goes with its maker. */
        uint32_t last = l->last[v] == HTP_NONE ? view->values.items[v].node : l->last[v];
        if (last < AT_END) {
            l->next_dying[v] = l->dying[last];
            l->dying[last] = v + 1;
        }
    }
}

/* ---- the walk ---- */

static void add_values(const struct living *l, htp_view_range range, htp_amount *live)
{
    const htp_algebra *algebra = &l->cost->symbols->algebra;
    for (uint32_t i = 0; i < range.count; i++) {
        uint32_t value = l->cost->view->operands.items[range.first + i];
        if (value != HTP_NONE && l->bytes[value] != HTP_NONE) {
            htp_amount_add_polynomial(algebra, live, l->bytes[value], 1);
        }
    }
}

/* A node runs while its bodies do. */
static void add_moment(const struct living *l, uint32_t node, const htp_amount *live,
                       htp_cost_peak *peak)
{
    const htp_view *view = l->cost->view;
    const htp_view_range attributes = view->nodes.items[node].attributes;
    add_peak(l->cost, peak, live);
    for (uint32_t i = 0; i < attributes.count; i++) {
        const htp_view_range graphs = view->attributes.items[attributes.first + i].graphs;
        for (uint32_t g = graphs.first; g < graphs.first + graphs.count; g++) {
            for (uint32_t k = 0; k < l->peaks[g].count; k++) {
                htp_amount both = htp_amount_copy(&l->cost->symbols->algebra, live);
                htp_amount_add(&l->cost->symbols->algebra, &both, &l->peaks[g].amounts[k], 1);
                add_peak(l->cost, peak, &both);
            }
            peak->is_broken = peak->is_broken || l->peaks[g].is_broken;
        }
    }
}

static void walk(const struct living *l, uint32_t graph)
{
    const htp_view *view = l->cost->view;
    const htp_algebra *algebra = &l->cost->symbols->algebra;
    const htp_view_range nodes = view->graphs.items[graph].nodes;
    htp_cost_peak *peak = &l->peaks[graph];
    htp_amount live = {.is_broken = false};
    add_values(l, view->graphs.items[graph].inputs, &live);
    add_peak(l->cost, peak, &live);
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        add_values(l, view->nodes.items[n].outputs, &live);
        add_moment(l, n, &live, peak);
        for (uint32_t v = l->dying[n]; v != 0; v = l->next_dying[v - 1]) {
            if (l->bytes[v - 1] != HTP_NONE) {
                htp_amount_add_polynomial(algebra, &live, l->bytes[v - 1], -1);
            }
        }
    }
}

void htp_cost_find_peak(htp_cost *cost, const htp_polynomial_id *bytes)
{
    const htp_view *view = cost->view;
    struct living l = {
        .cost = cost,
        .bytes = bytes,
        .last = HTP_NEW_ARRAY(cost->arena, uint32_t, view->values.count + 1),
        .next_dying = HTP_NEW_ARRAY(cost->arena, uint32_t, view->values.count + 1),
        .dying = HTP_NEW_ARRAY(cost->arena, uint32_t, view->nodes.count + 1),
        .peaks = HTP_NEW_ARRAY(cost->arena, htp_cost_peak, view->graphs.count + 1),
    };
    find_readers(&l);
    for (uint32_t g = (uint32_t)view->graphs.count; g-- > 0;) {
        walk(&l, g);
    }
    cost->peak = l.peaks[0];
}
