/*
 * Helpers for the rules of type inference. Private to core/onnx/shape_inference.
 *
 * A rule types the outputs of infer->node. If an input that it needs has no type, or the node is
 * invalid, it does nothing.
 *
 * Shapes computed by the model are tracked through small int64 vectors: an element is a number, a
 * symbol (not always of a size, "batch - 3"), or unknown.
 */
#ifndef HTP_ONNX_INFER_RULE_H
#define HTP_ONNX_INFER_RULE_H

#include "graph/symbols.h"
#include "onnx/builder/builder.h"

/** The longest vector that is tracked: the pads of a tensor of the largest rank. */
#define HTP_INFER_MAX_ELEMENTS ((size_t)2 * HTP_MAX_RANK)

/** An element of an int64 tensor of rank 0 or 1; or of a bool tensor, as 0 and 1. */
typedef struct htp_element {
    bool is_known;
    htp_dim value; /* a number may be negative */
} htp_element;

typedef struct htp_guess htp_guess;

typedef struct htp_infer {
    htp_builder *model;
    htp_arena *arena;
    const htp_onnx_node *node;    /* the node whose outputs are typed */
    const htp_element **contents; /* by tensor; NULL: unknown */
    const double **reals;         /* by tensor of floats: its numbers; NULL: unknown */
    htp_symbols *symbols;         /* of the graph */
    htp_map fronts;               /* dims of cut axes: see infer_parts.c */
    bool *is_set;                 /* by tensor: typed by a rule */
    htp_guess **guesses;          /* by tensor: for bodies of loops, see infer_nested.c */
    bool is_wrong;                /* a guess was wrong: another pass follows */
    bool guesses_nothing;
    htp_tensor_id contradicted; /* the result of htp_builder_infer_types() */
} htp_infer;

/** A rule for types; and one for the contents of the first output, which sets @p count elements.
 * @return false if they are unknown */
typedef void (*htp_infer_fn)(htp_infer *infer);
typedef bool (*htp_contents_fn)(const htp_infer *infer, htp_element *elements, size_t count);

#define HTP_INFER(op, types) void types(htp_infer *infer);
#define HTP_INFER_CONTENTS(op, types, contents)                                                    \
    void types(htp_infer *infer);                                                                  \
    bool contents(const htp_infer *infer, htp_element *elements, size_t count);
#include "onnx/shape_inference/infer_rules.def"
#undef HTP_INFER
#undef HTP_INFER_CONTENTS

/* ---- the node ---- */

/** Input @p index; NULL if it is omitted, has no type, or has a rank above HTP_MAX_RANK. */
const htp_tensor *htp_infer_input(const htp_infer *infer, uint32_t index);

/** Whether the node has input @p index, typed or not. */
bool htp_infer_has_input(const htp_infer *infer, uint32_t index);

/** An attribute, or NULL. */
const htp_attribute *htp_infer_attribute(const htp_infer *infer, const char *name);

/** An integer attribute. */
int64_t htp_infer_int(const htp_infer *infer, const char *name, int64_t otherwise);

/** The dtype in an integer attribute. @return false if there is none */
bool htp_infer_dtype(const htp_infer *infer, const char *name, htp_dtype *dtype);

/** A tensor attribute is listed as two: its TensorProto.DataType and, for a single int64 or bool,
 * its element. */
#define HTP_INFER_VALUE_TYPE "value.data_type"
#define HTP_INFER_VALUE "value"

/** Element @p index of a list attribute; @p otherwise if the list is absent or shorter. */
int64_t htp_infer_int_at(const htp_infer *infer, const char *name, size_t index, int64_t otherwise);

/** Wraps an axis into [0, rank). @return false if it is out of range */
bool htp_infer_wrap(int64_t axis, uint32_t rank, uint32_t *wrapped);

/** Sets the type of output @p index. An output with a type only gets dims that agree with it; a dim
 * that @p dims leave open becomes unknown. @p dims are kept, not copied. Ranks above HTP_MAX_RANK
 * are ignored. */
