/*
 * Elementary functions in float64. Private to core/lower.
 */
#ifndef HTP_LOWER_ELEMENTARY_H
#define HTP_LOWER_ELEMENTARY_H

#include "lower/lowering.h"

/** What ONNX operator @p op gives of @p x, of float64, where runtimes compute it in float32 only;
 * HTP_TENSOR_NONE for other operators. */
htp_tensor_id htp_emit_elementary(htp_lowering *l, const char *op, htp_tensor_id x);

#endif
