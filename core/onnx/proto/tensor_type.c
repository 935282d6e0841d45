#include "onnx/proto/tensor_type.h"

#include <stddef.h>
#include <stdio.h>

static const struct tensor_type {
    const char *name;
    unsigned bits;
} types[] = {
    {"undefined", 0},      {"float32", 32},     {"uint8", 8},          {"int8", 8},
    {"uint16", 16},        {"int16", 16},       {"int32", 32},         {"int64", 64},
    {"string", 0},         {"bool", 8},         {"float16", 16},       {"float64", 64},
    {"uint32", 32},        {"uint64", 64},      {"complex64", 64},     {"complex128", 128},
    {"bfloat16", 16},      {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8},
    {"float8e5m2fnuz", 8}, {"uint4", 4},        {"int4", 4},           {"float4e2m1", 4},
    {"float8e8m0", 8},     {"uint2", 2},        {"int2", 2},           {"float6e2m3", 6},
    {"float6e3m2", 6},
};

static const struct tensor_type *find(int32_t data_type)
{
    size_t count = sizeof(types) / sizeof(types[0]);
    return data_type >= 0 && (size_t)data_type < count ? &types[data_type] : NULL;
}

unsigned htp_tensor_type_bits(int32_t data_type)
{
    const struct tensor_type *type = find(data_type);
    return type ? type->bits : 0;
}

const char *htp_tensor_type_name(int32_t data_type)
{
    static _Thread_local char unknown[32];
    const struct tensor_type *type = find(data_type);
    if (type) {
        return type->name;
    }
    (void)snprintf(unknown, sizeof(unknown), "type%d", (int)data_type);
    return unknown;
}
