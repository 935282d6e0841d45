/*
 * What is asked before an operator runs: whether its operands are such that it may.
 */
#include "interpret/operators/operand_checks.h"

#include "interpret/operators/facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool htp_operands_refuse(htp_shim_error *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason->message, sizeof(reason->message), format, arguments);
    va_end(arguments);
    return false;
}

int htp_row_compare(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

/* ---- dtypes, layouts and memory formats ---- */

typedef struct enumeration {
    const char *ending; /* of an argument's name: "out_dtype" */
    const char *what;
    size_t count; /* how many there are: a fact of the runner */
} enumeration;

/* What an argument's numbers stand for; NULL: for themselves. */
static const enumeration *find_enumeration(const char *name)
{
    static const enumeration all[] = {
        {"dtype", "dtype", offsetof(htp_runner_facts, dtypes)},
        {"type1", "dtype", offsetof(htp_runner_facts, dtypes)},
        {"type2", "dtype", offsetof(htp_runner_facts, dtypes)},
        {"layout", "layout", offsetof(htp_runner_facts, layouts)},
        {"memory_format", "memory format", offsetof(htp_runner_facts, memory_formats)},
    };
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        size_t ending = strlen(all[i].ending);
        if (length >= ending && strcmp(name + length - ending, all[i].ending) == 0) {
            return &all[i];
        }
    }
    return NULL;
}

bool htp_operands_are_known(const htp_operands *operands, htp_shim_error *reason)
{
    for (size_t i = 0; i < operands->count && i < operands->argument_count; i++) {
        const enumeration *of = operands->all[i].kind == HTP_OPERAND_INT && operands->runner
                                    ? find_enumeration(operands->arguments[i].name)
                                    : NULL;
        if (!of) {
            continue;
        }
        const htp_runner_facts *facts = operands->runner->facts(operands->runner->self);
        int64_t count = *(const int64_t *)((const char *)facts + of->count);
        int64_t number = operands->all[i].as.i;
        if (number < 0 || number >= count) {
            return htp_operands_refuse(reason, "there is no %s %" PRId64, of->what, number);
        }
    }
    return true;
}

/* ---- guards ---- */

htp_guard htp_guard_find(const char *name, bool has_texts)
{
    return (htp_guard){.check = htp_operand_check_find(name),
                       .cost = has_texts ? htp_text_cost_find(name) : NULL};
}

bool htp_guard_allows(const htp_guard *guard, const htp_operands *operands, double *text_work,
                      htp_shim_error *reason)
{
    return htp_operands_are_known(operands, reason) &&
           (!guard->check || guard->check(operands, reason)) &&
           (!guard->cost ||
            htp_text_charge(guard->cost, operands->all, operands->count, text_work, reason));
}

/* ---- operators that libtorch runs by itself ---- */

/* Whether texts stand among the types of a schema, as a word of their own: "str[]". */
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

bool htp_operation_may_run(const htp_shim_operation *operation, double *text_work,
                           htp_shim_error *reason)
{
    const htp_guard guard = htp_guard_find(operation->name, tells_of_texts(operation->schema));
    const htp_operands operands = {.all = operation->operands,
                                   .count = operation->operand_count,
                                   .gives_int = tells_of_int(operation->schema)};
    return htp_guard_allows(&guard, &operands, text_work, reason);
}
