/*
 * Values as ONNX tensors: known contents become initializers, others were bound by earlier nodes. A
 * dynamic number has two forms, 0-d and [1]; the missing one is made on first use, with the origin
 * of the node that produced the number.
 */
#include "lower/emit/sizes.h"
#include "lower/emit/value_parts.h"

/** The contents of a constant number or list of constant numbers in @p dtype. */
static htp_tensor_id constant_numbers(htp_lowering *l, const htp_trace_value *value,
                                      htp_dtype dtype)
{
    bool is_list = value->kind == HTP_TRACE_LIST;
    int64_t count = is_list ? value->element_count : 1;
    htp_number *numbers = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)count + 1);
    for (int64_t i = 0; i < count; i++) {
        const htp_trace_value *element =
            is_list ? htp_graph_value(l->graph, value->elements[i]) : value;
        numbers[i] = element->kind == HTP_TRACE_FLOAT ? htp_number_float(element->f[0])
                                                      : htp_number_int(element->i[0]);
    }
    return htp_emit_numbers(l, dtype, is_list ? 1 : 0, &count, numbers);
}

/** The tensor bound by a node or input; makes the missing form of a number. */
static htp_tensor_id bound(htp_lowering *l, htp_value_id id, bool as_vector)
{
    htp_binding *binding = &l->bindings[id];
    htp_tensor_id *wanted = as_vector ? &binding->vector : &binding->tensor;
    htp_tensor_id other = as_vector ? binding->tensor : binding->vector;
    if (*wanted == HTP_NONE && other != HTP_NONE) {
        htp_origin here = l->model->origin;
        l->model->origin = htp_value_origin(l, id);
        *wanted = as_vector ? htp_emit_unsqueeze(l, other, (const int64_t[]){0}, 1)
                            : htp_emit_squeeze(l, other, (const int64_t[]){0}, 1);
        l->model->origin = here;
        if (!as_vector && *wanted != HTP_NONE) {
            htp_builder_set_type(l->model, *wanted, htp_value_dtype(l, id), 0, NULL);
        }
    }
    if (*wanted == HTP_NONE) {
        htp_lower_fail(l, "it reads a value that nothing produces");
    }
    return *wanted;
}

/** A list of numbers, some of them dynamic. */
static htp_tensor_id concatenate_numbers(htp_lowering *l, const htp_trace_value *list,
                                         htp_dtype dtype)
{
    htp_sizes sizes = htp_sizes_begin(l);
    sizes.dtype = dtype;
    for (uint32_t i = 0; i < list->element_count; i++) {
        htp_sizes_add_value(&sizes, list->elements[i]);
    }
    return htp_sizes_end(&sizes);
}

static htp_tensor_id list_tensor(htp_lowering *l, htp_value_id id, htp_dtype dtype)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    for (uint32_t i = 0; i < value->element_count; i++) {
        if (!htp_value_is_number(htp_graph_value(l->graph, value->elements[i]))) {
            htp_lower_fail(l, "a list of numbers is needed where another list stands");
            return HTP_NONE;
        }
    }
    if (htp_value_is_constant(l, id)) {
        return constant_numbers(l, value, dtype);
    }
    if (l->bindings[id].tensor != HTP_NONE) {
        return htp_emit_cast(l, l->bindings[id].tensor, htp_value_dtype(l, id), dtype);
    }
    return concatenate_numbers(l, value, dtype);
}

/** A tensor with known contents: from the archive, or computed by the trace. */
static htp_tensor_id known_tensor(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (htp_onnx_data_type(value->dtype) == 0) {
        htp_lower_fail(l, "ONNX has no tensors of %s", htp_dtype_name(value->dtype));
        return HTP_NONE;
    }
    if (value->weight != HTP_NONE) {
        return htp_builder_weight(l->model, value->weight);
    }
    return htp_builder_constant(l->model, value->dtype, value->rank, value->dims[0], value->data);
}

htp_tensor_id htp_value_tensor(htp_lowering *l, htp_value_id id)
{
    return htp_value_tensor_as(l, id, htp_value_dtype(l, id));
}

htp_tensor_id htp_value_tensor_as(htp_lowering *l, htp_value_id id, htp_dtype dtype)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    htp_dtype from = htp_value_dtype(l, id);
    htp_number number;
    htp_tensor_id part = htp_value_part(l, id, l->part);
    if (part != HTP_NONE) {
        return htp_emit_cast(l, part, from, dtype);
    }
    switch (value->kind) {
    case HTP_TRACE_TENSOR:
        if (htp_dtype_is_complex(value->dtype)) {
            htp_lower_fail(l, "complex numbers are not supported here");
            return HTP_NONE;
        }
        if (from != dtype && value->rank == 0 && value->data &&
            htp_number_read(from, value->data, &number)) {
            return htp_emit_numbers(l, dtype, 0, NULL, &number);
        }
        if (value->data || value->weight != HTP_NONE) {
            return htp_emit_cast(l, known_tensor(l, id), from, dtype);
        }
        return htp_emit_cast(l, bound(l, id, false), from, dtype);
    case HTP_TRACE_INT:
    case HTP_TRACE_FLOAT:
    case HTP_TRACE_BOOL:
        if (value->is_constant) {
            return constant_numbers(l, value, dtype);
        }
        return htp_emit_cast(l, bound(l, id, false), from, dtype);
    case HTP_TRACE_COMPLEX:
        if (l->part == HTP_PART_NONE) {
            htp_lower_fail(l, "complex numbers are not supported here");
            return HTP_NONE;
        }
        return htp_emit_scalar(l, dtype, htp_complex_number_part(l, value, l->part));
    case HTP_TRACE_SEQUENCE:
        return bound(l, id, false);
    case HTP_TRACE_LIST:
        return list_tensor(l, id, dtype);
    default:
        htp_lower_fail(l, "a tensor is needed where another kind of value stands");
        return HTP_NONE;
    }
}

