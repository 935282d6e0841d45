/*
 * Contents of small int64 vectors in shape computations.
 */
#include "onnx/shape_inference/infer_arithmetic.h"

#include <string.h>

static htp_element known(htp_dim value)
{
    return (htp_element){.is_known = true, .value = value};
}

static htp_element known_number(int64_t number)
{
    return known((htp_dim){.size = number});
}

/* HTP_NONE becomes unknown. */
static htp_element known_polynomial(const htp_infer *infer, htp_polynomial_id id)
{
    return id == HTP_NONE ? (htp_element){.is_known = false}
                          : known(htp_symbols_name(infer->symbols, id));
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

/* Floats are truncated. Booleans are 0 and 1; casts to them are not followed. */
bool htp_contents_cast(const htp_infer *infer, htp_element *elements, size_t count)
{
    int64_t number;
    bool is_truth = infer->model->tensors.items[infer->node->outputs[0]].dtype == HTP_DTYPE_BOOL;
    if (!is_truth && count > 0 && htp_infer_truncated(infer, 0, 0, &number)) {
        for (size_t i = 0; i < count; i++) {
            elements[i].is_known = htp_infer_truncated(infer, 0, i, &elements[i].value.size);
        }
        return true;
    }
    return !is_truth && htp_contents_copy(infer, elements, count);
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

/* Multiplies into a product that began as 1. */
static void multiply(const htp_infer *infer, htp_element *product, htp_element factor)
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
    htp_polynomial_id made = HTP_NONE;
    if (product->is_known && factor.is_known) {
        made =
            htp_polynomial_multiply(&infer->symbols->algebra, htp_infer_of(infer, product->value),
                                    htp_infer_of(infer, factor.value));
    }
    *product = known_polynomial(infer, made);
}

bool htp_contents_element_count(const htp_infer *infer, htp_element *elements, size_t count)
{
    const htp_tensor *x = htp_infer_input(infer, 0);
    if (!x || count != 1) {
        return false;
    }
    elements[0] = known_number(1);
    for (uint32_t i = 0; i < x->rank; i++) {
        multiply(infer, &elements[0], known(x->dims[i]));
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
        multiply(infer, &elements[0], htp_infer_element(infer, 0, i));
    }
    return elements[0].is_known;
}

/* ---- arithmetic ---- */

static htp_element combine(const htp_infer *infer, const htp_arithmetic *how, htp_element a,
                           htp_element b)
{
    int64_t x;
    int64_t y;
    if (htp_infer_number(a, &x) && htp_infer_number(b, &y)) {
        int64_t result;
        bool told = how->numbers(x, y, &result);
        return told ? known_number(result) : (htp_element){.is_known = false};
    }
    if (!a.is_known || !b.is_known) {
        return (htp_element){.is_known = false};
    }
    return known_polynomial(infer,
                            how->symbols(&infer->symbols->algebra, htp_infer_of(infer, a.value),
                                         htp_infer_of(infer, b.value)));
}

bool htp_contents_apply(const htp_infer *infer, const htp_arithmetic *how, htp_element *elements,
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
        elements[i] = combine(infer, how, htp_infer_element(infer, 0, lengths[0] == 1 ? 0 : i),
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

/* Div of integers truncates. */
static bool divide(int64_t a, int64_t b, int64_t *result)
{
    bool told = b > 0 || b < -1 || (b == -1 && a != INT64_MIN);
    *result = told ? a / b : 0;
    return told;
}

/* The remainder of floor division. */
static bool modulo(int64_t a, int64_t b, int64_t *result)
{
    int64_t rest = b > 0 ? a % b : 0;
    *result = rest < 0 ? rest + b : rest;
    return b > 0;
}

/* The remainder of truncating division. */
static bool c_modulo(int64_t a, int64_t b, int64_t *result)
{
    *result = b > 0 ? a % b : 0;
    return b > 0;
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

/* ---- arithmetic of symbols ---- */

static htp_polynomial_id add_symbols(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b)
{
    return htp_polynomial_add(algebra, a, b, 1);
}

static htp_polynomial_id subtract_symbols(htp_algebra *algebra, htp_polynomial_id a,
                                          htp_polynomial_id b)
{
    return htp_polynomial_add(algebra, a, b, -1);
}

/* The quotient; if it may be negative, only without rounding. */
static htp_polynomial_id divide_symbols(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b)
{
    htp_polynomial_id exact = htp_polynomial_divide(algebra, a, b);
    int64_t divisor;
    if (exact != HTP_NONE || !htp_polynomial_is_number(algebra, b, &divisor) ||
        !htp_polynomial_is_at_least(algebra, a, 1 - divisor)) {
        return exact;
    }
    return htp_polynomial_floor(algebra, htp_polynomial_positive(algebra, a), divisor);
}

static htp_polynomial_id modulo_symbols(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b)
{
    int64_t divisor;
    if (!htp_polynomial_is_number(algebra, b, &divisor) || divisor < 1) {
        return HTP_NONE;
    }
    return htp_polynomial_add(algebra, a, htp_polynomial_floor(algebra, a, divisor), -divisor);
}

static htp_polynomial_id c_modulo_symbols(htp_algebra *algebra, htp_polynomial_id a,
                                          htp_polynomial_id b)
{
    return htp_polynomial_is_at_least(algebra, a, 0) ? modulo_symbols(algebra, a, b) : HTP_NONE;
}

/* No size is above INT64_MAX. */
static htp_polynomial_id smaller_symbol(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b)
{
    int64_t number;
    if (htp_polynomial_is_number(algebra, a, &number) && number == INT64_MAX) {
        return b;
    }
    if (htp_polynomial_is_number(algebra, b, &number) && number == INT64_MAX) {
        return a;
    }
    return htp_polynomial_smaller(algebra, a, b);
}

/* ---- operators ---- */

bool htp_contents_add(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){add, add_symbols}, elements, count);
}

bool htp_contents_negate(const htp_infer *infer, htp_element *elements, size_t count)
{
    htp_algebra *algebra = &infer->symbols->algebra;
    if (!htp_contents_copy(infer, elements, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (elements[i].is_known) {
            htp_polynomial_id id = htp_infer_of(infer, elements[i].value);
            id = htp_polynomial_add(algebra, htp_polynomial_number(algebra, 0), id, -1);
            elements[i] = known_polynomial(infer, id);
        }
    }
    return true;
}

bool htp_contents_subtract(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){subtract, subtract_symbols}, elements,
                              count);
}

bool htp_contents_multiply(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){times, htp_polynomial_multiply}, elements,
                              count);
}

