/*
 * Gathers sliding windows: for pooling of integers, unfolding, and folding where ONNX has no
 * operator. Private to core/lower.
 */
#ifndef HTP_LOWER_WINDOWS_H
#define HTP_LOWER_WINDOWS_H

#include "lower/emit/lowering.h"

/** How windows slide along one axis. All numbers are at least 1, padding at least 0. */
typedef struct htp_window {
    int64_t kernel;
    int64_t stride;
    int64_t dilation;
    int64_t padding;     /* before the first element */
    int64_t end_padding; /* after the last */
} htp_window;

/** Fails and returns false if a number is out of range. */
bool htp_window_check(htp_lowering *l, const htp_window *windows, size_t axes);

/** The positions of the windows' elements, counting padding: int64 [kernel, windows]. The axis has
 * @p size elements without padding; if that is dynamic, it is read from axis @p axis of @p x. */
htp_tensor_id htp_emit_positions(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_dim size,
                                 const htp_window *window);

/** The same on an axis of @p length elements, a [1] tensor. */
htp_tensor_id htp_emit_positions_within(htp_lowering *l, htp_tensor_id length,
                                        const htp_window *window);

/**
 * The windows along the last @p axes axes of a tensor.
 * @param x  of @p dtype, [N, C, ...] with @p axes axes after C
 * @param dims  of those axes
 * @param fill  the value of the padding, a 0-d tensor
 * @return [N, C, kernel, windows, kernel, windows, ...]
 */
htp_tensor_id htp_emit_windows(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, size_t axes,
                               const htp_dim *dims, const htp_window *windows, htp_tensor_id fill);

/** The sum along axis @p axis of @p x, which has size @p size and is removed. Integers are added
 * one by one, because ONNX Runtime's ReduceSum computes them in float64. */
htp_tensor_id htp_emit_window_sum(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, int64_t axis,
                                  int64_t size);

/** The sum of each window along the last @p axes axes of a tensor, as in htp_emit_windows();
 * padding counts as zeros. @return [N, C, windows, ...] */
htp_tensor_id htp_emit_window_sums(htp_lowering *l, htp_tensor_id x, htp_dtype dtype, size_t axes,
                                   const htp_dim *dims, const htp_window *windows);

/** The row-major index of each element of a plane: int64 [1, 1, ...] with @p axes axes after, of
 * sizes @p dims, read from @p x where dynamic. */
htp_tensor_id htp_emit_plane(htp_lowering *l, htp_tensor_id x, size_t axes, const htp_dim *dims);

/** No element's index: larger than all. */
#define HTP_NO_INDEX INT64_MAX

/**
 * The position of each window's maximum: the first one in the plane.
 * @param windows  of @p dtype, from htp_emit_windows()
 * @param largest  the maximum of each; kernel axes have size 1
 * @param plane    the windows of htp_emit_plane(), padded with HTP_NO_INDEX
 * @param reduced  the axes of the kernels, @p count of them
 */
htp_tensor_id htp_emit_first_equal(htp_lowering *l, htp_dtype dtype, htp_tensor_id windows,
                                   htp_tensor_id largest, htp_tensor_id plane,
                                   const int64_t *reduced, size_t count);

#endif
