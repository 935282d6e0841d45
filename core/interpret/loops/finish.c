/*
 * Finishes a loop whose carried values have reached a fixed point: records its node and results.
 */
#include "interpret/loops/loops.h"
#include "interpret/sizes/open_items.h"

#include <string.h>

/* State while a loop is finished. */
typedef struct ending {
    htp_loop *loop;
    htp_items inputs;
    htp_items outputs;
    htp_items leaf_inputs; /* of the block */
    htp_items leaf_results;
    uint32_t next_leaf;
    htp_items carried; /* values after the loop */
    htp_items held;
    htp_items memories;
    htp_items stacks; /* elements appended to lists */
} ending;

/* Whether a leaf is not needed as an input of the loop: it has no value, or an unknown one that the
 * next iteration does not read. */
static bool is_dropped(const htp_loop *loop, size_t leaf)
{
    const htp_loop_run *run = &loop->run;
    const htp_item *input = run->inputs.items[leaf];
    if (input->is_unset || run->results.items[leaf]->kind != HTP_ITEM_UNKNOWN) {
        return input->is_unset;
    }
    return !input->is_used && !htp_items_have(&run->results, input) &&
           !htp_items_have(&run->memory_results, input) && !htp_items_have(&run->additions, input);
}

/* ---- inputs ---- */

/* A substitute for a leaf without an initial value. */
static htp_outcome make_nothing(htp_machine *m, const htp_item *model, const htp_place *place,
                                htp_item **made)
{
    if (!htp_is_tensor(model)) {
        *made = htp_item_plain(m, model->lane[0]);
        return HTP_GOES_ON;
    }
    if (model->is_sequence) {
        const htp_items no_elements = {0};
        htp_item *none = htp_item_hold(m, HTP_ITEM_LIST, &no_elements);
        htp_item *like;
        HTP_DO(htp_sequence_like(m, model, false, &like));
        return htp_sequence_of(m, none, place, like, made);
    }
    const htp_runner_tensor *tensor = htp_tensor_in(model, 0);
    htp_items sizes = {0};
    for (uint32_t dim = 0; dim < tensor->rank; dim++) {
        bool is_fixed = m->lane_count > 1 && htp_item_is_fixed(m, model, dim);
        htp_items_push(m, &sizes, htp_item_int(m, is_fixed ? tensor->dims[dim] : 1));
    }
    return htp_stack_zeros(m, &sizes, model, place, made);
}

static htp_outcome add_leaves(htp_machine *m, ending *end)
{
    htp_loop *loop = end->loop;
    const htp_loop_run *run = &loop->run;
    if (run->results.count != run->inputs.count) {
        return htp_machine_stop(m, HTP_FAILS, "a loop does not give all that it carries");
    }
    for (size_t i = 0; i < run->inputs.count; i++) {
        if (is_dropped(loop, i)) {
            continue;
        }
        htp_item *leaf = run->leaves.items[i];
        if (leaf->is_unset) {
            HTP_DO(make_nothing(m, run->inputs.items[i], &loop->place, &leaf));
        }
        htp_item *result = run->results.items[i];
        htp_items_push(m, &end->inputs, leaf);
        htp_items_push(m, &end->leaf_inputs, run->inputs.items[i]);
        htp_items_push(m, &end->leaf_results, result->is_unset ? run->inputs.items[i] : result);
    }
    return HTP_GOES_ON;
}

static bool is_no_limit(const htp_item *limit)
{
    return htp_is_int(limit) && htp_has_lanes(limit) && !htp_is_data(limit) &&
           limit->lane[0].as.i == INT64_MAX;
}

/* ---- outputs ---- */

/* Whether a list or dict is carried as itself. */
static bool is_kept(const htp_loop *loop, const htp_item *input)
{
    bool is_kept = false;
    for (size_t k = 0; k < loop->carried.count && !is_kept; k++) {
        is_kept = loop->carried.items[k].initial == input;
    }
    return is_kept;
}

/* An unknown result of the body; it may be the value from before the loop. */
static htp_item *end_unknown(htp_machine *m, htp_loop *loop, uint32_t leaf)
{
    const htp_item *result = loop->run.results.items[leaf];
    htp_item *made = htp_item_make(m, HTP_ITEM_UNKNOWN);
    made->producer = result->producer;
    htp_memory_note_sharing(m, made, htp_memory_of(result));
    htp_loop_note_sharers(m, loop, leaf, made, true);
    return made;
}

