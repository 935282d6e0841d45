/*
 * Data-dependent sizes, and tensors that have them.
 *
 * Such a size gets a made-up value in each lane. It is then tracked like the size of a dynamic
 * axis; a result that is no sum or product of sizes becomes a new one.
 */
#include "interpret/sizes/sizes.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

bool htp_sizes_know_contents(const htp_item *item)
{
    return htp_is_tensor(item) &&
           (htp_is_settled(item) || (htp_is_real(item) && !htp_is_data(item)));
}

/* ---- the identity of a size ---- */

/* Whether a node is a comparison or the like. */
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

/* The computation of an item as text: equal texts mean equal values. Comparisons are expanded,
 * since programs repeat them. */
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

/* The size identified by @p what and an item. */
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

/* ---- sizes that are read from tensors ---- */

htp_outcome htp_sizes_refuse_reading(htp_machine *m)
{
    return htp_machine_stop(m, HTP_FAILS, "Tensor.item() cannot be called on meta tensors");
}

htp_outcome htp_sizes_count_of(htp_machine *m, const htp_item *mask, const char *name,
                               htp_trace_size *size)
{
    if (!htp_sizes_know_contents(mask)) {
        return size_by_identity(m, "count of ", mask, name, size);
    }
    *size = (htp_trace_size){0};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        if (!htp_tensor_count(m, htp_tensor_in(mask, lane), &size->sizes[lane])) {
            return htp_sizes_refuse_reading(m);
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

/* ---- outputs with other sizes ---- */

/* Whether the kernel got a memory in a lane. */
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

/* An output with another size of a dim: a view stays a view, and the order of dims in memory stays.
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

htp_outcome htp_sizes_with(htp_machine *m, const htp_item *tensor, int64_t dim,
                           const htp_trace_size *size, htp_item **made)
{
    *made = htp_item_make(m, HTP_ITEM_TENSOR);
    (*made)->device = tensor->device;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *before = htp_tensor_in(tensor, lane);
        int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, before->rank);
        for (uint32_t i = 0; i < before->rank; i++) {
            dims[i] = i == dim ? size->sizes[lane] : before->dims[i];
        }
        const htp_runner_tensor *after = NULL;
        HTP_DO(htp_tensor_empty(m, before->type, dims, before->rank, &after));
        (*made)->lane[lane] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = after};
    }
    (*made)->known = htp_is_data(tensor) ? HTP_KNOWN_OPEN_SIZES : HTP_KNOWN_OPEN;
    return HTP_GOES_ON;
}
