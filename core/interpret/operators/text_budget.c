/*
 * The budget of operators on texts.
 */
#include "base/text.h"
#include "interpret/operators/operand_checks.h"

#include <math.h>
#include <stdlib.h>

static const double number_text = 32; /* characters of a formatted number */

enum { MAX_PARTS = 1 << 20 }; /* of a formatted value */

/* ---- sizes ---- */

static bool is_text(const htp_operand *value)
{
    return value->kind == HTP_OPERAND_STRING;
}

static double text_size(const htp_operand *value)
{
    double size = is_text(value) ? (double)value->bytes : 0;
    for (uint32_t i = 0; value->kind == HTP_OPERAND_LIST && i < value->count; i++) {
        const htp_operand *element = &value->as.elements[i];
        size += is_text(element) ? (double)element->bytes : 0;
    }
    return size;
}

static double sum_of_texts(const htp_operand *operands, size_t count)
{
    double size = 0;
    for (size_t i = 0; i < count; i++) {
        size += text_size(&operands[i]);
    }
    return size;
}

static double joined(const htp_operand *operands, size_t count)
{
    bool has_list = count == 2 && operands[1].kind == HTP_OPERAND_LIST;
    double between = has_list ? operands[1].count * text_size(&operands[0]) : 0;
    return sum_of_texts(operands, count) + between;
}

/* The length of a formatted value; unknown parts may have any length. Shared parts are written
 * repeatedly; the describer of operands limits nesting. */
static double written_size(const htp_operand *value, size_t *parts)
{
    bool has_parts = value->kind == HTP_OPERAND_LIST || value->kind == HTP_OPERAND_TUPLE;
    double size = is_text(value)                     ? (double)value->bytes
                  : value->kind == HTP_OPERAND_OTHER ? INFINITY
                                                     : number_text;
    *parts += has_parts ? value->count : 0;
    for (uint32_t i = 0; has_parts && i < value->count && *parts <= MAX_PARTS; i++) {
        size += written_size(&value->as.elements[i], parts);
    }
    return *parts > MAX_PARTS ? INFINITY : size;
}

static double written(const htp_operand *operands, size_t count)
{
    double size = 0;
    for (size_t i = 0; i < count; i++) {
        size_t parts = 0;
        size += written_size(&operands[i], &parts);
    }
    return size;
}

/* Each character may be replaced. */
static double replaced(const htp_operand *operands, size_t count)
{
    return (text_size(&operands[0]) + 1) * (count > 2 ? text_size(&operands[2]) + 1 : 1);
}

/* The number operand after a text, or 0. */
static double number_behind(const htp_operand *operands, size_t count)
{
    return count > 1 && operands[1].kind == HTP_OPERAND_INT ? (double)operands[1].as.i : 0;
}

static double with_tabs(const htp_operand *operands, size_t count)
{
    return (text_size(&operands[0]) + 1) * fmax(number_behind(operands, count), 1);
}

static double widened(const htp_operand *operands, size_t count)
{
    return fmax(number_behind(operands, count), 0) + sum_of_texts(operands, count);
}

/* Each position of one text may be compared with the whole other one. */
static double searched(const htp_operand *operands, size_t count)
{
    double product = 1;
    for (size_t i = 0; i < count; i++) {
        product *= text_size(&operands[i]) + 1;
    }
    return product;
}

/* ---- costs ---- */

typedef double size_of_text(const htp_operand *operands, size_t count);

struct htp_text_cost {
    const char *name;
    size_of_text *made; /* length of the longest result */
    size_of_text *work; /* work beyond one pass over all texts; NULL */
};

/* Operators that take more than one pass over their texts, sorted as by strcmp(). */
static const htp_text_cost costs[] = {
    {"aten::__contains__", sum_of_texts, searched},
    {"aten::center", widened, NULL},
    {"aten::count", sum_of_texts, searched},
    {"aten::expandtabs", with_tabs, NULL},
    {"aten::find", sum_of_texts, searched},
    {"aten::format", written, NULL},
    {"aten::index", sum_of_texts, searched},
    {"aten::join", joined, NULL},
    {"aten::ljust", widened, NULL},
    {"aten::lstrip", sum_of_texts, searched},
    {"aten::partition", sum_of_texts, searched},
    {"aten::percentFormat", written, NULL},
    {"aten::replace", replaced, searched},
    {"aten::rfind", sum_of_texts, searched},
    {"aten::rindex", sum_of_texts, searched},
    {"aten::rjust", widened, NULL},
    {"aten::rpartition", sum_of_texts, searched},
    {"aten::rsplit", sum_of_texts, searched},
    {"aten::rstrip", sum_of_texts, searched},
    {"aten::split", sum_of_texts, searched},
    {"aten::str", written, NULL},
    {"aten::strip", sum_of_texts, searched},
    {"aten::zfill", widened, NULL},
};

const htp_text_cost *htp_text_cost_find(const char *name)
{
    static const htp_text_cost plain = {"", sum_of_texts, NULL};
    const htp_text_cost *found =
        bsearch(name, costs, sizeof(costs) / sizeof(costs[0]), sizeof(costs[0]), htp_row_compare);
    return found ? found : &plain;
}

static bool may_be(double number, htp_limit limit, htp_operand_budget *budget, htp_error *reason)
{
    return number <= (double)htp_limit_value(budget->limits, limit) ||
           htp_operands_exceed(budget, limit, reason);
}

/* libtorch replaces an empty text without end. */
static bool is_endless(const htp_text_cost *cost, const htp_operand *operands, size_t count)
{
    return cost->made == replaced && count > 1 && is_text(&operands[1]) && operands[1].bytes == 0;
}

bool htp_text_charge(const htp_text_cost *cost, const htp_operand *operands, size_t count,
                     htp_operand_budget *budget, htp_error *reason)
{
    if (count == 0) {
        return true;
    }
    if (is_endless(cost, operands, count)) {
        return htp_operands_refuse(reason, "it replaces an empty text, which libtorch does without "
                                           "end");
    }
    double made = cost->made(operands, count);
    if (isinf(made)) {
        return htp_operands_refuse(reason, "it writes a value of unknown length, or of too many "
                                           "parts");
    }
    if (!may_be(made, HTP_LIMIT_CHARACTERS, budget, reason)) {
        return false;
    }
    budget->text_work += sum_of_texts(operands, count) + made;
    budget->text_work += cost->work ? cost->work(operands, count) : 0;
    return may_be(budget->text_work, HTP_LIMIT_TEXT_WORK, budget, reason);
}