void htp_infer_set(htp_infer *infer, uint32_t index, htp_dtype dtype, uint32_t rank,
                   const htp_dim *dims);

/* ---- known contents ---- */

/** The number of elements of input @p index, of rank 0 (1) or 1. @return false if unknown */
bool htp_infer_length(const htp_infer *infer, uint32_t index, size_t *length);

/** Element @p at of input @p index, or of a tensor; unknown beyond its length. */
htp_element htp_infer_element(const htp_infer *infer, uint32_t index, size_t at);
htp_element htp_infer_content(const htp_infer *infer, htp_tensor_id tensor, size_t at);

/** Whether a tensor is of rank 0 (1 element) or 1, of known length, and short enough for its
 * contents to be followed. */
bool htp_infer_short(const htp_tensor *tensor, size_t *length);

/** Follows the numbers of the node's first output, if it is of floats. */
void htp_infer_note_reals(htp_infer *infer);

/** Reads the numbers of a constant of floats. @param data  may be unaligned */
void htp_infer_read_reals(htp_infer *infer, htp_tensor_id tensor, const void *data);

/** A number of an input of floats, rounded towards zero. @return false if it is unknown */
bool htp_infer_truncated(const htp_infer *infer, uint32_t index, size_t at, int64_t *number);

/** Whether an element is a known number. */
bool htp_infer_number(htp_element element, int64_t *number);

/**
 * The axes in an input ("axes" since opset 18), else in an attribute ("axes" until opset 17);
 * wrapped.
 * @param named  by axis, @p rank entries: set where the axis is among them.
 * @return false if they are unknown or invalid. Without any it returns true, and @p any is false
 */
bool htp_infer_axes(const htp_infer *infer, uint32_t index, uint32_t rank, bool *named, bool *any);

/* ---- dims ---- */

/** A new array of dims, all number 0. */
htp_dim *htp_infer_dims(htp_infer *infer, uint32_t rank);

/** An unknown dim: a fresh symbol. */
htp_dim htp_infer_unknown(htp_infer *infer);

/** A static dim; an unknown one for a negative number. */
htp_dim htp_infer_size(htp_infer *infer, int64_t size);

/** The dim of an element. */
htp_dim htp_infer_element_dim(htp_infer *infer, htp_element element);

/** Whether a dim is the number @p size; whether two are the same number or symbol. */
bool htp_infer_is(htp_dim dim, int64_t size);
bool htp_infer_is_same(htp_dim a, htp_dim b);

/** Merges two dims that must be equal: the number, if one is; otherwise the shorter name. */
htp_dim htp_infer_both(htp_dim a, htp_dim b);

/** The dim of a polynomial; unknown for HTP_NONE, or a negative number. */
htp_dim htp_infer_polynomial(htp_infer *infer, htp_polynomial_id id);

/** Short for htp_symbols_polynomial(). */
htp_polynomial_id htp_infer_of(const htp_infer *infer, htp_dim dim);

/** a + factor b; a b; ⌊a / divisor⌋; ⌈a / divisor⌉. */
htp_dim htp_infer_sum(htp_infer *infer, htp_dim a, htp_dim b, int64_t factor);
htp_dim htp_infer_product(htp_infer *infer, htp_dim a, htp_dim b);
htp_dim htp_infer_floor(htp_infer *infer, htp_dim a, int64_t divisor);
htp_dim htp_infer_ceil(htp_infer *infer, htp_dim a, int64_t divisor);

/** Records a lower bound of @p dim that holds in every valid run. */
void htp_infer_note_least(htp_infer *infer, htp_dim dim, int64_t least);

/** The broadcast of @p a and @p b, if it can be decided: they are equal, or one is never 1. @return
 * false for two numbers that do not fit */
bool htp_infer_broadcast_dim(htp_infer *infer, htp_dim a, htp_dim b, htp_dim *result);

/* ---- loops ---- */

/** Types the carried values of a loop's body by guesses: at first, that dims keep their initial
 * values. */
void htp_infer_guess(htp_infer *infer);

#endif
