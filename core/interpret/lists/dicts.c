/*
 * Dicts: their keys are known, but for one that is looked up.
 */
#include "interpret/lists/lists.h"

#include "interpret/lanes/execute.h"

static htp_outcome require_known_key(htp_machine *m, const htp_item *key)
{
    return htp_is_decided(key)
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_UNSUPPORTED, "a key of a dict depends on the inputs");
}

htp_outcome htp_dict_find(htp_machine *m, const htp_item *dict, const htp_item *key, size_t *at)
{
    HTP_DO(require_known_key(m, key));
    const htp_items *all = &dict->elements;
    for (size_t i = 0; i + 1 < all->count; i += 2) {
        if (htp_operand_is_equal(m->runner, &all->items[i]->lane[0], &key->lane[0])) {
            *at = i + 1;
            return HTP_GOES_ON;
        }
    }
    *at = all->count;
    return HTP_GOES_ON;
}

enum { KEYS = 0, VALUES = 1 };

/* A new list of the keys or values of a dict. */
static htp_item *list_of(htp_machine *m, const htp_item *dict, size_t which)
{
    htp_items taken = {0};
    for (size_t i = 0; i + 1 < dict->elements.count; i += 2) {
        htp_items_push(m, &taken, dict->elements.items[i + which]);
    }
    return htp_item_hold(m, HTP_ITEM_LIST, &taken);
}

/* A constant of one dim, of 8 bytes each. */
static htp_outcome make_row(htp_machine *m, int32_t type, const void *numbers, size_t count,
                            htp_item **row)
{
    int64_t dim = (int64_t)count;
    htp_making making = {
        .way = HTP_MAKE_OF_BYTES,
        .type = type,
        .rank = 1,
        .dims = &dim,
        .bytes = numbers,
        .byte_count = count * sizeof(int64_t),
    };
    const htp_runner_tensor *tensor;
    HTP_DO(htp_tensor_make(m, &making, &tensor));
    return htp_constant_tensor(m, tensor, true, row);
}

/* The keys of a dict, which are ints. */
static htp_outcome make_int_keys(htp_machine *m, const htp_item *dict, htp_item **row)
{
    size_t count = dict->elements.count / 2;
    int64_t *numbers = HTP_NEW_ARRAY(m->arena, int64_t, count);
    for (size_t i = 0; i < count; i++) {
        const htp_item *key = dict->elements.items[2 * i];
        if (!htp_is_int(key)) {
            return htp_machine_stop(m, HTP_FAILS, "a key of a dict is no int, as others are");
        }
        numbers[i] = key->lane[0].as.i;
    }
    return make_row(m, HTP_SCALAR_LONG, numbers, count, row);
}

static htp_outcome make_float_keys(htp_machine *m, const htp_item *dict, htp_item **row)
{
    size_t count = dict->elements.count / 2;
    double *numbers = HTP_NEW_ARRAY(m->arena, double, count);
    for (size_t i = 0; i < count; i++) {
        const htp_item *key = dict->elements.items[2 * i];
        if (!htp_is_number(key)) {
            return htp_machine_stop(m, HTP_FAILS, "a key of a dict is no number");
        }
        const htp_operand *number = &key->lane[0];
        numbers[i] = htp_is_float(key)  ? number->as.f
                     : htp_is_bool(key) ? (double)number->as.b
                                        : (double)number->as.i;
    }
    return make_row(m, HTP_SCALAR_DOUBLE, numbers, count, row);
}

/* Of a dict with numbers as keys: which one is @p key, as a tensor. */
static htp_outcome match(htp_machine *m, const htp_item *dict, htp_item *key,
                         const htp_place *place, htp_item **is_found)
{
    if (dict->elements.count < 2) {
        return htp_machine_stop(m, HTP_FAILS, "a key is looked up in a dict without any");
    }
    htp_item *keys;
    HTP_DO(htp_is_int(dict->elements.items[0]) ? make_int_keys(m, dict, &keys)
                                               : make_float_keys(m, dict, &keys));
    return htp_handler_run(m, "aten::eq", "Scalar", HTP_ITEMS(m, keys, key), place, is_found);
}

/* The position of a key that only a run knows among the known ones. One that is none of them is
 * behind the last value, where a run finds nothing, either. */
