/*
 * Contents of the small int64 vectors that shapes are computed with.
 */
#include "onnx/infer_rule.h"

#include <string.h>

static htp_element known(htp_dim value)
{
    return (htp_element){.is_known = true, .value = value};
}

static htp_element known_number(int64_t number)
{
    return known((htp_dim){.size = number});
}

static bool input_is_known(const htp_infer *infer, uint32_t index)
{
    return htp_infer_has_input(infer, index) && infer->contents[infer->node->inputs[index]];
}

/* ---- moving elements ---- */

bool htp_contents_copy(const htp_infer *infer, htp_element *elements, size_t count)
{
    size_t length;
    if (!input_is_known(infer, 0) || !htp_infer_length(infer, 0, &length) || length != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        elements[i] = htp_infer_element(infer, 0, i);
    }
    return true;
}

bool htp_contents_concat(const htp_infer *infer, htp_element *elements, size_t count)
{
    size_t filled = 0;
    for (uint32_t i = 0; i < infer->node->input_count; i++) {
        size_t length;
        if (!htp_infer_length(infer, i, &length) || length > count - filled) {
            return false;
        }
        for (size_t k = 0; k < length; k++) {
            elements[filled++] = htp_infer_element(infer, i, k);
        }
    }
    return filled == count;
}

bool htp_contents_gather(const htp_infer *infer, htp_element *elements, size_t count)
{
    size_t length;
    const htp_tensor *data = htp_infer_input(infer, 0);
    if (!input_is_known(infer, 0) || !input_is_known(infer, 1) || data->rank != 1 ||
        !htp_infer_length(infer, 0, &length)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t index;
        uint32_t at;
        if (htp_infer_number(htp_infer_element(infer, 1, i), &index) &&
            htp_infer_wrap(index, (uint32_t)length, &at)) {
            elements[i] = htp_infer_element(infer, 0, at);
        }
    }
    return true;
}

bool htp_contents_slice(const htp_infer *infer, htp_element *elements, size_t count)
{
    size_t length;
    int64_t start;
    int64_t step = 1;
    if (!input_is_known(infer, 0) || !htp_infer_length(infer, 0, &length) ||
        !htp_infer_number(htp_infer_element(infer, 1, 0), &start) ||
        (htp_infer_has_input(infer, 4) &&
         !htp_infer_number(htp_infer_element(infer, 4, 0), &step))) {
        return false;
    }
    int64_t size = (int64_t)length;
    int64_t last = step < 0 ? size - 1 : size;
    start = start < 0 ? start + size : start;
    start = start < 0 ? 0 : start > last ? last : start;
    for (size_t i = 0; i < count; i++) {
        int64_t at;
        if (__builtin_mul_overflow((int64_t)i, step, &at) ||
            __builtin_add_overflow(at, start, &at) || at < 0 || at >= size) {
            return false;
        }
        elements[i] = htp_infer_element(infer, 0, (size_t)at);
    }
    return true;
}

/* ---- shapes and products ---- */

bool htp_contents_shape(const htp_infer *infer, htp_element *elements, size_t count)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    int64_t start = htp_infer_int(infer, "start", 0);
    start = x && start < 0 ? start + x->rank : start;
    start = start < 0 ? 0 : start;
    if (!x || (count > 0 && (start >= x->rank || count > x->rank - (size_t)start))) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        elements[i] = known(x->dims[(size_t)start + i]);
    }
    return true;
}

/* Multiplies a product that began as number 1. */
static void multiply(htp_element *product, htp_element factor)
{
    int64_t a;
    int64_t b;
    if (product->is_known && htp_infer_number(factor, &b) && b == 1) {
        return;
    }
    if (htp_infer_number(*product, &a) && a == 1) {
        *product = factor;
        return;
    }
    product->is_known = htp_infer_number(*product, &a) && htp_infer_number(factor, &b) &&
                        !__builtin_mul_overflow(a, b, &product->value.size);
}

bool htp_contents_element_count(const htp_infer *infer, htp_element *elements, size_t count)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x || count != 1) {
        return false;
    }
    elements[0] = known_number(1);
    for (uint32_t i = 0; i < x->rank; i++) {
        multiply(&elements[0], known(x->dims[i]));
    }
    return elements[0].is_known;
}

