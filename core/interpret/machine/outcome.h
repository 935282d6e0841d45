/*
 * How a step of an interpretation ends: a code that must be looked at. What goes with one is in the
 * machine: a message (HTP_RAISES to HTP_FAILS), a path split, a list that grows.
 *
 *     HTP_DO(htp_list_append(m, list, value));
 */
#ifndef HTP_INTERPRET_MACHINE_OUTCOME_H
#define HTP_INTERPRET_MACHINE_OUTCOME_H

#include <htp/htp.h>

typedef enum htp_outcome {
    HTP_GOES_ON = 0,
    /* What the whole interpretation ends with, with a message. */
    HTP_RAISES,               /**< the program's own exception */
    HTP_BAD_INPUTS,           /**< what it is given does not fit it */
    HTP_UNSUPPORTED,          /**< it cannot be followed */
    HTP_TOO_MANY_PATH_SPLITS, /**< neither: too many branches that cannot meet follow one another */
    HTP_FAILS,                /**< an operator, or anything else: it does not take its operands */
    HTP_NO_KERNEL,            /**< an operator: none for tensors without contents */
    HTP_TOO_LARGE,            /**< an operator: it asks for too much memory */
    HTP_BREAKS,               /**< out of memory, or stopped by the caller */
    /* What somebody around acts upon. */
    HTP_NEEDS_LANES,   /**< one lane cannot tell a size that the data decides from a fixed one */
    HTP_NEEDS_EARLIER, /**< a branch or loop changes what an attribute held that was first read
                            within it */
    HTP_PATH_SPLITS,   /**< the sides of a branch give what cannot meet: the machine's fork */
    HTP_COMES_APART,   /**< two values cannot be one output of a node: message */
    HTP_GROWS,         /**< a list of outside whose length a loop's body changes: growing */
} htp_outcome;

/** Whether the outcome is one of those that say that the inputs do not fit. */
#define HTP_IS_REFUSAL(outcome) ((outcome) == HTP_RAISES || (outcome) == HTP_BAD_INPUTS)

/** Whether it says that something cannot be followed. */
#define HTP_IS_UNSUPPORTED(outcome)                                                                \
    ((outcome) == HTP_UNSUPPORTED || (outcome) == HTP_TOO_MANY_PATH_SPLITS)

/** Returns from the calling function unless @p expression goes on. */
#define HTP_DO(expression)                                                                         \
    do {                                                                                           \
        htp_outcome htp_outcome_ = (expression);                                                   \
        if (htp_outcome_ != HTP_GOES_ON) {                                                         \
            return htp_outcome_;                                                                   \
        }                                                                                          \
    } while (0)

#endif
