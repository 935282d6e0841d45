/*
 * Lists of numbers of things: nodes, values, modules.
 */
#ifndef HTP_BASE_NUMBERS_H
#define HTP_BASE_NUMBERS_H

#include "base/vector.h"

#include <stdint.h>

typedef HTP_VECTOR(uint32_t) htp_numbers;

/** Compares two uint32_t, for qsort() and bsearch(). */
int htp_number_compare(const void *a, const void *b);

/** Sorts numbers in ascending order. */
void htp_numbers_sort(htp_numbers *numbers);

/** Sorts numbers, and removes duplicates. */
void htp_numbers_sort_unique(htp_numbers *numbers);

#endif
