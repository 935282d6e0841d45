/*
 * Reads tensors: their dims, and the location of their data.
 */
#include "onnx/reader/view_read.h"

#include "base/checked.h"
#include "onnx/proto/tensor_type.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_FLOAT_DATA = 4,
    TENSOR_INT32_DATA = 5,
    TENSOR_STRING_DATA = 6,
    TENSOR_INT64_DATA = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW_DATA = 9,
    TENSOR_DOUBLE_DATA = 10,
    TENSOR_UINT64_DATA = 11,
    TENSOR_EXTERNAL_DATA = 13,
    TENSOR_LOCATION = 14,
    TENSOR_PROPERTY = 16,

    SPARSE_VALUES = 1,
    SPARSE_INDICES = 2,

    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,

    LOCATION_EXTERNAL = 1,
};

/* A tensor's fields before its storage is known. */
struct reading {
    bool is_external;
    bool has_length;
    uint64_t length;
    uint64_t string_bytes; /* of string_data */
    uint64_t strings;
    uint32_t pieces; /* fields with data */
};

static htp_status wrong(const htp_view *view, const htp_view_tensor *tensor, const char *what)
{
    const char *name = htp_view_text(view, tensor->name);
    return htp_view_damaged(view, tensor->whole.at,
                            htp_arena_printf(view->arena, "tensor '%s' %s", name, what));
}

/* ---- external data ---- */

/* Reads a decimal number; false if it is none. */
static bool read_number(htp_span text, uint64_t *number)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.bytes; i++) {
        unsigned digit = (unsigned)text.at[i] - '0';
        if (digit > 9 || !htp_checked_mul(value, 10, &value) ||
            !htp_checked_add(value, digit, &value)) {
            return false;
        }
    }
    *number = value;
    return text.bytes > 0;
}

static bool is_key(htp_span key, const char *text)
{
    return key.bytes == strlen(text) && memcmp(key.at, text, key.bytes) == 0;
}

static htp_status read_external(htp_view *view, htp_span message, htp_view_tensor *tensor,
                                struct reading *reading)
{
    htp_span key = {NULL, 0};
    htp_span value = {NULL, 0};
    htp_wire wire = htp_wire_begin(message);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, ENTRY_KEY)) {
            key = field.content;
        } else if (htp_wire_is_bytes(&field, ENTRY_VALUE)) {
            value = field.content;
        }
    }
    HTP_TRY(htp_view_end(view, &wire, "a place of external data"));
    bool is_number = true;
    if (is_key(key, "location")) {
        HTP_TRY(htp_view_intern(view, value, &tensor->location));
    } else if (is_key(key, "offset")) {
        is_number = read_number(value, &tensor->offset);
    } else if (is_key(key, "length")) {
        is_number = read_number(value, &reading->length);
        reading->has_length = true;
    }
    return is_number ? HTP_OK : wrong(view, tensor, "has external data at no number of bytes");
}

/* ---- dims and sizes ---- */

static htp_status add_dim(htp_view *view, htp_view_tensor *tensor, uint64_t size)
{
    if (size > INT64_MAX) {
        return wrong(view, tensor, "has a negative dim");
    }
    HTP_PUSH(view->arena, &view->dims, (int64_t)size);
    tensor->dims.count++;
    return htp_view_check_costs(view);
}

static htp_status read_dims(htp_view *view, const htp_wire_field *field, htp_view_tensor *tensor)
{
    if (field->type == HTP_WIRE_VARINT) {
        return add_dim(view, tensor, field->value);
    }
    htp_wire wire = htp_wire_begin(field->content);
    uint64_t size;
    while (htp_wire_next_varint(&wire, &size)) {
        HTP_TRY(add_dim(view, tensor, size));
    }
    return htp_view_end(view, &wire, "a list of dims");
}

/* Multiplies a number by the dims: 0 if one is 0. @return whether the product fits */
static bool multiply_dims(const htp_view *view, const htp_view_tensor *tensor, uint64_t *product)
{
    bool fits = true;
    bool is_empty = false;
    for (uint32_t i = 0; i < tensor->dims.count; i++) {
        int64_t dim = view->dims.items[tensor->dims.first + i];
        is_empty = is_empty || dim == 0;
        fits = fits && htp_checked_mul(*product, (uint64_t)dim, product);
    }
    *product = is_empty ? 0 : *product;
    return fits || is_empty;
}

/* Counts the bytes of the elements as raw data. */
static htp_status count_bytes(const htp_view *view, htp_view_tensor *tensor)
{
    uint64_t bits = htp_tensor_type_bits(tensor->data_type);
    if (!multiply_dims(view, tensor, &bits)) {
        return wrong(view, tensor, "has dims that no memory can hold");
    }
    tensor->bytes = bits / 8 + (bits % 8 != 0);
    return HTP_OK;
}

/* Whether the dims are those of a number of elements. */
static bool has_elements(const htp_view *view, const htp_view_tensor *tensor, uint64_t elements)
{
    uint64_t product = 1;
    return multiply_dims(view, tensor, &product) && product == elements;
}

