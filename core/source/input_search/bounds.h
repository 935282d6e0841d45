/*
 * Bounds of axis sizes, learned from refusals: a program that reads the first 512 steps one by one
 * needs at least as many; one that adds a table of 512 positions takes at most as many.
 */
#ifndef HTP_SOURCE_BOUNDS_H
#define HTP_SOURCE_BOUNDS_H

#include "source/inputs/inputs.h"

/**
 * Narrows the bounds of the inputs' axes by a trace in all lanes that forward() refused with
 * @p message. Only facts that do not depend on the program's path are learned.
 */
void htp_bounds_read(htp_arena *arena, const htp_trace *trace, const char *message,
                     const htp_inputs *inputs);

/** Makes a bound the narrower one of two. */
void htp_bound_narrow(htp_bound *bound, const htp_bound *other);

#endif
