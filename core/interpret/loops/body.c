/*
 * One run of a loop's body: its inputs and results.
 */
#include "interpret/lanes/elsewhere.h"
#include "interpret/loops/loops.h"
#include "interpret/sizes/open_items.h"

htp_loop *htp_loop_make(htp_machine *m, const htp_step *step, const htp_items *state, int64_t done)
{
    htp_loop *loop = HTP_NEW(m->arena, htp_loop);
    loop->step = step;
    loop->body = step->frame->code->function.blocks[step->node->blocks[0]];
    loop->place = step->place;
    loop->done = done;
    loop->first_size = m->recording.data_sizes.count;
    loop->first_item = m->recording.items.count;
    for (size_t k = 1; k < state->count; k++) {
        HTP_PUSH(m->arena, &loop->carried, (htp_carried){.initial = state->items[k]});
    }
    return loop;
}

/* Whether a list or dict is the same object in all iterations. */
static bool is_carried_as_itself(const htp_carried *carried)
{
    htp_item_kind kind = carried->initial->kind;
    return (kind == HTP_ITEM_LIST || kind == HTP_ITEM_DICT) && !carried->is_moved;
}

/* The value of an attribute. */
static htp_outcome held_by(htp_machine *m, const htp_loop *loop, const htp_held *held,
                           htp_item **value)
{
    bool has;
    *value = htp_attributes_find(&m->state.attributes, held->attribute, &has);
    if (!has) {
        return htp_machine_stop(m, HTP_FAILS, "a loop changes an attribute without a value");
    }
    return htp_memory_current(m, *value, &loop->place, value);
}

htp_outcome htp_loop_put(htp_machine *m, const htp_held *held, htp_item *value)
{
    htp_contents contents = {0};
    switch (held->kind) {
    case HTP_HELD_ELEMENTS:
        contents.elements = value->elements;
        return htp_list_fill(m, held->list, &contents);
    case HTP_HELD_STACK:
        contents.stacked = value;
        HTP_DO(htp_list_fill(m, held->list, &contents));
        held->list->has_numbers = held->list->has_numbers || held->rows->has_numbers;
        return HTP_GOES_ON;
    case HTP_HELD_ATTRIBUTE:
        htp_attribute_set(m, held->attribute, value);
        break;
    }
    return HTP_GOES_ON;
}

/* ---- before it ---- */

/* A container with the elements of a list or dict. */
static htp_item *what_it_holds(htp_machine *m, const htp_item *list)
{
    htp_item_kind kind = list->kind == HTP_ITEM_DICT ? HTP_ITEM_DICT : HTP_ITEM_TUPLE;
    return htp_item_hold(m, kind, &list->elements);
}

/* @param known  items of known sizes */
static htp_outcome begin_held(htp_machine *m, htp_loop *loop, htp_held *held,
                              const htp_items *known)
{
    if (held->kind == HTP_HELD_ATTRIBUTE) {
        HTP_DO(held_by(m, loop, held, &held->initial));
        return htp_list_require_whole(m, held->initial);
    }
    htp_item *list;
    HTP_DO(htp_memory_current(m, held->list, &loop->place, &list));
    if (held->kind == HTP_HELD_STACK) {
        return htp_stack_begin(m, held->list, &held->rows, known, &loop->place, &held->initial);
    }
    held->initial = what_it_holds(m, held->list);
    return HTP_GOES_ON;
}

/* Adds carried values besides the program's own, and lists of these that become stacks. */
static htp_outcome begin_all_held(htp_machine *m, htp_loop *loop)
{
    htp_items known = htp_items_copy(m, &m->control.arguments);
    for (size_t k = 0; k < loop->carried.count; k++) {
        htp_items_push(m, &known, loop->carried.items[k].initial);
    }
    for (size_t i = 0; i < loop->held.count; i++) {
        HTP_DO(begin_held(m, loop, &loop->held.items[i], &known));
    }
    for (size_t k = 0; k < loop->carried.count; k++) {
        htp_carried *carried = &loop->carried.items[k];
        if (!is_carried_as_itself(carried)) {
            HTP_DO(htp_list_require_whole(m, carried->initial));
        }
        if (carried->grown) {
            htp_item *stack;
            HTP_DO(htp_stack_begin(m, carried->initial, &carried->grown, &known, &loop->place,
                                   &stack));
            carried->grown_initial = htp_list_grown(m, stack, carried->grown->has_numbers);
        }
    }
    return HTP_GOES_ON;
}

