#include "api/queries/measures.h"

#include "api/queries/written_text.h"
#include "quality/quality.h"

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

htp_status htp_measure_found(htp_query *query, const htp_costs *found, bool is_strict,
                             const uint64_t **costs)
{
    const htp_view *view = &query->model->view;
    uint64_t *numbers = HTP_NEW_ARRAY(&query->arena, uint64_t, view->nodes.count + 1);
    if (!found->numbers) {
        return htp_status_make(
            HTP_CODE_USAGE,
            "%s: multiply-adds depend on the axes: pass their sizes, for example "
            "--sizes batch=1",
            view->path);
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_cost_node *node = &found->numbers->nodes[n];
        bool is_known =
            node->is_left_out || htp_cost_number(found->numbers, node->multiply_adds, &numbers[n]);
        if (!is_known && is_strict) {
            return htp_status_make(HTP_CODE_USAGE,
                                   "%s: the multiply-adds of '%s' are not known: choose another "
                                   "measure",
                                   view->path, htp_view_call_node(view, n));
        }
        numbers[n] = is_known ? numbers[n] : HTP_NODE_DATA_NONE;
    }
    *costs = numbers;
    return HTP_OK;
}

htp_status htp_measure_multiply_adds(htp_query *query, const char *sizes, const uint64_t **costs)
{
    htp_costs found;
    HTP_TRY(htp_costs_find(&query->arena, &query->model->view, &query->model->tree, sizes, &found));
    return htp_measure_found(query, &found, true, costs);
}

htp_status htp_measure_times(htp_query *query, htp_timing *timing, const uint64_t **times)
{
    HTP_TRY(htp_timing_read(timing, query));
    *times = htp_profile_by_node(&timing->profile, &query->model->view, &query->model->tree);
    return HTP_OK;
}

const uint64_t *htp_measure_problems(htp_arena *arena, const htp_view *view,
                                     const htp_quality *quality)
{
    uint64_t *problems = HTP_NEW_ARRAY(arena, uint64_t, view->nodes.count + 1);
    for (size_t n = 0; n < view->nodes.count; n++) {
        problems[n] = (uint64_t)__builtin_popcount(quality->problems[n]);
    }
    return problems;
}

const uint64_t *htp_measure_errors(htp_arena *arena, size_t count, const double *errors,
                                   uint64_t unknown)
{
    static const double largest = 1e6;
    uint64_t *counts = HTP_NEW_ARRAY(arena, uint64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        double error = errors[i] < largest ? errors[i] : largest;
        counts[i] = errors[i] < 0 ? unknown : (uint64_t)(error / HTP_ERROR_UNIT + 0.5);
    }
    return counts;
}

htp_status htp_split_balance_costs(htp_query *query, const htp_splitting *splitting,
                                   htp_timing *timing, const uint64_t **costs)
{
    *costs = NULL;
    switch (splitting->by) {
    case HTP_SPLIT_COST:
        return htp_measure_multiply_adds(query, splitting->sizes, costs);
    case HTP_SPLIT_TIME:
        return htp_measure_times(query, timing, costs);
    default:
        return HTP_OK;
    }
}

htp_status htp_node_data_check(const htp_model *model)
{
    return model->file.functions.count == 0
               ? HTP_OK
               : htp_status_make(
                     HTP_CODE_USAGE,
                     "%s: it has functions, whose nodes serve several modules; write the "
                     "flat file first: htp-trace inline",
                     model->view.path);
}

htp_status htp_node_data_write(htp_query *query, const htp_node_data *data, const char *path)
{
    if (!path) {
        return HTP_OK;
    }
    HTP_TRY(htp_node_data_check(query->model));
    HTP_TRY(htp_query_check_output(query, path));
    return htp_text_write(&query->arena, htp_report_node_data(&query->arena, data), path);
}
