/*
 * Values of a run: operands, conversions, and memory.
 */
#include "replay/run.h"

#include "base/dtype.h"
#include "interpret/operators/message.h"

#include <stdio.h>
#include <string.h>

bool htp_replay_fails(htp_replay_state *state, const char *reason)
{
    (void)snprintf(state->reason.message, sizeof(state->reason.message), "%s", reason);
    htp_message_shorten(&state->reason);
    return false;
}

static const htp_runner *runner_of(const htp_replay_state *state)
{
    return state->replay->means->runner;
}

bool htp_replay_call(htp_replay_state *state, uint32_t schema, const htp_operand *inputs,
                     uint32_t count, const htp_operand **outputs, uint32_t *output_count)
{
    htp_error error = {{0}};
    const htp_runner *runner = runner_of(state);
    htp_run_code code = runner->run(runner->self, schema, HTP_RUN_FREE, inputs, count, outputs,
                                    output_count, &error);
    return htp_replay_has_run(state->replay->means, code) || htp_replay_fails(state, error.message);
}

/* ---- element types ---- */

/* Converts a tensor. */
static bool cast(htp_replay_state *state, int32_t type, htp_operand *operand)
{
    const htp_operand inputs[] = {*operand,
                                  {.kind = HTP_OPERAND_INT, .as.i = type},
                                  {.kind = HTP_OPERAND_BOOL},
                                  {.kind = HTP_OPERAND_BOOL},
                                  {.kind = HTP_OPERAND_NONE}};
    const htp_runner *runner = runner_of(state);
    const htp_operand *made = NULL;
    uint32_t count = 0;
    if (state->replay->cast == HTP_NONE ||
        !htp_replay_call(state, state->replay->cast, inputs, 5, &made, &count) || count != 1) {
        return false;
    }
    runner->drop(runner->self, operand->as.tensor);
    *operand = made[0];
    return true;
}

/* The type that a tensor has in this run, if it has @p type in the program. */
static int32_t type_in_run(const htp_replay_state *state, int32_t type)
{
    static const struct {
        int32_t from, to;
    } doubles[] = {
        {HTP_SCALAR_HALF, HTP_SCALAR_DOUBLE},
        {HTP_SCALAR_FLOAT, HTP_SCALAR_DOUBLE},
        {HTP_SCALAR_BFLOAT16, HTP_SCALAR_DOUBLE},
        {HTP_SCALAR_COMPLEX_HALF, HTP_SCALAR_COMPLEX_DOUBLE},
        {HTP_SCALAR_COMPLEX_FLOAT, HTP_SCALAR_COMPLEX_DOUBLE},
    };
    for (size_t i = 0; state->request->is_double && i < sizeof(doubles) / sizeof(doubles[0]); i++) {
        type = doubles[i].from == type ? doubles[i].to : type;
    }
    return type;
}

/* Gives a tensor the type that it has in this run. Numbers that are tensors may have another one
 * than in the program. */
static bool settle_type(htp_replay_state *state, const htp_trace_value *value, htp_operand *operand)
{
    if (operand->kind != HTP_OPERAND_TENSOR || value->is_quantized) {
        return true;
    }
    int32_t type = value->kind == HTP_TRACE_TENSOR ? htp_dtype_scalar_type(value->dtype) : -1;
    type = type_in_run(state, type >= 0 ? type : operand->as.tensor->type);
    return type == operand->as.tensor->type || cast(state, type, operand);
}

/* ---- reading ---- */

static bool read_list(htp_replay_state *state, const htp_trace_value *value, htp_operand *operand)
{
    htp_operand *elements =
        HTP_NEW_ARRAY(state->replay->means->arena, htp_operand, (size_t)value->element_count + 1);
    *operand =
        (htp_operand){.kind = HTP_OPERAND_LIST, .type = HTP_NONE, .count = value->element_count};
    operand->as.elements = elements;
    for (uint32_t i = 0; i < value->element_count; i++) {
        if (!htp_replay_read(state, value->elements[i], &elements[i])) {
            return false;
        }
    }
    return true;
}

/* A value that no operator makes. */
static bool read_known(htp_replay_state *state, const htp_trace_value *value, htp_operand *operand)
{
    htp_replay_means *means = state->replay->means;
    if (value->kind == HTP_TRACE_LIST) {
        return read_list(state, value, operand);
    }
    if (value->kind == HTP_TRACE_OPAQUE) { /* a device; generators are left out */
        *operand = (htp_operand){.type = HTP_NONE};
        if (value->device) {
            operand->kind = HTP_OPERAND_DEVICE;
            operand->as.text = "cpu";
            operand->bytes = strlen("cpu");
        }
        return true;
    }
    if (value->kind == HTP_TRACE_TENSOR) {
        bool is_read = value->data ? htp_replay_tensor(means, value, value->dims[0], value->data,
                                                       value->data_bytes, operand)
                                   : value->weight != HTP_NONE &&
                                         htp_replay_weight(means, value, UINT64_MAX, operand);
        return is_read && settle_type(state, value, operand);
    }
    uint32_t lane = state->request->lane;
    bool is_by_lane = value->has_lanes && value->producer == HTP_NONE && lane != HTP_NONE;
    bool is_told = value->is_constant || is_by_lane || value->kind == HTP_TRACE_NOTHING ||
                   value->kind == HTP_TRACE_STRING;
    return is_told && htp_replay_plain(value, lane == HTP_NONE ? 0 : lane, operand);
}

