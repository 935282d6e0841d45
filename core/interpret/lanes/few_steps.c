/*
 * Operators that libtorch runs step by step along a dim, without contents, too: the sizes of their
 * outputs follow from a few steps.
 */
#include "interpret/lanes/execute.h"

#include <string.h>

enum { FEW_STEPS = 4 };

static bool goes_step_by_step(const htp_program_schema *schema)
{
    return htp_has_fact(schema->name, HTP_FACT_STEP_BY_STEP) &&
           strcmp(schema->overload, "input") == 0;
}

/* A tensor's sizes but for one of them. */
static const int64_t *dims_with(htp_machine *m, const htp_runner_tensor *tensor, uint32_t dim,
                                int64_t size)
{
    int64_t *dims = HTP_NEW_ARRAY(m->arena, int64_t, tensor->rank);
    memcpy(dims, tensor->dims, tensor->rank * sizeof(*dims));
    dims[dim] = size;
    return dims;
}

/* The operator on the first few steps. */
static htp_outcome run_beginning(htp_machine *m, const htp_call *call, const htp_operand *given,
                                 size_t count, uint32_t dim, htp_operand **outputs,
                                 size_t *output_count)
{
    const htp_runner_tensor *sequence = given[0].as.tensor;
    htp_operand *operands = HTP_NEW_ARRAY(m->arena, htp_operand, count);
    memcpy(operands, given, count * sizeof(*operands));
    const htp_making making = {.way = HTP_MAKE_VIEW,
                               .of = sequence,
                               .rank = sequence->rank,
                               .dims = dims_with(m, sequence, dim, FEW_STEPS),
                               .strides = sequence->strides,
                               .offset = sequence->offset};
    HTP_DO(htp_tensor_make(m, &making, &operands[0].as.tensor));
    return htp_schema_run(m, call->schema_number, HTP_RUN_SIZES, operands, count, outputs,
                          output_count);
}

/* Nothing is done because there are few steps, or the operator takes none; or libtorch refuses
 * them, and tells so with the sizes given. */
htp_outcome htp_call_run_few_steps(htp_machine *m, const htp_call *call, const htp_operand *given,
                                   size_t count, htp_operand **outputs, size_t *output_count,
                                   bool *is_done)
{
    *is_done = false;
    if (!goes_step_by_step(&call->schema) || count == 0 ||
        given[count - 1].kind != HTP_OPERAND_BOOL) {
        return HTP_GOES_ON;
    }
    if (given[0].kind != HTP_OPERAND_TENSOR) {
        return htp_machine_stop(m, HTP_FAILS, "expected a tensor");
    }
    uint32_t dim = given[count - 1].as.b;
    if (given[0].as.tensor->rank < 2 || given[0].as.tensor->dims[dim] <= FEW_STEPS) {
        return HTP_GOES_ON;
    }
    htp_outcome outcome = run_beginning(m, call, given, count, dim, outputs, output_count);
    if (outcome == HTP_FAILS || outcome == HTP_NO_KERNEL) {
        return HTP_GOES_ON;
    }
    HTP_DO(outcome);
    if (*output_count == 0 || (*outputs)[0].kind != HTP_OPERAND_TENSOR ||
        (*outputs)[0].as.tensor->rank <= dim) {
        return htp_machine_stop(m, HTP_FAILS, "%s gives no sequence", call->schema.kind);
    }
    const htp_runner_tensor *few = (*outputs)[0].as.tensor;
    uint32_t *order = HTP_NEW_ARRAY(m->arena, uint32_t, few->rank);
    htp_tensor_order(few, order);
    htp_runner_tensor all = *few;
    all.dims = dims_with(m, few, dim, given[0].as.tensor->dims[dim]);
    *is_done = true;
    return htp_tensor_ordered(m, &all, order, &(*outputs)[0].as.tensor);
}
