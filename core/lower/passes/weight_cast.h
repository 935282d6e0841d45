/*
 * Casts of weights' elements on their way to a file. Private to core/lower.
 */
#ifndef HTP_LOWER_WEIGHT_CAST_H
#define HTP_LOWER_WEIGHT_CAST_H

#include "onnx/builder/builder.h"

/** Lets a derivation cast its elements to @p to as PyTorch does; not complex ones. */
void htp_weight_cast_set(htp_arena *arena, htp_derivation *derivation, htp_dtype to);

#endif
