/*
 * The ONNX model under construction: nodes, initializers, inputs and outputs, in an arena.
 *
 * Every node has an origin: the scope and source line of the operation that it was made for. The
 * origin is set before a lowering runs, so no node can be without one.
 *
 * Reference: ONNX IR specification; https://onnx.ai/onnx/repo-docs/IR.html
 */
#ifndef HTP_ONNX_BUILDER_H
#define HTP_ONNX_BUILDER_H

#include "base/arena.h"
#include "base/limits/limits.h"
#include "base/map.h"
#include "base/vector.h"
#include "graph/graph.h"

/** The producer_name of models. */
#define HTP_ONNX_PRODUCER "htp-trace"

/** A tensor of the ONNX graph; HTP_NONE stands for an omitted optional input. */
typedef uint32_t htp_tensor_id;

/** ONNX TensorProto.DataType of a dtype; 0 (UNDEFINED) if ONNX has none. */
int32_t htp_onnx_data_type(htp_dtype dtype);

/** The dtype of a TensorProto.DataType. @return false if there is none */
bool htp_dtype_of_onnx(int64_t data_type, htp_dtype *dtype);

/** An attribute of a node. Made with the htp_attribute_...() functions below. */
typedef enum htp_attribute_kind {
    HTP_ATTRIBUTE_INT,
    HTP_ATTRIBUTE_FLOAT,
    HTP_ATTRIBUTE_STRING,
    HTP_ATTRIBUTE_INTS,
    HTP_ATTRIBUTE_FLOATS,
    HTP_ATTRIBUTE_STRINGS,
    HTP_ATTRIBUTE_GRAPH,  /* i: a graph of the model */
    HTP_ATTRIBUTE_TENSOR, /* i: of the model's constants_within */
} htp_attribute_kind;

typedef struct htp_attribute {
    const char *name; /* literals or arena strings */
    htp_attribute_kind kind;
    float f;
    int64_t i;
    const char *s;
    const int64_t *ints;
    const float *floats;
    const char *const *strings;
    size_t count; /* of ints, floats, strings */
} htp_attribute;

static inline htp_attribute htp_attribute_int(const char *name, int64_t value)
{
    return (htp_attribute){.name = name, .kind = HTP_ATTRIBUTE_INT, .i = value};
}
static inline htp_attribute htp_attribute_float(const char *name, double value)
{
    return (htp_attribute){.name = name, .kind = HTP_ATTRIBUTE_FLOAT, .f = (float)value};
}
static inline htp_attribute htp_attribute_string(const char *name, const char *value)
{
    return (htp_attribute){.name = name, .kind = HTP_ATTRIBUTE_STRING, .s = value};
}
static inline htp_attribute htp_attribute_ints(const char *name, const int64_t *values, size_t n)
{
    return (htp_attribute){.name = name, .kind = HTP_ATTRIBUTE_INTS, .ints = values, .count = n};
}
static inline htp_attribute htp_attribute_floats(const char *name, const float *values, size_t n)
{
    return (htp_attribute){
        .name = name, .kind = HTP_ATTRIBUTE_FLOATS, .floats = values, .count = n};
}
static inline htp_attribute htp_attribute_strings(const char *name, const char *const *values,
                                                  size_t n)
{
    return (htp_attribute){
        .name = name, .kind = HTP_ATTRIBUTE_STRINGS, .strings = values, .count = n};
}

static inline htp_attribute htp_attribute_tensor(const char *name, size_t constant)
{
    return (htp_attribute){.name = name, .kind = HTP_ATTRIBUTE_TENSOR, .i = (int64_t)constant};
}

static inline htp_attribute htp_attribute_graph(const char *name, uint32_t graph)
{
    return (htp_attribute){.name = name, .kind = HTP_ATTRIBUTE_GRAPH, .i = graph};
}

/** Where a node comes from. */
typedef struct htp_origin {
    uint32_t scope;   /* of the graph */
    htp_node_id node; /* the aten-level node, or HTP_NONE (inputs, outputs: scope 0) */
} htp_origin;

/** The kind of producer of a tensor. */
typedef enum htp_tensor_source {
    HTP_TENSOR_FROM_INPUT,
    HTP_TENSOR_FROM_INITIALIZER,
    HTP_TENSOR_FROM_NODE,
    HTP_TENSOR_FROM_GRAPH, /* input of a nested graph */
} htp_tensor_source;

