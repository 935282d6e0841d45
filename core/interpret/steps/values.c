/*
 * Operators on values that need no ONNX operator: pass-through, queries of objects and types,
 * tuples.
 */
#include "interpret/steps/handlers.h"

#include "interpret/lanes/execute.h"

#include <string.h>

htp_outcome htp_do_same(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    return htp_handler_give(m, outputs, step->inputs.items[0]);
}

htp_outcome htp_do_nothing(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)m;
    (void)step;
    (void)outputs;
    return HTP_GOES_ON;
}

htp_outcome htp_do_unset(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)step;
    htp_item *item = htp_item_none(m);
    item->is_unset = true;
    return htp_handler_give(m, outputs, item);
}

htp_outcome htp_do_unwrap(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    if (htp_is_none(step->inputs.items[0])) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "None instead of a value, %s",
                                htp_place_describe(m, &step->place));
    }
    return htp_handler_give(m, outputs, step->inputs.items[0]);
}

static htp_outcome find_identity(htp_machine *m, const htp_step *step, bool *is_same)
{
    HTP_DO(htp_handler_require(m, step, 2));
    const htp_item *a = step->inputs.items[0];
    const htp_item *b = step->inputs.items[1];
    if (a->kind == HTP_ITEM_UNKNOWN || b->kind == HTP_ITEM_UNKNOWN) {
        return htp_machine_refuse(m, &step->place, "a branch depends on the data");
    }
    *is_same = a == b || (htp_is_none(a) && htp_is_none(b));
    return HTP_GOES_ON;
}

/* The overload of aten::eq and aten::ne for two numbers of one type, which are the same if they are
 * equal; NULL for other values. */
static const char *find_comparison(const htp_step *step)
{
    const htp_items *both = &step->inputs;
    if (both->count != 2 || !htp_is_number(both->items[0]) || !htp_is_number(both->items[1]) ||
        both->items[0]->lane[0].kind != both->items[1]->lane[0].kind) {
        return NULL;
    }
    const htp_operand_kind kind = both->items[0]->lane[0].kind;
    return kind == HTP_OPERAND_INT     ? "int"
           : kind == HTP_OPERAND_FLOAT ? "float"
           : kind == HTP_OPERAND_BOOL  ? "bool"
                                       : NULL;
}

/* Gives whether two values are one; with @p negates, whether they are not. */
static htp_outcome give_identity(htp_machine *m, htp_step *step, bool negates, htp_items *outputs)
{
    const char *overload = find_comparison(step);
    if (overload) {
        const char *compare = negates ? "aten::ne" : "aten::eq";
        htp_item *result;
        HTP_DO(htp_handler_run(m, compare, overload, step->inputs, &step->place, &result));
        return htp_handler_give(m, outputs, result);
    }
    bool is_same;
    HTP_DO(find_identity(m, step, &is_same));
    return htp_handler_give(m, outputs, htp_item_bool(m, is_same != negates));
}

htp_outcome htp_do_is(htp_machine *m, htp_step *step, htp_items *outputs)
{
    return give_identity(m, step, false, outputs);
}

htp_outcome htp_do_is_not(htp_machine *m, htp_step *step, htp_items *outputs)
{
    return give_identity(m, step, true, outputs);
}

htp_outcome htp_do_isinstance(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_item *item = step->inputs.items[0];
    if (item->kind == HTP_ITEM_UNKNOWN) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a branch depends on the data");
    }
    htp_operand value = {0};
    HTP_DO(htp_item_operand(m, item, 0, HTP_NONE, &value));
    bool is_instance =
        m->runner->is_instance(m->runner->self, step->place.function, step->place.node, &value);
    return htp_handler_give(m, outputs, htp_item_bool(m, is_instance));
}

htp_outcome htp_do_list_construct(htp_machine *m, htp_step *step, htp_items *outputs)
{
    return htp_handler_give(m, outputs, htp_item_hold(m, HTP_ITEM_LIST, &step->inputs));
}

htp_outcome htp_do_tuple_construct(htp_machine *m, htp_step *step, htp_items *outputs)
{
    return htp_handler_give(m, outputs, htp_item_hold(m, HTP_ITEM_TUPLE, &step->inputs));
}

/* Records and refuses the unpacking of a wrong number of elements. */
static htp_outcome refuse_unpacking(htp_machine *m, const htp_step *step)
{
    static const char *const names[] = {""};
    const htp_item *packed = step->inputs.items[0];
    uint32_t count = step->node->output_count;
    const char *reason = htp_arena_printf(m->arena, "a sequence of %zu is unpacked into %u ",
                                          packed->elements.count, (unsigned)count);
    uint32_t *made = HTP_NEW_ARRAY(m->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        made[i] = htp_item_make(m, HTP_ITEM_UNKNOWN)->id;
    }
    htp_recorded_node node = {
        .kind = step->node->kind,
        .schema = HTP_NONE,
        .inputs = &packed->id,
        .input_names = names,
        .input_count = 1,
        .outputs = made,
        .output_count = count,
        .place = step->place,
        .failure = reason,
    };
    htp_recording_add(m, &node);
    return htp_machine_stop(m, HTP_BAD_INPUTS, "%s%s", reason, htp_place_describe(m, &step->place));
}

htp_outcome htp_do_unpack(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    htp_item *packed = step->inputs.items[0];
    uint32_t count = step->node->output_count;
    if (packed->kind == HTP_ITEM_UNKNOWN) {
        for (uint32_t i = 0; i < count; i++) {
            htp_items_push(m, outputs, packed);
        }
        return HTP_GOES_ON;
    }
    if (packed->elements.count != count) {
        return refuse_unpacking(m, step);
    }
    htp_items_add(m, outputs, &packed->elements);
    return HTP_GOES_ON;
}

htp_outcome htp_do_tuple_slice(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_items *all = &step->inputs.items[0]->elements;
    int64_t begin = step->node->begin;
    int64_t end = step->node->end;
    if (begin < 0 || begin > end || (uint64_t)end > all->count) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "a slice of a tuple is out of range");
    }
    htp_items part = {0};
    for (int64_t i = begin; i < end; i++) {
        htp_items_push(m, &part, all->items[i]);
    }
    return htp_handler_give(m, outputs, htp_item_hold(m, HTP_ITEM_TUPLE, &part));
}

/* divmod() of two ints that depend on inputs. */
htp_outcome htp_do_divmod(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 2));
    const htp_item *a = step->inputs.items[0];
    const htp_item *b = step->inputs.items[1];
    if (!htp_is_int(a) || !htp_is_int(b) || (htp_is_decided(a) && htp_is_decided(b))) {
        return htp_execute_node(m, &step->inputs, &step->place, outputs);
    }
    htp_item *quotient;
    htp_item *rest;
    HTP_DO(htp_execute(m, "aten::floordiv", "int", &step->inputs, &step->place, &quotient));
    HTP_DO(htp_execute(m, "aten::remainder", "int", &step->inputs, &step->place, &rest));
    HTP_DO(htp_handler_give(m, outputs, quotient));
    return htp_handler_give(m, outputs, rest);
}
