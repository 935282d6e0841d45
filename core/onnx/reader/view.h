/*
 * A view of an ONNX file: an index of its structure, without weights. The file is mapped; messages,
 * weights and texts stay there as spans. Only names, each once, and numbers are copied.
 *
 * It does not duplicate the builder (onnx/builder/builder.h). A builder is a model before it is
 * written: it has aten nodes, formulas of dims and positions of weights in an archive, which no
 * file has, and only what this program writes. A view shows any file, of any exporter. A builder
 * becomes a file, and queries use a view of that, so the two are never converted. A view is
 * immutable: a changed model is the view's spans and a list of edits (onnx/rewriter/rewrite.h), so
 * everything else keeps its bytes, unknown fields included.
 *
 * A file with functions has a second view, of its flat model (onnx/inliner/inline.h), whose spans
 * are in the file or in memory.
 *
 * Graphs, nodes, values and so on are numbered through the whole file. Graph 0 is the model's own;
 * the nodes of one graph have consecutive numbers in the order of the file, and an inner graph has
 * a larger number than the outer one. Functions are outermost graphs.
 *
 * Everything lives in the view's arena and is valid until htp_view_close().
 *
 * Reference: onnx.proto; https://onnx.ai/onnx/repo-docs/IR.html
 */
#ifndef HTP_ONNX_VIEW_H
#define HTP_ONNX_VIEW_H

#include "base/arena.h"
#include "base/input_file.h"
#include "base/limits/limits.h"
#include "base/map.h"
#include "base/vector.h"
#include "onnx/proto/wire.h"

#include <htp/types.h>

/** Slots of recently used names, which are found without the map: most names recur nearby, or
 * everywhere. */
#define HTP_VIEW_RECENT 2048

/** The deepest nesting of bodies. protobuf's own readers stop at 100 nested messages, a third of
 * this. */
#define HTP_VIEW_DEEPEST 100

/** A name: its number in the view; 0 is "". */
typedef uint32_t htp_view_name;

/** Some consecutive items of one of the view's lists. */
typedef struct htp_view_range {
    uint32_t first;
    uint32_t count;
} htp_view_range;

/** An entry of metadata_props. */
typedef struct htp_view_property {
    htp_span whole;
    htp_view_name key;
    htp_span value; /* `at` is never NULL */
} htp_view_property;

/** Where a value comes from. */
typedef enum htp_view_maker {
    HTP_VIEW_BY_INPUT,       /* of the graph; perhaps with an initializer as its default */
    HTP_VIEW_BY_INITIALIZER, /* of the graph */
    HTP_VIEW_BY_NODE,
    HTP_VIEW_BY_NOBODY, /* it is read, but nothing makes it */
} htp_view_maker;

/** A tensor, or another value between nodes. */
typedef struct htp_view_value {
    uint32_t graph; /* the graph in which it is made */
    htp_view_name name;
    htp_view_maker maker;
    uint32_t node;        /* the node that makes it, or HTP_NONE */
    uint32_t initializer; /* among the tensors, or HTP_NONE */
    htp_span info;        /* its ValueInfoProto (of an input, output or value_info), or empty */
} htp_view_value;

/** The kinds of attributes: AttributeProto.AttributeType. */
typedef enum htp_view_kind {
    HTP_VIEW_UNDEFINED = 0,
    HTP_VIEW_FLOAT = 1,
    HTP_VIEW_INT = 2,
    HTP_VIEW_STRING = 3,
    HTP_VIEW_TENSOR = 4,
    HTP_VIEW_GRAPH = 5,
    HTP_VIEW_FLOATS = 6,
    HTP_VIEW_INTS = 7,
    HTP_VIEW_STRINGS = 8,
    HTP_VIEW_TENSORS = 9,
    HTP_VIEW_GRAPHS = 10,
    HTP_VIEW_SPARSE = 11,
    HTP_VIEW_SPARSES = 12,
    HTP_VIEW_TYPE = 13,
    HTP_VIEW_TYPES = 14,
} htp_view_kind;

typedef struct htp_view_attribute {
    htp_span whole; /* lists are read from here */
    htp_view_name name;
    htp_view_name reference; /* the function's attribute to which it refers; or 0 */
    uint32_t kind;           /* a htp_view_kind, or one that came later */
    int64_t i;
    float f;
    htp_span s;             /* of a STRING */
    htp_view_range graphs;  /* of GRAPH and GRAPHS */
    htp_view_range tensors; /* of TENSOR and TENSORS; a sparse one has its values and indices */
} htp_view_attribute;

typedef struct htp_view_node {
    htp_span whole;
    uint32_t graph;
    htp_view_name name, op_type, domain, overload;
    htp_view_range inputs;  /* of `operands`: values; HTP_NONE if omitted */
    htp_view_range outputs; /* the same */
    htp_view_range attributes;
    htp_view_range properties;
    htp_span doc_string;
} htp_view_node;

