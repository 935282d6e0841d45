/*
 * Operators without effect: the result is a view of the operand with equal geometry, and libtorch
 * need not run. Unrolled loops are full of them.
 */
#include "interpret/lanes/execute.h"
#include "interpret/meta/types.h"

#include <string.h>

static bool is_none_or(const htp_operand *operand, int64_t number)
{
    return operand->kind == HTP_OPERAND_NONE ||
           (operand->kind == HTP_OPERAND_INT && operand->as.i == number);
}

/* dim, start, end, step: the whole dim, within range. */
static bool is_whole_slice(const htp_runner_tensor *tensor, const htp_operand *others)
{
    if (others[0].kind != HTP_OPERAND_INT) {
        return false;
    }
    int64_t rank = tensor->rank;
    int64_t dim = others[0].as.i < 0 ? others[0].as.i + rank : others[0].as.i;
    if (dim < 0 || dim >= rank) {
        return false;
    }
    const htp_operand *end = &others[2];
    bool ends_behind = end->kind == HTP_OPERAND_NONE ||
                       (end->kind == HTP_OPERAND_INT && end->as.i >= tensor->dims[dim]);
    return is_none_or(&others[1], 0) && ends_behind && others[3].kind == HTP_OPERAND_INT &&
           others[3].as.i == 1;
}

/* dtype, non_blocking, copy, memory_format: nothing changes. */
static bool is_of_type(const htp_runner_tensor *tensor, const htp_operand *others)
{
    return others[0].kind == HTP_OPERAND_INT && others[0].as.i == tensor->type &&
           others[2].kind == HTP_OPERAND_BOOL && !others[2].as.b &&
           others[3].kind == HTP_OPERAND_NONE;
}

static const struct {
    const char *kind;
    size_t count; /* operands: the tensor, and the others */
    bool (*is_whole)(const htp_runner_tensor *tensor, const htp_operand *others);
} rules[] = {
    {"aten::slice.Tensor", 5, is_whole_slice},
    {"aten::to.dtype", 5, is_of_type},
};

bool htp_call_gives_operand(const htp_call *call, const htp_operand *given)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (call->inputs.count == rules[i].count && strcmp(call->schema.kind, rules[i].kind) == 0) {
            return given[0].kind == HTP_OPERAND_TENSOR &&
                   !htp_scalar_type_is_quantized(given[0].as.tensor->type) &&
                   rules[i].is_whole(given[0].as.tensor, &given[1]);
        }
    }
    return false;
}
