/*
 * Types of operators that keep or broadcast their operands' shapes.
 */
#include "onnx/shape_inference/infer_rule.h"

void htp_infer_like_first(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (x) {
        htp_infer_set(infer, 0, x->dtype, x->rank, x->dims);
    }
    if (x && x->is_sequence) { /* for Identity */
        htp_builder_set_sequence(infer->model, infer->node->outputs[0]);
    }
}

void htp_infer_cast(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    htp_dtype dtype = HTP_DTYPE_OTHER;
    if (x) {
        (void)htp_infer_dtype(infer, "to", &dtype);
        htp_infer_set(infer, 0, dtype, x->rank, x->dims);
    }
}

void htp_infer_cast_like(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *like = htp_infer_input(infer, 1);
    if (x && like) {
        htp_infer_set(infer, 0, like->dtype, x->rank, x->dims);
    }
}

/* The dtype in the attribute output_dtype, if set; HTP_DTYPE_OTHER for an unknown one. */
static bool find_told(const htp_infer *infer, htp_dtype *dtype)
{
    bool is_told = htp_infer_int(infer, "output_dtype", 0) != 0;
    if (is_told && !htp_infer_dtype(infer, "output_dtype", dtype)) {
        *dtype = HTP_DTYPE_OTHER;
    }
    return is_told;
}

/* ONNX QuantizeLinear: the type of the zero point or of the attribute, or uint8. */
void htp_infer_quantize(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *zero = htp_infer_input(infer, 2);
    htp_dtype dtype = HTP_DTYPE_UINT8;
    if (htp_infer_has_input(infer, 2)) {
        dtype = zero ? zero->dtype : HTP_DTYPE_OTHER;
    } else {
        (void)find_told(infer, &dtype);
    }
    if (x) {
        htp_infer_set(infer, 0, dtype, x->rank, x->dims);
    }
}

/* ONNX DynamicQuantizeLinear: quantised values, and one scale and zero point. */
void htp_infer_dynamic_quantize(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (x) {
        htp_infer_set(infer, 0, HTP_DTYPE_UINT8, x->rank, x->dims);
    }
    htp_infer_set(infer, 1, HTP_DTYPE_FLOAT32, 0, NULL);
    htp_infer_set(infer, 2, HTP_DTYPE_UINT8, 0, NULL);
}

/* ONNX DequantizeLinear: the type of the attribute, or of the scale. */
void htp_infer_dequantize(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *scale = htp_infer_input(infer, 1);
    htp_dtype dtype = scale ? scale->dtype : HTP_DTYPE_OTHER;
    (void)find_told(infer, &dtype);
    if (x) {
        htp_infer_set(infer, 0, dtype, x->rank, x->dims);
    }
}

/* ONNX EyeLike, RandomNormalLike, Bernoulli...: the dtype attribute, or the input's type. */
void htp_infer_typed_like_first(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    htp_dtype dtype = x ? x->dtype : HTP_DTYPE_OTHER;
    bool has_dtype = htp_infer_attribute(infer, "dtype");
    if (x && (!has_dtype || htp_infer_dtype(infer, "dtype", &dtype))) {
        htp_infer_set(infer, 0, dtype, x->rank, x->dims);
    }
}

void htp_infer_rank_of_first(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = htp_infer_unknown(infer);
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* The dim of @p x at @p axis of an output of rank @p rank: 1 if x has fewer axes. */
static htp_dim aligned_dim(const htp_tensor *x, uint32_t rank, uint32_t axis)
{
    uint32_t missing = rank - x->rank;
    return axis < missing ? (htp_dim){.size = 1} : x->dims[axis - missing];
}

static void set_broadcast(htp_infer *infer, htp_dtype dtype)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < infer->node->input_count; i++) {
        const htp_tensor *x = htp_infer_input(infer, i);
        if (!x) {
            return;
        }
        rank = x->rank > rank ? x->rank : rank;
    }
    htp_dim *dims = htp_infer_dims(infer, rank);
    for (uint32_t axis = 0; axis < rank; axis++) {
        dims[axis].size = 1;
        for (uint32_t i = 0; i < infer->node->input_count; i++) {
            htp_dim other = aligned_dim(htp_infer_input(infer, i), rank, axis);
            if (!htp_infer_broadcast_dim(infer, dims[axis], other, &dims[axis])) {
                return;
            }
        }
    }
    htp_infer_set(infer, 0, dtype, rank, dims);
}

void htp_infer_broadcast(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (x) {
        set_broadcast(infer, x->dtype);
    }
}

void htp_infer_compare(htp_infer *infer)
{
    set_broadcast(infer, HTP_DTYPE_BOOL);
}

void htp_infer_where(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 1);
    if (x) {
        set_broadcast(infer, x->dtype);
    }
}
