/*
 * Lists, tuples and dicts with known elements: they need no ONNX operator.
 */
#include "interpret/lists/lists.h"

#include "interpret/lanes/execute.h"

htp_outcome htp_list_known(htp_machine *m, const htp_item *list, const htp_items **elements)
{
    *elements = &list->elements;
    return htp_is_container(list)
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_UNSUPPORTED, "the length of a list depends on the data");
}

htp_outcome htp_list_position(htp_machine *m, const htp_item *list, const htp_item *index,
                              const htp_place *place, size_t *position)
{
    int64_t size = (int64_t)list->elements.count;
    int64_t at;
    HTP_DO(htp_item_require_number(m, index, place, &at));
    at = at < 0 ? at + size : at;
    if (at < 0 || at >= size) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "an index is out of the range of its list, %s",
                                htp_place_describe(m, place));
    }
    *position = (size_t)at;
    return HTP_GOES_ON;
}

htp_outcome htp_do_get_item(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *self = step->inputs.items[0];
    htp_item *index = step->inputs.items[1];
    htp_item *found = self;
    if (self->kind == HTP_ITEM_DICT) {
        HTP_DO(htp_dict_value(m, self, index, &step->place, &found));
    } else if (self->kind == HTP_ITEM_LIST && !self->is_growing &&
               htp_stack_is_looked_up(self, index)) {
        HTP_DO(htp_stack_look_up(m, self, index, &step->place, &found));
    } else if (htp_is_container(self)) {
        size_t at;
        HTP_DO(htp_list_position(m, self, index, &step->place, &at));
        found = self->elements.items[at];
    } else if (self->kind != HTP_ITEM_UNKNOWN) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    return htp_handler_give(m, outputs, found);
}

htp_outcome htp_do_set_item(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 3));
    htp_item *self = step->inputs.items[0];
    htp_item *value = step->inputs.items[2];
    HTP_DO(htp_list_begin_change(m, self));
    if (self->kind == HTP_ITEM_DICT) {
        return htp_dict_set(m, self, step->inputs.items[1], value);
    }
    size_t at;
    HTP_DO(htp_list_position(m, self, step->inputs.items[1], &step->place, &at));
    self->elements.items[at] = value;
    return htp_handler_give(m, outputs, self);
}

htp_outcome htp_do_len(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_item *self = step->inputs.items[0];
    size_t size = self->elements.count;
    int64_t length = (int64_t)(self->kind == HTP_ITEM_DICT ? size / 2 : size);
    return htp_handler_give(m, outputs, htp_item_int(m, length));
}

htp_outcome htp_do_append(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *self = step->inputs.items[0];
    HTP_DO(htp_list_begin_change(m, self));
    htp_items_push(m, &self->elements, step->inputs.items[1]);
    return htp_handler_give(m, outputs, self);
}

htp_outcome htp_do_extend(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *self = step->inputs.items[0];
    HTP_DO(htp_list_begin_change(m, self));
    const htp_items *known;
    HTP_DO(htp_list_known(m, step->inputs.items[1], &known));
    htp_items more = htp_items_copy(m, known); /* it may be the same list */
    htp_items_add(m, &self->elements, &more);
    return htp_handler_give(m, outputs, self);
}

static void take_out(htp_items *all, size_t at, size_t count)
{
    for (size_t i = at; i + count < all->count; i++) {
        all->items[i] = all->items[i + count];
    }
    all->count -= count;
}

static htp_outcome pop_key(htp_machine *m, htp_step *step, htp_items *outputs)
{
    htp_item *self = step->inputs.items[0];
    size_t found;
    HTP_DO(htp_dict_find(m, self, step->inputs.items[1], &found));
    if (found < self->elements.count) {
        HTP_DO(htp_list_begin_change(m, self));
        htp_item *value = self->elements.items[found];
        take_out(&self->elements, found - 1, 2);
        return htp_handler_give(m, outputs, value);
    }
    if (step->inputs.count < 3) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "a key is not in its dict, %s",
                                htp_place_describe(m, &step->place));
    }
    return htp_handler_give(m, outputs, step->inputs.items[2]);
}

