/*
 * ONNX operators on tensors that are known, computed in plain C while the model is made: index
 * arithmetic, masks, tables, arithmetic on weights.
 *
 * What is exact is what every runtime computes: integers that do not overflow, and the operators
 * that IEEE 754 rounds. Functions and sums of float32 and float64 are computed in float64 and
 * rounded once, which is nearer to the truth than what libtorch computes, and within its error.
 * Everything else is declined: float16 and bfloat16 in these, overflow, quotients by 0, operands
 * that do not fit.
 *
 * Reference: https://onnx.ai/onnx/operators/
 */
#ifndef HTP_LOWER_EVALUATE_H
#define HTP_LOWER_EVALUATE_H

#include "onnx/builder/builder.h"

/** Bytes of a tensor that is computed, or computed with. */
#define HTP_EVALUATE_MAX_BYTES (UINT64_C(64) << 20)

/** A tensor whose elements are there. */
typedef struct htp_known {
    htp_dtype dtype;
    uint32_t rank; /* at most HTP_MAX_RANK */
    const int64_t *dims;
    const void *data; /* contiguous; perhaps not aligned */
    uint64_t bytes;
    bool is_made; /* the data is the evaluator's, which may let go of it */
} htp_known;

/** What computes tensors of a model, and remembers them. */
typedef struct htp_evaluator htp_evaluator;

/** For the tensors that the model has now. All that it gives lives in the model's arena. */
htp_evaluator *htp_evaluator_new(htp_builder *model);

/** The elements of an initializer, which are read where they lie if they lie there in one piece; or
 * of what htp_evaluate() has computed. NULL where they are not known, or have too many bytes. */
const htp_known *htp_evaluator_find(htp_evaluator *e, htp_tensor_id id);

/** Whether there is anything that computes what the node does. */
bool htp_evaluator_has(const htp_onnx_node *node);

/**
 * Computes the outputs of a node whose operands htp_evaluator_find() finds.
 * @param most     bytes of each output
 * @param refused  receives the bytes of an output that has more, or 0
 * @return false where that is declined: nothing is known of the outputs
 */
bool htp_evaluate(htp_evaluator *e, const htp_onnx_node *node, uint64_t most, uint64_t *refused);

/** Lets go of a tensor's elements; they can be read or computed again. */
void htp_evaluator_forget(htp_evaluator *e, htp_tensor_id id);

#endif
