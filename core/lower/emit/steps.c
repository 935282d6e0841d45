/*
 * Loops of a known trip count within a lowering.
 *
 * Reference: ONNX Loop.
 */
#include "lower/emit/steps.h"

void htp_steps_begin(htp_steps *steps)
{
    htp_builder *model = steps->l->model;
    steps->around = model->current_graph;
    steps->graph = htp_builder_add_graph(model);
    steps->number =
        htp_builder_add_graph_input(model, steps->graph, "step", HTP_DTYPE_INT64, 0, NULL);
    steps->condition =
        htp_builder_add_graph_input(model, steps->graph, "condition", HTP_DTYPE_BOOL, 0, NULL);
    for (uint32_t i = 0; i < HTP_MAX_RANK; i++) {
        steps->dims[i] = (htp_dim){1, "size"};
    }
    for (size_t i = 0; i < steps->count; i++) {
        htp_steps_state *state = &steps->state[i];
        steps->first[i] = state->tensor;
        state->tensor = htp_builder_add_graph_input(model, steps->graph, "state", state->dtype,
                                                    state->rank, steps->dims);
    }
    model->current_graph = steps->graph;
}

void htp_steps_end(htp_steps *steps, htp_tensor_id trips, const htp_tensor_id *next)
{
    htp_lowering *l = steps->l;
    htp_tensor_id inputs[HTP_STEPS_MAX + 2] = {trips, HTP_NONE};
    htp_tensor_id results[HTP_STEPS_MAX];
    if (!l->failure) {
        htp_builder_add_graph_output(l->model, steps->condition);
    }
    size_t count = steps->count + steps->stacked;
    for (size_t i = 0; i < count && !l->failure; i++) {
        const htp_steps_state *state = &steps->state[i];
        htp_builder_set_type(l->model, next[i], state->dtype, state->rank, steps->dims);
        htp_builder_add_graph_output(l->model, next[i]);
        if (i < steps->count) {
            inputs[i + 2] = steps->first[i];
        }
    }
    l->model->current_graph = steps->around;
    htp_attribute body = htp_attribute_graph("body", steps->graph);
    htp_emit_many(l, "Loop", (htp_emit_inputs){inputs, steps->count + 2},
                  (htp_emit_attributes){&body, 1}, results, count);
    for (size_t i = 0; i < count; i++) {
        steps->state[i].tensor = results[i];
    }
}
