/*
 * Operators on lists of data-dependent length.
 */
#include "interpret/lists/lists.h"

#include "base/text.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Whether an operator passes lists through. */
static bool passes_lists(const char *kind)
{
    static const char *const kinds[] = {
        "prim::CallMethod",
        "prim::CallFunction",
        "aten::__is__",
        "aten::__isnot__",
        "prim::TupleConstruct",
        "prim::ListConstruct",
        "prim::DictConstruct",
        "prim::If",
        "prim::Loop",
        "prim::fork",
        "prim::SetAttr",
        "prim::unchecked_cast",
        "aten::_unwrap_optional",
        "prim::unchecked_unwrap_optional",
        "prim::isinstance",
    };
    return htp_text_is_one_of(kind, kinds, COUNT_OF(kinds));
}

/* Makes a loop carry an outer list whose rows an iteration changes in place. */
static htp_outcome require_unchanged(htp_machine *m, htp_item *list, const htp_place *place)
{
    size_t loops = m->control.loops.count;
    if (list->stacked && list->stacked->kind == HTP_ITEM_UNKNOWN && loops > 0 &&
        list->id < m->control.loops.items[loops - 1]) {
        m->growth = (htp_growth){.list = list};
        return HTP_GROWS;
    }
    return htp_list_require_unchanged(m, list, place);
}

htp_outcome htp_list_check(htp_machine *m, const char *kind, const htp_items *inputs,
                           const htp_place *place, bool *is_grown)
{
    bool any = false;
    *is_grown = false;
    for (size_t i = 0; i < inputs->count; i++) {
        htp_item *input = inputs->items[i];
        if (input->is_growing && strcmp(kind, "aten::append") != 0 && !passes_lists(kind)) {
            m->growth = (htp_growth){.list = input};
            return HTP_GROWS;
        }
        any = any || input->stacked;
    }
    if (!any || passes_lists(kind)) {
        return HTP_GOES_ON;
    }
    if (!htp_handler_find_of_grown(kind, inputs) || inputs->items[0]->kind != HTP_ITEM_LIST) {
        return htp_machine_refuse(m, place, "%s on a list whose length depends on the data", kind);
    }
    for (size_t i = 0; i < inputs->count; i++) {
        HTP_DO(require_unchanged(m, inputs->items[i], place));
    }
    *is_grown = true;
    return HTP_GOES_ON;
}

/* The stack of a list, a tensor: known elements are put in front of it. */
static htp_outcome require_stack(htp_machine *m, const htp_item *list)
{
    return list->stacked
               ? htp_handler_require_tensor(m, list->stacked)
               : htp_machine_stop(m, HTP_FAILS, "a list whose length is known is no stack");
}

/* Concatenates the rows of a stack along a dim. */
static htp_outcome join_rows(htp_machine *m, htp_item *stack, htp_item *at, bool is_cat,
                             const htp_place *place, htp_item **joined)
{
    htp_item *zero = htp_item_int(m, 0);
    HTP_DO(
        htp_handler_run(m, "aten::movedim", "int", HTP_ITEMS(m, stack, zero, at), place, joined));
    if (is_cat) {
        htp_item *next = htp_item_int(m, at->lane[0].as.i + 1);
        HTP_DO(htp_handler_run(m, "aten::flatten", "using_ints", HTP_ITEMS(m, *joined, at, next),
                               place, joined));
    }
    return htp_list_separate(m, *joined);
}

/* stack(), cat() */
htp_outcome htp_do_stack_join(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    const htp_place *place = &step->place;
    const htp_item *list = step->inputs.items[0];
    HTP_DO(require_stack(m, list));
    bool is_cat = strcmp(step->node->kind, "aten::cat") == 0;
    int64_t rank = (int64_t)htp_tensor_in(list->stacked, 0)->rank - (is_cat ? 1 : 0);
    int64_t dim;
    HTP_DO(htp_list_dim_to_join(m, step->inputs.items[1], rank, place, &dim));
    htp_item *at = htp_item_int(m, dim);
    htp_item *result;
    HTP_DO(join_rows(m, list->stacked, at, is_cat, place, &result));
    htp_items parts = {0};
    for (size_t i = 0; i < list->elements.count; i++) {
        htp_item *part = list->elements.items[i];
        if (!is_cat) {
            HTP_DO(htp_handler_run(m, "aten::unsqueeze", "", HTP_ITEMS(m, part, at), place, &part));
        }
        htp_items_push(m, &parts, part);
    }
    if (parts.count > 0) {
        htp_items_push(m, &parts, result);
        htp_item *all = htp_item_hold(m, HTP_ITEM_LIST, &parts);
        HTP_DO(htp_handler_run(m, "aten::cat", "", HTP_ITEMS(m, all, at), place, &result));
    }
    return htp_handler_give(m, outputs, result);
}

