/*
 * Reads and writes elements along one dim: gather, scatter and the like.
 *
 * Reference: ONNX GatherElements, ScatterElements (reductions max and min since opset 18).
 */
#include "lower/tensor/scatter.h"
#include "lower/compose/arithmetic.h"
#include "lower/compose/compose.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"

#include <math.h>
#include <string.h>

/** A tensor; a 0-d one becomes a vector. */
static htp_tensor_id at_least_1d(htp_lowering *l, htp_tensor_id x, uint32_t rank)
{
    return rank ? x : htp_emit_reshape(l, x, (const int64_t[]){1}, 1);
}

/** aten::gather */
void htp_lower_gather(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    uint32_t index_rank = htp_arg_rank(l, "index");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    htp_tensor_id x = at_least_1d(l, htp_arg_tensor(l, "self"), rank);
    htp_tensor_id index = htp_arg_tensor_as(l, "index", HTP_DTYPE_INT64);
    index = at_least_1d(l, index, index_rank);
    x = htp_emit(l, "GatherElements", HTP_IN(x, index), HTP_AT(htp_attribute_int("axis", axis)));
    htp_bind(l, 0, index_rank ? x : htp_emit_reshape(l, x, NULL, 0));
}

/** aten::take: by indices into the flattened tensor */
void htp_lower_take(htp_lowering *l)
{
    htp_tensor_id x = htp_emit_reshape(l, htp_arg_tensor(l, "self"), (const int64_t[]){-1}, 1);
    htp_tensor_id index = htp_arg_tensor_as(l, "index", HTP_DTYPE_INT64);
    htp_bind(l, 0, htp_emit_binary(l, "Gather", x, index));
}

/** The shape of an argument with 1 in place of dim @p axis. */
static htp_tensor_id shape_beside(htp_lowering *l, const char *name, uint32_t rank, uint32_t axis)
{
    htp_tensor_id x = htp_arg_tensor(l, name);
    htp_sizes shape = htp_sizes_begin(l);
    htp_sizes_add_dims(&shape, x, htp_arg_dims(l, name), 0, axis);
    htp_sizes_add_int(&shape, 1);
    htp_sizes_add_dims(&shape, x, htp_arg_dims(l, name), axis + 1, rank);
    return htp_sizes_end(&shape);
}

/** aten::take_along_dim: gather, with self and indices broadcast to each other in all other
 * dims. */
