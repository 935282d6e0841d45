/*
 * Layouts of weights behind operators that only rearrange elements, or cast them. Private to
 * core/lower.
 *
 * Reference: ONNX Transpose, Reshape, Squeeze, Unsqueeze, Expand, Slice, Gather, Split, Concat,
 * Cast, Identity.
 */
#ifndef HTP_LOWER_WEIGHT_LAYOUT_H
#define HTP_LOWER_WEIGHT_LAYOUT_H

#include "onnx/builder/builder.h"

/** A tensor whose elements are those of weights. */
typedef struct htp_laid {
    htp_dtype dtype; /* the weights' dtype */
    htp_dtype cast;  /* the tensor's dtype: the weight's, or that of a cast */
    uint32_t rank;   /* of the tensor, at most HTP_MAX_RANK */
    const int64_t *dims;
    const htp_box *boxes; /* boxes of the weights; concatenated they are the tensor */
    uint32_t box_count;
    bool is_strided; /* one box with the tensor's rank and dims: its axes can be permuted */
} htp_laid;

/** The layout of a stored weight. @return false if it exceeds its storage, or has no elements */
bool htp_laid_begin(const htp_builder *model, const htp_initializer *initializer, htp_laid *laid);

/**
 * The layouts of all outputs of a node that only reads such tensors and constants.
 * @param laid     by tensor, or NULL
 * @param outputs  receives the layouts
 * @return false if the node does more than rearrange, or the result is unknown
 */
bool htp_laid_derive(const htp_builder *model, const htp_onnx_node *node,
                     const htp_laid *const *laid, htp_laid *outputs);

/** The axes of one strided box exchanged: [a, b] becomes [b, a]. @return false for other ranks */
bool htp_laid_swap(const htp_builder *model, const htp_laid *laid, htp_laid *swapped);

/** A map key for tensors of equal layout and dtype. */
const void *htp_laid_key(const htp_builder *model, const htp_laid *laid, size_t *bytes);

/**
 * The value of the tag htp.layout: "transpose"; a permutation of the weight's axes, "[2, 0, 1]";
 * "reshape" if elements keep their order; "cast" if it is only cast; or boxes as JSON: parameter,
 * first element, sizes, strides. A cast beside another layout is not mentioned, since the dtype
 * shows it.
 * @param whole    the layout of the single source weight; or NULL
 * @param weights  the boxes' weights, each once; boxes refer to them by index
 */
const char *htp_laid_text(htp_arena *arena, const htp_laid *whole, const htp_laid *laid,
                          const uint32_t *weights);

/** Whether it is a weight with its two axes exchanged, perhaps cast. */
bool htp_laid_is_transpose(const htp_laid *whole, const htp_laid *laid);

/** The boxes' weights, each once, in the order of boxes. @return their number */
uint32_t htp_laid_weights(const htp_builder *model, const htp_laid *laid, const uint32_t **weights);

/** Makes a derivation cast its elements to @p to, as PyTorch does, while they are written. Not for
 * complex dtypes. */
void htp_weight_cast_set(htp_arena *arena, htp_derivation *derivation, htp_dtype to);

#endif
