/*
 * Merges the side effects of both sides of a branch: lists, dicts and attributes of objects.
 */
#include "interpret/steps/control.h"

#include "interpret/control/merge.h"
#include "interpret/lists/lists.h"
#include "interpret/memory/memory.h"
#include "interpret/objects/attributes.h"

/* ---- reachability at the end of a call ---- */

/* Marks everything reachable from a value at the end of a block. */
static htp_outcome reach(htp_machine *m, htp_merge *all, const htp_block *block,
                         const htp_item *item)
{
    uint32_t value = 1;
    if (!htp_map_add_bytes(m->arena, &all->reached, &item->creation_id, sizeof(item->creation_id),
                           &value)) {
        return HTP_GOES_ON;
    }
    if (item->kind == HTP_ITEM_OBJECT) {
        bool is_module = htp_instances_module(m->instances, item->object) != HTP_NONE;
        all->has_objects = all->has_objects || !is_module;
    }
    if (htp_is_container(item)) {
        htp_contents contents = {0};
        HTP_DO(htp_block_contents_after(m, block, item, &contents));
        for (size_t i = 0; i < contents.elements.count; i++) {
            HTP_DO(reach(m, all, block, contents.elements.items[i]));
        }
    }
    return HTP_GOES_ON;
}

static htp_outcome reach_all(htp_machine *m, htp_merge *all, const htp_block *block)
{
    for (size_t i = 0; i < block->outputs.count; i++) {
        HTP_DO(reach(m, all, block, block->outputs.items[i]));
    }
    for (size_t i = 0; i < block->attributes.all.count; i++) {
        HTP_DO(reach(m, all, block, block->attributes.all.items[i].value));
    }
    for (size_t i = 0; i < block->lists.count; i++) {
        const htp_item *list = block->lists.items[i].list;
        if (list->creation_id < all->first_local) {
            HTP_DO(reach(m, all, block, list));
        }
    }
    return HTP_GOES_ON;
}

htp_outcome htp_merge_reach(htp_machine *m, htp_merge *all)
{
    HTP_DO(reach_all(m, all, all->then));
    return reach_all(m, all, all->otherwise);
}

static bool is_gone(const htp_merge *all, const htp_item *list)
{
    return list->creation_id >= all->first_local && !all->has_objects &&
           !htp_map_get_bytes(&all->reached, &list->creation_id, sizeof(list->creation_id), NULL);
}

/* ---- lists and dicts ---- */

static bool has_same_length(const htp_contents *a, const htp_contents *b)
{
    return a->elements.count == b->elements.count && !a->stacked == !b->stacked &&
           (!a->stacked || a->stacked->is_sequence == b->stacked->is_sequence);
}

/* An outer list must become a stack if a loop's body changes its length. */
static htp_outcome part(htp_machine *m, htp_item *list, const htp_contents *a,
                        const htp_contents *b)
{
    bool is_of_loop = m->control.loops.count > 0 &&
                      list->creation_id < m->control.loops.items[m->control.loops.count - 1];
    if (list->kind != HTP_ITEM_LIST || !is_of_loop) {
        return htp_machine_stop(m, HTP_COMES_APART, HTP_MERGE_LENGTHS);
    }
    bool is_sequence = a->stacked && b->stacked && a->stacked->is_sequence;
    bool is_first = a->elements.count > b->elements.count || is_sequence;
    const htp_contents *longer = is_first ? a : b;
    size_t count = longer->elements.count;
    if (!longer->stacked && count > 0) {
        HTP_DO(htp_item_require_known(m, longer->elements.items[count - 1]));
    }
    htp_growth growth = {.list = list};
    HTP_DO(htp_stack_rows_of(m, longer, &growth.rows));
    m->growth = growth;
    return HTP_GROWS;
}

static htp_outcome merge_contents(htp_machine *m, htp_merge *all, htp_item *list,
                                  htp_contents *merged)
{
    htp_contents a = {0};
    htp_contents b = {0};
    HTP_DO(htp_block_contents_after(m, all->otherwise, list, &b));
    HTP_DO(htp_block_contents_after(m, all->then, list, &a));
    if (!has_same_length(&a, &b)) {
        return part(m, list, &a, &b);
    }
    for (size_t i = 0; i < a.elements.count; i++) {
        htp_item *element = NULL;
        HTP_DO(htp_merge_values(m, all, a.elements.items[i], b.elements.items[i], &element));
        htp_items_push(m, &merged->elements, element);
    }
    return a.stacked ? htp_merge_values(m, all, a.stacked, b.stacked, &merged->stacked)
                     : HTP_GOES_ON;
}

