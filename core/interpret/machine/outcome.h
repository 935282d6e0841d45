/*
 * How a step of an interpretation ends: a code that callers must check. The machine has the
 * details: a message (HTP_RAISES to HTP_FAILS), a path split, a list that grows.
 *
 *     HTP_DO(htp_machine_tick(m));
 */
#ifndef HTP_INTERPRET_MACHINE_OUTCOME_H
#define HTP_INTERPRET_MACHINE_OUTCOME_H

#include <htp/htp.h>

typedef enum htp_outcome {
    HTP_GOES_ON = 0,
    /* Outcomes of the whole interpretation, with a message. */
    HTP_RAISES,               /**< the program's own exception */
    HTP_BAD_INPUTS,           /**< the inputs do not fit the program */
    HTP_UNSUPPORTED,          /**< it cannot be followed */
    HTP_TOO_MANY_PATH_SPLITS, /**< too many consecutive branches whose sides cannot be merged */
    HTP_FAILS,                /**< an operator or another step rejects its operands */
    HTP_NO_KERNEL,            /**< an operator has no meta kernel */
    HTP_TOO_LARGE,            /**< an operator needs too much memory */
    HTP_BREAKS,               /**< out of memory, or stopped by the caller */
    /* Outcomes that a caller handles. */
    HTP_NEEDS_LANES,   /**< with one lane, a data-dependent size looks like a fixed one */
    HTP_NEEDS_EARLIER, /**< a branch or loop changes an attribute that was first read within it */
    HTP_PATH_SPLITS,   /**< the sides of a branch cannot be merged: see the machine's split */
    HTP_COMES_APART,   /**< two values cannot be one output of a node, with a message */
    HTP_GROWS,         /**< a loop's body changes the length of an outer list: `growing` */
} htp_outcome;

/** Whether the inputs do not fit the program. */
#define HTP_IS_REFUSAL(outcome) ((outcome) == HTP_RAISES || (outcome) == HTP_BAD_INPUTS)

/** Whether something cannot be followed. */
#define HTP_IS_UNSUPPORTED(outcome)                                                                \
    ((outcome) == HTP_UNSUPPORTED || (outcome) == HTP_TOO_MANY_PATH_SPLITS)

/** Returns from the calling function unless the outcome is HTP_GOES_ON. */
#define HTP_DO(expression)                                                                         \
    do {                                                                                           \
        htp_outcome htp_outcome_ = (expression);                                                   \
        if (htp_outcome_ != HTP_GOES_ON) {                                                         \
            return htp_outcome_;                                                                   \
        }                                                                                          \
    } while (0)

#endif
