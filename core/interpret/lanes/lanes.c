/*
 * Kernels in every lane: their operands, and what they give.
 */
#include "interpret/lanes/execute.h"

#include <string.h>

/* ---- operands ---- */

/* How an item is put together. */
typedef struct joining {
    size_t lane;
    size_t argument;
    htp_replace *replace; /* of tensors; NULL */
} joining;

enum { MOST_NESTING = 64 };

static htp_outcome join(htp_machine *m, const htp_item *item, const joining *how, size_t depth,
                        htp_operand *operand);

/* A list's elements, or a tuple's, whose tensors stay as they are. */
static htp_outcome join_elements(htp_machine *m, const htp_item *item, const joining *how,
                                 size_t depth, htp_operand *operand)
{
    bool is_list = item->kind == HTP_ITEM_LIST;
    const joining within = {how->lane, how->argument, is_list ? how->replace : NULL};
    htp_operand *elements = HTP_NEW_ARRAY(m->arena, htp_operand, item->elements.count);
    for (size_t i = 0; i < item->elements.count; i++) {
        HTP_DO(join(m, item->elements.items[i], &within, depth + 1, &elements[i]));
    }
    *operand = (htp_operand){.kind = is_list ? HTP_OPERAND_LIST : HTP_OPERAND_TUPLE,
                             .count = (uint32_t)item->elements.count,
                             .type = HTP_SHIM_NONE,
                             .as.elements = elements};
    return HTP_GOES_ON;
}

static htp_outcome join(htp_machine *m, const htp_item *item, const joining *how, size_t depth,
                        htp_operand *operand)
{
    if (depth > MOST_NESTING) {
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
        HTP_DO(join_all(m, call->inputs.items[i], &how, HTP_SHIM_NONE, &all[i]));
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

/* The type of an empty list whose schema does not tell it: nothing else does. */
static uint32_t list_type(const htp_machine *m, const htp_call *call, size_t index)
{
    if (index >= call->schema.argument_count || !call->node || index >= call->node->input_count) {
        return HTP_SHIM_NONE;
    }
    uint32_t declared = call->schema.arguments[index].type;
    if (declared == HTP_PROGRAM_NONE || !m->program->types[declared].is_free) {
        return HTP_SHIM_NONE;
    }
    const htp_program_function *function = &m->program->functions[call->place->function];
    return function->values[call->node->inputs[index]].type;
}

/* Of what is written sizes and strides stay as they are, whatever the operator does to them; and so
 * do known contents, which the other side of a branch reads, too. */
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

static htp_operand no_contents(void)
{
    static const char device[] = "meta";
    return (htp_operand){
        .kind = HTP_OPERAND_DEVICE, .as.text = device, .bytes = sizeof(device) - 1};
}

/* Memory is pinned for transfers to another device, which there is none of. */
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
        *operand = no_contents();
    }
    if (is_pinning(call, index)) {
        operand->kind = HTP_OPERAND_NONE;
    }
    return HTP_GOES_ON;
}

/* ---- memories ---- */

typedef HTP_VECTOR(uint64_t) storage_list;

static void list_storages(htp_machine *m, const htp_operand *operand, storage_list *storages)
{
    if (operand->kind == HTP_OPERAND_TENSOR) {
        HTP_PUSH(m->arena, storages, operand->as.tensor->storage);
    }
    for (uint32_t i = 0; operand->kind == HTP_OPERAND_LIST && i < operand->count; i++) {
        list_storages(m, &operand->as.elements[i], storages);
    }
}

void htp_call_note_storages(htp_machine *m, htp_call *call, size_t lane,
                            const htp_operand *operands, size_t count)
{
    htp_storages *noted = HTP_NEW_ARRAY(m->arena, htp_storages, call->inputs.count);
    for (size_t i = 0; i < count && i < call->inputs.count; i++) {
        storage_list storages = {0};
        list_storages(m, &operands[i], &storages);
        noted[i] = (htp_storages){storages.items, storages.count};
    }
    call->storages[lane] = noted;
}

