/*
 * Contents of memories: the current value of each, and changes by blocks.
 */
#include "interpret/memory/memory.h"
#include "interpret/memory/losses.h"

#include <stdlib.h>

typedef struct memory_change {
    htp_item *first;
    htp_item *latest; /* before the block; NULL: unchanged */
    uint64_t changed;
} memory_change;

struct htp_memory_journal {
    size_t first_item; /* older memories are outer ones */
    HTP_VECTOR(memory_change) changes;
    htp_items read; /* views that the block read again */
};

static htp_item *first_value(const htp_machine *m, uint32_t first)
{
    return m->recording.items.items[first];
}

uint32_t htp_memory_of(const htp_item *tensor)
{
    const htp_item *item = tensor;
    while (item->view) {
        item = item->view->parent;
    }
    return item->origin ? item->origin->creation_id : item->creation_id;
}

bool htp_memory_is_same(const htp_item *a, const htp_item *b)
{
    return htp_is_tensor(a) && htp_is_tensor(b) && !a->view && !b->view &&
           htp_memory_of(a) == htp_memory_of(b);
}

/* ---- changes ---- */

static htp_memory_journal *innermost(const htp_machine *m)
{
    size_t count = m->memory.journals.count;
    return count ? m->memory.journals.items[count - 1] : NULL;
}

void htp_memory_note_reading(htp_machine *m, htp_item *seen)
{
    htp_memory_journal *journal = innermost(m);
    if (journal) {
        htp_items_push(m, &journal->read, seen);
    }
}

void htp_memory_change(htp_machine *m, uint32_t first, htp_item *value)
{
    htp_item *item = first_value(m, first);
    htp_memory_journal *journal = innermost(m);
    if (journal) {
        memory_change change = {item, item->latest, item->changed};
        HTP_PUSH(m->arena, &journal->changes, change);
    }
    m->memory.change_count += item->latest ? 0 : 1;
    item->latest = value;
    item->changed = m->recording.epoch;
}

htp_item *htp_memory_held(const htp_machine *m, uint32_t first)
{
    htp_item *item = first_value(m, first);
    return item->latest ? item->latest : item;
}

void htp_memory_hold(htp_machine *m, uint32_t first, htp_item *value)
{
    value->view = NULL;
    value->origin = first_value(m, first);
    value->epoch = ++m->recording.epoch;
    htp_memory_change(m, first, value);
}

static const char lost_to_sharing[] = "the tensor that it changes is read under another name, "
                                      "which shares its memory only on one side of a branch, in "
                                      "some iterations of a loop, or for some sizes";

/* The reason for a value that is a view or a copy, depending on the build of libtorch. */
#define LOST_ELSEWHERE                                                                             \
    "the tensor that it changes is read under another name, and whether that shares its memory "   \
    "depends on %s; change a copy, made with .clone()"

htp_loss htp_loss_make(const char *kind, const htp_place *place)
{
    return (htp_loss){
        .kind = kind,
        .place = *place,
        .failure = lost_to_sharing,
    };
}

htp_loss htp_loss_behind(htp_machine *m, const char *kind, const htp_place *place,
                         const htp_item *unknown)
{
    htp_loss loss = htp_loss_make(kind, place);
    const htp_recorded_node *cause = htp_recording_find_cause(m, htp_item_find_unknown(unknown));
    if (cause && cause->failure) {
        /* a memory that was lost before has a reason */
        loss.failure = cause->schema == HTP_NONE
                           ? cause->failure
                           : htp_arena_printf(m->arena, "%s %s: %s", cause->kind,
                                              htp_place_describe(m, &cause->place), cause->failure);
    }
    return loss;
}

void htp_memory_lose(htp_machine *m, uint32_t first, const htp_loss *loss)
{
    htp_item *unknown = htp_item_make(m, HTP_ITEM_UNKNOWN);
    unknown->origin = first_value(m, first);
    const htp_elsewhere *elsewhere = unknown->origin->elsewhere;
    htp_recorded_node node = {
        .kind = loss->kind,
        .schema = HTP_NONE,
        .outputs = &unknown->id,
        .output_count = 1,
        .place = loss->place,
        .failure = elsewhere && !elsewhere->is_of_several && loss->failure == lost_to_sharing
                       ? htp_arena_printf(m->arena, LOST_ELSEWHERE, elsewhere->reason)
                       : loss->failure,
        .block = m->recording.block,
    };
    (void)htp_recording_add(m, &node);
    m->recording.epoch++;
    htp_memory_change(m, first, unknown);
}

