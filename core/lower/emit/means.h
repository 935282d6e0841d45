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

/** Why a result of weights and constants alone stays in the graph. */
typedef enum htp_kept_reason {
    HTP_KEPT_LARGE, /* it is larger than what it replaces */
    HTP_KEPT_LIMIT, /* an operand is too large, or the work for one model is spent */
    HTP_KEPT_OTHER, /* the export does not compute it, or not exactly */
} htp_kept_reason;

/** A result of weights and constants alone that is not folded. */
typedef struct htp_kept_result {
    htp_node_id node;
    htp_kept_reason reason;
    uint64_t bytes; /* of a large one */
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
    bool records;              /* whether the model notes which tensors hold recorded values */
    htp_kept_arithmetic *kept; /* receives results too large to fold; or NULL */
} htp_lower_means;

#endif