htp_outcome htp_loop_resize(htp_machine *m, htp_loop *loop, uint32_t leaf, htp_item *item)
{
    static const char often[] = "how often a loop runs, since its values have different strides";
    const htp_slot *slot = htp_loop_slot(m, loop, leaf);
    uint64_t moving = slot->moving;
    item->device = slot->is_apart ? HTP_DEVICE_UNDECIDED : item->device;
    for (int64_t dim = 0; moving != 0; dim++, moving >>= 1) {
        if (moving & 1) {
            HTP_DO(htp_item_resize(m, item, dim, "Loop"));
        }
    }
    if (slot->lies_anyhow) {
        return htp_elsewhere_lie_anyhow(m, item, often);
    }
    return slot->lies ? htp_elsewhere_stand_for(m, item, slot->lies, often) : HTP_GOES_ON;
}

static htp_outcome carry_leaf(htp_machine *m, htp_loop *loop, htp_item *initial, htp_item **made)
{
    uint32_t leaf = (uint32_t)loop->run.leaves.count;
    htp_items_push(m, &loop->run.leaves, initial);
    htp_item *model = initial->is_unset ? htp_loop_slot(m, loop, leaf)->unset : initial;
    if (!model) {
        htp_items_push(m, &loop->run.inputs, initial);
        *made = initial;
        return HTP_GOES_ON;
    }
    HTP_DO(htp_item_like(m, model, made));
    HTP_DO(htp_loop_resize(m, loop, leaf, *made));
    htp_items_push(m, &loop->run.inputs, *made);
    htp_loop_note_sharers(m, loop, leaf, *made, false);
    return HTP_GOES_ON;
}

/* A placeholder for a carried value in an iteration. */
static htp_outcome carry(htp_machine *m, htp_loop *loop, htp_item *initial, htp_item **made)
{
    if (!htp_is_container(initial)) {
        if (htp_is_tensor(initial) || htp_is_number(initial) || initial->is_unset) {
            return carry_leaf(m, loop, initial, made);
        }
        *made = initial;
        return HTP_GOES_ON;
    }
    htp_items elements = {0};
    for (size_t i = 0; i < initial->elements.count; i++) {
        htp_item *element = initial->elements.items[i];
        bool is_key = initial->kind == HTP_ITEM_DICT && i % 2 == 0;
        if (!is_key) {
            HTP_DO(carry(m, loop, element, &element));
        }
        htp_items_push(m, &elements, element);
    }
    htp_item *whole = htp_item_hold(m, initial->kind, &elements);
    if (initial->stacked) {
        HTP_DO(carry(m, loop, initial->stacked, &whole->stacked));
    }
    whole->has_numbers = initial->has_numbers;
    whole->is_merged = true;
    *made = whole;
    return HTP_GOES_ON;
}

/* The iteration number, for the body. */
static htp_outcome begin_number(htp_machine *m, htp_loop *loop, htp_item **number)
{
    HTP_DO(htp_item_like(m, htp_item_int(m, 0), &loop->run.iteration));
    *number = loop->run.iteration;
    if (loop->done == 0) {
        return HTP_GOES_ON;
    }
    htp_items operands = HTP_ITEMS(m, *number, htp_item_int(m, loop->done));
    return htp_execute(m, "aten::add", "int", &operands, &loop->place, number);
}

