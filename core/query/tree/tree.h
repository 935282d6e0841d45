/*
 * The module tree of an ONNX model of any exporter, and the modules of its nodes.
 *
 * There are several sources; the first that any node has is used:
 * - tags: an attribute whose name ends in source_module, the metadata source_module or layer_ann,
 *   or a doc string, see onnx/metadata/annotate.h. With htp.module_tree, its records list all
 *   modules, including torch.nn's; otherwise modules come from the segments of tags;
 * - the metadata `namespace`, or pkg.torch.onnx.name_scopes with class_hierarchy, as PyTorch's
 *   exporter writes them: paths and classes, which get tags by the rules of hierarchy/hierarchy.h;
 * - a sidecar (report/sidecar/sidecar.h) beside the model;
 * - names of nodes, /encoder/layer.0/MatMul, as PyTorch's older exporter makes them: there are no
 *   classes, and a tag is the part before the operator. query/tree/tree_names.c finds the paths.
 *
 * A relative tag means nothing without the call of its function (onnx/inliner/inline.h), and is
 * ignored.
 */
#ifndef HTP_QUERY_TREE_H
#define HTP_QUERY_TREE_H

#include "onnx/reader/view.h"
#include "query/tree/made_of.h"
#include "query/tree/sidecar_file.h"

/** Where the tree was found. */
typedef enum htp_tree_source {
    HTP_TREE_NOWHERE, /* the tree has only a root */
    HTP_TREE_ATTRIBUTES,
    HTP_TREE_METADATA,
    HTP_TREE_DOC_STRINGS,
    HTP_TREE_LAYER_ANN,
    HTP_TREE_NAMESPACE,
    HTP_TREE_NAME_SCOPES,
    HTP_TREE_SIDECAR,
    HTP_TREE_NODE_NAMES,
} htp_tree_source;

/** A part of a text, without a NUL. */
typedef struct htp_slice {
    const char *at;
    size_t length;
} htp_slice;

/** Where a node was written. */
typedef struct htp_source_line {
    htp_slice file; /* as in PyTorch's stack traces; empty: unknown */
    htp_slice line; /* digits */
} htp_source_line;

/** The metadata entry of a part, which says that its records of modules count the nodes of the
 * whole. */
#define HTP_PART_KEY "htp.part"

/** The number of calls of a module is unknown. */
#define HTP_TREE_CALLS_UNKNOWN UINT32_MAX

/** A module instance. */
typedef struct htp_tree_module {
    htp_slice tag;             /* its own, or that of the nearest tagged ancestor */
    htp_slice full_tag;        /* its own; the tag if full tags are unknown */
    htp_slice path;            /* dotted attribute path; empty for the root, or if unknown */
    htp_slice class_name;      /* empty: unknown */
    htp_slice qualified_class; /* likewise */
    uint32_t parent;           /* by attributes; HTP_NONE for the root */
    uint32_t depth;            /* how many modules above it have a tag */
    bool has_tag;              /* of its own */
    bool has_path;             /* the path is known */
    uint32_t calls;
    htp_json_part record;  /* its record in htp.module_tree or a sidecar: JSON, valid as long as the
                              view and the tree; or empty */
    bool is_record;        /* there is a record, which may be stale; its counts are: */
    uint64_t recorded_own; /* nodes_own */
    uint64_t recorded_total; /* nodes_total */
    uint64_t nodes_own;      /* nodes whose first tag is this one */
    uint64_t nodes_total;    /* nodes whose first tag is this one or one below it */
    uint64_t parameters;     /* elements, in this module and those below, each tensor once */
    uint64_t bytes;          /* of these elements */
} htp_tree_module;

/** The module and tags of one node. */
typedef struct htp_tree_place {
    uint32_t innermost;  /* the module that ran, with or without a tag of its own; HTP_NONE: the
                            node has no tag */
    htp_view_range tags; /* range of `owners`: modules, first that of source_module */
} htp_tree_place;

