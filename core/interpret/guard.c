/*
 * What is asked before an operator runs: whether its operands are such that it may.
 */
#include "interpret/operand_checks.h"

#include "interpret/execute.h"

#include <stdarg.h>
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

htp_guard htp_guard_find(const char *name, bool has_texts)
{
    return (htp_guard){.check = htp_operand_check_find(name),
                       .cost = has_texts ? htp_text_cost_find(name) : NULL};
}

bool htp_guard_allows(const htp_guard *guard, const htp_operands *operands, double *text_work,
                      htp_shim_error *reason)
{
    return (!guard->check || guard->check(operands, reason)) &&
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

/* ---- operators of the program ---- */

/* Types of operators are libtorch's: no file nests them. */
static bool is_about_texts(const htp_program *program, uint32_t number)
{
    if (number == HTP_PROGRAM_NONE) {
        return false;
    }
    const htp_program_type *type = &program->types[number];
    bool is_about = type->kind == HTP_TYPE_STRING;
    bool is_looked_into = type->kind != HTP_TYPE_CLASS; /* which may hold itself */
    for (uint32_t i = 0; is_looked_into && i < type->part_count && !is_about; i++) {
        is_about = is_about_texts(program, type->parts[i]);
    }
    return is_about;
}

static bool have_texts(const htp_program *program, const htp_program_argument *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_about_texts(program, all[i].type)) {
            return true;
        }
    }
    return false;
}

/* Looked up once for each schema. */
static const htp_guard *guard_of(htp_machine *m, uint32_t number)
{
    while (m->guards.count <= number) {
        HTP_PUSH(m->arena, &m->guards, NULL);
    }
    htp_guard **guard = &m->guards.items[number];
    if (!*guard) {
        const htp_program_schema *schema = &m->program->schemas[number];
        bool has_texts = have_texts(m->program, schema->arguments, schema->argument_count) ||
                         have_texts(m->program, schema->returns, schema->return_count);
        *guard = HTP_NEW(m->arena, htp_guard);
        **guard = htp_guard_find(schema->name, has_texts);
    }
    return *guard;
}

static bool gives_int(const htp_machine *m, const htp_program_schema *schema)
{
    return schema->return_count == 1 && schema->returns[0].type != HTP_PROGRAM_NONE &&
           m->program->types[schema->returns[0].type].kind == HTP_TYPE_INT;
}

bool htp_schema_may_run(htp_machine *m, uint32_t number, htp_run_mode mode,
                        const htp_operand *inputs, size_t count, htp_shim_error *reason)
{
    const htp_guard *guard = guard_of(m, number);
    const htp_program_schema *schema = &m->program->schemas[number];
    const htp_operands operands = {.all = inputs,
                                   .count = count,
                                   .arguments = schema->arguments,
                                   .argument_count = schema->argument_count,
                                   .gives_int = gives_int(m, schema),
                                   .are_made_real = mode == HTP_RUN_ONES || mode == HTP_RUN_ZEROES,
                                   .runner = m->runner};
    return htp_guard_allows(guard, &operands, &m->text_work, reason);
}
