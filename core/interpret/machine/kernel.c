/*
 * Runs single kernels, after checking whether they may run on their operands.
 */
#include "interpret/machine/kernel.h"

#include "interpret/operators/message.h"

#include <string.h>

htp_outcome htp_schema_find(htp_machine *m, const char *name, const char *overload,
                            uint32_t *schema)
{
    *schema = m->runner->find(m->runner->self, name, overload);
    return *schema == HTP_NONE
               ? htp_machine_stop(m, HTP_UNSUPPORTED, "this libtorch has no operator %s", name)
               : HTP_GOES_ON;
}

/* ---- checks of operands ---- */

/* Whether a type contains texts. The recursion is bounded: types of schemas are libtorch's, not the
 * file's. */
static bool is_about_texts(const htp_program *program, uint32_t number)
{
    if (number == HTP_NONE) {
        return false;
    }
    const htp_program_type *type = &program->types[number];
    bool is_about = type->kind == HTP_TYPE_STRING;
    bool is_looked_into = type->kind != HTP_TYPE_CLASS; /* it may contain itself */
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

/* The guard of a schema, found once. */
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
    return schema->return_count == 1 && schema->returns[0].type != HTP_NONE &&
           m->program->types[schema->returns[0].type].kind == HTP_TYPE_INT;
}

bool htp_schema_may_run(htp_machine *m, uint32_t number, htp_run_mode mode,
                        const htp_operand *inputs, size_t count, htp_error *reason)
{
    const htp_guard *guard = guard_of(m, number);
    const htp_program_schema *schema = &m->program->schemas[number];
    const htp_operands operands = {.all = inputs,
                                   .count = count,
                                   .arguments = schema->arguments,
                                   .argument_count = schema->argument_count,
                                   .gives_int = gives_int(m, schema),
                                   .are_made_real = mode == HTP_RUN_ONES || mode == HTP_RUN_ZEROES,
                                   .runner = m->runner,
                                   .budget = &m->budget};
    return htp_guard_allows(guard, &operands, reason);
}

/* ---- running it ---- */

htp_outcome htp_outcome_of_run(htp_machine *m, htp_run_code code, htp_error *error)
{
    if (code != HTP_RUN_OK) {
        htp_message_shorten(error);
    }
    switch (code) {
    case HTP_RUN_OK:
        return HTP_GOES_ON;
    case HTP_RUN_RAISED:
        return htp_machine_stop(m, HTP_FAILS, "%s", error->message);
    case HTP_RUN_NO_KERNEL:
        return htp_machine_stop(m, HTP_NO_KERNEL, "%s", error->message);
    case HTP_RUN_UNSUPPORTED:
        return htp_machine_stop(m, HTP_UNSUPPORTED, "%s", error->message);
    case HTP_RUN_TOO_LARGE:
        return htp_machine_stop(m, HTP_TOO_LARGE, "%s", error->message);
    case HTP_RUN_NO_MEMORY:
        break;
    }
    return htp_machine_stop(m, HTP_BREAKS, "out of memory");
}

htp_operand *htp_operands_copy(htp_machine *m, const htp_operand *operands, size_t count)
{
    htp_operand *copy = HTP_NEW_ARRAY(m->arena, htp_operand, count);
    if (count) {
        memcpy(copy, operands, count * sizeof(*operands));
    }
    return copy;
}

htp_outcome htp_schema_run(htp_machine *m, uint32_t schema, htp_run_mode mode,
                           const htp_operand *inputs, size_t count, htp_operand **outputs,
                           size_t *output_count)
{
    const htp_operand *made = NULL;
    uint32_t made_count = 0;
    htp_error error = {{0}};
    htp_run_code code = HTP_RUN_RAISED;
    if (htp_schema_may_run(m, schema, mode, inputs, count, &error)) {
        code = m->runner->run(m->runner->self, schema, mode, inputs, (uint32_t)count, &made,
                              &made_count, &error);
    } else if (m->budget.is_exceeded) {
        code = HTP_RUN_UNSUPPORTED;
    }
    HTP_DO(htp_outcome_of_run(m, code, &error));
    *outputs = htp_operands_copy(m, made, made_count);
    *output_count = made_count;
    return HTP_GOES_ON;
}

htp_outcome htp_kernel_run(htp_machine *m, const char *name, const char *overload,
                           htp_run_mode mode, const htp_operand *inputs, size_t count,
                           const htp_operand **outputs, uint32_t *output_count)
{
    uint32_t schema;
    HTP_DO(htp_schema_find(m, name, overload, &schema));
    htp_operand *made = NULL;
    size_t made_count = 0;
    HTP_DO(htp_schema_run(m, schema, mode, inputs, count, &made, &made_count));
    *outputs = made;
    *output_count = (uint32_t)made_count;
    return HTP_GOES_ON;
}
