/*
 * Selections of data-dependent size: nonzero, masked and unique elements, and repeats.
 *
 * Reference: ONNX NonZero, Compress, Unique.
 */
#include "lower/compose/compose.h"
#include "lower/emit/constant.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/rows.h"
#include "lower/emit/sizes.h"
#include "lower/tensor/indexing.h"

/** @p x as a vector. */
static htp_tensor_id flat(htp_lowering *l, htp_tensor_id x)
{
    return htp_emit_reshape(l, x, (const int64_t[]){-1}, 1);
}

/** Elements of a vector where the vector @p mask is true. */
static htp_tensor_id compress(htp_lowering *l, htp_tensor_id x, htp_tensor_id mask)
{
    return htp_emit(l, "Compress", HTP_IN(x, mask), HTP_AT(htp_attribute_int("axis", 0)));
}

/* ---- what is not zero ---- */

/** aten::nonzero, argwhere */
void htp_lower_nonzero(htp_lowering *l)
{
    htp_tensor_id x = htp_arg_tensor_as(l, "self", HTP_DTYPE_BOOL);
    bool has_dims = htp_arg_rank(l, "self") > 0;
    htp_tensor_id places = htp_emit_unary(l, "NonZero", has_dims ? x : flat(l, x));
    if (!has_dims) { /* A 0-d tensor's index has no numbers; there is one, or none. */
        places = htp_emit_slice(l, places, 0, 0, 0);
    }
    htp_bind(l, 0, htp_emit_transpose(l, places, (const int64_t[]){1, 0}, 2));
}

/** aten::nonzero_numpy, and aten::where of a condition alone: a vector for each dim. The row's
 * parameter is the argument's name. */
void htp_lower_nonzero_numpy(htp_lowering *l)
{
    const htp_trace_value *list = htp_graph_value(l->graph, htp_output_value(l, 0));
    uint32_t rank = htp_arg_rank(l, l->row->op);
    htp_tensor_id x = htp_arg_tensor_as(l, l->row->op, HTP_DTYPE_BOOL);
    if (rank == 0) { /* treated as a vector */
        x = flat(l, x);
        rank = 1;
    }
    if (list->kind != HTP_TRACE_LIST || list->element_count != rank) {
        htp_lower_fail(l, "its result is not a list of %u vectors", rank);
        return;
    }
    htp_tensor_id columns[HTP_MAX_RANK];
    htp_emit_place_columns(l, x, rank, columns);
    for (uint32_t i = 0; i < rank; i++) {
        htp_bind_value(l, list->elements[i], columns[i]);
    }
}

/** An argument broadcast to the shape of another one, as a vector. */
static htp_tensor_id broadcast_flat(htp_lowering *l, const char *name, htp_dtype dtype,
                                    htp_tensor_id shape)
{
    return flat(l, htp_typed_expand(l, dtype, htp_arg_tensor_as(l, name, dtype), shape));
}

/** Whether two arguments have equal dims at all sizes: only static dims count, since symbols hold
 * only for the trace's sizes. */
static bool same_dims(htp_lowering *l, const char *a, const char *b)
{
    uint32_t rank = htp_arg_rank(l, a);
    const htp_dim *a_dims = htp_arg_dims(l, a);
    const htp_dim *b_dims = htp_arg_dims(l, b);
    bool same = rank == htp_arg_rank(l, b);
    for (uint32_t i = 0; same && i < rank; i++) {
        same = !a_dims[i].symbol && !b_dims[i].symbol && a_dims[i].size == b_dims[i].size;
    }
    return same;
}

/** The broadcast shape of @p x and a mask. */
static htp_tensor_id joined_shape(htp_lowering *l, htp_tensor_id x, htp_dtype dtype,
                                  htp_tensor_id mask)
{
    htp_tensor_id joined =
        htp_emit_binary(l, "And", mask, htp_emit_cast(l, x, dtype, HTP_DTYPE_BOOL));
    return htp_emit_unary(l, "Shape", joined);
}

