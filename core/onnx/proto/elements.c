#include "onnx/proto/tensor_type.h"

#include <math.h>
#include <string.h>

static float float_of_bits(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* IEEE 754 binary16. */
static double read_half(uint16_t half)
{
    int exponent = half >> 10 & 0x1f;
    int fraction = half & 0x3ff;
    double number = exponent == 0      ? ldexp(fraction, -24)
                    : exponent == 0x1f ? (fraction ? (double)NAN : (double)INFINITY)
                                       : ldexp(fraction + 0x400, exponent - 25);
    return half & 0x8000 ? -number : number;
}

#define READ(type, convert)                                                                        \
    for (size_t i = 0; i < count; i++) {                                                           \
        type element;                                                                              \
        memcpy(&element, at + i * sizeof(element), sizeof(element));                               \
        numbers[i] = (double)(convert);                                                            \
    }                                                                                              \
    break

void htp_elements_read(int32_t data_type, const unsigned char *at, size_t count, double *numbers)
{
    switch (data_type) {
    case HTP_TENSOR_TYPE_FLOAT32:
        READ(float, element);
    case HTP_TENSOR_TYPE_FLOAT64:
        READ(double, element);
    case HTP_TENSOR_TYPE_FLOAT16:
        READ(uint16_t, read_half(element));
    case HTP_TENSOR_TYPE_BFLOAT16:
        READ(uint16_t, float_of_bits((uint32_t)element << 16));
    case HTP_TENSOR_TYPE_UINT8:
    case HTP_TENSOR_TYPE_BOOL:
        READ(uint8_t, element);
    case HTP_TENSOR_TYPE_INT8:
        READ(int8_t, element);
    case HTP_TENSOR_TYPE_UINT16:
        READ(uint16_t, element);
    case HTP_TENSOR_TYPE_INT16:
        READ(int16_t, element);
    case HTP_TENSOR_TYPE_UINT32:
        READ(uint32_t, element);
    case HTP_TENSOR_TYPE_INT32:
        READ(int32_t, element);
    case HTP_TENSOR_TYPE_UINT64:
        READ(uint64_t, element);
    default: /* HTP_TENSOR_TYPE_INT64 */
        READ(int64_t, element);
    }
}

bool htp_elements_are_floats(int32_t data_type)
{
    return data_type == HTP_TENSOR_TYPE_FLOAT32 || data_type == HTP_TENSOR_TYPE_FLOAT64 ||
           data_type == HTP_TENSOR_TYPE_FLOAT16 || data_type == HTP_TENSOR_TYPE_BFLOAT16;
}

bool htp_elements_are_numbers(int32_t data_type)
{
    return htp_elements_are_floats(data_type) ||
           (data_type >= HTP_TENSOR_TYPE_UINT8 && data_type <= HTP_TENSOR_TYPE_BOOL &&
            data_type != HTP_TENSOR_TYPE_STRING) ||
           data_type == HTP_TENSOR_TYPE_UINT32 || data_type == HTP_TENSOR_TYPE_UINT64;
}
