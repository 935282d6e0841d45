/*
 * The annotation of one node: the modules in which it ran. Private to core/onnx and core/functions.
 */
#ifndef HTP_ONNX_ANNOTATE_NODE_H
#define HTP_ONNX_ANNOTATE_NODE_H

#include "onnx/metadata/annotate.h"
#include "onnx/metadata/torch_metadata.h"

/** Calls of one module. */
typedef struct htp_call_range {
    uint32_t first;
    uint32_t count;
} htp_call_range;

/** Where nodes are: in the model, or in the function of a call. Tags and the chain of running
 * modules may be relative to the call; call numbers always are. */
typedef struct htp_node_setting {
    htp_torch_setting call;
    bool are_tags_relative;
    /** The calls of a module within it; NULL: those in the model. */
    htp_call_range (*find_calls)(const void *user, uint32_t module);
    const void *user;
} htp_node_setting;

typedef struct htp_node_annotator htp_node_annotator;

/** @param scope_modules  as for htp_annotate() */
htp_node_annotator *htp_node_annotator_new(htp_arena *arena, const htp_graph *graph,
                                           const htp_hierarchy *hierarchy,
                                           const uint32_t *scope_modules,
                                           const htp_annotate_options *options);

/** The annotation of a node. Nodes of one operation share it. */
const htp_node_annotation *htp_annotate_node(htp_node_annotator *annotator,
                                             const htp_onnx_node *node,
                                             const htp_node_setting *setting);

/** The annotation of the node that calls scope @p node->origin.scope, as if it ran in the called
 * module.
 * @param first_calls  a further entry of the metadata, or NULL */
const htp_node_annotation *htp_annotate_call(htp_node_annotator *annotator,
                                             const htp_onnx_node *node,
                                             const htp_node_setting *setting,
                                             const char *first_calls);

#endif
