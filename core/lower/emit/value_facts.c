/*
 * Facts about values; emits no nodes.
 */
#include "lower/emit/lowering.h"

bool htp_value_is_number(const htp_trace_value *value)
{
    return value->kind == HTP_TRACE_INT || value->kind == HTP_TRACE_FLOAT ||
           value->kind == HTP_TRACE_BOOL;
}

bool htp_value_is_constant(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind != HTP_TRACE_LIST) {
        return htp_value_is_number(value) && value->is_constant;
    }
    for (uint32_t i = 0; i < value->element_count; i++) {
        const htp_trace_value *element = htp_graph_value(l->graph, value->elements[i]);
        if (!htp_value_is_number(element) || !element->is_constant) {
            return false;
        }
    }
    return true;
}

htp_dtype htp_value_dtype(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_LIST && value->element_count) {
        value = htp_graph_value(l->graph, value->elements[0]);
    }
    switch (value->kind) {
    case HTP_TRACE_SEQUENCE:
        return value->dtype;
    case HTP_TRACE_TENSOR:
        return l->part == HTP_PART_NONE ? value->dtype : htp_dtype_real(value->dtype);
    case HTP_TRACE_FLOAT:
        return HTP_DTYPE_FLOAT64;
    case HTP_TRACE_COMPLEX:
        return l->part == HTP_PART_NONE ? HTP_DTYPE_COMPLEX128 : HTP_DTYPE_FLOAT64;
    case HTP_TRACE_BOOL:
        return HTP_DTYPE_BOOL;
    default:
        return HTP_DTYPE_INT64;
    }
}

htp_origin htp_value_origin(htp_lowering *l, htp_value_id id)
{
    uint32_t producer = htp_graph_value(l->graph, id)->producer;
    return producer == HTP_NONE ? (htp_origin){0, HTP_NONE}
                                : (htp_origin){htp_graph_node(l->graph, producer)->scope, producer};
}
