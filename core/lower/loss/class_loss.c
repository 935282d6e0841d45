/*
 * Loss functions of classes: aten::nll_loss, aten::cross_entropy_loss, aten::multi_margin_loss,
 * aten::multilabel_margin_loss.
 *
 * Dim 1 of self, or its only dim, has the classes. The target gives a class for each element of the
 * other dims; elements whose target is ignore_index do not count.
 */
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/loss/loss.h"

#include <math.h>

/** Operands of a loss. */
typedef struct classes {
    htp_formula f;
    uint32_t rank;
    int64_t axis;          /* of the classes */
    htp_tensor_id target;  /* int64, with size 1 along the classes; ignored targets are 0 */
    htp_tensor_id ignored; /* bool, of the target's shape; HTP_NONE when nothing is */
    htp_tensor_id weight;  /* [classes, 1, ...], or HTP_NONE */
} classes;

/** The argument weight, shaped to broadcast along the classes. */
static htp_tensor_id read_weight(const classes *c)
{
    if (!htp_arg_present(c->f.l, "weight")) {
        return HTP_NONE;
    }
    htp_tensor_id weight = htp_step_arg(&c->f, "weight");
    return htp_emit_channels(c->f.l, weight, c->rank - (uint32_t)c->axis - 1);
}

static classes read_classes(htp_lowering *l)
{
    classes c = {.f = htp_formula_of_steps(l, htp_output_dtype(l, 0)),
                 .rank = htp_arg_rank(l, "self")};
    c.axis = c.rank > 1;
    c.target = HTP_NONE;
    c.ignored = HTP_NONE;
    if (c.rank == 0) {
        htp_lower_fail(l, "its input has no classes");
        return c;
    }
    c.weight = read_weight(&c);
    return c;
}

/** Reads targets that are classes. */
static void read_target(classes *c)
{
    htp_lowering *l = c->f.l;
    htp_tensor_id target = htp_arg_tensor_as(l, "target", HTP_DTYPE_INT64);
    target = htp_emit_unsqueeze(l, target, &c->axis, 1);
    htp_tensor_id ignore = htp_emit_scalar_int(l, HTP_DTYPE_INT64, htp_arg_int(l, "ignore_index"));
    c->ignored = htp_emit_binary(l, "Equal", target, ignore);
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    c->target = htp_emit(l, "Where", HTP_IN(c->ignored, zero, target), HTP_NO_AT);
}

/** @p x with 0 in place of ignored elements. */
static htp_tensor_id blank_ignored(const classes *c, htp_tensor_id x)
{
    return htp_step_where_number(&c->f, c->ignored, 0, x);
}

/** Removes the dim of size 1 for the classes. */
static htp_tensor_id drop_classes(const classes *c, htp_tensor_id x)
{
    return htp_emit_squeeze(c->f.l, x, &c->axis, 1);
}

/** The weight of each element: its class's, or 1; 0 for ignored ones. */
static htp_tensor_id emit_element_weights(const classes *c)
{
    htp_lowering *l = c->f.l;
    if (c->weight == HTP_NONE) {
        htp_tensor_id counts = htp_emit_unary(l, "Not", c->ignored);
        return htp_emit_cast(l, counts, HTP_DTYPE_BOOL, c->f.dtype);
    }
    htp_tensor_id weight = htp_step_arg(&c->f, "weight");
    return blank_ignored(c, htp_emit_binary(l, "Gather", weight, c->target));
}

static htp_tensor_id sum_all(const classes *c, htp_tensor_id x)
{
    return htp_typed_reduce(c->f.l, "ReduceSum", c->f.dtype, x, NULL, 0, false);
}

/** aten::nll_loss: minus the elements of @p x at their targets, weighted and reduced. */
static htp_tensor_id emit_likelihood(const classes *c, htp_tensor_id x)
{
    const htp_formula *f = &c->f;
    int64_t reduction = htp_arg_int(f->l, "reduction");
    htp_tensor_id picked = htp_emit(f->l, "GatherElements", HTP_IN(x, c->target),
                                    HTP_AT(htp_attribute_int("axis", c->axis)));
    htp_tensor_id losses = blank_ignored(c, htp_step_unary(f, "Neg", picked));
    htp_tensor_id weights = emit_element_weights(c);
    if (c->weight != HTP_NONE) {
        losses = htp_step_binary(f, "Mul", losses, weights);
    }
    if (reduction == HTP_LOSS_NONE) {
        return drop_classes(c, losses);
    }
    losses = sum_all(c, losses);
    if (reduction == HTP_LOSS_MEAN) {
        losses = htp_typed_binary(f->l, "Div", f->dtype, losses, sum_all(c, weights));
    }
    return htp_step_round(f, losses);
}

/** aten::nll_loss, nll_loss2d, nll_loss_nd, and the forward operators, whose second output is the
 * sum of weights */
