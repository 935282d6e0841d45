/*
 * Merges the values of both sides of a branch.
 */
#include "interpret/steps/control.h"

#include "interpret/control/merge.h"
#include "interpret/lanes/devices.h"
#include "interpret/lanes/elsewhere.h"
#include "interpret/lists/lists.h"
#include "interpret/memory/memory.h"
#include "interpret/sizes/open_items.h"

#include <string.h>

static htp_outcome come_apart(htp_machine *m, const char *reason)
{
    m->message = reason;
    return HTP_COMES_APART;
}

/* ---- one of two values ---- */

/* Whether both are the same item, or equal constants. */
static bool is_same(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    if (a == b) {
        return true;
    }
    if (a->kind == HTP_ITEM_OBJECT && b->kind == HTP_ITEM_OBJECT) {
        return a->object == b->object;
    }
    if (a->kind != HTP_ITEM_PLAIN || b->kind != HTP_ITEM_PLAIN || !htp_has_lanes(a) ||
        !htp_has_lanes(b) || htp_is_data(a) || htp_is_data(b)) {
        return false;
    }
    bool is_fixed = !htp_is_number(a) || (htp_is_constant(a) && htp_is_constant(b));
    return is_fixed && htp_operand_is_equal(m->runner, &a->lane[0], &b->lane[0]);
}

/* Values of @p a, and those of @p b in lanes in which they are made up. */
static htp_item in_more_lanes(const htp_machine *m, const htp_item *a, const htp_item *b)
{
    htp_item both = *a;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        if ((a->absent >> lane & 1) != 0) {
            both.lane[lane] = b->lane[lane];
        }
    }
    both.absent = a->absent & b->absent;
    return both;
}

static htp_outcome merge_tensors(htp_machine *m, const htp_item *a, const htp_item *b,
                                 htp_item **merged)
{
    if (a->is_sequence != b->is_sequence) {
        return come_apart(m, HTP_MERGE_LENGTHS);
    }
    const htp_runner_tensor *first = htp_tensor_in(a, 0);
    const htp_runner_tensor *second = htp_tensor_in(b, 0);
    if (first->rank != second->rank || first->type != second->type) {
        return come_apart(
            m, "the sides of a branch on the data give tensors of different ranks or dtypes");
    }
    const htp_item both = in_more_lanes(m, a, b);
    HTP_DO(htp_item_like(m, &both, merged));
    htp_item_join_device(m, *merged, b);
    if (b->known == HTP_KNOWN_OPEN_SIZES) {
        (*merged)->known = HTP_KNOWN_OPEN_SIZES;
    }
    if (m->recording.items.items[htp_memory_of(b)]->may_repeat) {
        (*merged)->may_repeat = true;
    }
    for (uint32_t dim = 0; dim < first->rank; dim++) {
        if (!htp_item_has_same_size(m, a, dim, b, dim)) {
            HTP_DO(htp_item_resize(m, *merged, dim, "If"));
        }
    }
    return htp_elsewhere_stand_for(m, *merged, b,
                                   "which side of a branch is taken, since the values of its "
                                   "sides have different strides");
}

/* Merges containers; the other side may have no value. */
static htp_outcome merge_containers(htp_machine *m, htp_merge *all, htp_item *a, htp_item *b,
                                    htp_item **merged)
{
    htp_contents first = {0};
    htp_contents second = {0};
    HTP_DO(htp_list_require_whole(m, a));
    HTP_DO(htp_list_require_whole(m, b));
    HTP_DO(htp_block_contents_after(m, all->then, a, &first));
    HTP_DO(htp_block_contents_after(m, all->otherwise, b, &second));
    const htp_contents *shape = a->is_unset ? &second : &first;
    bool is_alone = a->is_unset || b->is_unset;
    if (!is_alone && (a->kind != b->kind || first.elements.count != second.elements.count ||
                      !first.stacked != !second.stacked)) {
        return come_apart(m, HTP_MERGE_LENGTHS);
    }
    htp_items elements = {0};
    for (size_t i = 0; i < shape->elements.count; i++) {
        htp_item *element = NULL;
        HTP_DO(htp_merge_values(m, all, a->is_unset ? a : first.elements.items[i],
                                b->is_unset ? b : second.elements.items[i], &element));
        htp_items_push(m, &elements, element);
    }
    htp_item *whole = htp_item_hold(m, a->is_unset ? b->kind : a->kind, &elements);
    whole->is_merged = true;
    whole->has_numbers = a->has_numbers || b->has_numbers;
    if (shape->stacked) {
        HTP_DO(htp_merge_values(m, all, a->is_unset ? a : first.stacked,
                                b->is_unset ? b : second.stacked, &whole->stacked));
    }
    htp_items_push(m, &all->frozen, a);
    htp_items_push(m, &all->frozen, b);
    *merged = whole;
    return HTP_GOES_ON;
}

