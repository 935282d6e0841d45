/*
 * Converts complex values between their two forms, parts and pairs.
 */
#include "lower/emit/value_parts.h"

#include <string.h>

static bool is_complex(const htp_trace_value *value)
{
    return (value->kind == HTP_TRACE_TENSOR || value->kind == HTP_TRACE_COMPLEX) &&
           htp_dtype_is_complex(value->dtype);
}

bool htp_value_is_complex(const htp_graph *graph, htp_value_id id)
{
    return htp_graph_any(graph, &id, 1, is_complex);
}

bool htp_node_is_complex(const htp_lowering *l)
{
    return htp_graph_node_any(l->graph, l->node, is_complex);
}

/** Sets the type of @p pairs from value @p id. */
static htp_tensor_id typed_pairs(htp_lowering *l, htp_value_id id, htp_tensor_id pairs)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    htp_dim dims[HTP_MAX_RANK] = {0};
    for (uint32_t i = 0; i < value->rank; i++) {
        dims[i] = l->graph->values[id].dims[i];
    }
    dims[value->rank] = (htp_dim){.size = 2};
    if (pairs != HTP_NONE && !l->model->tensors.items[pairs].has_type) {
        htp_builder_set_type(l->model, pairs, htp_dtype_real(value->dtype), value->rank + 1, dims);
    }
    return pairs;
}

/** Known contents, other than a weight's, as pairs. */
static htp_tensor_id constant_pairs(htp_lowering *l, const htp_trace_value *value)
{
    int64_t dims[HTP_MAX_RANK] = {0};
    if (value->rank > 0) {
        memcpy(dims, value->dims[0], value->rank * sizeof(*dims));
    }
    dims[value->rank] = 2;
    return htp_builder_constant(l->model, htp_dtype_real(value->dtype), value->rank + 1, dims,
                                value->data);
}

/** Known contents, other than a weight's: one part. */
static htp_tensor_id constant_part(htp_lowering *l, const htp_trace_value *value, size_t part)
{
    htp_dtype dtype = htp_dtype_real(value->dtype);
    size_t size = htp_dtype_size(dtype);
    size_t count = (size_t)value->data_bytes / (2 * size);
    char *bytes = htp_arena_calloc(l->arena, count + 1, size);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + i * size, (const char *)value->data + (2 * i + part) * size, size);
    }
    return htp_builder_constant(l->model, dtype, value->rank, value->dims[0], bytes);
}

/** Joins the parts of a value into pairs, with the origin of the node that made the value. */
static htp_tensor_id join_parts(htp_lowering *l, htp_value_id id)
{
    const htp_binding *binding = &l->bindings[id];
    if (binding->parts[0] == HTP_NONE || binding->parts[1] == HTP_NONE) {
        htp_lower_fail(l, "it reads a value that nothing produces");
        return HTP_NONE;
    }
    const int64_t last = htp_graph_value(l->graph, id)->rank;
    htp_origin here = l->model->origin;
    l->model->origin = htp_value_origin(l, id);
    htp_tensor_id pairs =
        htp_emit_concat(l,
                        HTP_IN(htp_emit_unsqueeze(l, binding->parts[0], &last, 1),
                               htp_emit_unsqueeze(l, binding->parts[1], &last, 1)),
                        last);
    l->model->origin = here;
    return pairs;
}

void htp_value_bind_pairs(htp_lowering *l, htp_value_id id, htp_tensor_id pairs)
{
    l->bindings[id].tensor = typed_pairs(l, id, pairs);
}

htp_tensor_id htp_value_pairs(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    htp_tensor_id *pairs = &l->bindings[id].tensor;
    if (*pairs == HTP_NONE && value->weight != HTP_NONE) {
        *pairs = htp_builder_weight(l->model, value->weight);
    } else if (*pairs == HTP_NONE && value->data) {
        *pairs = constant_pairs(l, value);
    } else if (*pairs == HTP_NONE) {
        *pairs = typed_pairs(l, id, join_parts(l, id));
    }
    return *pairs;
}

double htp_complex_number_part(htp_lowering *l, const htp_trace_value *value, htp_part part)
{
    double parts[2] = {0};
    if (!value->data) {
        htp_lower_fail(l, "a complex number depends on the model's input; compute with tensors");
    } else {
        memcpy(parts, value->data, sizeof(parts));
    }
    return parts[part == HTP_PART_IMAGINARY];
}

htp_tensor_id htp_value_part(htp_lowering *l, htp_value_id id, htp_part part)
{
    if (part == HTP_PART_NONE) {
        return HTP_NONE;
    }
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    size_t index = part == HTP_PART_IMAGINARY;
    htp_tensor_id *found = &l->bindings[id].parts[index];
    if (*found != HTP_NONE || value->kind != HTP_TRACE_TENSOR ||
        !htp_dtype_is_complex(value->dtype)) {
        return *found;
    }
    if (value->data && value->weight == HTP_NONE) {
        *found = constant_part(l, value, index);
        return *found;
    }
    htp_tensor_id pairs = htp_value_pairs(l, id);
    htp_origin here = l->model->origin;
    l->model->origin = htp_value_origin(l, id);
    *found = htp_emit(l, "Gather",
                      HTP_IN(pairs, htp_emit_scalar_int(l, HTP_DTYPE_INT64, (int64_t)index)),
                      HTP_AT(htp_attribute_int("axis", value->rank)));
    l->model->origin = here;
    if (*found != HTP_NONE) {
        htp_builder_set_type(l->model, *found, htp_dtype_real(value->dtype), value->rank,
                             l->graph->values[id].dims);
    }
    return *found;
}
