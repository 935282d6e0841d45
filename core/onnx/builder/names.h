/*
 * Names of the ONNX graph: unique, printable, in PyTorch's style.
 */
#ifndef HTP_ONNX_NAMES_H
#define HTP_ONNX_NAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "graph/graph.h"
#include "onnx/builder/builder.h"

/** @p base, @p between and the number, concatenated: "/encoder/Add_output_0". */
const char *htp_name_numbered(htp_arena *arena, const char *base, const char *between,
                              uint32_t number);

/**
 * Finds a free name and takes it: @p base itself, else base_1, base_2 and so on. Constant time for
 * any number of equal bases. @p base is kept by reference.
 */
const char *htp_name_unique(htp_arena *arena, htp_map *taken, const char *base);

/**
 * The prefix of node names by scope, "" for the root's: "/encoder/layer.0/attention". Each call
 * contributes its module's attribute path relative to the caller's, or the whole path if the caller
 * does not hold the module. Names are encoded as in tags.
 * @return one string per scope of the graph's trace; a caller's scope precedes the callee's.
 */
const char *const *htp_name_scopes(htp_arena *arena, const htp_graph *graph);

/** Names the inputs of a node's body: NODE_input_0 and so on. @param taken  receives the names */
void htp_name_body_inputs(htp_builder *model, const char *node, uint32_t graph, htp_map *taken);

/**
 * Renames all nodes, their outputs, the inputs of their bodies, and embedded constants. Numbers are
 * consecutive in the order of the file, a node before its bodies' nodes. Inputs, outputs and
 * weights keep their names. Linear.
 */
void htp_name_model(htp_builder *model);

#endif
