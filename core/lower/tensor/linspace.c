/*
 * Evenly spaced numbers: aten::linspace, and aten::logspace, which raises a base to them.
 *
 * PyTorch counts from both ends to the middle, and rounds the step and each of its multiples to its
 * computing dtype.
 */
#include "lower/compose/compose.h"
#include "lower/compose/formula.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/pointwise/special.h"

enum { MAX_STEPS = 1 << 20 };

/** The number of results. */
typedef struct step_count {
    int64_t number;       /* if it is known at export */
    htp_tensor_id vector; /* [1], if it depends on the model's input; or HTP_NONE */
} step_count;

/** The argument steps. */
static step_count arg_steps(htp_lowering *l)
{
    step_count steps = {.vector = HTP_NONE};
    if (!htp_arg_is_constant(l, "steps")) {
        steps.vector = htp_arg_vector(l, "steps");
        return steps;
    }
    steps.number = htp_arg_int(l, "steps");
    if (steps.number < 0 || steps.number > MAX_STEPS) {
        htp_lower_fail(l, "it makes %lld steps", (long long)steps.number);
        steps.number = 0;
    }
    return steps;
}

/** Whether there is known to be at most one result. */
static bool has_no_step(const step_count *steps)
{
    return steps->vector == HTP_NONE && steps->number < 2;
}

/** The number of steps as [1]. */
static htp_tensor_id steps_vector(htp_lowering *l, const step_count *steps)
{
    return steps->vector == HTP_NONE ? htp_emit_int(l, steps->number) : steps->vector;
}

/** Evenly spaced numbers. */
typedef struct spaced {
    htp_tensor_id start; /* 0-d, as is end */
    htp_tensor_id end;
    htp_tensor_id step;      /* 0-d, or [1] */
    htp_tensor_id positions; /* [steps]: distance of each number from its end, in steps */
    htp_tensor_id halves;    /* [steps]: whether it is counted from the start */
    htp_tensor_id is_single; /* [1]: whether there is at most one number; or HTP_NONE */
} spaced;

/** Sets the positions for a known number of steps. @return the number of intervals */
static htp_tensor_id set_known_positions(const htp_formula *f, spaced *s, int64_t steps)
{
    htp_number *positions = HTP_NEW_ARRAY(f->l->arena, htp_number, (size_t)steps + 1);
    htp_number *halves = HTP_NEW_ARRAY(f->l->arena, htp_number, (size_t)steps + 1);
    for (int64_t i = 0; i < steps; i++) {
        positions[i] = htp_number_int(i < steps / 2 ? i : steps - 1 - i);
        halves[i] = htp_number_int(i < steps / 2);
    }
    s->positions = htp_emit_numbers(f->l, f->rounded, 1, &steps, positions);
    s->positions = htp_emit_cast(f->l, s->positions, f->rounded, f->dtype);
    s->halves = htp_emit_numbers(f->l, HTP_DTYPE_BOOL, 1, &steps, halves);
    htp_tensor_id intervals = htp_emit_scalar_int(f->l, f->rounded, steps - 1);
    return htp_emit_cast(f->l, intervals, f->rounded, f->dtype);
}

/** An integer rounded to the formula's dtype, as in PyTorch. */
static htp_tensor_id counted(const htp_formula *f, htp_tensor_id x)
{
    x = htp_emit_cast(f->l, x, HTP_DTYPE_INT64, f->rounded);
    return htp_emit_cast(f->l, x, f->rounded, f->dtype);
}

/** The same for a dynamic number of steps. A single number is the start, whatever the step. */
static htp_tensor_id set_positions(const htp_formula *f, spaced *s, htp_tensor_id steps)
{
    htp_lowering *l = f->l;
    htp_tensor_id one = htp_emit_int(l, 1);
    htp_tensor_id index = htp_emit_count_up(l, steps);
    htp_tensor_id intervals = htp_emit_binary(l, "Sub", steps, one);
    s->halves =
        htp_emit_binary(l, "Less", index, htp_emit_binary(l, "Div", steps, htp_emit_int(l, 2)));
    htp_tensor_id from_end = htp_emit_binary(l, "Sub", intervals, index);
    s->positions = counted(f, htp_emit(l, "Where", HTP_IN(s->halves, index, from_end), HTP_NO_AT));
    s->is_single = htp_emit_binary(l, "Less", steps, htp_emit_int(l, 2));
    return counted(f, htp_typed_extreme(l, "Max", HTP_DTYPE_INT64, intervals, one));
}

/** Argument start or end, rounded (for integers: truncated) to @p dtype. */
static htp_tensor_id bound_as(const htp_formula *f, const char *name, htp_dtype dtype)
{
    return htp_emit_cast(f->l, htp_arg_tensor_as(f->l, name, dtype), dtype, f->dtype);
}

/** Reads start and end, first rounded to @p dtype. */
static spaced read_spaced(const htp_formula *f, htp_dtype dtype, const step_count *steps)
{
    spaced s = {.start = bound_as(f, "start", dtype),
                .end = bound_as(f, "end", dtype),
                .is_single = HTP_NONE};
    htp_tensor_id intervals = steps->vector == HTP_NONE ? set_known_positions(f, &s, steps->number)
                                                        : set_positions(f, &s, steps->vector);
    s.step = htp_step_binary(f, "Div", htp_step_binary(f, "Sub", s.end, s.start), intervals);
    return s;
}

