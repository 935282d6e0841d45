/*
 * What the operators of the made-up runner do; runner_table.h names them.
 */
#ifndef HTP_TESTS_RUNNER_RULES_H
#define HTP_TESTS_RUNNER_RULES_H

#include "runner_tensors.h"

/** One run of an operator. */
typedef struct runner_call {
    runner_fixture *runner;
    htp_run_mode mode;
    const htp_operand *inputs;
    uint32_t count;
    htp_operand *output; /* room for RUNNER_OUTPUTS */
    htp_error *error;
    uint32_t *output_count; /* 1 */
} runner_call;

enum { RUNNER_OUTPUTS = 2 };

typedef htp_run_code runner_rule(runner_call *c);

static inline htp_run_code runner_raise(const runner_call *c, const char *message)
{
    snprintf(c->error->message, sizeof(c->error->message), "%s", message);
    return HTP_RUN_RAISED;
}

static inline const htp_runner_tensor *runner_given(const runner_call *c, uint32_t index)
{
    bool is_tensor = index < c->count && c->inputs[index].kind == HTP_OPERAND_TENSOR;
    return is_tensor ? c->inputs[index].as.tensor : NULL;
}

static inline int64_t runner_number(const runner_call *c, uint32_t index)
{
    return index < c->count && c->inputs[index].kind == HTP_OPERAND_INT ? c->inputs[index].as.i : 0;
}

/** A dim, counted from the end where it is negative; -1 where there is none. */
static inline int64_t runner_dim(const runner_call *c, uint32_t index, int64_t rank)
{
    int64_t dim = runner_number(c, index);
    dim += dim < 0 ? rank : 0;
    return dim < rank ? dim : -1;
}

static inline htp_run_code runner_give(runner_call *c, const htp_runner_tensor *tensor)
{
    *c->output = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
    return HTP_RUN_OK;
}

static inline bool runner_all_real(const runner_call *c)
{
    bool all_real = c->mode == HTP_RUN_AS_IS;
    for (uint32_t i = 0; i < c->count; i++) {
        const htp_runner_tensor *given = runner_given(c, i);
        all_real = all_real && (!given || given->is_real);
    }
    return all_real;
}

/** A tensor of the given sizes: real, of noughts, where all that is given is. */
static inline htp_run_code runner_give_sizes(runner_call *c, int32_t type, const int64_t *dims,
                                             size_t rank)
{
    return runner_give(c, &runner_new(c->runner, type, dims, rank, NULL, runner_all_real(c))->view);
}

static inline htp_run_code runner_same(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    return x ? runner_give_sizes(c, x->type, x->dims, x->rank) : runner_raise(c, "no tensor");
}

/** The number that broadcasting puts beside an element of sizes @p dims. */
static inline int64_t runner_beside(const htp_runner_tensor *tensor, const int64_t *dims,
                                    size_t rank, int64_t element)
{
    int64_t at = 0;
    int64_t step = 1;
    for (size_t i = rank, k = tensor->rank; i-- > 0 && k-- > 0;) {
        at += tensor->dims[k] == 1 ? 0 : element % dims[i] * step;
        step *= tensor->dims[k];
        element /= dims[i];
    }
    return runner_of(tensor)->numbers[at];
}

/** Sums or products of real tensors. */
static inline void runner_compute(runner_call *c, bool adds)
{
    const htp_runner_tensor *made = c->output->as.tensor;
    const htp_runner_tensor *a = runner_given(c, 0);
    const htp_runner_tensor *b = runner_given(c, 1);
    for (int64_t i = 0; made->is_real && a && b && i < made->elements; i++) {
        int64_t first = runner_beside(a, made->dims, made->rank, i);
        int64_t second = runner_beside(b, made->dims, made->rank, i);
        runner_of(made)->numbers[i] = adds ? first + second * runner_number(c, 2) : first * second;
    }
}

static inline htp_run_code runner_broadcast(runner_call *c)
{
    const htp_runner_tensor *a = runner_given(c, 0);
    const htp_runner_tensor *b = runner_given(c, 1);
    if (!a || !b) {
        return runner_same(c);
    }
    const htp_runner_tensor *longer = a->rank >= b->rank ? a : b;
    const htp_runner_tensor *shorter = longer == a ? b : a;
    int64_t dims[HTP_MAX_RANK];
    for (uint32_t i = 0; i < longer->rank; i++) {
        uint32_t first = longer->rank - shorter->rank;
        int64_t other = i < first ? 1 : shorter->dims[i - first];
        if (other != longer->dims[i] && other != 1 && longer->dims[i] != 1) {
            return runner_raise(c,
                                htp_arena_printf(c->runner->arena,
                                                 "The size of tensor a (%lld) must match the "
                                                 "size of tensor b (%lld) at dimension %u",
                                                 (long long)(longer == a ? longer->dims[i] : other),
                                                 (long long)(longer == a ? other : longer->dims[i]),
                                                 (unsigned)i));
        }
        dims[i] = longer->dims[i] == 1 ? other : longer->dims[i];
    }
    return runner_give_sizes(c, a->type, dims, longer->rank);
}