htp_outcome htp_do_stack_length(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_item *list = step->inputs.items[0];
    HTP_DO(require_stack(m, list));
    htp_item *zero = htp_item_int(m, 0);
    htp_item *length;
    HTP_DO(htp_handler_run(m, "aten::size", "int", HTP_ITEMS(m, list->stacked, zero), &step->place,
                           &length));
    if (list->elements.count > 0) {
        htp_item *known = htp_item_int(m, (int64_t)list->elements.count);
        HTP_DO(htp_handler_run(m, "aten::add", "int", HTP_ITEMS(m, length, known), &step->place,
                               &length));
    }
    return htp_handler_give(m, outputs, length);
}

htp_outcome htp_do_grown_item(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *list = step->inputs.items[0];
    htp_item *stack;
    HTP_DO(htp_stack_up(m, list, &step->place, &stack));
    htp_item *element;
    HTP_DO(htp_stack_element(m, list, stack, step->inputs.items[1], &step->place, &element));
    return htp_handler_give(m, outputs, element);
}

/* Replaces a row of a stack. */
static htp_outcome put_row(htp_machine *m, htp_item *stack, htp_item *element, htp_item *index,
                           const htp_place *place, htp_item **changed)
{
    htp_item *row;
    HTP_DO(htp_stack_row(m, element, place, &row));
    htp_item *dim = htp_item_int(m, 0);
    htp_item *first = htp_item_int(m, 0);
    HTP_DO(htp_handler_run(m, "aten::select", "int", HTP_ITEMS(m, row, dim, first), place, &row));
    dim = htp_item_int(m, 0);
    HTP_DO(htp_handler_run(m, "aten::select_scatter", "", HTP_ITEMS(m, stack, row, dim, index),
                           place, changed));
    /* `rows[i] += x` stores a row in its own place, so the list does not contain it twice. */
    bool stays = htp_list_is_row(m, element, stack, index);
    htp_items parts = stays ? HTP_ITEMS(m, stack) : HTP_ITEMS(m, stack, row);
    htp_list_share_memory(m, *changed, &parts);
    return HTP_GOES_ON;
}

htp_outcome htp_do_stack_set_item(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 3));
    htp_item *const *inputs = step->inputs.items;
    bool takes;
    HTP_DO(htp_stack_takes(m, inputs[0], inputs[2], &takes));
    if (!takes) {
        return htp_do_sequence_set_item(m, step, outputs);
    }
    htp_item *stack;
    HTP_DO(htp_stack_rows_in(m, inputs[0], &step->place, &stack));
    htp_item *changed;
    HTP_DO(put_row(m, stack, inputs[2], inputs[1], &step->place, &changed));
    HTP_DO(htp_list_fill_grown(m, inputs[0], changed));
    return htp_handler_give(m, outputs, inputs[0]);
}

/* Extends a list by another one. */
static htp_outcome extend(htp_machine *m, htp_item *list, htp_item *more, const htp_place *place)
{
    htp_item *rows;
    HTP_DO(htp_stack_add_rows(m, list, more, place, &rows));
    return htp_list_fill_grown(m, list, rows);
}

htp_outcome htp_do_grown_append(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *list = step->inputs.items[0];
    htp_items elements = HTP_ITEMS(m, step->inputs.items[1]);
    htp_item *added = htp_item_hold(m, HTP_ITEM_LIST, &elements);
    HTP_DO(extend(m, list, added, &step->place));
    return htp_handler_give(m, outputs, list);
}

htp_outcome htp_do_grown_extend(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *list = step->inputs.items[0];
    bool has_numbers = list->has_numbers || step->inputs.items[1]->has_numbers;
    HTP_DO(extend(m, list, step->inputs.items[1], &step->place));
    list->has_numbers = has_numbers;
    return htp_handler_give(m, outputs, list);
}

