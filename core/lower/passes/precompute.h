/*
 * Operators on weights alone, which libtorch computes at export. Those without an ONNX counterpart
 * become constants during lowering, the others after it (lower/passes/weight_arithmetic.h). Private
 * to core/lower.
 *
 * Only deterministic operators are run. No tensor on the way has more than
 * HTP_PRECOMPUTE_MAX_BYTES.
 */
#ifndef HTP_LOWER_PRECOMPUTE_H
#define HTP_LOWER_PRECOMPUTE_H

#include "lower/emit/lowering.h"

/** The largest tensor, in bytes, that is read or computed. */
#define HTP_PRECOMPUTE_MAX_BYTES (64 << 20)

/** The state of computing values of a lowered graph. */
typedef struct htp_precomputer htp_precomputer;

/**
 * Computes the current node, which cannot be lowered, and binds its outputs, if it is linear
 * algebra. The weights that it needs are read, and released afterwards.
 * @return false if it cannot be computed; then nothing is bound
 */
bool htp_precompute_node(htp_lowering *l);

/** Begins to compute values of a lowered graph. NULL without libtorch. */
htp_precomputer *htp_precompute_begin(htp_lowering *l);

/** Whether a value follows from weights and constants alone. */
bool htp_precompute_follows(htp_precomputer *c, htp_value_id value);

/**
 * Computes a tensor from weights alone.
 * @param dims  receives its sizes; followed by 2 for complex numbers
 * @return the elements, contiguous, in the lowering's arena; NULL if it cannot be computed, or has
 *         another type than recorded
 */
const void *htp_precompute_contents(htp_precomputer *c, htp_value_id value, int64_t *dims);

#endif
