/*
 * The passes between trace and lowering: small, named, linear in nodes and values, each followed by
 * the verifier.
 *
 * The trace has done the hard part: after an in-place operator, each alias has the new value, and
 * results of constants and sizes are computed. So no pass substitutes values, and arguments of
 * scopes stay valid. These keep no node alive.
 */
#ifndef HTP_GRAPH_PASSES_H
#define HTP_GRAPH_PASSES_H

#include "base/status.h"
#include "graph/graph.h"

/** The number of passes; the first one, "trace", changes nothing. */
size_t htp_pass_count(void);

/** The name of pass @p index: "trace", "aliases", "constants", "dead-code". */
const char *htp_pass_name(size_t index);

/** The functional form of an in-place operator: "aten::add.Tensor" for "aten::add_.Tensor"; other
 * operators map to themselves. */
const char *htp_pass_functional_kind(htp_arena *arena, const char *kind);

/** Whether there is a pass of that name. */
bool htp_pass_exists(const char *name);

/** Runs the passes in order, up to and including the one named @p last (NULL: all), and verifies
 * the graph after each. @return HTP_CODE_INTERNAL if the verifier finds something */
HTP_MUST_USE htp_status htp_passes_run(htp_graph *graph, const char *last);

#endif
