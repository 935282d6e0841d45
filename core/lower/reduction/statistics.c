/*
 * Sums and means without NaN, covariances, and sums to a size.
 */
#include "lower/compose/compose.h"
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/reduction/reduce.h"

/** The sum of elements other than NaN. */
static htp_tensor_id emit_nansum(htp_lowering *l, const htp_reduction *r)
{
    htp_tensor_id x = r->x;
    if (htp_dtype_is_float(r->dtype)) {
        htp_tensor_id is_nan = htp_typed_predicate(l, "IsNaN", r->dtype, x, HTP_NONE);
        x = htp_typed_where(l, r->dtype, is_nan, htp_emit_scalar(l, r->dtype, 0), x);
    }
    return htp_emit_reduced(l, "ReduceSum", r, x, r->keepdims);
}

/** aten::nansum */
void htp_lower_nansum(htp_lowering *l)
{
    htp_reduction r = htp_arg_reduction(l, "self", htp_composite_dtype(htp_output_dtype(l, 0)));
    htp_bind_cast(l, 0, emit_nansum(l, &r), r.dtype);
}

/** aten::nanmean: divided by the number of elements other than NaN */
void htp_lower_nanmean(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    htp_reduction r = htp_arg_reduction(l, "self", f.dtype);
    htp_tensor_id is_number = htp_emit_unary(l, "Not", htp_step_is_nan(&f, r.x));
    htp_tensor_id ones = htp_emit_cast(l, is_number, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    htp_tensor_id count = htp_emit_reduce(l, "ReduceSum", ones, r.axes, r.axis_count, r.keepdims);
    count = htp_emit_cast(l, count, HTP_DTYPE_INT64, f.dtype);
    htp_tensor_id sum = htp_step_round(&f, emit_nansum(l, &r));
    htp_formula_bind(&f, 0, htp_step_binary(&f, "Div", sum, count));
}

/** aten::sum_to_size: the opposite of expanding self from that size */
void htp_lower_sum_to_size(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    uint32_t rank = htp_arg_rank(l, "self");
    uint32_t extra = rank - htp_output_rank(l, 0);
    const htp_dim *dims = htp_arg_dims(l, "self");
    const htp_dim *wanted = htp_output_dims(l, 0);
    int64_t axes[HTP_MAX_RANK];
    size_t count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        bool is_one = !dims[i].symbol && dims[i].size == 1;
        bool becomes_one =
            i < extra || (!wanted[i - extra].symbol && wanted[i - extra].size == 1 && !is_one);
        if (becomes_one) {
            axes[count++] = i;
        }
    }
    htp_dtype wide = htp_composite_dtype(dtype);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", wide);
    if (count) {
        x = htp_typed_reduce(l, "ReduceSum", wide, x, axes, count, true);
        x = htp_emit_squeeze(l, x, axes, extra);
    }
    htp_bind_cast(l, 0, x, wide);
}

/* ---- covariances ---- */

/** Operands of a covariance. */
typedef struct covariance {
    htp_formula f;
    htp_tensor_id x;       /* [variables, observations] */
    htp_tensor_id weights; /* [observations], or HTP_NONE */
    htp_tensor_id total;   /* of the weights, 0-d */
} covariance;

/** self as a matrix: a vector has the observations of one variable. */
static covariance read_observations(htp_lowering *l)
{
    static const char *const names[] = {"self", "fweights", "aweights"};
    htp_dtype dtype = htp_promote_to_float(htp_promote_arguments(l, names, 3));
    covariance c = {.f = htp_formula_of_steps(l, dtype), .weights = HTP_NONE};
    uint32_t rank = htp_arg_rank(l, "self");
    c.x = htp_step_arg(&c.f, "self");
    c.x = rank < 2 ? htp_emit_reshape(l, c.x, (const int64_t[]){1, -1}, 2) : c.x;
    return c;
}

/**
 * The products of all pairs of variables, as deviations from the mean: [variables, variables]
 * @param norm  divisor of the sums
 */