static htp_outcome begin_carried(htp_machine *m, htp_loop *loop, const htp_carried *carried,
                                 htp_item **value)
{
    htp_item *initial = carried->grown_initial ? carried->grown_initial : carried->initial;
    bool is_kept = carried->is_same || is_carried_as_itself(carried);
    if (is_kept && !carried->grown_initial) {
        *value = initial;
        return HTP_GOES_ON;
    }
    return carry(m, loop, initial, value);
}

static htp_outcome begin_memories(htp_machine *m, htp_loop *loop)
{
    for (size_t i = 0; i < loop->lost.count; i++) {
        htp_memory_lose(m, loop->lost.items[i].first, &loop->lost.items[i].loss);
    }
    for (size_t i = 0; i < loop->memories.count; i++) {
        uint32_t first = loop->memories.items[i];
        htp_item *value;
        HTP_DO(htp_item_like(m, htp_memory_held(m, first), &value));
        htp_items_push(m, &loop->run.memory_inputs, value);
        htp_memory_hold(m, first, value);
    }
    return HTP_GOES_ON;
}

static htp_outcome begin_body(htp_machine *m, htp_loop *loop)
{
    htp_item **values = loop->step->frame->values;
    HTP_DO(begin_number(m, loop, &values[loop->body.inputs[0]]));
    for (size_t k = 0; k < loop->carried.count; k++) {
        htp_item *value;
        HTP_DO(begin_carried(m, loop, &loop->carried.items[k], &value));
        htp_items_push(m, &loop->run.carried, value);
        values[loop->body.inputs[k + 1]] = value;
    }
    for (size_t i = 0; i < loop->held.count; i++) {
        htp_item *value;
        HTP_DO(carry(m, loop, loop->held.items[i].initial, &value));
        htp_items_push(m, &loop->run.held, value);
        HTP_DO(htp_loop_put(m, &loop->held.items[i], value));
    }
    for (size_t i = 0; i < loop->lists.count; i++) {
        htp_item *earlier;
        HTP_DO(htp_item_like(m, loop->rows.items[i], &earlier));
        htp_loop_note_sharers(m, loop, HTP_ADDITIONS + (uint32_t)i, earlier, false);
    }
    return begin_memories(m, loop);
}

/* ---- after it ---- */

/* The current contents of lists and dicts: the body's changes to older ones are undone when it
 * ends. */
static htp_item *snapshot(htp_machine *m, htp_item *value)
{
    if (!htp_is_container(value)) {
        return value;
    }
    htp_items elements = {0};
    for (size_t i = 0; i < value->elements.count; i++) {
        htp_items_push(m, &elements, snapshot(m, value->elements.items[i]));
    }
    htp_item *made = htp_item_hold(m, value->kind, &elements);
    made->stacked = value->stacked;
    made->has_numbers = value->has_numbers;
    return made;
}

/* @p rows may become a sequence, which is carried in another way. */
static htp_outcome end_stack(htp_machine *m, htp_loop *loop, htp_item *list, htp_item **rows,
                             const htp_items *known, htp_item **stack)
{
    bool was_sequence = (*rows)->is_sequence;
    HTP_DO(htp_stack_begin(m, list, rows, known, &loop->place, stack));
    if ((*rows)->is_sequence && !was_sequence) {
        htp_loop_restart(loop);
    }
    return HTP_GOES_ON;
}

static htp_outcome end_held(htp_machine *m, htp_loop *loop, htp_held *held, htp_item *input,
                            htp_item **result)
{
    if (held->kind == HTP_HELD_ATTRIBUTE) {
        HTP_DO(held_by(m, loop, held, result));
        return htp_list_require_whole(m, *result);
    }
    htp_item *list;
    HTP_DO(htp_memory_current(m, held->list, &loop->place, &list));
    if (held->kind == HTP_HELD_ELEMENTS) {
        *result = what_it_holds(m, list);
        return HTP_GOES_ON;
    }
    htp_items known = HTP_ITEMS(m, input);
    return end_stack(m, loop, list, &held->rows, &known, result);
}

