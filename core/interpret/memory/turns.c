/*
 * Tensors after in-place changes of their dims, and which tensors may be identical.
 */
#include "interpret/memory/turns.h"

/* The limit per memory: every later read is compared with each. */
enum { MAX_TURNS = 8 };

/* Whether two tensors have equal geometry in some lane: then they may be the same. */
static bool may_be_same(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    bool may_be = false;
    for (uint32_t lane = 0; lane < m->lane_count && !may_be; lane++) {
        may_be = htp_tensor_has_same_layout(htp_tensor_in(a, lane), htp_tensor_in(b, lane));
    }
    return may_be;
}

htp_outcome htp_memory_turn(htp_machine *m, const htp_call *call, htp_item *view)
{
    htp_item *tensor = call->inputs.items[0];
    uint32_t memory = htp_memory_of(tensor);
    const htp_ids asked = {.items = &memory, .count = 1};
    htp_item *first = m->recording.items.items[memory];
    const char *conflict = htp_memory_is_outside(m, tensor)
                               ? "that was made outside of the branch or loop"
                           : htp_memory_group(m, &asked).members[0].count > 1
                               ? "that may be another one, in some runs of the model"
                           : first->turned.count == MAX_TURNS ? "as of many others of its memory"
                                                              : NULL;
    if (conflict) {
        return htp_machine_refuse(m, call->place,
                                  "%s changes the sizes or strides of a tensor in place %s",
                                  call->schema.kind, conflict);
    }
    tensor->turns_into = view;
    htp_items_push(m, &first->turned, tensor);
    m->memory.turn_count++;
    return HTP_GOES_ON;
}

htp_outcome htp_memory_turned(htp_machine *m, htp_item *item, const htp_place *place,
                              htp_item **now)
{
    *now = item;
    if (m->memory.turn_count == 0 || !htp_is_tensor(item)) {
        return HTP_GOES_ON;
    }
    const htp_items *turned = &m->recording.items.items[htp_memory_of(item)]->turned;
    for (size_t i = 0; i < turned->count && !item->turns_into; i++) {
        const htp_item *other = turned->items[i];
        if (item->creation_id < other->turns_into->creation_id && may_be_same(m, item, other)) {
            return htp_machine_refuse(
                m, place,
                "a tensor is read that may alias one whose sizes or strides were changed in "
                "place");
        }
    }
    while ((*now)->turns_into) {
        *now = (*now)->turns_into;
    }
    return HTP_GOES_ON;
}
