#include "lower/driver/support.h"

#include "graph/passes.h"
#include "lower/emit/table.h"
#include "lower/refusal/refusal.h"

const char *htp_lower_unsupported_reason(htp_arena *arena, const htp_custom_operators *customs,
                                         const char *kind)
{
    const char *functional = htp_pass_functional_kind(arena, kind);
    bool is_known = htp_table_find(functional) || htp_table_find_complex(functional) ||
                    htp_table_find_quantized(functional) || htp_custom_find(customs, functional);
    return is_known ? NULL : htp_refusal_reason(functional);
}
