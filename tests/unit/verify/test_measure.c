#include "unit.h"
#include "verify/measure.h"

#include <math.h>
#include <string.h>

enum { FLOAT32 = 1, UINT8 = 2, INT64 = 7, STRING = 8, BOOL = 9, FLOAT16 = 10, BFLOAT16 = 16 };

static const int64_t dims[] = {2, 2};

static htp_array array_of(int32_t data_type, const void *data, size_t count)
{
    return (htp_array){
        .data_type = data_type, .rank = 1, .dims = dims, .count = count, .data = data};
}

UNIT_TEST(half_precision_is_rounded_to_even)
{
    static const struct {
        double number;
        uint16_t half, bfloat;
    } cases[] = {
        {1, 0x3c00, 0x3f80},
        {-2, 0xc000, 0xc000},
        {0, 0, 0},
        {65504, 0x7bff, 0x4780},
        {65519.9, 0x7bff, 0x4780},
        {65520, 0x7c00, 0x4780},
        {(double)INFINITY, 0x7c00, 0x7f80},
        {0x1p-24, 1, 0x3380},
        {0x1p-25, 0, 0x3300},
        {0x1.8p-24, 2, 0x33c0},
        {0x1p-14 - 0x1p-26, 0x400, 0x3880},
        {1 + 0x1p-11, 0x3c00, 0x3f80},
        {1 + 0x3p-11, 0x3c02, 0x3f80},
        {2 - 0x1p-12, 0x4000, 0x4000},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint16_t half;
        uint16_t bfloat;
        ck_assert(htp_measure_write(&cases[i].number, 1, FLOAT16, &half));
        ck_assert(htp_measure_write(&cases[i].number, 1, BFLOAT16, &bfloat));
        ck_assert_msg(half == cases[i].half && bfloat == cases[i].bfloat, "%g: %x %x",
                      cases[i].number, half, bfloat);
    }
}

UNIT_TEST(halves_read_back)
{
    for (unsigned bits = 0; bits < 0x7c00; bits++) { /* all that are finite */
        uint16_t half = (uint16_t)bits;
        uint16_t again;
        float number;
        const htp_array from = array_of(FLOAT16, &half, 1);
        ck_assert(htp_measure_cast(&from, FLOAT32, &number));
        const htp_array back = array_of(FLOAT32, &number, 1);
        ck_assert(htp_measure_cast(&back, FLOAT16, &again));
        ck_assert_uint_eq(again, half);
    }
}

UNIT_TEST(differences_are_relative_to_the_reference)
{
    static const float a[] = {1, -4, 2, 0};
    static const float b[] = {1, -4, 2.5F, 0};
    const htp_array first = array_of(FLOAT32, a, 4);
    const htp_array second = array_of(FLOAT32, b, 4);
    htp_difference_of found = htp_measure(&first, &second, 0.1);
    ck_assert(found.is_known && found.largest == 0.5 && found.relative == 0.125);
    ck_assert(found.share == 0.25);
    ck_assert(htp_measure(&first, &second, 0.2).share == 0);
    ck_assert(htp_measure(&first, &first, 0).relative == 0);
}

UNIT_TEST(what_is_no_number_differs_from_every_number)
{
    static const float none[] = {NAN, INFINITY};
    static const float some[] = {1, INFINITY};
    static const float other[] = {NAN, -INFINITY};
    const htp_array a = array_of(FLOAT32, none, 2);
    const htp_array b = array_of(FLOAT32, some, 2);
    const htp_array c = array_of(FLOAT32, other, 2);
    htp_difference_of found = htp_measure(&b, &a, 1e-3);
    ck_assert(isinf(found.largest) && found.share == 0.5);
    ck_assert(isinf(htp_measure(&a, &c, 1e-3).relative));
    ck_assert(htp_measure(&a, &a, 0).relative == 0);
}

UNIT_TEST(types_that_can_be_compared)
{
    static const int64_t numbers[] = {1, INT64_C(9007199254740993)};
    static const uint8_t bytes[] = {1, 0};
    static const float floats[] = {1, 0};
    htp_array integers = array_of(INT64, numbers, 2);
    htp_array bools = array_of(BOOL, bytes, 2);
    htp_array reals = array_of(FLOAT32, floats, 2);
    ck_assert(htp_measure_can(&integers, &bools));
    ck_assert(!htp_measure_can(&integers, &reals));
    reals.dims = dims + 1;
    integers.data_type = STRING;
    ck_assert(!htp_measure_can(&integers, &integers));
    bools.rank = 0;
    ck_assert(!htp_measure_can(&reals, &bools));
}

UNIT_TEST(lists_are_as_far_apart_as_their_worst_tensors)
{
    static const float a[] = {1, -4};
    static const float b[] = {1, -4.5F};
    const htp_array same[] = {array_of(FLOAT32, a, 2), array_of(FLOAT32, a, 2)};
    const htp_array apart[] = {array_of(FLOAT32, a, 2), array_of(FLOAT32, b, 2)};
    const htp_array first = {.count = 2, .tensors = same};
    const htp_array second = {.count = 2, .tensors = apart};
    const htp_array shorter = {.count = 1, .tensors = apart};
    ck_assert(htp_measure_can(&first, &second) && !htp_measure_can(&first, &same[0]));
    htp_difference_of found = htp_measure(&first, &second, 0.1);
    ck_assert(found.is_known && found.largest == 0.5 && found.relative == 0.125);
    ck_assert(htp_measure(&first, &first, 0).largest == 0);
    ck_assert(htp_measure_can(&first, &shorter));
    found = htp_measure(&first, &shorter, 0.1);
    ck_assert(isinf(found.largest) && isinf(found.excess) && found.share == 1);
    htp_array scalars[] = {array_of(FLOAT32, a, 1), array_of(FLOAT32, b, 1)}; /* other dims */
    scalars[0].rank = scalars[1].rank = 0;
    ck_assert(htp_measure_can(&first, &(htp_array){.count = 1, .tensors = scalars}));
    ck_assert(!htp_measure_can(&first, &(htp_array){.count = 2, .tensors = scalars}));
    ck_assert(htp_array_bytes(&first) == 16 && htp_array_type(&first) == FLOAT32);
}

UNIT_MAIN("measure", half_precision_is_rounded_to_even, halves_read_back,
          differences_are_relative_to_the_reference, what_is_no_number_differs_from_every_number,
          types_that_can_be_compared, lists_are_as_far_apart_as_their_worst_tensors)