static htp_outcome find_position(htp_machine *m, const htp_item *dict, htp_item *key,
                                 const htp_place *place, htp_item **position)
{
    size_t count = dict->elements.count / 2;
    int64_t *steps = HTP_NEW_ARRAY(m->arena, int64_t, count);
    for (size_t i = 0; i < count; i++) {
        steps[i] = (int64_t)i - (int64_t)count;
    }
    htp_item *is_found;
    HTP_DO(match(m, dict, key, place, &is_found));
    htp_item *row;
    HTP_DO(make_row(m, HTP_SCALAR_LONG, steps, count, &row));
    htp_item *from_end;
    HTP_DO(
        htp_handler_run(m, "aten::mul", "Tensor", HTP_ITEMS(m, is_found, row), place, &from_end));
    htp_item *none = htp_item_none(m);
    htp_item *sum;
    HTP_DO(htp_handler_run(m, "aten::sum", "", HTP_ITEMS(m, from_end, none), place, &sum));
    htp_item *number;
    HTP_DO(htp_handler_run(m, "aten::Int", "Tensor", HTP_ITEMS(m, sum), place, &number));
    htp_item *end = htp_item_int(m, (int64_t)count);
    return htp_handler_run(m, "aten::add", "int", HTP_ITEMS(m, number, end), place, position);
}

htp_outcome htp_dict_value(htp_machine *m, htp_item *dict, htp_item *key, const htp_place *place,
                           htp_item **value)
{
    htp_item *values = list_of(m, dict, VALUES);
    if (htp_stack_is_looked_up(values, key)) {
        htp_item *position;
        HTP_DO(find_position(m, dict, key, place, &position));
        return htp_stack_look_up(m, values, position, place, value);
    }
    size_t found;
    HTP_DO(htp_dict_find(m, dict, key, &found));
    if (found == dict->elements.count) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "a key is not in its dict, %s",
                                htp_place_describe(m, place));
    }
    *value = dict->elements.items[found];
    return HTP_GOES_ON;
}

htp_outcome htp_dict_set(htp_machine *m, htp_item *dict, htp_item *key, htp_item *value)
{
    size_t found;
    HTP_DO(htp_dict_find(m, dict, key, &found));
    if (found == dict->elements.count) {
        htp_items_push(m, &dict->elements, key);
        htp_items_push(m, &dict->elements, value);
    } else {
        dict->elements.items[found] = value;
    }
    return HTP_GOES_ON;
}

/* {key: value, ..}: the last value of a key counts, in the place of the first one. */
htp_outcome htp_do_dict_construct(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_items nothing = {0};
    htp_item *made = htp_item_hold(m, HTP_ITEM_DICT, &nothing);
    for (size_t i = 0; i + 1 < step->inputs.count; i += 2) {
        HTP_DO(htp_dict_set(m, made, step->inputs.items[i], step->inputs.items[i + 1]));
    }
    return htp_handler_give(m, outputs, made);
}

/* update() of a dict by another one */
htp_outcome htp_do_update(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    HTP_DO(htp_handler_require(m, step, 2));
    htp_item *self = step->inputs.items[0];
    HTP_DO(htp_list_begin_change(m, self));
    const htp_items *known;
    HTP_DO(htp_list_known(m, step->inputs.items[1], &known));
    htp_items more = htp_items_copy(m, known); /* it may be the same dict */
    for (size_t i = 0; i + 1 < more.count; i += 2) {
        HTP_DO(htp_dict_set(m, self, more.items[i], more.items[i + 1]));
    }
    return HTP_GOES_ON;
}

htp_outcome htp_do_items(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_items *all = &step->inputs.items[0]->elements;
    htp_items pairs = {0};
    for (size_t i = 0; i + 1 < all->count; i += 2) {
        htp_items both = HTP_ITEMS(m, all->items[i], all->items[i + 1]);
        htp_items_push(m, &pairs, htp_item_hold(m, HTP_ITEM_TUPLE, &both));
    }
    return htp_handler_give(m, outputs, htp_item_hold(m, HTP_ITEM_LIST, &pairs));
}