static htp_status judge_data(htp_view *view, htp_view_tensor *tensor, const struct reading *reading)
{
    bool is_sized = htp_tensor_type_bits(tensor->data_type) > 0;
    HTP_TRY(count_bytes(view, tensor));
    if (reading->is_external) {
        if (tensor->location == 0) {
            return wrong(view, tensor, "has external data in a file without a name");
        }
        if (is_sized && reading->has_length && reading->length != tensor->bytes) {
            return wrong(view, tensor, "has external data of another length than its dims");
        }
        tensor->bytes = is_sized ? tensor->bytes : reading->length;
        tensor->data = (htp_span){NULL, 0};
        tensor->data_field = 0;
        return htp_view_find_data(view, tensor);
    }
    tensor->location = 0;
    if (tensor->data_type == HTP_TENSOR_TYPE_STRING) {
        tensor->bytes = reading->string_bytes;
        if (!has_elements(view, tensor, reading->strings)) {
            return wrong(view, tensor, "has more or fewer texts than its dims");
        }
    }
    if (reading->pieces > 1) {
        tensor->data = (htp_span){NULL, 0};
        tensor->data_field = 0;
    }
    if (tensor->data_field == TENSOR_RAW_DATA && is_sized && tensor->data.bytes != tensor->bytes) {
        return wrong(view, tensor, "has more or fewer data than its dims");
    }
    return HTP_OK;
}

/* ---- the message ---- */

static htp_status read_tensor_field(htp_view *view, const htp_wire_field *field,
                                    htp_view_tensor *tensor, struct reading *reading)
{
    switch (field->number) {
    case TENSOR_DIMS:
        return field->type == HTP_WIRE_VARINT || field->type == HTP_WIRE_BYTES
                   ? read_dims(view, field, tensor)
                   : HTP_OK;
    case TENSOR_DATA_TYPE:
        tensor->data_type = field->type == HTP_WIRE_VARINT ? (int32_t)field->value : 0;
        return HTP_OK;
    case TENSOR_LOCATION:
        reading->is_external = field->type == HTP_WIRE_VARINT && field->value == LOCATION_EXTERNAL;
        return HTP_OK;
    case TENSOR_NAME:
        return field->type == HTP_WIRE_BYTES ? htp_view_intern(view, field->content, &tensor->name)
                                             : HTP_OK;
    case TENSOR_EXTERNAL_DATA:
        return field->type == HTP_WIRE_BYTES ? read_external(view, field->content, tensor, reading)
                                             : HTP_OK;
    case TENSOR_STRING_DATA:
        reading->string_bytes += field->whole.bytes;
        reading->strings++;
        reading->pieces++;
        return HTP_OK;
    case TENSOR_RAW_DATA:
    case TENSOR_FLOAT_DATA:
    case TENSOR_INT32_DATA:
    case TENSOR_INT64_DATA:
    case TENSOR_DOUBLE_DATA:
    case TENSOR_UINT64_DATA:
        reading->pieces++;
        tensor->data = field->content;
        tensor->data_field = field->type == HTP_WIRE_BYTES ? field->number : 0;
        return HTP_OK;
    default:
        return HTP_OK;
    }
}

htp_status htp_view_read_tensor(htp_view *view, htp_span whole, htp_view_tensor *tensor)
{
    struct reading reading = {0};
    htp_wire_runs runs = {0};
    htp_wire wire = htp_wire_begin(htp_wire_content(whole));
    htp_wire_field field;
    tensor->whole = whole;
    tensor->dims.first = (uint32_t)view->dims.count;
    while (htp_wire_next(&wire, &field)) {
        htp_wire_runs_add(&runs, &field);
        HTP_TRY(read_tensor_field(view, &field, tensor, &reading));
    }
    HTP_TRY(htp_view_end(view, &wire, "a tensor"));
    HTP_TRY(htp_view_read_properties(view, &runs, TENSOR_PROPERTY, &tensor->properties));
    HTP_TRY(judge_data(view, tensor, &reading));
    HTP_PUSH(view->arena, &view->tensors, *tensor);
    return htp_view_check_costs(view);
}

htp_status htp_view_read_sparse(htp_view *view, htp_span whole, htp_view_tensor like)
{
    static const uint32_t numbers[] = {SPARSE_VALUES, SPARSE_INDICES};
    htp_span message = htp_wire_content(whole);
    like.sparse = whole;
    for (size_t i = 0; i < 2; i++) {
        htp_wire wire = htp_wire_begin(message);
        htp_wire_field field;
        htp_span part = {NULL, 0};
        while (htp_wire_next(&wire, &field)) {
            part = htp_wire_is_bytes(&field, numbers[i]) ? field.whole : part;
        }
        HTP_TRY(htp_view_end(view, &wire, "a sparse tensor"));
        if (!part.at) {
            return htp_view_damaged(view, whole.at, "a sparse tensor has no values or no indices");
        }
        htp_view_tensor tensor = like;
        HTP_TRY(htp_view_read_tensor(view, part, &tensor));
    }
    return HTP_OK;
}
