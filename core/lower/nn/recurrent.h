/*
 * Recurrent layers over padded sequences. Private to core/lower.
 */
#ifndef HTP_LOWER_RECURRENT_H
#define HTP_LOWER_RECURRENT_H

#include "lower/emit/lowering.h"

/**
 * Emits the node's layers from its arguments (hx, params, ...) and its row. Binds the final states,
 * which are outputs 1 and on.
 * @param x        [length, batch, features] of @p dtype
 * @param lengths  int32 [batch]: the sequences' lengths; HTP_NONE: all are as long as x
 * @return [length, batch, directions · hidden]
 */
htp_tensor_id htp_emit_recurrent(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                                 htp_tensor_id lengths);

/** Whether the node's layers have no ONNX operator: with projections, or in float64. */
bool htp_recurrent_needs_steps(htp_lowering *l, htp_dtype dtype);

/** Reads the initial states, argument hx: the list of h and c if @p are_two (LSTM), otherwise h. */
void htp_recurrent_read_states(htp_lowering *l, bool are_two, htp_dtype dtype,
                               htp_tensor_id states[2]);

/** As htp_emit_recurrent(), but as Loops over the sequence.
 * @param lengths  int64 [batch], or HTP_NONE */
htp_tensor_id htp_emit_recurrent_steps(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                                       htp_tensor_id lengths);

/**
 * A step of an LSTM.
 * @param gates  [batch, 4 hidden], before activations
 * @param c  in and out: the cell state
 * @return the next state h
 */
htp_tensor_id htp_emit_lstm_step(htp_lowering *l, htp_tensor_id gates, htp_tensor_id *c);

/** A step of a GRU, whose gates are [batch, 3 hidden] each. @return the next state h */
htp_tensor_id htp_emit_gru_step(htp_lowering *l, htp_tensor_id from_input, htp_tensor_id from_state,
                                htp_tensor_id h);

#endif
