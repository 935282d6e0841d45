/*
 * Whether results of a loop's body can be carried into the next iteration, and how.
 */
#include "interpret/lanes/devices.h"
#include "interpret/lanes/elsewhere.h"
#include "interpret/loops/loops.h"

#include <string.h>

enum { MAX_DIMS = 64 }; /* of a tensor whose sizes change: see htp_slot */

void htp_loop_restart(htp_loop *loop)
{
    htp_slots *const all[] = {&loop->leaf_slots, &loop->addition_slots};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (size_t k = 0; k < all[i]->count; k++) {
            htp_slot *slot = &all[i]->items[k];
            slot->moving = 0;
            slot->is_apart = false;
            slot->lies = NULL;
            slot->lies_anyhow = false;
            slot->unset = NULL;
            slot->aliases.count = 0;
            slot->twins.count = 0;
        }
    }
    loop->run.is_stable = false;
}

static htp_outcome come_apart(htp_machine *m, const char *what)
{
    return htp_machine_stop(m, HTP_COMES_APART, "a loop on the data %s", what);
}

/* ---- values of the program ---- */

/* A container whose elements are never read. */
static htp_item *make_unset_like(htp_machine *m, const htp_item *container)
{
    htp_items elements = {0};
    for (size_t i = 0; i < container->elements.count; i++) {
        const htp_item *element = container->elements.items[i];
        htp_item *made;
        if (htp_is_container(element)) {
            made = make_unset_like(m, element);
        } else {
            made = htp_item_none(m);
            made->is_unset = true;
        }
        htp_items_push(m, &elements, made);
    }
    return htp_item_hold(m, container->kind, &elements);
}

/* A list or dict that the body replaces. */
static htp_outcome note_moved(htp_machine *m, htp_loop *loop, htp_carried *carried,
                              const htp_item *result)
{
    const htp_item *initial = carried->initial;
    carried->is_moved = true;
    htp_loop_restart(loop);
    if (initial->kind != HTP_ITEM_LIST || (initial->elements.count == result->elements.count &&
                                           !initial->stacked && !result->stacked)) {
        return HTP_GOES_ON;
    }
    htp_item *rows;
    htp_contents contents = htp_contents_of(m, initial);
    HTP_DO(htp_stack_rows_of(m, &contents, &rows));
    if (!rows) {
        contents = htp_contents_of(m, result);
        HTP_DO(htp_stack_rows_of(m, &contents, &rows));
    }
    if (!rows) {
        return come_apart(m, "changes the length of a list that it carries");
    }
    rows->has_numbers = rows->has_numbers || initial->has_numbers || result->has_numbers;
    carried->grown = rows;
    return HTP_GOES_ON;
}

/* Whether a result may be the input tensor, changed in place. */
static bool can_stay(const htp_carried *carried, const htp_item *input, const htp_item *result)
{
    return htp_is_tensor(input) && result != input && htp_is_tensor(carried->initial) &&
           !carried->initial->view && !carried->is_replaced;
}

/* Whether the body returns the tensor that it got; if contents are unknown, memory decides. */
static bool is_given_back(const htp_item *input, const htp_item *result)
{
    bool is_lost = htp_is_tensor(input) && !input->view && result->kind == HTP_ITEM_UNKNOWN &&
                   !result->view && htp_memory_of(input) == htp_memory_of(result);
    return is_lost || htp_memory_is_same(input, result);
}

/* Chooses how a value is carried: as itself, or as a placeholder. */
static htp_outcome choose_way(htp_machine *m, htp_loop *loop, htp_carried *carried,
                              const htp_item *input, const htp_item *result)
{
    if (carried->initial->is_unset && htp_is_container(result) && !result->stacked) {
        carried->initial = make_unset_like(m, result);
        carried->is_moved = true;
        htp_loop_restart(loop);
        return HTP_GOES_ON;
    }
    bool is_list =
        (input->kind == HTP_ITEM_LIST || input->kind == HTP_ITEM_DICT) && carried->initial == input;
    if (is_list && result != input && result->kind == input->kind) {
        return note_moved(m, loop, carried, result);
    }
    bool is_same = is_given_back(input, result);
    if (carried->is_same && !is_same) {
        carried->is_same = false;
        carried->is_replaced = true;
        htp_loop_restart(loop);
    } else if (!is_list && !carried->is_same && is_same && can_stay(carried, input, result)) {
        carried->is_same = true;
        htp_loop_restart(loop);
    }
    return HTP_GOES_ON;
}

/* ---- placeholders ---- */

