/*
 * Which operators can be exported at all, as known before tracing.
 */
#ifndef HTP_LOWER_SUPPORT_H
#define HTP_LOWER_SUPPORT_H

#include "lower/custom/custom.h"

/** Why no export can contain an operator on tensors; NULL if one may. @param kind  with overload,
 * as in code: "aten::add_.Tensor" */
const char *htp_lower_unsupported_reason(htp_arena *arena, const htp_custom_operators *customs,
                                         const char *kind);

#endif
