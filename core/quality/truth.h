/*
 * The modules of nodes, as an oracle knows them.
 */
#ifndef HTP_QUALITY_TRUTH_H
#define HTP_QUALITY_TRUTH_H

#include <stdint.h>

/** Which module instance ran each node, as an oracle has it. */
typedef struct htp_truth {
    const char *oracle;       /* "calls": for people and JSON */
    const char *const *paths; /* by node of the view: dotted attribute path of the innermost module,
                                 including torch.nn's; "" is the root; NULL: unknown */
    uint64_t known;           /* nodes that it knows */
    const char *const *owners; /* by node: the same of the deepest module with a tag of its own that
                                  was running. It lies elsewhere than above the innermost one where
                                  a module calls one that it does not hold. NULL: as that is */
} htp_truth;

#endif
