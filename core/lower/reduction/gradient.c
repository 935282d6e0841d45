/*
 * aten::gradient: central differences, one-sided at both ends.
 *
 * Every requested dim gives one output. Points are equidistant, or have coordinates.
 */
#include "lower/compose/formula.h"
#include "lower/emit/rows.h"

/** self along one dim. */
typedef struct line {
    const htp_formula *f;
    htp_tensor_id x;
    int64_t axis;
    uint32_t rank;
    int64_t edge_order;
} line;

/** The elements from @p start to before @p end; both may be negative. */
static htp_tensor_id part(const line *n, int64_t start, int64_t end)
{
    return htp_emit_slice(n->f->l, n->x, n->axis, start, end);
}

static htp_tensor_id step(const line *n, const char *op, htp_tensor_id a, htp_tensor_id b)
{
    return htp_step_binary(n->f, op, a, b);
}

static htp_tensor_id scaled(const line *n, htp_tensor_id x, double factor)
{
    return htp_step_scalar(n->f, "Mul", x, factor);
}

/** before, middle, after: along the axis */
static htp_tensor_id join(const line *n, htp_tensor_id before, htp_tensor_id middle,
                          htp_tensor_id after)
{
    return htp_emit_concat(n->f->l, HTP_IN(before, middle, after), n->axis);
}

/* ---- equal distances ---- */

/** (a · x + b · y + c · z) / distance */
static htp_tensor_id weigh(const line *n, const double *weights, htp_tensor_id x, htp_tensor_id y,
                           htp_tensor_id z, htp_tensor_id distance)
{
    htp_tensor_id sum = step(n, "Add", scaled(n, x, weights[0]), scaled(n, y, weights[1]));
    return step(n, "Div", step(n, "Add", sum, scaled(n, z, weights[2])), distance);
}

static htp_tensor_id emit_even(const line *n, htp_tensor_id distance)
{
    static const double at_start[] = {-1.5, 2, -0.5};
    static const double at_end[] = {0.5, -2, 1.5};
    htp_tensor_id middle = step(n, "Sub", part(n, 2, INT64_MAX), part(n, 0, -2));
    middle = scaled(n, step(n, "Div", middle, distance), 0.5);
    htp_tensor_id before;
    htp_tensor_id after;
    if (n->edge_order == 1) {
        before = step(n, "Div", step(n, "Sub", part(n, 1, 2), part(n, 0, 1)), distance);
        after = step(n, "Div", step(n, "Sub", part(n, -1, INT64_MAX), part(n, -2, -1)), distance);
    } else {
        before = weigh(n, at_start, part(n, 0, 1), part(n, 1, 2), part(n, 2, 3), distance);
        after =
            weigh(n, at_end, part(n, -3, -2), part(n, -2, -1), part(n, -1, INT64_MAX), distance);
    }
    return join(n, before, middle, after);
}

/* ---- coordinates ---- */

/** Distances to the left and right neighbours, shaped to broadcast with self. */
typedef struct gaps {
    htp_tensor_id left;
    htp_tensor_id right;
    htp_tensor_id both;
} gaps;

/** (p · x + q · y + r · z) with factors that are tensors. */
static htp_tensor_id combine(const line *n, const htp_tensor_id *factors, htp_tensor_id x,
                             htp_tensor_id y, htp_tensor_id z)
{
    htp_tensor_id sum =
        step(n, "Add", step(n, "Mul", factors[0], x), step(n, "Mul", factors[1], y));
    return step(n, "Add", sum, step(n, "Mul", factors[2], z));
}

/** 1 / (p · q), times @p above. */
static htp_tensor_id over(const line *n, htp_tensor_id above, htp_tensor_id p, htp_tensor_id q)
{
    return step(n, "Div", above, step(n, "Mul", p, q));
}

static htp_tensor_id negative(const line *n, htp_tensor_id x)
{
    return htp_step_unary(n->f, "Neg", x);
}

/** The gaps from @p start up to @p end along the axis. */
static gaps some_gaps(const line *n, const gaps *all, int64_t start, int64_t end)
{
    htp_lowering *l = n->f->l;
    return (gaps){htp_emit_slice(l, all->left, n->axis, start, end),
                  htp_emit_slice(l, all->right, n->axis, start, end),
                  htp_emit_slice(l, all->both, n->axis, start, end)};
}

static htp_tensor_id emit_middle(const line *n, const gaps *g)
{
    const htp_tensor_id factors[] = {
        over(n, negative(n, g->right), g->left, g->both),
        over(n, step(n, "Sub", g->right, g->left), g->left, g->right),
        over(n, g->left, g->right, g->both),
    };
    return combine(n, factors, part(n, 0, -2), part(n, 1, -1), part(n, 2, INT64_MAX));
}

