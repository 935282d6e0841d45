/*
 * The element types of tensors in ONNX files, including those that this program does not write.
 *
 * Reference: TensorProto.DataType in onnx.proto
 */
#ifndef HTP_ONNX_TENSOR_TYPE_H
#define HTP_ONNX_TENSOR_TYPE_H

#include <stdint.h>

/** TensorProto.STRING: its elements have no fixed size. */
#define HTP_TENSOR_TYPE_STRING 8

/** The bits of an element; 0 for strings and unknown types. */
unsigned htp_tensor_type_bits(int32_t data_type);

/** "float32", "int4", "string"; "type99" for an unknown type, in a thread-local buffer. */
const char *htp_tensor_type_name(int32_t data_type);

#endif
