#include "replay/operators.h"

#include "base/dtype.h"
#include "base/text.h"
#include "interpret/operators/operand_checks.h"
#include "interpret/operators/operator_facts.h"
#include "onnx/serialize/payload.h"

#include <stdlib.h>
#include <string.h>

uint32_t htp_replay_find(const htp_replay_means *means, const char *kind)
{
    const char *dot = strchr(kind, '.');
    size_t length = dot ? (size_t)(dot - kind) : strlen(kind);
    const char *name = htp_arena_printf(means->arena, "%.*s", (int)length, kind);
    const uint32_t found = means->runner->find(means->runner->self, name, dot ? dot + 1 : "");
    if (found == HTP_NONE && means->runner->lacks_memory(means->runner->self)) {
        htp_arena_exhaust(means->arena);
    }
    return found;
}

bool htp_replay_may_run(const htp_program_schema *schema)
{
    bool is_safe = !htp_operator_is_unchecked(schema) && !htp_operator_trusts_contents(schema);
    return htp_operator_may_run(schema) && (is_safe || htp_replay_has_check(schema));
}

bool htp_replay_allows(const htp_replay_means *means, uint32_t schema, const htp_operand *inputs,
                       uint32_t count, htp_error *reason)
{
    htp_operand_budget budget = {.limits = means->model->limits};
    const htp_program_schema *facts = &means->program->schemas[schema];
    const htp_guard guard = htp_guard_find(facts->name, false);
    const htp_operands operands = {.all = inputs,
                                   .count = count,
                                   .arguments = facts->arguments,
                                   .argument_count = facts->argument_count,
                                   .runner = means->runner,
                                   .budget = &budget};
    return htp_guard_allows(&guard, &operands, reason) &&
           htp_replay_check(means, schema, inputs, count, reason);
}

/* A number for a list of fixed length stands for all its elements: "int[2] dilation=1". */
static void repeat_number(htp_arena *arena, uint32_t length, htp_operand *number)
{
    htp_operand *elements = HTP_NEW_ARRAY(arena, htp_operand, length);
    for (uint32_t i = 0; i < length; i++) {
        elements[i] = *number;
    }
    *number = (htp_operand){.kind = HTP_OPERAND_LIST, .count = length, .as.elements = elements};
}

void htp_replay_declare_lists(htp_arena *arena, const htp_program_schema *schema,
                              htp_operand *inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = schema->arguments[i].fixed_length;
        if (length > 0 &&
            (inputs[i].kind == HTP_OPERAND_INT || inputs[i].kind == HTP_OPERAND_FLOAT)) {
            repeat_number(arena, length, &inputs[i]);
        }
        bool is_empty = inputs[i].kind == HTP_OPERAND_LIST && inputs[i].count == 0;
        inputs[i].type = is_empty ? schema->arguments[i].type : HTP_NONE;
    }
}

/* ---- operands ---- */

bool htp_replay_plain(const htp_trace_value *value, uint32_t lane, htp_operand *operand)
{
    *operand = (htp_operand){.type = HTP_NONE};
    switch (value->kind) {
    case HTP_TRACE_NOTHING:
        return true;
    case HTP_TRACE_STRING:
        operand->kind = HTP_OPERAND_STRING;
        operand->as.text = value->s;
        operand->bytes = value->s_bytes;
        return true;
    case HTP_TRACE_INT:
        operand->kind = HTP_OPERAND_INT;
        operand->as.i = value->i[lane];
        return true;
    case HTP_TRACE_BOOL:
        operand->kind = HTP_OPERAND_BOOL;
        operand->as.b = value->i[lane] != 0;
        return true;
    case HTP_TRACE_FLOAT:
        operand->kind = HTP_OPERAND_FLOAT;
        operand->as.f = value->f[lane];
        return true;
    default:
        return false;
    }
}

static htp_run_code make_tensor(const htp_replay_means *means, const htp_trace_value *value,
                                const int64_t *dims, const void *bytes, size_t count,
                                htp_operand *operand)
{
    htp_error error;
    const htp_making making = {.way = HTP_MAKE_OF_BYTES,
                               .type = htp_dtype_scalar_type(value->dtype),
                               .rank = value->rank,
                               .dims = dims,
                               .bytes = bytes,
                               .byte_count = count};
    *operand = (htp_operand){.kind = HTP_OPERAND_TENSOR, .type = HTP_NONE};
    return making.type >= 0
               ? means->runner->make(means->runner->self, &making, &operand->as.tensor, &error)
               : HTP_RUN_UNSUPPORTED;
}

bool htp_replay_tensor(const htp_replay_means *means, const htp_trace_value *value,
                       const int64_t *dims, const void *bytes, size_t count, htp_operand *operand)
{
    return htp_replay_has_run(means, make_tensor(means, value, dims, bytes, count, operand));
}

/* Its bytes are freed as soon as the runner has a copy. */
bool htp_replay_weight(htp_replay_means *means, const htp_trace_value *value, uint64_t most,
                       htp_operand *operand)
{
    htp_builder *model = means->model;
    htp_tensor_id tensor = htp_builder_weight(model, value->weight);
    const htp_initializer *weight = &model->initializers.items[model->tensors.items[tensor].index];
    uint64_t count = 0;
    if (!means->payload) {
        means->payload = HTP_NEW(means->arena, htp_payload);
    }
    htp_status status = htp_payload_check(model, weight, &count);
    bool fits = !status && count <= most;
    htp_status_free(status);
    if (!fits) {
        return false;
    }
    char *bytes = malloc(count + 1);
    if (!bytes) {
        htp_arena_exhaust(means->arena);
    }
    htp_run_code code = htp_payload_copy(means->payload, model, weight, bytes, count)
                            ? make_tensor(means, value, value->dims[0], bytes, count, operand)
                            : HTP_RUN_UNSUPPORTED;
    free(bytes);
    return htp_replay_has_run(means, code);
}
