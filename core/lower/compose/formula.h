/*
 * Formulas: nodes whose operands and results are all of one dtype. Private to core/lower.
 *
 * Where PyTorch computes something by several of its own operators, each of them rounds 16-bit
 * floats. A formula does the same: it computes in float32 and rounds after every node that is not
 * exact. Without that, runtimes would keep more digits and give different numbers.
 */
#ifndef HTP_LOWER_FORMULA_H
#define HTP_LOWER_FORMULA_H

#include "lower/emit/lowering.h"

typedef struct htp_formula {
    htp_lowering *l;
    htp_dtype dtype;   /* of operands and results */
    htp_dtype rounded; /* to which each step is rounded; dtype itself: no rounding */
} htp_formula;

/** A formula of several PyTorch operators in @p dtype. */
htp_formula htp_formula_of_steps(htp_lowering *l, htp_dtype dtype);

/** A formula of one PyTorch kernel in @p dtype, which rounds once, at the end. */
htp_formula htp_formula_of_kernel(htp_lowering *l, htp_dtype dtype);

/** An argument as an operand. */
htp_tensor_id htp_step_arg(const htp_formula *f, const char *name);

/** A number as an operand. */
htp_tensor_id htp_step_number(const htp_formula *f, double value);

/** A node with one or two operands; the second may be a number. */
htp_tensor_id htp_step_unary(const htp_formula *f, const char *op, htp_tensor_id x);
htp_tensor_id htp_step_binary(const htp_formula *f, const char *op, htp_tensor_id a,
                              htp_tensor_id b);
htp_tensor_id htp_step_scalar(const htp_formula *f, const char *op, htp_tensor_id a, double b);

/** @p a OP @p x, with a number on the left. */
htp_tensor_id htp_step_from(const htp_formula *f, double a, const char *op, htp_tensor_id x);

/** c[0] + c[1]·x + ... of @p count coefficients, by Horner's rule. */
htp_tensor_id htp_step_polynomial(const htp_formula *f, htp_tensor_id x, const double *c,
                                  size_t count);

/** A comparison with an operand or a number; the result is bool. */
htp_tensor_id htp_step_compare(const htp_formula *f, const char *op, htp_tensor_id a,
                               htp_tensor_id b);
htp_tensor_id htp_step_compare_scalar(const htp_formula *f, const char *op, htp_tensor_id a,
                                      double b);
htp_tensor_id htp_step_is_nan(const htp_formula *f, htp_tensor_id x);

/** condition ? a : b; one of them may be a number. */
htp_tensor_id htp_step_where(const htp_formula *f, htp_tensor_id condition, htp_tensor_id a,
                             htp_tensor_id b);
htp_tensor_id htp_step_where_number(const htp_formula *f, htp_tensor_id condition, double a,
                                    htp_tensor_id b);

/** A reduction along axes; without any, along all. */
htp_tensor_id htp_step_reduce(const htp_formula *f, const char *op, htp_tensor_id x,
                              const int64_t *axes, size_t axis_count, bool keepdims);

/** @p x, which was computed in the formula's dtype, rounded as a step is. */
htp_tensor_id htp_step_round(const htp_formula *f, htp_tensor_id x);

/** The result of operator @p op, rounded like a step unless the operator is exact. */
htp_tensor_id htp_step_end(const htp_formula *f, const char *op, htp_tensor_id x);

/** Binds output @p index to the result. */
void htp_formula_bind(const htp_formula *f, size_t index, htp_tensor_id x);

#endif