typedef struct htp_tree {
    htp_tree_source source;
    const char *source_text;  /* for people: "attribute __source_module" */
    bool has_records;         /* htp.module_tree lists all modules */
    bool are_records_stale;   /* another program has changed the model, so nodes and weights are
                                 counted in the file */
    bool are_paths_in_tags;   /* the tags are paths, from names of nodes */
    htp_tree_module *modules; /* parents precede children; 0 is the root */
    uint32_t module_count;
    const htp_tree_place *places; /* by node of the view */
    const bool *is_shared;        /* by node: it computes a size, a position or a mask for several
                                     modules or calls, and may be copied to each */
    HTP_VECTOR(uint32_t) owners;
    htp_slice *relative; /* by node: its tag, if that is relative; NULL: none is */
    uint64_t nodes;
    uint64_t untagged;              /* nodes without a tag */
    const htp_made_of *made_of;     /* by tensor, from the sidecar; NULL: no sidecar */
    const htp_source_line *sources; /* by node, from the sidecar; NULL: no sidecar */
    struct cJSON **held;            /* the parsed record; or NULL. See htp_tree_hold_record() */
    htp_sidecar_file sidecar;       /* found beside the model; or all zeroes */
} htp_tree;

/**
 * Finds the tree of a view in its arena. Linear in the file.
 * @param tree  to be closed in any case, also after the arena ran out of memory.
 * @return HTP_CODE_BAD_INPUT for tags that are not UTF-8, and records or sidecars that are
 *         malformed.
 */
HTP_MUST_USE htp_status htp_tree_find(htp_view *view, htp_tree *tree);

/** The parameters that an initializer is made of, by the sidecar or the file. */
htp_made_of htp_tree_made_of(const htp_tree *tree, const htp_view *view, uint32_t tensor);

/** As htp_tree_find(), with an opened sidecar instead of the one beside the model. */
HTP_MUST_USE htp_status htp_tree_find_with(htp_view *view, htp_tree *tree,
                                           htp_sidecar_file *sidecar);

/** The tree of a sidecar alone, whatever tags the view has. If it describes another model,
 * tree->source stays HTP_TREE_NOWHERE. */
HTP_MUST_USE htp_status htp_tree_find_sidecar(htp_view *view, htp_tree *tree,
                                              htp_sidecar_file *sidecar);

/** The record of a module, or NULL. The tree owns it until the next call, or until it is closed.
 * Without memory, jumps to the recovery point of @p arena. */
const struct cJSON *htp_tree_hold_record(htp_arena *arena, const htp_tree *tree, uint32_t module);

/** Frees memory outside of the arena; all zeroes are accepted. */
void htp_tree_close(htp_tree *tree);

/** The number of elements of a tensor. */
uint64_t htp_tree_elements(const htp_view *view, const htp_view_tensor *tensor);

/** Whether an initializer counts as parameters. Integers do not, since they are nearly always sizes
 * and axes. */
bool htp_tree_is_weight(const htp_view_tensor *tensor);

/** Whether two slices are equal. */
bool htp_slice_equals(htp_slice a, htp_slice b);

/** The slice of a whole string. */
htp_slice htp_slice_of(const char *text);

/** The name of a module: its own tag, else its full tag. */
static inline htp_slice htp_tree_address(const htp_tree_module *module)
{
    return module->has_tag ? module->tag : module->full_tag;
}

/** Modules in depth-first order: a module has the number before[M], and those below it have
 * numbers up to behind[M]. */
typedef struct htp_tree_order {
    uint32_t *before, *behind; /* by module */
} htp_tree_order;

/** Numbers the modules. Linear. */
htp_tree_order htp_tree_order_find(htp_arena *arena, const htp_tree *tree);

/** Whether module @p inner is @p outer, or lies in it. */
static inline bool htp_tree_order_contains(const htp_tree_order *order, uint32_t outer,
                                           uint32_t inner)
{
    return order->before[outer] <= order->before[inner] &&
           order->before[inner] < order->behind[outer];
}

/** The last segment of a tag, with its slash: "/BertLayer.0". */
htp_slice htp_tree_segment(const htp_tree_module *module);

#endif
