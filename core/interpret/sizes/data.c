/*
 * Operators whose outputs have sizes that the data decides.
 *
 * Such a size is made up, differently in every lane. From there on it is followed as the size of a
 * dynamic axis is; what is not a sum or product of sizes gives a new one.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Whether what is in a tensor is known in every lane. */
static bool knows_contents(const htp_item *item)
{
    return htp_is_tensor(item) &&
           (htp_is_settled(item) || (htp_is_real(item) && !htp_is_data(item)));
}

/* ---- what a size is ---- */

/* Comparisons and the like. */
static bool is_compared(const htp_machine *m, const htp_recorded_node *node)
{
    size_t length = strcspn(node->kind, ".");
    return htp_has_fact(htp_arena_copy(m->arena, node->kind, length), HTP_FACT_COMPARED);
}

static void add_number(const htp_operand *number, htp_text *text)
{
    switch (number->kind) {
    case HTP_OPERAND_INT:
        htp_text_addf(text, "int %" PRId64, number->as.i);
        break;
    case HTP_OPERAND_FLOAT:
        htp_text_addf(text, "float %a", number->as.f);
        break;
    case HTP_OPERAND_BOOL:
        htp_text_add(text, number->as.b ? "true" : "false");
        break;
    default:
        htp_text_add(text, "none");
    }
}

/* What an item is computed as: equal texts are equal values. Comparisons and the like are looked
 * into, because programs write them down again where they mean the same. */
static void add_identity(const htp_machine *m, const htp_item *item, int depth, htp_text *text)
{
    enum { DEEPEST = 6 };
    const htp_recorded_node *node = htp_is_tensor(item) ? htp_sizes_producer(m, item) : NULL;
    if ((htp_is_number(item) || htp_is_none(item)) && htp_is_constant(item)) {
        add_number(&item->lane[0], text);
    } else if (htp_is_container(item) && depth < DEEPEST) {
        htp_text_add(text, "[");
        for (size_t i = 0; i < item->elements.count; i++) {
            add_identity(m, item->elements.items[i], depth + 1, text);
            htp_text_add(text, ",");
        }
        htp_text_add(text, "]");
    } else if (node && depth < DEEPEST && is_compared(m, node)) {
        htp_text_addf(text, "%s(", node->kind);
        for (uint32_t i = 0; i < node->input_count; i++) {
            add_identity(m, m->recording.items.items[node->inputs[i]], depth + 1, text);
            htp_text_add(text, ",");
        }
        htp_text_add(text, ")");
    } else {
        htp_text_addf(text, "%%%u", (unsigned)item->id);
    }
}

/* The size that is @p what of an item. */
static htp_outcome size_by_identity(htp_machine *m, const char *what, const htp_item *item,
                                    const char *name, htp_trace_size *size)
{
    htp_text text = {.arena = m->arena};
    htp_text_add(&text, what);
    add_identity(m, item, 0, &text);
    return htp_sizes_of(m, htp_text_string(&text), name, size);
}

htp_outcome htp_sizes_of(htp_machine *m, const char *what, const char *name, htp_trace_size *size)
{
    uint32_t number;
    if (htp_map_get(&m->sizes.places, what, &number)) {
        *size = m->sizes.known.items[number - 1];
        return HTP_GOES_ON;
    }
    HTP_DO(htp_recording_new_size(m, name, size));
    HTP_PUSH(m->arena, &m->sizes.known, *size);
    htp_map_set(m->arena, &m->sizes.places, what, (uint32_t)m->sizes.known.count);
    return HTP_GOES_ON;
}

/* ---- sizes that are read off tensors ---- */

static htp_outcome refuse_reading(htp_machine *m)
{
    return htp_machine_stop(m, HTP_FAILS, "Tensor.item() cannot be called on meta tensors");
}

htp_outcome htp_sizes_count_of(htp_machine *m, const htp_item *mask, const char *name,
                               htp_trace_size *size)
{
    if (!knows_contents(mask)) {
        return size_by_identity(m, "count of ", mask, name, size);
    }
    *size = (htp_trace_size){0};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        if (!htp_tensor_count(m, htp_tensor_in(mask, lane), &size->sizes[lane])) {
            return refuse_reading(m);
        }
    }
    return HTP_GOES_ON;
}

htp_outcome htp_sizes_total_of(htp_machine *m, const htp_item *item, const char *name,
                               htp_trace_size *size)
{
    const htp_runner_tensor *first = NULL;
    HTP_DO(htp_sizes_tensor_in(m, item, 0, &first));
    return first->type == HTP_SCALAR_BOOL ? htp_sizes_count_of(m, item, name, size)
                                          : size_by_identity(m, "total of ", item, name, size);
}