bool htp_contents_divide(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){divide, divide_symbols}, elements, count);
}

bool htp_contents_mod(const htp_infer *infer, htp_element *elements, size_t count)
{
    htp_arithmetic how = {modulo, modulo_symbols};
    if (htp_infer_int(infer, "fmod", 0) != 0) {
        how = (htp_arithmetic){c_modulo, c_modulo_symbols};
    }
    return htp_contents_apply(infer, &how, elements, count);
}

bool htp_contents_max(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){larger, htp_polynomial_larger}, elements,
                              count);
}

bool htp_contents_min(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){smaller, smaller_symbol}, elements, count);
}

/* From the second input where the first is true, from the third elsewhere. */
bool htp_contents_where(const htp_infer *infer, htp_element *elements, size_t count)
{
    size_t lengths[3];
    for (uint32_t k = 0; k < 3; k++) {
        if (!htp_infer_length(infer, k, &lengths[k]) || (lengths[k] != 1 && lengths[k] != count)) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        int64_t is_first;
        if (htp_infer_number(htp_infer_element(infer, 0, lengths[0] == 1 ? 0 : i), &is_first)) {
            uint32_t k = is_first ? 1 : 2;
            elements[i] = htp_infer_element(infer, k, lengths[k] == 1 ? 0 : i);
        }
    }
    return true;
}

bool htp_contents_of_shape(const htp_infer *infer, htp_element *elements, size_t count)
{
    const htp_attribute *value = htp_infer_attribute(infer, HTP_INFER_VALUE);
    for (size_t i = 0; value && i < count; i++) {
        elements[i] = known_number(value->ints[0]);
    }
    return value;
}
