/*
 * Rules for sequences, whose type is that of each of their tensors. A dim that differs between
 * these has the symbol "".
 */
#include "onnx/infer_rule.h"

static bool is_sequence(const htp_infer *infer, uint32_t input)
{
    const htp_tensor *tensor = htp_infer_input(infer, input);
    return tensor && tensor->is_sequence;
}

/* ONNX SequenceErase, and others that give a sequence: of the type that the first input has. Where
 * they change that type, the output has its own. */
void htp_infer_sequence(htp_infer *infer)
{
    htp_tensor_id output = infer->node->outputs[0];
    if (is_sequence(infer, 0) && !infer->model->tensors.items[output].has_type) {
        const htp_tensor *x = htp_infer_input(infer, 0);
        htp_infer_set(infer, 0, x->dtype, x->rank, x->dims);
        htp_model_set_sequence(infer->model, output);
    }
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
        bool varies = x->dims[i].symbol && !*x->dims[i].symbol;
        dims[i] = varies ? htp_infer_unknown(infer) : x->dims[i];
    }
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}

/* ONNX SequenceLength */
void htp_infer_sequence_length(htp_infer *infer)
{
    htp_infer_set(infer, 0, HTP_DTYPE_INT64, 0, NULL);
}

/* ONNX ConcatFromSequence: sizes that differ between tensors are equal here, or it fails. */
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
        bool is_known = dim && (!dim->symbol || *dim->symbol);
        dims[i] = is_known ? *dim : htp_infer_unknown(infer);
    }
    htp_infer_set(infer, 0, x->dtype, rank, dims);
}