static htp_outcome end_leaf(htp_machine *m, ending *end, const htp_item *input, htp_item **result)
{
    htp_loop *loop = end->loop;
    uint32_t leaf = end->next_leaf++;
    if (loop->run.results.items[leaf]->kind == HTP_ITEM_UNKNOWN) {
        if (!is_dropped(loop, leaf)) {
            htp_items_push(m, &end->outputs, htp_item_make(m, HTP_ITEM_UNKNOWN));
        }
        *result = end_unknown(m, loop, leaf);
        return HTP_GOES_ON;
    }
    if (is_dropped(loop, leaf)) {
        *result = loop->run.results.items[leaf];
        return HTP_GOES_ON;
    }
    HTP_DO(htp_item_like(m, input, result));
    HTP_DO(htp_loop_resize(m, loop, leaf, *result));
    htp_items_push(m, &end->outputs, *result);
    htp_loop_note_sharers(m, loop, leaf, *result, true);
    return HTP_GOES_ON;
}

/* The value of a carried slot after the loop. */
static htp_outcome end_value(htp_machine *m, ending *end, htp_item *input, htp_item **result)
{
    const htp_items *leaves = &end->loop->run.inputs;
    if (!htp_is_container(input) || is_kept(end->loop, input)) {
        if (end->next_leaf < leaves->count && leaves->items[end->next_leaf] == input) {
            return end_leaf(m, end, input, result);
        }
        *result = input;
        return HTP_GOES_ON;
    }
    htp_items elements = {0};
    for (size_t i = 0; i < input->elements.count; i++) {
        htp_item *element;
        HTP_DO(end_value(m, end, input->elements.items[i], &element));
        htp_items_push(m, &elements, element);
    }
    htp_item *made = htp_item_hold(m, input->kind, &elements);
    if (input->stacked) {
        HTP_DO(end_value(m, end, input->stacked, &made->stacked));
    }
    made->has_numbers = input->has_numbers;
    made->is_merged = true;
    *result = made;
    return HTP_GOES_ON;
}

static htp_outcome end_values(htp_machine *m, ending *end, const htp_items *inputs,
                              htp_items *results)
{
    for (size_t i = 0; i < inputs->count; i++) {
        htp_item *result;
        HTP_DO(end_value(m, end, inputs->items[i], &result));
        htp_items_push(m, results, result);
    }
    return HTP_GOES_ON;
}

static htp_outcome add_memories(htp_machine *m, ending *end)
{
    const htp_loop *loop = end->loop;
    for (size_t i = 0; i < loop->memories.count; i++) {
        htp_items_push(m, &end->inputs, htp_memory_held(m, loop->memories.items[i]));
        htp_item *value;
        HTP_DO(htp_item_like(m, loop->run.memory_inputs.items[i], &value));
        htp_items_push(m, &end->memories, value);
        htp_items_push(m, &end->outputs, value);
    }
    return HTP_GOES_ON;
}

/* ---- elements appended to lists ---- */

static bool is_true(const htp_item *flag)
{
    return htp_is_decided(flag) && htp_is_bool(flag) && flag->lane[0].as.b;
}

/* The trip count, if only its limit ends the loop; otherwise a data-dependent size. */
static htp_outcome count_iterations(htp_machine *m, const htp_loop *loop, const htp_item *limit,
                                    const htp_item *condition, htp_trace_size *count)
{
    if (!is_true(condition) || !is_true(loop->run.go_on) || htp_is_none(limit)) {
        return htp_recording_new_size(m, "Loop", count);
    }
    if (!htp_is_int(limit)) {
        return htp_machine_stop(m, HTP_FAILS, "the limit of a loop is no int");
    }
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        int64_t most = limit->lane[lane].as.i;
        count->sizes[lane] = most > 0 ? most : 0;
    }
    return HTP_GOES_ON;
}

/* Repeats @p element as often as the loop runs, along a new first dim. */
static htp_outcome make_stack(htp_machine *m, const htp_loop *loop, htp_item *element,
                              const htp_trace_size *count, htp_item **stack)
{
    htp_item *rows;
    HTP_DO(htp_stack_rows_of_element(m, element, &rows));
    if (!rows) {
        return htp_machine_refuse(m, &loop->place,
                                  "a list whose length depends on the data holds something that "
                                  "is no tensor and no number");
    }
    htp_item *made = htp_item_make(m, HTP_ITEM_TENSOR);
    made->device = rows->device;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *row = htp_tensor_in(rows, lane);
        int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, row->rank);
        memcpy(dims, row->dims, row->rank * sizeof(int64_t));
        dims[0] = count->sizes[lane];
        const htp_runner_tensor *tensor;
        HTP_DO(htp_tensor_empty(m, row->type, dims, row->rank, &tensor));
        made->lane[lane] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
        if (count->sizes[lane] != count->sizes[0]) {
            made->known = HTP_KNOWN_OPEN_SIZES;
        }
    }
    *stack = made;
    return HTP_GOES_ON;
}

