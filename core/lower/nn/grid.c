/*
 * Sampling at the points of a grid: aten::grid_sampler, aten::affine_grid_generator.
 *
 * Reference: ONNX GridSample, AffineGrid. Opset 20 renamed GridSample's modes and added volumes,
 * for which runtimes have no cubic interpolation. In mode nearest, ONNX reflects a point after
 * rounding, PyTorch before. Without align_corners that differs for points halfway between elements,
 * so this case is composed of other nodes.
 *
 * ONNX does not define coordinates that are NaN, infinite or beyond int32, and runtimes differ.
 * They are replaced, and libtorch's results are inserted afterwards.
 */
#include "lower/compose/compose.h"
#include "lower/compose/formula.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

enum { MODE_LINEAR, MODE_NEAREST, MODE_CUBIC };
enum { PADDING_ZEROS, PADDING_BORDER, PADDING_REFLECTION };

typedef struct sampling {
    htp_dtype dtype;
    uint32_t rank;
    int64_t mode;
    int64_t padding;
    bool align_corners;
    bool is_short;      /* 16-bit numbers */
    htp_tensor_id x;    /* [N, C, ...] */
    htp_tensor_id grid; /* [N, ..., axes] */
} sampling;

static sampling read_sampling(htp_lowering *l)
{
    bool is_recent = l->model->opset >= 20;
    sampling s = {
        .dtype = htp_arg_math_dtype(l, "input", is_recent ? HTP_MATH_ALLOW_DOUBLE : 0),
        .rank = htp_arg_rank(l, "input"),
        .mode = htp_arg_int(l, "interpolation_mode"),
        .padding = htp_arg_int(l, "padding_mode"),
        .align_corners = htp_arg_bool(l, "align_corners"),
        .is_short = htp_composite_dtype(htp_arg_dtype(l, "input")) != htp_arg_dtype(l, "input"),
    };
    if (s.mode < MODE_LINEAR || s.mode > MODE_CUBIC || s.padding < PADDING_ZEROS ||
        s.padding > PADDING_REFLECTION) {
        htp_lower_fail(l, "its modes are not valid");
    }
    if (s.rank != 4 && s.rank != 5) {
        htp_lower_fail(l, "an input of rank %u is not supported", s.rank);
    } else if (s.rank == 5 && s.mode == MODE_CUBIC) {
        htp_lower_fail(l, "cubic interpolation of a volume is not supported");
    } else if (s.rank == 5) {
        (void)htp_lower_needs_opset(l, 20, "sampling a volume");
    }
    s.x = htp_arg_tensor_as(l, "input", s.dtype);
    s.grid = htp_arg_tensor_as(l, "grid", s.dtype);
    return s;
}

/*
 * The result at a point with a NaN coordinate, or an infinite one that is not clipped: a constant,
 * or the element taken along that axis.
 *
 * Reference: libtorch's native/GridSampler.h and cpu/GridSamplerKernel.cpp, whose comparisons and
 * conversions of NaN differ between planes and volumes; in planes of 16-bit numbers NaN is nearest
 * to the first element. Volumes of bfloat16 follow none of these.
 */
enum unbounded { UNBOUNDED_IS_NAN, UNBOUNDED_IS_ZERO, UNBOUNDED_IS_FIRST, UNBOUNDED_IS_LAST };

static enum unbounded find_unbounded(const sampling *s)
{
    bool is_plane = s->rank == 4;
    if (s->mode == MODE_CUBIC) {
        return UNBOUNDED_IS_NAN;
    }
    if (s->padding != PADDING_ZEROS || (is_plane && s->mode == MODE_NEAREST && s->is_short)) {
        return is_plane ? UNBOUNDED_IS_FIRST : UNBOUNDED_IS_LAST;
    }
    return is_plane && s->mode == MODE_LINEAR ? UNBOUNDED_IS_NAN : UNBOUNDED_IS_ZERO;
}

/** 0 for a finite coordinate, NaN for others. */
static htp_tensor_id mark_unbounded(htp_lowering *l, const sampling *s)
{
    return htp_typed_scalar(l, "Mul", s->dtype, s->grid, 0);
}

/** The grid, bounded so that indices fit into int32. Points at @p far_away or beyond are outside
 * even for cubic interpolation; reflected ones stay where they are. */