void htp_lower_take_along_dim(htp_lowering *l)
{
    static const int64_t flattened[] = {-1};
    htp_dtype dtype = htp_arg_dtype(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id index = htp_arg_tensor_as(l, "indices", HTP_DTYPE_INT64);
    if (!htp_arg_present(l, "dim")) {
        x = htp_emit_binary(l, "GatherElements", htp_emit_reshape(l, x, flattened, 1),
                            htp_emit_reshape(l, index, flattened, 1));
        htp_bind(l, 0, x);
        return;
    }
    int64_t axis = htp_arg_dim(l, "dim", rank);
    if (rank == 0 || htp_arg_rank(l, "indices") != rank) {
        htp_lower_fail(l, "self and indices differ in rank, or have rank 0");
        return;
    }
    x = htp_typed_expand(l, dtype, x, shape_beside(l, "indices", rank, (uint32_t)axis));
    index = htp_emit_binary(l, "Expand", index, shape_beside(l, "self", rank, (uint32_t)axis));
    htp_bind(
        l, 0,
        htp_emit(l, "GatherElements", HTP_IN(x, index), HTP_AT(htp_attribute_int("axis", axis))));
}

/** The dtype for additions: bools as numbers, with nonzero as true. */
static htp_dtype sum_dtype(htp_dtype dtype)
{
    return dtype == HTP_DTYPE_BOOL ? HTP_DTYPE_INT32 : htp_composite_dtype(dtype);
}

/** Whether a tensor argument is known to be empty. */
static bool has_no_elements(htp_lowering *l, const char *name)
{
    const htp_dim *dims = htp_arg_dims(l, name);
    for (uint32_t i = 0; i < htp_arg_rank(l, name); i++) {
        if (!dims[i].symbol && dims[i].size == 0) {
            return true;
        }
    }
    return false;
}

/** aten::put: writes by indices into the flattened tensor */
void htp_lower_put(htp_lowering *l)
{
    static const int64_t flattened[] = {-1};
    htp_dtype dtype = htp_arg_dtype(l, "self");
    bool accumulate = htp_arg_bool_or(l, "accumulate", false);
    htp_dtype wide = accumulate ? sum_dtype(dtype) : dtype;
    htp_tensor_id x = htp_arg_tensor_as(l, "self", wide);
    if (has_no_elements(l, "index")) {
        htp_bind(l, 0, htp_arg_tensor(l, "self"));
        return;
    }
    htp_tensor_id shape = htp_emit_shape(l, x, htp_arg_rank(l, "self"), htp_arg_dims(l, "self"));
    htp_tensor_id index = htp_arg_tensor_as(l, "index", HTP_DTYPE_INT64);
    htp_attribute reduction = htp_attribute_string("reduction", "add");
    x = htp_emit(l, "ScatterElements",
                 HTP_IN(htp_emit_reshape(l, x, flattened, 1),
                        htp_emit_reshape(l, index, flattened, 1),
                        htp_emit_reshape(l, htp_arg_tensor_as(l, "source", wide), flattened, 1)),
                 (htp_emit_attributes){&reduction, accumulate});
    htp_bind_cast(l, 0, htp_emit_binary(l, "Reshape", x, shape), wide);
}

/** src, cropped to the sizes of index. */
static htp_tensor_id trim_source(htp_lowering *l, htp_tensor_id source, htp_tensor_id index)
{
    uint32_t rank = htp_arg_rank(l, "index");
    const htp_dim *dims = htp_arg_dims(l, "index");
    const htp_dim *source_dims = htp_arg_dims(l, "src");
    bool is_same = htp_arg_rank(l, "src") == rank;
    for (uint32_t i = 0; i < rank && is_same; i++) {
        is_same = !dims[i].symbol && !source_dims[i].symbol && dims[i].size == source_dims[i].size;
    }
    if (is_same || rank == 0) {
        return source;
    }
    htp_tensor_id end = htp_emit_shape(l, index, rank, dims);
    return htp_emit(l, "Slice", HTP_IN(source, htp_emit_fill(l, HTP_DTYPE_INT64, rank, 0), end),
                    HTP_NO_AT);
}

static uint32_t at_least_one(uint32_t rank)
{
    return rank ? rank : 1;
}

/** scatter's arguments: self, dim, index, and src or a number value. */
static htp_scattering read_scattering(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    uint32_t index_rank = htp_arg_rank(l, "index");
    htp_scattering s = {.dtype = htp_arg_dtype(l, "self"), .axis = htp_arg_dim(l, "dim", rank)};
    s.x = at_least_1d(l, htp_arg_tensor(l, "self"), rank);
    s.index = at_least_1d(l, htp_arg_tensor_as(l, "index", HTP_DTYPE_INT64), index_rank);
    bool has_source = htp_arg_present(l, "src");
    if (at_least_one(index_rank) != at_least_one(rank) ||
        (has_source && at_least_one(htp_arg_rank(l, "src")) != at_least_one(rank))) {
        htp_lower_fail(l, "self, index and src differ in rank");
    } else if (has_source) {
        htp_tensor_id source = htp_arg_tensor_as(l, "src", s.dtype);
        source = at_least_1d(l, source, htp_arg_rank(l, "src"));
        s.updates = trim_source(l, source, s.index);
    } else {
        htp_tensor_id shape = index_rank
                                  ? htp_emit_shape(l, s.index, rank, htp_arg_dims(l, "index"))
                                  : htp_emit_int(l, 1);
        s.updates = htp_typed_expand(l, s.dtype, htp_arg_tensor_as(l, "value", s.dtype), shape);
    }
    return s;
}

/** Binds a result in @p dtype, without the dim that at_least_1d() added. */
static void bind_scattered(htp_lowering *l, htp_tensor_id x, htp_dtype dtype)
{
    x = htp_arg_rank(l, "self") ? x : htp_emit_reshape(l, x, NULL, 0);
    htp_bind_cast(l, 0, x, dtype);
}

htp_tensor_id htp_emit_scatter(htp_lowering *l, const htp_scattering *s, htp_tensor_id x,
                               htp_tensor_id updates, const char *reduction)
{
    htp_attribute attributes[] = {htp_attribute_int("axis", s->axis),
                                  htp_attribute_string("reduction", reduction)};
    return htp_emit(l, "ScatterElements", HTP_IN(x, s->index, updates),
                    (htp_emit_attributes){attributes, *reduction ? 2 : 1});
}

/** aten::scatter.src, aten::scatter.value */
void htp_lower_scatter(htp_lowering *l)
{
    htp_scattering s = read_scattering(l);
    bind_scattered(l, htp_emit_scatter(l, &s, s.x, s.updates, ""), s.dtype);
}

/* ---- reductions ---- */

enum { LOWEST = -2, HIGHEST = 2 };

typedef struct reduction {
    const char *name;
    const char *onnx;
    const char *of_bools; /* the reduction for bools, as 0 and 1 */
    int identity;         /* 0, 1, LOWEST or HIGHEST */
    bool is_mean;
} reduction;

static const reduction reductions[] = {
    {"sum", "add", "add", 0, false},       {"add", "add", "add", 0, false},
    {"prod", "mul", "mul", 1, false},      {"multiply", "mul", "mul", 1, false},
    {"amax", "max", "add", LOWEST, false}, {"amin", "min", "mul", HIGHEST, false},
    {"mean", "add", NULL, 0, true},
};

static bool is_extreme(const reduction *r)
{
    return r->identity == LOWEST || r->identity == HIGHEST;
}

static const reduction *find_reduction(htp_lowering *l, bool of_bools)
{
    const char *name = htp_arg_string(l, "reduce");
    for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++) {
        const reduction *r = &reductions[i];
        if (strcmp(name, r->name) != 0) {
            continue;
        }
        if (of_bools && !r->of_bools) {
            htp_lower_fail(l, "bools have no mean");
        } else if (!of_bools && is_extreme(r)) {
            (void)htp_lower_needs_opset(l, 18, htp_arena_printf(l->arena, "reduction '%s'", name));
        }
        return r;
    }
    htp_lower_fail(l, "reduction '%s' has no ONNX counterpart", name);
    return &reductions[0];
}

