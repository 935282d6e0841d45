/*
 * Connectionist temporal classification: aten::ctc_loss.
 *
 * The states are the labels of a sequence with blanks before, between and behind them. Each state
 * has the log-likelihood that the steps so far end in it. The next step stays, advances by one, or
 * skips a blank between different labels.
 */
#include "lower/compose/compose.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/emit/steps.h"
#include "lower/loss/loss.h"
#include "lower/reduction/reduce.h"

#include <math.h>

static const int64_t first = 0;
static const int64_t second = 1;

typedef struct sequences {
    htp_formula f;
    htp_tensor_id x;       /* [steps, batch, classes]: logarithms */
    htp_tensor_id steps;   /* int64, [1]: their number */
    htp_tensor_id lengths; /* int64, [batch, 1]: of the inputs */
    htp_tensor_id labels;  /* int64, [batch, 1]: number of labels */
    htp_tensor_id places;  /* int64, [places]: 0, 1, ... */
    htp_tensor_id classes; /* int64, [batch, places]: labels with blanks around them */
    htp_tensor_id passes;  /* bool, [batch, places]: whether a step may skip the place before */
} sequences;

static htp_tensor_id int_step(htp_lowering *l, const char *op, htp_tensor_id x, int64_t number)
{
    return htp_emit_binary(l, op, x, htp_emit_int(l, number));
}

/** Lengths, given as a list or a tensor, as int64 [batch, 1]. */
static htp_tensor_id read_lengths(htp_lowering *l, const char *name)
{
    static const int64_t column[] = {-1, 1};
    const htp_trace_value *value = htp_graph_value(l->graph, htp_arg_value(l, name));
    htp_tensor_id lengths = value->kind == HTP_TRACE_TENSOR
                                ? htp_arg_tensor_as(l, name, HTP_DTYPE_INT64)
                                : htp_arg_shape(l, name);
    return htp_emit_reshape(l, lengths, column, 2);
}

/** The offset of each sequence's labels among all of them, [batch, 1]. Sets @p most to the largest
 * number of labels that a sequence may have. */
static htp_tensor_id emit_begins(htp_lowering *l, const sequences *s, htp_tensor_id *most)
{
    if (htp_arg_rank(l, "targets") == 1) {
        *most = htp_emit_squeeze(l, htp_emit_reduce(l, "ReduceMax", s->labels, &first, 1, true),
                                 &second, 1);
        htp_tensor_id ends = htp_emit_cumsum(l, HTP_DTYPE_INT64, s->labels, 0);
        return htp_emit_binary(l, "Sub", ends, s->labels);
    }
    htp_tensor_id targets = htp_arg_tensor(l, "targets");
    *most = htp_emit_dim(l, targets, htp_arg_dims(l, "targets"), 1);
    htp_tensor_id batch = htp_emit_dim(l, targets, htp_arg_dims(l, "targets"), 0);
    batch = htp_emit_unsqueeze(l, htp_emit_count_up(l, batch), &second, 1);
    return htp_emit_binary(l, "Mul", batch, *most);
}

/** @p x [batch, places] shifted by two places, with @p before in front. */
static htp_tensor_id move_on(htp_lowering *l, const sequences *s, htp_tensor_id x,
                             htp_tensor_id before)
{
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_tensor(
        &shape, htp_emit(l, "Shape", HTP_IN(s->labels),
                         HTP_AT(htp_attribute_int("start", 0), htp_attribute_int("end", 1))));
    htp_sizes_add_int(&shape, 2);
    before = htp_emit_binary(l, "Expand", before, htp_sizes_end(&shape));
    return htp_emit_concat(l, HTP_IN(before, x), 1);
}

