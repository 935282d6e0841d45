/*
 * Which dims of the inputs may move: guesses with readable names, for a trace to judge.
 */
#ifndef HTP_SOURCE_AXES_H
#define HTP_SOURCE_AXES_H

#include "source/inputs.h"

/** Which dims of two inputs are the same axis as a rule. */
typedef enum htp_axes_order {
    HTP_AXES_BY_SIZE,  /**< those of one size, if possible of the same place from the front */
    HTP_AXES_FROM_END, /**< those of one size and of the same place counted from the end alone */
} htp_axes_order;

/**
 * Makes every dim of every tensor input an axis: a dim of a later input joins the axis of an
 * earlier one as @p order tells, but no two dims of one input share an axis. Names follow what dims
 * mean as a rule: the first one is "batch", the second of a matrix of integers "sequence", the last
 * two of an image "height" and "width"; others have their input's name.
 */
void htp_axes_guess(htp_arena *arena, htp_inputs *inputs, htp_axes_order order);

/** A copy whose dims can be given to other axes. */
htp_inputs htp_axes_copy(htp_arena *arena, const htp_inputs *inputs);

/** The inputs with some axes alone: those that @p kept (by axis) names; the dims of the others are
 * fixed. */
htp_inputs htp_axes_select(htp_arena *arena, const htp_inputs *inputs, const bool *kept);

/** Gives the dims of axis @p from to axis @p to. Both have one size. */
void htp_axes_join(htp_inputs *inputs, uint32_t to, uint32_t from);

#endif
