#include "onnx/reader/literals.h"

/* Reference: onnx.proto. */
enum {
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,

    TENSOR_FLOAT_DATA = 4,
    TENSOR_INT32_DATA = 5,
    TENSOR_INT64_DATA = 7,
    TENSOR_RAW_DATA = 9,

    TYPE_FLOAT = 1,
    TYPE_INT64 = 7,
    TYPE_BOOL = 9,
    TYPE_DOUBLE = 11,

    FLOAT_BYTES = 4,
};

/* ---- attributes ---- */

size_t htp_view_attribute_ints(const htp_view_attribute *attribute, htp_arena *arena,
                               const int64_t **ints)
{
    HTP_VECTOR(int64_t) found = {0};
    htp_wire wire = htp_wire_begin(htp_wire_content(attribute->whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_varint(&field, ATTRIBUTE_INTS)) {
            HTP_PUSH(arena, &found, (int64_t)field.value);
        }
        uint64_t value;
        htp_wire packed = htp_wire_begin(field.content);
        while (htp_wire_is_bytes(&field, ATTRIBUTE_INTS) && htp_wire_next_varint(&packed, &value)) {
            HTP_PUSH(arena, &found, (int64_t)value);
        }
    }
    *ints = found.items;
    return found.count;
}

size_t htp_view_count_floats(const htp_view_attribute *attribute)
{
    size_t count = 0;
    htp_wire wire = htp_wire_begin(htp_wire_content(attribute->whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, ATTRIBUTE_FLOATS)) {
            count += field.content.bytes / FLOAT_BYTES;
        } else if (field.number == ATTRIBUTE_FLOATS && field.type == HTP_WIRE_FIXED32) {
            count++;
        }
    }
    return count;
}

/* ---- tensors ---- */

/* The contents of a packed field, as int64 or as bytes. @return NULL unless there are @p count
 * numbers */
static const void *unpack(htp_arena *arena, htp_span data, size_t count, bool as_bytes)
{
    int64_t *numbers = HTP_NEW_ARRAY(arena, int64_t, HTP_VIEW_MAX_LITERALS + 1);
    unsigned char *bytes = htp_arena_alloc(arena, HTP_VIEW_MAX_LITERALS + 1);
    htp_wire wire = htp_wire_begin(data);
    size_t found = 0;
    uint64_t value;
    while (found <= count && htp_wire_next_varint(&wire, &value)) {
        bytes[found] = value != 0;
        numbers[found++] = (int64_t)value;
    }
    if (found != count || wire.is_broken) {
        return NULL;
    }
    return as_bytes ? (const void *)bytes : numbers;
}

const void *htp_view_literals(htp_arena *arena, const htp_view *view, uint32_t tensor)
{
    const htp_view_tensor *t = &view->tensors.items[tensor];
    int64_t count = t->dims.count == 1 ? view->dims.items[t->dims.first] : 1;
    bool is_told = t->data_type == TYPE_FLOAT || t->data_type == TYPE_DOUBLE ||
                   t->data_type == TYPE_INT64 || t->data_type == TYPE_BOOL;
    if (!is_told || t->dims.count > 1 || count > HTP_VIEW_MAX_LITERALS || t->location ||
        t->sparse.at) {
        return NULL;
    }
    if (count == 0) {
        return "";
    }
    bool is_raw = t->data_field == TENSOR_RAW_DATA ||
                  (t->data_field == TENSOR_FLOAT_DATA && t->data_type == TYPE_FLOAT);
    if (is_raw) {
        return t->data.bytes == t->bytes ? t->data.at : NULL;
    }
    bool is_bool = t->data_field == TENSOR_INT32_DATA && t->data_type == TYPE_BOOL;
    bool is_int = t->data_field == TENSOR_INT64_DATA && t->data_type == TYPE_INT64;
    return is_bool || is_int ? unpack(arena, t->data, (size_t)count, is_bool) : NULL;
}