htp_tensor_id htp_value_vector(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (htp_value_is_number(value)) {
        if (!value->is_constant) {
            return bound(l, id, true);
        }
        htp_number number = value->kind == HTP_TRACE_FLOAT ? htp_number_float(value->f[0])
                                                           : htp_number_int(value->i[0]);
        return htp_emit_numbers(l, htp_value_dtype(l, id), 1, (const int64_t[]){1}, &number);
    }
    if (value->kind != HTP_TRACE_TENSOR) {
        htp_lower_fail(l, "a number is needed where another kind of value stands");
        return HTP_NONE;
    }
    if (value->rank == 0 && l->bindings[id].vector != HTP_NONE) {
        return l->bindings[id].vector;
    }
    return htp_emit(l, "Reshape", HTP_IN(htp_value_tensor(l, id), htp_emit_int(l, 1)), HTP_NO_AT);
}

htp_tensor_id htp_value_shape(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_LIST) {
        return list_tensor(l, id, HTP_DTYPE_INT64);
    }
    return htp_emit_cast(l, htp_value_vector(l, id), htp_value_dtype(l, id), HTP_DTYPE_INT64);
}

/* ---- binding ---- */

/** Whether the type of a tensor contradicts that of value @p id: its dtype, rank, or a static dim
 * differs. Then the lowering is wrong. */
static bool contradicts(htp_lowering *l, htp_value_id id, const htp_tensor *known)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (known->dtype != htp_value_dtype(l, id)) {
        return true;
    }
    if (value->kind != HTP_TRACE_TENSOR) {
        return false;
    }
    bool differs = known->rank != value->rank;
    for (uint32_t i = 0; i < value->rank && !differs; i++) {
        const htp_dim *dim = &l->graph->values[id].dims[i];
        differs = !dim->symbol && !known->dims[i].symbol && dim->size != known->dims[i].size;
    }
    return differs;
}

void htp_bind_value(htp_lowering *l, htp_value_id id, htp_tensor_id tensor)
{
    if (l->failure || tensor == HTP_NONE) {
        htp_lower_fail(l, "its lowering gives no result");
        return;
    }
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind != HTP_TRACE_TENSOR || !htp_dtype_is_complex(value->dtype)) {
        l->bindings[id].tensor = tensor;
    } else if (l->part != HTP_PART_NONE) {
        l->bindings[id].parts[l->part - 1] = tensor;
    } else {
        htp_lower_fail(l, "its lowering gives a real result");
        return;
    }
    const htp_tensor *known = &l->model->tensors.items[tensor];
    htp_dtype dtype = htp_value_dtype(l, id);
    if (known->has_type) {
        if (contradicts(l, id, known)) {
            htp_lower_fail(l, "its lowering gives a result of another dtype or shape");
        }
    } else if (value->kind == HTP_TRACE_TENSOR || value->kind == HTP_TRACE_SEQUENCE) {
        htp_builder_set_type(l->model, tensor, dtype, value->rank, l->graph->values[id].dims);
        if (value->kind == HTP_TRACE_SEQUENCE) {
            htp_builder_set_sequence(l->model, tensor);
        }
    } else if (htp_value_is_number(value)) {
        htp_builder_set_type(l->model, tensor, dtype, 0, NULL);
    }
}

void htp_bind_value_vector(htp_lowering *l, htp_value_id id, htp_tensor_id vector)
{
    if (l->failure || vector == HTP_NONE) {
        htp_lower_fail(l, "its lowering gives no result");
        return;
    }
    l->bindings[id].vector = vector;
}

void htp_sizes_add_value(htp_sizes *sizes, htp_value_id id)
{
    htp_lowering *l = sizes->l;
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (htp_value_is_number(value) && value->is_constant) {
        htp_sizes_add_number(sizes, value->kind == HTP_TRACE_FLOAT ? htp_number_float(value->f[0])
                                                                   : htp_number_int(value->i[0]));
    } else {
        htp_tensor_id vector = htp_value_vector(l, id);
        htp_sizes_add_tensor(sizes, htp_emit_cast(l, vector, htp_value_dtype(l, id), sizes->dtype));
    }
}
