#include "base/dtype.h"
#include "unit.h"

START_TEST(names_read_back)
{
    for (int i = 0; i < HTP_DTYPE_OTHER; i++) {
        htp_dtype parsed;
        ck_assert(htp_dtype_parse(htp_dtype_name((htp_dtype)i), &parsed));
        ck_assert_int_eq((int)parsed, i);
    }
    htp_dtype dtype = HTP_DTYPE_INT8;
    ck_assert(!htp_dtype_parse("other", &dtype));
    ck_assert(!htp_dtype_parse("", &dtype));
    ck_assert(!htp_dtype_parse("Float", &dtype));
    ck_assert_int_eq((int)dtype, HTP_DTYPE_INT8);
}
END_TEST

START_TEST(second_names)
{
    static const char *const pairs[][2] = {
        {"long", "int64"},       {"int", "int32"},          {"short", "int16"},
        {"byte", "uint8"},       {"char", "int8"},          {"half", "float16"},
        {"float", "float32"},    {"double", "float64"},     {"chalf", "complex32"},
        {"cfloat", "complex64"}, {"cdouble", "complex128"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        htp_dtype dtype;
        ck_assert(htp_dtype_parse(pairs[i][0], &dtype));
        ck_assert_str_eq(htp_dtype_name(dtype), pairs[i][1]);
    }
}
END_TEST

START_TEST(sizes_and_families)
{
    static const uint32_t sizes[HTP_DTYPE_COUNT] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 2, 0};
    static const char families[] = "iiiiifffcccbfo";
    for (int i = 0; i < HTP_DTYPE_COUNT; i++) {
        htp_dtype dtype = (htp_dtype)i;
        ck_assert_uint_eq(htp_dtype_size(dtype), sizes[i]);
        ck_assert_int_eq(htp_dtype_is_integer(dtype), families[i] == 'i');
        ck_assert_int_eq(htp_dtype_is_float(dtype), families[i] == 'f');
        ck_assert_int_eq(htp_dtype_is_complex(dtype), families[i] == 'c');
        ck_assert_int_eq(htp_dtype_is_complex(htp_dtype_real(dtype)), false);
        ck_assert_int_eq(htp_dtype_real(dtype) == dtype, families[i] != 'c');
    }
    ck_assert_int_eq(htp_dtype_real(HTP_DTYPE_COMPLEX64), HTP_DTYPE_FLOAT32);
    ck_assert_int_eq(htp_dtype_real(HTP_DTYPE_COMPLEX128), HTP_DTYPE_FLOAT64);
}
END_TEST

START_TEST(numbers_that_are_no_dtype)
{
    htp_dtype wild = (htp_dtype)1000;
    ck_assert_uint_eq(htp_dtype_size(wild), 0);
    ck_assert_str_eq(htp_dtype_name(wild), "other");
    ck_assert(!htp_dtype_is_float(wild));
    ck_assert_int_eq((int)htp_dtype_promote(wild, HTP_DTYPE_BOOL), HTP_DTYPE_OTHER);
}
END_TEST

START_TEST(scalar_type_numbers)
{
    static const char *const names[] = {
        "uint8",     "int8",      "int16",      "int32", "int64", "float16", "float32", "float64",
        "complex32", "complex64", "complex128", "bool",  NULL,    NULL,      NULL,      "bfloat16"};
    htp_dtype dtype;
    for (int i = 0; i < 16; i++) {
        ck_assert_int_eq(htp_dtype_from_scalar_type(i, &dtype), names[i] != NULL);
        if (names[i]) {
            ck_assert_str_eq(htp_dtype_name(dtype), names[i]);
        }
    }
    ck_assert(!htp_dtype_from_scalar_type(-1, &dtype));
    ck_assert(!htp_dtype_from_scalar_type(16, &dtype));
    ck_assert(!htp_dtype_from_scalar_type(INT64_MAX, &dtype));
    ck_assert(!htp_dtype_from_scalar_type(INT64_MIN, &dtype));
}
END_TEST

START_TEST(promotion_is_symmetric_and_ordered)
{
    for (int a = 0; a < HTP_DTYPE_OTHER; a++) {
        ck_assert_int_eq((int)htp_dtype_promote((htp_dtype)a, (htp_dtype)a), a);
        for (int b = 0; b < HTP_DTYPE_OTHER; b++) {
            htp_dtype joined = htp_dtype_promote((htp_dtype)a, (htp_dtype)b);
            ck_assert_int_eq((int)joined, (int)htp_dtype_promote((htp_dtype)b, (htp_dtype)a));
            ck_assert_int_eq((int)htp_dtype_promote(joined, (htp_dtype)a), (int)joined);
        }
    }
}
END_TEST

/* Pairs from torch.promote_types where a guess would go wrong. */
START_TEST(promotions)
{
    static const char *const triples[][3] = {
        {"uint8", "int8", "int16"},
        {"uint8", "bool", "uint8"},
        {"int64", "float16", "float16"},
        {"float16", "bfloat16", "float32"},
        {"int32", "bfloat16", "bfloat16"},
        {"float16", "complex32", "complex32"},
        {"bfloat16", "complex32", "complex64"},
        {"float64", "complex64", "complex128"},
        {"int64", "complex32", "complex32"},
        {"float32", "float64", "float64"},
    };
    for (size_t i = 0; i < sizeof(triples) / sizeof(triples[0]); i++) {
        htp_dtype a;
        htp_dtype b;
        ck_assert(htp_dtype_parse(triples[i][0], &a));
        ck_assert(htp_dtype_parse(triples[i][1], &b));
        ck_assert_str_eq(htp_dtype_name(htp_dtype_promote(a, b)), triples[i][2]);
    }
    ck_assert_int_eq((int)htp_dtype_promote(HTP_DTYPE_OTHER, HTP_DTYPE_BOOL), HTP_DTYPE_OTHER);
}
END_TEST

UNIT_MAIN("dtype", names_read_back, second_names, sizes_and_families, numbers_that_are_no_dtype,
          scalar_type_numbers, promotion_is_symmetric_and_ordered, promotions)