static htp_tensor_id emit_start(const line *n, const gaps *all)
{
    gaps g = some_gaps(n, all, 0, 1);
    if (n->edge_order == 1) {
        return step(n, "Div", step(n, "Sub", part(n, 1, 2), part(n, 0, 1)), g.left);
    }
    htp_tensor_id twice = step(n, "Add", scaled(n, g.left, 2), g.right);
    const htp_tensor_id factors[] = {
        over(n, negative(n, twice), g.left, g.both),
        over(n, g.both, g.left, g.right),
        over(n, negative(n, g.left), g.right, g.both),
    };
    return combine(n, factors, part(n, 0, 1), part(n, 1, 2), part(n, 2, 3));
}

static htp_tensor_id emit_end(const line *n, const gaps *all)
{
    gaps g = some_gaps(n, all, -1, INT64_MAX);
    if (n->edge_order == 1) {
        return step(n, "Div", step(n, "Sub", part(n, -1, INT64_MAX), part(n, -2, -1)), g.right);
    }
    htp_tensor_id twice = step(n, "Add", scaled(n, g.right, 2), g.left);
    const htp_tensor_id factors[] = {
        over(n, g.right, g.left, g.both),
        over(n, negative(n, g.both), g.left, g.right),
        over(n, twice, g.right, g.both),
    };
    return combine(n, factors, part(n, -3, -2), part(n, -2, -1), part(n, -1, INT64_MAX));
}

/** @param coordinates  [n] */
static htp_tensor_id emit_uneven(const line *n, htp_tensor_id coordinates)
{
    htp_lowering *l = n->f->l;
    int64_t behind[HTP_MAX_RANK];
    size_t count = (size_t)(n->rank - n->axis - 1);
    for (size_t i = 0; i < count; i++) {
        behind[i] = (int64_t)i + 1;
    }
    int64_t front[HTP_MAX_RANK];
    for (int64_t i = 0; i < n->axis; i++) {
        front[i] = i;
    }
    htp_tensor_id gap =
        htp_step_binary(n->f, "Sub", htp_emit_slice(l, coordinates, 0, 1, INT64_MAX),
                        htp_emit_slice(l, coordinates, 0, 0, -1));
    gap = htp_emit_unsqueeze(l, gap, behind, count);
    gap = htp_emit_unsqueeze(l, gap, front, (size_t)n->axis);
    gaps g = {.left = htp_emit_slice(l, gap, n->axis, 0, -1),
              .right = htp_emit_slice(l, gap, n->axis, 1, INT64_MAX)};
    g.both = step(n, "Add", g.left, g.right);
    return join(n, emit_start(n, &g), emit_middle(n, &g), emit_end(n, &g));
}

/* ---- the operator ---- */

/** The spacing of output @p index as a value; HTP_NONE: distances of one. */
static htp_value_id spacing_of(htp_lowering *l, size_t index)
{
    htp_value_id spacing = htp_arg_value(l, "spacing");
    if (!htp_arg_present(l, "spacing")) {
        return HTP_NONE;
    }
    const htp_trace_value *value = htp_graph_value(l->graph, spacing);
    if (value->kind != HTP_TRACE_LIST) {
        return spacing;
    }
    if (index >= value->element_count) {
        htp_lower_fail(l, "it has %u spacings", value->element_count);
        return HTP_NONE;
    }
    return value->elements[index];
}

static htp_tensor_id emit_along(htp_lowering *l, const line *n, htp_value_id spacing)
{
    if (spacing == HTP_NONE) {
        return emit_even(n, htp_step_number(n->f, 1));
    }
    const htp_trace_value *value = htp_graph_value(l->graph, spacing);
    htp_tensor_id x = htp_value_tensor_as(l, spacing, n->f->dtype);
    bool has_coordinates = value->kind == HTP_TRACE_TENSOR && value->rank == 1;
    return has_coordinates ? emit_uneven(n, x) : emit_even(n, x);
}

/** aten::gradient */
void htp_lower_gradient(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    size_t count = 0;
    const int64_t *dims = htp_arg_dims_list(l, "dim", rank, !htp_arg_present(l, "dim"), &count);
    const htp_trace_value *list = htp_graph_value(l->graph, htp_output_value(l, 0));
    if (list->kind != HTP_TRACE_LIST || list->element_count != count || rank == 0) {
        htp_lower_fail(l, "it gives %u results for %zu dims", list->element_count, count);
        return;
    }
    int64_t edge_order = htp_arg_int_or(l, "edge_order", 1);
    for (size_t i = 0; i < count && !l->failure; i++) {
        htp_dtype dtype = htp_graph_value(l->graph, list->elements[i])->dtype;
        htp_formula f = htp_formula_of_steps(l, dtype);
        line n = {&f, htp_step_arg(&f, "self"), dims[i], rank, edge_order};
        htp_tensor_id x = emit_along(l, &n, spacing_of(l, i));
        htp_bind_value(l, list->elements[i], htp_emit_cast(l, x, f.dtype, dtype));
    }
}
