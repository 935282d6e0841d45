/*
 * Operators on lists of tensors of different sizes, and such lists as outputs.
 */
#include "interpret/lists/lists.h"
#include "interpret/sizes/open_items.h"

#include <string.h>

/* Adds a dim of size 1 to a tensor. */
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

/* stack(), cat(): elements have equal sizes here, or libtorch would refuse them. */
htp_outcome htp_do_sequence_join(htp_machine *m, htp_step *step, htp_items *outputs)
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
    HTP_DO(htp_sequence_element(m, sequence, &made));
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

htp_outcome htp_do_sequence_length(htp_machine *m, htp_step *step, htp_items *outputs)
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
    HTP_DO(htp_sequence_put(m, kind, sequence, given[1], given[2], &step->place, &made));
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

/* A list with known elements on this side of a branch, whose length may differ on the other one. */
static bool is_open_list(const htp_item *value)
{
    return value->kind == HTP_ITEM_LIST && value->elements.count > 0 && !value->stacked &&
           htp_items_all(&value->elements, htp_is_tensor);
}

/* The same for elements of a list or tuple: makes a new one if an element changes. */
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
