#include "verify/counterparts.h"

#include "query/dataflow/flow.h"

struct pairing {
    const htp_comparison *comparison;
    const htp_view *a, *b;
    htp_counterparts *found;
};

/* Whether a value is computed from inputs, or is one, outside of bodies. */
static bool is_tensor(const htp_view *view, uint32_t value)
{
    const htp_view_value *made = &view->values.items[value];
    if (made->graph != 0) {
        return false;
    }
    return made->maker == HTP_VIEW_BY_NODE
               ? !htp_flow_is_constant(view, made->node)
               : made->maker == HTP_VIEW_BY_INPUT && made->initializer == HTP_NONE;
}

static void link(const struct pairing *p, uint32_t a, uint32_t b)
{
    if (p->found->of_a[a] == HTP_NONE && p->found->of_b[b] == HTP_NONE) {
        p->found->of_a[a] = b;
        p->found->of_b[b] = a;
    }
}

static void pair(const struct pairing *p, uint32_t a, uint32_t b)
{
    if (a != HTP_NONE && b != HTP_NONE && is_tensor(p->a, a) && is_tensor(p->b, b)) {
        link(p, a, b);
    }
}

bool htp_counterparts_can_fetch(const htp_view *view, uint32_t value)
{
    const htp_view_value *made = &view->values.items[value];
    return made->graph == 0 &&
           (made->maker == HTP_VIEW_BY_NODE || made->maker == HTP_VIEW_BY_INITIALIZER);
}

/* What is returned counts, constant or not. */
static void pair_returned(const struct pairing *p, uint32_t a, uint32_t b)
{
    if (a != HTP_NONE && b != HTP_NONE && htp_counterparts_can_fetch(p->a, a) &&
        htp_counterparts_can_fetch(p->b, b)) {
        link(p, a, b);
    }
}

static void pair_ends(const struct pairing *p)
{
    for (size_t i = 0; i < p->comparison->values.count; i++) {
        const htp_compared_value *value = &p->comparison->values.items[i];
        (value->is_output ? pair_returned : pair)(p, value->values[HTP_COMPARED_A],
                                                  value->values[HTP_COMPARED_B]);
    }
}

static void pair_outputs(const struct pairing *p, uint32_t a, uint32_t b)
{
    htp_view_range of_a = p->a->nodes.items[a].outputs;
    htp_view_range of_b = p->b->nodes.items[b].outputs;
    for (uint32_t i = 0; i < of_a.count && i < of_b.count; i++) {
        pair(p, p->a->operands.items[of_a.first + i], p->b->operands.items[of_b.first + i]);
    }
}

static void pair_corresponding(const struct pairing *p)
{
    for (uint32_t n = 0; n < p->a->nodes.count; n++) {
        uint32_t other = p->comparison->correspondence.nodes[n];
        if (other != HTP_NONE) {
            pair_outputs(p, n, other);
        }
    }
}

static void pair_names(const struct pairing *p, htp_arena *arena)
{
    htp_map by_name = {0};
    for (uint32_t v = 0; v < p->b->values.count; v++) {
        if (p->b->values.items[v].name != 0 && is_tensor(p->b, v)) {
            htp_map_set(arena, &by_name, htp_view_text(p->b, p->b->values.items[v].name), v);
        }
    }
    for (uint32_t v = 0; v < p->a->values.count; v++) {
        uint32_t other = HTP_NONE;
        if (htp_map_get(&by_name, htp_view_text(p->a, p->a->values.items[v].name), &other)) {
            pair(p, v, other);
        }
    }
}

/* Nodes in the same place: other operands may mean another place. */
static void pair_places(const struct pairing *p)
{
    const htp_correspondence *correspondence = &p->comparison->correspondence;
    for (uint32_t n = 0; n < p->a->nodes.count; n++) {
        uint32_t other = correspondence->counterparts[n];
        if (other != HTP_NONE &&
            !(htp_correspondence_compare(&p->comparison->fingerprints[HTP_COMPARED_A],
                                         &p->comparison->fingerprints[HTP_COMPARED_B],
                                         correspondence, n) &
              HTP_DIFFERENT_EDGES)) {
            pair_outputs(p, n, other);
        }
    }
}

void htp_counterparts_find(htp_arena *arena, const htp_comparison *comparison,
                           htp_counterparts *counterparts)
{
    const htp_view *a = comparison->views[HTP_COMPARED_A];
    const htp_view *b = comparison->views[HTP_COMPARED_B];
    const struct pairing p = {comparison, a, b, counterparts};
    counterparts->of_a = HTP_NEW_ARRAY(arena, uint32_t, a->values.count + 1);
    counterparts->of_b = HTP_NEW_ARRAY(arena, uint32_t, b->values.count + 1);
    for (uint32_t v = 0; v < a->values.count; v++) {
        counterparts->of_a[v] = HTP_NONE;
    }
    for (uint32_t v = 0; v < b->values.count; v++) {
        counterparts->of_b[v] = HTP_NONE;
    }
    pair_ends(&p);
    pair_corresponding(&p);
    pair_names(&p, arena);
    pair_places(&p);
}
