/*
 * Arithmetic with overflow checks, floor division, and common divisors.
 */
#ifndef HTP_BASE_CHECKED_H
#define HTP_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

/** a + b; false when it does not fit. */
static inline bool htp_checked_add(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/** a * b; false when it does not fit. */
static inline bool htp_checked_mul(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/** The largest number that divides both; 0 for two zeroes. @param a, b  above INT64_MIN */
static inline int64_t htp_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/** a / divisor, rounded down. @param divisor  above 0 */
static inline int64_t htp_floor_divide(int64_t a, int64_t divisor)
{
    return a / divisor - (a % divisor < 0);
}

#endif
