/*
 * Tensors of a trace filled with one number, such as results of zeros(). Private to core/source.
 */
#ifndef HTP_SOURCE_UNIFORM_H
#define HTP_SOURCE_UNIFORM_H

#include "interpret/trace/trace.h"

/** The value that another one is an unchanged part or reshape of. */
uint32_t htp_uniform_source(const htp_trace *trace, uint32_t id);

/** Whether all elements of a tensor are one number. It is not looked for behind arithmetic. */
bool htp_uniform_find(const htp_trace *trace, uint32_t id, double *number);

#endif