void htp_lower_likelihood_loss(htp_lowering *l)
{
    classes c = read_classes(l);
    if (l->failure) {
        return;
    }
    read_target(&c);
    htp_formula_bind(&c.f, 0, emit_likelihood(&c, htp_step_arg(&c.f, "self")));
    if (l->node->output_count > 1) {
        bool is_reduced = htp_arg_int(l, "reduction") != HTP_LOSS_NONE;
        htp_tensor_id total =
            is_reduced ? sum_all(&c, emit_element_weights(&c)) : htp_step_number(&c.f, 0);
        htp_formula_bind(&c.f, 1, total);
    }
}

/* ---- cross entropy ---- */

static htp_tensor_id emit_log_softmax(const classes *c)
{
    htp_tensor_id x = htp_step_arg(&c->f, "self");
    x = htp_emit(c->f.l, "LogSoftmax", HTP_IN(x), HTP_AT(htp_attribute_int("axis", c->axis)));
    return htp_step_round(&c->f, x);
}

/** The number of classes, 0-d. */
static htp_tensor_id count_classes(const classes *c)
{
    static const int64_t only = 0;
    htp_tensor_id x = htp_arg_tensor(c->f.l, "self");
    htp_tensor_id count = htp_emit_dim(c->f.l, x, htp_arg_dims(c->f.l, "self"), c->axis);
    count = htp_emit_squeeze(c->f.l, count, &only, 1);
    return htp_emit_cast(c->f.l, count, HTP_DTYPE_INT64, c->f.dtype);
}

/** Cross entropy with targets that are probabilities, of self's shape. */
static htp_tensor_id with_probabilities(const classes *c, double smoothing)
{
    const htp_formula *f = &c->f;
    htp_lowering *l = f->l;
    int64_t reduction = htp_arg_int(l, "reduction");
    htp_tensor_id target = htp_step_arg(f, "target");
    if (smoothing > 0) {
        htp_tensor_id share = htp_step_from(f, smoothing, "Div", count_classes(c));
        target = htp_step_scalar(f, "Mul", target, 1 - smoothing);
        target = htp_step_binary(f, "Add", target, share);
    }
    htp_tensor_id losses = htp_step_binary(f, "Mul", emit_log_softmax(c), target);
    if (c->weight != HTP_NONE) {
        losses = htp_step_binary(f, "Mul", losses, c->weight);
    }
    losses = htp_step_unary(f, "Neg", losses);
    if (reduction == HTP_LOSS_NONE) {
        return htp_step_reduce(f, "ReduceSum", losses, &c->axis, 1, false);
    }
    losses = htp_step_reduce(f, "ReduceSum", losses, NULL, 0, false);
    if (reduction == HTP_LOSS_MEAN) {
        htp_tensor_id elements = htp_emit_unary(l, "Size", htp_arg_tensor(l, "self"));
        elements = htp_emit_cast(l, elements, HTP_DTYPE_INT64, f->dtype);
        elements = htp_typed_binary(l, "Div", f->dtype, elements, count_classes(c));
        losses = htp_step_binary(f, "Div", losses, elements);
    }
    return losses;
}

/** The part of the loss from label smoothing: that of a uniform target. */
static htp_tensor_id emit_smooth_loss(const classes *c, htp_tensor_id x)
{
    const htp_formula *f = &c->f;
    int64_t reduction = htp_arg_int(f->l, "reduction");
    if (c->weight != HTP_NONE) {
        x = htp_step_binary(f, "Mul", x, c->weight);
    }
    x = htp_step_reduce(f, "ReduceSum", htp_step_unary(f, "Neg", x), &c->axis, 1, true);
    x = blank_ignored(c, x);
    if (reduction == HTP_LOSS_NONE) {
        return drop_classes(c, x);
    }
    x = htp_step_round(f, sum_all(c, x));
    if (reduction == HTP_LOSS_MEAN) {
        htp_tensor_id total = sum_all(c, emit_element_weights(c));
        x = htp_step_binary(f, "Div", x, total);
    }
    return x;
}

/** Whether targets are probabilities: of self's rank and of a floating-point dtype. */
static bool has_probabilities(htp_lowering *l)
{
    return htp_dtype_is_float(htp_arg_dtype(l, "target")) &&
           htp_arg_rank(l, "target") == htp_arg_rank(l, "self");
}

/** aten::cross_entropy_loss */
void htp_lower_cross_entropy(htp_lowering *l)
{
    classes c = read_classes(l);
    double smoothing = htp_arg_float(l, "label_smoothing");
    if (l->failure) {
        return;
    }
    if (has_probabilities(l)) {
        htp_formula_bind(&c.f, 0, with_probabilities(&c, smoothing));
        return;
    }
    read_target(&c);
    htp_tensor_id x = emit_log_softmax(&c);
    htp_tensor_id loss = emit_likelihood(&c, x);
    if (smoothing > 0) {
        htp_tensor_id share = htp_step_from(&c.f, smoothing, "Div", count_classes(&c));
        htp_tensor_id smooth = htp_step_binary(&c.f, "Mul", emit_smooth_loss(&c, x), share);
        loss = htp_step_scalar(&c.f, "Mul", loss, 1 - smoothing);
        loss = htp_step_binary(&c.f, "Add", loss, smooth);
    }
    htp_formula_bind(&c.f, 0, loss);
}

/* ---- margins ---- */

