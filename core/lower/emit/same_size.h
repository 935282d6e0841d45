/*
 * Numbers that are the sizes of tensors, as the graph says. Private to core/lower.
 */
#ifndef HTP_LOWER_SAME_SIZE_H
#define HTP_LOWER_SAME_SIZE_H

#include "lower/emit/lowering.h"

/** Whether a number is certainly the size of dim @p dim of a tensor: it was asked of it, or of a
 * tensor that it was computed from element by element. False where that is not seen. */
bool htp_number_is_size_of(htp_lowering *l, htp_value_id number, htp_value_id tensor, uint32_t dim);

#endif
