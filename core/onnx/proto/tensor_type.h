/*
 * The element types of tensors in ONNX files, including those that this program does not write.
 *
 * Reference: TensorProto.DataType in onnx.proto
 */
#ifndef HTP_ONNX_TENSOR_TYPE_H
#define HTP_ONNX_TENSOR_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** TensorProto.DataType: the types of numbers that are read here, and strings, whose elements have
 * no fixed size. */
enum {
    HTP_TENSOR_TYPE_FLOAT32 = 1,
    HTP_TENSOR_TYPE_UINT8 = 2,
    HTP_TENSOR_TYPE_INT8 = 3,
    HTP_TENSOR_TYPE_UINT16 = 4,
    HTP_TENSOR_TYPE_INT16 = 5,
    HTP_TENSOR_TYPE_INT32 = 6,
    HTP_TENSOR_TYPE_INT64 = 7,
    HTP_TENSOR_TYPE_STRING = 8,
    HTP_TENSOR_TYPE_BOOL = 9,
    HTP_TENSOR_TYPE_FLOAT16 = 10,
    HTP_TENSOR_TYPE_FLOAT64 = 11,
    HTP_TENSOR_TYPE_UINT32 = 12,
    HTP_TENSOR_TYPE_UINT64 = 13,
    HTP_TENSOR_TYPE_BFLOAT16 = 16,
};

/** The bits of an element; 0 for strings and unknown types. */
unsigned htp_tensor_type_bits(int32_t data_type);

/** "float32", "int4", "string"; "type99" for an unknown type, in a thread-local buffer. */
const char *htp_tensor_type_name(int32_t data_type);

/** Whether elements of a type are floats. */
bool htp_elements_are_floats(int32_t data_type);

/** Whether they are numbers that are read here: floats, integers of 8 bits and more, and bools. */
bool htp_elements_are_numbers(int32_t data_type);

/** Reads @p count elements of such a type. @param at  raw data, perhaps unaligned */
void htp_elements_read(int32_t data_type, const unsigned char *at, size_t count, double *numbers);

#endif
