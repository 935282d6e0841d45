/*
 * Element-wise losses, and losses of vectors.
 *
 * The steps, and with them the rounding, are those of libtorch's native/Loss.cpp.
 */
#include "lower/loss/loss.h"

#include "lower/compose/compose.h"
#include "lower/compose/elementary.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/pointwise/special.h"
#include "lower/reduction/reduce.h"

#include <math.h>

/** The mean of all losses: NaN if there are none. */
static htp_tensor_id mean(const htp_formula *f, htp_tensor_id losses)
{
    if (!htp_args_may_be_empty(f->l)) {
        return htp_step_reduce(f, "ReduceMean", losses, NULL, 0, false);
    }
    htp_tensor_id count = htp_emit_unary(f->l, "Size", losses);
    count = htp_emit_cast(f->l, count, HTP_DTYPE_INT64, f->dtype);
    losses = htp_typed_reduce(f->l, "ReduceSum", f->dtype, losses, NULL, 0, false);
    return htp_step_binary(f, "Div", losses, count);
}

void htp_loss_bind(const htp_formula *f, htp_tensor_id losses)
{
    int64_t reduction = htp_arg_int(f->l, "reduction");
    if (reduction == HTP_LOSS_MEAN) {
        losses = mean(f, losses);
    } else if (reduction == HTP_LOSS_SUM) {
        losses = htp_step_reduce(f, "ReduceSum", losses, NULL, 0, false);
    } else if (reduction != HTP_LOSS_NONE) {
        htp_lower_fail(f->l, "reduction %lld is not known", (long long)reduction);
    }
    htp_formula_bind(f, 0, losses);
}

htp_tensor_id htp_loss_weigh(const htp_formula *f, htp_tensor_id x)
{
    return htp_arg_present(f->l, "weight") ? htp_step_binary(f, "Mul", x, htp_step_arg(f, "weight"))
                                           : x;
}

/** The dtype of two arguments. */
static htp_dtype common_dtype(htp_lowering *l, const char *a, const char *b)
{
    return htp_promote_arguments(l, (const char *const[]){a, b}, 2);
}

static htp_formula float_steps(htp_lowering *l, const char *a, const char *b)
{
    return htp_formula_of_steps(l, htp_promote_to_float(common_dtype(l, a, b)));
}

/** self - target */
static htp_tensor_id difference(const htp_formula *f)
{
    return htp_step_binary(f, "Sub", htp_step_arg(f, "self"), htp_step_arg(f, "target"));
}

/** max(x, 0) */
static htp_tensor_id positive_part(const htp_formula *f, htp_tensor_id x)
{
    return htp_step_scalar(f, "Max", x, 0);
}

/* ---- of differences ---- */

/** aten::mse_loss */
void htp_lower_squared_loss(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, common_dtype(l, "self", "target"));
    htp_tensor_id x = difference(&f);
    htp_loss_bind(&f, htp_step_binary(&f, "Mul", x, x));
}

/** aten::l1_loss */
void htp_lower_absolute_loss(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, common_dtype(l, "self", "target"));
    htp_loss_bind(&f, htp_step_unary(&f, "Abs", difference(&f)));
}

/** aten::smooth_l1_loss: x² / 2beta below beta, x - beta / 2 from there on */
void htp_lower_smooth_loss(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, common_dtype(l, "self", "target"));
    double beta = htp_arg_float(l, "beta");
    htp_tensor_id x = htp_step_unary(&f, "Abs", difference(&f));
    if (beta != 0) {
        htp_tensor_id square = htp_step_binary(&f, "Mul", htp_step_scalar(&f, "Mul", x, 0.5), x);
        square = htp_step_scalar(&f, "Div", square, beta);
        htp_tensor_id line = htp_step_scalar(&f, "Sub", x, 0.5 * beta);
        x = htp_step_where(&f, htp_step_compare_scalar(&f, "Less", x, beta), square, line);
    }
    htp_loss_bind(&f, x);
}

/** aten::huber_loss: x² / 2 up to delta, delta · (x - delta / 2) beyond */
void htp_lower_huber_loss(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, common_dtype(l, "self", "target"));
    double delta = htp_arg_float(l, "delta");
    htp_tensor_id x = htp_step_unary(&f, "Abs", difference(&f));
    htp_tensor_id square = htp_step_binary(&f, "Mul", htp_step_scalar(&f, "Mul", x, 0.5), x);
    htp_tensor_id line = htp_step_scalar(&f, "Sub", x, 0.5 * delta);
    line = htp_step_scalar(&f, "Mul", line, delta);
    htp_tensor_id is_small = htp_step_compare_scalar(&f, "LessOrEqual", x, delta);
    htp_loss_bind(&f, htp_step_where(&f, is_small, square, line));
}

/* ---- of probabilities ---- */

/** log(x), but at least -100 */
static htp_tensor_id bounded_log(const htp_formula *f, htp_tensor_id logarithm)
{
    return htp_step_scalar(f, "Max", htp_step_round(f, logarithm), -100);
}

