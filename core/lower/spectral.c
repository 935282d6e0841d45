/*
 * Spectra of real numbers: aten::fft_fftshift, aten::fft_ifftshift, which turn axes round by half
 * of their sizes. Transforms have complex results, which ONNX tensors do not hold.
 */
#include "lower/compose.h"
#include "lower/table.h"

/** One axis turned round: by half of its size, rounded down, or up where @p is_inverse. */
static htp_tensor_id turn(htp_lowering *l, htp_tensor_id x, const htp_dim *dims, int64_t axis,
                          bool is_inverse)
{
    htp_tensor_id size = htp_emit_dim(l, x, dims, axis);
    htp_tensor_id at = htp_emit_int(l, axis);
    htp_tensor_id half = is_inverse ? size : htp_emit_binary(l, "Add", size, htp_emit_int(l, 1));
    half = htp_emit_binary(l, "Div", half, htp_emit_int(l, 2));
    htp_tensor_id front = htp_emit(l, "Slice", HTP_IN(x, half, size, at), HTP_NO_AT);
    htp_tensor_id back = htp_emit(l, "Slice", HTP_IN(x, htp_emit_int(l, 0), half, at), HTP_NO_AT);
    return htp_emit(l, "Concat", HTP_IN(front, back), HTP_AT(htp_attribute_int("axis", axis)));
}

/** The row says "inverse" or NULL. */
void htp_lower_fftshift(htp_lowering *l)
{
    size_t count = 0;
    const int64_t *axes =
        htp_arg_dims_list(l, "dim", htp_arg_rank(l, "self"), !htp_arg_present(l, "dim"), &count);
    htp_tensor_id x = htp_arg_tensor(l, "self");
    for (size_t i = 0; i < count && htp_arg_rank(l, "self") > 0; i++) {
        x = turn(l, x, htp_arg_dims(l, "self"), axes[i], l->row->op != NULL);
    }
    htp_bind(l, 0, x);
}
