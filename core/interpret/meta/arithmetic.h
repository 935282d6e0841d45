/*
 * Saturating arithmetic on the program's numbers, which are untrusted. No size of a tensor reaches
 * the limits.
 */
#ifndef HTP_INTERPRET_META_ARITHMETIC_H
#define HTP_INTERPRET_META_ARITHMETIC_H

#include <stdint.h>

static inline int64_t htp_meta_plus(int64_t a, int64_t b)
{
    int64_t sum = 0;
    return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t htp_meta_minus(int64_t a, int64_t b)
{
    int64_t difference = 0;
    return !__builtin_sub_overflow(a, b, &difference) ? difference : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t htp_meta_times(int64_t a, int64_t b)
{
    int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) ? product
           : (a < 0) != (b < 0)                    ? INT64_MIN
                                                   : INT64_MAX;
}

/** A window's extent over its input: dilation * (kernel - 1) + 1. */
int64_t htp_meta_extent(int64_t kernel, int64_t dilation);

#endif
