#include "verify/measure.h"

#include "onnx/proto/tensor_type.h"

#include <htp/types.h>
#include <math.h>
#include <string.h>

/* Elements that are converted at a time. */
enum { BLOCK = 512 };

static uint32_t bits_of_float(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* ---- half precision: IEEE 754 binary16 ---- */

/* To the nearest one, ties to even. */
static uint16_t write_half(double number)
{
    uint16_t sign = signbit(number) ? 0x8000 : 0;
    double size = fabs(number);
    int exponent = 0;
    if (isnan(size)) {
        return (uint16_t)(sign | 0x7e00);
    }
    if (size < ldexp(1, -14)) { /* subnormal; rounding up to the first normal one fits, too */
        return (uint16_t)(sign | (unsigned)nearbyint(ldexp(size, 24)));
    }
    (void)frexp(isinf(size) ? 0x1p17 : size, &exponent);
    unsigned fraction = (unsigned)nearbyint(ldexp(isinf(size) ? 0x1p16 : size, 11 - exponent));
    unsigned bits = ((unsigned)(exponent + 14) << 10) + (fraction - 0x400);
    return (uint16_t)(sign | (bits < 0x7c00 ? bits : 0x7c00));
}

static uint16_t write_bfloat(double number)
{
    uint32_t bits = bits_of_float((float)number);
    if (isnan(number)) {
        return 0x7fc0;
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* ---- blocks ---- */

#define WRITE(type, convert)                                                                       \
    for (size_t i = 0; i < count; i++) {                                                           \
        type element = (type)(convert);                                                            \
        memcpy(at + i * sizeof(element), &element, sizeof(element));                               \
    }                                                                                              \
    break

static void write(int32_t data_type, unsigned char *at, size_t count, const double *numbers)
{
    switch (data_type) {
    case HTP_TENSOR_TYPE_FLOAT32:
        WRITE(float, numbers[i]);
    case HTP_TENSOR_TYPE_FLOAT64:
        WRITE(double, numbers[i]);
    case HTP_TENSOR_TYPE_FLOAT16:
        WRITE(uint16_t, write_half(numbers[i]));
    case HTP_TENSOR_TYPE_BFLOAT16:
        WRITE(uint16_t, write_bfloat(numbers[i]));
    case HTP_TENSOR_TYPE_BOOL:
        WRITE(uint8_t, numbers[i] < 0 || numbers[i] > 0);
    case HTP_TENSOR_TYPE_UINT8:
    case HTP_TENSOR_TYPE_INT8:
        WRITE(uint8_t, (int64_t)numbers[i]);
    case HTP_TENSOR_TYPE_UINT16:
    case HTP_TENSOR_TYPE_INT16:
        WRITE(uint16_t, (int64_t)numbers[i]);
    case HTP_TENSOR_TYPE_UINT32:
    case HTP_TENSOR_TYPE_INT32:
        WRITE(uint32_t, (int64_t)numbers[i]);
    default: /* 64 bits */
        WRITE(int64_t, numbers[i]);
    }
}

bool htp_measure_is_float(int32_t data_type)
{
    return htp_elements_are_floats(data_type);
}

bool htp_measure_has(int32_t data_type)
{
    return htp_elements_are_numbers(data_type);
}

bool htp_measure_write(const double *numbers, size_t count, int32_t data_type, void *elements)
{
    if (htp_measure_has(data_type)) {
        write(data_type, elements, count, numbers);
    }
    return htp_measure_has(data_type);
}

bool htp_measure_cast(const htp_array *from, int32_t data_type, void *elements)
{
    size_t bytes = htp_tensor_type_bits(data_type) / 8;
    size_t step = htp_tensor_type_bits(from->data_type) / 8;
    double numbers[BLOCK];
    if (from->data_type == data_type) {
        memcpy(elements, from->data, htp_array_bytes(from));
        return true;
    }
    if (!htp_measure_has(from->data_type) || !htp_measure_has(data_type)) {
        return false;
    }
    for (size_t at = 0; at < from->count; at += BLOCK) {
        size_t count = from->count - at < BLOCK ? from->count - at : BLOCK;
        htp_elements_read(from->data_type, (const unsigned char *)from->data + at * step, count,
                          numbers);
        write(data_type, (unsigned char *)elements + at * bytes, count, numbers);
    }
    return true;
}

/* ---- differences ---- */

static bool can_types(const htp_array *reference, const htp_array *other)
{
    return htp_measure_has(reference->data_type) && htp_measure_has(other->data_type) &&
           htp_measure_is_float(reference->data_type) == htp_measure_is_float(other->data_type);
}

static bool can_tensors(const htp_array *reference, const htp_array *other)
{
    return can_types(reference, other) && reference->rank == other->rank &&
           (reference->rank == 0 ||
            memcmp(reference->dims, other->dims, reference->rank * sizeof(*reference->dims)) == 0);
}

static size_t common_length(const htp_array *reference, const htp_array *other)
{
    return reference->count < other->count ? reference->count : other->count;
}

bool htp_measure_can(const htp_array *reference, const htp_array *other)
{
    if (!reference->tensors || !other->tensors) {
        return !reference->tensors && !other->tensors && can_tensors(reference, other);
    }
    bool can = true;
    bool is_as_long = reference->count == other->count;
    for (size_t i = 0; i < common_length(reference, other) && can; i++) {
        can = (is_as_long ? can_tensors : can_types)(&reference->tensors[i], &other->tensors[i]);
    }
    return can;
}

/* A number that hides what it is added to: the least one of a mask. */
static bool is_huge(double number)
{
    return fabs(number) >= 1e30;
}

static double difference(double a, double b)
{
    if (is_huge(a) && is_huge(b) && signbit(a) == signbit(b)) {
        return 0;
    }
    if (isnan(a) && isnan(b)) {
        return 0;
    }
    return isfinite(a) && isfinite(b) ? fabs(a - b) : (double)INFINITY;
}

/* Sums over the elements of two tensors. */
struct sums {
    double scale;   /* the largest element of the reference that is not huge */
    double largest; /* difference */
    double limit;
    size_t beyond; /* differences above `limit` */
};

static void add_up(const htp_array *a, const htp_array *b, struct sums *sums)
{
    size_t step_a = htp_tensor_type_bits(a->data_type) / 8;
    size_t step_b = htp_tensor_type_bits(b->data_type) / 8;
    double numbers_a[BLOCK];
    double numbers_b[BLOCK];
    for (size_t at = 0; at < a->count; at += BLOCK) {
        size_t count = a->count - at < BLOCK ? a->count - at : BLOCK;
        htp_elements_read(a->data_type, (const unsigned char *)a->data + at * step_a, count,
                          numbers_a);
        htp_elements_read(b->data_type, (const unsigned char *)b->data + at * step_b, count,
                          numbers_b);
        for (size_t i = 0; i < count; i++) {
            double size = fabs(numbers_a[i]);
            double apart = difference(numbers_a[i], numbers_b[i]);
            sums->scale = !is_huge(size) && size > sums->scale ? size : sums->scale;
            sums->largest = apart > sums->largest ? apart : sums->largest;
            sums->beyond += apart > sums->limit;
        }
    }
}

static htp_difference_of measure_tensors(const htp_array *reference, const htp_array *other,
                                         double tolerance)
{
    htp_difference_of found = {.is_known = true};
    struct sums sums = {.limit = (double)INFINITY};
    if (reference->data_type == other->data_type &&
        memcmp(reference->data, other->data, htp_array_bytes(reference)) == 0) {
        return found;
    }
    add_up(reference, other, &sums);
    if (sums.largest > 0) {
        sums.limit = tolerance * sums.scale;
        sums.beyond = 0;
        add_up(reference, other, &sums);
        found.largest = sums.largest;
        found.relative = sums.scale > 0 ? sums.largest / sums.scale : (double)INFINITY;
        found.share = (double)sums.beyond / (double)reference->count;
        found.excess = tolerance > 0 ? found.relative / tolerance : (double)INFINITY;
    }
    return found;
}

htp_difference_of htp_measure(const htp_array *reference, const htp_array *other, double tolerance)
{
    const double infinite = (double)INFINITY;
    htp_difference_of found = {.is_known = true};
    if (!reference->tensors) {
        return measure_tensors(reference, other, tolerance);
    }
    if (reference->count != other->count) {
        return (htp_difference_of){true, infinite, infinite, 1, infinite};
    }
    for (size_t i = 0; i < reference->count; i++) {
        found = htp_measure_worse(
            found, measure_tensors(&reference->tensors[i], &other->tensors[i], tolerance));
    }
    return found;
}

htp_difference_of htp_measure_worse(htp_difference_of a, htp_difference_of b)
{
    return (htp_difference_of){
        .is_known = a.is_known || b.is_known,
        .largest = fmax(a.largest, b.largest),
        .relative = fmax(a.relative, b.relative),
        .share = fmax(a.share, b.share),
        .excess = fmax(a.excess, b.excess),
    };
}
