/*
 * Blocks of nodes that are recorded separately: sides of branches, and bodies of loops.
 */
#include "interpret/steps/control.h"

#include "interpret/control/blocks.h"
#include "interpret/memory/memory.h"
#include "interpret/objects/attributes.h"

/* The end of a block belongs to no node. */
static const htp_place nowhere = {.function = HTP_NONE, .node = HTP_NONE, .file = ""};

/* ---- while it runs ---- */

static htp_list_journal *begin(htp_machine *m, htp_block *block)
{
    *block = (htp_block){.id = (uint32_t)m->recording.blocks.count};
    HTP_PUSH(m->arena, &m->recording.blocks, (htp_recorded_block){{0}, {0}});
    htp_list_journal *journal = HTP_NEW(m->arena, htp_list_journal);
    journal->first_item = m->recording.items.count;
    journal->epoch = m->recording.epoch;
    m->recording.block = block->id;
    HTP_PUSH(m->arena, &m->recording.journals, journal);
    HTP_PUSH(m->arena, &m->state.journals, HTP_NEW(m->arena, htp_attributes));
    htp_memory_begin_block(m, journal->first_item);
    return journal;
}

/* Updates lists and attributes to the current values of their tensors at the end of a block. This
 * may change further lists. */
static htp_outcome read_anew(htp_machine *m, const htp_list_journal *journal)
{
    htp_item *now = NULL;
    for (size_t i = 0; i < journal->lists.count; i++) {
        HTP_DO(htp_memory_current(m, journal->lists.items[i].list, &nowhere, &now));
    }
    const htp_attributes *before = m->state.journals.items[m->state.journals.count - 1];
    for (size_t i = 0; i < before->all.count; i++) {
        htp_object_attribute attribute = before->all.items[i].attribute;
        bool has = false;
        htp_item *value = htp_attributes_find(&m->state.attributes, attribute, &has);
        if (!has) {
            return htp_machine_stop(m, HTP_FAILS, "an attribute that a block set has no value");
        }
        HTP_DO(htp_memory_current(m, value, &nowhere, &now));
        htp_attributes_set(m, &m->state.attributes, attribute, now);
    }
    return HTP_GOES_ON;
}

static htp_outcome run(htp_machine *m, htp_body_run *body, void *data,
                       const htp_list_journal *journal, htp_block *block)
{
    HTP_DO(body(m, data, &block->outputs));
    for (size_t i = 0; i < block->outputs.count; i++) {
        htp_item **output = &block->outputs.items[i];
        HTP_DO(htp_memory_current(m, *output, &nowhere, output));
    }
    return read_anew(m, journal);
}

/* Undoes the block's changes. */
static void end(htp_machine *m, const htp_list_journal *journal, htp_block *block)
{
    m->recording.journals.count--;
    block->memories = htp_memory_end_block(m);
    for (size_t i = 0; i < journal->lists.count; i++) {
        const htp_list_state *before = &journal->lists.items[i];
        HTP_PUSH(m->arena, &block->lists,
                 (htp_list_state){before->list, htp_contents_of(m, before->list)});
        htp_list_restore(m, before->list, &before->contents);
    }
    for (size_t i = 0; i < journal->read.count; i++) {
        const htp_list_state *before = &journal->read.items[i];
        htp_list_restore(m, before->list, &before->contents);
        htp_items_push(m, &block->stale, before->list);
    }
    block->list_places = journal->known;
    block->attributes = htp_attributes_end_block(m);
}

htp_outcome htp_block_run(htp_machine *m, htp_body_run *body, void *data, htp_block *block)
{
    uint32_t around = m->recording.block;
    const htp_list_journal *journal = begin(m, block);
    htp_outcome outcome = run(m, body, data, journal, block);
    if (outcome == HTP_RAISES) {
        block->has_raised = true;
        block->message = m->message;
        outcome = HTP_GOES_ON;
    }
    m->recording.block = around;
    end(m, journal, block);
    return outcome;
}

/* ---- when it has ended ---- */

htp_outcome htp_block_renew(htp_machine *m, const htp_items *stale, const htp_place *place)
{
    htp_item *now = NULL;
    for (size_t i = 0; i < stale->count; i++) {
        HTP_DO(htp_memory_current(m, stale->items[i], place, &now));
    }
    return HTP_GOES_ON;
}

htp_outcome htp_block_value_after(htp_machine *m, const htp_block *block, htp_item *value,
                                  htp_item **after)
{
    *after = value;
    if (!htp_is_tensor(value)) {
        return HTP_GOES_ON;
    }
    htp_item *found = htp_memories_find(&block->memories, htp_memory_of(value));
    if (!found) {
        return htp_memory_current(m, value, &nowhere, after);
    }
    if (value->view) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "a list holds a view of a tensor that is changed on one side of a "
                                "branch, or in a loop");
    }
    *after = found;
    return HTP_GOES_ON;
}

htp_outcome htp_block_contents_after(htp_machine *m, const htp_block *block, const htp_item *list,
                                     htp_contents *contents)
{
    uint32_t place = 0;
    if (htp_map_get_bytes(&block->list_places, &list->creation_id, sizeof(list->creation_id),
                          &place)) {
        const htp_contents *held = &block->lists.items[place].contents;
        *contents = (htp_contents){htp_items_copy(m, &held->elements), held->stacked};
        return HTP_GOES_ON;
    }
    *contents = htp_contents_of(m, list);
    for (size_t i = 0; i < contents->elements.count; i++) {
        htp_item **element = &contents->elements.items[i];
        HTP_DO(htp_block_value_after(m, block, *element, element));
    }
    return contents->stacked
               ? htp_block_value_after(m, block, contents->stacked, &contents->stacked)
               : HTP_GOES_ON;
}
