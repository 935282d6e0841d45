/*
 * What refusals tell of the sizes that an axis can have: a program that takes the first 512 steps
 * one by one needs as many, and one that adds a table of 512 positions takes no more. No other
 * choice of sizes gets around that.
 */
#ifndef HTP_SOURCE_BOUNDS_H
#define HTP_SOURCE_BOUNDS_H

#include "source/inputs/inputs.h"

/**
 * Narrows the bounds of the inputs' axes by what a trace shows that forward() refused in all lanes:
 * @p message says why. Only what does not depend on the way that the program took is learned.
 */
void htp_bounds_read(htp_arena *arena, const htp_trace *trace, const char *message,
                     const htp_inputs *inputs);

/** Makes a bound the narrower one of two. */
void htp_bound_narrow(htp_bound *bound, const htp_bound *other);

#endif
