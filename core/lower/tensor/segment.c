/*
 * Reductions over segments of a dim: aten::segment_reduce.
 *
 * A border is the start of a segment or the end of the last one. The number of borders up to an
 * element gives its segment; elements outside get extra segments, which are cut off.
 */
#include "lower/compose/compose.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/tensor/scatter.h"

#include <math.h>
#include <string.h>

typedef struct reduction {
    const char *name;
    const char *onnx;
    double identity;
} reduction;

static const reduction reductions[] = {
    {"sum", "add", 0},         {"mean", "add", 0},       {"prod", "mul", 1},
    {"max", "max", -INFINITY}, {"min", "min", INFINITY},
};

/** How one dim of the argument data is divided. */
typedef struct segments {
    htp_dtype dtype; /* to compute in */
    uint32_t rank;
    uint32_t axis;
    const htp_dim *dims;
    htp_tensor_id x;
    htp_tensor_id borders; /* int64, [before..., segments + 1] */
    htp_tensor_id lengths; /* int64, [before..., segments] */
} segments;

static const reduction *find_reduction(htp_lowering *l)
{
    const char *name = htp_arg_string(l, "reduce");
    for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]) && !l->failure; i++) {
        const reduction *r = &reductions[i];
        if (strcmp(name, r->name) == 0) {
            if (isinf(r->identity)) {
                (void)htp_lower_needs_opset(l, 18,
                                            htp_arena_printf(l->arena, "reduction '%s'", name));
            }
            return r;
        }
    }
    htp_lower_fail(l, "its reduction is unknown");
    return &reductions[0];
}

/** The dims of @p x up to the segmented one, of size @p size ([1]). */
static htp_tensor_id shape_up_to(htp_lowering *l, const segments *s, htp_tensor_id size)
{
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, s->x, s->dims, 0, s->axis);
    htp_sizes_add_tensor(&shape, size);
    return htp_sizes_end(&shape);
}

/** Reads borders and lengths of the segments, of which the node has one. */
static void read_borders(htp_lowering *l, segments *s)
{
    bool has_offsets = htp_arg_present(l, "offsets");
    const char *name = has_offsets ? "offsets" : "lengths";
    if (!htp_arg_present(l, name) || htp_arg_present(l, "indices") ||
        htp_arg_rank(l, name) != s->axis + 1) {
        htp_lower_fail(l, "its segments are given neither by lengths nor by offsets of the dim");
        return;
    }
    htp_tensor_id given = htp_arg_tensor_as(l, name, HTP_DTYPE_INT64);
    if (has_offsets) {
        s->borders = given;
        s->lengths = htp_emit_binary(l, "Sub", htp_emit_slice(l, given, s->axis, 1, INT64_MAX),
                                     htp_emit_slice(l, given, s->axis, 0, -1));
        return;
    }
    s->lengths = given;
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    zero = htp_emit_binary(l, "Expand", zero, shape_up_to(l, s, htp_emit_int(l, 1)));
    htp_tensor_id ends =
        htp_emit_binary(l, "CumSum", given, htp_emit_scalar_int(l, HTP_DTYPE_INT64, s->axis));
    s->borders = htp_emit_concat(l, HTP_IN(zero, ends), s->axis);
}

/** @p x [before..., n] with a dim of 1 for each dim after. */
static htp_tensor_id beside(htp_lowering *l, const segments *s, htp_tensor_id x)
{
    int64_t axes[HTP_MAX_RANK];
    size_t count = 0;
    for (uint32_t i = s->axis + 1; i < s->rank && count < HTP_MAX_RANK; i++) {
        axes[count++] = i;
    }
    return count ? htp_emit_unsqueeze(l, x, axes, count) : x;
}