/* ---- kernels ---- */

htp_lanes htp_lanes_make(htp_machine *m, size_t count)
{
    htp_lanes lanes = {.count = count};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        lanes.lane[lane] = HTP_NEW_ARRAY(m->arena, htp_operand, count);
    }
    return lanes;
}

/* Factories without a device would make real tensors. */
static void keep_from_making_real(const htp_call *call, htp_operand *given)
{
    for (size_t i = 0; i < call->inputs.count && i < call->schema.argument_count; i++) {
        if (given[i].kind == HTP_OPERAND_NONE &&
            strcmp(call->schema.arguments[i].name, "device") == 0 &&
            !htp_item_has_tensors(call->inputs.items[0])) {
            given[i] = no_contents();
        }
    }
}

static htp_outcome run_on_sizes(htp_machine *m, const htp_call *call, size_t lane,
                                htp_operand *given, htp_operand **outputs, size_t *count)
{
    if (call->schema.needs_contents) {
        return htp_call_run_on_stand_ins(m, call, lane, outputs, count);
    }
    if (htp_call_gives_operand(call, given)) {
        *outputs = htp_operands_copy(m, given, 1);
        *count = 1;
        return HTP_GOES_ON;
    }
    keep_from_making_real(call, given);
    HTP_DO(htp_call_check_positions(m, call, lane));
    htp_run_mode mode = call->is_elsewhere ? HTP_RUN_ELSEWHERE : HTP_RUN_SIZES;
    htp_outcome outcome =
        htp_schema_run(m, call->schema_number, mode, given, call->inputs.count, outputs, count);
    return outcome == HTP_NO_KERNEL ? htp_call_run_on_stand_ins(m, call, lane, outputs, count)
                                    : outcome;
}

static htp_outcome run_lane(htp_machine *m, htp_call *call, htp_mode mode, size_t lane,
                            htp_operand **outputs, size_t *count)
{
    size_t given_count = call->inputs.count;
    htp_operand *given = HTP_NEW_ARRAY(m->arena, htp_operand, given_count);
    for (size_t i = 0; i < given_count; i++) {
        HTP_DO(htp_call_operand(m, call, i, lane, mode, &given[i]));
    }
    htp_call_note_storages(m, call, lane, given, given_count);
    return mode == HTP_MODE_SIZES ? run_on_sizes(m, call, lane, given, outputs, count)
                                  : htp_schema_run(m, call->schema_number, HTP_RUN_AS_IS, given,
                                                   given_count, outputs, count);
}

/* What runs under a condition need not run at all sizes. Where it raises at the smallest ones, it
 * has no outputs there, and what it gives elsewhere stands for them; two lanes tell what moves. */
htp_outcome htp_call_run_lanes(htp_machine *m, htp_call *call, htp_mode mode, htp_lanes *results)
{
    enum { TELLING = 2 };
    bool must_run = m->recording.block == 0 || call->schema.is_mutable;
    memset(call->storages, 0, sizeof(call->storages));
    *results = (htp_lanes){0};
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        htp_operand *outputs = NULL;
        size_t count = 0;
        htp_outcome outcome = run_lane(m, call, mode, lane, &outputs, &count);
        if (outcome == HTP_FAILS && (must_run || lane < TELLING)) {
            return htp_machine_stop(m, HTP_FAILS, "%s",
                                    htp_message_worded(m, &call->inputs, lane, m->message));
        }
        if (outcome == HTP_FAILS) {
            outputs = htp_operands_copy(m, results->lane[0], results->count);
            count = results->count;
            call->storages[lane] = call->storages[0];
        } else {
            HTP_DO(outcome);
        }
        if (lane != 0 && count != results->count) {
            return htp_machine_stop(m, HTP_UNSUPPORTED,
                                    "its output's type depends on a dynamic axis");
        }
        results->count = count;
        results->lane[lane] = outputs;
    }
    return HTP_GOES_ON;
}