static htp_tensor_id bound_points(htp_lowering *l, const sampling *s, htp_tensor_id marks)
{
    const double far_away = 8;
    static const double places[] = {0, 0, -1, 1};
    htp_tensor_id place = htp_emit_scalar(l, s->dtype, places[find_unbounded(s)]);
    htp_tensor_id tested = s->padding == PADDING_BORDER && s->mode != MODE_CUBIC ? s->grid : marks;
    htp_tensor_id is_unbounded = htp_typed_predicate(l, "IsNaN", s->dtype, tested, HTP_NONE);
    htp_tensor_id bounded = htp_typed_where(l, s->dtype, is_unbounded, place, s->grid);
    if (s->padding == PADDING_REFLECTION) {
        return bounded;
    }
    return htp_emit_typed(l, "Clip", s->dtype,
                          HTP_IN(bounded, htp_emit_scalar(l, s->dtype, -far_away),
                                 htp_emit_scalar(l, s->dtype, far_away)),
                          HTP_NO_AT);
}

/** The samples with libtorch's results for replaced points. @param marks  by coordinate */
static htp_tensor_id put_unbounded(htp_lowering *l, const sampling *s, htp_tensor_id y,
                                   htp_tensor_id marks)
{
    const int64_t last = (int64_t)s->rank - 1;
    const int64_t channels = 1;
    enum unbounded unbounded = find_unbounded(s);
    if (unbounded != UNBOUNDED_IS_NAN && unbounded != UNBOUNDED_IS_ZERO) {
        return y;
    }
    htp_tensor_id mark = htp_typed_reduce(l, "ReduceSum", s->dtype, marks, &last, 1, false);
    mark = htp_emit_unsqueeze(l, mark, &channels, 1);
    if (unbounded == UNBOUNDED_IS_NAN) {
        return htp_typed_binary(l, "Add", s->dtype, y, mark);
    }
    htp_tensor_id is_unbounded = htp_typed_predicate(l, "IsNaN", s->dtype, mark, HTP_NONE);
    return htp_typed_where(l, s->dtype, is_unbounded, htp_emit_scalar(l, s->dtype, 0), y);
}

/** Coordinate @p i of the points as the index of an element, reflected at the axis's edges, half
 * an element beyond its ends. @param size  of the axis, [1] of the dtype */
static htp_tensor_id nearest_reflected(htp_lowering *l, const sampling *s, int64_t i,
                                       htp_tensor_id size)
{
    htp_tensor_id c =
        htp_emit(l, "Gather", HTP_IN(s->grid, htp_emit_scalar_int(l, HTP_DTYPE_INT64, i)),
                 HTP_AT(htp_attribute_int("axis", -1)));
    c = htp_emit_binary(l, "Mul", htp_emit_binary_scalar(l, "Add", c, s->dtype, 1), size);
    c = htp_emit_binary_scalar(l, "Sub", c, s->dtype, 1);
    c = htp_emit_binary_scalar(l, "Div", c, s->dtype, 2);
    c = htp_emit_unary(l, "Abs", htp_emit_binary_scalar(l, "Add", c, s->dtype, 0.5));
    htp_tensor_id rest = htp_emit(l, "Mod", HTP_IN(c, size), HTP_AT(htp_attribute_int("fmod", 1)));
    htp_tensor_id flips = htp_emit_unary(l, "Floor", htp_emit_binary(l, "Div", c, size));
    htp_tensor_id is_odd = htp_emit(l, "Mod", HTP_IN(flips, htp_emit_scalar(l, s->dtype, 2)),
                                    HTP_AT(htp_attribute_int("fmod", 1)));
    is_odd = htp_emit_binary_scalar(l, "Equal", is_odd, s->dtype, 1);
    c = htp_emit(l, "Where", HTP_IN(is_odd, htp_emit_binary(l, "Sub", size, rest), rest),
                 HTP_NO_AT);
    c = htp_emit_binary_scalar(l, "Sub", c, s->dtype, 0.5);
    c = htp_emit_binary(l, "Max", c, htp_emit_scalar(l, s->dtype, 0));
    c = htp_emit_binary(l, "Min", c, htp_emit_binary_scalar(l, "Sub", size, s->dtype, 1));
    return htp_emit_cast(l, htp_emit_unary(l, "Round", c), s->dtype, HTP_DTYPE_INT64);
}