/* ---- blocks ---- */

void htp_memory_begin_block(htp_machine *m, size_t first_item)
{
    htp_memory_journal *journal = HTP_NEW(m->arena, htp_memory_journal);
    journal->first_item = first_item;
    HTP_PUSH(m->arena, &m->memory.journals, journal);
}

static int compare_firsts(const void *a, const void *b)
{
    uint32_t left = ((const htp_memory *)a)->first;
    uint32_t right = ((const htp_memory *)b)->first;
    return (left > right) - (left < right);
}

/* The contents of outer memories that a block changed. */
static htp_memories memories_of(htp_machine *m, const htp_memory_journal *journal)
{
    htp_memories all = {0};
    for (size_t i = 0; i < journal->changes.count; i++) {
        const htp_item *first = journal->changes.items[i].first;
        if (first->creation_id < journal->first_item) {
            HTP_PUSH(m->arena, &all, (htp_memory){first->creation_id, first->latest});
        }
    }
    if (all.count) {
        qsort(all.items, all.count, sizeof(*all.items), compare_firsts);
    }
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++) {
        if (count == 0 || all.items[count - 1].first != all.items[i].first) {
            all.items[count++] = all.items[i];
        }
    }
    all.count = count;
    return all;
}

bool htp_memory_is_outside(const htp_machine *m, const htp_item *tensor)
{
    const htp_memory_journal *journal = innermost(m);
    return journal && tensor->creation_id < journal->first_item;
}

htp_memories htp_memory_end_block(htp_machine *m)
{
    const htp_memory_journal *journal = innermost(m);
    htp_memories memories = memories_of(m, journal);
    m->memory.journals.count--;
    for (size_t i = journal->changes.count; i-- > 0;) {
        const memory_change *change = &journal->changes.items[i];
        m->memory.change_count -= change->latest ? 0 : 1;
        change->first->latest = change->latest;
        change->first->changed = change->changed;
    }
    for (size_t i = 0; i < journal->read.count; i++) {
        journal->read.items[i]->seen = NULL;
    }
    return memories;
}

htp_item *htp_memories_find(const htp_memories *memories, uint32_t first)
{
    size_t from = 0;
    size_t to = memories->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (memories->items[middle].first < first) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    bool is_there = from < memories->count && memories->items[from].first == first;
    return is_there ? memories->items[from].value : NULL;
}

/* ---- memories that may be the same ---- */

void htp_memory_note_sharing(htp_machine *m, htp_item *tensor, uint32_t first)
{
    uint32_t own = htp_memory_of(tensor);
    if (own != first) {
        HTP_PUSH(m->arena, &first_value(m, own)->sharers, first);
        HTP_PUSH(m->arena, &first_value(m, first)->sharers, own);
    }
}

/* Adds a memory to a group, unless it belongs to one. */
static void add_member(htp_machine *m, htp_ids *members, uint32_t first, uint32_t group)
{
    htp_item *item = first_value(m, first);
    if (item->grouped != m->memory.groupings) {
        item->grouped = m->memory.groupings;
        item->group = group;
        HTP_PUSH(m->arena, members, first);
    }
}

htp_memory_groups htp_memory_group(htp_machine *m, const htp_ids *memories)
{
    enum { SHARERS_OF_A_STEP = 8 }; /* discarded runs of loops leave theirs */
    size_t *of = HTP_NEW_ARRAY(m->arena, size_t, memories->count);
    HTP_VECTOR(htp_ids) groups = {0};
    m->memory.groupings++;
    for (size_t i = 0; i < memories->count; i++) {
        const htp_item *item = first_value(m, memories->items[i]);
        if (item->grouped != m->memory.groupings) {
            uint32_t group = (uint32_t)groups.count;
            htp_ids members = {0};
            add_member(m, &members, memories->items[i], group);
            for (size_t k = 0; k < members.count; k++) {
                const htp_ids *sharers = &first_value(m, members.items[k])->sharers;
                for (size_t n = 0; n < sharers->count; n++) {
                    add_member(m, &members, sharers->items[n], group);
                }
                m->control.steps += sharers->count / SHARERS_OF_A_STEP;
            }
            m->control.steps += members.count / SHARERS_OF_A_STEP;
            HTP_PUSH(m->arena, &groups, members);
        }
        of[i] = item->group;
    }
    return (htp_memory_groups){of, groups.items, groups.count};
}