/** The numbers; each product is rounded before it is added. */
static htp_tensor_id emit_spaced(const htp_formula *f, const spaced *s)
{
    htp_tensor_id offsets = htp_step_binary(f, "Mul", s->step, s->positions);
    htp_tensor_id numbers =
        htp_step_where(f, s->halves, htp_step_binary(f, "Add", s->start, offsets),
                       htp_step_binary(f, "Sub", s->end, offsets));
    return s->is_single == HTP_NONE ? numbers : htp_step_where(f, s->is_single, s->start, numbers);
}

htp_tensor_id htp_emit_linspace(const htp_formula *f, htp_tensor_id start, htp_tensor_id end,
                                int64_t steps)
{
    spaced s = {.start = start, .end = end, .is_single = HTP_NONE};
    htp_tensor_id intervals = set_known_positions(f, &s, steps);
    s.step = htp_step_binary(f, "Div", htp_step_binary(f, "Sub", end, start), intervals);
    return emit_spaced(f, &s);
}

/** a + b and its rounding error. Source: Knuth, The Art of Computer Programming 2, 4.2.2. */
static htp_tensor_id add_exactly(const htp_formula *f, htp_tensor_id a, htp_tensor_id b,
                                 htp_tensor_id *lost)
{
    htp_tensor_id sum = htp_step_binary(f, "Add", a, b);
    htp_tensor_id b_part = htp_step_binary(f, "Sub", sum, a);
    htp_tensor_id a_part = htp_step_binary(f, "Sub", sum, b_part);
    *lost = htp_step_binary(f, "Add", htp_step_binary(f, "Sub", a, a_part),
                            htp_step_binary(f, "Sub", b, b_part));
    return sum;
}

/**
 * The numbers in float64, each rounded once, as by the fused multiply-add of PyTorch's kernels: the
 * last bit matters for truncation to integers. The step is split into halves whose products with
 * positions are exact.
 */
static htp_tensor_id emit_spaced_exactly(const htp_formula *f, const spaced *s)
{
    htp_tensor_id ends = htp_step_where(f, s->halves, s->start, s->end);
    htp_tensor_id steps = htp_step_where(f, s->halves, s->step, htp_step_unary(f, "Neg", s->step));
    htp_tensor_id large = htp_step_scalar(f, "Mul", steps, 0x1p27 + 1);
    htp_tensor_id high = htp_step_binary(f, "Sub", large, htp_step_binary(f, "Sub", large, steps));
    htp_tensor_id low = htp_step_binary(f, "Sub", steps, high);
    high = htp_step_binary(f, "Mul", high, s->positions);
    low = htp_step_binary(f, "Mul", low, s->positions);
    htp_tensor_id lost;
    htp_tensor_id sum = add_exactly(f, ends, high, &lost);
    htp_tensor_id numbers = htp_step_binary(f, "Add", sum, htp_step_binary(f, "Add", lost, low));
    return s->is_single == HTP_NONE ? numbers : htp_step_where(f, s->is_single, s->start, numbers);
}

/** The 0-d start as a vector of @p steps elements: none or one. */
static htp_tensor_id repeat_start(htp_lowering *l, htp_tensor_id start, const step_count *steps)
{
    return htp_emit_binary(l, "Expand", start, steps_vector(l, steps));
}

/** aten::linspace: integers are computed in float64 and truncated. PyTorch 1 computes them
 * differently; it has no overloads with tensors, which the row's parameter marks. */
void htp_lower_linspace(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    bool is_float = htp_dtype_is_float(dtype);
    step_count steps = arg_steps(l);
    htp_formula f = htp_formula_of_steps(l, is_float ? dtype : HTP_DTYPE_FLOAT64);
    if (!is_float && !l->row->op) {
        htp_lower_fail(l, "integers whose number or bounds depend on the model's input are "
                          "counted differently by versions of PyTorch");
        return;
    }
    if (has_no_step(&steps)) {
        htp_bind(l, 0, repeat_start(l, htp_arg_tensor_as(l, "start", dtype), &steps));
        return;
    }
    spaced s = read_spaced(&f, dtype, &steps);
    htp_formula_bind(&f, 0, is_float ? emit_spaced(&f, &s) : emit_spaced_exactly(&f, &s));
}

/** aten::logspace: exponents are computed in float64 for integers, in float32 for 16-bit floats;
 * powers in float64. */
void htp_lower_logspace(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    bool is_float = htp_dtype_is_float(dtype);
    step_count steps = arg_steps(l);
    htp_formula f = htp_formula_of_kernel(l, is_float ? dtype : HTP_DTYPE_FLOAT64);
    htp_tensor_id exponents;
    if (!is_float && dtype != HTP_DTYPE_INT32 && dtype != HTP_DTYPE_INT64) {
        htp_lower_fail(l, "powers are not cut off to %s", htp_dtype_name(dtype));
        return;
    }
    if (has_no_step(&steps)) {
        exponents = htp_arg_tensor_as(l, "start", HTP_DTYPE_FLOAT64);
        exponents = repeat_start(l, exponents, &steps);
    } else {
        spaced s = read_spaced(&f, dtype, &steps);
        exponents = htp_emit_cast(l, emit_spaced(&f, &s), f.dtype, HTP_DTYPE_FLOAT64);
    }
    htp_tensor_id base = htp_emit_scalar(l, HTP_DTYPE_FLOAT64, htp_arg_float(l, "base"));
    htp_bind_cast(l, 0, htp_emit_binary(l, "Pow", base, exponents), HTP_DTYPE_FLOAT64);
}
