/* The table of meta kernels, and what all of them ask of their operands. */
#include "interpret/meta/kernels.h"

#include "interpret/meta/call.h"

static const htp_meta_operator operators[] = {
#define HTP_META_KERNEL(name, overload, operands, function) {name, overload},
#include "interpret/meta/kernels.def"
#undef HTP_META_KERNEL
};

static const struct {
    const char *operands;
    bool (*run)(htp_meta_call *call);
} rows[] = {
#define HTP_META_KERNEL(name, overload, operands, function) {operands, function},
#include "interpret/meta/kernels.def"
#undef HTP_META_KERNEL
};

static bool are_all(const htp_operand *list, htp_operand_kind kind)
{
    for (uint32_t i = 0; list->kind == HTP_OPERAND_LIST && i < list->count; i++) {
        if (list->as.elements[i].kind != kind) {
            return false;
        }
    }
    return list->kind == HTP_OPERAND_LIST;
}

static bool is_of_kind(const htp_operand *operand, char kind)
{
    switch (kind) {
    case 'T':
        return operand->kind == HTP_OPERAND_TENSOR;
    case 't':
        return operand->kind == HTP_OPERAND_TENSOR || operand->kind == HTP_OPERAND_NONE;
    case 'I':
        return operand->kind == HTP_OPERAND_INT;
    case 'i':
        return operand->kind == HTP_OPERAND_INT || operand->kind == HTP_OPERAND_NONE;
    case 'B':
        return operand->kind == HTP_OPERAND_BOOL;
    case 'L':
        return are_all(operand, HTP_OPERAND_INT);
    case 'H':
        return are_all(operand, HTP_OPERAND_TENSOR);
    default:
        return true;
    }
}

static bool run(uint32_t kernel, htp_meta_call *call)
{
    const char *kinds = rows[kernel].operands;
    for (uint32_t i = 0; kinds[i] != '\0'; i++) {
        if (i >= call->operand_count || !is_of_kind(&call->operands[i], kinds[i])) {
            return htp_meta_refuse(call, "%s: argument %u is missing, or of another type",
                                   operators[kernel].name, (unsigned)i);
        }
    }
    return rows[kernel].run(call);
}

const htp_meta_kernels *htp_meta_kernels_all(void)
{
    static const htp_meta_kernels all = {
        .operators = operators, .count = sizeof(rows) / sizeof(rows[0]), .run = run};
    return &all;
}
