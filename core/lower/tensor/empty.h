/*
 * Nodes at which tensors without elements meet those with elements. Private to core/lower.
 *
 * Operators of such tensors alone are constants, which the runner has computed; of both, ONNX's
 * operators and runtimes differ.
 */
#ifndef HTP_LOWER_EMPTY_H
#define HTP_LOWER_EMPTY_H

#include "lower/emit/lowering.h"

/** What lowers the node: its row's function; another one where it is given a tensor without
 * elements and gives one with elements. Fails where nobody knows what comes out. */
htp_lower_fn htp_lowering_find(htp_lowering *l);

#endif