/** aten::masked_select */
void htp_lower_masked_select(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id mask = htp_arg_tensor_as(l, "mask", HTP_DTYPE_BOOL);
    if (same_dims(l, "self", "mask")) {
        htp_bind(l, 0, compress(l, flat(l, x), flat(l, mask)));
        return;
    }
    htp_tensor_id shape = joined_shape(l, x, dtype, mask);
    htp_bind(l, 0,
             compress(l, broadcast_flat(l, "self", dtype, shape),
                      broadcast_flat(l, "mask", HTP_DTYPE_BOOL, shape)));
}

/** aten::masked_scatter: elements of source, in order, where the mask is true. */
void htp_lower_masked_scatter(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    uint32_t rank = htp_arg_rank(l, "self");
    htp_tensor_id x = htp_arg_tensor(l, "self");
    bool same = same_dims(l, "self", "mask");
    htp_tensor_id shape =
        same ? htp_emit_shape(l, x, rank, htp_arg_dims(l, "self"))
             : joined_shape(l, x, dtype, htp_arg_tensor_as(l, "mask", HTP_DTYPE_BOOL));
    htp_tensor_id mask = broadcast_flat(l, "mask", HTP_DTYPE_BOOL, shape);
    htp_tensor_id counts = htp_emit_cast(l, mask, HTP_DTYPE_BOOL, HTP_DTYPE_INT64);
    htp_tensor_id order =
        htp_emit_binary(l, "CumSum", counts, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    htp_tensor_id source = flat(l, htp_arg_tensor_as(l, "source", dtype));
    htp_tensor_id first = htp_emit_numbers(l, dtype, 1, (const int64_t[]){1}, &(htp_number){0});
    source = htp_emit_concat(l, HTP_IN(first, source), 0);
    /* Unselected positions read element 0, since source may have no more elements. */
    htp_tensor_id index = htp_emit_binary(l, "Mul", order, counts);
    htp_tensor_id picked =
        htp_emit(l, "Gather", HTP_IN(source, index), HTP_AT(htp_attribute_int("axis", 0)));
    x = same ? flat(l, x) : broadcast_flat(l, "self", dtype, shape);
    htp_tensor_id result = htp_typed_where(l, dtype, mask, picked, x);
    htp_bind(l, 0, htp_emit(l, "Reshape", HTP_IN(result, shape), HTP_NO_AT));
}

/* ---- what differs ---- */

/** The dtype in which runtimes compare; it holds all values of @p dtype. */
static htp_dtype unique_dtype(htp_lowering *l, htp_dtype dtype)
{
    switch (dtype) {
    case HTP_DTYPE_FLOAT64:
        return HTP_DTYPE_FLOAT64;
    case HTP_DTYPE_FLOAT32:
    case HTP_DTYPE_FLOAT16:
    case HTP_DTYPE_BFLOAT16:
        return HTP_DTYPE_FLOAT32;
    case HTP_DTYPE_OTHER:
    case HTP_DTYPE_COMPLEX32:
    case HTP_DTYPE_COMPLEX64:
    case HTP_DTYPE_COMPLEX128:
        htp_lower_fail(l, "runtimes do not compare %s", htp_dtype_name(dtype));
        return HTP_DTYPE_INT64;
    default:
        return HTP_DTYPE_INT64;
    }
}

typedef struct unique_outputs {
    htp_tensor_id values;
    htp_tensor_id inverse;
    htp_tensor_id counts;
} unique_outputs;

/** ONNX Unique of self along @p axis; NULL: of all elements. */
static unique_outputs emit_unique(htp_lowering *l, const int64_t *axis)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_dtype wide = unique_dtype(l, dtype);
    htp_attribute attributes[2] = {htp_attribute_int("sorted", 1)};
    if (axis) {
        attributes[1] = htp_attribute_int("axis", *axis);
    }
    htp_tensor_id outputs[4];
    htp_emit_many(l, "Unique", HTP_IN(htp_arg_tensor_as(l, "self", wide)),
                  (htp_emit_attributes){attributes, axis ? 2 : 1}, outputs, 4);
    return (unique_outputs){htp_emit_cast(l, outputs[0], wide, dtype), outputs[2], outputs[3]};
}

