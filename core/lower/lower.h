/*
 * aten to ONNX: a table of operators, each with the function that lowers it.
 */
#ifndef HTP_LOWER_LOWER_H
#define HTP_LOWER_LOWER_H

#include "base/status.h"
#include "graph/graph.h"
#include "lower/custom.h"
#include "onnx/draft.h"

struct htp_program; /* htp/program.h */
struct htp_runner;  /* htp/runner.h */

/** What a lowering is given besides the graph. Empty is all zeroes. */
/** What weights alone make, and what would be too large beside them. */
typedef struct htp_kept_result {
    htp_node_id node;
    uint64_t bytes;
} htp_kept_result;

typedef HTP_VECTOR(htp_kept_result) htp_kept_arithmetic;

typedef struct htp_lower_means {
    const htp_custom_operators *customs; /* written as the caller says; NULL: none */
    const struct htp_program *program;   /* that the graph is of */
    const struct htp_runner *runner;     /* of its operators; NULL: nothing is computed */
    bool folds;                          /* what weights alone decide is computed */
    const uint32_t *bodies;              /* by scope, as for htp_norms_fold(); or NULL */
    htp_kept_arithmetic *kept;           /* receives what is not computed; or NULL */
} htp_lower_means;

/**
 * Lowers a whole graph into @p model: inputs, every live node, outputs.
 *
 * All operators that cannot be lowered are collected; the failure then has code
 * HTP_CODE_UNSUPPORTED and a detail line for each (operator, reason, module path, source file and
 * line, count).
 */
HTP_MUST_USE htp_status htp_lower_graph(htp_draft *model, const htp_lower_means *means,
                                        htp_progress_fn progress, void *user);

/** The number of operators in the table. */
size_t htp_lower_operator_count(void);

/** Operator @p index in order of name: "aten::add.Tensor"; NULL when out of range. */
const char *htp_lower_operator_name(size_t index);

#endif
