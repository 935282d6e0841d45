/*
 * Dicts with known keys; a key that is looked up may be data-dependent.
 */
#include "interpret/lists/lists.h"

#include "interpret/lanes/execute.h"

/* {key: value, ..}: of duplicates, the last value counts, at the position of the first. */
htp_outcome htp_do_dict_construct(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_items nothing = {0};
    htp_item *made = htp_item_hold(m, HTP_ITEM_DICT, &nothing);
    for (size_t i = 0; i + 1 < step->inputs.count; i += 2) {
        HTP_DO(htp_dict_set(m, made, step->inputs.items[i], step->inputs.items[i + 1]));
    }
    return htp_handler_give(m, outputs, made);
}

/* update() of a dict from another one */
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

/* Adds a list of pairs to a new dict: of duplicates, the last counts. */
static htp_outcome add_pairs(htp_machine *m, htp_item *dict, const htp_item *pairs)
{
    const htp_items *all;
    HTP_DO(htp_list_known(m, pairs, &all));
    for (size_t i = 0; i < all->count; i++) {
        const htp_items *both;
        HTP_DO(htp_list_known(m, all->items[i], &both));
        if (both->count < 2) {
            return htp_machine_stop(m, HTP_FAILS, "a dict is made of something that is no pair");
        }
        HTP_DO(htp_dict_set(m, dict, both->items[0], both->items[1]));
    }
    return HTP_GOES_ON;
}

/* dict() without an argument, of a list of pairs, or of a dict */
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

/* setdefault(dict, key, value): the value of the key, inserted if it is missing. */
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

/* popitem(dict): the first entry, unlike Python, which takes the last. */
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

/* Whether a dict has a data-dependent key. */
static htp_outcome match_any(htp_machine *m, const htp_item *dict, htp_item *key,
                             const htp_place *place, htp_item **has_key)
{
    htp_item *is_found;
    HTP_DO(htp_dict_match(m, dict, key, place, &is_found));
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
    return htp_handler_give(m, outputs, htp_dict_list(m, step->inputs.items[0], HTP_DICT_KEYS));
}

htp_outcome htp_do_dict_values(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    return htp_handler_give(m, outputs, htp_dict_list(m, step->inputs.items[0], HTP_DICT_VALUES));
}
