/*
 * Rules for sequences, whose type is that of each tensor in them. A dim that differs between
 * tensors has the symbol "".
 */
#include "onnx/shape_inference/infer_rule.h"

static bool is_sequence(const htp_infer *infer, uint32_t input)
{
    const htp_tensor *tensor = htp_infer_input(infer, input);
    return tensor && tensor->is_sequence;
}

static bool varies(htp_dim dim)
{
    return dim.symbol && !*dim.symbol;
}

/* The common dims of @p x and a tensor with @p dims; those that differ become "". NULL if ranks
 * differ. */
static htp_dim *joined_dims(htp_infer *infer, const htp_tensor *x, const htp_dim *dims,
                            uint32_t rank)
{
    htp_dim *joined = x->rank == rank ? htp_infer_dims(infer, rank) : NULL;
    for (uint32_t i = 0; joined && i < rank; i++) {
        bool is_same = htp_infer_is_same(x->dims[i], dims[i]);
        joined[i] = is_same ? dims[i] : (htp_dim){.symbol = ""};
    }
    return joined;
}

static void set_sequence(htp_infer *infer, htp_dtype dtype, uint32_t rank, const htp_dim *dims)
{
    if (dims) {
        htp_infer_set(infer, 0, dtype, rank, dims);
        htp_builder_set_sequence(infer->model, infer->node->outputs[0]);
    }
}

/* ONNX SequenceEmpty: without tensors, any dims are right. */
void htp_infer_sequence_empty(htp_infer *infer)
{
    const htp_tensor *x = &infer->model->tensors.items[infer->node->outputs[0]];
    if (x->has_type) {
        htp_infer_set(infer, 0, x->dtype, x->rank, x->dims);
    }
}

/* ONNX SequenceConstruct: of tensors. */
void htp_infer_sequence_construct(htp_infer *infer)
{
    const htp_tensor *first = htp_infer_input(infer, 0);
    const htp_dim *dims = first ? first->dims : NULL;
    for (uint32_t i = 1; dims && i < infer->node->input_count; i++) {
        const htp_tensor *x = htp_infer_input(infer, i);
        dims = x ? joined_dims(infer, x, dims, first->rank) : NULL;
    }
    if (first) {
        set_sequence(infer, first->dtype, first->rank, dims);
    }
}

/* ONNX SequenceErase */
void htp_infer_sequence_erase(htp_infer *infer)
{
    if (is_sequence(infer, 0)) {
        const htp_tensor *x = htp_infer_input(infer, 0);
        set_sequence(infer, x->dtype, x->rank, x->dims);
    }
}

/* ONNX SequenceInsert: of a tensor into a sequence. */
void htp_infer_sequence_insert(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 1);
    if (is_sequence(infer, 0) && x) {
        const htp_tensor *s = htp_infer_input(infer, 0);
        set_sequence(infer, s->dtype, x->rank, joined_dims(infer, s, x->dims, x->rank));
    }
}

/* ONNX SplitToSequence: equal parts without the second input. */
void htp_infer_split_to_sequence(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    uint32_t axis;
    if (!x || !htp_infer_wrap(htp_infer_int(infer, "axis", 0), x->rank, &axis)) {
        return;
    }
    bool has_sizes = htp_infer_has_input(infer, 1);
    bool keeps = has_sizes || htp_infer_int(infer, "keepdims", 1) != 0;
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i != axis) {
            dims[rank++] = x->dims[i];
        } else if (keeps) {
            dims[rank++] = has_sizes ? (htp_dim){.symbol = ""} : (htp_dim){.size = 1};
        }
    }
    set_sequence(infer, x->dtype, rank, dims);
}

/* ONNX SequenceAt: a tensor of the sequence. */
void htp_infer_sequence_at(htp_infer *infer)
{
    if (!is_sequence(infer, 0)) {
        return;
    }
    const htp_tensor *x = htp_infer_input(infer, 0);
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = varies(x->dims[i]) ? htp_infer_unknown(infer) : x->dims[i];
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* ONNX SequenceLength */
void htp_infer_sequence_length(htp_infer *infer)
{
    htp_infer_set(infer, 0, HTP_DTYPE_INT64, 0, NULL);
}

/* ONNX ConcatFromSequence: all dims except the axis must be equal, or it fails. */
void htp_infer_concat_from_sequence(htp_infer *infer)
{
    if (!is_sequence(infer, 0)) {
        return;
    }
    const htp_tensor *x = htp_infer_input(infer, 0);
    bool is_stack = htp_infer_int(infer, "new_axis", 0) != 0;
    uint32_t rank = x->rank + is_stack;
    uint32_t axis;
    if (!htp_infer_wrap(htp_infer_int(infer, "axis", 0), rank, &axis)) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, rank);
    for (uint32_t i = 0; i < rank; i++) {
        const htp_dim *dim = i == axis ? NULL : &x->dims[is_stack && i > axis ? i - 1 : i];
        dims[i] = dim && !varies(*dim) ? *dim : htp_infer_unknown(infer);
    }
    htp_infer_set(infer, 0, x->dtype, rank, dims);
}
