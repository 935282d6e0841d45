/*
 * Products of complex matrices plus a summand: linear layers with a bias, addmm and its kin.
 */
#include "lower/compose/complex.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"

static htp_complex add(const htp_formula *f, htp_complex x, htp_complex y)
{
    return (htp_complex){htp_step_binary(f, "Add", x.re, y.re),
                         htp_step_binary(f, "Add", x.im, y.im)};
}

static htp_complex times_real(const htp_formula *f, htp_complex z, double factor)
{
    if (factor == 1) {
        return z;
    }
    return (htp_complex){htp_step_scalar(f, "Mul", z.re, factor),
                         htp_step_scalar(f, "Mul", z.im, factor)};
}

/** A matrix argument. */
static htp_complex read_matrix(const htp_formula *f, const char *name)
{
    htp_complex z = htp_arg_complex(f->l, name, f->dtype);
    if (!htp_arg_is_complex(f->l, name)) {
        z.im = htp_emit_zeros_like(f->l, f->dtype, z.re);
    }
    return z;
}

static htp_complex multiply_matrices(const htp_formula *f, htp_complex x, htp_complex y)
{
    htp_tensor_id rere = htp_emit_binary(f->l, "MatMul", x.re, y.re);
    htp_tensor_id imim = htp_emit_binary(f->l, "MatMul", x.im, y.im);
    htp_tensor_id reim = htp_emit_binary(f->l, "MatMul", x.re, y.im);
    htp_tensor_id imre = htp_emit_binary(f->l, "MatMul", x.im, y.re);
    return (htp_complex){htp_step_binary(f, "Sub", rere, imim),
                         htp_step_binary(f, "Add", reim, imre)};
}

/** aten::linear */
void htp_lower_complex_linear(htp_lowering *l)
{
    if (!htp_arg_present(l, "bias")) {
        htp_lower_products(l);
        return;
    }
    htp_formula f = htp_formula_of_kernel(l, htp_dtype_real(htp_output_dtype(l, 0)));
    const int64_t swap[] = {1, 0};
    if (htp_arg_rank(l, "weight") != 2) {
        htp_lower_fail(l, "complex weights are supported that are matrices");
        return;
    }
    htp_complex weight = read_matrix(&f, "weight");
    weight.re = htp_emit_transpose(l, weight.re, swap, 2);
    weight.im = htp_emit_transpose(l, weight.im, swap, 2);
    htp_complex z = multiply_matrices(&f, read_matrix(&f, "input"), weight);
    htp_bind_complex(l, 0, add(&f, z, htp_arg_complex(l, "bias", f.dtype)), f.dtype);
}

/** aten::addmm, addmv, baddbmm; aten::addbmm, which sums over the batch, if the row says
 * "ReduceSum". A beta of 0 drops its operand, even NaNs. */
void htp_lower_complex_add_product(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, htp_dtype_real(htp_output_dtype(l, 0)));
    const int64_t batch = 0;
    double alpha = htp_arg_float(l, "alpha");
    double beta = htp_arg_float(l, "beta");
    htp_complex z = multiply_matrices(&f, read_matrix(&f, l->node->input_names[1]),
                                      read_matrix(&f, l->node->input_names[2]));
    if (l->row->op) {
        z = (htp_complex){htp_step_reduce(&f, l->row->op, z.re, &batch, 1, false),
                          htp_step_reduce(&f, l->row->op, z.im, &batch, 1, false)};
    }
    z = times_real(&f, z, alpha);
    if (beta != 0) {
        z = add(&f, times_real(&f, htp_arg_complex(l, "self", f.dtype), beta), z);
    }
    htp_bind_complex(l, 0, z, f.dtype);
}
