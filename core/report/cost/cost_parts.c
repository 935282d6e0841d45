/*
 * Amounts, operators and nodes of a report on costs.
 */
#include "report/cost/cost_parts.h"

#include "base/text.h"

#include <stdlib.h>

/* ---- amounts ---- */

const char *htp_report_amount(htp_arena *arena, const htp_cost *cost, const htp_amount *amount)
{
    int64_t number;
    if (htp_amount_is_number(amount, &number)) {
        return htp_text_grouped(arena, (uint64_t)number);
    }
    const char *formula = htp_amount_text(arena, &cost->symbols->algebra, amount);
    return formula ? formula : "?";
}

htp_amount htp_report_amount_of(const htp_cost *cost, htp_polynomial_id id)
{
    htp_amount amount = {.is_broken = false};
    htp_amount_add_polynomial(&cost->symbols->algebra, &amount, id, 1);
    return amount;
}

const char *htp_report_peak(htp_arena *arena, const htp_cost *cost)
{
    htp_text text = {.arena = arena};
    if (cost->peak.is_broken || cost->peak.count == 0 || cost->unsized > 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < cost->peak.count; i++) {
        htp_text_add(&text, i > 0 ? ", " : cost->peak.count > 1 ? "max(" : "");
        htp_text_add(&text,
                     htp_amount_text(arena, &cost->symbols->algebra, &cost->peak.amounts[i]));
    }
    htp_text_add(&text, cost->peak.count > 1 ? ")" : "");
    return htp_text_string(&text);
}

const char *htp_report_operator(htp_arena *arena, const htp_view *view, htp_view_name domain,
                                htp_view_name op_type)
{
    const char *name = htp_view_text(view, op_type);
    return htp_view_is_own_domain(view, domain)
               ? name
               : htp_arena_join(arena, htp_view_text(view, domain), ".", name);
}

/* ---- nodes ---- */

/* A node and its multiply-adds. */
struct ranked {
    uint64_t multiply_adds;
    uint32_t node;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->multiply_adds != y->multiply_adds) {
        return x->multiply_adds > y->multiply_adds ? -1 : 1;
    }
    return x->node < y->node ? -1 : x->node > y->node;
}

uint32_t htp_report_cost_nodes(htp_arena *arena, const htp_cost *cost, const htp_region *region,
                               const uint32_t **nodes)
{
    size_t all = cost->view->nodes.count;
    struct ranked *ranked = HTP_NEW_ARRAY(arena, struct ranked, all + 1);
    uint32_t *list = HTP_NEW_ARRAY(arena, uint32_t, all + 1);
    uint32_t count = 0;
    for (uint32_t n = 0; n < all; n++) {
        if (!cost->nodes[n].is_left_out && (!region || region->has_node[n])) {
            ranked[count].node = n;
            (void)htp_cost_number(cost, cost->nodes[n].multiply_adds,
                                  &ranked[count++].multiply_adds);
        }
    }
    qsort(ranked, count, sizeof(*ranked), compare_ranked);
    for (uint32_t i = 0; i < count; i++) {
        list[i] = ranked[i].node;
    }
    *nodes = list;
    return count;
}
