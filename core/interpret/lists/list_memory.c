/*
 * Memory shared by lists of data-dependent length.
 */
#include "interpret/lists/lists.h"

#include "interpret/memory/memory.h"

#include <string.h>

void htp_list_note_repeats(htp_machine *m, const htp_item *stack)
{
    if (htp_is_tensor(stack)) {
        m->recording.items.items[htp_memory_of(stack)]->may_repeat = true;
    }
}

bool htp_list_may_repeat(const htp_machine *m, const htp_item *stack)
{
    return htp_is_tensor(stack) && m->recording.items.items[htp_memory_of(stack)]->may_repeat;
}

/* Whether a list assembled from some parts may contain a tensor twice. */
static bool may_repeat(htp_machine *m, const htp_items *parts)
{
    bool repeats = false;
    htp_ids memories = {0};
    for (size_t i = 0; i < parts->count; i++) {
        if (htp_is_tensor(parts->items[i])) {
            uint32_t first = htp_memory_of(parts->items[i]);
            repeats = repeats || m->recording.items.items[first]->may_repeat;
            HTP_PUSH(m->arena, &memories, first);
        }
    }
    return repeats || htp_memory_group(m, &memories).count < memories.count;
}

void htp_list_share_memory(htp_machine *m, htp_item *stack, const htp_items *parts)
{
    if (may_repeat(m, parts)) {
        htp_list_note_repeats(m, stack);
    }
    for (size_t i = 0; i < parts->count; i++) {
        if (htp_is_tensor(stack) && htp_is_tensor(parts->items[i])) {
            htp_memory_note_sharing(m, stack, htp_memory_of(parts->items[i]));
        }
    }
}

static bool is_one_number(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    return a == b || (htp_is_int(a) && htp_is_int(b) && htp_is_decided(a) && htp_is_decided(b) &&
                      htp_operand_is_equal(m->runner, &a->lane[0], &b->lane[0]));
}

static bool is_zero(const htp_item *item)
{
    return htp_is_int(item) && htp_is_decided(item) && item->lane[0].as.i == 0;
}

bool htp_list_is_row(const htp_machine *m, const htp_item *element, const htp_item *stack,
                     const htp_item *index)
{
    const htp_item_view *view = htp_is_tensor(element) ? element->view : NULL;
    return view && htp_is_tensor(stack) && strcmp(view->name, "aten::select") == 0 &&
           view->inputs.count == 3 && is_zero(view->inputs.items[1]) &&
           is_one_number(m, view->inputs.items[2], index) && !view->parent->view && !stack->view &&
           htp_memory_of(view->parent) == htp_memory_of(stack);
}

static void remove_id(htp_ids *ids, uint32_t id)
{
    size_t kept = 0;
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->items[i] != id) {
            ids->items[kept++] = ids->items[i];
        }
    }
    ids->count = kept;
}

htp_outcome htp_list_separate(htp_machine *m, htp_item *copy)
{
    if (!htp_is_tensor(copy)) {
        return HTP_GOES_ON;
    }
    for (size_t i = 0; i < copy->sharers.count; i++) {
        remove_id(&m->recording.items.items[copy->sharers.items[i]]->sharers, copy->creation_id);
    }
    copy->sharers.count = 0;
    copy->view = NULL;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *held = htp_tensor_in(copy, lane);
        const htp_making making = {.way = held->is_real ? HTP_MAKE_COPY : HTP_MAKE_EMPTY,
                                   .type = held->type,
                                   .rank = held->rank,
                                   .dims = held->dims,
                                   .of = held};
        const htp_runner_tensor *made = NULL;
        HTP_DO(htp_tensor_make(m, &making, &made));
        copy->lane[lane].as.tensor = made;
    }
    return HTP_GOES_ON;
}

htp_outcome htp_list_require_told(htp_machine *m, const htp_item *held, const htp_place *place)
{
    if (held->kind != HTP_ITEM_UNKNOWN) {
        return HTP_GOES_ON;
    }
    const htp_recorded_node *maker = htp_recording_find_cause(m, htp_item_find_unknown(held));
    if (maker && maker->input_count > 0 && maker->failure && maker->failure[0]) {
        return htp_machine_refuse(m, &maker->place, "%s: %s", maker->kind, maker->failure);
    }
    return htp_machine_refuse(m, place, HTP_LIST_CHANGED);
}

htp_outcome htp_list_require_unchanged(htp_machine *m, const htp_item *list, const htp_place *place)
{
    return list->stacked ? htp_list_require_told(m, list->stacked, place) : HTP_GOES_ON;
}

htp_outcome htp_list_require_whole(htp_machine *m, htp_item *value)
{
    if (value->is_growing) {
        m->growth = (htp_growth){.list = value};
        return HTP_GROWS;
    }
    for (size_t i = 0; htp_is_container(value) && i < value->elements.count; i++) {
        HTP_DO(htp_list_require_whole(m, value->elements.items[i]));
    }
    return HTP_GOES_ON;
}