/** Sets places and classes. */
static void read_classes(htp_lowering *l, sequences *s)
{
    static const int64_t flattened[] = {-1};
    htp_tensor_id most = HTP_NONE;
    htp_tensor_id begins = emit_begins(l, s, &most);
    htp_tensor_id blank = htp_emit_scalar_int(l, HTP_DTYPE_INT64, htp_arg_int(l, "blank"));
    htp_tensor_id targets = htp_arg_tensor_as(l, "targets", HTP_DTYPE_INT64);
    targets = htp_emit_reshape(l, targets, flattened, 1);
    htp_tensor_id total = htp_emit_unary(l, "Shape", targets);
    targets = htp_emit_concat(l, HTP_IN(targets, htp_emit_int(l, 0)), 0);
    s->places = htp_emit_count_up(l, int_step(l, "Add", int_step(l, "Mul", most, 2), 1));
    htp_tensor_id index = htp_emit_binary(l, "Add", begins, int_step(l, "Div", s->places, 2));
    index = htp_typed_extreme(l, "Min", HTP_DTYPE_INT64, index, total);
    htp_tensor_id is_label =
        htp_emit_binary(l, "Less", s->places, int_step(l, "Mul", s->labels, 2));
    htp_tensor_id odd =
        htp_emit_binary(l, "Equal", int_step(l, "Mod", s->places, 2), htp_emit_int(l, 1));
    is_label = htp_emit_binary(l, "And", is_label, odd);
    s->classes = htp_typed_where(l, HTP_DTYPE_INT64, is_label,
                                 htp_emit_binary(l, "Gather", targets, index), blank);
    htp_tensor_id before = move_on(l, s, s->classes, blank);
    before = htp_emit_slice(l, before, 1, 0, -2);
    s->passes = htp_emit_unary(l, "Not", htp_emit_binary(l, "Equal", s->classes, before));
}

static sequences read_sequences(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_math_dtype(l, "log_probs", HTP_MATH_ALLOW_DOUBLE);
    sequences s = {.f = htp_formula_of_kernel(l, dtype)};
    uint32_t rank = htp_arg_rank(l, "log_probs");
    uint32_t target_rank = htp_arg_rank(l, "targets");
    if (rank < 2 || rank > 3 || target_rank < 1 || target_rank > 2) {
        htp_lower_fail(l, "log_probs or targets have a rank that is not supported");
        return s;
    }
    s.x = htp_step_arg(&s.f, "log_probs");
    s.steps = htp_emit_dim(l, s.x, htp_arg_dims(l, "log_probs"), 0);
    s.x = rank == 3 ? s.x : htp_emit_unsqueeze(l, s.x, &second, 1);
    s.lengths = read_lengths(l, "input_lengths");
    s.labels = read_lengths(l, "target_lengths");
    read_classes(l, &s);
    return s;
}

/** The log-probability of each place's class in step @p index, which is 0-d. */
static htp_tensor_id emit_step(htp_lowering *l, const sequences *s, htp_tensor_id index)
{
    htp_tensor_id x =
        htp_emit(l, "Gather", HTP_IN(s->x, index), HTP_AT(htp_attribute_int("axis", 0)));
    return htp_emit(l, "GatherElements", HTP_IN(x, s->classes),
                    HTP_AT(htp_attribute_int("axis", 1)));
}

/** log(exp(a) + exp(b) + exp(c)); @p c may be HTP_NONE. */
static htp_tensor_id add_logarithms(const htp_formula *f, htp_tensor_id a, htp_tensor_id b,
                                    htp_tensor_id c)
{
    bool has_third = c != HTP_NONE;
    htp_tensor_id most = htp_step_binary(f, "Max", a, b);
    most = has_third ? htp_step_binary(f, "Max", most, c) : most;
    most = htp_step_where_number(f, htp_step_compare_scalar(f, "Equal", most, -INFINITY), 0, most);
    htp_tensor_id sum =
        htp_step_binary(f, "Add", htp_step_unary(f, "Exp", htp_step_binary(f, "Sub", a, most)),
                        htp_step_unary(f, "Exp", htp_step_binary(f, "Sub", b, most)));
    if (has_third) {
        c = htp_step_unary(f, "Exp", htp_step_binary(f, "Sub", c, most));
        sum = htp_step_binary(f, "Add", sum, c);
    }
    return htp_step_binary(f, "Add", htp_step_unary(f, "Log", sum), most);
}

