/*
 * Operands of meta kernels, and calls whose results are text.
 */
#ifndef HTP_TESTS_META_FIXTURE_H
#define HTP_TESTS_META_FIXTURE_H

#include "unit.h"

#include "base/text.h"
#include "interpret/meta/call.h"
#include "interpret/meta/kernels.h"
#include "interpret/meta/layout.h"

#include <inttypes.h>
#include <string.h>

/* ---- operands ---- */

#define COUNT(...) (sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define NUMBERS(...) (const int64_t[]){__VA_ARGS__}, (uint32_t)COUNT(__VA_ARGS__)
#define OF(type, ...) tensor_of(arena, HTP_SCALAR_##type, NUMBERS(__VA_ARGS__))
#define FLOATS(...) OF(FLOAT, __VA_ARGS__)
#define SCALAR tensor_of(arena, HTP_SCALAR_FLOAT, NULL, 0)
#define INT(number) ((htp_operand){.kind = HTP_OPERAND_INT, .as.i = (number)})
#define FLOAT(number) ((htp_operand){.kind = HTP_OPERAND_FLOAT, .as.f = (number)})
#define TEXT(string)                                                                               \
    ((htp_operand){.kind = HTP_OPERAND_STRING, .as.text = (string), .bytes = sizeof(string) - 1})
#define BOOL(value) ((htp_operand){.kind = HTP_OPERAND_BOOL, .as.b = (value)})
#define NONE ((htp_operand){.kind = HTP_OPERAND_NONE})
#define INTS(...) list_of(arena, NUMBERS(__VA_ARGS__))
#define NO_INTS list_of(arena, NULL, 0)
#define TENSORS(...)                                                                               \
    tensors_of(arena, (const htp_operand[]){__VA_ARGS__},                                          \
               sizeof((const htp_operand[]){__VA_ARGS__}) / sizeof(htp_operand))

static htp_operand strided(htp_arena *arena, int32_t type, const int64_t *dims,
                           const int64_t *strides, uint32_t rank)
{
    htp_runner_tensor *tensor = HTP_NEW(arena, htp_runner_tensor);
    *tensor = (htp_runner_tensor){.type = type, .rank = rank, .elements = 1};
    tensor->dims = (const int64_t *)htp_arena_copy(arena, dims, rank * sizeof(*dims));
    tensor->strides = (const int64_t *)htp_arena_copy(arena, strides, rank * sizeof(*strides));
    for (uint32_t i = 0; i < rank; i++) {
        tensor->elements *= dims[i];
    }
    tensor->is_contiguous = htp_layout_is_contiguous(tensor);
    return (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
}

static htp_operand tensor_of(htp_arena *arena, int32_t type, const int64_t *dims, uint32_t rank)
{
    int64_t *strides = HTP_NEW_ARRAY(arena, int64_t, rank + 1);
    strides[rank] = 1;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = strides[i + 1] * (i + 1 < rank ? dims[i + 1] : 1);
    }
    return strided(arena, type, dims, strides, rank);
}

static inline htp_operand tensors_of(htp_arena *arena, const htp_operand *elements, size_t count)
{
    return (htp_operand){.kind = HTP_OPERAND_LIST,
                         .count = (uint32_t)count,
                         .as.elements = (const htp_operand *)htp_arena_copy(
                             arena, elements, count * sizeof(*elements))};
}

static inline htp_operand list_of(htp_arena *arena, const int64_t *numbers, uint32_t count)
{
    htp_operand *elements = HTP_NEW_ARRAY(arena, htp_operand, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        elements[i] = INT(numbers[i]);
    }
    return tensors_of(arena, elements, count);
}

/* ---- calls, and their results as text ---- */

static void add_numbers(htp_text *text, const int64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        htp_text_addf(text, "%s%" PRId64, i > 0 ? "," : "", numbers[i]);
    }
}

static void add_operand(htp_text *text, const htp_meta_call *call, const htp_runner_tensor *tensor)
{
    for (uint32_t i = 0; i < call->operand_count; i++) {
        const htp_operand *operand = &call->operands[i];
        if (operand->kind == HTP_OPERAND_TENSOR && operand->as.tensor == tensor) {
            htp_text_addf(text, "%u", (unsigned)i);
            return;
        }
        for (uint32_t k = 0; operand->kind == HTP_OPERAND_LIST && k < operand->count; k++) {
            if (operand->as.elements[k].as.tensor == tensor) {
                htp_text_addf(text, "%u.%u", (unsigned)i, (unsigned)k);
            }
        }
    }
}

