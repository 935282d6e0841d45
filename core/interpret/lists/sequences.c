/*
 * Lists whose length only the data tells and whose tensors have different sizes: what they hold is
 * an ONNX sequence, recorded with the operators that lists have.
 */
#include "interpret/lanes/devices.h"
#include "interpret/lists/lists.h"
#include "interpret/sizes/open_items.h"

#include <string.h>

static htp_outcome refuse_unfit(htp_machine *m, const htp_place *place)
{
    return htp_machine_refuse(m, place,
                              "a list whose length depends on the data holds tensors of different "
                              "ranks or dtypes, or what ONNX sequences do not take");
}

/* Makes lanes of a stack what one row of it is. */
static htp_outcome drop_first_dim(htp_machine *m, const htp_item *stack, htp_item *made)
{
    HTP_DO(htp_handler_require_tensor(m, stack));
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *rows = htp_tensor_in(stack, lane);
        if (rows->rank == 0) {
            return htp_machine_stop(m, HTP_FAILS, "a stack has no dims");
        }
        HTP_DO(htp_tensor_empty(m, rows->type, rows->dims + 1, rows->rank - 1,
                                &made->lane[lane].as.tensor));
    }
    return HTP_GOES_ON;
}

htp_outcome htp_sequence_like(htp_machine *m, const htp_item *tensor, bool is_stack,
                              htp_item **made)
{
    htp_item *sequence;
    HTP_DO(htp_item_like(m, tensor, &sequence));
    if (is_stack) {
        HTP_DO(drop_first_dim(m, tensor, sequence));
    }
    sequence->is_sequence = true;
    *made = sequence;
    return HTP_GOES_ON;
}

static bool is_complex(const htp_runner_tensor *tensor)
{
    return tensor->type == HTP_SCALAR_COMPLEX_HALF || tensor->type == HTP_SCALAR_COMPLEX_FLOAT ||
           tensor->type == HTP_SCALAR_COMPLEX_DOUBLE;
}

static bool is_fit(const htp_item *sequence, const htp_item *element)
{
    if (!htp_is_tensor(sequence) || !htp_is_tensor(element) || element->levels) {
        return false;
    }
    const htp_runner_tensor *others = htp_tensor_in(sequence, 0);
    const htp_runner_tensor *tensor = htp_tensor_in(element, 0);
    return tensor->rank == others->rank && tensor->type == others->type && !is_complex(tensor);
}

htp_outcome htp_sequence_widen(htp_machine *m, htp_item *sequence, const htp_item *element,
                               const htp_place *place)
{
    if (!is_fit(sequence, element)) {
        return refuse_unfit(m, place);
    }
    htp_item_join_device(m, sequence, element);
    for (int64_t dim = 0; dim < (int64_t)htp_tensor_in(element, 0)->rank; dim++) {
        if (!htp_item_has_same_size(m, sequence, dim, element, dim)) {
            HTP_DO(htp_item_resize(m, sequence, dim, "element"));
        }
    }
    return HTP_GOES_ON;
}

void htp_sequence_record(htp_machine *m, const char *kind, const htp_items *inputs,
                         const char *const *names, htp_item *made, const htp_items *parts,
                         const htp_place *place)
{
    htp_items outputs = HTP_ITEMS(m, made);
    htp_recording_add_control(m, kind, inputs, names, &outputs, NULL, 0, place);
    htp_list_share_memory(m, made, parts);
}

/* A sequence with an element put into it, in place of another one or between two. */
static htp_outcome put_element(htp_machine *m, const char *kind, htp_item *sequence,
                               htp_item *index, htp_item *element, const htp_place *place,
                               htp_item **changed)
{
    static const char *const names[] = {"l", "idx", "el"};
    HTP_DO(htp_sequence_like(m, sequence, false, changed));
    HTP_DO(htp_sequence_widen(m, *changed, element, place));
    htp_items inputs = HTP_ITEMS(m, sequence, index, element);
    htp_items parts = HTP_ITEMS(m, sequence, element);
    htp_sequence_record(m, kind, &inputs, names, *changed, &parts, place);
    return HTP_GOES_ON;
}

