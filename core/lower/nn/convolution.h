/*
 * Shared parts of convolutions. Private to core/lower.
 */
#ifndef HTP_LOWER_CONVOLUTION_H
#define HTP_LOWER_CONVOLUTION_H

#include "lower/emit/lowering.h"

/** A convolution's arguments; lists have one number for each spatial axis. */
typedef struct htp_convolution {
    htp_tensor_id x;
    htp_tensor_id weight;
    htp_tensor_id bias; /* or HTP_NONE */
    htp_dtype dtype;
    size_t axes;       /* spatial ones */
    const htp_dim *in; /* spatial dims of x */
    const htp_dim *weight_dims;
    bool transposed;
    const int64_t *stride;
    const int64_t *dilation;
    const int64_t *output_padding;
    int64_t *pads;  /* at the starts, then at the ends */
    int64_t *zeros; /* padding of all dims of the input, starts then ends; NULL: none */
    int64_t groups;
} htp_convolution;

/** Whether runtimes compute no Conv and ConvTranspose in @p dtype. */
bool htp_convolution_is_unfolded(htp_dtype dtype);

/** The convolution as a matrix product. @return [batch, channels, ...] of its dtype */
htp_tensor_id htp_emit_unfolded(htp_lowering *l, const htp_convolution *c);

#endif
