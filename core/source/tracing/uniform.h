/*
 * Tensors of a trace that are filled with one number, such as results of zeros(). Private to
 * core/source.
 */
#ifndef HTP_SOURCE_UNIFORM_H
#define HTP_SOURCE_UNIFORM_H

#include "interpret/trace/trace.h"

/** The value that @p id is an unchanged part or a reshape of; mostly @p id itself. */
uint32_t htp_uniform_source(const htp_trace *trace, uint32_t id);

/** Whether all elements of a tensor are one number. Arithmetic is not followed. */
bool htp_uniform_find(const htp_trace *trace, uint32_t id, double *number);

#endif
