#include "lower/emit/constant.h"

#include <math.h>
#include <string.h>

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    int mantissa = bits & 1023;
    double value = 0;
    if (exponent == 31) {
        value = mantissa ? NAN : INFINITY;
    } else if (exponent == 0) {
        value = ldexp(mantissa, -24);
    } else {
        value = ldexp(mantissa + 1024, exponent - 25);
    }
    return bits & 0x8000 ? -value : value;
}

/** Rounds half to even, after rounding to float first, as PyTorch does. */
static uint16_t double_to_half(double wide)
{
    float value = (float)wide;
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value)) {
        return sign | 0x7e00;
    }
    float magnitude = fabsf(value);
    if (magnitude == 0) {
        return sign;
    }
    if (magnitude >= 65520.0F) {
        return sign | 0x7c00;
    }
    int exponent = 0;
    frexpf(magnitude, &exponent);
    int lowest = magnitude < 0x1p-14F ? -24 : exponent - 11; /* weight of the last bit */
    int units = (int)nearbyint(ldexp(magnitude, -lowest));
    /* The hidden bit of normal numbers adds one to the exponent field; so does a carry. */
    int bits = lowest == -24 ? units : ((lowest + 24) << 10) + units;
    return sign | (uint16_t)bits;
}

static double bfloat16_to_double(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value = 0;
    memcpy(&value, &wide, sizeof(value));
    return value;
}

static uint16_t double_to_bfloat16(double wide)
{
    float value = (float)wide;
    if (isnan(value)) {
        return 0x7fc0;
    }
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/** Truncates; overflow gives the smallest integer, as on x86. */
static int64_t to_integer(htp_number number)
{
    if (!number.is_float) {
        return number.i;
    }
    return number.f >= -0x1p63 && number.f < 0x1p63 ? (int64_t)number.f : INT64_MIN;
}

static double to_float(htp_number number)
{
    return number.is_float ? number.f : (double)number.i;
}

#define READ(type, make)                                                                           \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, bytes, sizeof(value));                                                      \
        *number = make(value);                                                                     \
        return true;                                                                               \
    }

bool htp_number_read(htp_dtype dtype, const void *bytes, htp_number *number)
{
    switch (dtype) {
    case HTP_DTYPE_BOOL:
    case HTP_DTYPE_UINT8:
        READ(uint8_t, htp_number_int)
    case HTP_DTYPE_INT8:
        READ(int8_t, htp_number_int)
    case HTP_DTYPE_INT16:
        READ(int16_t, htp_number_int)
    case HTP_DTYPE_INT32:
        READ(int32_t, htp_number_int)
    case HTP_DTYPE_INT64:
        READ(int64_t, htp_number_int)
    case HTP_DTYPE_FLOAT32:
        READ(float, htp_number_float)
    case HTP_DTYPE_FLOAT64:
        READ(double, htp_number_float)
    case HTP_DTYPE_FLOAT16: {
        uint16_t half;
        memcpy(&half, bytes, sizeof(half));
        *number = htp_number_float(half_to_double(half));
        return true;
    }
    case HTP_DTYPE_BFLOAT16: {
        uint16_t half;
        memcpy(&half, bytes, sizeof(half));
        *number = htp_number_float(bfloat16_to_double(half));
        return true;
    }
    default:
        return false;
    }
}

#define WRITE(type, expression)                                                                    \
    {                                                                                              \
        type value = (type)(expression);                                                           \
        memcpy(bytes, &value, sizeof(value));                                                      \
        return true;                                                                               \
    }

bool htp_number_write(htp_dtype dtype, htp_number number, void *bytes)
{
    switch (dtype) {
    case HTP_DTYPE_BOOL:
        WRITE(uint8_t, number.is_float ? number.f != 0 : number.i != 0)
    case HTP_DTYPE_UINT8:
    case HTP_DTYPE_INT8:
        WRITE(uint8_t, to_integer(number))
    case HTP_DTYPE_INT16:
        WRITE(uint16_t, to_integer(number))
    case HTP_DTYPE_INT32:
        WRITE(uint32_t, to_integer(number))
    case HTP_DTYPE_INT64:
        WRITE(int64_t, to_integer(number))
    case HTP_DTYPE_FLOAT32:
        WRITE(float, to_float(number))
    case HTP_DTYPE_FLOAT64:
        WRITE(double, to_float(number))
    case HTP_DTYPE_FLOAT16:
        WRITE(uint16_t, double_to_half(to_float(number)))
    case HTP_DTYPE_BFLOAT16:
        WRITE(uint16_t, double_to_bfloat16(to_float(number)))
    default:
        return false;
    }
}

htp_tensor_id htp_emit_numbers(htp_lowering *l, htp_dtype dtype, uint32_t rank, const int64_t *dims,
                               const htp_number *numbers)
{
    size_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        count *= (size_t)dims[i];
    }
    size_t size = htp_dtype_size(dtype);
    char *bytes = htp_arena_calloc(l->arena, count + 1, size + 1);
    for (size_t i = 0; i < count; i++) {
        if (!htp_number_write(dtype, numbers[i], bytes + i * size)) {
            htp_lower_fail(l, "constants of %s cannot be exported", htp_dtype_name(dtype));
            return HTP_NONE;
        }
    }
    return htp_builder_constant(l->model, dtype, rank, dims, bytes);
}

htp_tensor_id htp_emit_lowest(htp_lowering *l, htp_dtype dtype)
{
    if (htp_dtype_is_float(dtype)) {
        return htp_emit_scalar(l, dtype, -INFINITY);
    }
    unsigned bits = 8 * (unsigned)htp_dtype_size(dtype);
    bool is_signed = dtype != HTP_DTYPE_UINT8 && dtype != HTP_DTYPE_BOOL;
    return htp_emit_scalar_int(l, dtype, is_signed ? -(INT64_C(1) << (bits - 2)) * 2 : 0);
}

htp_tensor_id htp_emit_highest(htp_lowering *l, htp_dtype dtype)
{
    if (htp_dtype_is_float(dtype)) {
        return htp_emit_scalar(l, dtype, INFINITY);
    }
    if (dtype == HTP_DTYPE_BOOL) {
        return htp_emit_scalar_int(l, dtype, 1);
    }
    unsigned bits = 8 * (unsigned)htp_dtype_size(dtype) - (dtype != HTP_DTYPE_UINT8);
    return htp_emit_scalar_int(l, dtype, (int64_t)((UINT64_C(1) << bits) - 1));
}

htp_tensor_id htp_emit_ints(htp_lowering *l, const int64_t *values, size_t count)
{
    const int64_t dims[] = {(int64_t)count};
    return htp_builder_constant(l->model, HTP_DTYPE_INT64, 1, dims, values);
}

htp_tensor_id htp_emit_int(htp_lowering *l, int64_t value)
{
    return htp_emit_ints(l, &value, 1);
}

htp_tensor_id htp_emit_scalar(htp_lowering *l, htp_dtype dtype, double value)
{
    htp_number number = htp_number_float(value);
    return htp_emit_numbers(l, dtype, 0, NULL, &number);
}

htp_tensor_id htp_emit_scalar_int(htp_lowering *l, htp_dtype dtype, int64_t value)
{
    htp_number number = htp_number_int(value);
    return htp_emit_numbers(l, dtype, 0, NULL, &number);
}

htp_tensor_id htp_emit_fill(htp_lowering *l, htp_dtype dtype, int64_t count, double value)
{
    htp_number *numbers = HTP_NEW_ARRAY(l->arena, htp_number, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = htp_number_float(value);
    }
    return htp_emit_numbers(l, dtype, 1, &count, numbers);
}