/** Binds an output of positions or counts: an empty vector where the flag @p name is false. */
static void bind_asked(htp_lowering *l, size_t index, const char *name, htp_tensor_id tensor)
{
    const int64_t none = 0;
    if (htp_output_value(l, index) != HTP_NONE) {
        htp_bind(l, index,
                 htp_arg_bool_or(l, name, false)
                     ? tensor
                     : htp_emit_numbers(l, HTP_DTYPE_INT64, 1, &none, NULL));
    }
}

/** Binds an output if it is used. */
static void bind_used(htp_lowering *l, size_t index, htp_tensor_id tensor)
{
    if (htp_output_value(l, index) != HTP_NONE) {
        htp_bind(l, index, tensor);
    }
}

/** Positions for every element of self, in its shape. */
static htp_tensor_id shaped_like_self(htp_lowering *l, htp_tensor_id x)
{
    htp_tensor_id shape = htp_emit_shape(l, htp_arg_tensor(l, "self"), htp_arg_rank(l, "self"),
                                         htp_arg_dims(l, "self"));
    return htp_emit(l, "Reshape", HTP_IN(x, shape), HTP_NO_AT);
}

/** aten::_unique, _unique2, which also returns counts. A trace has them only if libtorch sorts,
 * whatever the argument sorted. */
void htp_lower_unique(htp_lowering *l)
{
    unique_outputs outputs = emit_unique(l, NULL);
    htp_bind(l, 0, outputs.values);
    bind_asked(l, 1, "return_inverse", shaped_like_self(l, outputs.inverse));
    if (l->node->output_count > 2) {
        bind_asked(l, 2, "return_counts", outputs.counts);
    }
}

/** Refuses a program whose file has another rank for the result: for a negative dim, PyTorch's fake
 * kernels join the sizes before it to all sizes. */
static bool has_recorded_rank(htp_lowering *l, uint32_t rank)
{
    uint32_t recorded = htp_graph_value(l->graph, htp_output_value(l, 0))->rank;
    if (recorded != rank) {
        htp_lower_fail(l,
                       "the program has rank %u for its result, which has rank %u; export it "
                       "with a dim from 0 on",
                       recorded, rank);
    }
    return recorded == rank;
}

/** aten::unique_dim; it always sorts, and returns all outputs, requested or not */
void htp_lower_unique_dim(htp_lowering *l)
{
    int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
    if (!has_recorded_rank(l, htp_arg_rank(l, "self"))) {
        return;
    }
    unique_outputs outputs = emit_unique(l, &axis);
    htp_bind(l, 0, outputs.values);
    bind_used(l, 1, outputs.inverse);
    bind_used(l, 2, outputs.counts);
}

/** A tensor, and the axis along which its slices are compared. */
typedef struct run_of_slices {
    htp_tensor_id x;
    htp_dtype dtype;
    uint32_t rank;
    int64_t axis;
} run_of_slices;

/** self along dim, or all of its elements as a vector. */
static run_of_slices read_slices(htp_lowering *l)
{
    run_of_slices r = {.x = htp_arg_tensor(l, "self"), .dtype = htp_arg_dtype(l, "self")};
    r.rank = htp_arg_rank(l, "self");
    if (htp_arg_present(l, "dim") && r.rank > 0) {
        r.axis = htp_arg_dim(l, "dim", r.rank);
        return r;
    }
    r.x = flat(l, r.x);
    r.rank = 1;
    return r;
}

