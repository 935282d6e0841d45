#include "lower/driver/state.h"

#include "lower/driver/support.h"

void htp_state_bind_inputs(htp_lowering *l)
{
    for (uint32_t i = 0; i < l->graph->state_count; i++) {
        const htp_graph_state *state = &l->graph->states[i];
        const htp_trace_value *value = htp_graph_value(l->graph, state->before);
        bool is_tensor = value->kind == HTP_TRACE_TENSOR;
        if (is_tensor && htp_dtype_is_complex(value->dtype)) {
            htp_lower_fail(l, "the attribute %s, which the next call reads, is %s", state->name,
                           htp_dtype_name(value->dtype));
            return;
        }
        l->bindings[state->before].tensor =
            htp_builder_add_input(l->model, htp_arena_printf(l->arena, "state.%s", state->name),
                                  htp_value_dtype(l, state->before), is_tensor ? value->rank : 0,
                                  is_tensor ? l->graph->values[state->before].dims : NULL);
    }
}

void htp_state_bind_outputs(htp_lowering *l)
{
    for (uint32_t i = 0; i < l->graph->state_count; i++) {
        const htp_graph_state *state = &l->graph->states[i];
        htp_tensor_id tensor = htp_value_tensor(l, state->after);
        if (tensor != HTP_NONE) {
            htp_builder_add_output(l->model, tensor,
                                   htp_arena_printf(l->arena, "state.%s.next", state->name));
        }
    }
}
