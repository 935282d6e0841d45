/*
 * The plan of inlining: which nodes call which functions, which functions stay operators, and the
 * size of the result. Private to core/onnx.
 */
#ifndef HTP_ONNX_INLINE_PLAN_H
#define HTP_ONNX_INLINE_PLAN_H

#include "base/status.h"
#include "onnx/reader/view.h"

/** The deepest nesting of calls, as of modules (query/tree/tree_find.h). */
enum { HTP_INLINE_DEEPEST = 256 };

/** The limit of inlined bytes: a constant, and a factor of the file's structure; at most the limit
 * of an ONNX file. */
enum { HTP_INLINE_FREE = 64 << 20, HTP_INLINE_FACTOR = 128, HTP_INLINE_MAX = INT32_MAX };

/** The cost of a node or a call besides its bytes. */
enum { HTP_INLINE_COST = 64 };

/** An attribute that a function takes. */
typedef struct htp_inline_parameter {
    uint32_t function;
    htp_span value; /* its default, an AttributeProto; empty: none */
} htp_inline_parameter;

typedef struct htp_inline_plan {
    htp_arena *arena;
    const htp_view *view;
    uint32_t *function_of;     /* by graph: the function that it is or lies in, or HTP_NONE */
    uint32_t *first;           /* by function, and one more: start in `nodes` */
    uint32_t *nodes;           /* nodes of functions, including those in bodies */
    uint32_t *call_of;         /* by node: the function that it calls, or HTP_NONE */
    bool *has_calls;           /* by node: its bodies contain a call that is inlined */
    bool *is_kept;             /* by function: it is not inlined */
    bool *is_left_out;         /* by function: no call is left */
    bool *is_reached;          /* by function: the model's outputs depend on a call of it */
    uint32_t *order;           /* functions, callees before callers */
    htp_map parameter_numbers; /* by function and name */
    HTP_VECTOR(htp_inline_parameter) parameters; /* attributes of functions */
    HTP_VECTOR(htp_span) imports;                /* of the flat model: fields of the model */
    uint64_t limit;                              /* of bytes */
} htp_inline_plan;

/**
 * Plans in @p arena. Linear in the structure of the file, which has no flaws.
 * @return HTP_CODE_BAD_INPUT for functions that are defined twice, recursive, nested too deep, or
 *         that read undeclared attributes; for calls with more inputs or outputs than their
 *         function; and for a result beyond the limit.
 */
HTP_MUST_USE htp_status htp_inline_plan_make(htp_arena *arena, const htp_view *view,
                                             htp_inline_plan *plan);

/** Whether a node, a call, is inlined; its function is. */
static inline bool htp_inline_is_call(const htp_inline_plan *plan, uint32_t node)
{
    return plan->call_of[node] != HTP_NONE && !plan->is_kept[plan->call_of[node]];
}

/** The default of a function's attribute. @return false: it has no such attribute */
bool htp_inline_find_parameter(const htp_inline_plan *plan, uint32_t function, htp_view_name name,
                               htp_span *value);

/** "d::F", with the overload where there is one. */
const char *htp_inline_call_function(const htp_inline_plan *plan, uint32_t function);

/** The status for a result that is too large. */
HTP_MUST_USE htp_status htp_inline_too_much(const htp_inline_plan *plan);

/** Finds the functions that are not inlined, and the imports of the flat model. Called by
 * inline_plan.c alone. */
void htp_inline_find_kept(htp_inline_plan *plan);

/** Lists what the flat model imports, once is_kept and is_reached are known. */
void htp_inline_find_imports(htp_inline_plan *plan);

#endif
