/*
 * The context of lowering functions: the node's arguments by schema name, and emitters of ONNX
 * nodes. Private to core/lower.
 *
 * A lowering is `static void lower_x(htp_lowering *l)`: it fetches arguments, emits nodes and binds
 * each output of the aten node. A fetch or emit that cannot be done calls htp_lower_fail(); from
 * then on every call is harmless and the node is reported as unsupported, so lowerings have no
 * error branches of their own.
 *
 *     static void lower_softmax(htp_lowering *l)
 *     {
 *         htp_tensor_id x = htp_arg_tensor(l, "self");
 *         int64_t axis = htp_arg_dim(l, "dim", htp_arg_rank(l, "self"));
 *         x = htp_emit_cast(l, x, htp_arg_dtype(l, "self"), htp_output_dtype(l, 0));
 *         x = htp_emit(l, "Softmax", HTP_IN(x), HTP_AT(htp_attribute_int("axis", axis)));
 *         htp_bind(l, 0, x);
 *     }
 */
#ifndef HTP_LOWER_LOWERING_H
#define HTP_LOWER_LOWERING_H

#include "base/dtype.h"
#include "lower/emit/means.h"
#include "onnx/builder/builder.h"

typedef struct htp_lowering htp_lowering;
typedef void (*htp_lower_fn)(htp_lowering *l);

/** A row of the operator table. */
typedef struct htp_operator {
    const char *kind; /* "aten::add.Tensor" */
    htp_lower_fn lower;
    const char *op; /* parameter of shared functions: an ONNX operator's name; or NULL */
} htp_operator;

/** The part of complex values that a lowering of real numbers sees: see lower/compose/complex.h. */
typedef enum htp_part { HTP_PART_NONE, HTP_PART_REAL, HTP_PART_IMAGINARY } htp_part;

/** The ONNX tensors of a value. Numbers and complex values have two forms; a missing one is made on
 * first use. */
typedef struct htp_binding {
    htp_tensor_id tensor;   /* a tensor; a scalar as 0-d; a list of ints as 1-d; pairs [..., 2] */
    htp_tensor_id vector;   /* a scalar as [1] */
    htp_tensor_id parts[2]; /* the real and the imaginary part of a complex value */
} htp_binding;

#define HTP_UNBOUND ((htp_binding){HTP_NONE, HTP_NONE, {HTP_NONE, HTP_NONE}})

struct htp_custom_operator;

struct htp_lowering {
    htp_builder *model;
    const htp_lower_means *means;
    const htp_graph *graph;
    htp_arena *arena;
    const htp_operator *row;
    const htp_operator *real_row;             /* the operator's row for real numbers; NULL: none */
    const struct htp_custom_operator *custom; /* the caller's mapping of the node; NULL: none */
    const htp_trace_node *node;
    htp_node_id node_id;
    htp_binding *bindings; /* by value */
    uint32_t *graphs;      /* the model's graphs, by block */
    htp_part part;         /* the part of complex values that real lowerings see */
    bool shows_conjugates; /* some view shows complex numbers conjugated */
    const char *failure;   /* NULL while lowering succeeds */
    uint64_t precomputed;  /* bytes of all tensors that were computed of weights alone */
    bool is_incomplete;    /* a node was skipped because one that it depends on failed */
};

/* ---- failing ---- */

