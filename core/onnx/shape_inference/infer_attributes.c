#include "onnx/shape_inference/infer_attributes.h"

#include "onnx/reader/literals.h"

#include <string.h>

/* No operator that a rule types has more attributes. */
enum { MAX_ATTRIBUTES = 32 };

/* The attributes that rules read, and their required kinds. */
static const struct row {
    const char *name;
    htp_view_kind kind;
} table[] = {
    {"allowzero", HTP_VIEW_INT},
    {"auto_pad", HTP_VIEW_STRING},
    {"axes", HTP_VIEW_INTS},
    {"axis", HTP_VIEW_INT},
    {"batch_dims", HTP_VIEW_INT},
    {"blocksize", HTP_VIEW_INT},
    {"body", HTP_VIEW_GRAPH},
    {"ceil_mode", HTP_VIEW_INT},
    {"coordinate_transformation_mode", HTP_VIEW_STRING},
    {"dilations", HTP_VIEW_INTS},
    {"dtype", HTP_VIEW_INT},
    {"else_branch", HTP_VIEW_GRAPH},
    {"end", HTP_VIEW_INT},
    {"equation", HTP_VIEW_STRING},
    {"fmod", HTP_VIEW_INT},
    {"group", HTP_VIEW_INT},
    {"hidden_size", HTP_VIEW_INT},
    {"inverse", HTP_VIEW_INT},
    {"keep_aspect_ratio_policy", HTP_VIEW_STRING},
    {"keepdims", HTP_VIEW_INT},
    {"kernel_shape", HTP_VIEW_INTS},
    {"layout", HTP_VIEW_INT},
    {"new_axis", HTP_VIEW_INT},
    {"noop_with_empty_axes", HTP_VIEW_INT},
    {"onesided", HTP_VIEW_INT},
    {"output_dtype", HTP_VIEW_INT},
    {"output_height", HTP_VIEW_INT},
    {"output_padding", HTP_VIEW_INTS},
    {"output_shape", HTP_VIEW_INTS},
    {"output_width", HTP_VIEW_INT},
    {"pads", HTP_VIEW_INTS},
    {"perm", HTP_VIEW_INTS},
    {"pooled_shape", HTP_VIEW_INTS},
    {"shape", HTP_VIEW_INTS},
    {"split", HTP_VIEW_INTS},
    {"start", HTP_VIEW_INT},
    {"strides", HTP_VIEW_INTS},
    {"then_branch", HTP_VIEW_GRAPH},
    {"to", HTP_VIEW_INT},
    {"transA", HTP_VIEW_INT},
    {"transB", HTP_VIEW_INT},
    {"value", HTP_VIEW_TENSOR},
};

#define ROW_COUNT (sizeof(table) / sizeof(table[0]))

/* Adds a tensor attribute. */
static void add_value(const htp_told_attributes *told, const htp_view_attribute *attribute,
                      htp_attribute_list *list)
{
    const htp_view_tensor *tensor = &told->view->tensors.items[attribute->tensors.first];
    const void *data = htp_view_literals(told->arena, told->view, attribute->tensors.first);
    htp_dtype dtype;
    bool is_one = tensor->dims.count == 0 ||
                  (tensor->dims.count == 1 && told->view->dims.items[tensor->dims.first] == 1);
    HTP_PUSH(told->arena, list, htp_attribute_int(HTP_INFER_VALUE_TYPE, tensor->data_type));
    if (data && is_one && htp_dtype_of_onnx(tensor->data_type, &dtype) &&
        (dtype == HTP_DTYPE_INT64 || dtype == HTP_DTYPE_BOOL)) {
        int64_t *value = HTP_NEW(told->arena, int64_t);
        if (dtype == HTP_DTYPE_BOOL) {
            *value = *(const char *)data != 0;
        } else {
            memcpy(value, data, sizeof(*value));
        }
        HTP_PUSH(told->arena, list, htp_attribute_ints(HTP_INFER_VALUE, value, 1));
    }
}

static const char *copy_text(const htp_told_attributes *told, htp_span text)
{
    return text.bytes > 0 ? htp_arena_copy(told->arena, text.at, text.bytes) : "";
}

/* @return false if the attribute is not of the kind that rules expect */
static bool add_attribute(const htp_told_attributes *told, const htp_view_attribute *attribute,
                          htp_attribute_list *list)
{
    uint8_t row = told->rows[attribute->name];
    if (row == 0) {
        return true;
    }
    const struct row *read = &table[row - 1];
    if (attribute->kind != read->kind || attribute->reference || list->count >= MAX_ATTRIBUTES) {
        return false;
    }
    switch (read->kind) {
    case HTP_VIEW_INT:
        HTP_PUSH(told->arena, list, htp_attribute_int(read->name, attribute->i));
        return true;
    case HTP_VIEW_INTS: {
        const int64_t *ints;
        size_t count = htp_view_attribute_ints(attribute, told->arena, &ints);
        HTP_PUSH(told->arena, list, htp_attribute_ints(read->name, ints, count));
        return true;
    }
    case HTP_VIEW_STRING:
        HTP_PUSH(told->arena, list,
                 htp_attribute_string(read->name, copy_text(told, attribute->s)));
        return true;
    case HTP_VIEW_GRAPH: {
        uint32_t graph = attribute->graphs.count == 1 ? told->graphs[attribute->graphs.first] : 0;
        HTP_PUSH(told->arena, list, htp_attribute_graph(read->name, graph));
        return graph != 0;
    }
    default:
        if (attribute->tensors.count != 1) {
            return false;
        }
        add_value(told, attribute, list);
        return true;
    }
}

htp_told_attributes htp_told_attributes_of(htp_arena *arena, const htp_view *view,
                                           const uint32_t *graphs)
{
    uint8_t *rows = HTP_NEW_ARRAY(arena, uint8_t, view->names.count);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        htp_view_name name = htp_view_find_name(view, table[i].name);
        rows[name] = name ? (uint8_t)(i + 1) : 0;
    }
    return (htp_told_attributes){.arena = arena, .view = view, .rows = rows, .graphs = graphs};
}

bool htp_told_attributes_list(const htp_told_attributes *told, const htp_view_node *node,
                              htp_attribute_list *list)
{
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        if (!add_attribute(told, &told->view->attributes.items[node->attributes.first + i], list)) {
            return false;
        }
    }
    return true;
}