/** The nearest element of each reflected point. */
static htp_tensor_id sample_nearest_reflected(htp_lowering *l, const sampling *s)
{
    static const int64_t flattened[] = {0, 0, -1};
    const htp_dim *dims = htp_arg_dims(l, "input");
    htp_tensor_id index = HTP_NONE;
    for (uint32_t axis = 2; axis < s->rank; axis++) {
        htp_tensor_id size = htp_emit_dim(l, s->x, dims, axis);
        htp_tensor_id in_dtype = htp_emit_cast(l, size, HTP_DTYPE_INT64, s->dtype);
        htp_tensor_id part = nearest_reflected(l, s, s->rank - 1 - axis, in_dtype);
        index = axis == 2 ? part
                          : htp_emit_binary(l, "Add", htp_emit_binary(l, "Mul", index, size), part);
    }
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, s->x, dims, 0, 2);
    htp_sizes wide = htp_sizes_begin(l);
    htp_sizes_add_dims(&wide, s->x, dims, 0, 2);
    htp_sizes_add_int(&wide, 1);
    htp_tensor_id points = htp_emit(
        l, "Shape", HTP_IN(s->grid),
        HTP_AT(htp_attribute_int("start", 1), htp_attribute_int("end", (int64_t)s->rank - 1)));
    htp_sizes_add_tensor(&shape, points);
    index = htp_emit_reshape(l, index, (const int64_t[]){0, 1, -1}, 3);
    index = htp_emit_binary(l, "Expand", index, htp_sizes_end(&wide));
    htp_tensor_id x = htp_emit_reshape(l, s->x, flattened, 3);
    x = htp_emit(l, "GatherElements", HTP_IN(x, index), HTP_AT(htp_attribute_int("axis", 2)));
    return htp_emit_binary(l, "Reshape", x, htp_sizes_end(&shape));
}

/** grid_sampler, grid_sampler_2d, grid_sampler_3d */
void htp_lower_grid_sampler(htp_lowering *l)
{
    static const char *const modes[][3] = {{"bilinear", "nearest", "bicubic"},
                                           {"linear", "nearest", "cubic"}};
    static const char *const paddings[] = {"zeros", "border", "reflection"};
    sampling s = read_sampling(l);
    if (l->failure) {
        return;
    }
    htp_tensor_id marks = mark_unbounded(l, &s);
    s.grid = bound_points(l, &s, marks);
    if (s.mode == MODE_NEAREST && s.padding == PADDING_REFLECTION && !s.align_corners) {
        htp_bind_cast(l, 0, sample_nearest_reflected(l, &s), s.dtype);
        return;
    }
    const char *mode = modes[l->model->opset >= 20][s.mode];
    htp_tensor_id y = htp_emit(l, "GridSample", HTP_IN(s.x, s.grid),
                               HTP_AT(htp_attribute_string("mode", mode),
                                      htp_attribute_string("padding_mode", paddings[s.padding]),
                                      htp_attribute_int("align_corners", s.align_corners)));
    htp_bind_cast(l, 0, put_unbounded(l, &s, y, marks), s.dtype);
}

/** Point @p i of @p size equally spaced ones in [-1, 1]: from end to end with @p align_corners,
 * otherwise inset by half a step. */
static double base_point(int64_t i, int64_t size, bool align_corners)
{
    if (size == 1) {
        return 0;
    }
    double point = -1 + 2 * (double)i / (double)(size - 1);
    return align_corners ? point : point * (double)(size - 1) / (double)size;
}

/** The points of an untransformed grid in homogeneous coordinates: [points, axes + 1]. */
static htp_tensor_id base_grid(htp_lowering *l, htp_dtype dtype, const int64_t *sizes, size_t axes)
{
    const int64_t most = INT64_C(1) << 24;
    const bool align_corners = htp_arg_bool(l, "align_corners");
    int64_t count = 1;
    for (size_t i = 0; i < axes; i++) {
        if (sizes[i] < 1 || count > most / sizes[i]) {
            htp_lower_fail(l, "its size is not valid, or too large");
            return HTP_NONE;
        }
        count *= sizes[i];
    }
    size_t columns = axes + 1;
    htp_number *numbers = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)count * columns);
    for (int64_t point = 0; point < count; point++) {
        int64_t rest = point;
        htp_number *row = &numbers[(size_t)point * columns];
        for (size_t i = axes; i-- > 0; rest /= sizes[i]) {
            row[axes - 1 - i] =
                htp_number_float(base_point(rest % sizes[i], sizes[i], align_corners));
        }
        row[axes] = htp_number_float(1);
    }
    const int64_t dims[] = {count, (int64_t)columns};
    return htp_emit_numbers(l, dtype, 2, dims, numbers);
}

