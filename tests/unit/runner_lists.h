/*
 * Operators of the made-up runner that take or give lists, and what is computed of lists of
 * numbers.
 */
#ifndef HTP_TESTS_RUNNER_LISTS_H
#define HTP_TESTS_RUNNER_LISTS_H

#include "runner_looks.h"

/** Whether a list of numbers has one. */
static inline htp_run_code runner_contains(runner_call *c)
{
    bool has = false;
    for (uint32_t i = 0; i < c->inputs[0].count; i++) {
        has = has || c->inputs[0].as.elements[i].as.i == runner_number(c, 1);
    }
    return runner_give_bool(c, has);
}

static inline htp_run_code runner_or(runner_call *c)
{
    return runner_give_bool(c, c->inputs[0].as.b || c->inputs[1].as.b);
}

static inline htp_run_code runner_flag_of_int(runner_call *c)
{
    return runner_give_bool(c, runner_number(c, 0) != 0);
}

static inline htp_run_code runner_int_of_flag(runner_call *c)
{
    return runner_give_int(c, c->inputs[0].as.b);
}

static inline htp_run_code runner_is_text(runner_call *c)
{
    return runner_give_bool(c, strcmp(c->inputs[0].as.text, c->inputs[1].as.text) == 0);
}

/** Parts of a tensor along a dim, of so many elements each: the last one may be smaller. */
static inline htp_run_code runner_part(runner_call *c, int64_t at, int64_t size, bool is_unbind)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t length = x->dims[at];
    uint32_t count = length == 0 && !is_unbind ? 1 : (uint32_t)((length + size - 1) / size);
    htp_operand *parts = HTP_NEW_ARRAY(c->runner->arena, htp_operand, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        int64_t dims[HTP_MAX_RANK];
        int64_t strides[HTP_MAX_RANK];
        size_t rank = 0;
        int64_t left = length - i * size;
        for (uint32_t dim = 0; dim < x->rank; dim++) {
            if (dim != at || !is_unbind) {
                dims[rank] = dim != at ? x->dims[dim] : left < size ? left : size;
                strides[rank++] = x->strides[dim];
            }
        }
        (void)runner_look(c, dims, rank, strides, i * size * x->strides[at]);
        parts[i] = *c->output;
    }
    *c->output = (htp_operand){.kind = HTP_OPERAND_LIST, .count = count, .as.elements = parts};
    return HTP_RUN_OK;
}

static inline htp_run_code runner_unbind(runner_call *c)
{
    int64_t at = runner_dim(c, 1, runner_given(c, 0)->rank);
    return at < 0 ? runner_raise(c, "Dimension out of range") : runner_part(c, at, 1, true);
}

static inline htp_run_code runner_split(runner_call *c)
{
    int64_t at = runner_dim(c, 2, runner_given(c, 0)->rank);
    int64_t size = runner_number(c, 1);
    return at < 0 || size < 1 ? runner_raise(c, "split expects a positive size")
                              : runner_part(c, at, size, false);
}

static inline htp_run_code runner_chunk(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t at = runner_dim(c, 2, x->rank);
    int64_t chunks = runner_number(c, 1);
    if (at < 0 || chunks < 1) {
        return runner_raise(c, "chunk expects a positive number of chunks");
    }
    int64_t size = (x->dims[at] + chunks - 1) / chunks;
    return runner_part(c, at, size > 0 ? size : 1, false);
}

#endif
