/*
 * The operands that the fake runner's rules can take.
 */
#include "program_maker.h"

enum { MAX_RANK = 8, MAX_ELEMENTS = 1 << 20, MAX_NUMBER = 1 << 12, MAX_OF_A_LIST = 8 };

static bool is_small(const htp_runner_tensor *tensor)
{
    return tensor->rank <= MAX_RANK && tensor->elements >= 0 && tensor->elements <= MAX_ELEMENTS;
}

/* A number with which every rule can compute. */
static bool is_number(const htp_operand *operand)
{
    return operand->kind == HTP_OPERAND_INT && operand->as.i >= -MAX_NUMBER &&
           operand->as.i <= MAX_NUMBER;
}

/* Lists have tensors if the schema says so, and numbers otherwise. */
static bool is_list(const htp_program_argument *argument, const htp_operand *operand)
{
    bool has_tensors =
        strcmp(argument->name, "tensors") == 0 || strcmp(argument->name, "indices") == 0;
    bool fits = operand->kind == HTP_OPERAND_LIST && operand->count <= MAX_OF_A_LIST;
    for (uint32_t i = 0; fits && i < operand->count; i++) {
        const htp_operand *element = &operand->as.elements[i];
        fits = has_tensors ? element->kind == HTP_OPERAND_TENSOR && is_small(element->as.tensor)
                           : is_number(element);
    }
    return fits;
}

static bool fits(htp_type_kind kind, const htp_program_argument *argument,
                 const htp_operand *operand)
{
    switch (kind) {
    case HTP_TYPE_TENSOR:
        return operand->kind == HTP_OPERAND_TENSOR && is_small(operand->as.tensor);
    case HTP_TYPE_INT:
        return is_number(operand) || operand->kind == HTP_OPERAND_NONE;
    case HTP_TYPE_NUMBER:
        return is_number(operand) || operand->kind == HTP_OPERAND_FLOAT;
    case HTP_TYPE_FLOAT:
        return operand->kind == HTP_OPERAND_FLOAT;
    case HTP_TYPE_BOOL:
        return operand->kind == HTP_OPERAND_BOOL;
    case HTP_TYPE_STRING:
        return operand->kind == HTP_OPERAND_STRING;
    case HTP_TYPE_LIST:
        return is_list(argument, operand);
    default:
        return true;
    }
}

bool fuzz_takes_operands(const htp_program *program, uint32_t schema, const htp_operand *inputs,
                         uint32_t count)
{
    const htp_program_schema *of = &program->schemas[schema];
    bool takes = count == of->argument_count;
    for (uint32_t i = 0; takes && i < count; i++) {
        const htp_program_argument *argument = &of->arguments[i];
        takes = fits(program->types[argument->type].kind, argument, &inputs[i]);
    }
    return takes;
}