typedef struct htp_tensor {
    const char *name; /* unique */
    htp_tensor_source source;
    uint32_t index;   /* index of the input, initializer, node or nested graph */
    bool is_output;   /* of the graph */
    bool has_type;    /* dtype and dims are known */
    bool is_sequence; /* any number of tensors of this type */
    bool is_complex;  /* input or output of the model: parts of complex numbers in the last dim */
    htp_dtype dtype;
    uint32_t rank;
    const htp_dim *dims;
    uint32_t uses; /* inputs of nodes that read it, so far */
} htp_tensor;

typedef struct htp_onnx_node {
    const char *op_type;
    const char *domain; /* "" for ai.onnx */
    const char *name;   /* unique: /encoder/layer.0/attention/self/query/MatMul */
    const htp_tensor_id *inputs;
    uint32_t input_count;
    const htp_tensor_id *outputs;
    uint32_t output_count;
    const htp_attribute *attributes;
    uint32_t attribute_count;
    uint32_t graph; /* the graph around it; 0 is the main graph */
    htp_origin origin;
    HTP_VECTOR(uint32_t) more_scopes; /* further scopes that a shared node serves */
} htp_onnx_node;

/** A set of operators besides ONNX's own that the model imports. */
typedef struct htp_domain {
    const char *name;
    int64_t version;
} htp_domain;

/** A strided box of a weight's elements, in row-major order. */
typedef struct htp_box {
    uint32_t weight; /* of the trace */
    int64_t offset;  /* of its first element in the weight; in elements, as are strides */
    uint32_t rank;
    const int64_t *dims;
    const int64_t *strides; /* never negative; 0 repeats */
} htp_box;

/** Makes elements @p first to @p first + @p count of an initializer from as many source elements.
 * Called in order, for a few thousand at a time. */
typedef void (*htp_convert_fn)(const void *with, uint64_t first, size_t count, const void *from,
                               void *to);

/** How an initializer is derived from weights. */
typedef struct htp_derivation {
    const htp_box *boxes; /* concatenated they are the initializer; none: it has data */
    uint32_t box_count;
    htp_dtype dtype; /* of the boxes' elements: the weights', or that of complex weights' parts */
    htp_convert_fn convert;  /* converts elements to the tensor's dtype; NULL: they are copied */
    const void *with;        /* passed to convert */
    const uint32_t *weights; /* the trace's weights from which the contents come, each once */
    uint32_t weight_count;   /* at least 1 */
    const char *layout;      /* the tag htp.layout; NULL for computed ones */
} htp_derivation;

/** Contents of a tensor: a weight as stored, one derived from weights, or a constant. */
typedef struct htp_initializer {
    htp_tensor_id tensor;
    uint32_t weight;                  /* of the trace; HTP_NONE for derived ones and constants */
    const htp_derivation *derivation; /* or NULL */
    const void *data;                 /* contiguous; NULL for weights, and for boxes of them */
    uint64_t bytes;                   /* of the data */
    const int64_t *dims;              /* NULL: those of the tensor */
} htp_initializer;

/** Whether it depends on no weight. */
static inline bool htp_initializer_is_constant(const htp_initializer *initializer)
{
    return initializer->weight == HTP_NONE && !initializer->derivation;
}

/** A state: an input that each call takes from an output of the previous one. */
typedef struct htp_builder_state {
    const char *attribute; /* "encoder.h": the attribute that holds it */
    htp_tensor_id input;
    htp_tensor_id output;
    htp_initializer first; /* the initial value; its tensor is the input */
    uint32_t rank;         /* of the output; may differ from those of the input */
    const int64_t *dims;
    const char *number; /* the value of all its elements: "0", "-inf", "true"; NULL: they differ */
} htp_builder_state;

/** A tensor passed to a module call as an argument, or as a part of one. */
typedef struct htp_passed_tensor {
    uint32_t scope;   /* of the graph: the call */
    const char *name; /* as in htp_trace_passed */
    htp_tensor_id tensor;
} htp_passed_tensor;

/** A tensor that holds a value of the graph. */
typedef struct htp_recorded_tensor {
    htp_value_id value;
    htp_tensor_id tensor;
} htp_recorded_tensor;

/** A branch of an If, or the body of a Loop: attribute of one node of another graph. Or the body of
 * a function. */
typedef struct htp_nested_graph {
    HTP_VECTOR(htp_tensor_id) inputs;
    HTP_VECTOR(htp_tensor_id) outputs;
    uint32_t function; /* the function that it is or lies in, plus one; 0: none */
    bool has_trips;    /* it is a Loop's body, and its rule knows how often it runs: */
    htp_dim trips;     /* set by type inference */
} htp_nested_graph;