/** Records why the node cannot be lowered; the first reason is kept. */
void htp_lower_fail(htp_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Fails for an operator in training mode; the message names the remedy. */
void htp_lower_fail_training(htp_lowering *l);

/** Whether the model has at least @p opset; otherwise the node fails because @p what needs it, and
 * the builder records the opset. */
bool htp_lower_needs_opset(htp_lowering *l, int opset, const char *what);

/* ---- arguments by schema name ---- */

/** The value of an argument; HTP_NONE if the schema has none, or it is None. */
htp_value_id htp_arg_value(htp_lowering *l, const char *name);

/** Whether the argument is present and not None. */
bool htp_arg_present(htp_lowering *l, const char *name);

/** A tensor argument as an ONNX tensor (the initializer of a weight or constant, or the output of
 * an earlier node). A number argument (Scalar, or a Python number) gives a 0-d tensor of the dtype
 * that PyTorch gives it: int64, float32 or bool. Fails when absent. */
htp_tensor_id htp_arg_tensor(htp_lowering *l, const char *name);

/** Like htp_arg_tensor(); HTP_NONE if the argument is None. */
htp_tensor_id htp_arg_optional_tensor(htp_lowering *l, const char *name);

/** As htp_arg_tensor(), cast to @p dtype; a constant number is made in that dtype directly. */
htp_tensor_id htp_arg_tensor_as(htp_lowering *l, const char *name, htp_dtype dtype);

/** dtype, rank, dims of a tensor argument. Rank 0 for numbers. */
htp_dtype htp_arg_dtype(htp_lowering *l, const char *name);
uint32_t htp_arg_rank(htp_lowering *l, const char *name);
const htp_dim *htp_arg_dims(htp_lowering *l, const char *name);

/** Constant numbers; fails when the value is not constant. A bool is 0 or 1. */
int64_t htp_arg_int(htp_lowering *l, const char *name);
double htp_arg_float(htp_lowering *l, const char *name);
bool htp_arg_bool(htp_lowering *l, const char *name);

/** As above; @p otherwise when the argument is absent or None. */
int64_t htp_arg_int_or(htp_lowering *l, const char *name, int64_t otherwise);
double htp_arg_float_or(htp_lowering *l, const char *name, double otherwise);
bool htp_arg_bool_or(htp_lowering *l, const char *name, bool otherwise);

/** Whether the argument is a constant number, or a list of constant numbers. */
bool htp_arg_is_constant(htp_lowering *l, const char *name);

/** A constant string; fails when absent. */
const char *htp_arg_string(htp_lowering *l, const char *name);

/** A constant list of ints (an int counts as a list of one). @return arena memory. */
const int64_t *htp_arg_ints(htp_lowering *l, const char *name, size_t *count);

/** A constant list of numbers (a number counts as a list of one). @return arena memory. */
const double *htp_arg_floats(htp_lowering *l, const char *name, size_t *count);

/** A list argument's elements as values. */
const uint32_t *htp_arg_list(htp_lowering *l, const char *name, size_t *count);

/** A dim argument, wrapped into [0, rank); fails when out of range. Rank 0 counts as 1. */
int64_t htp_arg_dim(htp_lowering *l, const char *name, uint32_t rank);

/** As htp_arg_dim() for a list; None or empty gives all dims when @p all_when_empty. */
const int64_t *htp_arg_dims_list(htp_lowering *l, const char *name, uint32_t rank,
                                 bool all_when_empty, size_t *count);

/** A list of ints that may be dynamic as a 1-d int64 tensor (an initializer when constant). */
htp_tensor_id htp_arg_shape(htp_lowering *l, const char *name);

/** A number that may be dynamic as a [1] int64 tensor. */
htp_tensor_id htp_arg_vector(htp_lowering *l, const char *name);

/* ---- values ---- */

/** Whether a value is an int, float or bool. */
bool htp_value_is_number(const htp_trace_value *value);

/** Whether a value is a constant number, or a list of constant numbers. */
bool htp_value_is_constant(htp_lowering *l, htp_value_id id);

/** The origin of nodes made for a value rather than for the current node. */
htp_origin htp_value_origin(htp_lowering *l, htp_value_id id);

/** The dtype of a bound value: a tensor's; for numbers int64, float64 (TorchScript's float is a
 * double) or bool; for a list its first element's; for a complex tensor whose part is in use, the
 * part's. */
htp_dtype htp_value_dtype(htp_lowering *l, htp_value_id id);

/** The ONNX tensor of any value in its own dtype: a number is 0-d, a list of numbers 1-d. Fails for
 * a complex tensor, unless a part of it is seen. */
htp_tensor_id htp_value_tensor(htp_lowering *l, htp_value_id id);

/** As htp_value_tensor(), cast to @p dtype; constant numbers are made in that dtype directly. */
htp_tensor_id htp_value_tensor_as(htp_lowering *l, htp_value_id id, htp_dtype dtype);

/** A number, or a tensor of one element, as [1], in its own dtype. */
htp_tensor_id htp_value_vector(htp_lowering *l, htp_value_id id);

/** A list of ints, or an int, as a 1-d int64 tensor. */
htp_tensor_id htp_value_shape(htp_lowering *l, htp_value_id id);

/* ---- outputs ---- */

/** The value of output @p index, its dtype, rank and dims. */
htp_value_id htp_output_value(htp_lowering *l, size_t index);
htp_dtype htp_output_dtype(htp_lowering *l, size_t index);
uint32_t htp_output_rank(htp_lowering *l, size_t index);
const htp_dim *htp_output_dims(htp_lowering *l, size_t index);

/** Binds output @p index to a tensor; sets the tensor's type from the graph. For a number the
 * tensor is 0-d; for a list of ints 1-d. */
void htp_bind(htp_lowering *l, size_t index, htp_tensor_id tensor);

/** Binds any value (an element of a list output). */
void htp_bind_value(htp_lowering *l, htp_value_id id, htp_tensor_id tensor);

/** Binds a number given as a [1] tensor. */
void htp_bind_value_vector(htp_lowering *l, htp_value_id id, htp_tensor_id vector);

/* ---- blocks ---- */

/** Saved bindings of values that a block reads. Forms made in the block (a number as a vector) are
 * not visible outside it. */
typedef struct htp_kept_bindings {
    HTP_VECTOR(uint32_t) ids;
    HTP_VECTOR(htp_binding) bindings;
} htp_kept_bindings;

/** Saves the bindings of values and list elements from other blocks than @p block; restores
 * them. */
void htp_bindings_keep(htp_lowering *l, htp_kept_bindings *kept, uint32_t block,
                       const htp_value_id *ids, uint32_t count);
void htp_bindings_restore(htp_lowering *l, const htp_kept_bindings *kept);

/** Makes a graph with inputs for every block of a live node. Call it once, before any lowering. */
void htp_lower_begin_blocks(htp_lowering *l);

/* ---- emitting ---- */

typedef struct htp_emit_inputs {
    const htp_tensor_id *items;
    size_t count;
} htp_emit_inputs;

typedef struct htp_emit_attributes {
    const htp_attribute *items;
    size_t count;
} htp_emit_attributes;

#define HTP_IN(...)                                                                                \
    ((htp_emit_inputs){(const htp_tensor_id[]){__VA_ARGS__},                                       \
                       sizeof((const htp_tensor_id[]){__VA_ARGS__}) / sizeof(htp_tensor_id)})
#define HTP_AT(...)                                                                                \
    ((htp_emit_attributes){(const htp_attribute[]){__VA_ARGS__},                                   \
                           sizeof((const htp_attribute[]){__VA_ARGS__}) / sizeof(htp_attribute)})
#define HTP_NO_AT ((htp_emit_attributes){NULL, 0})

/** Emits a node with one output. Trailing HTP_NONE inputs are dropped. */
htp_tensor_id htp_emit(htp_lowering *l, const char *op, htp_emit_inputs inputs,
                       htp_emit_attributes attributes);

/** Emits a node with @p output_count outputs. */
void htp_emit_many(htp_lowering *l, const char *op, htp_emit_inputs inputs,
                   htp_emit_attributes attributes, htp_tensor_id *outputs, size_t output_count);

/** Constants. */
htp_tensor_id htp_emit_ints(htp_lowering *l, const int64_t *values, size_t count); /* 1-d int64 */
htp_tensor_id htp_emit_int(htp_lowering *l, int64_t value);                        /* [1] int64 */
/** A 0-d tensor of @p dtype with the value (rounded as PyTorch's cast rounds). */
htp_tensor_id htp_emit_scalar(htp_lowering *l, htp_dtype dtype, double value);
htp_tensor_id htp_emit_scalar_int(htp_lowering *l, htp_dtype dtype, int64_t value);

/** Cast unless the tensor is known to have that dtype. */
htp_tensor_id htp_emit_cast(htp_lowering *l, htp_tensor_id x, htp_dtype from, htp_dtype to);

/** Composites whose form depends on the opset. Axes are not negative: with negative ones ONNX
 * Runtime returns a tensor without elements unreduced. */
htp_tensor_id htp_emit_reduce(htp_lowering *l, const char *op, htp_tensor_id x, const int64_t *axes,
                              size_t axis_count, bool keepdims);
htp_tensor_id htp_emit_squeeze(htp_lowering *l, htp_tensor_id x, const int64_t *axes, size_t n);
htp_tensor_id htp_emit_unsqueeze(htp_lowering *l, htp_tensor_id x, const int64_t *axes, size_t n);
htp_tensor_id htp_emit_transpose(htp_lowering *l, htp_tensor_id x, const int64_t *perm, size_t n);
/** Size of dim @p axis of @p x as [1]: Shape with start and end, or a constant where the dim of
 * @p dims is a number. */
htp_tensor_id htp_emit_dim(htp_lowering *l, htp_tensor_id x, const htp_dim *dims, int64_t axis);
/** The shape of @p x as a 1-d tensor: a constant where all dims are numbers. */
htp_tensor_id htp_emit_shape(htp_lowering *l, htp_tensor_id x, uint32_t rank, const htp_dim *dims);

/** A node with one or two inputs and no attributes. */
htp_tensor_id htp_emit_unary(htp_lowering *l, const char *op, htp_tensor_id x);
htp_tensor_id htp_emit_binary(htp_lowering *l, const char *op, htp_tensor_id x, htp_tensor_id y);

/** x OP value, with the value as a 0-d constant of @p dtype. */
htp_tensor_id htp_emit_binary_scalar(htp_lowering *l, const char *op, htp_tensor_id x,
                                     htp_dtype dtype, double value);

/** @p x with @p n dims; 0 copies a dim, -1 is inferred. */
htp_tensor_id htp_emit_reshape(htp_lowering *l, htp_tensor_id x, const int64_t *dims, size_t n);

/** The elements from @p start up to @p end of one axis; an end beyond the axis is clamped. */
htp_tensor_id htp_emit_slice(htp_lowering *l, htp_tensor_id x, int64_t axis, int64_t start,
                             int64_t end);

/** The parts, concatenated along @p axis. */
htp_tensor_id htp_emit_concat(htp_lowering *l, htp_emit_inputs parts, int64_t axis);

/** @p count equal parts along @p axis. */
void htp_emit_split(htp_lowering *l, htp_tensor_id x, int64_t axis, htp_tensor_id *parts,
                    size_t count);

/** The tensor @p x [C] as [C, 1, 1, ...] with @p trailing ones. */
htp_tensor_id htp_emit_channels(htp_lowering *l, htp_tensor_id x, size_t trailing);

#endif
