/*
 * PyTorch's type promotion: the one place where operands get their common dtype. Private to
 * core/lower.
 *
 * Reference: torch.result_type; tensors with dims come before tensors without, and those before
 * numbers.
 */
#ifndef HTP_LOWER_PROMOTE_H
#define HTP_LOWER_PROMOTE_H

#include "lower/emit/lowering.h"

/** torch.result_type of arguments, tensors or numbers; None does not count. */
htp_dtype htp_promote_arguments(htp_lowering *l, const char *const *names, size_t count);

/** Two operands of an operator, cast to one dtype. */
typedef struct htp_operands {
    htp_tensor_id a;
    htp_tensor_id b;
    htp_dtype dtype;
} htp_operands;

/** Arguments @p a and @p b in their common dtype. */
htp_operands htp_arg_operands(htp_lowering *l, const char *a, const char *b);

/** As htp_arg_operands(), with integers converted to floating point. */
htp_operands htp_arg_float_operands(htp_lowering *l, const char *a, const char *b);

/** @p dtype if it is floating point; otherwise float32, in which PyTorch computes such operands. */
htp_dtype htp_promote_to_float(htp_dtype dtype);

#endif
