/*
 * Finds numbers in the graph that are sizes of tensors. Private to core/lower.
 */
#ifndef HTP_LOWER_SAME_SIZE_H
#define HTP_LOWER_SAME_SIZE_H

#include "lower/emit/lowering.h"

/** Whether a number is known to be the size of dim @p dim of a tensor: of the tensor itself, or of
 * one from which it was computed element by element. */
bool htp_number_is_size_of(htp_lowering *l, htp_value_id number, htp_value_id tensor, uint32_t dim);

#endif
