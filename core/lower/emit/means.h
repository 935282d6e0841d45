/*
 * Inputs of a lowering besides the graph.
 */
#ifndef HTP_LOWER_MEANS_H
#define HTP_LOWER_MEANS_H

#include "base/vector.h"
#include "graph/graph.h"

struct htp_custom_operators; /* lower/custom/custom.h */
struct htp_program;          /* htp/program.h */
struct htp_runner;           /* htp/runner.h */

/** A result of weights alone that is too large to be folded: its node and its size. */
typedef struct htp_kept_result {
    htp_node_id node;
    uint64_t bytes;
} htp_kept_result;

typedef HTP_VECTOR(htp_kept_result) htp_kept_arithmetic;

/** All zeroes: nothing is mapped or folded. */
typedef struct htp_lower_means {
    const struct htp_custom_operators *customs; /* the caller's mappings; NULL: none */
    const struct htp_program *program;          /* the graph's program */
    const struct htp_runner *runner;            /* runs its operators; NULL: nothing is folded */
    bool folds;                                 /* whether results of weights alone are folded */
    const uint32_t *bodies;                     /* by scope: see htp_norms_fold(); or NULL */
    const uint32_t *groups;    /* by scope: equal ones share sizes and masks; NULL: all do */
    htp_kept_arithmetic *kept; /* receives results too large to fold; or NULL */
} htp_lower_means;

#endif
