/* The table of meta kernels, and common checks of operands. */
#include "interpret/meta/kernels.h"

#include "interpret/meta/elements.h"
#include "interpret/meta/outputs.h"

/* See kernels.def. */
enum {
    HTP_META_FORM_NEW = 0,
    HTP_META_FORM_IN_PLACE = 1,
    HTP_META_FORM_OUT = 2,
    HTP_META_FORM_REPLACES = 4,
    HTP_META_FORM_IN_PLACE_INSTEAD = HTP_META_FORM_IN_PLACE | HTP_META_FORM_REPLACES,
};

static const htp_meta_operator operators[] = {
#define HTP_META_RULE(name, overload, operands, function, parameter, form)                         \
    {name, overload, ((form)&HTP_META_FORM_REPLACES) != 0},
#include "interpret/meta/kernels.def"
#undef HTP_META_RULE
};

static const struct {
    const char *operands;
    bool (*run)(htp_meta_call *call);
    uint32_t parameter;
    uint32_t form;
} rows[] = {
#define HTP_META_RULE(name, overload, operands, function, parameter, form)                         \
    {operands, function, parameter, form},
#include "interpret/meta/kernels.def"
#undef HTP_META_RULE
};

/* ---- operands ---- */

static bool are_all(const htp_operand *list, htp_operand_kind kind, bool with_none)
{
    for (uint32_t i = 0; list->kind == HTP_OPERAND_LIST && i < list->count; i++) {
        htp_operand_kind element = list->as.elements[i].kind;
        if (element != kind && !(with_none && element == HTP_OPERAND_NONE)) {
            return false;
        }
    }
    return list->kind == HTP_OPERAND_LIST;
}

/* Whether an operand is a number; complex ones are OTHER. */
static bool is_number(const htp_operand *operand)
{
    return operand->kind == HTP_OPERAND_INT || operand->kind == HTP_OPERAND_FLOAT ||
           operand->kind == HTP_OPERAND_BOOL || operand->kind == HTP_OPERAND_OTHER;
}

/* Whether an operand is of a row's kind; lower-case letters are optional operands. */
static bool is_of_kind(const htp_operand *operand, char kind)
{
    if (operand->kind == HTP_OPERAND_NONE && kind >= 'a' && kind <= 'z' && kind != 'h') {
        return true;
    }
    switch (kind) {
    case 'T':
    case 't':
        return operand->kind == HTP_OPERAND_TENSOR;
    case 'I':
    case 'i':
        return operand->kind == HTP_OPERAND_INT;
    case 'F':
    case 'f':
        return operand->kind == HTP_OPERAND_FLOAT;
    case 'B':
    case 'b':
        return operand->kind == HTP_OPERAND_BOOL;
    case 'S':
    case 's':
        return is_number(operand);
    case 'C':
    case 'c':
        return operand->kind == HTP_OPERAND_STRING;
    case 'L':
    case 'l':
        return are_all(operand, HTP_OPERAND_INT, false);
    case 'H':
    case 'h':
        return are_all(operand, HTP_OPERAND_TENSOR, kind == 'h');
    default:
        return true;
    }
}

static bool has_exportable_rank(const htp_operand *operand)
{
    bool has = operand->kind != HTP_OPERAND_TENSOR || operand->as.tensor->rank <= HTP_MAX_RANK;
    for (uint32_t i = 0; operand->kind == HTP_OPERAND_LIST && i < operand->count; i++) {
        const htp_operand *element = &operand->as.elements[i];
        has = has &&
              (element->kind != HTP_OPERAND_TENSOR || element->as.tensor->rank <= HTP_MAX_RANK);
    }
    return has;
}

static bool check_operands(uint32_t kernel, htp_meta_call *call)
{
    const char *kinds = rows[kernel].operands;
    for (uint32_t i = 0; kinds[i] != '\0'; i++) {
        if (i >= call->operand_count || !is_of_kind(&call->operands[i], kinds[i])) {
            return htp_meta_refuse(call, "%s: argument %u is missing, or of another type",
                                   operators[kernel].name, (unsigned)i);
        }
    }
    for (uint32_t i = 0; i < call->operand_count; i++) {
        if (!has_exportable_rank(&call->operands[i])) {
            return htp_meta_refuse(call, "%s: argument %u has more than %u dims",
                                   operators[kernel].name, (unsigned)i, HTP_MAX_RANK);
        }
    }
    return true;
}

/* ---- outputs ---- */

static bool write_outputs(uint32_t form, htp_meta_call *call)
{
    uint32_t first = call->operand_count - call->output_count;
    for (uint32_t i = 0; i < call->output_count; i++) {
        bool is_in_place = (form & HTP_META_FORM_IN_PLACE) != 0;
        if (!htp_meta_write_output(call, i, is_in_place ? i : first + i, is_in_place)) {
            return false;
        }
    }
    return true;
}

static bool run(uint32_t kernel, htp_meta_call *call)
{
    uint32_t form = rows[kernel].form;
    call->output_count = 0;
    call->error.message[0] = '\0';
    call->parameter = rows[kernel].parameter;
    call->has_mkl = call->has_mkl != call->is_elsewhere;
    return check_operands(kernel, call) && rows[kernel].run(call) &&
           ((form & (HTP_META_FORM_IN_PLACE | HTP_META_FORM_OUT)) == 0 ||
            write_outputs(form, call));
}

const htp_meta_kernels *htp_meta_kernels_all(void)
{
    static const htp_meta_kernels all = {.operators = operators,
                                         .count = sizeof(rows) / sizeof(rows[0]),
                                         .run = run,
                                         .release = htp_meta_release};
    return &all;
}
