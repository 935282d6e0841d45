/*
 * The module tree as JSON, for the model's metadata.
 */
#ifndef HTP_ONNX_MODULE_TREE_H
#define HTP_ONNX_MODULE_TREE_H

#include "graph/graph.h"
#include "onnx/metadata/annotate.h"

/**
 * One JSON object: {"rules": HTP_TAG_RULES_VERSION, "modules": [record, ...]}, a record for each
 * module in order of definition:
 *
 *     {"tag", "full_tag", "path" (dotted), "aliases": [paths], "class", "qualified_class",
 *      "is_torch_nn", "is_leaf", "level", "children": [paths], "calls",
 *      "parameters": {"own", "total", "trainable", "bytes", "shapes": {name: [dims]}},
 *      "buffers": [names], "nodes": {"own", "tagged", "total"}}
 *
 * Parameters are counted in elements; total, trainable (the part that requires a gradient) and
 * bytes include descendants, and count a tied parameter once. shapes has the module's own
 * parameters, by attribute name. A module that is not eligible has the tag of its nearest eligible
 * ancestor. For nodes see htp_annotations, for aliases htp_aliases_find().
 */
const char *htp_module_tree_json(htp_arena *arena, const htp_graph *graph,
                                 const htp_hierarchy *hierarchy,
                                 const htp_annotations *annotations);

#endif