/** The initial value of a reduction without self. @param of_bools  they are 0 and 1 */
static htp_tensor_id emit_identity(htp_lowering *l, const reduction *r, htp_dtype dtype,
                                   bool of_bools)
{
    if (of_bools) {
        return htp_emit_scalar(l, dtype, strcmp(r->of_bools, "mul") == 0);
    }
    if (r->identity == LOWEST) {
        return htp_emit_lowest(l, dtype);
    }
    return r->identity == HIGHEST ? htp_emit_highest(l, dtype)
                                  : htp_emit_scalar_int(l, dtype, r->identity);
}

/** @p number in the shape of @p x. */
static htp_tensor_id like(htp_lowering *l, htp_tensor_id number, htp_dtype dtype, htp_tensor_id x)
{
    return htp_typed_expand(l, dtype, number, htp_emit_unary(l, "Shape", x));
}

/** A sum divided by the number of its terms. */
static htp_tensor_id divide_by_count(htp_lowering *l, const htp_scattering *s, htp_tensor_id sum,
                                     bool include_self)
{
    htp_tensor_id one = htp_emit_scalar_int(l, s->dtype, 1);
    htp_tensor_id counts = like(l, htp_emit_scalar_int(l, s->dtype, include_self), s->dtype, s->x);
    counts = htp_emit_scatter(l, s, counts, like(l, one, s->dtype, s->index), "add");
    counts = htp_typed_binary(l, "Max", s->dtype, counts, one);
    return htp_dtype_is_float(s->dtype) ? htp_emit_binary(l, "Div", sum, counts)
                                        : htp_emit_floor_divide(l, s->dtype, sum, counts);
}

