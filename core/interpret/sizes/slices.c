/*
 * Slices with data-dependent bounds or dims, and slices that are empty only at the sampled sizes.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"

#include <inttypes.h>

/* Whether a slice's bound is None, or the constant by which a traced program replaces it. */
static bool is_bound(const htp_items *inputs, size_t index, int64_t otherwise)
{
    if (htp_sizes_is_none(inputs, index)) {
        return true;
    }
    const htp_item *item = inputs->items[index];
    return htp_is_decided(item) && htp_is_int(item) && item->lane[0].as.i == otherwise;
}

/* A bound of a slice with constant bounds. */
static htp_outcome find_bound(htp_machine *m, const htp_items *inputs, size_t index,
                              int64_t otherwise, int64_t *bound)
{
    *bound = otherwise;
    return htp_sizes_is_none(inputs, index) ? HTP_GOES_ON
                                            : htp_sizes_int_in(m, inputs->items[index], 0, bound);
}

/* Identifies the size of a constant slice of a made-up dim: x[1:] and x[:-1] have equal sizes. */
static htp_outcome describe_slice(htp_machine *m, const htp_items *inputs, int64_t whole,
                                  const char **what)
{
    int64_t begin;
    int64_t end;
    int64_t step;
    HTP_DO(find_bound(m, inputs, 2, 0, &begin));
    HTP_DO(find_bound(m, inputs, 3, INT64_MAX, &end));
    HTP_DO(htp_sizes_fixed_number(m, inputs, 4, &step));
    htp_text text = {.arena = m->arena};
    htp_text_addf(&text, "slice of %" PRId64 " by %" PRId64 " ", whole, step);
    if (begin >= 0 && (end < 0 || end == INT64_MAX)) {
        uint64_t less = (uint64_t)begin - (uint64_t)(end < 0 ? end : 0);
        htp_text_addf(&text, "less %" PRIu64, less);
    } else {
        htp_text_addf(&text, "%" PRId64 " to %" PRId64, begin, end);
    }
    *what = htp_text_string(&text);
    return HTP_GOES_ON;
}

/* A bound as text: equal texts mean equal bounds; other bounds are distinguished by the lanes'
 * numbers. */
static void add_bound(const htp_machine *m, const htp_item *bound, htp_text *text)
{
    bool has_numbers = htp_is_int(bound) && htp_has_lanes(bound);
    htp_text_add(text, htp_is_none(bound) ? " none" : " at");
    for (uint32_t lane = 0; lane < m->lane_count && has_numbers; lane++) {
        htp_text_addf(text, " %" PRId64, bound->lane[lane].as.i);
    }
    if (!has_numbers) {
        htp_text_addf(text, " %%%u", (unsigned)bound->id);
    }
}

/* Identifies the size of a slice with data-dependent bounds: x[:n] and y[:n] have equal sizes if
 * the dims have. */
static htp_outcome describe_bounds(htp_machine *m, const htp_items *inputs, int64_t dim,
                                   const char **what)
{
    htp_text text = {.arena = m->arena};
    htp_text_add(&text, "slice of");
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        int64_t whole;
        HTP_DO(htp_sizes_dim_in(m, inputs->items[0], lane, dim, &whole));
        htp_text_addf(&text, " %" PRId64, whole);
    }
    for (size_t i = 2; i < inputs->count; i++) {
        add_bound(m, inputs->items[i], &text);
    }
    *what = htp_text_string(&text);
    return HTP_GOES_ON;
}

static bool any_is_stepped(const htp_items *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (inputs->items[i]->is_stepped) {
            return true;
        }
    }
    return false;
}

/* A bound in a lane, if it is an int; sets @p differs if it is not that of lane 0. */
static int64_t bound_in(const htp_machine *m, const htp_item *item, size_t lane, int64_t whole,
                        int64_t otherwise, bool *differs)
{
    const htp_operand *given = &item->lane[lane];
    if (htp_is_none(item) || given->kind != HTP_OPERAND_INT) {
        return otherwise;
    }
    *differs = *differs || !htp_operand_is_equal(m->runner, &item->lane[0], given);
    return given->as.i < 0 ? given->as.i + whole : given->as.i;
}

/* Whether a slice is empty in all lanes, but begins after its end in one: at other sizes it may
 * have elements. One that begins at its end in all lanes is always empty. */
