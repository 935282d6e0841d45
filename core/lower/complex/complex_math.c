/*
 * Arithmetic of complex numbers, and their parts.
 *
 * Operands are complex or real. PyTorch treats a real one as complex with an imaginary part of
 * zero, even where that turns an infinity into NaN.
 */
#include "lower/compose/complex.h"

#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/pointwise/special.h"

#include <math.h>
#include <string.h>

/** A formula in the real dtype of output 0. */
static htp_formula formula_of_output(htp_lowering *l)
{
    return htp_formula_of_kernel(l, htp_dtype_real(htp_output_dtype(l, 0)));
}

static void bind(const htp_formula *f, htp_complex z)
{
    htp_bind_complex(f->l, 0, z, f->dtype);
}

/* ---- making and taking apart ---- */

/** aten::view_as_real */
void htp_lower_view_as_real(htp_lowering *l)
{
    htp_bind(l, 0, htp_arg_pairs(l, "self"));
}

/** aten::view_as_complex */
void htp_lower_view_as_complex(htp_lowering *l)
{
    htp_bind_pairs(l, 0, htp_arg_tensor(l, "self"));
}

/** aten::real, aten::imag: the row says "real" or "imag". */
void htp_lower_one_part(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    htp_bind(l, 0, strcmp(l->row->op, "real") == 0 ? z.re : z.im);
}

/** aten::complex, of parts that are broadcast. */
void htp_lower_complex(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = {htp_step_arg(&f, "real"), htp_step_arg(&f, "imag")};
    uint32_t rank = htp_output_rank(l, 0);
    const htp_dim *dims = htp_output_dims(l, 0);
    const char *const names[] = {"real", "imag"};
    bool same = htp_dims_are_static(dims, rank);
    for (size_t i = 0; i < 2; i++) {
        same = same && htp_arg_rank(l, names[i]) == rank;
        for (uint32_t k = 0; k < rank && same; k++) {
            const htp_dim *own = &htp_arg_dims(l, names[i])[k];
            same = !own->symbol && own->size == dims[k].size;
        }
    }
    if (!same) {
        htp_tensor_id real_shape = htp_emit_unary(l, "Shape", z.re);
        htp_tensor_id imaginary_shape = htp_emit_unary(l, "Shape", z.im);
        z.re = htp_typed_expand(l, f.dtype, z.re, imaginary_shape);
        z.im = htp_typed_expand(l, f.dtype, z.im, real_shape);
    }
    bind(&f, z);
}

/** aten::polar: by length and angle */
void htp_lower_polar(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_tensor_id length = htp_step_arg(&f, "abs");
    htp_tensor_id angle = htp_step_arg(&f, "angle");
    bind(&f, (htp_complex){htp_step_binary(&f, "Mul", length, htp_step_unary(&f, "Cos", angle)),
                           htp_step_binary(&f, "Mul", length, htp_step_unary(&f, "Sin", angle))});
}

/** aten::to and its kin: from real to complex, and between complex dtypes. A cast to a real dtype
 * is refused. */
void htp_lower_complex_cast(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    if (!htp_dtype_is_complex(htp_output_dtype(l, 0))) {
        htp_lower_fail(l, "a cast of complex numbers to %s loses their imaginary part; take .real",
                       htp_dtype_name(htp_output_dtype(l, 0)));
        return;
    }
    if (!htp_arg_is_complex(l, "self")) {
        z.im = htp_emit_zeros_like(l, f.dtype, z.re);
    }
    bind(&f, z);
}

/** aten::conj and its kin; where the row says "transposed", of matrices. */
void htp_lower_conj(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    uint32_t rank = htp_arg_rank(l, "self");
    if (l->row->op && rank >= 2) {
        int64_t perm[HTP_MAX_RANK];
        for (uint32_t i = 0; i < rank; i++) {
            perm[i] = i + 2 < rank ? (int64_t)i : 2 * (int64_t)rank - 3 - (int64_t)i;
        }
        z.re = htp_emit_transpose(l, z.re, perm, rank);
        z.im = htp_emit_transpose(l, z.im, perm, rank);
    }
    z.im = htp_step_unary(&f, "Neg", z.im);
    bind(&f, z);
}

/* ---- arithmetic ---- */

htp_complex htp_complex_multiply(const htp_formula *f, htp_complex x, htp_complex y)
{
    return (htp_complex){htp_step_binary(f, "Sub", htp_step_binary(f, "Mul", x.re, y.re),
                                         htp_step_binary(f, "Mul", x.im, y.im)),
                         htp_step_binary(f, "Add", htp_step_binary(f, "Mul", x.re, y.im),
                                         htp_step_binary(f, "Mul", x.im, y.re))};
}