static inline htp_run_code runner_add(runner_call *c)
{
    htp_run_code code = runner_broadcast(c);
    if (code == HTP_RUN_OK) {
        runner_compute(c, true);
    }
    return code;
}

static inline htp_run_code runner_mul(runner_call *c)
{
    htp_run_code code = runner_broadcast(c);
    if (code == HTP_RUN_OK) {
        runner_compute(c, false);
    }
    return code;
}

/** In place: it is the first operand, of which the runner is given an alias. */
static inline htp_run_code runner_in_place(runner_call *c)
{
    return runner_given(c, 0) ? runner_give(c, runner_given(c, 0)) : runner_raise(c, "no tensor");
}

/** Adds a number: a real tensor that is given is a copy. */
static inline htp_run_code runner_count_up(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    for (int64_t i = 0; x && x->is_real && i < x->elements; i++) {
        runner_of(x)->numbers[i] += runner_number(c, 1) * runner_number(c, 2);
    }
    return runner_in_place(c);
}

/** The same of two tensors, the second of which is broadcast to the first. */
static inline htp_run_code runner_in_place_of_two(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    htp_run_code code = runner_broadcast(c);
    if (code != HTP_RUN_OK) {
        return code;
    }
    const htp_runner_tensor *all = c->output->as.tensor;
    bool is_same = all->rank == x->rank;
    for (uint32_t i = 0; is_same && i < x->rank; i++) {
        is_same = all->dims[i] == x->dims[i];
    }
    return is_same ? runner_give(c, x)
                   : runner_raise(c, "output does not match the broadcast shape");
}

/** index(self, positions in dim 0) */
static inline htp_run_code runner_index(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    const htp_operand *list = &c->inputs[1];
    int64_t dims[HTP_MAX_RANK];
    size_t rank = 0;
    if (list->kind != HTP_OPERAND_LIST || list->count == 0 || list->count > x->rank ||
        list->as.elements[0].kind != HTP_OPERAND_TENSOR) {
        return runner_raise(c, "too many indices");
    }
    dims[rank++] = list->as.elements[0].as.tensor->elements;
    for (uint32_t i = list->count; i < x->rank; i++) {
        dims[rank++] = x->dims[i];
    }
    return runner_give_sizes(c, x->type, dims, rank);
}

/** cat() and stack(). */
static inline htp_run_code runner_join(runner_call *c, bool is_stack)
{
    const htp_operand *list = &c->inputs[0];
    if (list->kind != HTP_OPERAND_LIST || list->count == 0 ||
        list->as.elements[0].kind != HTP_OPERAND_TENSOR) {
        return runner_raise(c, "expected a non-empty list of Tensors");
    }
    const htp_runner_tensor *first = list->as.elements[0].as.tensor;
    int64_t rank = (int64_t)first->rank + is_stack;
    int64_t at = runner_dim(c, 1, rank);
    int64_t dims[HTP_MAX_RANK + 1];
    if (at < 0) {
        return runner_raise(c, "Dimension out of range");
    }
    for (int64_t i = 0, k = 0; i < rank; i++) {
        dims[i] = is_stack && i == at ? list->count : first->dims[k];
        k += !is_stack || i != at;
    }
    for (uint32_t e = 1; e < list->count; e++) {
        const htp_runner_tensor *other = list->as.elements[e].as.tensor;
        for (uint32_t i = 0; i < first->rank; i++) {
            if (other->rank != first->rank ||
                (other->dims[i] != first->dims[i] && (is_stack || i != at))) {
                return runner_raise(c, "Sizes of tensors must match");
            }
        }
        dims[at] += is_stack ? 0 : other->dims[at];
    }
    return runner_give(c,
                       &runner_new(c->runner, first->type, dims, (size_t)rank, NULL, false)->view);
}

static inline htp_run_code runner_cat(runner_call *c)
{
    return runner_join(c, false);
}

static inline htp_run_code runner_stack(runner_call *c)
{
    return runner_join(c, true);
}

/** The numbers of a list. @return how many there are */
static inline size_t runner_numbers(const runner_call *c, uint32_t index, int64_t *numbers)
{
    const htp_operand *list = &c->inputs[index];
    size_t count = list->kind == HTP_OPERAND_LIST ? list->count : 0;
    for (size_t i = 0; i < count && i < HTP_MAX_RANK; i++) {
        numbers[i] = list->as.elements[i].as.i;
    }
    return count;
}

