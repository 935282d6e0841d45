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

/** Results computed from weights alone, and those too large. */
typedef struct htp_kept_result {
    htp_node_id node;
    uint64_t bytes;
} htp_kept_result;

typedef HTP_VECTOR(htp_kept_result) htp_kept_arithmetic;

/** Empty is all zeroes. */
typedef struct htp_lower_means {
    const struct htp_custom_operators *customs; /* written as the caller says; NULL: none */
    const struct htp_program *program;          /* that the graph is of */
    const struct htp_runner *runner;            /* of its operators; NULL: nothing is computed */
    bool folds;                                 /* whether such results are computed */
    const uint32_t *bodies;                     /* by scope, as for htp_norms_fold(); or NULL */
    const uint32_t
        *groups; /* by scope: those with one number share sizes and masks; NULL: all do */
    htp_kept_arithmetic *kept; /* receives those that are not; or NULL */
} htp_lower_means;

#endif