static htp_outcome add_stacks(htp_machine *m, ending *end, const htp_item *condition)
{
    htp_loop *loop = end->loop;
    htp_trace_size count = {0};
    if (loop->lists.count != 0) {
        HTP_DO(count_iterations(m, loop, end->inputs.items[0], condition, &count));
    }
    for (size_t i = 0; i < loop->run.additions.count; i++) {
        htp_item *stack = NULL;
        HTP_DO(make_stack(m, loop, loop->run.additions.items[i], &count, &stack));
        htp_items_push(m, &end->stacks, stack);
        htp_loop_note_sharers(m, loop, HTP_ADDITIONS + (uint32_t)i, stack, true);
        if (stack->sharers.count > 0) {
            htp_list_note_repeats(m, stack);
        }
        htp_items_push(m, &end->outputs, stack);
    }
    return HTP_GOES_ON;
}

/* ---- the node and its effects ---- */

static void add_ids(htp_machine *m, htp_ids *ids, const htp_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        htp_item *item = items->items[i];
        item->is_used = true;
        HTP_PUSH(m->arena, ids, item->is_unset ? HTP_NONE : item->id);
    }
}

static void record(htp_machine *m, const ending *end)
{
    const htp_loop *loop = end->loop;
    htp_recorded_block block = {0};
    htp_items iteration = HTP_ITEMS(m, loop->run.iteration);
    add_ids(m, &block.inputs, &iteration);
    add_ids(m, &block.inputs, &end->leaf_inputs);
    add_ids(m, &block.inputs, &loop->run.memory_inputs);
    htp_items go_on = HTP_ITEMS(m, loop->run.go_on);
    add_ids(m, &block.outputs, &go_on);
    add_ids(m, &block.outputs, &end->leaf_results);
    add_ids(m, &block.outputs, &loop->run.memory_results);
    add_ids(m, &block.outputs, &loop->run.additions);
    m->recording.blocks.items[loop->run.block] = block;
    const char **names = HTP_NEW_ARRAY(m->arena, const char *, end->inputs.count);
    for (size_t i = 0; i < end->inputs.count; i++) {
        names[i] = i == 0 ? "max_trip_count" : i == 1 ? "condition" : "carried";
    }
    htp_recording_add_control(m, "prim::Loop", &end->inputs, names, &end->outputs, &loop->run.block,
                              1, &loop->place);
}

/* Applies the loop's effects to outer memory, lists and attributes. */
static htp_outcome apply(htp_machine *m, const ending *end)
{
    const htp_loop *loop = end->loop;
    for (size_t i = 0; i < end->memories.count; i++) {
        htp_memory_hold(m, loop->memories.items[i], end->memories.items[i]);
    }
    for (size_t i = 0; i < loop->lost.count; i++) {
        htp_memory_lose(m, loop->lost.items[i].first, &loop->lost.items[i].loss);
    }
    for (size_t i = 0; i < end->stacks.count; i++) {
        htp_item *list = loop->lists.items[i];
        htp_contents contents = htp_contents_of(m, list);
        contents.stacked = end->stacks.items[i];
        HTP_DO(htp_list_fill(m, list, &contents));
        list->has_numbers = loop->rows.items[i]->has_numbers;
    }
    for (size_t i = 0; i < end->held.count; i++) {
        HTP_DO(htp_loop_put(m, &loop->held.items[i], end->held.items[i]));
    }
    return HTP_GOES_ON;
}

htp_outcome htp_loop_finish(htp_machine *m, htp_loop *loop, htp_item *limit, htp_item *condition,
                            htp_items *outputs)
{
    ending end = {.loop = loop};
    htp_item *most = is_no_limit(limit) ? htp_item_none(m) : limit;
    end.inputs = HTP_ITEMS(m, most, condition);
    HTP_DO(add_leaves(m, &end));
    HTP_DO(end_values(m, &end, &loop->run.carried, &end.carried));
    HTP_DO(end_values(m, &end, &loop->run.held, &end.held));
    HTP_DO(add_memories(m, &end));
    HTP_DO(add_stacks(m, &end, condition));
    record(m, &end);
    HTP_DO(apply(m, &end));
    for (size_t k = 0; k < loop->carried.count; k++) {
        const htp_carried *carried = &loop->carried.items[k];
        if (carried->is_same) {
            HTP_DO(htp_memory_current(m, carried->initial, &loop->place, &end.carried.items[k]));
        }
    }
    *outputs = end.carried;
    return HTP_GOES_ON;
}