/* Collects the results of the body before its block ends. @param results  its outputs */
static htp_outcome end_body(htp_machine *m, htp_loop *loop, htp_items *results)
{
    HTP_DO(htp_loop_check_earlier(m, loop));
    for (size_t k = 0; k < loop->carried.count; k++) {
        htp_carried *carried = &loop->carried.items[k];
        htp_item **result = &results->items[k + 1];
        if (!is_carried_as_itself(carried)) {
            HTP_DO(htp_list_require_whole(m, *result));
        }
        if (carried->grown && (*result)->kind == HTP_ITEM_LIST) {
            bool has_numbers = carried->grown->has_numbers;
            const htp_items none = {0};
            htp_item *stack;
            HTP_DO(end_stack(m, loop, *result, &carried->grown, &none, &stack));
            *result = htp_list_grown(m, stack, has_numbers);
        }
    }
    for (size_t k = 0; k < loop->carried.count; k++) {
        const htp_carried *carried = &loop->carried.items[k];
        if (!is_carried_as_itself(carried)) {
            results->items[k + 1] = snapshot(m, results->items[k + 1]);
        }
    }
    for (size_t i = 0; i < loop->held.count; i++) {
        htp_item *result;
        HTP_DO(end_held(m, loop, &loop->held.items[i], loop->run.held.items[i], &result));
        htp_items_push(m, &loop->run.held_results, result);
    }
    return HTP_GOES_ON;
}

/* ---- the run ---- */

static htp_outcome run_iteration(htp_machine *m, void *data, htp_items *outputs)
{
    htp_loop *loop = data;
    HTP_DO(begin_body(m, loop));
    HTP_DO(htp_control_run_block(m, loop->step->frame, loop->step->node->blocks[0], &loop->place,
                                 outputs));
    return end_body(m, loop, outputs);
}

static void forget_run(htp_loop *loop)
{
    loop->run = (htp_loop_run){.is_stable = true};
    htp_slots *const all[] = {&loop->leaf_slots, &loop->addition_slots};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (size_t k = 0; k < all[i]->count; k++) {
            all[i]->items[k].begun = NULL;
            all[i]->items[k].ended = NULL;
        }
    }
}

static void set_growing(const htp_loop *loop, bool is_growing)
{
    for (size_t i = 0; i < loop->lists.count; i++) {
        loop->lists.items[i]->is_growing = is_growing;
    }
}

/* The run itself. Only the loop may touch the lists to which it appends. */
static htp_outcome run_block(htp_machine *m, htp_loop *loop, htp_block *block)
{
    set_growing(loop, true);
    HTP_PUSH(m->arena, &m->control.loops, m->recording.items.count);
    htp_outcome outcome = htp_block_run(m, run_iteration, loop, block);
    m->control.loops.count--;
    set_growing(loop, false);
    loop->stale = block->stale;
    if (block->stale.count != 0) {
        loop->run.is_stable = false;
        return HTP_GOES_ON;
    }
    if (outcome == HTP_PATH_SPLITS) {
        return htp_machine_refuse(m, &m->split.place, "%s", m->split.reason);
    }
    HTP_DO(outcome);
    return block->has_raised ? htp_machine_stop(m, HTP_RAISES, "%s", block->message) : HTP_GOES_ON;
}

htp_outcome htp_loop_run_body(htp_machine *m, htp_loop *loop)
{
    forget_run(loop);
    HTP_DO(begin_all_held(m, loop));
    htp_block block = {0};
    HTP_DO(run_block(m, loop, &block));
    if (loop->stale.count != 0) {
        return HTP_GOES_ON;
    }
    loop->run.block = block.id;
    loop->run.go_on = block.outputs.items[0];
    HTP_DO(htp_loop_compare(m, loop, &block));
    if (loop->run.is_stable) {
        HTP_DO(htp_loop_find_changes(m, loop, &block));
    }
    if (loop->run.is_stable) {
        htp_loop_find_sharers(m, loop);
    }
    return HTP_GOES_ON;
}
