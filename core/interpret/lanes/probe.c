/*
 * Operators without a meta kernel: the real kernel runs on tensors of zeros and of ones (probes),
 * which shows the output sizes.
 */
#include "interpret/lanes/execute.h"

#include <string.h>

static htp_outcome refuse(htp_machine *m)
{
    return htp_machine_stop(m, HTP_UNSUPPORTED,
                            "this libtorch has no meta kernel for its "
                            "output's size");
}

/* ---- the size of probes ---- */

/* Operators of libtorch have rules (meta/) or meta kernels. For anything else, probes must be
 * small, so that an export never pays for needless arithmetic. */
enum { MAX_ELEMENTS = 4096 };

static bool is_small(const htp_operand *operands, size_t count)
{
    bool is = true;
    for (size_t i = 0; i < count && is; i++) {
        const htp_operand *operand = &operands[i];
        bool holds = operand->kind == HTP_OPERAND_LIST || operand->kind == HTP_OPERAND_TUPLE;
        is = holds ? is_small(operand->as.elements, operand->count)
                   : operand->kind != HTP_OPERAND_TENSOR ||
                         operand->as.tensor->elements <= MAX_ELEMENTS;
    }
    return is;
}

/* Records operators of loaded libraries: the export reports that they ran. */
static void note_run(htp_machine *m, const htp_program_schema *schema)
{
    for (size_t i = 0; i < m->recording.run_on_probes.count; i++) {
        if (strcmp(m->recording.run_on_probes.items[i], schema->kind) == 0) {
            return;
        }
    }
    HTP_PUSH(m->arena, &m->recording.run_on_probes, schema->kind);
}

/* ---- runs ---- */

/* The outputs for probes of ones or zeroes. @p refusal is the outcome of a kernel that refuses
 * them: a division by zero, an index of one out of range; otherwise HTP_GOES_ON. */
static htp_outcome try_probes(htp_machine *m, const htp_call *call, size_t lane, htp_run_mode mode,
                              htp_operand **outputs, size_t *count, htp_outcome *refusal)
{
    bool hides = htp_operator_trusts_contents(&call->schema);
    htp_operand *operands = NULL;
    HTP_DO(htp_call_operands(m, call, lane, hides ? htp_tensor_hide : NULL, &operands));
    if (call->schema.is_loaded) {
        note_run(m, &call->schema);
    } else if (!is_small(operands, call->inputs.count)) {
        return refuse(m);
    }
    htp_outcome outcome =
        htp_schema_run(m, call->schema_number, mode, operands, call->inputs.count, outputs, count);
    if (outcome == HTP_TOO_LARGE) {
        return refuse(m);
    }
    bool is_refused = outcome == HTP_FAILS || outcome == HTP_NO_KERNEL;
    *refusal = is_refused ? outcome : HTP_GOES_ON;
    return is_refused ? HTP_GOES_ON : outcome;
}

/* The argument whose memory an operator changes or returns; their number if there is none. */
static uint32_t find_shared(const htp_program_schema *schema)
{
    uint32_t index = 0;
    while (index < schema->argument_count && !schema->arguments[index].is_alias &&
           !schema->arguments[index].is_written) {
        index++;
    }
    return index;
}

/* An in-place result is the operand. */
static htp_outcome give_operand(htp_machine *m, const htp_call *call, uint32_t index, size_t lane,
                                htp_operand **outputs, size_t *count)
{
    if (!call->schema.arguments[index].is_written || call->schema.return_count != 1) {
        return refuse(m);
    }
    *outputs = HTP_NEW(m->arena, htp_operand);
    *count = 1;
    return htp_call_operand(m, call, index, lane, HTP_MODE_SIZES, *outputs);
}

static bool have_same_sizes(const htp_operand *a, const htp_operand *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i].kind == HTP_OPERAND_TENSOR &&
            (b[i].kind != HTP_OPERAND_TENSOR ||
             !htp_tensor_has_same_dims(a[i].as.tensor, b[i].as.tensor))) {
            return false;
        }
    }
    return true;
}

/* Whether all outputs are tensors: a number read from a probe says nothing about the real tensor,
 * even if all probes agree. */
static bool are_tensors(const htp_operand *outputs, size_t count)
{
    bool are = true;
    for (size_t i = 0; i < count && are; i++) {
        bool holds = outputs[i].kind == HTP_OPERAND_LIST || outputs[i].kind == HTP_OPERAND_TUPLE;
        are = holds ? are_tensors(outputs[i].as.elements, outputs[i].count)
                    : outputs[i].kind == HTP_OPERAND_TENSOR || outputs[i].kind == HTP_OPERAND_NONE;
    }
    return are;
}

htp_outcome htp_call_probe(htp_machine *m, const htp_call *call, size_t lane, htp_operand **outputs,
                           size_t *count)
{
    uint32_t shared = find_shared(&call->schema);
    if (shared < call->schema.argument_count) {
        return give_operand(m, call, shared, lane, outputs, count);
    }
    if (htp_operator_is_unchecked(&call->schema)) {
        return refuse(m);
    }
    htp_operand *ones = NULL;
    htp_operand *zeroes = NULL;
    size_t one_count = 0;
    size_t zero_count = 0;
    htp_outcome ones_refused = HTP_FAILS;
    htp_outcome zeroes_refused = HTP_GOES_ON;
    if (!htp_operator_trusts_contents(&call->schema)) {
        HTP_DO(try_probes(m, call, lane, HTP_RUN_ONES, &ones, &one_count, &ones_refused));
    }
    HTP_DO(try_probes(m, call, lane, HTP_RUN_ZEROES, &zeroes, &zero_count, &zeroes_refused));
    bool has_ones = ones_refused == HTP_GOES_ON;
    bool has_zeroes = zeroes_refused == HTP_GOES_ON;
    if (!has_ones && !has_zeroes) {
        return zeroes_refused;
    }
    if (has_ones && has_zeroes &&
        (one_count != zero_count || !have_same_sizes(zeroes, ones, one_count))) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "its output's size depends on the data");
    }
    *outputs = has_zeroes ? zeroes : ones;
    *count = has_zeroes ? zero_count : one_count;
    return are_tensors(*outputs, *count)
               ? HTP_GOES_ON
               : htp_machine_stop(m, HTP_UNSUPPORTED,
                                  "it returns something other than a tensor, which may depend on "
                                  "the data");
}