static htp_outcome merge_list(htp_machine *m, htp_merge *all, htp_item *list)
{
    if (is_gone(all, list)) {
        return HTP_GOES_ON;
    }
    htp_list_state state = {.list = list};
    HTP_DO(merge_contents(m, all, list, &state.contents));
    HTP_PUSH(m->arena, &all->lists, state);
    return HTP_GOES_ON;
}

static htp_outcome merge_lists(htp_machine *m, htp_merge *all)
{
    const htp_block *then = all->then;
    const htp_block *otherwise = all->otherwise;
    for (size_t i = 0; i < then->lists.count; i++) {
        HTP_DO(merge_list(m, all, then->lists.items[i].list));
    }
    for (size_t i = 0; i < otherwise->lists.count; i++) {
        htp_item *list = otherwise->lists.items[i].list;
        if (!htp_map_get_bytes(&then->list_places, &list->creation_id, sizeof(list->creation_id),
                               NULL)) {
            HTP_DO(merge_list(m, all, list));
        }
    }
    return HTP_GOES_ON;
}

/* ---- attributes of objects ---- */

static htp_outcome attribute_after(htp_machine *m, const htp_block *block,
                                   htp_object_attribute attribute, htp_item **after)
{
    bool has = false;
    *after = htp_attributes_find(&block->attributes, attribute, &has);
    if (has) {
        return HTP_GOES_ON;
    }
    htp_item *before = htp_attributes_find(&m->state.attributes, attribute, &has);
    return has ? htp_block_value_after(m, block, before, after)
               : htp_machine_stop(m, HTP_FAILS, "an attribute that a branch sets has no value");
}

static htp_outcome merge_attributes(htp_machine *m, htp_merge *all, const htp_attributes *changed)
{
    for (size_t i = 0; i < changed->all.count; i++) {
        htp_object_attribute attribute = changed->all.items[i].attribute;
        bool is_merged = false;
        (void)htp_attributes_find(&all->attributes, attribute, &is_merged);
        if (is_merged) {
            continue;
        }
        htp_item *a = NULL;
        htp_item *b = NULL;
        htp_item *merged = NULL;
        HTP_DO(attribute_after(m, all->otherwise, attribute, &b));
        HTP_DO(attribute_after(m, all->then, attribute, &a));
        HTP_DO(htp_merge_values(m, all, a, b, &merged));
        htp_attributes_set(m, &all->attributes, attribute, merged);
    }
    return HTP_GOES_ON;
}

/* ---- all of it ---- */

htp_outcome htp_merge_states(htp_machine *m, htp_merge *all)
{
    HTP_DO(merge_lists(m, all));
    HTP_DO(merge_attributes(m, all, &all->then->attributes));
    return merge_attributes(m, all, &all->otherwise->attributes);
}

htp_outcome htp_merge_apply(htp_machine *m, const htp_merge *all)
{
    for (size_t i = 0; i < all->memories.count; i++) {
        htp_memory_hold(m, all->memories.items[i].first, all->memories.items[i].value);
    }
    for (size_t i = 0; i + 1 < all->shared.count; i += 2) {
        uint32_t first = htp_memory_of(all->shared.items[i + 1]);
        htp_memory_note_sharing(m, all->shared.items[i], first);
    }
    for (size_t i = 0; i < all->lists.count; i++) {
        const htp_list_state *state = &all->lists.items[i];
        HTP_DO(htp_list_fill(m, state->list, &state->contents));
    }
    for (size_t i = 0; i < all->attributes.all.count; i++) {
        const htp_attribute_value *set = &all->attributes.all.items[i];
        htp_attribute_set(m, set->attribute, set->value);
    }
    for (size_t i = 0; i < all->frozen.count; i++) {
        htp_item *list = all->frozen.items[i];
        list->is_merged = list->is_merged || list->kind != HTP_ITEM_TUPLE;
    }
    return HTP_GOES_ON;
}