bool htp_replay_read(htp_replay_state *state, htp_value_id id, htp_operand *operand)
{
    if (state->is_made[id]) {
        *operand = state->operands[id];
        return true;
    }
    const htp_trace_value *value = htp_graph_value(state->replay->graph, id);
    bool is_read = read_known(state, value, operand);
    if (is_read && value->kind == HTP_TRACE_TENSOR) { /* kept for other readers */
        state->operands[id] = *operand;
        state->is_made[id] = true;
    }
    return is_read;
}

/* ---- writing ---- */

static bool tensor_as_array(htp_replay_state *state, const htp_operand *operand,
                            htp_replay_array *array)
{
    const htp_runner *runner = runner_of(state);
    const htp_runner_tensor *tensor = operand->as.tensor;
    *array = (htp_replay_array){.rank = tensor->rank, .dims = tensor->dims};
    array->bytes = htp_dtype_from_scalar_type(tensor->type, &array->dtype)
                       ? runner->contents(runner->self, tensor, &array->count)
                       : NULL;
    return array->bytes != NULL;
}

/* A tensor or a number as an array. @param number  room for a number */
static bool as_array(htp_replay_state *state, const htp_operand *operand, void *number,
                     htp_replay_array *array)
{
    *array = (htp_replay_array){.bytes = number};
    switch (operand->kind) {
    case HTP_OPERAND_INT:
        array->dtype = HTP_DTYPE_INT64;
        memcpy(number, &operand->as.i, array->count = sizeof(operand->as.i));
        return true;
    case HTP_OPERAND_BOOL:
        array->dtype = HTP_DTYPE_BOOL;
        memcpy(number, &operand->as.b, array->count = sizeof(operand->as.b));
        return true;
    case HTP_OPERAND_FLOAT:
        array->dtype = HTP_DTYPE_FLOAT64;
        memcpy(number, &operand->as.f, array->count = sizeof(operand->as.f));
        return true;
    case HTP_OPERAND_TENSOR:
        return tensor_as_array(state, operand, array);
    default:
        return false;
    }
}

/* The tensors of a list as arrays. @return NULL where one is none, or has no contents */
static htp_replay_array *as_arrays(htp_replay_state *state, const htp_operand *list)
{
    htp_arena *arena = state->replay->means->arena;
    htp_replay_array *arrays = HTP_NEW_ARRAY(arena, htp_replay_array, (size_t)list->count + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        const htp_operand *element = &list->as.elements[i];
        if (element->kind != HTP_OPERAND_TENSOR || !tensor_as_array(state, element, &arrays[i])) {
            return NULL;
        }
    }
    return arrays;
}

static void hand_over(htp_replay_state *state, htp_value_id id, const htp_operand *operand)
{
    const htp_runner *runner = runner_of(state);
    uint64_t mark = runner->mark(runner->self);
    unsigned char number[sizeof(int64_t)];
    htp_replay_array array;
    if (!state->failure && htp_replay_list_is(operand)) {
        array = (htp_replay_array){.count = operand->count, .tensors = as_arrays(state, operand)};
        state->failure =
            array.tensors ? state->request->take(state->request->user, id, &array) : HTP_OK;
    } else if (!state->failure && as_array(state, operand, number, &array)) {
        state->failure = state->request->take(state->request->user, id, &array);
    }
    runner->release(runner->self, mark); /* of a copy without gaps */
}

void htp_replay_set(htp_replay_state *state, htp_value_id id, const htp_operand *operand)
{
    const htp_trace_value *value = htp_graph_value(state->replay->graph, id);
    htp_operand settled = *operand;
    if (value->kind == HTP_TRACE_LIST && operand->kind == HTP_OPERAND_LIST) {
        for (uint32_t i = 0; i < value->element_count && i < operand->count; i++) {
            htp_replay_set(state, value->elements[i], &operand->as.elements[i]);
        }
        return; /* it is read by its elements */
    }
    if (!settle_type(state, value, &settled)) {
        return;
    }
    state->operands[id] = settled;
    state->is_made[id] = true;
    if (state->depth > 0) {
        HTP_PUSH(state->replay->means->arena, &state->within, id);
    } else if (state->request->is_wanted[id]) {
        hand_over(state, id, &settled);
    }
}

bool htp_replay_alias(htp_replay_state *state, htp_operand *operand)
{
    const htp_runner *runner = runner_of(state);
    htp_error error = {{0}};
    if (htp_replay_list_is(operand)) {
        htp_replay_list_hold(operand);
    }
    if (operand->kind != HTP_OPERAND_TENSOR) {
        return true;
    }
    const htp_making making = {.way = HTP_MAKE_ALIAS, .of = operand->as.tensor};
    return htp_replay_has_run(state->replay->means,
                              runner->make(runner->self, &making, &operand->as.tensor, &error)) ||
           htp_replay_fails(state, error.message);
}

void htp_replay_drop(htp_replay_state *state, htp_value_id id)
{
    const htp_runner *runner = runner_of(state);
    if (state->is_made[id] && htp_replay_list_is(&state->operands[id])) {
        htp_replay_list_drop(state, &state->operands[id]);
    } else if (state->is_made[id] && state->operands[id].kind == HTP_OPERAND_TENSOR) {
        runner->drop(runner->self, state->operands[id].as.tensor);
    }
    state->is_made[id] = false;
}
