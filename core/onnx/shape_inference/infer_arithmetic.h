/*
 * Arithmetic on the elements of small vectors. Private to core/onnx/shape_inference.
 */
#ifndef HTP_ONNX_INFER_ARITHMETIC_H
#define HTP_ONNX_INFER_ARITHMETIC_H

#include "onnx/shape_inference/infer_rule.h"

/** An operation on numbers, false if the result is unknown; and on polynomials, if one operand is
 * symbolic. */
typedef struct htp_arithmetic {
    bool (*numbers)(int64_t a, int64_t b, int64_t *result);
    htp_polynomial_id (*symbols)(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b);
} htp_arithmetic;

/** A rule for contents: applies an operation to both inputs, element by element. */
bool htp_contents_apply(const htp_infer *infer, const htp_arithmetic *how, htp_element *elements,
                        size_t count);

#endif
