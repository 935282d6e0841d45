/*
 * Selections by masks, and data-dependent positions.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- outputs like the first operand ---- */

/* Whether a tensor's elements neither overlap nor leave gaps. */
static bool is_dense(htp_machine *m, const htp_runner_tensor *tensor)
{
    uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, tensor->rank);
    htp_tensor_order(tensor, order);
    int64_t step = 1;
    bool has_gaps = false;
    for (uint32_t i = tensor->rank; i-- > 0 && !has_gaps;) {
        uint32_t dim = order[i];
        if (tensor->dims[dim] > 1) {
            has_gaps = tensor->strides[dim] != step;
            step *= tensor->dims[dim];
        }
    }
    return !has_gaps || tensor->is_contiguous;
}

/* Whether one dim of a tensor is inside another one in memory: 1, -1, or 0 if undecided. Broadcast
 * dims leave it undecided. */
static int compare_dims(const htp_runner_tensor *tensor, uint32_t dim, uint32_t with)
{
    int64_t step = tensor->strides[dim];
    int64_t other = tensor->strides[with];
    if (step == 0 || other == 0) {
        return 0;
    }
    if (step != other) {
        return step < other ? 1 : -1;
    }
    return tensor->dims[dim] < tensor->dims[with] ? 1 : 0;
}

/* The order of dims in which libtorch lays out a tensor created like one with gaps: from the last
 * dim on, each is sorted into place by stride. */
static const uint32_t *order_like(htp_machine *m, const htp_runner_tensor *tensor)
{
    uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        order[i] = i;
    }
    for (uint32_t i = tensor->rank; i-- > 0;) {
        uint32_t at = i;
        for (uint32_t k = i + 1; k < tensor->rank; k++) {
            int within = compare_dims(tensor, order[at], order[k]);
            if (within < 0) {
                break;
            }
            if (within > 0) {
                uint32_t moved = order[at];
                order[at] = order[k];
                order[k] = moved;
                at = k;
            }
        }
    }
    return order;
}

static htp_outcome empty_like(htp_machine *m, const htp_runner_tensor *tensor,
                              const htp_runner_tensor **made)
{
    if (!is_dense(m, tensor)) {
        return htp_tensor_ordered(m, tensor, order_like(m, tensor), made);
    }
    htp_making making = {.way = HTP_MAKE_WITHOUT, .of = tensor};
    return htp_tensor_make(m, &making, made);
}

htp_outcome htp_sizes_like_first(htp_machine *m, const htp_call *call, htp_lanes *results)
{
    HTP_DO(htp_sizes_require(m, &call->inputs, 1));
    bool is_in_place = call->schema.argument_count > 0 && call->schema.arguments[0].is_written;
    *results = htp_lanes_make(m, 1);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        htp_operand first = {0};
        HTP_DO(htp_call_operand(m, call, 0, lane, HTP_MODE_SIZES, &first));
        if (first.kind != HTP_OPERAND_TENSOR) {
            return htp_machine_stop(m, HTP_FAILS, "expected Tensor");
        }
        if (!is_in_place) {
            HTP_DO(empty_like(m, first.as.tensor, &first.as.tensor));
        }
        results->lane[lane][0] = first;
    }
    return HTP_GOES_ON;
}

/* ---- masks ---- */

static bool is_mask(const htp_item *item)
{
    return htp_is_tensor(item) && (htp_tensor_in(item, 0)->type == HTP_SCALAR_BOOL ||
                                   htp_tensor_in(item, 0)->type == HTP_SCALAR_BYTE);
}

/* The first mask among indices, or NULL. */
static const htp_item *find_mask(const htp_items *indices)
{
    for (size_t i = 0; i < indices->count; i++) {
        if (is_mask(indices->items[i])) {
            return indices->items[i];
        }
    }
    return NULL;
}

/* The positions selected by a mask, along one dim. */
static htp_outcome make_column(htp_machine *m, const htp_trace_size *size, htp_item **column)
{
    *column = htp_item_make(m, HTP_ITEM_TENSOR);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *made = NULL;
        HTP_DO(htp_tensor_empty(m, HTP_SCALAR_LONG, &size->sizes[lane], 1, &made));
        (*column)->lane[lane] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = made};
    }
    return HTP_GOES_ON;
}

/* A mask becomes as many index tensors as it has dims. */
static htp_outcome replace_masks(htp_machine *m, const htp_items *given, const htp_trace_size *size,
                                 htp_items *indices)
{
    for (size_t i = 0; i < given->count; i++) {
        htp_item *one = given->items[i];
        if (!is_mask(one)) {
            htp_items_push(m, indices, one);
            continue;
        }
        for (uint32_t dim = 0; dim < htp_tensor_in(one, 0)->rank; dim++) {
            htp_item *column = NULL;
            HTP_DO(make_column(m, size, &column));
            htp_items_push(m, indices, column);
        }
    }
    return HTP_GOES_ON;
}

