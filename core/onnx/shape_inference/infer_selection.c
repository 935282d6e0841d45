/*
 * Rules for operators that select a data-dependent number of elements.
 */
#include "onnx/shape_inference/infer_rule.h"

/** The axis attribute, wrapped. @return false if there is none, or it is out of range */
static bool axis_of(const htp_infer *infer, const htp_tensor *x, uint32_t *axis)
{
    return htp_infer_attribute(infer, "axis") &&
           htp_infer_wrap(htp_infer_int(infer, "axis", 0), x->rank, axis);
}

/** Whether there is an axis attribute that is out of range. */
static bool is_beyond(const htp_infer *infer, const htp_tensor *x)
{
    uint32_t axis;
    return htp_infer_attribute(infer, "axis") && !axis_of(infer, x, &axis);
}

/** Gives output 0 the type of x with an unknown dim; without an axis, of a vector. */
static htp_dim set_picked(htp_infer *infer, const htp_tensor *x)
{
    uint32_t axis = 0;
    bool along = axis_of(infer, x, &axis);
    uint32_t rank = along ? x->rank : 1;
    htp_dim *dims = htp_infer_dims(infer, rank);
    for (uint32_t i = 0; along && i < rank; i++) {
        dims[i] = x->dims[i];
    }
    dims[axis] = htp_infer_unknown(infer);
    htp_infer_set(infer, 0, x->dtype, rank, dims);
    return dims[axis];
}

void htp_infer_compress(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (x && !is_beyond(infer, x)) {
        (void)set_picked(infer, x);
    }
}

/* ONNX Unique: the values; the first index of each; for each element or slice the index of its
 * value; counts. */
void htp_infer_unique(htp_infer *infer)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x || is_beyond(infer, x)) {
        return;
    }
    htp_dim *count = htp_infer_dims(infer, 1);
    htp_dim *all = htp_infer_dims(infer, 1);
    uint32_t axis;
    count[0] = set_picked(infer, x);
    if (axis_of(infer, x, &axis)) {
        all[0] = x->dims[axis];
    } else {
        all[0] = x->rank == 1 ? x->dims[0] : htp_infer_unknown(infer);
    }
    htp_infer_set(infer, 1, HTP_DTYPE_INT64, 1, count);
    htp_infer_set(infer, 2, HTP_DTYPE_INT64, 1, all);
    htp_infer_set(infer, 3, HTP_DTYPE_INT64, 1, count);
}
