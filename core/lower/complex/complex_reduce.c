/*
 * Products of complex elements, and operators that use only magnitudes, or which elements are zero.
 */
#include "lower/compose/complex.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/pointwise/special.h"

#include <string.h>

/* ---- products along a dim ---- */

enum { MAX_FACTORS = 128 };

/** The factors in order, each with size 1 along the axis of the product. */
typedef struct factors {
    htp_complex items[MAX_FACTORS];
    size_t count;
} factors;

static htp_complex read_self(const htp_formula *f)
{
    htp_complex z = htp_arg_complex(f->l, "self", f->dtype);
    if (!htp_arg_is_complex(f->l, "self")) {
        z.im = htp_emit_zeros_like(f->l, f->dtype, z.re);
    }
    return z;
}

/** Splits @p z along an axis of @p size elements. */
static void split_factors(htp_lowering *l, htp_complex z, int64_t axis, int64_t size,
                          factors *found)
{
    htp_tensor_id re[MAX_FACTORS];
    htp_tensor_id im[MAX_FACTORS];
    if (size < 1 || size > MAX_FACTORS) {
        htp_lower_fail(l, "complex products are supported of 1 to %d elements", MAX_FACTORS);
        return;
    }
    found->count = (size_t)size;
    re[0] = z.re;
    im[0] = z.im;
    if (size > 1) {
        htp_emit_split(l, z.re, axis, re, found->count);
        htp_emit_split(l, z.im, axis, im, found->count);
    }
    for (size_t i = 0; i < found->count; i++) {
        found->items[i] = (htp_complex){re[i], im[i]};
    }
}

/** Replaces each factor by the product up to it. */
static void multiply_factors(const htp_formula *f, factors *found)
{
    for (size_t i = 1; i < found->count && !f->l->failure; i++) {
        found->items[i] = htp_complex_multiply(f, found->items[i - 1], found->items[i]);
    }
}

/** The size of a dim of self; fails where it is dynamic. */
static int64_t known_size(htp_lowering *l, int64_t axis)
{
    const htp_dim *dim = &htp_arg_dims(l, "self")[axis];
    if (dim->symbol) {
        htp_lower_fail(l, "products of complex numbers along a dynamic axis are not supported");
        return 1;
    }
    return dim->size;
}

/** aten::cumprod */
void htp_lower_complex_cumprod(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, htp_dtype_real(htp_output_dtype(l, 0)));
    htp_complex z = read_self(&f);
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    int64_t size = l->failure || rank == 0 ? 1 : known_size(l, axis);
    if (size > 1 && !l->failure) {
        factors found;
        htp_tensor_id re[MAX_FACTORS];
        htp_tensor_id im[MAX_FACTORS];
        split_factors(l, z, axis, size, &found);
        if (l->failure) {
            return;
        }
        multiply_factors(&f, &found);
        for (size_t i = 0; i < found.count; i++) {
            re[i] = found.items[i].re;
            im[i] = found.items[i].im;
        }
        z.re = htp_emit_concat(l, (htp_emit_inputs){re, found.count}, axis);
        z.im = htp_emit_concat(l, (htp_emit_inputs){im, found.count}, axis);
    }
    htp_bind_complex(l, 0, z, f.dtype);
}

/** The number of self's elements. */
static int64_t count_elements(htp_lowering *l)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < htp_arg_rank(l, "self") && count <= MAX_FACTORS; i++) {
        count *= known_size(l, i);
    }
    return count;
}

/** aten::prod, of all elements or along a dim */
void htp_lower_complex_prod(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, htp_dtype_real(htp_output_dtype(l, 0)));
    htp_complex z = read_self(&f);
    uint32_t rank = htp_arg_rank(l, "self");
    bool is_of_all = !htp_arg_present(l, "dim");
    int64_t axis = is_of_all ? 0 : htp_arg_dim(l, "dim", rank);
    if (l->failure) {
        return;
    }
    if (rank > 0) {
        const int64_t flat = -1;
        int64_t size = is_of_all ? count_elements(l) : known_size(l, axis);
        if (is_of_all) {
            z.re = htp_emit_reshape(l, z.re, &flat, 1);
            z.im = htp_emit_reshape(l, z.im, &flat, 1);
        }
        factors found = {.count = 0};
        split_factors(l, z, axis, size, &found);
        if (l->failure) {
            return;
        }
        multiply_factors(&f, &found);
        z = found.items[found.count - 1];
        if (is_of_all || !htp_arg_bool(l, "keepdim")) {
            z.re = htp_emit_squeeze(l, z.re, &axis, 1);
            z.im = htp_emit_squeeze(l, z.im, &axis, 1);
        }
    }
    htp_bind_complex(l, 0, z, f.dtype);
}