htp_outcome htp_do_grown_add(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *const *inputs = step->inputs.items;
    htp_item *rows;
    HTP_DO(htp_stack_add_rows(m, inputs[0], inputs[1], &step->place, &rows));
    const htp_item *grown = inputs[0]->stacked ? inputs[0] : inputs[1];
    return htp_handler_give(m, outputs, htp_list_grown(m, rows, grown->has_numbers));
}

static htp_outcome reverse_rows(htp_machine *m, htp_item *stack, const htp_place *place,
                                htp_item **reversed)
{
    htp_item *zero = htp_item_int(m, 0);
    htp_items numbers = HTP_ITEMS(m, zero);
    htp_item *dims = htp_item_hold(m, HTP_ITEM_LIST, &numbers);
    HTP_DO(htp_handler_run(m, "aten::flip", "", HTP_ITEMS(m, stack, dims), place, reversed));
    htp_items parts = HTP_ITEMS(m, stack);
    htp_list_share_memory(m, *reversed, &parts);
    return HTP_GOES_ON;
}

htp_outcome htp_do_stack_slice(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 4));
    const htp_place *place = &step->place;
    htp_item *const *inputs = step->inputs.items;
    htp_item *stack;
    HTP_DO(htp_stack_require_rows(m, inputs[0], place, &stack));
    int64_t stride;
    HTP_DO(htp_item_require_number(m, inputs[3], place, &stride));
    htp_item *rows;
    if (stride > 0) {
        HTP_DO(htp_stack_slice(m, stack, inputs[1], inputs[2], inputs[3], place, &rows));
    } else if (stride == -1 && htp_is_none(inputs[1]) && htp_is_none(inputs[2])) {
        HTP_DO(reverse_rows(m, stack, place, &rows));
    } else {
        return htp_machine_refuse(
            m, place, "a part of a list whose length depends on the data is taken backwards");
    }
    return htp_handler_give(m, outputs, htp_list_grown(m, rows, inputs[0]->has_numbers));
}

/* The rows before an index and from it on, by Python's rules for slices. */
static htp_outcome cut_rows(htp_machine *m, htp_item *stack, htp_item *before, htp_item *from,
                            const htp_place *place, htp_item *parts[2])
{
    htp_item *none = htp_item_none(m);
    htp_item *one = htp_item_int(m, 1);
    HTP_DO(htp_stack_slice(m, stack, none, before, one, place, &parts[0]));
    return htp_stack_slice(m, stack, from, none, one, place, &parts[1]);
}

/* Removes a row of a stack. */
static htp_outcome drop_row(htp_machine *m, htp_item *stack, htp_item *index, int64_t at,
                            const htp_place *place, htp_item **rest)
{
    htp_item *none = htp_item_none(m);
    htp_item *one = htp_item_int(m, 1);
    if (at == 0) {
        return htp_stack_slice(m, stack, one, none, one, place, rest);
    }
    if (at == -1) {
        return htp_stack_slice(m, stack, none, index, one, place, rest);
    }
    htp_item *from = htp_item_int(m, at < INT64_MAX ? at + 1 : at);
    htp_item *parts[2];
    HTP_DO(cut_rows(m, stack, index, from, place, parts));
    htp_items both = HTP_ITEMS(m, parts[0], parts[1]);
    return htp_stack_join(m, &both, place, rest);
}

htp_outcome htp_do_stack_pop(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    const htp_place *place = &step->place;
    htp_item *list = step->inputs.items[0];
    htp_item *index = step->inputs.items[1];
    htp_items lists = HTP_ITEMS(m, list);
    bool is_alike;
    HTP_DO(htp_stack_is_alike(m, &lists, &is_alike));
    if (!is_alike) {
        return htp_do_sequence_pop(m, step, outputs);
    }
    int64_t at;
    HTP_DO(htp_item_require_number(m, index, place, &at));
    htp_item *stack;
    HTP_DO(htp_stack_rows_in(m, list, place, &stack));
    htp_item *taken;
    HTP_DO(htp_stack_element(m, list, stack, index, place, &taken));
    htp_item *rest;
    HTP_DO(drop_row(m, stack, index, at, place, &rest));
    HTP_DO(htp_list_fill_grown(m, list, rest));
    return htp_handler_give(m, outputs, taken);
}

