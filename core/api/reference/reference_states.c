/*
 * States of a program: what the first call begins with, and what a call hands on to the next one.
 */
#include "api/reference/reference.h"
#include "onnx/serialize/payload.h"

#include <string.h>

/* The value of a tensor in the view. */
static uint32_t find_value(const htp_verify_program *program, const uint32_t *by_name,
                           htp_tensor_id tensor)
{
    const char *name = program->fresh.model->tensors.items[tensor].name;
    return by_name[htp_view_find_name(&program->fresh.view, name)];
}

void htp_verify_program_find_states(htp_verify_program *program, const uint32_t *by_name)
{
    const htp_builder *model = program->fresh.model;
    htp_verify_state *states =
        HTP_NEW_ARRAY(program->arena, htp_verify_state, model->states.count + 1);
    for (size_t i = 0; i < model->states.count; i++) {
        uint32_t before = find_value(program, by_name, model->states.items[i].input);
        uint32_t after = find_value(program, by_name, model->states.items[i].output);
        states[i] = (htp_verify_state){before > 0 ? before - 1 : HTP_NONE,
                                       after > 0 ? after - 1 : HTP_NONE};
    }
    program->reference.states = states;
    program->reference.state_count = (uint32_t)model->states.count;
}

/* The initial value of a state, as the file has it. @return NULL if it does not fit the input */
static const htp_array *read_first(htp_verify_program *program, const htp_builder_state *state,
                                   const htp_array *made)
{
    const htp_builder *model = program->fresh.model;
    htp_array *array = HTP_NEW(program->arena, htp_array);
    htp_payload *payload = HTP_NEW(program->arena, htp_payload);
    uint64_t count = 1;
    for (uint32_t i = 0; i < state->rank; i++) {
        count *= (uint64_t)state->dims[i];
    }
    *array = (htp_array){.data_type = made->data_type,
                         .rank = state->rank,
                         .dims = state->dims,
                         .count = (size_t)count};
    uint64_t bytes = 0;
    htp_status status = htp_payload_check(model, &state->first, &bytes);
    bool fits = !status && state->rank == made->rank && bytes == htp_array_bytes(array);
    htp_status_free(status);
    void *data = fits ? htp_arena_alloc(program->arena, (size_t)bytes + 1) : NULL;
    array->data = data;
    return data && htp_payload_copy(payload, model, &state->first, data, bytes) ? array : NULL;
}

/* Whether an array can be the input that another one was made up for: sizes may change from call to
 * call. */
static bool is_alike(const htp_array *made, const htp_array *array)
{
    return array && array->data_type == made->data_type && array->rank == made->rank;
}

void htp_verify_program_hand_on(htp_verify_program *program, const htp_array **arrays)
{
    const htp_graph *graph = program->fresh.work.graph;
    const htp_builder *model = program->fresh.model;
    for (size_t i = 0; i < model->states.count; i++) {
        uint32_t before = program->reference.states[i].before;
        uint32_t after = program->values[graph->states[i].after];
        const htp_array *made = before == HTP_NONE ? NULL : arrays[before];
        if (!made) {
            continue;
        }
        const htp_array *handed = !program->last
                                      ? read_first(program, &model->states.items[i], made)
                                  : after != HTP_NONE ? program->last[after]
                                                      : NULL;
        if (is_alike(made, handed)) {
            arrays[before] = handed;
        }
    }
}

bool htp_verify_program_has_own_sizes(const htp_verify_program *program,
                                      const htp_array *const *arrays)
{
    const htp_graph *graph = program->fresh.work.graph;
    for (uint32_t i = 0; i < graph->state_count; i++) {
        uint32_t before = program->reference.states[i].before;
        const htp_trace_value *value = htp_graph_value(graph, graph->states[i].before);
        const htp_array *array = before == HTP_NONE ? NULL : arrays[before];
        for (uint32_t d = 0; array && d < value->rank && d < array->rank; d++) {
            if (array->dims[d] != value->dims[0][d]) {
                return false;
            }
        }
    }
    return true;
}