bool htp_contents_product(const htp_infer *infer, htp_element *elements, size_t count)
{
    size_t length;
    if (!input_is_known(infer, 0) || !htp_infer_length(infer, 0, &length) || count != 1) {
        return false;
    }
    elements[0] = known_number(1);
    for (size_t i = 0; i < length; i++) {
        multiply(&elements[0], htp_infer_element(infer, 0, i));
    }
    return elements[0].is_known;
}

/* ---- arithmetic ---- */

/* How numbers are combined, false where the result cannot be told; and the number that leaves a
 * symbol on its left as it is, or on either side. */
typedef struct arithmetic {
    bool (*combine)(int64_t a, int64_t b, int64_t *result);
    int64_t neutral;
    bool commutes;
} arithmetic;

static htp_element combine(const arithmetic *how, htp_element a, htp_element b)
{
    int64_t x;
    int64_t y;
    bool a_is_number = htp_infer_number(a, &x);
    bool b_is_number = htp_infer_number(b, &y);
    if (a_is_number && b_is_number) {
        int64_t result;
        bool told = how->combine(x, y, &result);
        return told ? known_number(result) : (htp_element){.is_known = false};
    }
    if (a.is_known && b_is_number && y == how->neutral) {
        return a;
    }
    if (b.is_known && a_is_number && x == how->neutral && how->commutes) {
        return b;
    }
    return (htp_element){.is_known = false};
}

static bool apply(const htp_infer *infer, const arithmetic *how, htp_element *elements,
                  size_t count)
{
    size_t lengths[2];
    if (infer->node->input_count != 2 || !input_is_known(infer, 0) || !input_is_known(infer, 1) ||
        !htp_infer_length(infer, 0, &lengths[0]) || !htp_infer_length(infer, 1, &lengths[1])) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if ((lengths[0] != 1 && i >= lengths[0]) || (lengths[1] != 1 && i >= lengths[1])) {
            return false;
        }
        elements[i] = combine(how, htp_infer_element(infer, 0, lengths[0] == 1 ? 0 : i),
                              htp_infer_element(infer, 1, lengths[1] == 1 ? 0 : i));
    }
    return true;
}

static bool add(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

static bool subtract(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_sub_overflow(a, b, result);
}

static bool times(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

/* Below 0 runtimes have rounded in more than one way. */
static bool divide(int64_t a, int64_t b, int64_t *result)
{
    bool told = a >= 0 && b > 0;
    *result = told ? a / b : 0;
    return told;
}

static bool modulo(int64_t a, int64_t b, int64_t *result)
{
    bool told = a >= 0 && b > 0;
    *result = told ? a % b : 0;
    return told;
}

static bool larger(int64_t a, int64_t b, int64_t *result)
{
    *result = a > b ? a : b;
    return true;
}

static bool smaller(int64_t a, int64_t b, int64_t *result)
{
    *result = a < b ? a : b;
    return true;
}

bool htp_contents_add(const htp_infer *infer, htp_element *elements, size_t count)
{
    return apply(infer, &(arithmetic){add, 0, true}, elements, count);
}

bool htp_contents_subtract(const htp_infer *infer, htp_element *elements, size_t count)
{
    return apply(infer, &(arithmetic){subtract, 0, false}, elements, count);
}

bool htp_contents_multiply(const htp_infer *infer, htp_element *elements, size_t count)
{
    return apply(infer, &(arithmetic){times, 1, true}, elements, count);
}

bool htp_contents_divide(const htp_infer *infer, htp_element *elements, size_t count)
{
    return apply(infer, &(arithmetic){divide, 1, false}, elements, count);
}

/* No number leaves a size as it is for certain: INT64_MAX is none. */
bool htp_contents_mod(const htp_infer *infer, htp_element *elements, size_t count)
{
    return apply(infer, &(arithmetic){modulo, INT64_MAX, false}, elements, count);
}

/* Sizes are not below 0, and not above INT64_MAX. */
bool htp_contents_max(const htp_infer *infer, htp_element *elements, size_t count)
{
    return apply(infer, &(arithmetic){larger, 0, true}, elements, count);
}

bool htp_contents_min(const htp_infer *infer, htp_element *elements, size_t count)
{
    return apply(infer, &(arithmetic){smaller, INT64_MAX, true}, elements, count);
}
