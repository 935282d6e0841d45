/* Differences between two results of a call. */
#include "oracle.h"

#include <inttypes.h>
#include <string.h>

typedef struct comparison {
    oracle *o;
    const oracle_result *told;
    const oracle_result *real;
    oracle_tensors told_outputs; /* so far */
    oracle_tensors real_outputs;
    const char *detail;
} comparison;

static const char *words_of(comparison *c, const htp_operand *told, const htp_operand *real)
{
    htp_text text = {.arena = &c->o->arena};
    oracle_write_operands(&text, told, 1, false);
    htp_text_add(&text, " is told, real is ");
    oracle_write_operands(&text, real, 1, false);
    return htp_text_string(&text);
}

/* ---- tensors ---- */

/* The first tensor on the memory of @p of; one past the last if there is none. */
static size_t find_memory(const oracle_tensors *inputs, const oracle_tensors *outputs,
                          const htp_runner_tensor *of)
{
    size_t at = 0;
    while (at < inputs->count && inputs->items[at]->storage != of->storage) {
        at++;
    }
    size_t other = 0;
    while (at == inputs->count && other < outputs->count &&
           outputs->items[other]->storage != of->storage) {
        other++;
    }
    return at + other;
}

static bool are_equal(const int64_t *a, const int64_t *b, uint32_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof(*a)) == 0;
}

/* Strides of dims with one element move nothing, but memory formats depend on them. */
static bool move_alike(const htp_runner_tensor *a, const htp_runner_tensor *b)
{
    for (uint32_t dim = 0; dim < a->rank && a->elements > 0; dim++) {
        if (a->dims[dim] > 1 && a->strides[dim] != b->strides[dim]) {
            return false;
        }
    }
    return true;
}

static const char *compare_tensors(comparison *c, const htp_runner_tensor *told,
                                   const htp_runner_tensor *real)
{
    size_t told_memory = find_memory(&c->told->inputs, &c->told_outputs, told);
    size_t real_memory = find_memory(&c->real->inputs, &c->real_outputs, real);
    HTP_PUSH(&c->o->arena, &c->told_outputs, told);
    HTP_PUSH(&c->o->arena, &c->real_outputs, real);
    if (told->type != real->type) {
        return "dtype";
    }
    if (told->rank != real->rank) {
        return "rank";
    }
    if (!are_equal(told->dims, real->dims, told->rank)) {
        return "dims";
    }
    if (told_memory != real_memory) {
        return "memory";
    }
    if (told->offset != real->offset) {
        return "offset";
    }
    if (!move_alike(told, real)) {
        return "strides";
    }
    if (!are_equal(told->strides, real->strides, told->rank)) {
        return "single-strides";
    }
    return told->is_contiguous != real->is_contiguous ? "contiguity" : NULL;
}

/* ---- operands ---- */

static const char *compare_all(comparison *c, const htp_operand *told, const htp_operand *real,
                               uint32_t count);

static const char *compare_operands(comparison *c, const htp_operand *told, const htp_operand *real)
{
    if (told->kind != real->kind) {
        return "kind";
    }
    switch (told->kind) {
    case HTP_OPERAND_TENSOR:
        return compare_tensors(c, told->as.tensor, real->as.tensor);
    case HTP_OPERAND_LIST:
    case HTP_OPERAND_TUPLE:
        return told->count != real->count
                   ? "count"
                   : compare_all(c, told->as.elements, real->as.elements, told->count);
    case HTP_OPERAND_INT:
        return told->as.i != real->as.i ? "number" : NULL;
    case HTP_OPERAND_BOOL:
        return told->as.b != real->as.b ? "number" : NULL;
    default:
        return NULL;
    }
}

static const char *compare_all(comparison *c, const htp_operand *told, const htp_operand *real,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *what = compare_operands(c, &told[i], &real[i]);
        if (what) {
            c->detail = c->detail ? c->detail : words_of(c, &told[i], &real[i]);
            return what;
        }
    }
    return NULL;
}

const char *oracle_compare(oracle *o, const oracle_result *told, const oracle_result *real,
                           const char **detail)
{
    *detail = "";
    if (told->code != HTP_RUN_OK) {
        *detail = told->message;
        return told->code == HTP_RUN_NO_KERNEL ? "no-rule"
               : real->code == HTP_RUN_OK      ? "refused"
                                               : NULL;
    }
    if (real->code != HTP_RUN_OK) {
        *detail = real->message;
        return "taken";
    }
    if (told->count != real->count) {
        return "count";
    }
    comparison c = {.o = o, .told = told, .real = real};
    const char *what = compare_all(&c, told->outputs, real->outputs, told->count);
    *detail = c.detail ? c.detail : "";
    return what;
}