/** An ONNX function, which stands for calls of modules. */
typedef struct htp_builder_function {
    const char *domain;
    const char *name;
    uint32_t graph;         /* its body */
    uint32_t scope;         /* the first of these calls */
    bool is_shared;         /* several modules use it: its tags are relative */
    bool is_chain_relative; /* its calls have different chains of modules, so its own is relative */
    HTP_VECTOR(htp_domain) domains; /* imported domains besides ai.onnx */
} htp_builder_function;

/** A constant of a function, which has no initializers. */
typedef struct htp_constant {
    htp_dtype dtype;
    uint32_t rank;
    const htp_dim *dims;
    const void *data; /* contiguous */
    uint64_t bytes;
} htp_constant;

/** A node of the graph that cannot be lowered. */
typedef struct htp_refused {
    htp_node_id node;
    const char *reason;
    bool is_unknown; /* its operator has no lowering at all */
} htp_refused;

typedef struct htp_builder {
    htp_arena *arena;
    const htp_graph *graph;
    const htp_limits *limits; /* NULL: all defaults */
    int opset;
    int ir_version;                  /* 0: the lowest possible; see onnx/builder/ir_version.h */
    int needed_opset;                /* a later opset that a lowering needs, or 0 */
    const char *needed_by;           /* the operator that needs it: "aten::grid_sampler_3d" */
    HTP_VECTOR(htp_refused) refused; /* reasons why a lowering failed, in order */
    htp_origin origin;               /* of the nodes that are added next */
    uint32_t current_graph;          /* the graph around it */
    const char *const *scope_names;  /* by scope: the prefix of its nodes' names */
    HTP_VECTOR(htp_tensor) tensors;
    HTP_VECTOR(htp_onnx_node) nodes;
    HTP_VECTOR(htp_nested_graph) graphs;        /* of nodes and functions; graph N is at N - 1 */
    HTP_VECTOR(htp_builder_function) functions; /* callees precede callers */
    HTP_VECTOR(htp_constant) constants_within;  /* of functions */
    HTP_VECTOR(htp_initializer) initializers;
    uint64_t constant_bytes; /* of those whose contents are in memory, beside folded weights */
    HTP_VECTOR(htp_tensor_id) inputs;
    HTP_VECTOR(htp_tensor_id) outputs;
    HTP_VECTOR(htp_domain) domains;
    /* Arguments of scopes, in the order of scopes and parameters; forms of one argument are
     * consecutive: a number may be 0-d and [1], a complex tensor one of pairs and two of parts. No
     * initializers. The tensor may be of any graph and another scope. Used only for functions. */
    HTP_VECTOR(htp_passed_tensor) passed;
    /* Inputs and results of recorded operators, outside of bodies. Only where they were asked for:
     * htp_lower_means.records */
    HTP_VECTOR(htp_recorded_tensor) recorded;
    HTP_VECTOR(htp_builder_state)
    states;            /* last of inputs and outputs, in their order; see
                          lower/driver/initial_state.h */
    htp_map names;     /* node and tensor names that are taken */
    htp_map weights;   /* storage, geometry -> initializer */
    htp_map constants; /* dtype, dims, bytes -> initializer */
} htp_builder;

/** An empty model for @p graph. */
htp_builder *htp_builder_new(htp_arena *arena, const htp_graph *graph, int opset);

/** Adds a graph input. The name is made unique, otherwise kept. Dims are copied, here and below. */
htp_tensor_id htp_builder_add_input(htp_builder *model, const char *name, htp_dtype dtype,
                                    uint32_t rank, const htp_dim *dims);

/** Marks a tensor as the next graph output under @p name, made unique. If the tensor is an input,
 * an initializer or an output already, an Identity node (of the root's scope) is added; otherwise
 * the tensor is renamed. */
void htp_builder_add_output(htp_builder *model, htp_tensor_id tensor, const char *name);

/** A nested graph without inputs and outputs. @return its number, from 1 on. Its nodes are added
 * while it is model->current_graph, all before the node whose attribute it is. */
uint32_t htp_builder_add_graph(htp_builder *model);

/** Adds an input to a nested graph; its name is made unique in the whole model. */
htp_tensor_id htp_builder_add_graph_input(htp_builder *model, uint32_t graph, const char *name,
                                          htp_dtype dtype, uint32_t rank, const htp_dim *dims);

/** Makes a tensor the next output of the current nested graph; through an Identity if it is made
 * elsewhere, or is an output already. The tensor has a type. */
void htp_builder_add_graph_output(htp_builder *model, htp_tensor_id tensor);

/** The graph that a tensor is made in; 0 for initializers. */
uint32_t htp_builder_graph_of(const htp_builder *model, htp_tensor_id tensor);