typedef struct htp_view_tensor {
    htp_span whole;
    htp_view_name name;
    uint32_t graph;     /* graph of the initializer, or of the node with the attribute */
    uint32_t attribute; /* the attribute that has it, or HTP_NONE */
    htp_span sparse;    /* the sparse tensor to which it belongs; or empty */
    int32_t data_type;  /* TensorProto.DataType */
    htp_view_range dims;
    uint64_t bytes; /* of its data, wherever stored; for strings, with their field prefixes */
    htp_span data;  /* in the file: raw, or typed and packed; empty where `location` is not 0 */
    uint32_t data_field;    /* its field number in TensorProto; 0: none, or split */
    htp_view_name location; /* external data: a path below the model's folder */
    uint64_t offset;        /* in that file */
    htp_view_range properties;
    htp_span fields; /* name and metadata that replace those in `whole`; or empty */
} htp_view_tensor;

/** A graph, the body of a node, or a function. */
typedef struct htp_view_graph {
    htp_span whole;
    htp_view_name name;
    uint32_t parent;    /* the enclosing graph, or HTP_NONE */
    uint32_t attribute; /* the attribute that has it, or HTP_NONE */
    uint32_t node;      /* the node with this attribute, or HTP_NONE */
    uint32_t depth;     /* 0: no body */
    uint32_t function;  /* HTP_NONE: not a function's */
    htp_view_range nodes;
    htp_view_range inputs; /* of `operands`, as those of nodes; here and below */
    htp_view_range outputs;
    htp_view_range initializers; /* of `tensors`: two for a sparse one, the first has its name */
    htp_view_range infos;        /* of inputs, outputs, and values in between */
    htp_view_range properties;
} htp_view_graph;

/** A function: an operator that the model defines by nodes. */
typedef struct htp_view_function {
    htp_view_name domain, name, overload;
    uint32_t graph; /* its nodes, inputs and outputs */
    htp_view_range properties;
} htp_view_function;

typedef struct htp_view_import {
    htp_span whole;
    htp_view_name domain; /* "" is ai.onnx */
    int64_t version;
} htp_view_import;

/** A ValueInfoProto. */
typedef struct htp_view_info {
    htp_span whole;
    htp_view_name name;
} htp_view_info;

/** A flaw in the structure of a readable model. */
typedef enum htp_view_flaw_kind {
    HTP_VIEW_NAME_TWICE, /* two values of one graph have the name */
    HTP_VIEW_NOT_MADE,   /* nothing makes a value that is read */
    HTP_VIEW_MADE_LATER, /* a value is read before it is made: a cycle, or a wrong order */
} htp_view_flaw_kind;

typedef struct htp_view_flaw {
    htp_view_flaw_kind kind;
    uint32_t graph;
    uint32_t node; /* the node that makes the value again, or reads it; HTP_NONE: the graph */
    uint32_t value;
} htp_view_flaw;

/** A file beside the model with data of its tensors. */
typedef struct htp_view_data_file {
    htp_view_name location;
    const char *path;
    htp_input_file facts; /* of the file when the model was opened; it was closed since */
} htp_view_data_file;

typedef HTP_VECTOR(htp_span) htp_view_spans;

/** An initializer of the flat model: the file's, or a tensor of a function's attribute. */
typedef struct htp_view_lifted {
    htp_span whole;
    htp_span fields; /* for the latter: its name, then its metadata */
} htp_view_lifted;

/** Fields that a flat view (onnx/inliner/inline.h) reads instead of the file's; they are in the
 * file or in the arena. */
typedef struct htp_view_flat {
    htp_view_spans nodes;   /* of graph 0, in order; each holds one node or more */
    size_t node_count;      /* of these, including those in their bodies */
    htp_view_spans infos;   /* of graph 0, after those of the file */
    htp_view_spans imports; /* of the model */
    HTP_VECTOR(htp_view_lifted) initializers; /* of graph 0, except sparse ones */
    const bool *is_left_out;                  /* by function of the file */
} htp_view_flat;