/** avg_pool1d(self, kernel_size, stride): windows along the last dim. */
static inline htp_run_code runner_pool(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t dims[HTP_MAX_RANK];
    int64_t windows[HTP_MAX_RANK] = {0};
    int64_t steps[HTP_MAX_RANK] = {0};
    (void)runner_numbers(c, 1, windows);
    (void)runner_numbers(c, 2, steps);
    int64_t window = windows[0];
    int64_t step = steps[0];
    int64_t last = x->rank > 0 ? x->dims[x->rank - 1] : 0;
    if (last < window || x->rank == 0 || window < 1 || step < 1) {
        return runner_raise(c, "Output size is too small");
    }
    memcpy(dims, x->dims, x->rank * sizeof(int64_t));
    dims[x->rank - 1] = (last - window) / step + 1;
    return runner_give_sizes(c, x->type, dims, x->rank);
}

static inline htp_run_code runner_zeros(runner_call *c)
{
    int64_t dims[HTP_MAX_RANK];
    size_t rank = runner_numbers(c, 0, dims);
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 0) {
            return runner_raise(c, "a size is negative");
        }
    }
    int32_t type =
        c->inputs[1].kind == HTP_OPERAND_INT ? (int32_t)c->inputs[1].as.i : HTP_SCALAR_FLOAT;
    return runner_give(
        c, &runner_new(c->runner, type, dims, rank, NULL, c->mode == HTP_RUN_AS_IS)->view);
}

/** The first dims of a stack made one: flatten.using_ints(self, start, end). */
static inline htp_run_code runner_flatten(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t first = runner_dim(c, 1, x->rank);
    int64_t last = runner_dim(c, 2, x->rank);
    int64_t dims[HTP_MAX_RANK];
    size_t rank = 0;
    if (first < 0 || last < first) {
        return runner_raise(c, "Dimension out of range");
    }
    for (int64_t i = 0; i < x->rank; i++) {
        bool goes_on = i > first && i <= last;
        dims[goes_on ? rank - 1 : rank] = goes_on ? dims[rank - 1] * x->dims[i] : x->dims[i];
        rank += !goes_on;
    }
    return runner_give_sizes(c, x->type, dims, rank);
}

/** sum(), any() of all elements. */
static inline htp_run_code runner_total(runner_call *c)
{
    return runner_give_sizes(c, runner_given(c, 0)->type, NULL, 0);
}

static inline htp_run_code runner_compare(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    return runner_give_sizes(c, HTP_SCALAR_BOOL, x->dims, x->rank);
}

static inline htp_run_code runner_to(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    return runner_give_sizes(c, (int32_t)runner_number(c, 1), x->dims, x->rank);
}

/** What only the data can tell has no kernel without contents. */
static inline htp_run_code runner_no_kernel(runner_call *c)
{
    (void)c;
    return HTP_RUN_NO_KERNEL;
}

/** pad(self, two widths, "reflect"): each is smaller than the last dim. */
static inline htp_run_code runner_reflect(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t dims[HTP_MAX_RANK];
    int64_t widths[HTP_MAX_RANK] = {0};
    if (x->rank == 0 || runner_numbers(c, 1, widths) != 2 || widths[0] < 0 || widths[1] < 0) {
        return runner_raise(c, "Padding is two widths of the last dimension");
    }
    memcpy(dims, x->dims, x->rank * sizeof(int64_t));
    int64_t *last = &dims[x->rank - 1];
    if (widths[0] >= *last || widths[1] >= *last) {
        return runner_raise(c, "Padding size should be less than the input dimension");
    }
    *last += widths[0] + widths[1];
    return runner_give_sizes(c, x->type, dims, x->rank);
}

/** masked_select(self, mask) of a mask that is known. */
static inline htp_run_code runner_masked_select(runner_call *c)
{
    const htp_runner_tensor *mask = runner_given(c, 1);
    if (c->mode == HTP_RUN_SIZES || !mask->is_real) {
        return HTP_RUN_NO_KERNEL;
    }
    int64_t count = 0;
    for (int64_t i = 0; i < mask->elements; i++) {
        count += runner_of(mask)->numbers[i] != 0;
    }
    return runner_give_sizes(c, runner_given(c, 0)->type, &count, 1);
}

/** There is a kernel for contents alone. */
static inline htp_run_code runner_needs_contents(runner_call *c)
{
    return c->mode == HTP_RUN_SIZES ? HTP_RUN_NO_KERNEL
                                    : runner_give_sizes(c, HTP_SCALAR_FLOAT, NULL, 0);
}

/** The same, and they decide the sizes. */
static inline htp_run_code runner_follows_contents(runner_call *c)
{
    const int64_t size = c->mode == HTP_RUN_ONES ? 1 : 2;
    return c->mode == HTP_RUN_SIZES ? HTP_RUN_NO_KERNEL
                                    : runner_give_sizes(c, HTP_SCALAR_FLOAT, &size, 1);
}

