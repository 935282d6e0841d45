/*
 * Types of Fourier transforms.
 */
#include "onnx/shape_inference/infer_rule.h"

/* The axis: an input since opset 20, before that an attribute. It is never the last one. */
static bool find_axis(const htp_infer *infer, uint32_t rank, uint32_t *axis)
{
    int64_t given = htp_infer_int(infer, "axis", infer->model->opset >= 20 ? -2 : 1);
    if (htp_infer_has_input(infer, 2) &&
        !htp_infer_number(htp_infer_element(infer, 2, 0), &given)) {
        return false;
    }
    return htp_infer_wrap(given, rank, axis) && *axis + 1 < rank;
}

/* ONNX DFT, forward: the last dim of the output holds pairs. The axis has the given length, or its
 * own; with onesided, about half of it. */
void htp_infer_dft(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    uint32_t axis;
    bool is_one_sided = htp_infer_int(infer, "onesided", 0) != 0;
    bool is_real = is_one_sided && htp_infer_int(infer, "inverse", 0) != 0; /* the output */
    if (!x || x->rank < 2 || is_real || !find_axis(infer, x->rank, &axis)) {
        return;
    }
    htp_dim *dims = htp_infer_dims(infer, x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        dims[i] = x->dims[i];
    }
    if (htp_infer_has_input(infer, 1)) {
        dims[axis] = htp_infer_element_dim(infer, htp_infer_element(infer, 1, 0));
    }
    if (is_one_sided) {
        dims[axis] =
            htp_infer_sum(infer, htp_infer_floor(infer, dims[axis], 2), (htp_dim){.size = 1}, 1);
    }
    dims[x->rank - 1] = htp_infer_size(infer, 2);
    htp_infer_set(infer, 0, x->dtype, x->rank, dims);
}
