/*
 * Nodes with both empty and nonempty tensors. Private to core/lower.
 *
 * If all operands are empty, the runner has computed the result as a constant. With both kinds,
 * ONNX operators and runtimes differ.
 */
#ifndef HTP_LOWER_EMPTY_H
#define HTP_LOWER_EMPTY_H

#include "lower/emit/lowering.h"

/** The lowering function of the node: its row's, or another one if an operand is empty and the
 * result is not. Fails if the result is unknown. */
htp_lower_fn htp_lowering_find(htp_lowering *l);

#endif
