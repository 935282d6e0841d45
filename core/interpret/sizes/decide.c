/*
 * Operators with data-dependent output sizes: their sizes and outputs.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"

#include <string.h>

/* ---- repeat_interleave() ---- */

static const htp_item *repeats_of(const htp_items *inputs)
{
    return inputs->items[inputs->count > 2 ? 1 : 0];
}

/* The number of repeated elements: those of self, or of one dim. */
static htp_outcome count_repeated(htp_machine *m, const htp_items *inputs, size_t lane,
                                  int64_t *count)
{
    if (htp_sizes_is_none(inputs, 2)) {
        const htp_runner_tensor *self = NULL;
        HTP_DO(htp_sizes_tensor_in(m, inputs->items[0], lane, &self));
        *count = self->elements;
        return HTP_GOES_ON;
    }
    int64_t dim;
    HTP_DO(htp_sizes_fixed_number(m, inputs, 2, &dim));
    return htp_sizes_dim_in(m, inputs->items[0], lane, dim, count);
}

/* The total of known repeats; a single number holds for each element. */
static htp_outcome total_known(htp_machine *m, const htp_items *inputs, size_t lane, int64_t *total)
{
    const htp_runner_tensor *repeats = htp_tensor_in(repeats_of(inputs), lane);
    if (!repeats->is_real && repeats->elements != 0) {
        return htp_sizes_refuse_reading(m);
    }
    if (!htp_tensor_total(m, repeats, total)) {
        return htp_machine_stop(m, HTP_FAILS, "repeats has to be Long or Int tensor");
    }
    if (inputs->count > 2 && repeats->elements == 1) {
        int64_t count;
        HTP_DO(count_repeated(m, inputs, lane, &count));
        *total = (int64_t)((uint64_t)*total * (uint64_t)count);
    }
    return HTP_GOES_ON;
}

/* The output size, if it is given or the repeats are known. */
static htp_outcome find_given(htp_machine *m, const htp_items *inputs, htp_trace_size *size,
                              bool *is_found)
{
    const htp_item *given = inputs->items[inputs->count - 1];
    *is_found = !htp_is_none(given) || htp_sizes_know_contents(repeats_of(inputs));
    *size = (htp_trace_size){0};
    for (uint32_t lane = 0; *is_found && lane < m->lane_count; lane++) {
        HTP_DO(htp_is_none(given) ? total_known(m, inputs, lane, &size->sizes[lane])
                                  : htp_sizes_int_in(m, given, lane, &size->sizes[lane]));
    }
    return HTP_GOES_ON;
}

/* The total of repeats per element. */
static htp_outcome find_total(htp_machine *m, const htp_call *call, htp_trace_size *size,
                              bool *is_found)
{
    const htp_items *inputs = &call->inputs;
    for (uint32_t lane = 0; lane < m->lane_count && inputs->count > 2; lane++) {
        int64_t count;
        const htp_runner_tensor *repeats = NULL;
        HTP_DO(count_repeated(m, inputs, lane, &count));
        HTP_DO(htp_sizes_tensor_in(m, repeats_of(inputs), lane, &repeats));
        if (repeats->elements != count) {
            return HTP_GOES_ON;
        }
    }
    *is_found = true;
    return htp_sizes_total_of(m, repeats_of(inputs), call->base_name, size);
}

static htp_outcome find_repeated(htp_machine *m, const htp_call *call, htp_trace_size *size,
                                 bool *is_found)
{
    if (strcmp(call->schema.name, "aten::repeat_interleave") != 0) {
        return HTP_GOES_ON;
    }
    HTP_DO(htp_sizes_require(m, &call->inputs, 2));
    HTP_DO(find_given(m, &call->inputs, size, is_found));
    return *is_found ? HTP_GOES_ON : find_total(m, call, size, is_found);
}

/* ---- operators that decide sizes ---- */

static bool has_same_dims(const htp_runner_tensor *a, const htp_runner_tensor *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims)) == 0);
}

/* The tensor whose true elements give the output size; or NULL. */
static htp_outcome find_counted(htp_machine *m, const htp_call *call, const htp_item **mask)
{
    static const char *const counting[] = {"aten::nonzero", "aten::argwhere", "aten::nonzero_numpy",
                                           "aten::where"};
    const htp_items *inputs = &call->inputs;
    *mask = NULL;
    if (htp_text_is_one_of(call->schema.name, counting, sizeof(counting) / sizeof(counting[0]))) {
        HTP_DO(htp_sizes_require(m, inputs, 1));
        *mask = inputs->items[0];
        return HTP_GOES_ON;
    }
    if (strcmp(call->schema.name, "aten::masked_select") != 0) {
        return HTP_GOES_ON;
    }
    HTP_DO(htp_sizes_require(m, inputs, 2));
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *self = NULL;
        const htp_runner_tensor *selected = NULL;
        HTP_DO(htp_sizes_tensor_in(m, inputs->items[0], lane, &self));
        HTP_DO(htp_sizes_tensor_in(m, inputs->items[1], lane, &selected));
        if (!has_same_dims(self, selected)) {
            return HTP_GOES_ON;
        }
    }
    *mask = inputs->items[1];
    return HTP_GOES_ON;
}

static htp_outcome choose_size(htp_machine *m, const htp_call *call, htp_trace_size *size)
{
    bool is_found = false;
    HTP_DO(find_repeated(m, call, size, &is_found));
    if (is_found) {
        return HTP_GOES_ON;
    }
    const htp_item *mask = NULL;
    HTP_DO(find_counted(m, call, &mask));
    return mask ? htp_sizes_count_of(m, mask, call->base_name, size)
                : htp_recording_new_size(m, call->base_name, size);
}

static htp_outcome run_sizer(htp_machine *m, const htp_call *call, htp_sizer *sizer,
                             htp_lanes *results)
{
    htp_trace_size size;
    HTP_DO(choose_size(m, call, &size));
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        htp_choice choice = {.inputs = &call->inputs, .lane = lane, .size = size.sizes[lane]};
        htp_chosen outputs = {.count = 0};
        HTP_DO(sizer(m, &choice, &outputs));
        if (lane == 0) {
            *results = htp_lanes_make(m, outputs.count);
        }
        memcpy(results->lane[lane], outputs.all, results->count * sizeof(outputs.all[0]));
    }
    return HTP_GOES_ON;
}

static bool is_known(const htp_item *item)
{
    return htp_is_tensor(item) ? htp_sizes_know_contents(item)
                               : htp_has_lanes(item) && !htp_is_data(item);
}

htp_outcome htp_sizes_decide(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    *is_done = false;
    HTP_DO(htp_sizes_packed(m, call, results, is_done));
    if (*is_done || htp_items_all(&call->inputs, is_known)) {
        return HTP_GOES_ON;
    }
    htp_sizer *sizer = NULL;
    HTP_DO(htp_sizer_find(m, call, &sizer));
    if (sizer) {
        *is_done = true;
        return run_sizer(m, call, sizer, results);
    }
    HTP_DO(htp_sizes_masked(m, call, results, is_done));
    if (!*is_done) {
        HTP_DO(htp_sizes_moved(m, call, results, is_done));
    }
    return *is_done ? HTP_GOES_ON : htp_sizes_joined(m, call, results, is_done);
}