/** aten::multi_margin_loss: the mean over the other classes of max(0, margin - x[target] + x)^p,
 * times the weight of the target's class */
void htp_lower_multi_margin_loss(htp_lowering *l)
{
    classes c = read_classes(l);
    const htp_formula *f = &c.f;
    double p = htp_arg_float(l, "p");
    if (l->failure || (p != 1 && p != 2)) {
        htp_lower_fail(l, "an exponent of %g is not supported", p);
        return;
    }
    htp_tensor_id target = htp_arg_tensor_as(l, "target", HTP_DTYPE_INT64);
    bool is_column = htp_arg_rank(l, "target") == (uint32_t)c.axis;
    target = is_column ? htp_emit_unsqueeze(l, target, &c.axis, 1) : target;
    htp_tensor_id x = htp_step_arg(f, "self");
    htp_tensor_id picked =
        htp_emit(l, "GatherElements", HTP_IN(x, target), HTP_AT(htp_attribute_int("axis", c.axis)));
    htp_tensor_id loss = htp_step_from(f, htp_arg_float(l, "margin"), "Sub", picked);
    loss = htp_step_scalar(f, "Max", htp_step_binary(f, "Add", loss, x), 0);
    loss = p == 2 ? htp_step_binary(f, "Mul", loss, loss) : loss;
    if (htp_arg_present(l, "weight")) {
        htp_tensor_id weight = htp_step_arg(f, "weight");
        loss = htp_step_binary(f, "Mul", loss, htp_emit_binary(l, "Gather", weight, target));
    }
    htp_tensor_id size = htp_emit_dim(l, x, htp_arg_dims(l, "self"), c.axis);
    htp_tensor_id is_target = htp_emit_binary(l, "Equal", htp_emit_count_up(l, size), target);
    loss = htp_step_where_number(f, is_target, 0, loss);
    loss = htp_step_reduce(f, "ReduceSum", loss, &c.axis, 1, false);
    htp_loss_bind(f, htp_step_binary(f, "Div", loss, count_classes(&c)));
}

/** Which elements of a list of classes come before its first negative one. */
static htp_tensor_id emit_listed(htp_lowering *l, htp_tensor_id target, int64_t axis)
{
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    htp_tensor_id ends = htp_emit_binary(l, "Less", target, zero);
    ends = htp_emit_cast(l, ends, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    htp_tensor_id along = htp_emit_scalar_int(l, HTP_DTYPE_INT64, axis);
    return htp_emit_binary(l, "Equal", htp_emit_binary(l, "CumSum", ends, along), zero);
}

/** aten::multilabel_margin_loss: the sum of max(0, 1 - x[j] + x[i]) over target classes j and other
 * classes i, divided by the number of classes */
void htp_lower_multilabel_margin_loss(htp_lowering *l)
{
    htp_formula f = htp_formula_of_kernel(l, htp_output_dtype(l, 0));
    classes c = {.f = f, .rank = htp_arg_rank(l, "self"), .axis = htp_arg_rank(l, "self") > 1};
    if (c.rank == 0 || htp_arg_rank(l, "target") != c.rank) {
        htp_lower_fail(l, "its input has no classes, or its target other dims");
        return;
    }
    int64_t before = c.axis;
    int64_t behind = c.axis + 1;
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id target = htp_arg_tensor_as(l, "target", HTP_DTYPE_INT64);
    htp_tensor_id listed = emit_listed(l, target, c.axis);
    target = htp_typed_where(l, HTP_DTYPE_INT64, listed, target,
                             htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    htp_tensor_id picked =
        htp_emit(l, "GatherElements", HTP_IN(x, target), HTP_AT(htp_attribute_int("axis", c.axis)));
    listed = htp_emit_unsqueeze(l, listed, &behind, 1);
    htp_tensor_id size = htp_emit_dim(l, x, htp_arg_dims(l, "self"), c.axis);
    htp_tensor_id same = htp_emit_binary(l, "Equal", htp_emit_unsqueeze(l, target, &behind, 1),
                                         htp_emit_count_up(l, size));
    same =
        htp_emit_cast(l, htp_emit_binary(l, "And", same, listed), HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    htp_tensor_id times = htp_emit_reduce(l, "ReduceSum", same, &before, 1, true);
    htp_tensor_id is_other =
        htp_emit_binary(l, "Equal", times, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    htp_tensor_id loss = htp_step_from(&f, 1, "Sub", htp_emit_unsqueeze(l, picked, &behind, 1));
    loss = htp_step_binary(&f, "Add", loss, htp_emit_unsqueeze(l, x, &before, 1));
    htp_tensor_id counts = htp_emit_binary(l, "And", listed, is_other);
    counts = htp_emit_binary(l, "And", counts, htp_step_compare_scalar(&f, "Greater", loss, 0));
    loss = htp_typed_where(l, f.dtype, counts, loss, htp_step_number(&f, 0));
    loss = htp_step_reduce(&f, "ReduceSum", loss, (const int64_t[]){before, behind}, 2, false);
    htp_loss_bind(&f, htp_step_binary(&f, "Div", loss, count_classes(&c)));
}