/** Which slices differ from the one before; the first one does. */
static htp_tensor_id begins(htp_lowering *l, const run_of_slices *r)
{
    htp_tensor_id later = htp_emit_slice(l, r->x, r->axis, 1, INT64_MAX);
    htp_tensor_id earlier = htp_emit_slice(l, r->x, r->axis, 0, -1);
    htp_tensor_id same = htp_typed_predicate(l, "Equal", r->dtype, later, earlier);
    htp_tensor_id differs = htp_emit_unary(l, "Not", same);
    int64_t others[HTP_MAX_RANK];
    size_t count = 0;
    for (int64_t i = 0; i < (int64_t)r->rank; i++) {
        if (i != r->axis) {
            others[count++] = i;
        }
    }
    if (count > 0) {
        differs = htp_emit_cast(l, differs, HTP_DTYPE_BOOL, HTP_DTYPE_INT32);
        differs = htp_emit_reduce(l, "ReduceMax", differs, others, count, false);
        differs = htp_emit_cast(l, differs, HTP_DTYPE_INT32, HTP_DTYPE_BOOL);
    }
    /* Without slices there is no first one. */
    htp_tensor_id size = htp_emit(
        l, "Shape", HTP_IN(r->x),
        HTP_AT(htp_attribute_int("start", r->axis), htp_attribute_int("end", r->axis + 1)));
    htp_tensor_id first = htp_emit(l, "Slice",
                                   HTP_IN(htp_emit_fill(l, HTP_DTYPE_BOOL, 1, 1),
                                          htp_emit_int(l, 0), size, htp_emit_int(l, 0)),
                                   HTP_NO_AT);
    return htp_emit_concat(l, HTP_IN(first, differs), 0);
}

/** The length of each run of equal slices. */
static htp_tensor_id emit_run_lengths(htp_lowering *l, htp_tensor_id begin)
{
    htp_tensor_id size = htp_emit_unary(l, "Shape", begin);
    htp_tensor_id at = compress(l, htp_emit_count_up(l, size), begin);
    htp_tensor_id next =
        htp_emit_concat(l, HTP_IN(htp_emit_slice(l, at, 0, 1, INT64_MAX), size), 0);
    /* Without slices there is one size too many. */
    next = htp_emit(
        l, "Slice",
        HTP_IN(next, htp_emit_int(l, 0), htp_emit_unary(l, "Shape", at), htp_emit_int(l, 0)),
        HTP_NO_AT);
    return htp_emit_binary(l, "Sub", next, at);
}

/** aten::unique_consecutive, of all elements or of slices; along a dim it returns all outputs,
 * requested or not. */
