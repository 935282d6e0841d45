/*
 * Contents of small vectors of truth values in shape computations, as 0 and 1.
 */
#include "onnx/shape_inference/infer_arithmetic.h"

/* ---- numbers ---- */

static bool is_less(int64_t a, int64_t b, int64_t *result)
{
    *result = a < b;
    return true;
}

static bool is_equal(int64_t a, int64_t b, int64_t *result)
{
    *result = a == b;
    return true;
}

static bool is_either(int64_t a, int64_t b, int64_t *result)
{
    *result = a != b;
    return true;
}

static bool is_greater(int64_t a, int64_t b, int64_t *result)
{
    return is_less(b, a, result);
}

static bool is_any(int64_t a, int64_t b, int64_t *result)
{
    *result = a || b;
    return true;
}

/* ---- symbols ---- */

/* 0 if a >= b at all sizes; 1 if a < b at all sizes. */
static htp_polynomial_id is_less_symbol(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b)
{
    if (htp_polynomial_is_above(algebra, a, b)) {
        return htp_polynomial_number(algebra, 0);
    }
    htp_polynomial_id more = htp_polynomial_add(algebra, b, a, -1);
    return htp_polynomial_is_at_least(algebra, more, 1) ? htp_polynomial_number(algebra, 1)
                                                        : HTP_NONE;
}

/* 1 for equal polynomials; 0 if one is larger at all sizes. */
static htp_polynomial_id is_equal_symbol(htp_algebra *algebra, htp_polynomial_id a,
                                         htp_polynomial_id b)
{
    htp_polynomial_id more = htp_polynomial_add(algebra, a, b, -1);
    htp_polynomial_id less = htp_polynomial_add(algebra, b, a, -1);
    bool differ = htp_polynomial_is_at_least(algebra, more, 1) ||
                  htp_polynomial_is_at_least(algebra, less, 1);
    return a == b   ? htp_polynomial_number(algebra, 1)
           : differ ? htp_polynomial_number(algebra, 0)
                    : HTP_NONE;
}

static htp_polynomial_id unknown_symbol(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b)
{
    (void)algebra;
    (void)a;
    (void)b;
    return HTP_NONE;
}

static htp_polynomial_id is_greater_symbol(htp_algebra *algebra, htp_polynomial_id a,
                                           htp_polynomial_id b)
{
    return is_less_symbol(algebra, b, a);
}

/* ---- operators ---- */

bool htp_contents_less(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){is_less, is_less_symbol}, elements, count);
}

bool htp_contents_equal(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){is_equal, is_equal_symbol}, elements, count);
}

bool htp_contents_xor(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){is_either, unknown_symbol}, elements, count);
}

bool htp_contents_greater(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){is_greater, is_greater_symbol}, elements,
                              count);
}

bool htp_contents_or(const htp_infer *infer, htp_element *elements, size_t count)
{
    return htp_contents_apply(infer, &(htp_arithmetic){is_any, unknown_symbol}, elements, count);
}

bool htp_contents_not(const htp_infer *infer, htp_element *elements, size_t count)
{
    size_t length;
    if (!htp_infer_length(infer, 0, &length) || length != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t number;
        elements[i].is_known = htp_infer_number(htp_infer_element(infer, 0, i), &number);
        elements[i].value.size = number == 0;
    }
    return true;
}

/* False if one side is false, whatever the other one is. */
bool htp_contents_and(const htp_infer *infer, htp_element *elements, size_t count)
{
    size_t lengths[2];
    if (!htp_infer_length(infer, 0, &lengths[0]) || !htp_infer_length(infer, 1, &lengths[1])) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t numbers[2];
        bool are_known[2];
        for (uint32_t k = 0; k < 2; k++) {
            size_t at = lengths[k] == 1 ? 0 : i;
            are_known[k] =
                at < lengths[k] && htp_infer_number(htp_infer_element(infer, k, at), &numbers[k]);
        }
        bool is_false = (are_known[0] && !numbers[0]) || (are_known[1] && !numbers[1]);
        elements[i].is_known = is_false || (are_known[0] && are_known[1]);
        elements[i].value.size = !is_false;
    }
    return true;
}
