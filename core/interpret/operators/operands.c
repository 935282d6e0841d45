/*
 * Helpers of all operand checks: refusals, and the meaning of numbers.
 */
#include "interpret/operators/operand_checks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool htp_operands_refuse(htp_error *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason->message, sizeof(reason->message), format, arguments);
    va_end(arguments);
    return false;
}

bool htp_operands_exceed(htp_operand_budget *budget, htp_limit limit, htp_error *reason)
{
    budget->is_exceeded = true;
    return htp_operands_refuse(reason, "it takes " HTP_LIMIT_FORMAT,
                               HTP_LIMIT_ARGUMENTS(budget->limits, limit));
}

/* ---- dtypes, layouts and memory formats ---- */

typedef struct enumeration {
    const char *ending; /* suffix of argument names: "out_dtype" */
    const char *what;
    size_t count; /* number of enumerators: a fact of the runner */
} enumeration;

/* The enumeration of an argument's numbers; NULL: plain numbers. */
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

bool htp_operands_are_known(const htp_operands *operands, htp_error *reason)
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
