/*
 * Operators that ONNX has no counterpart of, on weights alone: libtorch computes them while the
 * model is exported, and what they give becomes a constant. Private to core/lower.
 */
#ifndef HTP_LOWER_PRECOMPUTE_H
#define HTP_LOWER_PRECOMPUTE_H

#include "lower/lowering.h"

/**
 * Computes the current node, which cannot be lowered, and binds its outputs. Weights are read for
 * it, and let go of when it is done.
 *
 * It has to be one of linear algebra, which gives the same whenever it runs, and to follow from
 * weights and constants alone, through operators that were lowered or computed. No tensor on the
 * way has more than 64 MiB.
 * @return false where it cannot be computed: nothing is bound
 */
bool htp_precompute_node(htp_lowering *l);

#endif