/* x[mask], and x[mask] = values */
htp_outcome htp_sizes_masked(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    static const char *const putting[] = {"aten::index_put", "aten::index_put_"};
    bool puts = htp_text_is_one_of(call->schema.name, putting, 2);
    *is_done = false;
    if (!puts && strcmp(call->schema.name, "aten::index") != 0) {
        return HTP_GOES_ON;
    }
    HTP_DO(htp_sizes_require(m, &call->inputs, 2));
    const htp_item *list = call->inputs.items[1];
    const htp_item *mask = list->kind == HTP_ITEM_LIST ? find_mask(&list->elements) : NULL;
    if (!mask) {
        return HTP_GOES_ON;
    }
    *is_done = true;
    if (puts) {
        return htp_sizes_like_first(m, call, results);
    }
    htp_trace_size size;
    HTP_DO(htp_sizes_count_of(m, mask, call->base_name, &size));
    htp_items indices = {0};
    HTP_DO(replace_masks(m, &list->elements, &size, &indices));
    htp_items inputs = htp_items_copy(m, &call->inputs);
    inputs.items[1] = htp_item_hold(m, HTP_ITEM_LIST, &indices);
    htp_call other = htp_call_with(call, &inputs);
    return htp_call_run_lanes(m, &other, HTP_MODE_SIZES, results);
}

/* ---- positions ---- */

static htp_items with_zero(htp_machine *m, const htp_items *inputs, size_t index)
{
    htp_items changed = htp_items_copy(m, inputs);
    changed.items[index] = htp_item_int(m, 0);
    return changed;
}

/* topk(self, k, dim, largest, sorted) */
static htp_outcome moved_topk(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    const htp_items *inputs = &call->inputs;
    const htp_runner_tensor *self = NULL;
    HTP_DO(htp_sizes_tensor_in(m, inputs->items[0], 0, &self));
    if (self->rank == 0) {
        return HTP_GOES_ON;
    }
    int64_t dim;
    HTP_DO(htp_sizes_find_dim(m, inputs, 2, &dim));
    htp_trace_size size = {0};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        HTP_DO(htp_sizes_int_in(m, inputs->items[1], lane, &size.sizes[lane]));
    }
    *is_done = true;
    htp_items none = with_zero(m, inputs, 1);
    return htp_sizes_run_with(m, call, &none, dim, &size, results);
}

/* narrow(self, dim, start, length): the length is the size for any start. */
static htp_outcome moved_narrow(htp_machine *m, htp_call *call, htp_lanes *results)
{
    enum { START = 2, LENGTH = 3 };
    const htp_items *inputs = &call->inputs;
    int64_t dim;
    HTP_DO(htp_sizes_find_dim(m, inputs, 1, &dim));
    htp_trace_size size = {0};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        HTP_DO(htp_sizes_int_in(m, inputs->items[LENGTH], lane, &size.sizes[lane]));
    }
    htp_items at_start = with_zero(m, inputs, START);
    htp_items none = with_zero(m, &at_start, LENGTH);
    return htp_sizes_run_with(m, call, &none, dim, &size, results);
}

/* select(self, dim, index) */
static htp_outcome moved_select(htp_machine *m, htp_call *call, htp_lanes *results)
{
    htp_items first = with_zero(m, &call->inputs, 2);
    htp_call other = htp_call_with(call, &first);
    HTP_DO(htp_call_run_lanes(m, &other, HTP_MODE_SIZES, results));
    memcpy(call->storages, other.storages, sizeof(call->storages));
    return HTP_GOES_ON;
}

/* Whether a narrow() has a data-dependent number, but none out of a tensor. */
static bool is_moved_narrow(const htp_call *call)
{
    const htp_items *inputs = &call->inputs;
    return strcmp(call->schema.name, "aten::narrow") == 0 && inputs->count > 3 &&
           htp_is_int(inputs->items[2]) &&
           (htp_sizes_is_data_number(inputs, 2) || htp_sizes_is_data_number(inputs, 3));
}

/* Slices with data-dependent bounds or dims, and data-dependent positions. */
htp_outcome htp_sizes_moved(htp_machine *m, htp_call *call, htp_lanes *results, bool *is_done)
{
    static const char *const scattering[] = {"aten::slice_scatter", "aten::select_scatter"};
    const char *name = call->schema.name;
    const htp_items *inputs = &call->inputs;
    *is_done = false;
    if (inputs->count > 0 && htp_is_tensor(inputs->items[0]) && strcmp(name, "aten::slice") == 0) {
        return htp_sizes_sliced(m, call, results, is_done);
    }
    if (strcmp(name, "aten::topk") == 0 && htp_sizes_is_data_number(inputs, 1)) {
        return moved_topk(m, call, results, is_done);
    }
    if (htp_text_is_one_of(name, scattering, 2) && htp_items_have_data(inputs)) {
        *is_done = true;
        return htp_sizes_like_first(m, call, results);
    }
    if (is_moved_narrow(call)) {
        *is_done = true;
        return moved_narrow(m, call, results);
    }
    if (strcmp(name, "aten::select") == 0 && htp_sizes_is_data_number(inputs, 2)) {
        *is_done = true;
        return moved_select(m, call, results);
    }
    return HTP_GOES_ON;
}