/* Adds a list of pairs to a new dict: the last one of a key counts. */
static htp_outcome add_pairs(htp_machine *m, htp_item *dict, const htp_item *pairs)
{
    const htp_items *all;
    HTP_DO(htp_list_known(m, pairs, &all));
    for (size_t i = 0; i < all->count; i++) {
        const htp_items *both;
        HTP_DO(htp_list_known(m, all->items[i], &both));
        if (both->count < 2) {
            return htp_machine_stop(m, HTP_FAILS, "a dict is made of what is no pair");
        }
        HTP_DO(htp_dict_set(m, dict, both->items[0], both->items[1]));
    }
    return HTP_GOES_ON;
}

/* dict() of nothing, of a list of pairs, or of a dict */
htp_outcome htp_do_make_dict(htp_machine *m, htp_step *step, htp_items *outputs)
{
    htp_items nothing = {0};
    htp_item *made = htp_item_hold(m, HTP_ITEM_DICT, &nothing);
    const htp_item *from = step->inputs.count > 0 ? step->inputs.items[0] : NULL;
    if (from && from->kind == HTP_ITEM_DICT) {
        made->elements = htp_items_copy(m, &from->elements);
    } else if (from) {
        HTP_DO(add_pairs(m, made, from));
    }
    return htp_handler_give(m, outputs, made);
}

/* get(dict, key) and get(dict, key, otherwise) */
htp_outcome htp_do_get(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    const htp_item *self = step->inputs.items[0];
    size_t found;
    HTP_DO(htp_dict_find(m, self, step->inputs.items[1], &found));
    if (found < self->elements.count) {
        return htp_handler_give(m, outputs, self->elements.items[found]);
    }
    return htp_handler_give(m, outputs,
                            step->inputs.count > 2 ? step->inputs.items[2] : htp_item_none(m));
}

/* setdefault(dict, key, value): what the key has, which is the value where it had none. */
htp_outcome htp_do_set_default(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 3));
    htp_item *self = step->inputs.items[0];
    size_t found;
    HTP_DO(htp_dict_find(m, self, step->inputs.items[1], &found));
    if (found < self->elements.count) {
        return htp_handler_give(m, outputs, self->elements.items[found]);
    }
    HTP_DO(htp_list_begin_change(m, self));
    HTP_DO(htp_dict_set(m, self, step->inputs.items[1], step->inputs.items[2]));
    return htp_handler_give(m, outputs, step->inputs.items[2]);
}

/* popitem(dict): the first key and its value, where Python takes the last ones. */
htp_outcome htp_do_pop_item(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    htp_item *self = step->inputs.items[0];
    if (self->elements.count < 2) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "an item is taken out of an empty dict, %s",
                                htp_place_describe(m, &step->place));
    }
    htp_items pair = HTP_ITEMS(m, self->elements.items[0], self->elements.items[1]);
    htp_items value = {0};
    step->inputs = HTP_ITEMS(m, self, pair.items[0]);
    HTP_DO(htp_do_pop(m, step, &value));
    return htp_handler_give(m, outputs, htp_item_hold(m, HTP_ITEM_TUPLE, &pair));
}

/* Whether a dict has a key that only a run knows. */
static htp_outcome match_any(htp_machine *m, const htp_item *dict, htp_item *key,
                             const htp_place *place, htp_item **has_key)
{
    htp_item *is_found;
    HTP_DO(match(m, dict, key, place, &is_found));
    htp_item *any;
    HTP_DO(htp_handler_run(m, "aten::any", "", HTP_ITEMS(m, is_found), place, &any));
    return htp_handler_run(m, "aten::Bool", "Tensor", HTP_ITEMS(m, any), place, has_key);
}

htp_outcome htp_do_contains(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    const htp_item *self = step->inputs.items[0];
    htp_item *key = step->inputs.items[1];
    if (self->kind != HTP_ITEM_DICT) {
        return htp_list_contains(m, step, outputs);
    }
    if (htp_stack_is_looked_up(self, key)) {
        htp_item *has_key;
        HTP_DO(match_any(m, self, key, &step->place, &has_key));
        return htp_handler_give(m, outputs, has_key);
    }
    size_t found;
    HTP_DO(htp_dict_find(m, self, key, &found));
    return htp_handler_give(m, outputs, htp_item_bool(m, found != self->elements.count));
}

htp_outcome htp_do_keys(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    return htp_handler_give(m, outputs, list_of(m, step->inputs.items[0], KEYS));
}

htp_outcome htp_do_dict_values(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    return htp_handler_give(m, outputs, list_of(m, step->inputs.items[0], VALUES));
}