/** 1 where @p x, of s's dtype, is NaN; 0 elsewhere. */
static htp_tensor_id nan_flags(htp_lowering *l, const htp_scattering *s, htp_tensor_id x)
{
    htp_tensor_id is_nan = htp_typed_predicate(l, "IsNaN", s->dtype, x, HTP_NONE);
    return htp_emit_cast(l, is_nan, HTP_DTYPE_BOOL, s->dtype);
}

htp_tensor_id htp_emit_scattered_nan(htp_lowering *l, const htp_scattering *s, htp_tensor_id begin,
                                     htp_tensor_id x)
{
    htp_tensor_id hits =
        htp_emit_scatter(l, s, nan_flags(l, s, begin), nan_flags(l, s, s->updates), "add");
    htp_tensor_id is_hit = htp_emit_binary_scalar(l, "Greater", hits, s->dtype, 0);
    return htp_typed_where(l, s->dtype, is_hit, htp_emit_scalar(l, s->dtype, NAN), x);
}

/** Reduces by the argument reduce, including self if the argument include_self says so. */
static void reduce_scattered(htp_lowering *l, htp_scattering s)
{
    bool of_bools = s.dtype == HTP_DTYPE_BOOL;
    const reduction *r = find_reduction(l, of_bools);
    bool include_self = htp_arg_bool_or(l, "include_self", true);
    htp_dtype wide = sum_dtype(s.dtype);
    s.x = htp_emit_cast(l, s.x, s.dtype, wide);
    s.updates = htp_emit_cast(l, s.updates, s.dtype, wide);
    s.dtype = wide;
    htp_tensor_id begin = s.x;
    if (!include_self) {
        htp_tensor_id identity = emit_identity(l, r, wide, of_bools);
        begin = htp_emit_scatter(l, &s, begin, like(l, identity, wide, s.index), "");
    }
    htp_tensor_id x = htp_emit_scatter(l, &s, begin, s.updates, of_bools ? r->of_bools : r->onnx);
    if (r->is_mean) {
        x = divide_by_count(l, &s, x, include_self);
    } else if (is_extreme(r) && htp_dtype_is_float(wide)) {
        x = htp_emit_scattered_nan(l, &s, begin, x);
    }
    bind_scattered(l, x, wide);
}

/** aten::scatter_add */
void htp_lower_scatter_add(htp_lowering *l)
{
    htp_scattering s = read_scattering(l);
    htp_dtype wide = sum_dtype(s.dtype);
    htp_tensor_id x = htp_emit_scatter(l, &s, htp_emit_cast(l, s.x, s.dtype, wide),
                                       htp_emit_cast(l, s.updates, s.dtype, wide), "add");
    bind_scattered(l, x, wide);
}

/** aten::scatter_reduce and aten::scatter.reduce, by the name of the reduction. */
void htp_lower_scatter_reduce(htp_lowering *l)
{
    reduce_scattered(l, read_scattering(l));
}

/** aten::index_reduce: whole slices, at the indices along dim in the vector index. */
void htp_lower_index_reduce(htp_lowering *l)
{
    uint32_t rank = htp_arg_rank(l, "self");
    htp_scattering s = {.dtype = htp_arg_dtype(l, "self"), .axis = htp_arg_dim(l, "dim", rank)};
    int64_t shape[HTP_MAX_RANK];
    for (uint32_t i = 0; i < at_least_one(rank); i++) {
        shape[i] = (int64_t)i == s.axis ? -1 : 1;
    }
    s.x = at_least_1d(l, htp_arg_tensor(l, "self"), rank);
    s.updates = at_least_1d(l, htp_arg_tensor_as(l, "source", s.dtype), htp_arg_rank(l, "source"));
    s.index = htp_emit_reshape(l, htp_arg_tensor_as(l, "index", HTP_DTYPE_INT64), shape,
                               at_least_one(rank));
    s.index = htp_emit_binary(l, "Expand", s.index, htp_emit_unary(l, "Shape", s.updates));
    reduce_scattered(l, s);
}