htp_outcome htp_sizes_number_in(htp_machine *m, const htp_item *item, const char *name,
                                htp_trace_size *size)
{
    const htp_recorded_node *node = htp_sizes_producer(m, item);
    if (node && strcmp(node->kind, "aten::sum") == 0 && node->input_count > 0 &&
        htp_is_none(m->recording.items.items[node->inputs[node->input_count - 1]])) {
        return htp_sizes_total_of(m, m->recording.items.items[node->inputs[0]], name, size);
    }
    return size_by_identity(m, "number in ", item, name, size);
}

/* ---- repeat_interleave() ---- */

static const htp_item *repeats_of(const htp_items *inputs)
{
    return inputs->items[inputs->count > 2 ? 1 : 0];
}

/* How many elements of self, or of a dim of it, are repeated. */
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

/* What repeats that are known add up to; one number is meant for each element. */
static htp_outcome total_known(htp_machine *m, const htp_items *inputs, size_t lane, int64_t *total)
{
    const htp_runner_tensor *repeats = htp_tensor_in(repeats_of(inputs), lane);
    if (!repeats->is_real && repeats->elements != 0) {
        return refuse_reading(m);
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

/* The size of the output, where it is given or the repeats are known. */
static htp_outcome find_given(htp_machine *m, const htp_items *inputs, htp_trace_size *size,
                              bool *is_found)
{
    const htp_item *given = inputs->items[inputs->count - 1];
    *is_found = !htp_is_none(given) || knows_contents(repeats_of(inputs));
    *size = (htp_trace_size){0};
    for (uint32_t lane = 0; *is_found && lane < m->lane_count; lane++) {
        HTP_DO(htp_is_none(given) ? total_known(m, inputs, lane, &size->sizes[lane])
                                  : htp_sizes_int_in(m, given, lane, &size->sizes[lane]));
    }
    return HTP_GOES_ON;
}

/* The repeats' total where each element has its own. */
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

/* The tensor whose true elements an operator counts, where the size is their number; NULL. */
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
    return htp_is_tensor(item) ? knows_contents(item) : htp_has_lanes(item) && !htp_is_data(item);
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

/* ---- other sizes for what an operator gives ---- */

/* Whether the kernel was given a memory in a lane. */
static bool is_given(const htp_call *call, size_t lane, uint64_t storage)
{
    const htp_storages *given = call->storages[lane];
    for (size_t i = 0; given && i < call->inputs.count; i++) {
        for (size_t k = 0; k < given[i].count; k++) {
            if (given[i].all[k] == storage) {
                return true;
            }
        }
    }
    return false;
}

/* An output with another size of a dim: a view stays one, and other ones lie in memory as before.
 */
static htp_outcome resize_output(htp_machine *m, const htp_runner_tensor *before, int64_t dim,
                                 int64_t size, bool is_view, const htp_runner_tensor **made)
{
    const htp_runner_tensor *after = NULL;
    HTP_DO(htp_tensor_resized(m, before, dim, size, &after));
    *made = after;
    if (is_view) {
        return HTP_GOES_ON;
    }
    uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, before->rank);
    htp_tensor_order(before, order);
    return htp_tensor_ordered(m, after, order, made);
}

htp_outcome htp_sizes_run_with(htp_machine *m, htp_call *call, const htp_items *inputs, int64_t dim,
                               const htp_trace_size *size, htp_lanes *results)
{
    htp_call other = htp_call_with(call, inputs);
    htp_lanes given = {0};
    HTP_DO(htp_call_run_lanes(m, &other, HTP_MODE_SIZES, &given));
    memcpy(call->storages, other.storages, sizeof(call->storages));
    *results = htp_lanes_make(m, given.count);
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        for (size_t i = 0; i < given.count; i++) {
            const htp_operand *output = &given.lane[lane][i];
            if (output->kind != HTP_OPERAND_TENSOR) {
                return htp_machine_stop(m, HTP_FAILS, "expected Tensor");
            }
            const htp_runner_tensor *before = output->as.tensor;
            bool is_view = is_given(call, lane, before->storage);
            htp_operand *made = &results->lane[lane][i];
            *made = *output;
            HTP_DO(resize_output(m, before, dim, size->sizes[lane], is_view, &made->as.tensor));
        }
    }
    return HTP_GOES_ON;
}