/** The larger of |re| and |im|: squares of numbers divided by it neither overflow nor underflow. */
static htp_tensor_id scale_of(const htp_formula *f, htp_complex z)
{
    return htp_step_binary(f, "Max", htp_step_unary(f, "Abs", z.re),
                           htp_step_unary(f, "Abs", z.im));
}

static htp_complex divide_by_real(const htp_formula *f, htp_complex z, htp_tensor_id divisor)
{
    return (htp_complex){htp_step_binary(f, "Div", z.re, divisor),
                         htp_step_binary(f, "Div", z.im, divisor)};
}

/** conj(z) / |z|² */
static htp_complex invert_scaled(const htp_formula *f, htp_complex z)
{
    htp_tensor_id square = htp_step_binary(f, "Add", htp_step_binary(f, "Mul", z.re, z.re),
                                           htp_step_binary(f, "Mul", z.im, z.im));
    z.im = htp_step_unary(f, "Neg", z.im);
    return divide_by_real(f, z, square);
}

htp_complex htp_complex_divide(const htp_formula *f, htp_complex x, htp_complex y)
{
    htp_tensor_id scale = scale_of(f, y);
    return htp_complex_multiply(f, divide_by_real(f, x, scale),
                                invert_scaled(f, divide_by_real(f, y, scale)));
}

htp_complex htp_complex_invert(const htp_formula *f, htp_complex y)
{
    htp_tensor_id scale = scale_of(f, y);
    htp_complex z = divide_by_real(f, invert_scaled(f, divide_by_real(f, y, scale)), scale);
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", scale, 0);
    return (htp_complex){htp_step_where_number(f, is_zero, INFINITY, z.re), z.im};
}

/** aten::add, sub and rsub, as the row says. A complex alpha mixes the parts. */
void htp_lower_complex_sum(htp_lowering *l)
{
    if (!htp_arg_is_complex(l, "alpha")) {
        htp_complex_lower_parts(l, "self other");
        return;
    }
    htp_formula f = formula_of_output(l);
    bool is_reversed = strcmp(l->row->op, "Rsub") == 0;
    const char *op = strcmp(l->row->op, "Add") == 0 ? "Add" : "Sub";
    htp_complex x = htp_arg_complex(l, is_reversed ? "other" : "self", f.dtype);
    htp_complex y = htp_arg_complex(l, is_reversed ? "self" : "other", f.dtype);
    y = htp_complex_multiply(&f, y, htp_arg_complex(l, "alpha", f.dtype));
    bind(&f,
         (htp_complex){htp_step_binary(&f, op, x.re, y.re), htp_step_binary(&f, op, x.im, y.im)});
}

/** aten::mul */
void htp_lower_complex_multiply(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    bind(&f, htp_complex_multiply(&f, htp_arg_complex(l, "self", f.dtype),
                                  htp_arg_complex(l, "other", f.dtype)));
}

/** aten::div */
void htp_lower_complex_divide(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    if (htp_arg_present(l, "rounding_mode")) {
        htp_lower_fail(l, "complex quotients are not rounded");
        return;
    }
    bind(&f, htp_complex_divide(&f, htp_arg_complex(l, "self", f.dtype),
                                htp_arg_complex(l, "other", f.dtype)));
}

/** aten::reciprocal */
void htp_lower_complex_reciprocal(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    bind(&f, htp_complex_invert(&f, htp_arg_complex(l, "self", f.dtype)));
}

/** aten::exp */
void htp_lower_complex_exp(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex x = htp_arg_complex(l, "self", f.dtype);
    htp_tensor_id length = htp_step_unary(&f, "Exp", x.re);
    bind(&f, (htp_complex){htp_step_binary(&f, "Mul", length, htp_step_unary(&f, "Cos", x.im)),
                           htp_step_binary(&f, "Mul", length, htp_step_unary(&f, "Sin", x.im))});
}

/** aten::abs */
void htp_lower_complex_abs(htp_lowering *l)
{
    htp_formula f = formula_of_output(l);
    htp_complex z = htp_arg_complex(l, "self", f.dtype);
    htp_formula_bind(&f, 0, htp_emit_hypot(&f, z.re, z.im));
}

/** aten::eq, and aten::ne where the row says "Not" */
void htp_lower_complex_equal(htp_lowering *l)
{
    static const char *const names[] = {"self", "other"};
    htp_dtype dtype = htp_dtype_real(htp_promote_arguments(l, names, 2));
    htp_complex x = htp_arg_complex(l, "self", dtype);
    htp_complex y = htp_arg_complex(l, "other", dtype);
    htp_tensor_id equal =
        htp_emit_binary(l, "And", htp_typed_predicate(l, "Equal", dtype, x.re, y.re),
                        htp_typed_predicate(l, "Equal", dtype, x.im, y.im));
    htp_bind(l, 0, l->row->op ? htp_emit_unary(l, l->row->op, equal) : equal);
}
