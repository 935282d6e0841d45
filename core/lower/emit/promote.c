#include "lower/emit/promote.h"

/** The common dtype per category of operands; OTHER: none. */
typedef struct categories {
    htp_dtype with_dims;
    htp_dtype without_dims;
    htp_dtype numbers;
} categories;

static htp_dtype promote(htp_dtype a, htp_dtype b)
{
    if (a == HTP_DTYPE_OTHER) {
        return b;
    }
    return b == HTP_DTYPE_OTHER ? a : htp_dtype_promote(a, b);
}

/** Joins a category with one of lower priority, which counts only if its kind is higher. Kinds in
 * order: bool, integer, floating point, complex. */
static htp_dtype combine(htp_dtype higher, htp_dtype lower)
{
    if (higher == HTP_DTYPE_OTHER || lower == HTP_DTYPE_OTHER) {
        return promote(higher, lower);
    }
    if (htp_dtype_is_complex(higher) ||
        (htp_dtype_is_float(higher) && !htp_dtype_is_complex(lower))) {
        return higher;
    }
    if (higher == HTP_DTYPE_BOOL || htp_dtype_is_float(lower) || htp_dtype_is_complex(lower)) {
        return htp_dtype_promote(higher, lower);
    }
    return higher;
}

static void add_value(htp_lowering *l, categories *c, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_TENSOR) {
        htp_dtype *category = value->rank ? &c->with_dims : &c->without_dims;
        *category = promote(*category, htp_value_dtype(l, id));
    } else if (value->kind == HTP_TRACE_COMPLEX && l->part == HTP_PART_NONE) {
        c->numbers = promote(c->numbers, HTP_DTYPE_COMPLEX64);
    } else if (value->kind == HTP_TRACE_FLOAT || value->kind == HTP_TRACE_COMPLEX) {
        c->numbers = promote(c->numbers, HTP_DTYPE_FLOAT32);
    } else if (htp_value_is_number(value)) {
        c->numbers = promote(c->numbers, htp_value_dtype(l, id));
    }
}

static htp_dtype result(htp_lowering *l, const categories *c)
{
    htp_dtype dtype = combine(c->with_dims, combine(c->without_dims, c->numbers));
    if (dtype == HTP_DTYPE_OTHER) {
        htp_lower_fail(l, "its operands have no common dtype");
        return HTP_DTYPE_FLOAT32;
    }
    return dtype;
}

htp_dtype htp_promote_arguments(htp_lowering *l, const char *const *names, size_t count)
{
    categories c = {HTP_DTYPE_OTHER, HTP_DTYPE_OTHER, HTP_DTYPE_OTHER};
    for (size_t i = 0; i < count; i++) {
        htp_value_id value = htp_arg_value(l, names[i]);
        if (value != HTP_NONE) {
            add_value(l, &c, value);
        }
    }
    return result(l, &c);
}

htp_dtype htp_promote_to_float(htp_dtype dtype)
{
    return htp_dtype_is_float(dtype) || htp_dtype_is_complex(dtype) ? dtype : HTP_DTYPE_FLOAT32;
}

htp_operands htp_arg_operands(htp_lowering *l, const char *a, const char *b)
{
    htp_dtype dtype = htp_promote_arguments(l, (const char *const[]){a, b}, 2);
    return (htp_operands){htp_arg_tensor_as(l, a, dtype), htp_arg_tensor_as(l, b, dtype), dtype};
}

htp_operands htp_arg_float_operands(htp_lowering *l, const char *a, const char *b)
{
    htp_dtype dtype =
        htp_promote_to_float(htp_promote_arguments(l, (const char *const[]){a, b}, 2));
    return (htp_operands){htp_arg_tensor_as(l, a, dtype), htp_arg_tensor_as(l, b, dtype), dtype};
}
