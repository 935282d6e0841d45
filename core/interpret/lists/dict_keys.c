/*
 * Keys of dicts: known ones, or data-dependent ones, which are looked up at run time.
 */
#include "interpret/lists/lists.h"
#include "interpret/machine/costs.h"

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
    htp_machine_charge(m, all->count);
    HTP_DO(htp_machine_tick(m)); /* a node may make a dict of any length */
    for (size_t i = 0; i + 1 < all->count; i += 2) {
        if (htp_operand_is_equal(m->runner, &all->items[i]->lane[0], &key->lane[0])) {
            *at = i + 1;
            return HTP_GOES_ON;
        }
    }
    *at = all->count;
    return HTP_GOES_ON;
}

htp_item *htp_dict_list(htp_machine *m, const htp_item *dict, size_t which)
{
    htp_items taken = {0};
    for (size_t i = 0; i + 1 < dict->elements.count; i += 2) {
        htp_items_push(m, &taken, dict->elements.items[i + which]);
    }
    return htp_item_hold(m, HTP_ITEM_LIST, &taken);
}

/* A 1-d constant with elements of 8 bytes. */
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

/* The keys of a dict of ints. */
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

htp_outcome htp_dict_match(htp_machine *m, const htp_item *dict, htp_item *key,
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

/* The position of a data-dependent key among the known ones. A missing key gets the position after
 * the last value, so that the run fails, as it should. */
static htp_outcome find_position(htp_machine *m, const htp_item *dict, htp_item *key,
                                 const htp_place *place, htp_item **position)
{
    size_t count = dict->elements.count / 2;
    int64_t *steps = HTP_NEW_ARRAY(m->arena, int64_t, count);
    for (size_t i = 0; i < count; i++) {
        steps[i] = (int64_t)i - (int64_t)count;
    }
    htp_item *is_found;
    HTP_DO(htp_dict_match(m, dict, key, place, &is_found));
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
    htp_item *values = htp_dict_list(m, dict, HTP_DICT_VALUES);
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
