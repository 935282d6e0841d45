/*
 * Numbers by their bits.
 */
#ifndef HTP_BASE_BITS_H
#define HTP_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Whether two numbers have the same bits: a NaN equals itself, and -0 differs from 0. */
static inline bool htp_bits_are_equal(double a, double b)
{
    uint64_t bits_of_a;
    uint64_t bits_of_b;
    memcpy(&bits_of_a, &a, sizeof(a));
    memcpy(&bits_of_b, &b, sizeof(b));
    return bits_of_a == bits_of_b;
}

#endif
