#include "lower/emit/constant.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static uint16_t half_of(double value)
{
    uint16_t bits;
    ck_assert(htp_number_write(HTP_DTYPE_FLOAT16, htp_number_float(value), &bits));
    return bits;
}

static uint16_t bfloat16_of(double value)
{
    uint16_t bits;
    ck_assert(htp_number_write(HTP_DTYPE_BFLOAT16, htp_number_float(value), &bits));
    return bits;
}

static double read_half(uint16_t bits)
{
    htp_number number;
    ck_assert(htp_number_read(HTP_DTYPE_FLOAT16, &bits, &number));
    return number.f;
}

UNIT_TEST(half_rounds_to_even)
{
    ck_assert_uint_eq(half_of(0), 0);
    ck_assert_uint_eq(half_of(-0.0), 0x8000);
    ck_assert_uint_eq(half_of(1), 0x3c00);
    ck_assert_uint_eq(half_of(-2.5), 0xc100);
    ck_assert_uint_eq(half_of(1 + 0x1p-11), 0x3c00);
    ck_assert_uint_eq(half_of(1 + 0x3p-11), 0x3c02);
    ck_assert_uint_eq(half_of(2047.5), 0x6800);
    ck_assert_uint_eq(half_of(65504), 0x7bff);
    ck_assert_uint_eq(half_of(65519), 0x7bff);
    ck_assert_uint_eq(half_of(65520), 0x7c00);
    ck_assert_uint_eq(half_of(-1e30), 0xfc00);
    ck_assert_uint_eq(half_of(NAN), 0x7e00);
}

UNIT_TEST(half_keeps_small_numbers)
{
    ck_assert_uint_eq(half_of(0x1p-14), 0x0400);
    ck_assert_uint_eq(half_of(0x1p-24), 0x0001);
    ck_assert_uint_eq(half_of(0x1p-25), 0x0000);
    ck_assert_uint_eq(half_of(0x3p-26), 0x0001);
    ck_assert_uint_eq(half_of(0x1p-14 - 0x1p-24), 0x03ff);
    ck_assert_uint_eq(half_of(0x1p-14 - 0x1p-26), 0x0400);
    ck_assert_uint_eq(half_of(1e-300), 0);
}

UNIT_TEST(every_half_survives)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        double value = read_half((uint16_t)bits);
        if (!isnan(value)) {
            ck_assert_uint_eq(half_of(value), bits);
        } else {
            ck_assert_uint_eq(bits >> 10 & 31, 31);
        }
    }
}

UNIT_TEST(bfloat16_rounds_to_even)
{
    ck_assert_uint_eq(bfloat16_of(1), 0x3f80);
    ck_assert_uint_eq(bfloat16_of(1 + 0x1p-8), 0x3f80);
    ck_assert_uint_eq(bfloat16_of(1 + 0x3p-8), 0x3f82);
    ck_assert_uint_eq(bfloat16_of(-INFINITY), 0xff80);
    ck_assert_uint_eq(bfloat16_of(0x1.fffffep127), 0x7f80);
    ck_assert_uint_eq(bfloat16_of(NAN), 0x7fc0);
}

UNIT_TEST(integers_truncate_and_wrap)
{
    int8_t narrow;
    uint8_t byte;
    int64_t wide;
    ck_assert(htp_number_write(HTP_DTYPE_INT8, htp_number_int(300), &narrow));
    ck_assert_int_eq(narrow, 44);
    ck_assert(htp_number_write(HTP_DTYPE_UINT8, htp_number_int(-1), &byte));
    ck_assert_uint_eq(byte, 255);
    ck_assert(htp_number_write(HTP_DTYPE_INT64, htp_number_float(-2.9), &wide));
    ck_assert_int_eq(wide, -2);
    ck_assert(htp_number_write(HTP_DTYPE_INT64, htp_number_float(NAN), &wide));
    ck_assert_int_eq(wide, INT64_MIN);
    ck_assert(htp_number_write(HTP_DTYPE_BOOL, htp_number_float(0.5), &byte));
    ck_assert_uint_eq(byte, 1);
}

UNIT_TEST(large_integers_are_exact)
{
    htp_number number;
    int64_t written = INT64_MAX - 1;
    ck_assert(htp_number_read(HTP_DTYPE_INT64, &written, &number));
    int64_t again;
    ck_assert(htp_number_write(HTP_DTYPE_INT64, number, &again));
    ck_assert_int_eq(again, written);
}

UNIT_TEST(other_dtypes_are_refused)
{
    char bytes[16] = {0};
    htp_number number;
    ck_assert(!htp_number_read(HTP_DTYPE_COMPLEX64, bytes, &number));
    ck_assert(!htp_number_write(HTP_DTYPE_OTHER, htp_number_int(1), bytes));
}

UNIT_MAIN("lower/constant", half_rounds_to_even, half_keeps_small_numbers, every_half_survives,
          bfloat16_rounds_to_even, integers_truncate_and_wrap, large_integers_are_exact,
          other_dtypes_are_refused)
