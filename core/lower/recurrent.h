/*
 * Recurrent layers over padded sequences. Private to core/lower.
 */
#ifndef HTP_LOWER_RECURRENT_H
#define HTP_LOWER_RECURRENT_H

#include "lower/lowering.h"

/**
 * The layers of the node, which is told by its arguments hx, params and so on, and by its row.
 * Binds the last states, outputs 1 and on.
 * @param x        [length, batch, features] of @p dtype
 * @param lengths  int32 [batch]: of the sequences; HTP_TENSOR_NONE: all are as long as x
 * @return [length, batch, directions · hidden]
 */
htp_tensor_id htp_emit_recurrent(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                                 htp_tensor_id lengths);

/** Whether an aten::lstm has no ONNX operator: with projections, or in float64. */
bool htp_recurrent_needs_steps(htp_lowering *l);

/** As htp_emit_recurrent() for an aten::lstm, by loops over the sequence.
 * @param x  [length, batch, features] of the dtype of argument input */
htp_tensor_id htp_emit_recurrent_steps(htp_lowering *l, htp_tensor_id x);

#endif