/** A tensor without dims of a number. */
static inline htp_run_code runner_tensor_of(runner_call *c)
{
    int32_t type = c->inputs[0].kind == HTP_OPERAND_BOOL    ? HTP_SCALAR_BOOL
                   : c->inputs[0].kind == HTP_OPERAND_FLOAT ? HTP_SCALAR_DOUBLE
                                                            : HTP_SCALAR_LONG;
    htp_run_code code = runner_give_sizes(c, type, NULL, 0);
    if (c->output->as.tensor->is_real) {
        runner_of(c->output->as.tensor)->numbers[0] = runner_number(c, 0);
    }
    return code;
}

/** arange(end, ...): whole numbers. */
static inline htp_run_code runner_arange(runner_call *c)
{
    int64_t end = runner_number(c, 0);
    if (end < 0) {
        return runner_raise(c, "upper bound is below the lower one");
    }
    runner_tensor *made =
        runner_new(c->runner, HTP_SCALAR_LONG, &end, 1, NULL, c->mode == HTP_RUN_AS_IS);
    for (int64_t i = 0; made->view.is_real && i < end; i++) {
        made->numbers[i] = i;
    }
    return runner_give(c, &made->view);
}

static inline htp_run_code runner_give_int(runner_call *c, int64_t number)
{
    *c->output = (htp_operand){.kind = HTP_OPERAND_INT, .as.i = number};
    return HTP_RUN_OK;
}

static inline htp_run_code runner_give_bool(runner_call *c, bool flag)
{
    *c->output = (htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = flag};
    return HTP_RUN_OK;
}

static inline htp_run_code runner_size(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    int64_t at = x ? runner_dim(c, 1, x->rank) : -1;
    return at < 0 ? runner_raise(c, "Dimension out of range") : runner_give_int(c, x->dims[at]);
}

static inline htp_run_code runner_read_int(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    return x && x->is_real ? runner_give_int(c, runner_of(x)->numbers[0])
                           : runner_raise(c, "nobody knows the contents");
}

static inline htp_run_code runner_read_bool(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    return x && x->is_real ? runner_give_bool(c, runner_of(x)->numbers[0] != 0)
                           : runner_raise(c, "nobody knows the contents");
}

static inline htp_run_code runner_numel(runner_call *c)
{
    return runner_give_int(c, runner_given(c, 0)->elements);
}

static inline htp_run_code runner_rank(runner_call *c)
{
    return runner_give_int(c, runner_given(c, 0)->rank);
}

static inline htp_run_code runner_sizes(runner_call *c)
{
    const htp_runner_tensor *x = runner_given(c, 0);
    htp_operand *elements = HTP_NEW_ARRAY(c->runner->arena, htp_operand, (size_t)x->rank + 1);
    for (uint32_t i = 0; i < x->rank; i++) {
        elements[i] = (htp_operand){.kind = HTP_OPERAND_INT, .as.i = x->dims[i]};
    }
    *c->output = (htp_operand){.kind = HTP_OPERAND_LIST, .count = x->rank, .as.elements = elements};
    return HTP_RUN_OK;
}

#define RUNNER_INTS(name, gives, expression)                                                       \
    static inline htp_run_code runner_##name(runner_call *c)                                       \
    {                                                                                              \
        int64_t a = runner_number(c, 0);                                                           \
        int64_t b = runner_number(c, 1);                                                           \
        return gives(c, expression);                                                               \
    }
RUNNER_INTS(add_int, runner_give_int, a + b)
RUNNER_INTS(sub_int, runner_give_int, a - b)
RUNNER_INTS(mul_int, runner_give_int, a *b)
RUNNER_INTS(floordiv, runner_give_int, b == 0 ? 0 : a / b)
RUNNER_INTS(remainder, runner_give_int, b == 0 ? 0 : a % b)
RUNNER_INTS(min_int, runner_give_int, a < b ? a : b)
RUNNER_INTS(gt_int, runner_give_bool, a > b)
RUNNER_INTS(lt_int, runner_give_bool, a < b)
RUNNER_INTS(ge_int, runner_give_bool, a >= b)
RUNNER_INTS(le_int, runner_give_bool, a <= b)
RUNNER_INTS(eq_int, runner_give_bool, a == b)
RUNNER_INTS(ne_int, runner_give_bool, a != b)

static inline htp_run_code runner_and(runner_call *c)
{
    return runner_give_bool(c, c->inputs[0].as.b && c->inputs[1].as.b);
}

static inline htp_run_code runner_not(runner_call *c)
{
    return runner_give_bool(c, !c->inputs[0].as.b);
}

#endif
