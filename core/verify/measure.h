/*
 * Differences of tensors. Private to the core.
 */
#ifndef HTP_VERIFY_MEASURE_H
#define HTP_VERIFY_MEASURE_H

#include "runtime/runtime.h"

/** Choices of sizes that models run at, at most. */
enum { HTP_VERIFY_RUNS = 3 };

/** How far tensors are apart; of several, the worst. Not a number differs from every number. */
typedef struct htp_difference_of {
    bool is_known;
    double largest;  /* of elements; infinity, where one is infinite or no number */
    double relative; /* `largest` by the largest element of the reference */
    double share;    /* of elements beyond the tolerance, 0 to 1 */
    double excess;   /* `relative` by the tolerance: beyond it where it is above 1 */
} htp_difference_of;

/** Whether a difference is beyond the tolerance. */
static inline bool htp_difference_is_beyond(const htp_difference_of *difference)
{
    return difference->is_known && difference->excess > 1;
}

/** Whether tensors can be compared: floats, or integers and bools, with equal dims. So can lists
 * whose tensors can. Dims do not count in lists of different lengths, which other cuts of a tensor
 * make, too. */
bool htp_measure_can(const htp_array *reference, const htp_array *other);

/** Compares two tensors or lists for which htp_measure_can() holds. Of a list, the worst tensor
 * counts; lists of different lengths are infinitely far apart. @param tolerance  relative to the
 * largest element of the reference; numbers of 1e30 and more, which hide what they are added to,
 * are no scale for others. */
htp_difference_of htp_measure(const htp_array *reference, const htp_array *other, double tolerance);

/** The worse of two in each number. */
htp_difference_of htp_measure_worse(htp_difference_of a, htp_difference_of b);

/** Converts a tensor to another element type, as Cast does.
 * @param elements  room for all of them. @return false for types that are no numbers here */
bool htp_measure_cast(const htp_array *from, int32_t data_type, void *elements);

/** Writes @p count numbers as elements of a type. @return as htp_measure_cast() */
bool htp_measure_write(const double *numbers, size_t count, int32_t data_type, void *elements);

/** Whether numbers of a type are read and written here. */
bool htp_measure_has(int32_t data_type);

/** Whether they are floats. */
bool htp_measure_is_float(int32_t data_type);

#endif