/* pop(); and del, whose node has no output. */
htp_outcome htp_do_pop(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *self = step->inputs.items[0];
    if (self->kind == HTP_ITEM_DICT) {
        return pop_key(m, step, outputs);
    }
    size_t at;
    HTP_DO(htp_list_position(m, self, step->inputs.items[1], &step->place, &at));
    HTP_DO(htp_list_begin_change(m, self));
    htp_item *taken = self->elements.items[at];
    take_out(&self->elements, at, 1);
    return htp_handler_give(m, outputs, taken);
}

/* An index or bound, counted from the end if negative, clamped to a range. */
static int64_t clamp(int64_t at, int64_t size, int64_t least, int64_t most)
{
    at = at < 0 ? at + size : at;
    at = at < least ? least : at;
    return at > most ? most : at;
}

htp_outcome htp_do_insert(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    HTP_DO(htp_handler_require(m, step, 3));
    htp_item *self = step->inputs.items[0];
    int64_t asked;
    HTP_DO(htp_item_require_number(m, step->inputs.items[1], &step->place, &asked));
    HTP_DO(htp_list_begin_change(m, self));
    htp_items *all = &self->elements;
    int64_t size = (int64_t)all->count;
    size_t at = (size_t)clamp(asked, size, 0, size);
    htp_items_push(m, all, step->inputs.items[2]);
    for (size_t i = all->count - 1; i > at; i--) {
        all->items[i] = all->items[i - 1];
    }
    all->items[at] = step->inputs.items[2];
    return HTP_GOES_ON;
}

htp_outcome htp_do_clear(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    HTP_DO(htp_handler_require(m, step, 1));
    HTP_DO(htp_list_begin_change(m, step->inputs.items[0]));
    step->inputs.items[0]->elements.count = 0;
    return HTP_GOES_ON;
}

htp_outcome htp_do_reverse(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    HTP_DO(htp_handler_require(m, step, 1));
    HTP_DO(htp_list_begin_change(m, step->inputs.items[0]));
    htp_items *all = &step->inputs.items[0]->elements;
    for (size_t i = 0; i < all->count / 2; i++) {
        htp_item *first = all->items[i];
        all->items[i] = all->items[all->count - 1 - i];
        all->items[all->count - 1 - i] = first;
    }
    return HTP_GOES_ON;
}

htp_outcome htp_do_concatenate(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    const htp_items *more;
    HTP_DO(htp_list_known(m, step->inputs.items[1], &more));
    htp_items all = htp_items_copy(m, &step->inputs.items[0]->elements);
    htp_items_add(m, &all, more);
    return htp_handler_give(m, outputs, htp_item_hold(m, HTP_ITEM_LIST, &all));
}

/* The begin or end of a slice. With a negative step, bounds are one less: -1 is before the first
 * element. */
static htp_outcome find_bound(htp_machine *m, const htp_step *step, size_t input, int64_t least,
                              int64_t otherwise, int64_t *bound)
{
    const htp_item *item = step->inputs.items[input];
    int64_t size = (int64_t)step->inputs.items[0]->elements.count;
    *bound = otherwise;
    if (!htp_is_none(item)) {
        int64_t asked;
        HTP_DO(htp_item_require_number(m, item, &step->place, &asked));
        *bound = clamp(asked, size, least, size + least);
    }
    return HTP_GOES_ON;
}

htp_outcome htp_do_slice(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 4));
    const htp_items *all = &step->inputs.items[0]->elements;
    int64_t size = (int64_t)all->count;
    int64_t stride;
    HTP_DO(htp_item_require_number(m, step->inputs.items[3], &step->place, &stride));
    if (stride == 0) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "a slice of a list has a step of 0, %s",
                                htp_place_describe(m, &step->place));
    }
    int64_t least = stride > 0 ? 0 : -1;
    int64_t begin;
    int64_t end;
    HTP_DO(find_bound(m, step, 1, least, stride > 0 ? 0 : size - 1, &begin));
    HTP_DO(find_bound(m, step, 2, least, stride > 0 ? size : -1, &end));
    htp_items taken = {0};
    for (int64_t i = begin; stride > 0 ? i < end : i > end;) {
        htp_items_push(m, &taken, all->items[i]);
        bool is_last = stride > 0 ? stride >= end - i : stride <= end - i;
        i = is_last ? end : i + stride;
    }
    return htp_handler_give(m, outputs, htp_item_hold(m, HTP_ITEM_LIST, &taken));
}

htp_outcome htp_do_copy_list(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_item *self = step->inputs.items[0];
    return htp_handler_give(m, outputs, htp_item_hold(m, self->kind, &self->elements));
}
