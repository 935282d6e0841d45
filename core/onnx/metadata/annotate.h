/*
 * Annotations: metadata about the hierarchy, on nodes, initializers and the model.
 *
 * Annotations are kept beside the model and merged in by the writer, so a model written without
 * them equals the stripped tagged one, byte for byte.
 */
#ifndef HTP_ONNX_ANNOTATE_H
#define HTP_ONNX_ANNOTATE_H

#include "hierarchy/aliases.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/parameters.h"
#include "onnx/builder/builder.h"

#include <htp/htp.h>

/** On a derived initializer: its layout, and its source weights (one name, or a JSON array). */
#define HTP_LAYOUT_KEY "htp.layout"
#define HTP_PARAMETER_KEY "htp.parameter"

/** On the model: the sizes that the axes of its inputs may have, as text. */
#define HTP_SIZES_KEY "htp.sizes"

/** A key and its value, as metadata_props holds them. */
typedef struct htp_property {
    const char *key;
    const char *value;
} htp_property;

typedef struct htp_properties {
    const htp_property *items;
    size_t count;
} htp_properties;

/**
 * The annotation of one node.
 *
 * Attributes: `<prefix>source_module`, and `<prefix>hierarchy_tags` if a node serves operations of
 * several modules; the first is the source module.
 *
 * Metadata: source_module; hierarchy_tags (a JSON array), if there are several; full_tag, that of
 * the innermost running module of any class; the entries of PyTorch's exporter, see
 * onnx/metadata/torch_metadata.h; `call`, the number (from 0) of the call of the tag's module, if
 * that is called more than once ("0, 1" if a node serves several calls); `calls`, the same for all
 * running modules that are called more than once, as JSON: {"encoder.shared": [0, 1]}. layer_ann:
 * the tag.
 *
 * Doc string: a line `source_module: TAG`, and `hierarchy_tags: JSON` if there are several.
 */
typedef struct htp_node_annotation {
    const htp_attribute *attributes; /* __source_module, __hierarchy_tags */
    size_t attribute_count;
    htp_properties metadata;
    const char *doc_string; /* NULL: none */
} htp_node_annotation;

/**
 * Counts of nodes: a module's own are those for which it was the innermost running module; tagged
 * are those with its tag, none for a module without one. Each adds up to the number of nodes. A
 * total sums over the attribute tree: for an eligible module, nodes with its tag or that of a
 * descendant; for others, nodes whose innermost module is this one or a descendant. A node that
 * serves several operations counts for the first.
 */
typedef struct htp_annotations {
    const htp_node_annotation *nodes; /* by node index */
    /* By initializer: hierarchy_tags, a JSON array of the tags of owners and users in the order of
     * modules; name_scopes, the owners' paths as a Python list, if there are owners; the two above.
     */
    const htp_properties *initializers;
    htp_properties model;      /* htp.module_tree (see onnx/metadata/module_tree.h), htp.tag_rules,
                                  htp.complex_inputs, ... (see onnx/metadata/complex_border.h) */
    const uint32_t *nodes_own; /* by module, see above */
    const uint32_t *nodes_tagged;
    const uint32_t *nodes_total;
    uint32_t nodes_left_to_root; /* nodes with the root's tag that ran in modules of torch.nn */
    const htp_parameters *parameters;
    const htp_alias_list *aliases; /* by module */
} htp_annotations;

typedef struct htp_annotate_options {
    unsigned places;              /* set of htp_tag_place; 0: only count nodes */
    const char *attribute_prefix; /* "__" */
    const char *sizes;            /* value of HTP_SIZES_KEY; NULL: none */
    bool leaves_nodes;            /* the caller annotates them: see onnx/metadata/annotate_node.h */
} htp_annotate_options;

/**
 * Makes the annotations of @p model.
 * @param scope_modules  htp_hierarchy_tag_scopes() of the model's graph.
 */
htp_annotations *htp_annotate(htp_arena *arena, const htp_builder *model,
                              const htp_hierarchy *hierarchy, const uint32_t *scope_modules,
                              const htp_annotate_options *options);

#endif