/** The log-likelihood of each place after the last step of each sequence. */
static htp_tensor_id emit_likelihoods(htp_lowering *l, const sequences *s)
{
    const htp_formula *f = &s->f;
    htp_tensor_id never = htp_step_number(f, -INFINITY);
    htp_tensor_id one = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1);
    htp_tensor_id begin = emit_step(l, s, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    htp_tensor_id begins = htp_emit_binary(l, "Less", s->places, htp_emit_int(l, 2));
    begin = htp_step_where(f, begins, begin, never);
    htp_tensor_id trips = int_step(l, "Sub", s->steps, 1);
    htp_steps steps = {.l = l, .count = 1, .state = {{begin, f->dtype, 2}}};
    htp_steps_begin(&steps);
    htp_tensor_id before = steps.state[0].tensor;
    htp_tensor_id index = htp_emit_binary(l, "Add", steps.number, one);
    htp_tensor_id moved = move_on(l, s, before, never);
    htp_tensor_id passed = htp_emit_slice(l, moved, 1, 0, -2);
    passed = htp_step_where(f, s->passes, passed, never);
    htp_tensor_id next = add_logarithms(f, before, htp_emit_slice(l, moved, 1, 1, -1), passed);
    next = htp_step_binary(f, "Add", next, emit_step(l, s, index));
    htp_tensor_id goes_on = htp_emit_binary(l, "Less", index, s->lengths);
    next = htp_step_where(f, goes_on, next, before);
    htp_steps_end(&steps, trips, &next);
    return steps.state[0].tensor;
}

/** The negative log-likelihood of each sequence's labels, [batch, 1]. */
static htp_tensor_id emit_losses(htp_lowering *l, const sequences *s)
{
    const htp_formula *f = &s->f;
    htp_attribute along = htp_attribute_int("axis", 1);
    htp_tensor_id all = emit_likelihoods(l, s);
    htp_tensor_id last = int_step(l, "Mul", s->labels, 2);
    htp_tensor_id label = htp_typed_extreme(l, "Max", HTP_DTYPE_INT64, int_step(l, "Sub", last, 1),
                                            htp_emit_int(l, 0));
    htp_tensor_id is_nothing = int_step(l, "Equal", s->labels, 0);
    htp_tensor_id on_blank = htp_emit(l, "GatherElements", HTP_IN(all, last), HTP_AT(along));
    htp_tensor_id on_label = htp_emit(l, "GatherElements", HTP_IN(all, label), HTP_AT(along));
    on_label = htp_step_where_number(f, is_nothing, -INFINITY, on_label);
    htp_tensor_id likely = add_logarithms(f, on_blank, on_label, HTP_NONE);
    htp_tensor_id of_none =
        htp_step_where(f, is_nothing, htp_step_number(f, 0), htp_step_number(f, -INFINITY));
    htp_tensor_id has_none = int_step(l, "Equal", s->lengths, 0);
    return htp_step_unary(f, "Neg", htp_step_where(f, has_none, of_none, likely));
}

/** aten::ctc_loss.IntList, aten::ctc_loss.Tensor */
void htp_lower_ctc_loss(htp_lowering *l)
{
    sequences s = read_sequences(l);
    const htp_formula *f = &s.f;
    if (l->failure) {
        return;
    }
    htp_tensor_id losses = emit_losses(l, &s);
    if (htp_arg_bool(l, "zero_infinity")) {
        htp_tensor_id is_infinite = htp_step_compare_scalar(f, "Equal", losses, INFINITY);
        losses = htp_step_where_number(f, is_infinite, 0, losses);
    }
    int64_t reduction = htp_arg_int(l, "reduction");
    if (reduction == HTP_LOSS_MEAN) {
        htp_tensor_id labels = htp_emit_cast(l, s.labels, HTP_DTYPE_INT64, f->dtype);
        losses = htp_step_binary(f, "Div", losses, htp_step_scalar(f, "Max", labels, 1));
    }
    losses = htp_emit_squeeze(l, losses, &second, 1);
    if (reduction == HTP_LOSS_NONE && htp_output_rank(l, 0) == 0) {
        losses = htp_emit_squeeze(l, losses, &first, 1);
    }
    htp_loss_bind(f, losses);
}
