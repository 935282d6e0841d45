/*
 * Arguments of the current node, by schema name.
 */
#include "lower/emit/lowering.h"

#include <string.h>

static const int64_t no_ints[HTP_MAX_RANK];
static const htp_dim no_dims[HTP_MAX_RANK];

htp_value_id htp_arg_value(htp_lowering *l, const char *name)
{
    for (uint32_t i = 0; i < l->node->input_count; i++) {
        if (strcmp(l->node->input_names[i], name) == 0) {
            htp_value_id value = l->node->inputs[i];
            return htp_graph_value(l->graph, value)->kind == HTP_TRACE_NOTHING ? HTP_NONE : value;
        }
    }
    return HTP_NONE;
}

bool htp_arg_present(htp_lowering *l, const char *name)
{
    return htp_arg_value(l, name) != HTP_NONE;
}

/* The trace value of a required argument; NULL after a failure. */
static const htp_trace_value *required(htp_lowering *l, const char *name)
{
    htp_value_id value = htp_arg_value(l, name);
    if (value == HTP_NONE) {
        htp_lower_fail(l, "argument '%s' is missing", name);
        return NULL;
    }
    return htp_graph_value(l->graph, value);
}

/** As required(), for an argument that must be a constant number. */
static const htp_trace_value *constant_number(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = required(l, name);
    if (!value) {
        return NULL;
    }
    if (!htp_value_is_number(value)) {
        htp_lower_fail(l, "argument '%s' is %s number", name,
                       value->kind == HTP_TRACE_COMPLEX ? "a complex" : "not a");
        return NULL;
    }
    if (!value->is_constant) {
        htp_lower_fail(l, "argument '%s' depends on the model's input", name);
        return NULL;
    }
    return value;
}

htp_tensor_id htp_arg_tensor(htp_lowering *l, const char *name)
{
    if (!required(l, name)) {
        return HTP_NONE;
    }
    htp_value_id value = htp_arg_value(l, name);
    htp_dtype from = htp_value_dtype(l, value);
    return htp_value_tensor_as(l, value, from == HTP_DTYPE_FLOAT64 ? htp_arg_dtype(l, name) : from);
}

htp_tensor_id htp_arg_optional_tensor(htp_lowering *l, const char *name)
{
    return htp_arg_present(l, name) ? htp_arg_tensor(l, name) : HTP_NONE;
}

htp_tensor_id htp_arg_tensor_as(htp_lowering *l, const char *name, htp_dtype dtype)
{
    return required(l, name) ? htp_value_tensor_as(l, htp_arg_value(l, name), dtype) : HTP_NONE;
}

htp_dtype htp_arg_dtype(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = required(l, name);
    if (!value) {
        return HTP_DTYPE_FLOAT32;
    }
    if (value->kind == HTP_TRACE_COMPLEX) {
        return l->part == HTP_PART_NONE ? HTP_DTYPE_COMPLEX64 : HTP_DTYPE_FLOAT32;
    }
    return value->kind == HTP_TRACE_FLOAT ? HTP_DTYPE_FLOAT32
                                          : htp_value_dtype(l, htp_arg_value(l, name));
}

uint32_t htp_arg_rank(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = required(l, name);
    return value && value->kind == HTP_TRACE_TENSOR ? value->rank : 0;
}

const htp_dim *htp_arg_dims(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = required(l, name);
    if (!value || value->kind != HTP_TRACE_TENSOR || value->rank == 0) {
        return no_dims;
    }
    return l->graph->values[htp_arg_value(l, name)].dims;
}

int64_t htp_arg_int(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = constant_number(l, name);
    if (!value) {
        return 0;
    }
    if (value->kind != HTP_TRACE_FLOAT) {
        return value->i[0];
    }
    int64_t integer = 0;
    if (!(value->f[0] >= -0x1p63 && value->f[0] < 0x1p63) ||
        (double)(integer = (int64_t)value->f[0]) != value->f[0]) {
        htp_lower_fail(l, "argument '%s' is not an integer", name);
        return 0;
    }
    return integer;
}

double htp_arg_float(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = constant_number(l, name);
    if (!value) {
        return 0;
    }
    return value->kind == HTP_TRACE_FLOAT ? value->f[0] : (double)value->i[0];
}

bool htp_arg_bool(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = constant_number(l, name);
    return value && (value->kind == HTP_TRACE_FLOAT ? value->f[0] != 0 : value->i[0] != 0);
}

int64_t htp_arg_int_or(htp_lowering *l, const char *name, int64_t otherwise)
{
    return htp_arg_present(l, name) ? htp_arg_int(l, name) : otherwise;
}

double htp_arg_float_or(htp_lowering *l, const char *name, double otherwise)
{
    return htp_arg_present(l, name) ? htp_arg_float(l, name) : otherwise;
}

bool htp_arg_bool_or(htp_lowering *l, const char *name, bool otherwise)
{
    return htp_arg_present(l, name) ? htp_arg_bool(l, name) : otherwise;
}

