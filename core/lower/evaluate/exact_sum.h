/*
 * Sums that are rounded once. Private to core/lower/evaluate.
 *
 * Reference: Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen.
 */
#ifndef HTP_LOWER_EXACT_SUM_H
#define HTP_LOWER_EXACT_SUM_H

#include <float.h>
#include <htp/types.h>
#include <math.h>

/** A sum of float64, the rounding errors of its steps, and the sum of absolute values. All start at
 * 0. */
typedef struct htp_sum {
    double value;
    double lost;
    double absolute;
} htp_sum;

static inline void htp_sum_add(htp_sum *sum, double x)
{
    double next = sum->value + x;
    sum->lost += fabs(sum->value) >= fabs(x) ? (sum->value - next) + x : (x - next) + sum->value;
    sum->value = next;
    sum->absolute += fabs(x);
}

static inline double htp_sum_total(const htp_sum *sum)
{
    return sum->value + sum->lost;
}

/** Whether no order of summation in float32 or float64 can overflow, or underflow as a whole. */
static inline bool htp_sum_is_safe(const htp_sum *sum, htp_dtype dtype)
{
    double most = dtype == HTP_DTYPE_FLOAT32 ? FLT_MAX : DBL_MAX;
    double least = dtype == HTP_DTYPE_FLOAT32 ? FLT_MIN : DBL_MIN;
    return sum->absolute <= most && (sum->absolute == 0 || sum->absolute >= least);
}

#endif