/* The rows of a stack as a sequence. */
static htp_outcome take_apart(htp_machine *m, htp_item *rows, const htp_place *place,
                              htp_item **sequence)
{
    static const char *const names[] = {"self", "dim"};
    HTP_DO(htp_sequence_like(m, rows, true, sequence));
    htp_item *zero = htp_item_int(m, 0);
    htp_items inputs = HTP_ITEMS(m, rows, zero);
    htp_items parts = HTP_ITEMS(m, rows);
    htp_sequence_record(m, "aten::unbind.int", &inputs, names, *sequence, &parts, place);
    return HTP_GOES_ON;
}

/* Known elements, and the rows of a stack behind them, as a sequence. */
static htp_outcome take_all_apart(htp_machine *m, htp_item *list, const htp_place *place,
                                  htp_item **sequence)
{
    htp_items lists = HTP_ITEMS(m, list);
    bool is_alike;
    HTP_DO(htp_stack_is_alike(m, &lists, &is_alike));
    if (is_alike) {
        htp_item *rows;
        HTP_DO(htp_stack_rows_in(m, list, place, &rows));
        return take_apart(m, rows, place, sequence);
    }
    HTP_DO(take_apart(m, list->stacked, place, sequence));
    for (size_t i = 0; i < list->elements.count; i++) {
        htp_item *at = htp_item_int(m, (int64_t)i);
        HTP_DO(put_element(m, "aten::insert.t", *sequence, at, list->elements.items[i], place,
                           sequence));
    }
    return HTP_GOES_ON;
}

/* Elements that are known as a sequence. @param model  what one of them looks like; NULL */
static htp_outcome put_together(htp_machine *m, const htp_items *elements, const htp_item *model,
                                const htp_place *place, htp_item **sequence)
{
    if (!model || !htp_is_tensor(model)) {
        return refuse_unfit(m, place);
    }
    htp_item *made;
    HTP_DO(htp_sequence_like(m, model, false, &made));
    const char **names = HTP_NEW_ARRAY(m->arena, const char *, elements->count);
    for (size_t i = 0; i < elements->count; i++) {
        HTP_DO(htp_sequence_widen(m, made, elements->items[i], place));
        names[i] = "element";
    }
    htp_sequence_record(m, "prim::ListConstruct", elements, names, made, elements, place);
    *sequence = made;
    return HTP_GOES_ON;
}

htp_outcome htp_sequence_of(htp_machine *m, htp_item *list, const htp_place *place, htp_item *like,
                            htp_item **sequence)
{
    HTP_DO(htp_list_require_unchanged(m, list, place));
    const htp_items *elements = &list->elements;
    bool is_sequence = list->stacked && list->stacked->is_sequence;
    if (is_sequence && elements->count > 0) {
        return htp_machine_refuse(m, place,
                                  "a list whose length depends on the data begins with tensors of "
                                  "different sizes");
    }
    if (is_sequence) {
        *sequence = list->stacked;
        return HTP_GOES_ON;
    }
    if (list->stacked) {
        return take_all_apart(m, list, place, sequence);
    }
    const htp_item *model = elements->count > 0 ? elements->items[0] : like;
    return put_together(m, elements, model, place, sequence);
}

htp_outcome htp_sequence_extend(htp_machine *m, htp_item *sequence, htp_item *more,
                                const htp_place *place, htp_item **extended)
{
    static const char *const names[] = {"self", "el"};
    if (more->stacked) {
        return htp_machine_refuse(m, place,
                                  "a list of tensors of different sizes is extended by one whose "
                                  "length depends on the data");
    }
    for (size_t i = 0; i < more->elements.count; i++) {
        htp_item *element = more->elements.items[i];
        htp_item *made;
        HTP_DO(htp_sequence_like(m, sequence, false, &made));
        HTP_DO(htp_sequence_widen(m, made, element, place));
        htp_items both = HTP_ITEMS(m, sequence, element);
        htp_sequence_record(m, "aten::append.t", &both, names, made, &both, place);
        sequence = made;
    }
    *extended = sequence;
    return HTP_GOES_ON;
}