htp_outcome htp_do_stack_insert(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 3));
    const htp_place *place = &step->place;
    htp_item *const *inputs = step->inputs.items;
    bool takes;
    HTP_DO(htp_stack_takes(m, inputs[0], inputs[2], &takes));
    if (!takes) {
        return htp_do_sequence_insert(m, step, outputs);
    }
    int64_t at;
    HTP_DO(htp_item_require_number(m, inputs[1], place, &at));
    htp_item *stack;
    HTP_DO(htp_stack_rows_in(m, inputs[0], place, &stack));
    htp_item *row;
    HTP_DO(htp_stack_row(m, inputs[2], place, &row));
    htp_items parts;
    if (at == 0) {
        parts = HTP_ITEMS(m, row, stack);
    } else {
        htp_item *cut[2];
        HTP_DO(cut_rows(m, stack, inputs[1], inputs[1], place, cut));
        parts = HTP_ITEMS(m, cut[0], row, cut[1]);
    }
    htp_item *joined;
    HTP_DO(htp_stack_join(m, &parts, place, &joined));
    return htp_list_fill_grown(m, inputs[0], joined);
}

htp_outcome htp_do_grown_copy(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    htp_item *list = step->inputs.items[0];
    htp_item *stack;
    HTP_DO(htp_stack_up(m, list, &step->place, &stack));
    return htp_handler_give(m, outputs, htp_list_grown(m, stack, list->has_numbers));
}

htp_outcome htp_do_grown_clear(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    HTP_DO(htp_handler_require(m, step, 1));
    return htp_list_fill_grown(m, step->inputs.items[0], NULL);
}

htp_outcome htp_do_stack_reverse(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    HTP_DO(htp_handler_require(m, step, 1));
    htp_item *list = step->inputs.items[0];
    htp_item *stack;
    HTP_DO(htp_stack_require_rows(m, list, &step->place, &stack));
    htp_item *reversed;
    HTP_DO(reverse_rows(m, stack, &step->place, &reversed));
    return htp_list_fill_grown(m, list, reversed);
}

/* tensor() of a list of numbers */
htp_outcome htp_do_stack_tensor(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *stack;
    HTP_DO(htp_stack_require_rows(m, step->inputs.items[0], &step->place, &stack));
    htp_item *dtype = step->inputs.items[1];
    if (htp_is_none(dtype) && htp_is_tensor(stack)) {
        int32_t type = htp_tensor_in(stack, 0)->type;
        dtype = htp_item_int(m, type == HTP_SCALAR_DOUBLE ? HTP_SCALAR_FLOAT : type);
    }
    htp_item *no = htp_item_bool(m, false);
    htp_item *none = htp_item_none(m);
    htp_item *made;
    HTP_DO(htp_handler_run(m, "aten::to", "dtype", HTP_ITEMS(m, stack, dtype, no, no, none),
                           &step->place, &made));
    HTP_DO(htp_list_separate(m, made));
    return htp_handler_give(m, outputs, made);
}

/* sum() of a list of numbers */
htp_outcome htp_do_stack_sum(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_place *place = &step->place;
    htp_item *list = step->inputs.items[0];
    HTP_DO(require_stack(m, list));
    int32_t type = htp_tensor_in(list->stacked, 0)->type;
    if (!list->has_numbers || (type != HTP_SCALAR_LONG && type != HTP_SCALAR_DOUBLE)) {
        return htp_machine_refuse(m, place, "aten::sum on a list whose length depends on the data");
    }
    htp_item *stack;
    HTP_DO(htp_stack_up(m, list, place, &stack));
    htp_item *none = htp_item_none(m);
    htp_item *total;
    HTP_DO(htp_handler_run(m, "aten::sum", "", HTP_ITEMS(m, stack, none), place, &total));
    const char *reader = type == HTP_SCALAR_LONG ? "aten::Int" : "aten::Float";
    htp_item *number;
    HTP_DO(htp_handler_run(m, reader, "Tensor", HTP_ITEMS(m, total), place, &number));
    return htp_handler_give(m, outputs, number);
}
