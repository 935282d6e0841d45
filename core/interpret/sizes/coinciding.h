/*
 * Numbers and sizes that coincide at all sampled sizes, and facts about sizes from programs.
 */
#ifndef HTP_INTERPRET_SIZES_COINCIDING_H
#define HTP_INTERPRET_SIZES_COINCIDING_H

#include "interpret/lanes/execute.h"

/* ---- numbers and sizes that are equal at all sampled sizes (coinciding.c) ---- */

/** Whether outputs may be numbers that stay equal although sizes differ. */
bool htp_coinciding_is_stepped(htp_machine *m, const htp_call *call, const htp_lanes *results);

/** The number on which an operator's result depends linearly, as in y.size(0)*2 + 1: a linear
 * function with equal values at two sizes is constant. Or NULL. */
const htp_item *htp_coinciding_follows(htp_machine *m, const htp_call *call);

/** Whether the only output is such a number. */
bool htp_coinciding_is_one(htp_machine *m, const htp_call *call, const htp_lanes *results);
htp_outcome htp_coinciding_make(htp_machine *m, htp_call *call, const htp_lanes *results,
                                htp_items *outputs);

/** The outputs, with a data-dependent size for a dim that coincides in all lanes. */
htp_outcome htp_coinciding_resize(htp_machine *m, htp_call *call, const htp_lanes *results,
                                  htp_lanes *resized, bool *is_done);

/** The formula of a number: equal texts mean equal numbers. */
const char *htp_coinciding_formula(htp_machine *m, const htp_call *call);

/* ---- sizes learned from programs ---- */

/** A check on data passes on @p side: the compared size has that value from here on (checked.c). */
htp_outcome htp_sizes_learn(htp_machine *m, const htp_item *condition, bool side);

/**
 * The result of comparing a size of an earlier call (carried.c).
 * @return whether it is known
 */
bool htp_sizes_compare_carried(const htp_machine *m, const char *kind, const htp_items *inputs,
                               bool *answer);

/** Marks sizes of a tensor that an earlier call left as sizes of that call. */
void htp_sizes_pass_on_carried(const char *kind, const htp_items *inputs, const htp_items *outputs);

#endif
