/*
 * Reading and writing element by element along one dim: gather, scatter and the like.
 */
#include "lower/compose.h"
#include "lower/kernels.h"
#include "lower/table.h"

#include <string.h>

/** A tensor as it is, or with one dim where it has none. */
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

/** The first elements of src, as many in each dim as index has. */
static htp_tensor_id trim_source(htp_lowering *l, htp_tensor_id source)
{
    uint32_t rank = htp_arg_rank(l, "index");
    const htp_dim *dims = htp_arg_dims(l, "index");
    const htp_dim *source_dims = htp_arg_dims(l, "src");
    if (rank != htp_arg_rank(l, "src")) {
        htp_lower_fail(l, "index and src differ in rank");
        return source;
    }
    bool is_same = true;
    for (uint32_t i = 0; i < rank && is_same; i++) {
        is_same = !dims[i].symbol && !source_dims[i].symbol && dims[i].size == source_dims[i].size;
    }
    if (is_same) {
        return source;
    }
    htp_tensor_id end = htp_emit_shape(l, htp_arg_tensor(l, "index"), rank, dims);
    return htp_emit(l, "Slice", HTP_IN(source, htp_emit_fill(l, HTP_DTYPE_INT64, rank, 0), end),
                    HTP_NO_AT);
}

/** Writes src, or the number value, to the places that index says. */
static void lower_scatter(htp_lowering *l, const char *reduction)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    int64_t axis = htp_arg_dim(l, "dim", rank);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id index = htp_arg_tensor_as(l, "index", HTP_DTYPE_INT64);
    if (rank == 0 || htp_arg_rank(l, "index") != rank) {
        htp_lower_fail(l, "self and index differ in rank, or have none");
        return;
    }
    htp_tensor_id updates;
    if (htp_arg_present(l, "src")) {
        updates = trim_source(l, htp_arg_tensor_as(l, "src", dtype));
    } else {
        htp_tensor_id shape = htp_emit_shape(l, index, rank, htp_arg_dims(l, "index"));
        updates = htp_typed_expand(l, dtype, htp_arg_tensor_as(l, "value", dtype), shape);
    }
    htp_attribute attributes[] = {htp_attribute_int("axis", axis),
                                  htp_attribute_string("reduction", reduction)};
    bool reduces = *reduction != '\0';
    htp_dtype wide = reduces ? htp_composite_dtype(dtype) : dtype;
    x = htp_emit(
        l, "ScatterElements",
        HTP_IN(htp_emit_cast(l, x, dtype, wide), index, htp_emit_cast(l, updates, dtype, wide)),
        (htp_emit_attributes){attributes, reduces ? 2 : 1});
    htp_bind(l, 0, htp_emit_cast(l, x, wide, dtype));
}

/** aten::scatter.src, aten::scatter.value */
void htp_lower_scatter(htp_lowering *l)
{
    lower_scatter(l, "");
}

/** aten::scatter_add */
void htp_lower_scatter_add(htp_lowering *l)
{
    lower_scatter(l, "add");
}

/** aten::scatter_reduce and aten::scatter.reduce, by the name of the reduction. */
void htp_lower_scatter_reduce(htp_lowering *l)
{
    static const char *const names[][2] = {
        {"sum", "add"},      {"add", "add"},  {"prod", "mul"},
        {"multiply", "mul"}, {"amax", "max"}, {"amin", "min"},
    };
    const char *reduce = htp_arg_string(l, "reduce");
    if (!htp_arg_bool_or(l, "include_self", true)) {
        htp_lower_fail(l, "it leaves out what self holds");
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(reduce, names[i][0]) == 0) {
            bool is_extreme = i >= 4;
            if (is_extreme && l->model->opset < 18) {
                htp_lower_fail(l, "reduction '%s' needs opset 18", reduce);
            }
            if (htp_arg_dtype(l, "self") == HTP_DTYPE_BOOL) {
                htp_lower_fail(l, "bools are not reduced");
            }
            lower_scatter(l, names[i][1]);
            return;
        }
    }
    htp_lower_fail(l, "reduction '%s' has no ONNX counterpart", reduce);
}