/* ---- by length, or by being zero ---- */

/** The real tensor that @p what names: "lengths" (magnitudes), "truth" (0 or 1), or real parts for
 * their "sizes". */
static htp_tensor_id emit_real_of(htp_lowering *l, htp_value_id id, const char *what)
{
    htp_dtype dtype = htp_dtype_real(htp_graph_value(l->graph, id)->dtype);
    htp_formula f = htp_formula_of_kernel(l, dtype);
    htp_tensor_id re = htp_value_part(l, id, HTP_PART_REAL);
    htp_tensor_id im = htp_value_part(l, id, HTP_PART_IMAGINARY);
    if (strcmp(what, "sizes") == 0) {
        return re;
    }
    if (strcmp(what, "lengths") == 0) {
        return htp_emit_hypot(&f, re, im);
    }
    htp_tensor_id is_zero = htp_emit_binary(l, "And", htp_step_compare_scalar(&f, "Equal", re, 0),
                                            htp_step_compare_scalar(&f, "Equal", im, 0));
    return htp_emit_cast(l, htp_emit_unary(l, "Not", is_zero), HTP_DTYPE_BOOL, dtype);
}

/** Runs the real lowering with emit_real_of() in place of complex arguments. */
static void lower_by_reals(htp_lowering *l, const char *what)
{
    const htp_operator *row = l->row;
    if (!l->real_row) {
        htp_lower_fail(l, "there is no lowering for it");
        return;
    }
    const htp_trace_node *node = l->node;
    htp_tensor_id *kept = HTP_NEW_ARRAY(l->arena, htp_tensor_id, node->input_count + 1);
    htp_tensor_id *made = HTP_NEW_ARRAY(l->arena, htp_tensor_id, node->input_count + 1);
    for (uint32_t i = 0; i < node->input_count; i++) {
        htp_value_id id = node->inputs[i];
        if (htp_value_is_complex(l->graph, id)) {
            made[i] = emit_real_of(l, id, what);
            kept[i] = l->bindings[id].parts[0];
        }
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (htp_value_is_complex(l->graph, node->inputs[i])) {
            l->bindings[node->inputs[i]].parts[0] = made[i];
        }
    }
    l->row = l->real_row;
    l->part = HTP_PART_REAL;
    l->row->lower(l);
    l->part = HTP_PART_NONE;
    l->row = row;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (htp_value_is_complex(l->graph, node->inputs[i])) {
            l->bindings[node->inputs[i]].parts[0] = kept[i];
        }
    }
}

/** An operator with real results; the row's parameter says which property of complex numbers it
 * uses. */
void htp_lower_by_reals(htp_lowering *l)
{
    lower_by_reals(l, l->row->op);
}

/** aten::expand_as and its kin, where either tensor may be real */
void htp_lower_complex_as(htp_lowering *l)
{
    if (htp_value_is_complex(l->graph, htp_output_value(l, 0))) {
        htp_lower_parts(l);
    } else {
        lower_by_reals(l, "sizes");
    }
}

/* ---- products and quotients that are added ---- */

/** aten::addcmul, and aten::addcdiv where the row says "Div" */
void htp_lower_complex_addc(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, htp_dtype_real(htp_output_dtype(l, 0)));
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    htp_complex x = htp_arg_complex(l, "tensor1", f.dtype);
    htp_complex y = htp_arg_complex(l, "tensor2", f.dtype);
    double value = htp_arg_float(l, "value");
    x = (htp_complex){htp_step_scalar(&f, "Mul", x.re, value),
                      htp_step_scalar(&f, "Mul", x.im, value)};
    x = l->row->op ? htp_complex_divide(&f, x, y) : htp_complex_multiply(&f, x, y);
    z = (htp_complex){htp_step_binary(&f, "Add", z.re, x.re),
                      htp_step_binary(&f, "Add", z.im, x.im)};
    htp_bind_complex(l, 0, z, f.dtype);
}
