/*
 * Nodes at which tensors without elements meet those with elements. Private to core/lower.
 *
 * Operators of such tensors alone are constants, which the runner has computed; of both, ONNX's
 * operators and runtimes differ.
 */
#ifndef HTP_LOWER_EMPTY_H
#define HTP_LOWER_EMPTY_H

#include "lower/emit/lowering.h"

/** The lowering function of the node: its row's, or another one if an operand is empty and the
 * result is not. Fails if the result is unknown. */
htp_lower_fn htp_lowering_find(htp_lowering *l);

#endif
