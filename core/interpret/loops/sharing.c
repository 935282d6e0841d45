/*
 * Shared memory of carried values, and of values appended to lists.
 */
#include "interpret/loops/loops.h"

#include <string.h>

/* ---- ascending numbers ---- */

/* The position of the first id that is not below @p id. */
static size_t find_place(const htp_ids *ids, uint32_t id)
{
    size_t begin = 0;
    size_t end = ids->count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (ids->items[middle] < id) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

bool htp_ids_have(const htp_ids *ids, uint32_t id)
{
    size_t at = find_place(ids, id);
    return at < ids->count && ids->items[at] == id;
}

bool htp_ids_insert(htp_machine *m, htp_ids *ids, uint32_t id)
{
    size_t at = find_place(ids, id);
    if (at < ids->count && ids->items[at] == id) {
        return false;
    }
    HTP_RESERVE(m->arena, ids);
    memmove(&ids->items[at + 1], &ids->items[at], (ids->count - at) * sizeof(uint32_t));
    ids->items[at] = id;
    ids->count++;
    return true;
}

/* ---- slots ---- */

htp_slot *htp_loop_slot(htp_machine *m, htp_loop *loop, uint32_t slot)
{
    bool is_leaf = slot < HTP_ADDITIONS;
    htp_slots *slots = is_leaf ? &loop->leaf_slots : &loop->addition_slots;
    size_t at = is_leaf ? slot : slot - HTP_ADDITIONS;
    while (slots->count <= at) {
        HTP_PUSH(m->arena, slots, (htp_slot){0});
    }
    return &slots->items[at];
}

static htp_item *placeholder_of(htp_machine *m, htp_loop *loop, uint32_t slot, bool is_end)
{
    const htp_slot *known = htp_loop_slot(m, loop, slot);
    return is_end ? known->ended : known->begun;
}

/* A leaf may share its initial value's memory; any slot may share outer memory that an iteration
 * returns, or that of another slot. */
void htp_loop_note_sharers(htp_machine *m, htp_loop *loop, uint32_t slot, htp_item *made,
                           bool is_end)
{
    if (!htp_has_memory(made)) {
        return;
    }
    if (slot < HTP_ADDITIONS && htp_is_tensor(loop->run.leaves.items[slot])) {
        htp_memory_note_sharing(m, made, htp_memory_of(loop->run.leaves.items[slot]));
    }
    htp_slot *own = htp_loop_slot(m, loop, slot);
    if (own->repeats) {
        htp_list_note_repeats(m, made);
    }
    if (is_end) {
        own->ended = made;
    } else {
        own->begun = made;
    }
    const htp_slot known = *own; /* a copy: later look-ups may move it */
    for (size_t i = 0; i < known.aliases.count; i++) {
        htp_memory_note_sharing(m, made, known.aliases.items[i]);
    }
    for (size_t i = 0; i < known.twins.count; i++) {
        const htp_item *other = placeholder_of(m, loop, known.twins.items[i], is_end);
        if (other) {
            htp_memory_note_sharing(m, made, htp_memory_of(other));
        }
    }
}

/* The result of an iteration for some slots. */
typedef struct given {
    htp_ids memories;
    htp_ids slots;
} given;

static void add_given(htp_machine *m, given *all, const htp_items *results, uint32_t first_slot)
{
    for (size_t i = 0; i < results->count; i++) {
        const htp_item *result = results->items[i];
        if (result && htp_has_memory(result)) {
            HTP_PUSH(m->arena, &all->memories, htp_memory_of(result));
            HTP_PUSH(m->arena, &all->slots, first_slot + (uint32_t)i);
        }
    }
}

static bool add_twins(htp_machine *m, htp_loop *loop, uint32_t slot, uint32_t twin)
{
    bool is_new = htp_ids_insert(m, &htp_loop_slot(m, loop, twin)->twins, slot);
    htp_ids_insert(m, &htp_loop_slot(m, loop, slot)->twins, twin);
    return is_new;
}

static bool add_aliases(htp_machine *m, htp_loop *loop, uint32_t slot, const htp_ids *memories)
{
    bool is_new = false;
    htp_ids *aliases = &htp_loop_slot(m, loop, slot)->aliases;
    for (size_t i = 0; i < memories->count; i++) {
        uint32_t first = memories->items[i];
        is_new = (first < loop->first_item && htp_ids_insert(m, aliases, first)) || is_new;
    }
    return is_new;
}

static void find_repeats(htp_machine *m, htp_loop *loop)
{
    for (size_t i = 0; i < loop->run.results.count; i++) {
        const htp_item *result = loop->run.results.items[i];
        htp_slot *slot = htp_loop_slot(m, loop, (uint32_t)i);
        if (!slot->repeats && htp_list_may_repeat(m, result) &&
            !htp_list_may_repeat(m, loop->run.inputs.items[i])) {
            slot->repeats = true;
            loop->run.is_stable = false;
        }
    }
}

void htp_loop_find_sharers(htp_machine *m, htp_loop *loop)
{
    find_repeats(m, loop);
    given all = {0};
    add_given(m, &all, &loop->run.results, 0);
    add_given(m, &all, &loop->run.additions, HTP_ADDITIONS);
    htp_memory_groups groups = htp_memory_group(m, &all.memories);
    size_t *last = HTP_NEW_ARRAY(m->arena, size_t, groups.count); /* by group: 1 + a place */
    for (size_t i = 0; i < all.slots.count; i++) {
        uint32_t slot = all.slots.items[i];
        size_t group = groups.of[i];
        bool is_new = last[group] != 0 ? add_twins(m, loop, slot, all.slots.items[last[group] - 1])
                                       : add_aliases(m, loop, slot, &groups.members[group]);
        last[group] = i + 1;
        loop->run.is_stable = loop->run.is_stable && !is_new;
    }
}

htp_outcome htp_loop_check_earlier(htp_machine *m, htp_loop *loop)
{
    for (size_t i = 0; i < loop->lists.count; i++) {
        const htp_item *earlier = placeholder_of(m, loop, HTP_ADDITIONS + (uint32_t)i, false);
        if (!earlier) {
            return htp_machine_stop(m, HTP_FAILS,
                                    "a loop appends something that is no tensor to "
                                    "a list");
        }
        HTP_DO(htp_list_require_told(m, htp_memory_held(m, htp_memory_of(earlier)), &loop->place));
        htp_item *list;
        HTP_DO(htp_memory_current(m, loop->lists.items[i], &loop->place, &list));
    }
    return HTP_GOES_ON;
}