static void add_tensor(htp_text *text, const htp_meta_call *call, const htp_making *making)
{
    if (making->way == HTP_MAKE_LIKE) {
        htp_text_add(text, "like ");
        add_operand(text, call, making->of);
        return;
    }
    htp_text_addf(text, "%s[", htp_scalar_type_name(making->type));
    add_numbers(text, making->dims, making->rank);
    htp_text_add(text, "]");
    if (making->strides) {
        htp_text_add(text, " by [");
        add_numbers(text, making->strides, making->rank);
        htp_text_add(text, "]");
    }
    if (making->way == HTP_MAKE_VIEW) {
        htp_text_addf(text, " from %" PRId64 " of ", making->offset);
        add_operand(text, call, making->of);
    }
}

static uint32_t find_kernel(const char *name, const char *overload)
{
    const htp_meta_kernels *all = htp_meta_kernels_all();
    uint32_t kernel = 0;
    while (kernel < all->count && (strcmp(all->operators[kernel].name, name) != 0 ||
                                   strcmp(all->operators[kernel].overload, overload) != 0)) {
        kernel++;
    }
    ck_assert_msg(kernel < all->count, "there is no kernel of %s.%s", name, overload);
    return kernel;
}

static void add_output(htp_text *text, const htp_meta_call *call, const htp_meta_output *output)
{
    if (output->kind == HTP_META_NONE) {
        htp_text_add(text, "none");
    } else if (output->kind == HTP_META_OPERAND) {
        htp_text_addf(text, "operand %u", (unsigned)output->operand);
    } else if (output->kind == HTP_META_LIST) {
        htp_text_addf(text, "%u:", (unsigned)output->count);
        for (uint32_t i = 0; i < output->count; i++) {
            htp_text_add(text, " ");
            add_tensor(text, call, &output->elements[i].making);
        }
    } else {
        if (output->kind == HTP_META_RESIZED) {
            htp_text_addf(text, "operand %u as ", (unsigned)output->operand);
        }
        add_tensor(text, call, &output->making);
    }
}

/* @p call  what it says of libtorch */
static void check_call(htp_arena *arena, htp_meta_call call, const char *name, const char *overload,
                       const char *expected, const htp_operand *operands, size_t count)
{
    call.operands = operands;
    call.operand_count = (uint32_t)count;
    htp_text text = {.arena = arena};
    if (!htp_meta_kernels_all()->run(find_kernel(name, overload), &call)) {
        htp_text_addf(&text, "refused: %s", call.error.message);
    }
    for (uint32_t i = 0; call.error.message[0] == '\0' && i < call.output_count; i++) {
        htp_text_add(&text, i > 0 ? "; " : "");
        add_output(&text, &call, &call.outputs[i]);
    }
    htp_meta_kernels_all()->release(&call);
    ck_assert_str_eq(htp_text_string(&text), expected);
}

#define GIVES_BY(version, mkl, name, overload, expected, ...)                                      \
    check_call(arena, (htp_meta_call){.major = (version), .has_mkl = (mkl)}, name, overload,       \
               expected, (const htp_operand[]){__VA_ARGS__},                                       \
               sizeof((const htp_operand[]){__VA_ARGS__}) / sizeof(htp_operand))
/** How it lies where libtorch was built otherwise. */
#define GIVES_ELSEWHERE(version, name, overload, expected, ...)                                    \
    check_call(arena, (htp_meta_call){.major = (version), .is_elsewhere = true}, name, overload,   \
               expected, (const htp_operand[]){__VA_ARGS__},                                       \
               sizeof((const htp_operand[]){__VA_ARGS__}) / sizeof(htp_operand))
#define GIVES(name, overload, expected, ...)                                                       \
    GIVES_BY(2, false, name, overload, expected, __VA_ARGS__)
#define REFUSES(name, overload, message, ...)                                                      \
    GIVES(name, overload, "refused: " message, __VA_ARGS__)

#endif