static htp_outcome is_empty_by_chance(htp_machine *m, const htp_items *inputs, int64_t dim,
                                      bool *is_so)
{
    bool is_cut = any_is_stepped(inputs);
    bool differs = false;
    int64_t first = 0;
    *is_so = false;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        int64_t whole;
        HTP_DO(htp_sizes_dim_in(m, inputs->items[0], lane, dim, &whole));
        first = lane == 0 ? whole : first;
        int64_t begin = bound_in(m, inputs->items[2], lane, whole, 0, &differs);
        int64_t end = bound_in(m, inputs->items[3], lane, whole, whole, &differs);
        begin = begin < 0 ? 0 : begin;
        end = end > whole ? whole : end;
        if (begin < end) {
            return HTP_GOES_ON;
        }
        differs = differs || whole != first;
        is_cut = is_cut || end < begin;
    }
    *is_so = is_cut && differs;
    return HTP_GOES_ON;
}

enum { SLICE_STEP = 4, ANY_STEP = 2 };

/* A slice: the operator on the whole dim, with the size of the slice. A data-dependent step may
 * leave gaps in memory; callers check for that. */
static htp_outcome give_slice(htp_machine *m, htp_call *call, int64_t dim,
                              const htp_trace_size *size, htp_lanes *results)
{
    htp_items whole = htp_items_copy(m, &call->inputs);
    if (htp_sizes_is_data_number(&whole, SLICE_STEP)) {
        whole.items[SLICE_STEP] = htp_item_int(m, ANY_STEP);
    }
    whole.items[2] = htp_item_none(m);
    whole.items[3] = whole.items[2];
    return htp_sizes_run_with(m, call, &whole, dim, size, results);
}

/* Whether a bound or the step of a slice is data-dependent. */
static bool any_is_data(const htp_items *inputs)
{
    return htp_sizes_is_data_number(inputs, 2) || htp_sizes_is_data_number(inputs, 3) ||
           htp_sizes_is_data_number(inputs, SLICE_STEP);
}

static bool are_decided(const htp_items *inputs)
{
    bool are_decided = inputs->count > SLICE_STEP;
    for (size_t i = 2; i < inputs->count && are_decided; i++) {
        are_decided = htp_is_decided(inputs->items[i]);
    }
    return are_decided;
}

/* slice(self, dim, start, end, step) of a dim of several sizes, or with data-dependent bounds. */
static htp_outcome slice_data(htp_machine *m, htp_call *call, int64_t dim, htp_lanes *results,
                              bool *is_done)
{
    const htp_items *inputs = &call->inputs;
    bool any_bound = any_is_data(inputs);
    int64_t whole;
    int64_t next;
    HTP_DO(htp_sizes_dim_in(m, inputs->items[0], 0, dim, &whole));
    HTP_DO(htp_sizes_dim_in(m, inputs->items[0], 1 % m->lane_count, dim, &next));
    bool is_all = is_bound(inputs, 2, 0) && is_bound(inputs, 3, INT64_MAX);
    if (!any_bound && (whole == next || is_all)) {
        return HTP_GOES_ON;
    }
    htp_trace_size size;
    const char *what = NULL;
    HTP_DO(are_decided(inputs) ? describe_slice(m, inputs, whole, &what)
                               : describe_bounds(m, inputs, dim, &what));
    HTP_DO(htp_sizes_of(m, what, "slice", &size));
    *is_done = true;
    return give_slice(m, call, dim, &size, results);
}

htp_outcome htp_sizes_sliced(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    const htp_items *inputs = &call->inputs;
    HTP_DO(htp_sizes_require(m, inputs, 4));
    int64_t dim;
    HTP_DO(htp_sizes_find_dim(m, inputs, 1, &dim));
    if (any_is_data(inputs) || htp_is_data(inputs->items[0])) {
        HTP_DO(slice_data(m, call, dim, results, is_done));
    }
    if (*is_done) {
        return HTP_GOES_ON;
    }
    HTP_DO(is_empty_by_chance(m, inputs, dim, is_done));
    if (!*is_done) {
        return HTP_GOES_ON;
    }
    htp_trace_size size;
    HTP_DO(htp_recording_new_size(m, "slice", &size));
    return give_slice(m, call, dim, &size, results);
}
