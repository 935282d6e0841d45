/*
 * The module tree as text.
 */
#ifndef HTP_REPORT_TREE_H
#define HTP_REPORT_TREE_H

#include "onnx/metadata/annotate.h"

/**
 * The eligible modules as indented text, a line each: the last segment of the tag, nodes (with
 * descendants, and its own), parameters (with descendants; a tied one counts once), and the number
 * of calls unless it is 1. Ends with a newline. Indentation ends at 40 levels.
 *
 *     module            nodes   own  parameters
 *     /Net                 24     2       1,234
 *       /Encoder.0         22    22       1,200
 */
const char *htp_report_tree(htp_arena *arena, const htp_hierarchy *hierarchy,
                            const htp_annotations *annotations, const htp_graph *graph);

#endif
