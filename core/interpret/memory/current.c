/*
 * Current values: tensors that were changed in place, under any name or view, are read again.
 */
#include "interpret/machine/costs.h"
#include "interpret/memory/turns.h"

static htp_outcome refresh(htp_machine *m, htp_item *item, const htp_place *place,
                           htp_item **current);

/* Prepares a list for the current value of one of its tensors. */
static htp_outcome begin_renewal(htp_machine *m, htp_item *list, const htp_item *tensor)
{
    const size_t count = m->recording.journals.count;
    const htp_list_journal *journal = count ? m->recording.journals.items[count - 1] : NULL;
    const bool is_older =
        journal && m->recording.items.items[htp_memory_of(tensor)]->changed <= journal->epoch;
    return is_older ? htp_list_begin_reading(m, list) : htp_list_begin_change(m, list);
}

static htp_outcome refresh_container(htp_machine *m, htp_item *item, const htp_place *place)
{
    for (size_t i = 0; i < item->elements.count; i++) {
        htp_item *held = item->elements.items[i];
        htp_item *element = NULL;
        HTP_DO(htp_memory_turned(m, held, place, &element));
        HTP_DO(refresh(m, element, place, &element));
        if (element != held) {
            HTP_DO(begin_renewal(m, item, held));
            item->elements.items[i] = element;
        }
    }
    htp_item *stacked = NULL;
    if (item->stacked) {
        HTP_DO(refresh(m, item->stacked, place, &stacked));
    }
    if (stacked != item->stacked) {
        HTP_DO(begin_renewal(m, item, item->stacked));
        item->stacked = stacked;
    }
    return HTP_GOES_ON;
}

/* Reads a view again, from the current value of its memory. */
static htp_outcome refresh_view(htp_machine *m, htp_item *item, const htp_place *place,
                                htp_item **current)
{
    htp_item *parent = NULL;
    HTP_DO(refresh(m, item->view->parent, place, &parent));
    htp_item *seen = parent;
    if (!htp_item_view_is_whole(m, item)) {
        HTP_DO(htp_item_view_again(m, item->view, parent, place, &seen));
    }
    htp_memory_note_reading(m, item);
    item->seen = seen;
    *current = seen;
    return HTP_GOES_ON;
}

static htp_outcome refresh(htp_machine *m, htp_item *item, const htp_place *place,
                           htp_item **current)
{
    *current = item;
    if (htp_is_container(item)) {
        return refresh_container(m, item, place);
    }
    if (!htp_is_tensor(item)) {
        return HTP_GOES_ON;
    }
    const htp_item *first = m->recording.items.items[htp_memory_of(item)];
    if (!first->latest || first->changed <= item->epoch) {
        return HTP_GOES_ON;
    }
    if (!item->view || first->latest->kind == HTP_ITEM_UNKNOWN) {
        *current = first->latest;
        return HTP_GOES_ON;
    }
    if (item->seen && item->seen->epoch >= first->changed) {
        *current = item->seen;
        return HTP_GOES_ON;
    }
    return refresh_view(m, item, place, current);
}

/* Whether a walk through a value terminates: lists are shared, and may contain each other or
 * themselves. */
static bool has_end(const htp_item *item, size_t depth, uint64_t *left)
{
    enum { MAX_DEPTH = 1000 };
    const htp_items *elements = &item->elements;
    if (elements->count > *left) {
        *left = 0;
        return false;
    }
    bool has = depth < MAX_DEPTH;
    *left -= elements->count;
    for (size_t i = 0; i < elements->count && has; i++) {
        has = !htp_is_container(elements->items[i]) || has_end(elements->items[i], depth + 1, left);
    }
    return has;
}

static htp_outcome require_end(htp_machine *m, const htp_item *item, const htp_place *place)
{
    uint64_t left = htp_limit_value(m->limits, HTP_LIMIT_ELEMENTS);
    bool is_nested = m->memory.has_nested && htp_is_container(item);
    if (!is_nested || has_end(item, 0, &left)) {
        return HTP_GOES_ON;
    }
    return left == 0 ? htp_machine_exceed(m, HTP_LIMIT_ELEMENTS, place,
                                          "a value holds too much, or itself")
                     : htp_machine_refuse(
                           m, place, "a list, tuple or dict is nested too deeply, or holds itself");
}

htp_outcome htp_memory_current(htp_machine *m, htp_item *item, const htp_place *place,
                               htp_item **current)
{
    HTP_DO(require_end(m, item, place));
    HTP_DO(htp_memory_turned(m, item, place, current));
    bool is_changed = m->memory.change_count + m->memory.turn_count > 0;
    return is_changed ? refresh(m, *current, place, current) : HTP_GOES_ON;
}
