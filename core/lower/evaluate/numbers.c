/*
 * Blocks of numbers of any dtype as float64 or int64, and back.
 */
#include "lower/emit/constant.h"
#include "lower/evaluate/kernel.h"

#include <string.h>

static int64_t of_int(int64_t value)
{
    return value;
}

static double of_float(double value)
{
    return value;
}

/* Copies each element, since it may be unaligned. */
#define READ(type, make)                                                                           \
    for (size_t i = 0; i < count; i++) {                                                           \
        type value;                                                                                \
        memcpy(&value, bytes + ((int64_t)i * step) * (int64_t)sizeof(value), sizeof(value));       \
        to[i] = make(value);                                                                       \
    }                                                                                              \
    return true;

bool htp_numbers_ints(htp_dtype dtype, const void *from, int64_t first, int64_t step, size_t count,
                      int64_t *to)
{
    const char *bytes = (const char *)from + first * (int64_t)htp_dtype_size(dtype);
    switch (dtype) {
    case HTP_DTYPE_BOOL:
    case HTP_DTYPE_UINT8:
        READ(uint8_t, of_int)
    case HTP_DTYPE_INT8:
        READ(int8_t, of_int)
    case HTP_DTYPE_INT16:
        READ(int16_t, of_int)
    case HTP_DTYPE_INT32:
        READ(int32_t, of_int)
    case HTP_DTYPE_INT64:
        READ(int64_t, of_int)
    default:
        return false;
    }
}

static bool read_ints_as_floats(htp_dtype dtype, const char *bytes, int64_t step, size_t count,
                                double *to)
{
    int64_t ints[HTP_KERNEL_BLOCK];
    if (count > HTP_KERNEL_BLOCK || !htp_numbers_ints(dtype, bytes, 0, step, count, ints)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        to[i] = (double)ints[i];
    }
    return true;
}

bool htp_numbers_floats(htp_dtype dtype, const void *from, int64_t first, int64_t step,
                        size_t count, double *to)
{
    int64_t size = htp_dtype_size(dtype);
    const char *bytes = (const char *)from + first * size;
    switch (dtype) {
    case HTP_DTYPE_FLOAT32:
        READ(float, of_float)
    case HTP_DTYPE_FLOAT64:
        READ(double, of_float)
    case HTP_DTYPE_FLOAT16:
    case HTP_DTYPE_BFLOAT16:
        for (size_t i = 0; i < count; i++) {
            htp_number number = {0};
            (void)htp_number_read(dtype, bytes + (int64_t)i * step * size, &number);
            to[i] = number.f;
        }
        return true;
    default:
        return read_ints_as_floats(dtype, bytes, step, count, to);
    }
}

bool htp_numbers_put_floats(htp_dtype dtype, const double *from, size_t count, void *to)
{
    float *floats = to;
    char *bytes = to;
    switch (dtype) {
    case HTP_DTYPE_FLOAT32:
        for (size_t i = 0; i < count; i++) {
            floats[i] = (float)from[i];
        }
        return true;
    case HTP_DTYPE_FLOAT64:
        memcpy(to, from, count * sizeof(*from));
        return true;
    case HTP_DTYPE_FLOAT16:
    case HTP_DTYPE_BFLOAT16:
        for (size_t i = 0; i < count; i++) {
            (void)htp_number_write(dtype, htp_number_float(from[i]),
                                   bytes + i * htp_dtype_size(dtype));
        }
        return true;
    default:
        return false;
    }
}

/* The range of an integer dtype. */
static bool find_range(htp_dtype dtype, int64_t *least, int64_t *greatest)
{
    switch (dtype) {
    case HTP_DTYPE_UINT8:
        *least = 0;
        *greatest = UINT8_MAX;
        return true;
    case HTP_DTYPE_BOOL:
    case HTP_DTYPE_INT64:
        *least = INT64_MIN;
        *greatest = INT64_MAX;
        return true;
    default:
        *greatest = (INT64_C(1) << (8 * htp_dtype_size(dtype) - 1)) - 1;
        *least = -*greatest - 1;
        return htp_dtype_is_integer(dtype);
    }
}

bool htp_numbers_put_ints(htp_dtype dtype, const int64_t *from, size_t count, void *to)
{
    int64_t least;
    int64_t greatest;
    char *bytes = to;
    size_t size = htp_dtype_size(dtype);
    if (!(dtype == HTP_DTYPE_BOOL || htp_dtype_is_integer(dtype)) ||
        !find_range(dtype, &least, &greatest)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (from[i] < least || from[i] > greatest) {
            return false;
        }
        (void)htp_number_write(dtype, htp_number_int(from[i]), bytes + i * size);
    }
    return true;
}

#define COPY(type)                                                                                 \
    for (size_t i = 0; i < count; i++) {                                                           \
        memcpy(out + i * sizeof(type), bytes + ((int64_t)i * step) * (int64_t)sizeof(type),        \
               sizeof(type));                                                                      \
    }                                                                                              \
    break;

void htp_numbers_copy(size_t size, const void *from, int64_t first, int64_t step, size_t count,
                      void *to)
{
    const char *bytes = (const char *)from + first * (int64_t)size;
    char *out = to;
    if (step == 1) {
        memcpy(to, bytes, count * size);
        return;
    }
    switch (size) {
    case 1:
        COPY(uint8_t)
    case 2:
        COPY(uint16_t)
    case 4:
        COPY(uint32_t)
    case 8:
        COPY(uint64_t)
    default:
        for (size_t i = 0; i < count; i++) {
            memcpy(out + i * size, bytes + ((int64_t)i * step) * (int64_t)size, size);
        }
        break;
    }
}

bool htp_numbers_index(const htp_known *indices, uint64_t at, int64_t size, int64_t *index)
{
    if (!htp_numbers_ints(indices->dtype, indices->data, (int64_t)at, 1, 1, index)) {
        return false;
    }
    *index = *index < 0 ? *index + size : *index;
    return *index >= 0 && *index < size;
}