static htp_outcome compare_tensors(htp_machine *m, htp_loop *loop, htp_slot *slot,
                                   const htp_item *input, const htp_item *result)
{
    const htp_runner_tensor *before = htp_tensor_in(input, 0);
    const htp_runner_tensor *after = htp_tensor_in(result, 0);
    if (input->is_sequence != result->is_sequence || before->rank != after->rank ||
        before->type != after->type) {
        return come_apart(m, "changes the rank or dtype of a tensor that it carries");
    }
    if (!slot->is_apart && strcmp(htp_item_device(m, input), htp_item_device(m, result)) != 0) {
        slot->is_apart = true;
        loop->run.is_stable = false;
    }
    bool stands = false;
    HTP_DO(htp_elsewhere_stands_for(m, input, result, &stands));
    if (!stands) {
        slot->lies_anyhow = slot->lies != NULL;
        slot->lies = slot->lies ? slot->lies : result;
        loop->run.is_stable = false;
    }
    for (uint32_t dim = 0; dim < before->rank; dim++) {
        if (htp_item_has_same_size(m, input, dim, result, dim)) {
            continue;
        }
        if (dim >= MAX_DIMS) {
            return htp_machine_refuse(m, &loop->place,
                                      "a loop on the data carries a tensor of more than %d dims",
                                      (int)MAX_DIMS);
        }
        uint64_t bit = (uint64_t)1 << dim;
        if (!(slot->moving & bit)) {
            slot->moving |= bit;
            loop->run.is_stable = false;
        }
    }
    return HTP_GOES_ON;
}

static htp_outcome compare_leaf(htp_machine *m, htp_loop *loop, const htp_item *input,
                                htp_item *result)
{
    htp_slot *slot = htp_loop_slot(m, loop, (uint32_t)loop->run.results.count);
    htp_items_push(m, &loop->run.results, result);
    if (input->is_unset) {
        if (!result->is_unset) {
            slot->unset = result;
            loop->run.is_stable = false;
        }
        return HTP_GOES_ON;
    }
    if (result->is_unset || result->kind == HTP_ITEM_UNKNOWN) {
        return HTP_GOES_ON;
    }
    if (input->kind != result->kind ||
        (!htp_is_tensor(input) && input->lane[0].kind != result->lane[0].kind)) {
        return come_apart(m, "changes the type of a value that it carries");
    }
    return htp_is_tensor(input) ? compare_tensors(m, loop, slot, input, result) : HTP_GOES_ON;
}

/* Whether a value that is no leaf stays unchanged; an unknown one does, for any reason. */
static bool stays(const htp_machine *m, const htp_item *input, const htp_item *result)
{
    if (result == input || (result->kind == HTP_ITEM_UNKNOWN && input->kind == HTP_ITEM_UNKNOWN)) {
        return true;
    }
    if (result->kind == HTP_ITEM_PLAIN && input->kind == HTP_ITEM_PLAIN) {
        return htp_operand_is_equal(m->runner, &result->lane[0], &input->lane[0]);
    }
    return result->kind == HTP_ITEM_OBJECT && result->object == input->object;
}

static htp_outcome compare(htp_machine *m, htp_loop *loop, const htp_item *input, htp_item *result)
{
    const htp_items *elements = &input->elements;
    if (htp_is_container(input) && result->is_unset) {
        for (size_t i = 0; i < elements->count; i++) {
            HTP_DO(compare(m, loop, elements->items[i], result));
        }
        return HTP_GOES_ON;
    }
    if (htp_is_container(input)) {
        if (result->kind != input->kind || result->elements.count != elements->count ||
            !result->stacked != !input->stacked) {
            return come_apart(m, "changes the length of a list or tuple that it carries");
        }
        for (size_t i = 0; i < elements->count; i++) {
            HTP_DO(compare(m, loop, elements->items[i], result->elements.items[i]));
        }
        return input->stacked ? compare(m, loop, input->stacked, result->stacked) : HTP_GOES_ON;
    }
    size_t leaf = loop->run.results.count;
    if (leaf < loop->run.inputs.count && loop->run.inputs.items[leaf] == input) {
        return compare_leaf(m, loop, input, result);
    }
    return stays(m, input, result)
               ? HTP_GOES_ON
               : come_apart(m, "turns a value that is no tensor and no number into another one");
}

htp_outcome htp_loop_compare(htp_machine *m, htp_loop *loop, const htp_block *block)
{
    htp_loop_run *run = &loop->run;
    for (size_t k = 0; k < run->carried.count; k++) {
        HTP_DO(choose_way(m, loop, &loop->carried.items[k], run->carried.items[k],
                          block->outputs.items[k + 1]));
    }
    for (size_t k = 0; k < run->carried.count && run->is_stable; k++) {
        const htp_carried *carried = &loop->carried.items[k];
        htp_item *input = run->carried.items[k];
        bool is_kept = carried->initial == input && !carried->initial->is_unset &&
                       htp_is_container(carried->initial);
        if (!is_kept && !carried->is_same) {
            HTP_DO(compare(m, loop, input, block->outputs.items[k + 1]));
        }
    }
    for (size_t i = 0; i < run->held.count && run->is_stable; i++) {
        HTP_DO(compare(m, loop, run->held.items[i], run->held_results.items[i]));
    }
    return HTP_GOES_ON;
}