/* A merged value may share the memory of either. */
static void note_sharers(htp_machine *m, htp_merge *all, htp_item *a, htp_item *b, htp_item *made)
{
    htp_item *const both[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        if (htp_has_memory(made) && htp_has_memory(both[i])) {
            htp_items_push(m, &all->shared, made);
            htp_items_push(m, &all->shared, both[i]);
        }
    }
}

/* An unknown value on one side stays unknown, and may share the memory of the other. */
static htp_item *merge_unknown(htp_machine *m, htp_merge *all, htp_item *a, htp_item *b)
{
    htp_item *made = htp_item_make(m, HTP_ITEM_UNKNOWN);
    made->producer = a->kind == HTP_ITEM_UNKNOWN ? a->producer : b->producer;
    note_sharers(m, all, a, b, made);
    return made;
}

/* A value that cannot be a node's output, if the other side has none: it stands for both. NULL: an
 * output is needed. */
static htp_item *find_one(htp_item *a, htp_item *b)
{
    htp_item *other = a->is_unset ? b : a;
    bool is_alone = a->is_unset || b->is_unset;
    return is_alone && !htp_is_tensor(other) && !htp_is_number(other) ? other : NULL;
}

/* An item for an output. */
static htp_outcome make_output(htp_machine *m, const htp_item *a, const htp_item *b,
                               htp_item **made)
{
    if (a->is_unset || b->is_unset) {
        return htp_item_like(m, a->is_unset ? b : a, made);
    }
    if (htp_is_tensor(a) && htp_is_tensor(b)) {
        return merge_tensors(m, a, b, made);
    }
    if (htp_is_number(a) && htp_is_number(b) && a->lane[0].kind == b->lane[0].kind) {
        return htp_item_like(m, a, made);
    }
    return come_apart(m, "the sides of a branch on the data give values of different kinds");
}

static void note_output(htp_machine *m, htp_merge *all, htp_item *a, htp_item *b, htp_item *output)
{
    note_sharers(m, all, a, b, output);
    a->is_used = true;
    b->is_used = true;
    HTP_PUSH(m->arena, &all->then_ids, a->is_unset ? HTP_NONE : a->id);
    HTP_PUSH(m->arena, &all->else_ids, b->is_unset ? HTP_NONE : b->id);
    htp_items_push(m, &all->outputs, output);
}

/* Merges two different values. */
static htp_outcome merge_apart(htp_machine *m, htp_merge *all, htp_item *a, htp_item *b,
                               htp_item **merged)
{
    if ((a->is_unset || htp_is_container(a)) && (b->is_unset || htp_is_container(b))) {
        return merge_containers(m, all, a, b, merged);
    }
    if (a->kind == HTP_ITEM_UNKNOWN || b->kind == HTP_ITEM_UNKNOWN) {
        *merged = merge_unknown(m, all, a, b);
        return HTP_GOES_ON;
    }
    *merged = find_one(a, b);
    if (!*merged) {
        HTP_DO(make_output(m, a, b, merged));
        note_output(m, all, a, b, *merged);
    }
    return HTP_GOES_ON;
}

htp_outcome htp_merge_values(htp_machine *m, htp_merge *all, htp_item *a, htp_item *b,
                             htp_item **merged)
{
    if (is_same(m, a, b)) {
        *merged = a;
        return HTP_GOES_ON;
    }
    if (htp_memory_is_same(a, b)) {
        uint32_t first = htp_memory_of(a);
        htp_item *found = htp_memories_find(&all->memories, first);
        *merged = found ? found : htp_memory_held(m, first);
        return HTP_GOES_ON;
    }
    return merge_apart(m, all, a, b, merged);
}

/* ---- memories ---- */

/* The contents of a memory at the end of a block. */
static htp_item *held_after(const htp_machine *m, const htp_block *block, uint32_t first)
{
    htp_item *found = htp_memories_find(&block->memories, first);
    return found ? found : htp_memory_held(m, first);
}

htp_outcome htp_merge_memories(htp_machine *m, htp_merge *all)
{
    const htp_memories *a = &all->then->memories;
    const htp_memories *b = &all->otherwise->memories;
    for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
        bool is_of_a = k == b->count || (i < a->count && a->items[i].first <= b->items[k].first);
        bool is_of_b = i == a->count || (k < b->count && b->items[k].first <= a->items[i].first);
        uint32_t first = is_of_a ? a->items[i].first : b->items[k].first;
        htp_item *then = held_after(m, all->then, first);
        htp_item *otherwise = held_after(m, all->otherwise, first);
        htp_item *value = then;
        if (then != otherwise) {
            HTP_DO(merge_apart(m, all, then, otherwise, &value));
        }
        HTP_PUSH(m->arena, &all->memories, (htp_memory){first, value});
        i += is_of_a;
        k += is_of_b;
    }
    return HTP_GOES_ON;
}