/** base_point() for all points of an axis whose size ([1]) depends on the input, in float64. */
static htp_tensor_id emit_base_points(htp_lowering *l, htp_tensor_id size)
{
    const htp_formula f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64};
    htp_tensor_id places = htp_emit_cast(l, htp_emit_count_up(l, size), HTP_DTYPE_INT64, f.dtype);
    htp_tensor_id count = htp_emit_cast(l, size, HTP_DTYPE_INT64, f.dtype);
    htp_tensor_id steps = htp_step_scalar(&f, "Sub", count, 1);
    htp_tensor_id points = htp_step_scalar(&f, "Mul", places, 2);
    points = htp_step_scalar(&f, "Add", htp_step_binary(&f, "Div", points, steps), -1);
    if (!htp_arg_bool(l, "align_corners")) {
        points = htp_step_binary(&f, "Mul", points, steps);
        points = htp_step_binary(&f, "Div", points, count);
    }
    return htp_step_where_number(&f, htp_step_compare_scalar(&f, "Equal", count, 1), 0, points);
}

/** A grid whose size depends on the input. ONNX AffineGrid of opset 20 is not used: it rounds each
 * coordinate twice, and with align_corners it places a single point elsewhere. */
static void bind_dynamic_affine_grid(htp_lowering *l, htp_dtype dtype)
{
    static const int64_t transposed[] = {0, 2, 1};
    const size_t axes = htp_output_rank(l, 0) - 2;
    htp_tensor_id size = htp_arg_shape(l, "size");
    htp_tensor_id spaces = htp_emit_slice(l, size, 0, 2, INT64_MAX);
    htp_tensor_id ends = htp_emit_concat(l, HTP_IN(spaces, htp_emit_int(l, 1)), 0);
    htp_tensor_id columns[4] = {HTP_NONE};
    for (size_t i = 0; i < axes && i < 3; i++) {
        int64_t behind[4];
        for (size_t k = 0; k < axes - i; k++) {
            behind[k] = (int64_t)k + 1;
        }
        int64_t place = (int64_t)i;
        htp_tensor_id points = emit_base_points(l, htp_emit_slice(l, spaces, 0, place, place + 1));
        points = htp_emit_cast(l, points, HTP_DTYPE_FLOAT64, dtype);
        points = htp_emit_unsqueeze(l, points, behind, axes - i);
        columns[axes - 1 - i] = htp_typed_expand(l, dtype, points, ends);
    }
    columns[axes] = htp_typed_expand(l, dtype, htp_emit_scalar(l, dtype, 1), ends);
    htp_tensor_id base = htp_emit_concat(l, (htp_emit_inputs){columns, axes + 1}, (int64_t)axes);
    base = htp_emit_reshape(l, base, (const int64_t[]){-1, (int64_t)axes + 1}, 2);
    htp_tensor_id theta =
        htp_emit_transpose(l, htp_arg_tensor_as(l, "theta", dtype), transposed, 3);
    htp_tensor_id grid = htp_emit_binary(l, "MatMul", base, theta);
    htp_tensor_id batch = htp_emit_slice(l, size, 0, 0, 1);
    htp_tensor_id shape =
        htp_emit_concat(l, HTP_IN(batch, spaces, htp_emit_int(l, (int64_t)axes)), 0);
    htp_bind_cast(l, 0, htp_emit_binary(l, "Reshape", grid, shape), dtype);
}

/** aten::affine_grid_generator: a grid, transformed by theta [N, axes, axes + 1]. */
void htp_lower_affine_grid(htp_lowering *l)
{
    static const int64_t transposed[] = {0, 2, 1};
    size_t count = 0;
    htp_dtype dtype = htp_arg_math_dtype(l, "theta", HTP_MATH_ALLOW_DOUBLE);
    if (!htp_arg_is_constant(l, "size")) {
        bind_dynamic_affine_grid(l, dtype);
        return;
    }
    const int64_t *sizes = htp_arg_ints(l, "size", &count);
    if (count != 4 && count != 5) {
        htp_lower_fail(l, "a size of %zu numbers is not valid", count);
        return;
    }
    size_t axes = count - 2;
    htp_tensor_id base = base_grid(l, dtype, sizes + 2, axes);
    htp_tensor_id theta =
        htp_emit_transpose(l, htp_arg_tensor_as(l, "theta", dtype), transposed, 3);
    htp_tensor_id grid = htp_emit_binary(l, "MatMul", base, theta);
    int64_t shape[5] = {-1};
    for (size_t i = 0; i < axes; i++) {
        shape[1 + i] = sizes[2 + i];
    }
    shape[1 + axes] = (int64_t)axes;
    htp_bind_cast(l, 0, htp_emit_reshape(l, grid, shape, axes + 2), dtype);
}
