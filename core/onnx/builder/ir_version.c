#include "onnx/builder/ir_version.h"

/* The least version for opset 17 and functions, which every model may have. */
enum { LOWEST = 8 };

/* An IR version, and its first opset or data type. */
struct row {
    int version;
    int64_t first;
};

/* Sorted by both columns. */
static const struct row opsets[] = {
    {9, 19}, {10, 21}, {11, 23}, {12, 24}, {13, 25}, {14, 28},
};

/* Data types are numbered in the order of their introduction. */
static const struct row data_types[] = {
    {9, 17},  /* FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ */
    {10, 21}, /* UINT4, INT4 */
    {11, 23}, /* FLOAT4E2M1 */
    {12, 24}, /* FLOAT8E8M0 */
    {13, 25}, /* UINT2, INT2 */
    {14, 27}, /* FLOAT6E2M3, FLOAT6E3M2 */
};

static int look_up(const struct row *rows, size_t count, int64_t key)
{
    int version = LOWEST;
    for (size_t i = 0; i < count && rows[i].first <= key; i++) {
        version = rows[i].version;
    }
    return version;
}

int htp_ir_version_of_opset(int64_t opset)
{
    return look_up(opsets, sizeof(opsets) / sizeof(opsets[0]), opset);
}

int htp_ir_version_of_type(int64_t data_type)
{
    return look_up(data_types, sizeof(data_types) / sizeof(data_types[0]), data_type);
}

static int later_of(int a, int b)
{
    return a > b ? a : b;
}

int htp_ir_version_needed(const htp_builder *model)
{
    int version = htp_ir_version_of_opset(model->opset);
    for (size_t i = 0; i < model->tensors.count; i++) {
        const htp_tensor *tensor = &model->tensors.items[i];
        int32_t type = tensor->has_type ? htp_onnx_data_type(tensor->dtype) : 0;
        version = later_of(version, htp_ir_version_of_type(type));
    }
    for (size_t i = 0; i < model->constants_within.count; i++) {
        int32_t type = htp_onnx_data_type(model->constants_within.items[i].dtype);
        version = later_of(version, htp_ir_version_of_type(type));
    }
    return version;
}

int htp_ir_version_of(const htp_builder *model)
{
    return model->ir_version ? model->ir_version : htp_ir_version_needed(model);
}