typedef struct htp_view {
    htp_arena *arena;
    const char *path;
    const htp_limits *limits; /* NULL: all defaults */
    uint64_t name_bytes;      /* of all names */
    htp_input_file file;
    htp_span bytes; /* the whole file, mapped */
    int64_t ir_version;
    int64_t model_version;
    htp_view_name producer_name, producer_version, domain;
    htp_view_range properties; /* of the model */
    HTP_VECTOR(const char *) names;
    HTP_VECTOR(htp_view_import) imports;
    HTP_VECTOR(htp_view_graph) graphs;
    HTP_VECTOR(htp_view_node) nodes;
    HTP_VECTOR(htp_view_value) values;
    HTP_VECTOR(htp_view_attribute) attributes;
    HTP_VECTOR(htp_view_tensor) tensors;
    HTP_VECTOR(htp_view_function) functions;
    HTP_VECTOR(htp_view_property) property_list;
    HTP_VECTOR(htp_view_info) infos;
    HTP_VECTOR(uint32_t) operands;
    HTP_VECTOR(int64_t) dims;
    HTP_VECTOR(htp_view_flaw) flaws; /* in the order of the file */
    HTP_VECTOR(htp_view_data_file) data_files;
    htp_map name_numbers;
    htp_view_name recent[HTP_VIEW_RECENT];
    const htp_view_flat *flat; /* NULL: a view of the file itself */
    htp_map data_numbers;      /* by location */
    const char *data_location; /* location that data_path replaces; or NULL */
    const char *data_path;
} htp_view;

/** Whether a file with this beginning may be an ONNX model rather than an archive. */
bool htp_view_is_onnx(const unsigned char *begin, size_t bytes);

/**
 * Opens @p path and reads its structure, in time and memory linear in the structure.
 * @param view  in the caller's frame that frees the arena; to be closed in any case, even after the
 * arena ran out of memory.
 * @param limits  must outlive the view; NULL: all defaults
 * @return HTP_CODE_UNSUPPORTED beyond a limit; HTP_CODE_BAD_INPUT for a file that cannot be opened,
 * is damaged or no ONNX model, for names that are not UTF-8, and for external data that are
 * missing, short, or outside of the model's folder. Flaws of the graph are no failure: see
 * htp_view_check().
 */
HTP_MUST_USE htp_status htp_view_open(htp_view *view, htp_arena *arena, const char *path,
                                      const htp_limits *limits);

/** As htp_view_open(); the data file that the model calls @p location is read from @p data_path,
 * which may be anywhere. */
HTP_MUST_USE htp_status htp_view_open_with_data(htp_view *view, htp_arena *arena, const char *path,
                                                const htp_limits *limits, const char *location,
                                                const char *data_path);

/** Reads @p file once more, as a flat model. @p file must stay open as long as the view. See
 * onnx/inliner/inline.h. */
HTP_MUST_USE htp_status htp_view_read_flat(htp_view *view, const htp_view *file,
                                           const htp_view_flat *flat);

/** The first flaw as a status, HTP_CODE_BAD_INPUT. */
HTP_MUST_USE htp_status htp_view_check(const htp_view *view);

/** A flaw as text, in the view's arena. */
const char *htp_view_flaw_text(const htp_view *view, const htp_view_flaw *flaw);

/** Unmaps and closes the file. */
void htp_view_close(htp_view *view);

/** A name's text. */
static inline const char *htp_view_text(const htp_view *view, htp_view_name name)
{
    return view->names.items[name];
}

/** The canonical name of a domain: "ai.onnx" becomes "", ONNX's own operators. */
htp_view_name htp_view_domain(const htp_view *view, htp_view_name domain);

/** Whether a domain is that of ONNX's own operators. */
static inline bool htp_view_is_own_domain(const htp_view *view, htp_view_name domain)
{
    return htp_view_domain(view, domain) == 0;
}

/** Whether an attribute of the node holds a graph. */
static inline bool htp_view_has_body(const htp_view *view, const htp_view_node *node)
{
    for (uint32_t a = 0; a < node->attributes.count; a++) {
        if (view->attributes.items[node->attributes.first + a].graphs.count > 0) {
            return true;
        }
    }
    return false;
}

/** The number of a name; 0 if the view does not have it. */
htp_view_name htp_view_find_name(const htp_view *view, const char *text);

/** By node of the view: the node of a graph that it is, or whose body it lies in; HTP_NONE. */
uint32_t *htp_view_tops(htp_arena *arena, const htp_view *view, uint32_t graph);

/** A node's name in messages: its name, or its op type and outputs. */
const char *htp_view_call_node(const htp_view *view, uint32_t node);

/** "d::F", with the overload where there is one: of an operator or a function. In @p arena. */
const char *htp_view_call_operator(htp_arena *arena, const htp_view *view, htp_view_name domain,
                                   htp_view_name op_type, htp_view_name overload);

/** The last property with this key, which counts in protobuf's maps; or NULL. */
const htp_view_property *htp_view_find_property(const htp_view *view, htp_view_range properties,
                                                htp_view_name key);

/** The attribute of a node, or NULL. */
const htp_view_attribute *htp_view_find_attribute(const htp_view *view, uint32_t node,
                                                  htp_view_name name);

/** The strings of an attribute of kind STRINGS, as spans in @p arena. @return their number */
size_t htp_view_attribute_strings(const htp_view_attribute *attribute, htp_arena *arena,
                                  const htp_span **strings);

#endif