bool htp_arg_is_constant(htp_lowering *l, const char *name)
{
    htp_value_id value = htp_arg_value(l, name);
    return value != HTP_NONE && htp_value_is_constant(l, value);
}

const char *htp_arg_string(htp_lowering *l, const char *name)
{
    const htp_trace_value *value = required(l, name);
    if (value && value->kind == HTP_TRACE_STRING && value->s) {
        return value->s;
    }
    htp_lower_fail(l, "argument '%s' is not a string", name);
    return "";
}

const uint32_t *htp_arg_list(htp_lowering *l, const char *name, size_t *count)
{
    static const uint32_t no_values[1];
    *count = 0;
    const htp_trace_value *value = required(l, name);
    if (!value) {
        return no_values;
    }
    if (value->kind != HTP_TRACE_LIST) {
        htp_lower_fail(l, "argument '%s' is not a list", name);
        return no_values;
    }
    *count = value->element_count;
    return value->elements;
}

/** The constant elements of a list argument; a single number counts as a list of one. */
static const htp_trace_value **constant_list(htp_lowering *l, const char *name, size_t *count)
{
    *count = 0;
    const htp_trace_value *value = required(l, name);
    if (!value) {
        return NULL;
    }
    bool single = value->kind != HTP_TRACE_LIST;
    size_t n = single ? 1 : value->element_count;
    const htp_trace_value **elements = HTP_NEW_ARRAY(l->arena, const htp_trace_value *, n + 1);
    for (size_t i = 0; i < n; i++) {
        elements[i] = single ? value : htp_graph_value(l->graph, value->elements[i]);
        if (!htp_value_is_number(elements[i])) {
            htp_lower_fail(l, "argument '%s' is not a list of numbers", name);
            return NULL;
        }
        if (!elements[i]->is_constant) {
            htp_lower_fail(l, "argument '%s' depends on the model's input", name);
            return NULL;
        }
    }
    *count = n;
    return elements;
}

const int64_t *htp_arg_ints(htp_lowering *l, const char *name, size_t *count)
{
    const htp_trace_value **elements = constant_list(l, name, count);
    int64_t *ints = HTP_NEW_ARRAY(l->arena, int64_t, *count + HTP_MAX_RANK);
    for (size_t i = 0; i < *count; i++) {
        if (elements[i]->kind == HTP_TRACE_FLOAT) {
            htp_lower_fail(l, "argument '%s' is not a list of integers", name);
        }
        ints[i] = elements[i]->i[0];
    }
    return ints;
}

const double *htp_arg_floats(htp_lowering *l, const char *name, size_t *count)
{
    const htp_trace_value **elements = constant_list(l, name, count);
    double *floats = HTP_NEW_ARRAY(l->arena, double, *count + HTP_MAX_RANK);
    for (size_t i = 0; i < *count; i++) {
        const htp_trace_value *element = elements[i];
        floats[i] = element->kind == HTP_TRACE_FLOAT ? element->f[0] : (double)element->i[0];
    }
    return floats;
}

/** Wraps a dim into [0, rank). */
static int64_t wrap_dim(htp_lowering *l, const char *name, int64_t dim, uint32_t rank)
{
    int64_t size = rank ? rank : 1;
    if (dim < -size || dim >= size) {
        htp_lower_fail(l, "argument '%s' is %lld, out of range for rank %u", name, (long long)dim,
                       rank);
        return 0;
    }
    return dim < 0 ? dim + size : dim;
}

int64_t htp_arg_dim(htp_lowering *l, const char *name, uint32_t rank)
{
    return wrap_dim(l, name, htp_arg_int(l, name), rank);
}

const int64_t *htp_arg_dims_list(htp_lowering *l, const char *name, uint32_t rank,
                                 bool all_when_empty, size_t *count)
{
    *count = 0;
    const int64_t *given = htp_arg_present(l, name) ? htp_arg_ints(l, name, count) : no_ints;
    if (*count > (rank ? rank : 1)) {
        htp_lower_fail(l, "argument '%s' has %zu dims for rank %u", name, *count, rank);
        *count = 0;
    }
    size_t n = *count ? *count : rank;
    int64_t *dims = HTP_NEW_ARRAY(l->arena, int64_t, n + HTP_MAX_RANK);
    for (size_t i = 0; i < *count; i++) {
        dims[i] = wrap_dim(l, name, given[i], rank);
    }
    if (*count == 0 && all_when_empty) {
        for (size_t i = 0; i < rank; i++) {
            dims[i] = (int64_t)i;
        }
        *count = rank;
    }
    return dims;
}

htp_tensor_id htp_arg_shape(htp_lowering *l, const char *name)
{
    return required(l, name) ? htp_value_shape(l, htp_arg_value(l, name)) : HTP_NONE;
}

htp_tensor_id htp_arg_vector(htp_lowering *l, const char *name)
{
    if (!required(l, name)) {
        return HTP_NONE;
    }
    htp_value_id value = htp_arg_value(l, name);
    return htp_emit_cast(l, htp_value_vector(l, value), htp_value_dtype(l, value), HTP_DTYPE_INT64);
}