/** The initializer of a weight of the trace, created on first use. Weights of the same storage and
 * geometry (tied weights) share one. Its name is the weight's dotted name. A complex weight gets a
 * last dim of pairs. */
htp_tensor_id htp_builder_weight(htp_builder *model, uint32_t weight);

/**
 * An initializer derived from weights, under @p name, made unique; duplicates are not detected. @p
 * derivation must live as long as the model.
 * @param data  contiguous; NULL if the derivation has boxes. Must live as long as the model
 */
htp_tensor_id htp_builder_derived(htp_builder *model, const char *name, htp_dtype dtype,
                                  uint32_t rank, const int64_t *dims,
                                  const htp_derivation *derivation, const void *data);

/** Makes all nodes read @p instead[t] in place of tensor t, unless that is HTP_NONE. Outputs of
 * graphs stay. @p instead has all tensors. */
void htp_builder_replace(htp_builder *model, const htp_tensor_id *instead);

/** Replaces tensors passed to calls, and recorded ones: tensor t by @p instead[t], unless that is
 * HTP_NONE; drops initializers, which model->passed and model->recorded never have. */
void htp_builder_replace_passed(htp_builder *model, const htp_tensor_id *instead);

/** An initializer with embedded contents, shared between equal constants.
 * @param data  contiguous; copied into the arena. */
htp_tensor_id htp_builder_constant(htp_builder *model, htp_dtype dtype, uint32_t rank,
                                   const int64_t *dims, const void *data);

/**
 * Adds a node with the model's current origin. @p outputs receives @p output_count new tensors
 * without a type. Inputs and attribute values are copied; attribute names and @p op_type are
 * literals or arena strings.
 */
void htp_builder_add_node(htp_builder *model, const char *op_type, const htp_tensor_id *inputs,
                          size_t input_count, const htp_attribute *attributes,
                          size_t attribute_count, htp_tensor_id *outputs, size_t output_count);

/** As htp_builder_add_node(), for an operator of another domain, which the model then imports. The
 * first requested version counts. */
void htp_builder_add_foreign_node(htp_builder *model, htp_domain domain, const char *op_type,
                                  const htp_tensor_id *inputs, size_t input_count,
                                  const htp_attribute *attributes, size_t attribute_count,
                                  htp_tensor_id *outputs, size_t output_count);

/** Swaps the producers of tensors @p a and @p b, which are first outputs of nodes: readers of @p a
 * then get the value of @p b. Tensors keep their names. */
void htp_builder_swap_producers(htp_builder *model, htp_tensor_id a, htp_tensor_id b);

/** The attribute of a node, or NULL. */
const htp_attribute *htp_builder_attribute(const htp_onnx_node *node, const char *name);

/** Whether a node has bodies: graphs among its attributes. */
bool htp_builder_has_body(const htp_onnx_node *node);

/** Sets dtype and dims of a tensor (written as value_info). */
void htp_builder_set_type(htp_builder *model, htp_tensor_id tensor, htp_dtype dtype, uint32_t rank,
                          const htp_dim *dims);

/** Makes a tensor that has a type a sequence of tensors of it. A dim whose symbol is "" differs
 * between these. */
void htp_builder_set_sequence(htp_builder *model, htp_tensor_id tensor);

/** Marks the tensors and nodes that outputs depend on; both arrays are false before. */
void htp_builder_mark_used(const htp_builder *model, bool *tensors, bool *nodes);

/** Removes nodes and initializers that no output depends on, and renames the rest (see
 * htp_name_model() in onnx/builder/names.h). The nodes of each call become consecutive (see
 * onnx/builder/order_nodes.h). Tensor and node ids change: call it once, after lowering. Unused
 * graph inputs stay; unused arguments of calls do not. */
void htp_builder_remove_unused(htp_builder *model);

/* ---- storages ---- */

/** Which bytes of the weights' storages initializers read. */
typedef struct htp_storage_reads {
    const htp_builder *model;
    htp_map places;            /* storage -> index in `left` */
    HTP_VECTOR(uint64_t) left; /* by storage: bytes that no initializer has read yet */
} htp_storage_reads;

/** Bytes of an initializer. */
typedef struct htp_read_bytes {
    uint64_t fresh;    /* that no earlier one has read, or that are in memory */
    uint64_t repeated; /* that an earlier one has read, or it itself */
} htp_read_bytes;

/** Counts the bytes of an initializer, whose sizes are checked: their product fits. */
htp_read_bytes htp_storage_reads_add(htp_storage_reads *reads, const htp_initializer *initializer);

#endif
