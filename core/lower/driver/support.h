/*
 * What is known of an operator before anything is traced.
 */
#ifndef HTP_LOWER_SUPPORT_H
#define HTP_LOWER_SUPPORT_H

#include "lower/custom/custom.h"

/** Why no export takes an operator that works on tensors; NULL where one may. @param kind  with
 * overload, as the code names it: "aten::add_.Tensor" */
const char *htp_lower_unsupported_reason(htp_arena *arena, const htp_custom_operators *customs,
                                         const char *kind);

#endif
