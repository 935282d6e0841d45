#include "base/numbers.h"

#include <stdlib.h>

int htp_number_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void htp_numbers_sort(htp_numbers *numbers)
{
    if (numbers->count > 0) {
        qsort(numbers->items, numbers->count, sizeof(*numbers->items), htp_number_compare);
    }
}

void htp_numbers_sort_unique(htp_numbers *numbers)
{
    htp_numbers_sort(numbers);
    size_t kept = 0;
    for (size_t i = 0; i < numbers->count; i++) {
        if (kept == 0 || numbers->items[i] != numbers->items[kept - 1]) {
            numbers->items[kept++] = numbers->items[i];
        }
    }
    numbers->count = kept;
}
