/*
 * What happens to a graph between the trace and the lowering: small passes with names, each linear
 * in nodes and values, and a verifier after each.
 *
 * The trace has done the hard part where libtorch is at hand: it gives every name of a memory that
 * was changed in place its newest value, and computes what follows from constants and sizes alone.
 * So no pass puts one value in another one's place: what scopes were given stays what it is. It
 * keeps no node alive.
 */
#ifndef HTP_GRAPH_PASSES_H
#define HTP_GRAPH_PASSES_H

#include "base/status.h"
#include "graph/graph.h"

/** The number of passes; the first one, "trace", changes nothing. */
size_t htp_pass_count(void);

/** The name of pass @p index: "trace", "aliases", "constants", "dead-code". */
const char *htp_pass_name(size_t index);

/** The operator that gives a new value in place of one that changes its first argument:
 * "aten::add.Tensor" of "aten::add_.Tensor"; the same text for any other. */
const char *htp_pass_functional_kind(htp_arena *arena, const char *kind);

/** Whether there is a pass of that name. */
bool htp_pass_exists(const char *name);

/** Runs the passes in order, up to and with the one named @p last (NULL: all), and verifies the
 * graph after each. Fails with HTP_CODE_INTERNAL where the verifier finds something. */
HTP_MUST_USE htp_status htp_passes_run(htp_graph *graph, const char *last);

#endif
