/*
 * Pooling with windows that depend on the input. Private to core/lower.
 */
#ifndef HTP_LOWER_POOLING_H
#define HTP_LOWER_POOLING_H

#include "lower/emit/lowering.h"

/** Whether a number of the pooling window is unknown at export. */
bool htp_pooling_follows_sizes(htp_lowering *l);

/** Lower such an operator: aten::max_pool*d, with or without indices, computed in @p dtype;
 * aten::avg_pool*d. */
void htp_lower_max_pool_by_size(htp_lowering *l, htp_dtype dtype);
void htp_lower_avg_pool_by_size(htp_lowering *l);

#endif