static htp_tensor_id emit_products(const covariance *c, htp_tensor_id norm)
{
    static const int64_t observations = 1;
    static const int64_t swapped[] = {1, 0};
    const htp_formula *f = &c->f;
    bool weighted = c->weights != HTP_NONE;
    htp_tensor_id x = weighted ? htp_step_binary(f, "Mul", c->x, c->weights) : c->x;
    htp_tensor_id mean = htp_step_reduce(f, "ReduceSum", x, &observations, 1, true);
    mean = htp_step_binary(f, "Div", mean, c->total);
    htp_tensor_id deviation = htp_step_binary(f, "Sub", c->x, mean);
    htp_tensor_id other = weighted ? htp_step_binary(f, "Mul", deviation, c->weights) : deviation;
    other = htp_emit_transpose(f->l, other, swapped, 2);
    htp_tensor_id product = htp_step_round(f, htp_emit_binary(f->l, "MatMul", deviation, other));
    return htp_step_binary(f, "Div", product, norm);
}

/** Binds a matrix [variables, variables], or a number if there is one variable. */
static void bind_matrix(const covariance *c, htp_tensor_id x)
{
    htp_formula_bind(&c->f, 0,
                     htp_output_rank(c->f.l, 0) ? x : htp_emit_reshape(c->f.l, x, NULL, 0));
}

/** The number of observations, 0-d. */
static htp_tensor_id count_observations(const covariance *c)
{
    static const int64_t only = 0;
    htp_tensor_id count =
        htp_emit(c->f.l, "Shape", HTP_IN(c->x),
                 HTP_AT(htp_attribute_int("start", 1), htp_attribute_int("end", 2)));
    count = htp_emit_squeeze(c->f.l, count, &only, 1);
    return htp_emit_cast(c->f.l, count, HTP_DTYPE_INT64, c->f.dtype);
}

/** aten::cov: with weights that are frequencies, importances, or both */
void htp_lower_covariance(htp_lowering *l)
{
    covariance c = read_observations(l);
    const htp_formula *f = &c.f;
    double correction = htp_arg_float_or(l, "correction", 1);
    htp_tensor_id frequencies = htp_arg_optional_as(l, "fweights", f->dtype);
    htp_tensor_id importances = htp_arg_optional_as(l, "aweights", f->dtype);
    bool both = frequencies != HTP_NONE && importances != HTP_NONE;
    c.weights = both ? htp_step_binary(f, "Mul", frequencies, importances)
                     : (frequencies != HTP_NONE ? frequencies : importances);
    c.total = c.weights != HTP_NONE ? htp_step_reduce(f, "ReduceSum", c.weights, NULL, 0, false)
                                    : count_observations(&c);
    htp_tensor_id norm;
    if (importances != HTP_NONE && correction != 0) {
        htp_tensor_id squares = htp_step_binary(f, "Mul", c.weights, importances);
        squares = htp_step_reduce(f, "ReduceSum", squares, NULL, 0, false);
        squares = htp_step_scalar(f, "Mul", squares, correction);
        norm = htp_step_binary(f, "Sub", c.total, htp_step_binary(f, "Div", squares, c.total));
    } else {
        norm = htp_step_scalar(f, "Sub", c.total, correction);
    }
    bind_matrix(&c, emit_products(&c, htp_step_scalar(f, "Max", norm, 0)));
}

/** aten::corrcoef: covariances divided by both standard deviations, between -1 and 1 */
void htp_lower_correlation(htp_lowering *l)
{
    static const int64_t row = 0;
    static const int64_t column = 1;
    covariance c = read_observations(l);
    const htp_formula *f = &c.f;
    c.total = count_observations(&c);
    htp_tensor_id norm = htp_step_scalar(f, "Max", htp_step_scalar(f, "Sub", c.total, 1), 0);
    htp_tensor_id products = emit_products(&c, norm);
    htp_tensor_id size =
        htp_emit(l, "Shape", HTP_IN(products),
                 HTP_AT(htp_attribute_int("start", 0), htp_attribute_int("end", 1)));
    htp_tensor_id index = htp_emit_count_up(l, size);
    htp_tensor_id is_diagonal =
        htp_emit_binary(l, "Equal", index, htp_emit_unsqueeze(l, index, &column, 1));
    htp_tensor_id zero = htp_step_number(f, 0);
    htp_tensor_id own = htp_step_where(f, is_diagonal, products, zero);
    own = htp_step_unary(f, "Sqrt", htp_step_reduce(f, "ReduceSum", own, &row, 1, false));
    products = htp_step_binary(f, "Div", products, htp_emit_unsqueeze(l, own, &column, 1));
    products = htp_step_binary(f, "Div", products, own);
    products = htp_step_scalar(f, "Min", htp_step_scalar(f, "Max", products, -1), 1);
    bind_matrix(&c, products);
}
