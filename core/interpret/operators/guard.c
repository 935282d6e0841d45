/*
 * Guards: whether an operator may run on its operands.
 */
#include "interpret/operators/operand_checks.h"

#include <string.h>

/* ---- guards ---- */

htp_guard htp_guard_find(const char *name, bool has_texts)
{
    return (htp_guard){.check = htp_operand_check_find(name),
                       .cost = has_texts ? htp_text_cost_find(name) : NULL};
}

bool htp_guard_allows(const htp_guard *guard, const htp_operands *operands, htp_error *reason)
{
    operands->budget->is_exceeded = false;
    return htp_operands_are_known(operands, reason) &&
           (!guard->check || guard->check(operands, reason)) &&
           (!guard->cost ||
            htp_text_charge(guard->cost, operands->all, operands->count, operands->budget, reason));
}

/* ---- operators that libtorch runs on its own ---- */

/* Whether a schema has text types: "str" as a word, as in "str[]". */
static bool tells_of_texts(const char *schema)
{
    static const char word[] = "str";
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    for (const char *at = strchr(schema, '('); at && *at; at += strcspn(at, letters)) {
        size_t length = strspn(at, letters);
        if (length == strlen(word) && strncmp(at, word, length) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}

static bool tells_of_int(const char *schema)
{
    static const char end[] = "-> int";
    size_t length = strlen(schema);
    return length > strlen(end) && strcmp(schema + length - strlen(end), end) == 0;
}

bool htp_operation_is_checked(const char *name, const char *schema)
{
    return tells_of_texts(schema) || htp_operand_check_find(name) != NULL;
}

bool htp_operation_may_run(const htp_constant_operation *operation, htp_operand_budget *budget,
                           htp_error *reason)
{
    const htp_guard guard = htp_guard_find(operation->name, tells_of_texts(operation->schema));
    const htp_operands operands = {.all = operation->operands,
                                   .count = operation->operand_count,
                                   .gives_int = tells_of_int(operation->schema),
                                   .budget = budget};
    return htp_guard_allows(&guard, &operands, reason);
}
