/*
 * The steps of htp_cost_find(). Private to core/query/cost.
 */
#ifndef HTP_QUERY_COST_PARTS_H
#define HTP_QUERY_COST_PARTS_H

#include "query/cost/cost.h"
#include "query/cost/multiply_adds.h"

/** Multiplies the costs of nodes, of one run of their graphs, by the runs of these, and leaves out
 * branches that cost less. @param graphs  by graph: its number in the builder, see htp_view_builder
 */
void htp_cost_repeat(htp_cost *cost, const uint32_t *graphs);

/** Adds up nodes, by module and by operator. */
void htp_cost_add_up(htp_cost *cost);

/** Finds cost->peak. @param bytes  by value; HTP_NONE where they are not known, or where it takes
 * none */
void htp_cost_find_peak(htp_cost *cost, const htp_polynomial_id *bytes);

#endif