void htp_lower_unique_consecutive(htp_lowering *l)
{
    run_of_slices r = read_slices(l);
    if (!has_recorded_rank(l, r.rank)) {
        return;
    }
    htp_tensor_id begin = begins(l, &r);
    htp_bind(
        l, 0,
        htp_emit(l, "Compress", HTP_IN(r.x, begin), HTP_AT(htp_attribute_int("axis", r.axis))));
    htp_tensor_id number =
        htp_emit_binary(l, "CumSum", htp_emit_cast(l, begin, HTP_DTYPE_BOOL, HTP_DTYPE_INT64),
                        htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    number = htp_emit_binary_scalar(l, "Sub", number, HTP_DTYPE_INT64, 1);
    htp_tensor_id lengths = emit_run_lengths(l, begin);
    if (htp_arg_present(l, "dim") && htp_arg_rank(l, "self") > 1) {
        bind_used(l, 1, number);
        bind_used(l, 2, lengths);
        return;
    }
    bind_asked(l, 1, "return_inverse", shaped_like_self(l, number));
    bind_asked(l, 2, "return_counts", lengths);
}

/* ---- counts and repeats ---- */

/** @p size zeros to which @p values are added at @p places_of. */
static htp_tensor_id add_at(htp_lowering *l, htp_dtype dtype, htp_tensor_id size,
                            htp_tensor_id places_of, htp_tensor_id values)
{
    htp_tensor_id zeroes = htp_emit_binary(l, "Expand", htp_emit_scalar(l, dtype, 0), size);
    return htp_emit(l, "ScatterElements", HTP_IN(zeroes, places_of, values),
                    HTP_AT(htp_attribute_int("axis", 0), htp_attribute_string("reduction", "add")));
}

/** aten::bincount */
void htp_lower_bincount(htp_lowering *l)
{
    htp_dtype dtype = htp_output_dtype(l, 0);
    htp_tensor_id x = htp_arg_tensor_as(l, "self", HTP_DTYPE_INT64);
    htp_tensor_id least =
        htp_emit_binary_scalar(l, "Sub", htp_arg_vector(l, "minlength"), HTP_DTYPE_INT64, 1);
    htp_tensor_id all = htp_emit_concat(l, HTP_IN(least, x), 0);
    htp_tensor_id size = htp_emit_reduce(l, "ReduceMax", all, (const int64_t[]){0}, 1, true);
    size = htp_emit_binary_scalar(l, "Add", size, HTP_DTYPE_INT64, 1);
    htp_tensor_id values = htp_arg_present(l, "weights")
                               ? htp_arg_tensor_as(l, "weights", dtype)
                               : htp_emit_binary(l, "Expand", htp_emit_scalar(l, dtype, 1),
                                                 htp_emit_unary(l, "Shape", x));
    htp_bind(l, 0, add_at(l, dtype, size, x, values));
}

/** The index of the source element for each result: each index repeated as @p repeats says. */
static htp_tensor_id repeated_places(htp_lowering *l, htp_tensor_id repeats)
{
    htp_tensor_id ends =
        htp_emit_binary(l, "CumSum", repeats, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    htp_tensor_id total = htp_emit_reduce(l, "ReduceSum", repeats, (const int64_t[]){0}, 1, true);
    /* Each end is the start of the next; the last one lies past the result. */
    htp_tensor_id ones = htp_emit_binary(l, "Expand", htp_emit_scalar_int(l, HTP_DTYPE_INT64, 1),
                                         htp_emit_unary(l, "Shape", ends));
    htp_tensor_id steps =
        add_at(l, HTP_DTYPE_INT64, htp_emit_binary_scalar(l, "Add", total, HTP_DTYPE_INT64, 1),
               ends, ones);
    htp_tensor_id places_of =
        htp_emit_binary(l, "CumSum", steps, htp_emit_scalar_int(l, HTP_DTYPE_INT64, 0));
    return htp_emit_slice(l, places_of, 0, 0, -1);
}

/** aten::repeat_interleave.Tensor */
void htp_lower_repeat_places(htp_lowering *l)
{
    htp_tensor_id repeats = htp_arg_tensor_as(l, "repeats", HTP_DTYPE_INT64);
    htp_bind_cast(l, 0, repeated_places(l, repeats), HTP_DTYPE_INT64);
}

/** aten::repeat_interleave.self_Tensor */
void htp_lower_repeat_elements(htp_lowering *l)
{
    htp_tensor_id repeats = htp_arg_tensor_as(l, "repeats", HTP_DTYPE_INT64);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    int64_t axis = 0;
    htp_dim all = {.size = 1};
    const htp_dim *dim = &all;
    if (htp_arg_present(l, "dim") && htp_arg_rank(l, "self") > 0) {
        axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
        dim = &htp_arg_dims(l, "self")[axis];
    } else {
        x = flat(l, x);
    }
    const htp_dim *count = htp_arg_rank(l, "repeats") ? htp_arg_dims(l, "repeats") : &all;
    bool is_single = htp_arg_rank(l, "repeats") == 0;
    if (is_single ||
        (!count->symbol && count->size == 1 && (dim->symbol || dim->size != 1 || dim == &all))) {
        /* A single number of repeats applies to all elements. */
        htp_tensor_id size =
            htp_emit(l, "Shape", HTP_IN(x),
                     HTP_AT(htp_attribute_int("start", axis), htp_attribute_int("end", axis + 1)));
        repeats = htp_emit_binary(l, "Expand", repeats, size);
    }
    htp_bind(l, 0,
             htp_emit(l, "Gather", HTP_IN(x, repeated_places(l, repeats)),
                      HTP_AT(htp_attribute_int("axis", axis))));
}
