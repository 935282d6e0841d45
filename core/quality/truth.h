/*
 * The modules of nodes by an oracle.
 */
#ifndef HTP_QUALITY_TRUTH_H
#define HTP_QUALITY_TRUTH_H

#include <stdint.h>

/** The module instance that ran each node. */
typedef struct htp_truth {
    const char *oracle;       /* "calls": for people and JSON */
    const char *const *paths; /* by node of the view: dotted attribute path of the innermost module,
                                 including torch.nn's; "" is the root; NULL: unknown */
    uint64_t known;           /* how many nodes are known */
    const char *const *owners; /* by node: path of the deepest running module with a tag of its own.
                                  It is not an ancestor of the innermost one if a module calls one
                                  that it does not hold. NULL: it always is an ancestor */
} htp_truth;

#endif