/** aten::binary_cross_entropy */
void htp_lower_binary_entropy(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, common_dtype(l, "self", "target"));
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id target = htp_step_arg(&f, "target");
    htp_tensor_id yes = bounded_log(&f, htp_typed_unary(l, "Log", f.dtype, x));
    htp_tensor_id no = bounded_log(&f, htp_emit_log1p(l, f.dtype, htp_step_unary(&f, "Neg", x)));
    no = htp_step_binary(&f, "Mul", htp_step_scalar(&f, "Sub", target, 1), no);
    yes = htp_step_binary(&f, "Mul", target, yes);
    htp_loss_bind(&f, htp_loss_weigh(&f, htp_step_binary(&f, "Sub", no, yes)));
}

/** aten::binary_cross_entropy_with_logits:
 * (1 - target) · x - (1 + (pos_weight - 1) · target) · log(sigmoid(x)) */
void htp_lower_logit_entropy(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, common_dtype(l, "self", "target"));
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id target = htp_step_arg(&f, "target");
    htp_tensor_id log = htp_emit_softplus(l, htp_step_unary(&f, "Neg", x), f.dtype);
    log = htp_step_unary(&f, "Neg", htp_step_round(&f, log));
    if (htp_arg_present(l, "pos_weight")) {
        htp_tensor_id more = htp_step_scalar(&f, "Sub", htp_step_arg(&f, "pos_weight"), 1);
        more = htp_step_scalar(&f, "Add", htp_step_binary(&f, "Mul", more, target), 1);
        log = htp_step_binary(&f, "Mul", log, more);
    }
    htp_tensor_id rest = htp_step_binary(&f, "Mul", htp_step_from(&f, 1, "Sub", target), x);
    htp_loss_bind(&f, htp_loss_weigh(&f, htp_step_binary(&f, "Sub", rest, log)));
}

/** aten::kl_div: target · (log(target) - self), of logarithms exp(target) · (target - self) */
void htp_lower_divergence(htp_lowering *l)
{
    htp_formula f = float_steps(l, "self", "target");
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id target = htp_step_arg(&f, "target");
    htp_tensor_id loss;
    if (htp_arg_bool(l, "log_target")) {
        htp_tensor_id probability = htp_step_unary(&f, "Exp", target);
        loss = htp_step_binary(&f, "Mul", probability, htp_step_binary(&f, "Sub", target, x));
    } else {
        loss = htp_emit_xlogy(&f, target, target, false);
        loss = htp_step_binary(&f, "Sub", loss, htp_step_binary(&f, "Mul", target, x));
    }
    htp_loss_bind(&f, loss);
}

/** log(target!) by Stirling's formula; 0 up to one */
static htp_tensor_id log_factorial(const htp_formula *f, htp_tensor_id target)
{
    htp_tensor_id sum = htp_step_binary(f, "Mul", target, htp_step_unary(f, "Log", target));
    sum = htp_step_binary(f, "Sub", sum, target);
    htp_tensor_id half = htp_step_scalar(f, "Mul", target, 2 * acos(-1));
    half = htp_step_scalar(f, "Mul", htp_step_unary(f, "Log", half), 0.5);
    sum = htp_step_binary(f, "Add", sum, half);
    htp_tensor_id is_small = htp_step_compare_scalar(f, "LessOrEqual", target, 1);
    return htp_step_where_number(f, is_small, 0, sum);
}

/** aten::poisson_nll_loss */
void htp_lower_poisson_loss(htp_lowering *l)
{
    htp_formula f = float_steps(l, "input", "target");
    htp_tensor_id x = htp_step_arg(&f, "input");
    htp_tensor_id target = htp_step_arg(&f, "target");
    htp_tensor_id loss;
    if (htp_arg_bool(l, "log_input")) {
        loss = htp_step_binary(&f, "Mul", target, x);
        loss = htp_step_binary(&f, "Sub", htp_step_unary(&f, "Exp", x), loss);
    } else {
        loss = htp_step_scalar(&f, "Add", x, htp_arg_float(l, "eps"));
        loss = htp_step_binary(&f, "Mul", target, htp_step_unary(&f, "Log", loss));
        loss = htp_step_binary(&f, "Sub", x, loss);
    }
    if (htp_arg_bool(l, "full")) {
        loss = htp_step_binary(&f, "Add", loss, log_factorial(&f, target));
    }
    htp_loss_bind(&f, loss);
}

/** aten::soft_margin_loss: log(1 + exp(-target · self)) */
void htp_lower_soft_margin_loss(htp_lowering *l)
{
    htp_formula f = float_steps(l, "self", "target");
    htp_tensor_id x = htp_step_unary(&f, "Neg", htp_step_arg(&f, "self"));
    x = htp_step_unary(&f, "Exp", htp_step_binary(&f, "Mul", x, htp_step_arg(&f, "target")));
    htp_loss_bind(&f, htp_step_round(&f, htp_emit_log1p(l, f.dtype, x)));
}

