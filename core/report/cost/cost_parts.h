/*
 * Pieces of the report on costs. Private to core/report/cost.
 */
#ifndef HTP_REPORT_COST_PARTS_H
#define HTP_REPORT_COST_PARTS_H

#include "report/cost/cost.h"

/** An amount for people: "1,234", a formula, or "?" where it is neither. */
const char *htp_report_amount(htp_arena *arena, const htp_cost *cost, const htp_amount *amount);

/** A polynomial as an amount; unknown ones are broken. */
htp_amount htp_report_amount_of(const htp_cost *cost, htp_polynomial_id id);

/** Nodes of the region that are counted, those that cost most first where that is known, else in
 * the order of the file. @return their number */
uint32_t htp_report_cost_nodes(htp_arena *arena, const htp_cost *cost, const htp_region *region,
                               const uint32_t **nodes);

/** The name of an operator: "MatMul", "com.microsoft.Gelu". */
const char *htp_report_operator(htp_arena *arena, const htp_view *view, htp_view_name domain,
                                htp_view_name op_type);

/** The memory of a peak: a number, "max(A, B)"; NULL where there are too many, or a value has no
 * known size. */
const char *htp_report_peak(htp_arena *arena, const htp_cost *cost);

#endif
