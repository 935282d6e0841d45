/*
 * Types of recurrent layers' outputs.
 */
#include "onnx/shape_inference/infer_rule.h"

/* ONNX LSTM, GRU, RNN with layout 0: X is [sequence, batch, input], W [directions, ...]. Y is
 * [sequence, directions, batch, hidden]; the last states are [directions, batch, hidden]. */
void htp_infer_recurrent(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    const htp_tensor *weight = htp_infer_input(infer, 1);
    int64_t hidden = htp_infer_int(infer, "hidden_size", -1);
    if (!x || !weight || x->rank != 3 || weight->rank != 3 || hidden < 1 ||
        htp_infer_int(infer, "layout", 0) != 0) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, 4);
    dims[0] = x->dims[0];
    dims[1] = weight->dims[0];
    dims[2] = x->dims[1];
    dims[3] = htp_infer_size(infer, hidden);
    htp_infer_set(infer, 0, x->dtype, 4, dims);
    for (uint32_t i = 1; i < infer->node->output_count; i++) {
        htp_infer_set(infer, i, x->dtype, 3, dims + 1);
    }
}
