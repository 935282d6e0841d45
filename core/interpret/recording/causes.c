/*
 * Why values are unknown, or differ from those before the program was saved.
 */
#include "interpret/recording/recording.h"

#include "interpret/operators/facts.h"

const htp_item *htp_item_find_unknown(const htp_item *item)
{
    if (item->kind == HTP_ITEM_UNKNOWN) {
        return item->producer == HTP_NONE ? NULL : item;
    }
    const htp_item *found = NULL;
    for (size_t i = 0; i < item->elements.count && !found; i++) {
        found = htp_item_find_unknown(item->elements.items[i]);
    }
    return found;
}

const htp_recorded_node *htp_recording_find_cause(const htp_machine *m, const htp_item *unknown)
{
    const htp_recorded_node *node = NULL;
    while (unknown) {
        node = &m->recording.nodes.items[unknown->producer];
        unknown = NULL;
        for (uint32_t i = 0; i < node->input_count && !node->failure && !unknown; i++) {
            unknown = htp_item_find_unknown(m->recording.items.items[node->inputs[i]]);
        }
    }
    return node;
}

/* ---- floats that became ints ---- */

/* torch.jit.save writes integral floats beyond 32 bits without a point; from 1e17 on it writes an
 * exponent. */
static bool may_have_been_float(const htp_item *number)
{
    const int64_t limit = INT64_C(100000000000000000);
    if (!htp_is_int(number) || !number->is_literal) {
        return false;
    }
    int64_t value = number->lane[0].as.i;
    return (value > INT32_MAX || value < INT32_MIN) && value < limit && value > -limit;
}

/* Whether a tensor of ints was filled with such a number, which decided its dtype. */
static bool is_filled_with_float(const htp_machine *m, const htp_item *tensor)
{
    if (!htp_is_tensor(tensor) || tensor->producer == HTP_NONE ||
        htp_tensor_in(tensor, 0)->type != HTP_SCALAR_LONG) {
        return false;
    }
    const htp_recorded_node *node = &m->recording.nodes.items[tensor->producer];
    bool is = false;
    for (uint32_t i = 0; i < node->input_count && !is; i++) {
        is = may_have_been_float(m->recording.items.items[node->inputs[i]]);
    }
    return is && htp_has_fact(node->kind, HTP_FACT_TYPED_BY_NUMBER);
}

bool htp_recording_has_lost_float(const htp_machine *m, const htp_items *items)
{
    bool has = false;
    for (size_t i = 0; i < items->count && !has; i++) {
        const htp_item *item = items->items[i];
        has = is_filled_with_float(m, item) ||
              (htp_is_container(item) && htp_recording_has_lost_float(m, &item->elements));
    }
    return has;
}