/* What a tensor of a sequence looks like. */
static htp_outcome element_of(htp_machine *m, const htp_item *sequence, htp_item **element)
{
    htp_item *made;
    HTP_DO(htp_item_like(m, sequence, &made));
    made->is_sequence = false;
    made->varying = 0;
    for (int64_t dim = 0; dim < 64; dim++) {
        if (sequence->varying >> dim & 1) {
            HTP_DO(htp_item_resize(m, made, dim, "element"));
        }
    }
    *element = made;
    return HTP_GOES_ON;
}

htp_outcome htp_sequence_item(htp_machine *m, htp_item *sequence, htp_item *index,
                              const htp_place *place, htp_item **element)
{
    static const char *const names[] = {"self", "idx"};
    HTP_DO(element_of(m, sequence, element));
    htp_items inputs = HTP_ITEMS(m, sequence, index);
    htp_items parts = HTP_ITEMS(m, sequence);
    htp_sequence_record(m, "aten::__getitem__.t", &inputs, names, *element, &parts, place);
    return HTP_GOES_ON;
}

/* Gives a tensor another dim, of size 1. */
static htp_outcome add_dim(htp_machine *m, htp_item *item, int64_t dim)
{
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *tensor = htp_tensor_in(item, lane);
        int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, (size_t)tensor->rank + 1);
        for (int64_t i = 0; i <= (int64_t)tensor->rank; i++) {
            dims[i] = i < dim ? tensor->dims[i] : i == dim ? 1 : tensor->dims[i - 1];
        }
        HTP_DO(htp_tensor_empty(m, tensor->type, dims, (size_t)tensor->rank + 1,
                                &item->lane[lane].as.tensor));
    }
    return HTP_GOES_ON;
}

/* stack(), cat(): sizes that differ between elements are equal then, or libtorch would refuse. */
static htp_outcome join(htp_machine *m, htp_step *step, htp_items *outputs)
{
    static const char *const names[] = {"tensors", "dim"};
    HTP_DO(htp_handler_require(m, step, 2));
    const htp_place *place = &step->place;
    bool is_stack = strcmp(step->node->kind, "aten::stack") == 0;
    htp_item *sequence;
    HTP_DO(htp_sequence_of(m, step->inputs.items[0], place, NULL, &sequence));
    HTP_DO(htp_handler_require_tensor(m, sequence));
    int64_t rank = (int64_t)htp_tensor_in(sequence, 0)->rank + (is_stack ? 1 : 0);
    int64_t dim;
    HTP_DO(htp_list_dim_to_join(m, step->inputs.items[1], rank, place, &dim));
    htp_item *made;
    HTP_DO(element_of(m, sequence, &made));
    if (is_stack) {
        HTP_DO(add_dim(m, made, dim));
    }
    HTP_DO(htp_item_resize(m, made, dim, is_stack ? "stack" : "cat"));
    htp_item *along = htp_item_int(m, dim);
    htp_items inputs = HTP_ITEMS(m, sequence, along);
    htp_items joined = HTP_ITEMS(m, made);
    htp_recording_add_control(m, is_stack ? "aten::stack" : "aten::cat", &inputs, names, &joined,
                              NULL, 0, place);
    return htp_handler_give(m, outputs, made);
}

static htp_outcome find_length(htp_machine *m, htp_step *step, htp_items *outputs)
{
    static const char *const names[] = {"a"};
    HTP_DO(htp_handler_require(m, step, 1));
    htp_item *length;
    HTP_DO(htp_item_like(m, htp_item_int(m, 0), &length));
    htp_item *sequence;
    HTP_DO(htp_sequence_of(m, step->inputs.items[0], &step->place, NULL, &sequence));
    htp_items inputs = HTP_ITEMS(m, sequence);
    htp_items lengths = HTP_ITEMS(m, length);
    htp_recording_add_control(m, "aten::len.t", &inputs, names, &lengths, NULL, 0, &step->place);
    return htp_handler_give(m, outputs, length);
}

/* Puts an element into a list. */
static htp_outcome put_into(htp_machine *m, const htp_step *step, const char *kind)
{
    HTP_DO(htp_handler_require(m, step, 3));
    htp_item *const *given = step->inputs.items;
    htp_item *sequence;
    HTP_DO(htp_sequence_of(m, given[0], &step->place, NULL, &sequence));
    htp_item *made;
    HTP_DO(put_element(m, kind, sequence, given[1], given[2], &step->place, &made));
    return htp_list_fill_grown(m, given[0], made);
}

