/*
 * Numbers that are the sizes of tensors, as the graph says. Private to core/lower.
 */
#ifndef HTP_LOWER_SAME_SIZE_H
#define HTP_LOWER_SAME_SIZE_H

#include "lower/emit/lowering.h"

/** Whether a number is known to be the size of dim @p dim of a tensor: of it, or of a tensor from
 * which it was computed element-wise. */
bool htp_number_is_size_of(htp_lowering *l, htp_value_id number, htp_value_id tensor, uint32_t dim);

#endif
