/*
 * Integrals by the trapezoidal rule: aten::trapezoid, aten::cumulative_trapezoid.
 */
#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"
#include "lower/reduction/reduce.h"

/** The left and right ends of the trapezoids along a dim. */
typedef struct neighbours {
    htp_tensor_id left;
    htp_tensor_id right;
} neighbours;

static neighbours split_neighbours(htp_lowering *l, htp_tensor_id x, int64_t axis)
{
    return (neighbours){htp_emit_slice(l, x, axis, 0, -1),
                        htp_emit_slice(l, x, axis, 1, INT64_MAX)};
}

/** The argument x in y's rank: a vector is placed along the dim, other tensors get dims in
 * front. */
static htp_tensor_id read_places(const htp_formula *f, uint32_t rank, int64_t axis)
{
    int64_t axes[HTP_MAX_RANK];
    size_t count = 0;
    uint32_t x_rank = htp_arg_rank(f->l, "x");
    htp_tensor_id x = htp_step_arg(f, "x");
    if (x_rank >= rank) {
        return x;
    }
    for (int64_t i = 0; i < rank; i++) {
        bool is_added = x_rank == 1 ? i != axis : i < (int64_t)(rank - x_rank);
        if (is_added) {
            axes[count++] = i;
        }
    }
    return htp_emit_unsqueeze(f->l, x, axes, count);
}

/** Twice the areas of trapezoids between coordinates x: (left + right) · width */
static htp_tensor_id emit_areas(const htp_formula *f, uint32_t rank, int64_t axis)
{
    neighbours y = split_neighbours(f->l, htp_step_arg(f, "y"), axis);
    neighbours x = split_neighbours(f->l, read_places(f, rank, axis), axis);
    htp_tensor_id width = htp_step_binary(f, "Sub", x.right, x.left);
    return htp_step_binary(f, "Mul", htp_step_binary(f, "Add", y.left, y.right), width);
}

/** A formula in the common dtype of y and x, in which neighbours are added. */
static htp_formula formula_of_arguments(htp_lowering *l)
{
    static const char *const names[] = {"y", "x"};
    return htp_formula_of_steps(l, htp_promote_arguments(l, names, 2));
}

/** aten::trapezoid.x: half of the sum of the doubled areas */
static void lower_between_places(htp_lowering *l, uint32_t rank, int64_t axis)
{
    htp_formula f = formula_of_arguments(l);
    htp_formula result = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    htp_tensor_id areas = emit_areas(&f, rank, axis);
    htp_tensor_id sum = htp_step_reduce(&f, "ReduceSum", areas, &axis, 1, false);
    sum = htp_emit_cast(l, sum, f.dtype, result.dtype);
    htp_formula_bind(&result, 0, htp_step_scalar(&result, "Div", sum, 2));
}

/** aten::trapezoid.dx: the sum of all but half of the first and the last, times dx */
static void lower_at_distance(htp_lowering *l, int64_t axis)
{
    htp_formula f = formula_of_arguments(l);
    htp_formula result = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    htp_tensor_id y = htp_step_arg(&f, "y");
    htp_tensor_id sum = htp_step_reduce(&f, "ReduceSum", y, &axis, 1, false);
    htp_tensor_id first = htp_emit_slice(l, y, axis, 0, 1);
    htp_tensor_id last = htp_emit_slice(l, y, axis, -1, INT64_MAX);
    htp_tensor_id ends = htp_step_binary(&f, "Add", first, last);
    ends = htp_emit_cast(l, htp_emit_squeeze(l, ends, &axis, 1), f.dtype, result.dtype);
    ends = htp_step_scalar(&result, "Mul", ends, 0.5);
    sum = htp_step_binary(&result, "Sub", htp_emit_cast(l, sum, f.dtype, result.dtype), ends);
    sum = htp_step_scalar(&result, "Mul", sum, htp_arg_float(l, "dx"));
    htp_formula_bind(&result, 0, sum);
}

/** The axis of integration. Fails if it has no elements. */
static int64_t arg_axis(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "y");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    const htp_dim *dim = &htp_arg_dims(l, "y")[axis];
    if (rank == 0 || (!dim->symbol && dim->size == 0)) {
        htp_lower_fail(l, "there is nothing to integrate");
    }
    return axis;
}

/** aten::trapezoid, aten::trapz */
void htp_lower_trapezoid(htp_lowering *l)
{
    int64_t axis = arg_axis(l);
    if (htp_arg_present(l, "x")) {
        lower_between_places(l, htp_arg_rank(l, "y"), axis);
    } else {
        lower_at_distance(l, axis);
    }
}

/** aten::cumulative_trapezoid: the areas up to each one */
void htp_lower_cumulative_trapezoid(htp_lowering *l)
{
    int64_t axis = arg_axis(l);
    htp_formula f = formula_of_arguments(l);
    htp_formula result = htp_formula_of_steps(l, htp_output_dtype(l, 0));
    uint32_t rank = htp_arg_rank(l, "y");
    bool has_places = htp_arg_present(l, "x");
    htp_tensor_id areas;
    if (has_places) {
        areas = emit_areas(&f, rank, axis);
    } else {
        neighbours y = split_neighbours(l, htp_step_arg(&f, "y"), axis);
        areas = htp_step_binary(&f, "Add", y.left, y.right);
    }
    htp_tensor_id sums = htp_step_round(&f, htp_emit_cumsum(l, f.dtype, areas, axis));
    sums = htp_emit_cast(l, sums, f.dtype, result.dtype);
    double factor = has_places ? 0.5 : htp_arg_float(l, "dx") / 2;
    htp_formula_bind(&result, 0, htp_step_scalar(&result, "Mul", sums, factor));
}
