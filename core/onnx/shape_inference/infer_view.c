#include "onnx/shape_inference/infer_view.h"

#include "onnx/proto/onnx.pb-c.h"
#include "onnx/shape_inference/infer.h"
#include "onnx/shape_inference/infer_builder.h"

typedef Htp__Onnx__TensorShapeProto__Dimension dimension_message;

struct htp_view_types {
    htp_arena *arena;
    const htp_view *view;
    bool is_settled; /* `builder` is complete */
    htp_view_builder builder;
};

htp_view_types *htp_view_types_new(htp_arena *arena, const htp_view *view)
{
    htp_view_types *types = HTP_NEW(arena, htp_view_types);
    *types = (htp_view_types){.arena = arena, .view = view};
    return types;
}

/* The tensor of a value; NULL if its type is unknown. */
static const htp_tensor *find_tensor(htp_view_types *types, uint32_t value)
{
    if (!types->is_settled) {
        types->is_settled = true;
        types->builder = htp_view_builder_make(types->arena, types->view, true, NULL);
        if (types->builder.builder) {
            htp_builder_infer_types(types->builder.builder);
        }
    }
    const htp_builder *builder = types->builder.builder;
    const htp_tensor *tensor = builder ? &builder->tensors.items[value] : NULL;
    return tensor && tensor->has_type && tensor->dtype != HTP_DTYPE_OTHER ? tensor : NULL;
}

static htp_value_type type_of(htp_arena *arena, const htp_tensor *tensor)
{
    htp_value_dim *dims = HTP_NEW_ARRAY(arena, htp_value_dim, tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        const char *symbol = tensor->dims[i].symbol;
        dims[i].size = symbol ? -1 : tensor->dims[i].size;
        if (symbol && *symbol) {
            dims[i].symbol = symbol;
        }
    }
    return (htp_value_type){.is_known = true,
                            .container = tensor->is_sequence ? "sequence of " : "",
                            .data_type = htp_onnx_data_type(tensor->dtype),
                            .has_dims = true,
                            .dims = dims,
                            .rank = tensor->rank};
}

/* Whether a dim is unknown. */
static bool lacks_dims(const htp_value_type *declared)
{
    bool lacks = false;
    for (size_t i = 0; i < declared->rank; i++) {
        lacks = lacks || (!declared->dims[i].symbol && declared->dims[i].size < 0);
    }
    return lacks;
}

static bool is_whole(const htp_value_type *declared)
{
    return declared->has_dims && !lacks_dims(declared);
}

/* Whether a declared type is compatible with an inferred one. */
static bool agrees(const htp_value_type *declared, const htp_tensor *tensor)
{
    bool is_sequence = *declared->container != '\0';
    return !declared->is_known || (declared->data_type == htp_onnx_data_type(tensor->dtype) &&
                                   is_sequence == tensor->is_sequence &&
                                   (!declared->has_dims || declared->rank == tensor->rank));
}

/* The inferred type, completed by declared dims. */
static htp_value_type complete(htp_arena *arena, const htp_value_type *declared,
                               const htp_tensor *tensor)
{
    htp_value_type type = type_of(arena, tensor);
    htp_value_dim *dims = HTP_NEW_ARRAY(arena, htp_value_dim, type.rank);
    for (size_t i = 0; i < type.rank; i++) {
        const htp_value_dim *told = declared->has_dims ? &declared->dims[i] : NULL;
        dims[i] = told && (told->symbol || told->size >= 0) ? *told : type.dims[i];
    }
    type.dims = dims;
    return type;
}

htp_value_type htp_view_types_find(htp_view_types *types, htp_arena *arena, uint32_t value)
{
    htp_value_type declared = htp_value_type_find(arena, types->view, value);
    const htp_tensor *tensor = is_whole(&declared) ? NULL : find_tensor(types, value);
    return tensor && agrees(&declared, tensor) ? complete(arena, &declared, tensor) : declared;
}

void htp_view_types_need(htp_view_types *types, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count && !types->is_settled; i++) {
        const htp_value_type declared = htp_value_type_find(types->arena, types->view, values[i]);
        if (!is_whole(&declared)) {
            (void)find_tensor(types, values[i]);
        }
    }
}

void htp_view_types_settle(htp_view_types *types)
{
    types->is_settled = true;
}

/* ---- as a message ---- */

/* protobuf-c's structures have no const; packing only reads. */
static char *text(const char *string)
{
    return (char *)(uintptr_t)string;
}

static Htp__Onnx__TensorShapeProto *make_shape(htp_arena *arena, const htp_value_type *type)
{
    Htp__Onnx__TensorShapeProto *shape = HTP_NEW(arena, Htp__Onnx__TensorShapeProto);
    dimension_message *dims = HTP_NEW_ARRAY(arena, dimension_message, type->rank);
    *shape = (Htp__Onnx__TensorShapeProto)HTP__ONNX__TENSOR_SHAPE_PROTO__INIT;
    shape->n_dim = type->rank;
    shape->dim = HTP_NEW_ARRAY(arena, dimension_message *, type->rank);
    for (size_t i = 0; i < type->rank; i++) {
        dims[i] = (dimension_message)HTP__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT;
        shape->dim[i] = &dims[i];
        if (type->dims[i].symbol) {
            dims[i].value_case = HTP__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            dims[i].dim_param = text(type->dims[i].symbol);
        } else if (type->dims[i].size >= 0) {
            dims[i].value_case = HTP__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            dims[i].dim_value = type->dims[i].size;
        }
    }
    return shape;
}

static htp_span pack(htp_arena *arena, const char *name, const htp_value_type *type)
{
    Htp__Onnx__TypeProto__Tensor tensor = HTP__ONNX__TYPE_PROTO__TENSOR__INIT;
    Htp__Onnx__TypeProto element = HTP__ONNX__TYPE_PROTO__INIT;
    Htp__Onnx__TypeProto__Sequence sequence = HTP__ONNX__TYPE_PROTO__SEQUENCE__INIT;
    Htp__Onnx__TypeProto whole = HTP__ONNX__TYPE_PROTO__INIT;
    Htp__Onnx__ValueInfoProto info = HTP__ONNX__VALUE_INFO_PROTO__INIT;
    tensor.has_elem_type = true;
    tensor.elem_type = type->data_type;
    tensor.shape = make_shape(arena, type);
    element.value_case = HTP__ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    element.tensor_type = &tensor;
    sequence.elem_type = &element;
    whole.value_case = HTP__ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
    whole.sequence_type = &sequence;
    info.name = text(name);
    info.type = *type->container ? &whole : &element;
    size_t bytes = htp__onnx__value_info_proto__get_packed_size(&info);
    unsigned char *packed = htp_arena_alloc(arena, bytes + 1);
    return (htp_span){packed, htp__onnx__value_info_proto__pack(&info, packed)};
}

htp_span htp_view_types_info(htp_view_types *types, htp_arena *arena, uint32_t value)
{
    htp_value_type declared = htp_value_type_find(arena, types->view, value);
    const htp_tensor *tensor = is_whole(&declared) ? NULL : find_tensor(types, value);
    if (!tensor || !agrees(&declared, tensor)) {
        return (htp_span){NULL, 0};
    }
    htp_value_type type = complete(arena, &declared, tensor);
    return pack(arena, htp_view_text(types->view, types->view->values.items[value].name), &type);
}
