#include "api/queries/split_balance.h"

#include "query/cost/cost.h"

htp_status htp_split_balance_check(const htp_splitting *splitting)
{
    bool is_by_cost = splitting->into > 0 && splitting->by == HTP_SPLIT_COST;
    bool is_by_time = splitting->into > 0 && splitting->by == HTP_SPLIT_TIME;
    if (splitting->into < 0 || splitting->into > HTP_SPLIT_MOST_PARTS) {
        return htp_status_make(HTP_CODE_USAGE, "a model is split into 1 to %d parts",
                               HTP_SPLIT_MOST_PARTS);
    }
    if ((unsigned)splitting->by > HTP_SPLIT_TIME) {
        return htp_status_make(HTP_CODE_USAGE, "unknown measure of parts: %d", (int)splitting->by);
    }
    if (splitting->into == 0 && splitting->by != HTP_SPLIT_COST) {
        return htp_status_make(HTP_CODE_USAGE, "a measure of parts is for a number of parts");
    }
    if (splitting->sizes && !is_by_cost) {
        return htp_status_make(HTP_CODE_USAGE, "sizes are for a number of parts, by their cost");
    }
    if ((splitting->profile || splitting->optimized) && !is_by_time) {
        return htp_status_make(HTP_CODE_USAGE, "a profile is for a number of parts, by their time");
    }
    if (is_by_time && !splitting->profile) {
        return htp_status_make(HTP_CODE_USAGE,
                               "the time of parts is that of a profile of ONNX Runtime: pass one");
    }
    return HTP_OK;
}

/* Multiply-adds at the sizes that were given. */
static htp_status find_multiply_adds(htp_query *query, const char *sizes, const uint64_t **costs)
{
    const htp_view *view = &query->model->view;
    uint64_t *numbers = HTP_NEW_ARRAY(&query->arena, uint64_t, view->nodes.count + 1);
    htp_costs found;
    HTP_TRY(htp_costs_find(&query->arena, view, &query->model->tree, sizes, &found));
    if (!found.numbers) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: what parts cost depends on the axes: pass their sizes, or "
                               "balance the weights",
                               view->path);
    }
    if (found.numbers->uncounted.count > 0) {
        return htp_status_make(
            HTP_CODE_USAGE,
            "%s: the multiply-adds of some nodes are not known (%zu, '%s' is one): "
            "balance the weights or the time",
            view->path, found.numbers->uncounted.count,
            htp_view_call_node(view, found.numbers->uncounted.items[0]));
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_cost_node *node = &found.numbers->nodes[n];
        bool is_known =
            node->is_left_out || htp_cost_number(found.numbers, node->multiply_adds, &numbers[n]);
        if (!is_known) {
            return htp_status_make(HTP_CODE_USAGE, "%s: the multiply-adds of '%s' are too many",
                                   view->path, htp_view_call_node(view, n));
        }
    }
    *costs = numbers;
    return HTP_OK;
}

htp_status htp_split_balance_costs(htp_query *query, const htp_splitting *splitting,
                                   htp_timing *timing, const uint64_t **costs)
{
    *costs = NULL;
    if (splitting->by == HTP_SPLIT_COST) {
        return find_multiply_adds(query, splitting->sizes, costs);
    }
    if (splitting->by == HTP_SPLIT_TIME) {
        HTP_TRY(htp_timing_read(timing, query));
        *costs = htp_profile_by_node(&timing->profile, &query->model->view, &query->model->tree);
    }
    return HTP_OK;
}
