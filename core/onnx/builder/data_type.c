#include "onnx/builder/builder.h"

#include "onnx/proto/onnx.pb-c.h"

#define TYPE(name) HTP__ONNX__TENSOR_PROTO__DATA_TYPE__##name

int32_t htp_onnx_data_type(htp_dtype dtype)
{
    static const int32_t types[HTP_DTYPE_COUNT] = {
        [HTP_DTYPE_UINT8] = TYPE(UINT8),         [HTP_DTYPE_INT8] = TYPE(INT8),
        [HTP_DTYPE_INT16] = TYPE(INT16),         [HTP_DTYPE_INT32] = TYPE(INT32),
        [HTP_DTYPE_INT64] = TYPE(INT64),         [HTP_DTYPE_FLOAT16] = TYPE(FLOAT16),
        [HTP_DTYPE_FLOAT32] = TYPE(FLOAT),       [HTP_DTYPE_FLOAT64] = TYPE(DOUBLE),
        [HTP_DTYPE_COMPLEX64] = TYPE(COMPLEX64), [HTP_DTYPE_COMPLEX128] = TYPE(COMPLEX128),
        [HTP_DTYPE_BOOL] = TYPE(BOOL),           [HTP_DTYPE_BFLOAT16] = TYPE(BFLOAT16),
    };
    return (unsigned)dtype < HTP_DTYPE_COUNT ? types[dtype] : TYPE(UNDEFINED);
}

bool htp_dtype_of_onnx(int64_t data_type, htp_dtype *dtype)
{
    for (int i = 0; data_type != TYPE(UNDEFINED) && i < HTP_DTYPE_COUNT; i++) {
        if (htp_onnx_data_type((htp_dtype)i) == data_type) {
            *dtype = (htp_dtype)i;
            return true;
        }
    }
    return false;
}