htp_outcome htp_do_sequence_set_item(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(put_into(m, step, "aten::_set_item.t"));
    return htp_handler_give(m, outputs, step->inputs.items[0]);
}

htp_outcome htp_do_sequence_insert(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    return put_into(m, step, "aten::insert.t");
}

htp_outcome htp_do_sequence_pop(htp_machine *m, htp_step *step, htp_items *outputs)
{
    static const char *const names[] = {"self", "idx"};
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *list = step->inputs.items[0];
    htp_item *index = step->inputs.items[1];
    htp_item *sequence;
    HTP_DO(htp_sequence_of(m, list, &step->place, NULL, &sequence));
    htp_item *taken;
    HTP_DO(htp_sequence_item(m, sequence, index, &step->place, &taken));
    htp_item *rest;
    HTP_DO(htp_sequence_like(m, sequence, false, &rest));
    htp_items inputs = HTP_ITEMS(m, sequence, index);
    htp_items parts = HTP_ITEMS(m, sequence);
    htp_sequence_record(m, "aten::Delete.t", &inputs, names, rest, &parts, &step->place);
    HTP_DO(htp_list_fill_grown(m, list, rest));
    return htp_handler_give(m, outputs, taken);
}

htp_handler *htp_sequence_handler(const char *kind)
{
    static const htp_handler_row rows[] = {
        {"aten::stack", join},
        {"aten::cat", join},
        {"aten::len", find_length},
        {"aten::__getitem__", htp_do_grown_item},
        {"aten::_set_item", htp_do_sequence_set_item},
        {"aten::append", htp_do_grown_append},
        {"aten::extend", htp_do_grown_extend},
        {"aten::add_", htp_do_grown_extend},
        {"aten::add", htp_do_grown_add},
        {"aten::insert", htp_do_sequence_insert},
        {"aten::pop", htp_do_sequence_pop},
        {"aten::Delete", htp_do_sequence_pop},
        {"aten::list", htp_do_grown_copy},
        {"aten::copy", htp_do_grown_copy},
        {"aten::clear", htp_do_grown_clear},
    };
    return htp_handler_find_in(rows, sizeof(rows) / sizeof(rows[0]), kind);
}

/* A list that is one of known tensors on this side of a branch, and may have another length on the
 * other one. */
static bool is_open_list(const htp_item *value)
{
    return value->kind == HTP_ITEM_LIST && value->elements.count > 0 && !value->stacked &&
           htp_items_all(&value->elements, htp_is_tensor);
}

/* The same of what a list or tuple holds: a new one where that changes. */
static htp_outcome elements_as_output(htp_machine *m, htp_item *value, const htp_place *place,
                                      bool is_side, htp_item **output)
{
    const htp_items *all = &value->elements;
    htp_items elements = {0};
    for (size_t i = 0; i < all->count; i++) {
        htp_item *element;
        HTP_DO(htp_sequence_as_output(m, all->items[i], place, is_side, &element));
        htp_items_push(m, &elements, element);
    }
    *output =
        htp_items_are_equal(&elements, all) ? value : htp_item_hold(m, value->kind, &elements);
    return HTP_GOES_ON;
}

htp_outcome htp_sequence_as_output(htp_machine *m, htp_item *value, const htp_place *place,
                                   bool is_side, htp_item **output)
{
    if (is_side && is_open_list(value)) {
        htp_item *sequence;
        HTP_DO(htp_sequence_of(m, value, place, NULL, &sequence));
        *output = htp_list_grown(m, sequence, false);
        return HTP_GOES_ON;
    }
    if (value->stacked && (!is_side || !value->has_numbers)) {
        htp_item *made;
        HTP_DO(value->has_numbers ? htp_stack_up(m, value, place, &made)
                                  : htp_sequence_of(m, value, place, NULL, &made));
        *output = is_side ? htp_list_grown(m, made, false) : made;
        return HTP_GOES_ON;
    }
    *output = value;
    return htp_is_container(value) ? elements_as_output(m, value, place, is_side, output)
                                   : HTP_GOES_ON;
}
