/*
 * What a report of `verify --json` says of a model: the error that its modules and nodes add.
 */
#ifndef HTP_QUERY_ERROR_REPORT_H
#define HTP_QUERY_ERROR_REPORT_H

#include "query/tree/tree.h"

/** Errors, relative to the largest element of a tensor; infinity included. Negative: not known. */
typedef struct htp_error_report {
    double tolerance;     /* of the verification */
    const double *own;    /* by module: of the module alone */
    const double *growth; /* by node: what it adds to the difference of what it reads */
} htp_error_report;

/**
 * Reads a report. It may be that of another file with the same modules, such as the quantised one.
 * Modules are found by their addresses, nodes by their names; several of one address or name have
 * the worst of their errors.
 * @param path  the file, of at most 1 GiB.
 * @return HTP_CODE_BAD_INPUT for a file that is no such report, or names no module of the model.
 */
HTP_MUST_USE htp_status htp_error_report_read(htp_arena *arena, const htp_view *view,
                                              const htp_tree *tree, const char *path,
                                              htp_error_report *report);

/**
 * By module: whether its own error is larger than @p limit, and that of no module in it. The root
 * is never such a module.
 * @param most  of these, those with the largest errors; 0: all
 */
const bool *htp_error_report_worse(htp_arena *arena, const htp_tree *tree,
                                   const htp_error_report *report, double limit, uint32_t most);

#endif
