#include "onnx/reader/value_type.h"

#include "base/text.h"
#include "onnx/proto/tensor_type.h"

#include <inttypes.h>

/* Reference: onnx.proto. */
enum {
    INFO_TYPE = 2, /* of ValueInfoProto */

    TYPE_TENSOR = 1, /* of TypeProto */
    TYPE_SEQUENCE = 4,
    TYPE_SPARSE = 8,
    TYPE_OPTIONAL = 9,

    ELEMENT_TYPE = 1, /* of all of these */
    TENSOR_SHAPE = 2,

    SHAPE_DIM = 1,
    DIM_VALUE = 1,
    DIM_PARAM = 2,

    DEEPEST = 4, /* limit of nested containers */
};

/* The last field of this number that holds a message. */
static bool find_message(htp_span message, uint32_t number, htp_span *found)
{
    bool is_found = false;
    htp_wire wire = htp_wire_begin(message);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, number)) {
            *found = field.content;
            is_found = true;
        }
    }
    return is_found;
}

static htp_value_dim read_dim(htp_arena *arena, htp_span message)
{
    htp_value_dim dim = {.size = -1};
    htp_wire wire = htp_wire_begin(message);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_varint(&field, DIM_VALUE)) {
            dim = (htp_value_dim){.size = (int64_t)field.value < 0 ? -1 : (int64_t)field.value};
        } else if (htp_wire_is_bytes(&field, DIM_PARAM) && field.content.bytes > 0) {
            dim = (htp_value_dim){
                .symbol = htp_arena_copy(arena, field.content.at, field.content.bytes), .size = -1};
        }
    }
    return dim;
}

static void read_tensor(htp_arena *arena, htp_span message, htp_value_type *type)
{
    HTP_VECTOR(htp_value_dim) dims = {0};
    htp_span shape;
    htp_wire wire = htp_wire_begin(message);
    htp_wire_field field;
    type->is_known = true;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_varint(&field, ELEMENT_TYPE)) {
            type->data_type = (int32_t)field.value;
        }
    }
    type->has_dims = find_message(message, TENSOR_SHAPE, &shape);
    wire = type->has_dims ? htp_wire_begin(shape) : (htp_wire){NULL, NULL, false};
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, SHAPE_DIM)) {
            HTP_PUSH(arena, &dims, read_dim(arena, field.content));
        }
    }
    type->dims = dims.items;
    type->rank = dims.count;
}

static htp_value_type read_type(htp_arena *arena, htp_span message)
{
    htp_value_type type = {.container = ""};
    for (int depth = 0; depth < DEEPEST; depth++) {
        htp_span inner;
        if (find_message(message, TYPE_TENSOR, &inner)) {
            read_tensor(arena, inner, &type);
            return type;
        }
        if (find_message(message, TYPE_SPARSE, &inner)) {
            type.container = htp_arena_printf(arena, "%ssparse ", type.container);
            read_tensor(arena, inner, &type);
            return type;
        }
        const char *name = find_message(message, TYPE_SEQUENCE, &inner)   ? HTP_VALUE_LIST
                           : find_message(message, TYPE_OPTIONAL, &inner) ? "optional "
                                                                          : NULL;
        if (!name || !find_message(inner, ELEMENT_TYPE, &message)) {
            return type;
        }
        type.container = htp_arena_printf(arena, "%s%s", type.container, name);
    }
    return type;
}

htp_value_type htp_value_type_of_tensor(htp_arena *arena, const htp_view *view, uint32_t tensor)
{
    const htp_view_tensor *read = &view->tensors.items[tensor];
    htp_value_dim *dims = HTP_NEW_ARRAY(arena, htp_value_dim, read->dims.count);
    for (uint32_t i = 0; i < read->dims.count; i++) {
        dims[i].size = view->dims.items[read->dims.first + i];
    }
    return (htp_value_type){.is_known = true,
                            .container = "",
                            .data_type = read->data_type,
                            .has_dims = true,
                            .dims = dims,
                            .rank = read->dims.count};
}

htp_value_type htp_value_type_find(htp_arena *arena, const htp_view *view, uint32_t value)
{
    const htp_view_value *typed = &view->values.items[value];
    htp_value_type type = {.container = ""};
    htp_span message;
    if (typed->info.at && find_message(htp_wire_content(typed->info), INFO_TYPE, &message)) {
        type = read_type(arena, message);
    }
    if (!type.is_known && typed->initializer != HTP_NONE) {
        type = htp_value_type_of_tensor(arena, view, typed->initializer);
    }
    return type;
}

const char *htp_value_type_text(htp_arena *arena, const htp_value_type *type)
{
    htp_text text = {.arena = arena};
    htp_text_add(&text, type->container);
    htp_text_add(&text, type->is_known ? htp_tensor_type_name(type->data_type) : "?");
    htp_text_add(&text, type->has_dims ? "[" : "");
    for (size_t i = 0; i < type->rank; i++) {
        const htp_value_dim *dim = &type->dims[i];
        htp_text_add(&text, i ? "," : "");
        if (dim->symbol) {
            htp_text_add(&text, htp_text_printable(arena, dim->symbol));
        } else if (dim->size >= 0) {
            htp_text_addf(&text, "%" PRId64, dim->size);
        } else {
            htp_text_add(&text, "?");
        }
    }
    htp_text_add(&text, type->has_dims ? "]" : "");
    return htp_text_string(&text);
}
