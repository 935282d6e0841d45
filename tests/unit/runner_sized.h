/*
 * Operators of the made-up runner that round, take sizes and positions, or read flags off contents.
 */
#ifndef HTP_TESTS_RUNNER_SIZED_H
#define HTP_TESTS_RUNNER_SIZED_H

#include "runner_looks.h"

/** floor_divide() of real tensors without dims. */
static inline htp_run_code runner_floor_divide(runner_call *c)
{
    const htp_runner_tensor *a = runner_given(c, 0);
    const htp_runner_tensor *b = runner_given(c, 1);
    htp_run_code code = runner_broadcast(c);
    if (code == HTP_RUN_OK && c->output->as.tensor->is_real && a && b) {
        int64_t by = runner_of(b)->numbers[0];
        runner_of(c->output->as.tensor)->numbers[0] = by ? runner_of(a)->numbers[0] / by : 0;
    }
    return code;
}

/** arange(start, end, step, ...): whole numbers. */
static inline htp_run_code runner_arange_in_steps(runner_call *c)
{
    int64_t begin = runner_number(c, 0);
    int64_t step = runner_number(c, 2) > 0 ? runner_number(c, 2) : 1;
    int64_t size = (runner_number(c, 1) - begin + step - 1) / step;
    if (size < 0) {
        return runner_raise(c, "upper bound is below the lower one");
    }
    runner_tensor *made =
        runner_new(c->runner, HTP_SCALAR_LONG, &size, 1, NULL, c->mode == HTP_RUN_AS_IS);
    for (int64_t i = 0; made->view.is_real && i < size; i++) {
        made->numbers[i] = begin + i * step;
    }
    return runner_give(c, &made->view);
}

/** topk(self, k, dim, ...): values, and where they are. */
static inline htp_run_code runner_topk(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t at = x ? runner_dim(c, 2, x->rank) : -1;
    int64_t dims[HTP_MAX_RANK];
    if (at < 0 || runner_number(c, 1) < 0 || runner_number(c, 1) > x->dims[at]) {
        return runner_raise(c, "selected index k out of range");
    }
    memcpy(dims, x->dims, x->rank * sizeof(int64_t));
    dims[at] = runner_number(c, 1);
    (void)runner_give_sizes(c, HTP_SCALAR_LONG, dims, x->rank);
    c->output[1] = c->output[0];
    *c->output_count = 2;
    return runner_give_sizes(c, x->type, dims, x->rank);
}

/** view(dtype): the memory as elements of another type. */
static inline htp_run_code runner_view_as_type(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    runner_tensor *made =
        runner_new(c->runner, (int32_t)runner_number(c, 1), x->dims, x->rank, x->strides, false);
    made->view.storage = x->storage;
    made->view.offset = x->offset;
    return runner_give(c, &made->view);
}

/** A flag that only a kernel with contents gives. */
static inline htp_run_code runner_flag_of_contents(runner_call *c)
{
    return c->mode == HTP_RUN_SIZES ? HTP_RUN_NO_KERNEL : runner_give_bool(c, true);
}

/** A list of such flags. */
static inline htp_run_code runner_flags_of_contents(runner_call *c)
{
    static const htp_operand flags[] = {{.kind = HTP_OPERAND_BOOL, .as.b = true}};
    *c->output =
        (htp_operand){.kind = HTP_OPERAND_LIST, .type = HTP_NONE, .count = 1, .as.elements = flags};
    return c->mode == HTP_RUN_SIZES ? HTP_RUN_NO_KERNEL : HTP_RUN_OK;
}

#endif
