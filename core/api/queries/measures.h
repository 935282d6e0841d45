/*
 * What the nodes of a model cost, by several measures. Private to core/api.
 */
#ifndef HTP_API_MEASURES_H
#define HTP_API_MEASURES_H

#include "api/queries/timing.h"
#include "query/cost/cost.h"
#include "report/node_data/node_data.h"

struct htp_quality;

/** The most parts of a split. */
enum { HTP_SPLIT_MOST_PARTS = 10000 };

/**
 * Multiply-adds by node of the query's model.
 * @param found      what htp_costs_find() found for the model
 * @param is_strict  refuses nodes whose multiply-adds are not known; else they have
 * HTP_NODE_DATA_NONE
 * @return HTP_CODE_USAGE also where the axes have no sizes.
 */
HTP_MUST_USE htp_status htp_measure_found(htp_query *query, const htp_costs *found, bool is_strict,
                                          const uint64_t **costs);

/** The same at these sizes, as htp_costs_find() takes them, of nodes that are all known. */
HTP_MUST_USE htp_status htp_measure_multiply_adds(htp_query *query, const char *sizes,
                                                  const uint64_t **costs);

/** Microseconds by node of the query's model, by an opened profile, which is read. */
HTP_MUST_USE htp_status htp_measure_times(htp_query *query, htp_timing *timing,
                                          const uint64_t **times);

/** By node: how many metrics found a problem. */
const uint64_t *htp_measure_problems(htp_arena *arena, const htp_view *view,
                                     const struct htp_quality *quality);

/** What htp_measure_errors() counts. */
#define HTP_ERROR_UNIT 1e-12

/** Errors that nodes add as counts of HTP_ERROR_UNIT, at most 1e6 each.
 * @param errors  by node; negative: not known, which becomes @p unknown */
const uint64_t *htp_measure_errors(htp_arena *arena, size_t count, const double *errors,
                                   uint64_t unknown);

/** Checks the members of a splitting that belong to htp_splitting.into. */
HTP_MUST_USE htp_status htp_split_balance_check(const htp_splitting *splitting);

/** By node of the query's model: what it adds to a part; NULL for HTP_SPLIT_WEIGHTS.
 * @param timing  opened, for HTP_SPLIT_TIME: is read */
HTP_MUST_USE htp_status htp_split_balance_costs(htp_query *query, const htp_splitting *splitting,
                                                htp_timing *timing, const uint64_t **costs);

/** Refuses a model with functions (HTP_CODE_USAGE), whose file has other nodes than its view. */
HTP_MUST_USE htp_status htp_node_data_check(const htp_model *model);

/** Writes values of the query's model for Model Explorer, if @p path is not NULL; see
 * report/node_data/node_data.h.
 * @return HTP_CODE_USAGE for a model with functions */
HTP_MUST_USE htp_status htp_node_data_write(htp_query *query, const htp_node_data *data,
                                            const char *path);

#endif
