/*
 * Values of the library as arrays, and arrays as values of the library.
 */
#include "runtime/session.h"

#include "onnx/proto/tensor_type.h"

#include <limits.h>
#include <stdlib.h>

htp_status htp_runtime_out_of_memory(void)
{
    return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

size_t htp_array_bytes(const htp_array *array)
{
    size_t bytes = array->tensors ? 0 : array->count * (htp_tensor_type_bits(array->data_type) / 8);
    for (size_t i = 0; array->tensors && i < array->count; i++) {
        bytes += htp_array_bytes(&array->tensors[i]); /* no lists */
    }
    return bytes;
}

int32_t htp_array_type(const htp_array *array)
{
    return array->tensors && array->count > 0 ? array->tensors[0].data_type : array->data_type;
}

/* ---- memory ---- */

htp_values *htp_values_new(size_t count)
{
    htp_values *values = calloc(1, sizeof(*values));
    if (!values) {
        return NULL;
    }
    *values = (htp_values){
        .count = count,
        .arrays = calloc(count + 1, sizeof(*values->arrays)),
        .memory = calloc(count + 1, sizeof(*values->memory)),
    };
    if (!values->arrays || !values->memory) {
        free(values->arrays);
        free(values->memory);
        free(values);
        return NULL;
    }
    return values;
}

void htp_values_free(const htp_runtime *runtime, htp_values *values)
{
    for (size_t i = 0; values && i < values->count; i++) {
        htp_value_memory *memory = &values->memory[i];
        if (memory->value) {
            runtime->api.free_value(memory->value);
        }
        htp_values_free(runtime, memory->tensors); /* which are no lists */
        free(memory->dims);
        free(memory->elements);
    }
    if (values) {
        free(values->arrays);
        free(values->memory);
    }
    free(values);
}

/* ---- reading ---- */

static htp_status read_info(const htp_runtime *runtime, const htp_ort_info *info, htp_array *array,
                            htp_value_memory *memory)
{
    const htp_ort_api *api = &runtime->api;
    int type = 0;
    HTP_TRY(htp_runtime_take(runtime, api->element_type(info, &type)));
    HTP_TRY(htp_runtime_take(runtime, api->rank(info, &array->rank)));
    HTP_TRY(htp_runtime_take(runtime, api->element_count(info, &array->count)));
    if (array->rank > HTP_RUNTIME_MAX_RANK || type == HTP_TENSOR_TYPE_STRING) {
        return HTP_OK; /* such a tensor has no type here */
    }
    memory->dims = calloc(array->rank + 1, sizeof(*memory->dims));
    if (!memory->dims) {
        return htp_runtime_out_of_memory();
    }
    HTP_TRY(htp_runtime_take(runtime, api->dims(info, memory->dims, array->rank)));
    array->data_type = type;
    array->dims = memory->dims;
    return HTP_OK;
}

static htp_status read_tensor(const htp_runtime *runtime, htp_array *array,
                              htp_value_memory *memory)
{
    const htp_ort_api *api = &runtime->api;
    htp_ort_info *info = NULL;
    void *data = NULL;
    HTP_TRY(htp_runtime_take(runtime, api->tensor_info(memory->value, &info)));
    htp_status status = read_info(runtime, info, array, memory);
    api->free_info(info);
    if (!status && array->data_type != 0) {
        status = htp_runtime_take(runtime, api->tensor_data(memory->value, &data));
        array->data = data;
    }
    return status;
}

/* A list is one if all that it holds are tensors of numbers. */
static htp_status read_list(const htp_runtime *runtime, htp_array *array, htp_value_memory *memory)
{
    const htp_ort_api *api = &runtime->api;
    htp_ort_allocator *allocator = NULL;
    size_t length = 0;
    HTP_TRY(htp_runtime_take(runtime, api->length(memory->value, &length)));
    HTP_TRY(htp_runtime_take(runtime, api->usual_allocator(&allocator)));
    htp_values *tensors = length <= INT_MAX ? htp_values_new(length) : NULL;
    memory->tensors = tensors;
    array->count = length;
    if (!tensors) {
        return htp_runtime_out_of_memory();
    }
    for (size_t i = 0; i < length; i++) {
        int is_tensor = 0;
        HTP_TRY(htp_runtime_take(
            runtime, api->element(memory->value, (int)i, allocator, &tensors->memory[i].value)));
        HTP_TRY(htp_runtime_take(runtime, api->is_tensor(tensors->memory[i].value, &is_tensor)));
        if (is_tensor) {
            HTP_TRY(read_tensor(runtime, &tensors->arrays[i], &tensors->memory[i]));
        }
        if (tensors->arrays[i].data_type == 0) {
            return HTP_OK;
        }
    }
    array->tensors = tensors->arrays;
    api->free_value(memory->value); /* the elements are copies, or live on */
    memory->value = NULL;
    return HTP_OK;
}

/* An optional value that is None has no type here. */
static htp_status read_value(const htp_runtime *runtime, htp_array *array, htp_value_memory *memory)
{
    const htp_ort_api *api = &runtime->api;
    int has_value = 1;
    int is_tensor = 0;
    int type = 0;
    if (api->has_value) {
        HTP_TRY(htp_runtime_take(runtime, api->has_value(memory->value, &has_value)));
    }
    if (!has_value) {
        return HTP_OK;
    }
    HTP_TRY(htp_runtime_take(runtime, api->is_tensor(memory->value, &is_tensor)));
    if (is_tensor) {
        return read_tensor(runtime, array, memory);
    }
    HTP_TRY(htp_runtime_take(runtime, api->value_type(memory->value, &type)));
    return type == HTP_ORT_SEQUENCE ? read_list(runtime, array, memory) : HTP_OK;
}

htp_status htp_values_read(const htp_runtime *runtime, htp_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        HTP_TRY(read_value(runtime, &values->arrays[i], &values->memory[i]));
    }
    return HTP_OK;
}

/* ---- making ---- */

static htp_status make_tensor(const htp_runtime *runtime, const htp_array *array,
                              htp_ort_value **value)
{
    return htp_runtime_take(runtime,
                            runtime->api.new_tensor(runtime->memory, (void *)(uintptr_t)array->data,
                                                    htp_array_bytes(array), array->dims,
                                                    array->rank, array->data_type, value));
}

static htp_status make_list(const htp_runtime *runtime, const htp_array *array,
                            const htp_values *tensors, htp_ort_value **value)
{
    htp_ort_value **made = calloc(array->count + 1, sizeof(htp_ort_value *));
    htp_status status = made ? HTP_OK : htp_runtime_out_of_memory();
    for (size_t i = 0; made && i < array->count && !status; i++) {
        status = make_tensor(runtime, &array->tensors[i], &tensors->memory[i].value);
        made[i] = tensors->memory[i].value;
    }
    if (!status) {
        status =
            htp_runtime_take(runtime, runtime->api.new_list((const htp_ort_value *const *)made,
                                                            array->count, HTP_ORT_SEQUENCE, value));
    }
    free(made);
    return status;
}

htp_status htp_value_make(const htp_runtime *runtime, const htp_array *array, htp_ort_value **value)
{
    if (!array->tensors) {
        return make_tensor(runtime, array, value);
    }
    htp_values *tensors = htp_values_new(array->count);
    htp_status status =
        tensors ? make_list(runtime, array, tensors, value) : htp_runtime_out_of_memory();
    htp_values_free(runtime, tensors);
    return status;
}
