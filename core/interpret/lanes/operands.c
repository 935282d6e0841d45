/*
 * Operands of a call in a lane: assembles lists, and prepares tensors for a kernel.
 */
#include "interpret/lanes/lanes.h"

#include "interpret/machine/costs.h"
#include "interpret/operators/operator_facts.h"

#include <string.h>

enum { MAX_NESTING = 64 };

/* How an item is assembled. */
typedef struct joining {
    size_t lane;
    size_t argument;
    htp_replace *replace; /* replaces tensors; or NULL */
} joining;

static htp_outcome join(htp_machine *m, const htp_item *item, const joining *how, size_t depth,
                        htp_operand *operand);

/* The elements of a list or tuple, with tensors unchanged. */
static htp_outcome join_elements(htp_machine *m, const htp_item *item, const joining *how,
                                 size_t depth, htp_operand *operand)
{
    bool is_list = item->kind == HTP_ITEM_LIST;
    const joining within = {how->lane, how->argument, is_list ? how->replace : NULL};
    htp_machine_charge(m, item->elements.count);
    htp_operand *elements = HTP_NEW_ARRAY(m->arena, htp_operand, item->elements.count);
    for (size_t i = 0; i < item->elements.count; i++) {
        HTP_DO(join(m, item->elements.items[i], &within, depth + 1, &elements[i]));
    }
    *operand = (htp_operand){.kind = is_list ? HTP_OPERAND_LIST : HTP_OPERAND_TUPLE,
                             .count = (uint32_t)item->elements.count,
                             .type = HTP_NONE,
                             .as.elements = elements};
    return HTP_GOES_ON;
}

static htp_outcome join(htp_machine *m, const htp_item *item, const joining *how, size_t depth,
                        htp_operand *operand)
{
    if (depth > MAX_NESTING) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a list or tuple is nested too deeply");
    }
    switch (item->kind) {
    case HTP_ITEM_LIST:
    case HTP_ITEM_TUPLE:
        return join_elements(m, item, how, depth, operand);
    case HTP_ITEM_DICT:
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a dict goes to an operator");
    case HTP_ITEM_OBJECT:
        *operand = (htp_operand){.kind = HTP_OPERAND_OBJECT, .as.object = item->object};
        return HTP_GOES_ON;
    case HTP_ITEM_PLAIN:
    case HTP_ITEM_TENSOR:
    case HTP_ITEM_UNKNOWN:
        break;
    }
    *operand = item->lane[how->lane];
    if (operand->kind == HTP_OPERAND_DEVICE) {
        *operand = htp_devices_for_kernels(operand);
    }
    if (operand->kind == HTP_OPERAND_TENSOR && how->replace) {
        return how->replace(m, how->argument, operand->as.tensor, &operand->as.tensor);
    }
    return HTP_GOES_ON;
}

static htp_outcome join_all(htp_machine *m, const htp_item *item, const joining *how, uint32_t type,
                            htp_operand *operand)
{
    HTP_DO(join(m, item, how, 0, operand));
    if (operand->kind == HTP_OPERAND_LIST) {
        operand->type = type;
    }
    return HTP_GOES_ON;
}

htp_outcome htp_item_operand(htp_machine *m, const htp_item *item, size_t lane, uint32_t type,
                             htp_operand *operand)
{
    const joining how = {.lane = lane};
    return join_all(m, item, &how, type, operand);
}

htp_outcome htp_call_operands(htp_machine *m, const htp_call *call, size_t lane,
                              htp_replace *replace, htp_operand **operands)
{
    size_t count = call->inputs.count;
    htp_operand *all = HTP_NEW_ARRAY(m->arena, htp_operand, count);
    for (size_t i = 0; i < count; i++) {
        const joining how = {lane, i, replace};
        HTP_DO(join_all(m, call->inputs.items[i], &how, HTP_NONE, &all[i]));
    }
    *operands = all;
    return HTP_GOES_ON;
}

htp_outcome htp_tensor_hide(htp_machine *m, size_t index, const htp_runner_tensor *tensor,
                            const htp_runner_tensor **made)
{
    (void)index;
    *made = tensor;
    const htp_making making = {.way = HTP_MAKE_WITHOUT, .of = tensor};
    return tensor->is_real ? htp_tensor_make(m, &making, made) : HTP_GOES_ON;
}

/* The element type of an empty list that its schema leaves open. */
static uint32_t list_type(const htp_machine *m, const htp_call *call, size_t index)
{
    if (index >= call->schema.argument_count || !call->node || index >= call->node->input_count) {
        return HTP_NONE;
    }
    uint32_t declared = call->schema.arguments[index].type;
    if (declared == HTP_NONE || !m->program->types[declared].is_free) {
        return HTP_NONE;
    }
    const htp_program_function *function = &m->program->functions[call->place->function];
    return function->values[call->node->inputs[index]].type;
}

/* Copies the geometry of operands that are written, since the operator may change it; and known
 * contents, which the other side of a branch reads, too. */
static htp_outcome make_ready(htp_machine *m, const htp_call *call, size_t index, htp_mode mode,
                              htp_operand *operand)
{
    const htp_item *item = call->inputs.items[index];
    const htp_runner_tensor *tensor = operand->as.tensor;
    if (mode == HTP_MODE_SIZES && htp_operator_is_size_operand(&call->schema, index)) {
        return htp_is_real(item) && !htp_is_data(item)
                   ? HTP_GOES_ON
                   : htp_machine_stop(m, HTP_UNSUPPORTED,
                                      "sizes that it is given depend on the data");
    }
    if (mode == HTP_MODE_SIZES && tensor->is_real) {
        return htp_tensor_hide(m, index, tensor, &operand->as.tensor);
    }
    if (index >= call->schema.argument_count || !call->schema.arguments[index].is_written) {
        return HTP_GOES_ON;
    }
    const htp_making making = {.way = tensor->is_real ? HTP_MAKE_COPY : HTP_MAKE_ALIAS,
                               .of = tensor};
    return htp_tensor_make(m, &making, &operand->as.tensor);
}

htp_operand htp_operand_no_contents(void)
{
    static const char device[] = "meta";
    return (htp_operand){
        .kind = HTP_OPERAND_DEVICE, .as.text = device, .bytes = sizeof(device) - 1};
}

/* Pinned memory is for transfers to another device; here is none. */
static bool is_pinning(const htp_call *call, size_t index)
{
    return index < call->schema.argument_count &&
           strcmp(call->schema.arguments[index].name, "pin_memory") == 0;
}

htp_outcome htp_call_operand(htp_machine *m, const htp_call *call, size_t index, size_t lane,
                             htp_mode mode, htp_operand *operand)
{
    if (index >= call->inputs.count) {
        return htp_machine_stop(m, HTP_FAILS, "%s is given %zu operands", call->schema.kind,
                                call->inputs.count);
    }
    const htp_item *item = call->inputs.items[index];
    bool is_hidden = mode == HTP_MODE_SIZES && htp_is_container(item);
    const joining how = {lane, index, is_hidden ? htp_tensor_hide : NULL};
    HTP_DO(join_all(m, item, &how, list_type(m, call, index), operand));
    if (operand->kind == HTP_OPERAND_TENSOR) {
        return make_ready(m, call, index, mode, operand);
    }
    if (operand->kind == HTP_OPERAND_DEVICE && mode == HTP_MODE_SIZES) {
        *operand = htp_operand_no_contents();
    }
    if (is_pinning(call, index)) {
        operand->kind = HTP_OPERAND_NONE;
    }
    return HTP_GOES_ON;
}
