/*
 * Outputs of the current node, and their bindings.
 */
#include "lower/emit/lowering.h"

static const htp_dim no_dims[HTP_MAX_RANK];

htp_value_id htp_output_value(htp_lowering *l, size_t index)
{
    if (index >= l->node->output_count) {
        htp_lower_fail(l, "it has %u outputs here", l->node->output_count);
        return HTP_NONE;
    }
    return l->node->outputs[index];
}

htp_dtype htp_output_dtype(htp_lowering *l, size_t index)
{
    htp_value_id value = htp_output_value(l, index);
    return value == HTP_NONE ? HTP_DTYPE_FLOAT32 : htp_value_dtype(l, value);
}

uint32_t htp_output_rank(htp_lowering *l, size_t index)
{
    htp_value_id id = htp_output_value(l, index);
    if (id == HTP_NONE) {
        return 0;
    }
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    return value->kind == HTP_TRACE_TENSOR ? value->rank : 0;
}

const htp_dim *htp_output_dims(htp_lowering *l, size_t index)
{
    return htp_output_rank(l, index) ? l->graph->values[htp_output_value(l, index)].dims : no_dims;
}

void htp_bind(htp_lowering *l, size_t index, htp_tensor_id tensor)
{
    htp_value_id value = htp_output_value(l, index);
    if (value != HTP_NONE) {
        htp_bind_value(l, value, tensor);
    }
}