/** The number of borders at or before each element of the dim: int64, of the data's shape. */
static htp_tensor_id emit_places(htp_lowering *l, const segments *s)
{
    htp_tensor_id size = htp_emit_dim(l, s->x, s->dims, s->axis);
    size = htp_emit_binary(l, "Add", size, htp_emit_int(l, 1));
    htp_tensor_id zero = htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0);
    htp_tensor_id ones = htp_emit_binary(l, "Expand", htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1),
                                         htp_emit_unary(l, "Shape", s->borders));
    htp_scattering marks = {.dtype = HTP_DTYPE_INT64, .axis = s->axis, .index = s->borders};
    htp_tensor_id places = htp_emit_binary(l, "Expand", zero, shape_up_to(l, s, size));
    places = htp_emit_scatter(l, &marks, places, ones, "add");
    places = htp_emit_slice(l, places, s->axis, 0, -1);
    places = htp_emit_binary(l, "CumSum", places, htp_emit_scalar_int(l, HTP_DTYPE_INT64, s->axis));
    places = beside(l, s, places);
    return htp_emit_binary(l, "Expand", places, htp_emit_shape(l, s->x, s->rank, s->dims));
}

/** @p start for every segment, including the extra ones. */
static htp_tensor_id emit_begin(htp_lowering *l, const segments *s, htp_tensor_id start)
{
    htp_tensor_id count = htp_emit(
        l, "Shape", HTP_IN(s->borders),
        HTP_AT(htp_attribute_int("start", s->axis), htp_attribute_int("end", s->axis + 1)));
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, s->x, s->dims, 0, s->axis);
    htp_sizes_add_tensor(&shape, htp_emit_binary(l, "Add", count, htp_emit_int(l, 1)));
    htp_sizes_add_dims(&shape, s->x, s->dims, s->axis + 1, s->rank);
    return htp_typed_expand(l, s->dtype, start, htp_sizes_end(&shape));
}

/** Sums divided by lengths; the initial value or NaN for empty segments. */
static htp_tensor_id emit_quotient(htp_lowering *l, const segments *s, htp_tensor_id sums,
                                   bool has_initial)
{
    htp_tensor_id lengths = beside(l, s, s->lengths);
    lengths = htp_emit_cast(l, lengths, HTP_DTYPE_INT64, s->dtype);
    htp_tensor_id is_empty = htp_emit_binary_scalar(l, "Equal", lengths, s->dtype, 0);
    htp_tensor_id otherwise = has_initial ? sums : htp_emit_scalar(l, s->dtype, NAN);
    return htp_typed_where(l, s->dtype, is_empty, otherwise,
                           htp_emit_binary(l, "Div", sums, lengths));
}

/** aten::segment_reduce */
void htp_lower_segment_reduce(htp_lowering *l)
{
    segments s = {.dtype = htp_arg_math_dtype(l, "data", HTP_MATH_ALLOW_DOUBLE),
                  .rank = htp_arg_rank(l, "data"),
                  .dims = htp_arg_dims(l, "data")};
    const reduction *r = find_reduction(l);
    s.axis = (uint32_t)htp_arg_dim(l, "axis", s.rank);
    s.x = htp_arg_tensor_as(l, "data", s.dtype);
    read_borders(l, &s);
    if (l->failure || s.rank == 0) {
        htp_lower_fail(l, "its data has no dims");
        return;
    }
    bool has_initial = htp_arg_present(l, "initial");
    htp_tensor_id start = has_initial ? htp_arg_tensor_as(l, "initial", s.dtype)
                                      : htp_emit_scalar(l, s.dtype, r->identity);
    htp_scattering all = {.dtype = s.dtype, .axis = s.axis, .updates = s.x};
    all.index = emit_places(l, &s);
    htp_tensor_id begin = emit_begin(l, &s, start);
    htp_tensor_id result = htp_emit_scatter(l, &all, begin, s.x, r->onnx);
    if (isinf(r->identity)) {
        result = htp_emit_scattered_nan(l, &all, begin, result);
    }
    result = htp_emit_slice(l, result, s.axis, 1, -1);
    if (strcmp(r->name, "mean") == 0) {
        result = emit_quotient(l, &s, result, has_initial);
    }
    htp_bind_cast(l, 0, result, s.dtype);
}
