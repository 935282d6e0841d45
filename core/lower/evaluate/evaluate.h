/*
 * Evaluates ONNX operators on known tensors in plain C while the model is built: index arithmetic,
 * masks, tables, arithmetic on weights.
 *
 * Integers that do not overflow, and operators that IEEE 754 rounds correctly, give what every
 * runtime gives. Functions and sums of float32 and float64 are computed in float64 and rounded
 * once: this is more exact than libtorch, and within its error. Everything else is declined:
 * float16 and bfloat16 in functions and sums, overflow, division by 0, operands that do not fit.
 *
 * Reference: https://onnx.ai/onnx/operators/
 */
#ifndef HTP_LOWER_EVALUATE_H
#define HTP_LOWER_EVALUATE_H

#include "onnx/builder/builder.h"

/** The largest tensor, in bytes, that is read or computed. */
#define HTP_EVALUATE_MAX_BYTES (UINT64_C(64) << 20)

/** A tensor whose elements are known. */
typedef struct htp_known {
    htp_dtype dtype;
    uint32_t rank; /* at most HTP_MAX_RANK */
    const int64_t *dims;
    const void *data; /* contiguous; may be unaligned */
    uint64_t bytes;
    bool is_made; /* the evaluator owns the data and may free it */
} htp_known;

/** Computes tensors of one model and caches them. */
typedef struct htp_evaluator htp_evaluator;

/** An evaluator for the tensors that @p model has now. Its results live in the model's arena. */
htp_evaluator *htp_evaluator_new(htp_builder *model);

/** The elements of an initializer, in place if they are contiguous, or of a tensor that
 * htp_evaluate() has computed. NULL if they are unknown or too large. */
const htp_known *htp_evaluator_find(htp_evaluator *e, htp_tensor_id id);

/** Whether there is a kernel for the node's operator. */
bool htp_evaluator_has(const htp_onnx_node *node);

/** The limit at which a node was declined; all zeroes: none. */
typedef struct htp_evaluator_limit {
    uint64_t bytes; /* of an output that is too large */
    bool is_work;   /* the work for one model is spent */
} htp_evaluator_limit;

/**
 * Computes the outputs of a node whose operands htp_evaluator_find() finds.
 * @param most  the largest output that is computed, in bytes
 * @param limit  receives the limit at which it declined
 * @return false if it declines; then the outputs stay unknown
 */
bool htp_evaluate(htp_evaluator *e, const htp_onnx_node *node, uint64_t most,
                  htp_evaluator_limit *limit);

/** Frees a tensor's elements; they can be read or computed again. */
void htp_evaluator_forget(htp_evaluator *e, htp_tensor_id id);

#endif
