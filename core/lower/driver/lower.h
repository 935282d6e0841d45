/*
 * aten to ONNX: a table of operators, each with the function that lowers it.
 */
#ifndef HTP_LOWER_LOWER_H
#define HTP_LOWER_LOWER_H

#include "base/status.h"
#include "graph/graph.h"
#include "lower/custom/custom.h"
#include "lower/emit/means.h"
#include "onnx/builder/builder.h"

/**
 * Lowers a whole graph into @p model: inputs, every live node, outputs.
 *
 * All operators that cannot be lowered are collected; the failure then has code
 * HTP_CODE_UNSUPPORTED and a detail line for each (operator, reason, module path, source file and
 * line, count).
 */
HTP_MUST_USE htp_status htp_lower_graph(htp_builder *model, const htp_lower_means *means,
                                        htp_progress_fn progress, void *user);

#endif
