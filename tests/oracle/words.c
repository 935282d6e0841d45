/* Calls as text. */
#include "oracle.h"

#include "base/text.h"

#include <inttypes.h>

static void write_numbers(htp_text *text, const int64_t *numbers, uint32_t count, bool is_rough)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t number = is_rough && numbers[i] > 2 ? 2 : numbers[i];
        htp_text_addf(text, "%s%" PRId64, i > 0 ? "," : "", number);
    }
}

/* The order of dims in memory, and whether there are gaps. */
static void write_order(htp_text *text, const htp_runner_tensor *tensor)
{
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t before = 0;
        for (uint32_t j = 0; j < tensor->rank; j++) {
            before += tensor->strides[j] > tensor->strides[i] ||
                      (tensor->strides[j] == tensor->strides[i] && j < i);
        }
        htp_text_addf(text, "%u%s", (unsigned)before, tensor->strides[i] == 0 ? "x" : ",");
    }
    htp_text_addf(text, "%d%d", tensor->is_contiguous, tensor->offset > 0);
}

static void write_tensor(htp_text *text, const htp_runner_tensor *tensor, bool is_rough)
{
    htp_text_addf(text, "%s%d[", tensor->is_real ? "real" : "t", (int)tensor->type);
    write_numbers(text, tensor->dims, tensor->rank, is_rough);
    htp_text_add(text, "]{");
    if (is_rough) {
        write_order(text, tensor);
    } else {
        write_numbers(text, tensor->strides, tensor->rank, false);
        if (tensor->offset != 0) {
            htp_text_addf(text, "+%" PRId64, tensor->offset);
        }
    }
    htp_text_add(text, "}");
}

static void write_operand(htp_text *text, const htp_operand *operand, bool is_rough)
{
    switch (operand->kind) {
    case HTP_OPERAND_NONE:
        htp_text_add(text, "None");
        break;
    case HTP_OPERAND_INT:
        htp_text_addf(text, "%" PRId64, operand->as.i);
        break;
    case HTP_OPERAND_FLOAT:
        htp_text_addf(text, "%g", operand->as.f);
        break;
    case HTP_OPERAND_BOOL:
        htp_text_add(text, operand->as.b ? "True" : "False");
        break;
    case HTP_OPERAND_STRING:
    case HTP_OPERAND_DEVICE:
        htp_text_addf(text, "'%s'", operand->as.text);
        break;
    case HTP_OPERAND_TENSOR:
        write_tensor(text, operand->as.tensor, is_rough);
        break;
    case HTP_OPERAND_LIST:
    case HTP_OPERAND_TUPLE:
        oracle_write_operands(text, operand->as.elements, operand->count, is_rough);
        break;
    default:
        htp_text_add(text, "?");
        break;
    }
}

void oracle_write_operands(htp_text *text, const htp_operand *operands, uint32_t count,
                           bool is_rough)
{
    for (uint32_t i = 0; i < count; i++) {
        htp_text_add(text, i > 0 ? ", " : "(");
        write_operand(text, &operands[i], is_rough);
    }
    htp_text_add(text, count > 0 ? ")" : "()");
}

const char *oracle_words(oracle *o, const oracle_call *call, const htp_operand *inputs)
{
    htp_text text = {.arena = &o->arena};
    htp_text_addf(&text, "%s", call->schema->kind);
    oracle_write_operands(&text, inputs, call->count, false);
    return htp_text_string(&text);
}

const char *oracle_way_name(oracle *o, const oracle_way *way)
{
    static const char *const layouts[ORACLE_LAYOUT_COUNT] = {
        "given", "dense", "transposed", "reversed", "channels-last", "expanded", "sliced"};
    static const char *const choices[ORACLE_CHOICE_COUNT] = {"", "/first", "/others"};
    return htp_arena_printf(&o->arena, "%s%s", layouts[way->layout], choices[way->choice]);
}