/* ---- of margins ---- */

/** aten::margin_ranking_loss: max(0, margin - target · (input1 - input2)) */
void htp_lower_ranking_loss(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    htp_tensor_id x =
        htp_step_binary(&f, "Sub", htp_step_arg(&f, "input1"), htp_step_arg(&f, "input2"));
    x = htp_step_binary(&f, "Mul", htp_step_unary(&f, "Neg", htp_step_arg(&f, "target")), x);
    x = htp_step_scalar(&f, "Add", x, htp_arg_float(l, "margin"));
    htp_loss_bind(&f, positive_part(&f, x));
}

/** Whether the argument target is @p number; a target of bool is 0 or 1. */
static htp_tensor_id target_is(htp_lowering *l, double number)
{
    htp_dtype dtype = htp_arg_dtype(l, "target");
    dtype = dtype == HTP_DTYPE_BOOL ? HTP_DTYPE_INT64 : dtype;
    htp_tensor_id target = htp_arg_tensor_as(l, "target", dtype);
    return htp_typed_predicate_scalar(l, "Equal", dtype, target, number);
}

/** aten::hinge_embedding_loss: self where target is 1, max(0, margin - self) where it is -1, and
 * both for any other target */
void htp_lower_hinge_loss(htp_lowering *l)
{
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id rest = positive_part(&f, htp_step_from(&f, htp_arg_float(l, "margin"), "Sub", x));
    rest = htp_step_where_number(&f, target_is(l, 1), 0, rest);
    x = htp_step_where_number(&f, target_is(l, -1), 0, x);
    htp_loss_bind(&f, htp_step_binary(&f, "Add", rest, x));
}

/** The sum of products of two arguments along a dim. */
static htp_tensor_id product_sum(const htp_formula *f, const char *a, const char *b, int64_t axis)
{
    htp_tensor_id x = htp_step_binary(f, "Mul", htp_step_arg(f, a), htp_step_arg(f, b));
    return htp_step_reduce(f, "ReduceSum", x, &axis, 1, false);
}

/** aten::cosine_embedding_loss: 1 - cosine where target is 1, max(0, cosine - margin) where it is
 * -1 */
void htp_lower_cosine_loss(htp_lowering *l)
{
    const double epsilon = 1e-12;
    htp_formula f = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    int64_t axis = htp_arg_rank(l, "target") ? 1 : 0;
    htp_tensor_id a = product_sum(&f, "input1", "input1", axis);
    htp_tensor_id b = product_sum(&f, "input2", "input2", axis);
    a = htp_step_scalar(&f, "Add", a, epsilon);
    b = htp_step_scalar(&f, "Add", b, epsilon);
    htp_tensor_id length = htp_step_unary(&f, "Sqrt", htp_step_binary(&f, "Mul", a, b));
    htp_tensor_id cosine = product_sum(&f, "input1", "input2", axis);
    cosine = htp_step_binary(&f, "Div", cosine, length);
    htp_tensor_id zero = htp_step_number(&f, 0);
    htp_tensor_id near =
        htp_step_where(&f, target_is(l, 1), htp_step_from(&f, 1, "Sub", cosine), zero);
    htp_tensor_id far = htp_step_scalar(&f, "Sub", cosine, htp_arg_float(l, "margin"));
    far = htp_step_where(&f, target_is(l, -1), positive_part(&f, far), zero);
    htp_loss_bind(&f, htp_step_binary(&f, "Add", near, far));
}

/** aten::triplet_margin_loss: max(0, margin + distance to positive - distance to negative) */
void htp_lower_triplet_loss(htp_lowering *l)
{
    static const char *const names[] = {"anchor", "positive", "negative"};
    htp_formula f =
        htp_formula_of_steps(l, htp_promote_to_float(htp_promote_arguments(l, names, 3)));
    htp_tensor_id anchor = htp_step_arg(&f, "anchor");
    htp_tensor_id positive = htp_step_arg(&f, "positive");
    htp_tensor_id negative = htp_step_arg(&f, "negative");
    htp_pair_distance d = {.axis = (int64_t)htp_arg_rank(l, "anchor") - 1,
                           .p = htp_arg_float(l, "p"),
                           .eps = htp_arg_float(l, "eps")};
    htp_tensor_id near = htp_emit_pair_distance(&f, anchor, positive, &d);
    htp_tensor_id far = htp_emit_pair_distance(&f, anchor, negative, &d);
    if (htp_arg_bool(l, "swap")) {
        far = htp_step_binary(&f, "Min", far, htp_emit_pair_distance(&f, positive, negative, &d));
    }
    near = htp_step_scalar(&f, "Add", near, htp_arg_float(l, "margin"));
    htp_loss_bind(&f, positive_part(&f, htp_step_binary(&f, "Sub", near, far)));
}
