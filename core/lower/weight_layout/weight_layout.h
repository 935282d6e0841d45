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
    htp_dtype dtype; /* of the weights' elements */
    htp_dtype cast;  /* the tensor's dtype: the weight's, or that of a cast */
    uint32_t rank;   /* of the tensor, at most HTP_MAX_RANK */
    const int64_t *dims;
    const htp_box *boxes; /* of the weights: one behind the other they are the tensor */
    uint32_t box_count;
    bool is_strided; /* one box, of the tensor's rank and dims: its axes can be moved */
} htp_laid;

/** The layout of a weight as in the model. @return false for one beyond its storage, or without
 * elements */
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
 * "reshape" if elements keep their order; "cast" if that is all; or boxes as JSON: parameter, first
 * element, sizes, strides. Other casts are not mentioned, since the tensor has its dtype.
 * @param whole    the layout of the single source weight; or NULL
 * @param weights  of the boxes, each once; boxes refer to them by index
 */
const char *htp_laid_text(htp_arena *arena, const htp_laid *whole, const htp_laid *laid,
                          const uint32_t *weights);

/** Whether it is a weight with its two axes exchanged, and nothing else but a cast. */
bool htp_laid_is_transpose(const htp_laid *whole, const htp_laid *laid);

/** The weights of its boxes, each once, in the order of boxes. @return how many */
uint32_t htp_laid_weights(const htp_builder *model, const htp_laid *laid, const uint32_t **weights);

/** Lets a derivation cast its elements to @p to as PyTorch does, on their way to the file; not
 * complex ones. */
void htp_weight_cast_set(htp_arena *arena, htp_derivation *derivation, htp_dtype to);

#endif
