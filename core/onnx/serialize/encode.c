#include "onnx/serialize/encode_nested.h"

#include "onnx/builder/ir_version.h"
#include "onnx/proto/onnx.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef Htp__Onnx__StringStringEntryProto entry_message;
typedef Htp__Onnx__TensorShapeProto__Dimension dimension_message;

/* The largest counts within one message. */
typedef struct encoder_limits {
    size_t names;
    size_t attributes;
    size_t strings;
    size_t entries;
    size_t rank;
} encoder_limits;

struct htp_encoder {
    const htp_builder *model;
    const htp_annotations *annotations;
    Htp__Onnx__ModelProto root;
    Htp__Onnx__OperatorSetIdProto *opsets, **opset_items;
    Htp__Onnx__GraphProto graph;
    Htp__Onnx__NodeProto node, *node_item;
    Htp__Onnx__TensorProto head, tail, external, *external_item;
    Htp__Onnx__TensorProto constant; /* of a node */
    int64_t *constant_dims;
    Htp__Onnx__ValueInfoProto value, *value_item;
    Htp__Onnx__TypeProto type;
    Htp__Onnx__TypeProto__Tensor tensor_type;
    Htp__Onnx__TypeProto element_type; /* of a sequence */
    Htp__Onnx__TypeProto__Sequence sequence_type;
    Htp__Onnx__TensorShapeProto shape;
    char **names; /* of a node's inputs and outputs */
    Htp__Onnx__AttributeProto *attributes, **attribute_items;
    ProtobufCBinaryData *strings; /* of a node's attributes */
    entry_message *entries, **entry_items;
    entry_message places[3], *place_items[3]; /* external_data */
    char offset[24], length[24];
    dimension_message *dimensions, **dimension_items;
    int64_t *dims;
    ProtobufCMessageUnknownField *graphs; /* by nested graph: the fields of its attribute */
    Htp__Onnx__FunctionProto **functions;
};

static void raise_limit(size_t *limit, size_t count)
{
    *limit = count > *limit ? count : *limit;
}

static size_t count_strings(const htp_attribute *attributes, size_t count)
{
    size_t strings = 0;
    for (size_t i = 0; i < count; i++) {
        strings += attributes[i].kind == HTP_ATTRIBUTE_STRINGS ? attributes[i].count : 0;
    }
    return strings;
}

static const htp_node_annotation no_annotation;

static encoder_limits find_limits(const htp_builder *model, const htp_annotations *annotations)
{
    encoder_limits limits = {0};
    for (size_t i = 0; i < model->nodes.count; i++) {
        const htp_onnx_node *node = &model->nodes.items[i];
        const htp_node_annotation *extra = annotations ? &annotations->nodes[i] : &no_annotation;
        raise_limit(&limits.names, (size_t)node->input_count + node->output_count);
        raise_limit(&limits.attributes, node->attribute_count + extra->attribute_count);
        raise_limit(&limits.strings, count_strings(node->attributes, node->attribute_count) +
                                         count_strings(extra->attributes, extra->attribute_count));
        raise_limit(&limits.entries, extra->metadata.count);
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        raise_limit(&limits.rank, model->tensors.items[i].rank);
    }
    for (size_t i = 0; i < model->constants_within.count; i++) {
        raise_limit(&limits.rank, model->constants_within.items[i].rank);
    }
    if (annotations) {
        raise_limit(&limits.entries, annotations->model.count);
        for (size_t i = 0; i < model->initializers.count; i++) {
            raise_limit(&limits.entries, annotations->initializers[i].count);
        }
    }
    return limits;
}

/* An array of messages, and the array of pointers that protobuf-c needs. */
#define NEW_MESSAGES(arena, encoder, messages, items, n)                                           \
    do {                                                                                           \
        (encoder)->messages = htp_arena_calloc((arena), (n), sizeof(*(encoder)->messages));        \
        (encoder)->items = htp_arena_calloc((arena), (n), sizeof(*(encoder)->items));              \
        for (size_t i_ = 0; i_ < (n); i_++) {                                                      \
            (encoder)->items[i_] = &(encoder)->messages[i_];                                       \
        }                                                                                          \
    } while (0)

htp_encoder *htp_encoder_new(const htp_builder *model, const htp_annotations *annotations)
{
    htp_arena *arena = model->arena;
    encoder_limits limits = find_limits(model, annotations);
    htp_encoder *encoder = HTP_NEW(arena, htp_encoder);
    encoder->model = model;
    encoder->annotations = annotations;
    encoder->node_item = &encoder->node;
    encoder->external_item = &encoder->external;
    encoder->value_item = &encoder->value;
    encoder->names = HTP_NEW_ARRAY(arena, char *, limits.names);
    encoder->strings = HTP_NEW_ARRAY(arena, ProtobufCBinaryData, limits.strings);
    encoder->dims = HTP_NEW_ARRAY(arena, int64_t, limits.rank);
    encoder->constant_dims = HTP_NEW_ARRAY(arena, int64_t, limits.rank);
    NEW_MESSAGES(arena, encoder, attributes, attribute_items, limits.attributes);
    NEW_MESSAGES(arena, encoder, entries, entry_items, limits.entries);
    NEW_MESSAGES(arena, encoder, opsets, opset_items, 1 + model->domains.count);
    NEW_MESSAGES(arena, encoder, dimensions, dimension_items, limits.rank);
    for (size_t i = 0; i < 3; i++) {
        encoder->place_items[i] = &encoder->places[i];
    }
    encoder->graphs =
        HTP_NEW_ARRAY(arena, ProtobufCMessageUnknownField, model->graphs.count * HTP_GRAPH_FIELDS);
    htp_encode_nested_graphs(encoder, model, encoder->graphs);
    encoder->functions = HTP_NEW_ARRAY(arena, Htp__Onnx__FunctionProto *, model->functions.count);
    htp_encode_functions(encoder, model, encoder->functions);
    return encoder;
}

/* Casts const away: protobuf-c's structures have none, and packing only reads. */
static char *text(const char *string)
{
    return (char *)(uintptr_t)string;
}

static ProtobufCBinaryData binary(const char *string)
{
    return (ProtobufCBinaryData){.len = strlen(string), .data = (uint8_t *)text(string)};
}

static void set_entry(entry_message *entry, const char *key, const char *value)
{
    *entry = (entry_message)HTP__ONNX__STRING_STRING_ENTRY_PROTO__INIT;
    entry->key = text(key);
    entry->value = text(value);
}

/* @return the number of entries in encoder->entry_items */
static size_t set_entries(htp_encoder *encoder, htp_properties properties)
{
    for (size_t i = 0; i < properties.count; i++) {
        set_entry(&encoder->entries[i], properties.items[i].key, properties.items[i].value);
    }
    return properties.count;
}

const ProtobufCMessage *htp_encode_model_head(htp_encoder *encoder)
{
    encoder->root = (Htp__Onnx__ModelProto)HTP__ONNX__MODEL_PROTO__INIT;
    encoder->root.has_ir_version = true;
    encoder->root.ir_version = htp_ir_version_of(encoder->model);
    encoder->root.producer_name = text(HTP_ONNX_PRODUCER);
    encoder->root.producer_version = text(HTP_VERSION);
    return &encoder->root.base;
}

static void set_opset(Htp__Onnx__OperatorSetIdProto *message, const char *domain, int64_t version)
{
    *message = (Htp__Onnx__OperatorSetIdProto)HTP__ONNX__OPERATOR_SET_ID_PROTO__INIT;
    message->domain = text(domain);
    message->has_version = true;
    message->version = version;
}

const ProtobufCMessage *htp_encode_model_tail(htp_encoder *encoder)
{
    const htp_builder *model = encoder->model;
    set_opset(&encoder->opsets[0], "", model->opset); /* ai.onnx */
    for (size_t i = 0; i < model->domains.count; i++) {
        const htp_domain *domain = &model->domains.items[i];
        set_opset(&encoder->opsets[1 + i], domain->name, domain->version);
    }
    encoder->root = (Htp__Onnx__ModelProto)HTP__ONNX__MODEL_PROTO__INIT;
    encoder->root.n_functions = model->functions.count;
    encoder->root.functions = encoder->functions;
    encoder->root.n_opset_import = 1 + model->domains.count;
    encoder->root.opset_import = encoder->opset_items;
    if (encoder->annotations) {
        encoder->root.n_metadata_props = set_entries(encoder, encoder->annotations->model);
        encoder->root.metadata_props = encoder->entry_items;
    }
    return &encoder->root.base;
}

const ProtobufCMessage *htp_encode_graph_name(htp_encoder *encoder)
{
    encoder->graph = (Htp__Onnx__GraphProto)HTP__ONNX__GRAPH_PROTO__INIT;
    encoder->graph.name = text("main_graph");
    return &encoder->graph.base;
}

static void set_constant(htp_encoder *encoder, const htp_constant *constant)
{
    for (uint32_t i = 0; i < constant->rank; i++) {
        encoder->constant_dims[i] = constant->dims[i].size;
    }
    encoder->constant = (Htp__Onnx__TensorProto)HTP__ONNX__TENSOR_PROTO__INIT;
    encoder->constant.n_dims = constant->rank;
    encoder->constant.dims = encoder->constant_dims;
    encoder->constant.has_data_type = true;
    encoder->constant.data_type = htp_onnx_data_type(constant->dtype);
    encoder->constant.has_raw_data = true;
    encoder->constant.raw_data.len = (size_t)constant->bytes;
    encoder->constant.raw_data.data = (uint8_t *)(uintptr_t)constant->data;
}

/*
 * @param strings  receives the attribute's strings.
 * @return their number
 */
static size_t set_attribute(htp_encoder *encoder, Htp__Onnx__AttributeProto *message,
                            const htp_attribute *attribute, ProtobufCBinaryData *strings)
{
    static const Htp__Onnx__AttributeProto__AttributeType types[] = {
        [HTP_ATTRIBUTE_INT] = HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
        [HTP_ATTRIBUTE_FLOAT] = HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
        [HTP_ATTRIBUTE_STRING] = HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
        [HTP_ATTRIBUTE_INTS] = HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
        [HTP_ATTRIBUTE_FLOATS] = HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
        [HTP_ATTRIBUTE_STRINGS] = HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS,
        [HTP_ATTRIBUTE_GRAPH] = HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH,
        [HTP_ATTRIBUTE_TENSOR] = HTP__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
    };
    *message = (Htp__Onnx__AttributeProto)HTP__ONNX__ATTRIBUTE_PROTO__INIT;
    message->name = text(attribute->name);
    message->has_type = true;
    message->type = types[attribute->kind];
    switch (attribute->kind) {
    case HTP_ATTRIBUTE_INT:
        message->has_i = true;
        message->i = attribute->i;
        break;
    case HTP_ATTRIBUTE_FLOAT:
        message->has_f = true;
        message->f = attribute->f;
        break;
    case HTP_ATTRIBUTE_STRING:
        message->has_s = true;
        message->s = binary(attribute->s);
        break;
    case HTP_ATTRIBUTE_INTS:
        message->n_ints = attribute->count;
        message->ints = (int64_t *)(uintptr_t)attribute->ints;
        break;
    case HTP_ATTRIBUTE_FLOATS:
        message->n_floats = attribute->count;
        message->floats = (float *)(uintptr_t)attribute->floats;
        break;
    case HTP_ATTRIBUTE_STRINGS:
        message->n_strings = attribute->count;
        message->strings = strings;
        for (size_t i = 0; i < attribute->count; i++) {
            strings[i] = binary(attribute->strings[i]);
        }
        return attribute->count;
    case HTP_ATTRIBUTE_GRAPH:
        message->has_type = false;
        message->base.n_unknown_fields = HTP_GRAPH_FIELDS;
        message->base.unknown_fields =
            &encoder->graphs[(size_t)(attribute->i - 1) * HTP_GRAPH_FIELDS];
        break;
    case HTP_ATTRIBUTE_TENSOR:
        set_constant(encoder, &encoder->model->constants_within.items[attribute->i]);
        message->t = &encoder->constant;
        break;
    }
    return 0;
}

static void set_attributes(htp_encoder *encoder, const htp_onnx_node *node,
                           const htp_node_annotation *annotation)
{
    size_t count = 0;
    size_t strings = 0;
    for (size_t i = 0; i < node->attribute_count; i++) {
        strings += set_attribute(encoder, &encoder->attributes[count++], &node->attributes[i],
                                 encoder->strings + strings);
    }
    for (size_t i = 0; i < annotation->attribute_count; i++) {
        strings += set_attribute(encoder, &encoder->attributes[count++], &annotation->attributes[i],
                                 encoder->strings + strings);
    }
    encoder->node.n_attribute = count;
    encoder->node.attribute = encoder->attribute_items;
}

static char *tensor_name(const htp_encoder *encoder, htp_tensor_id tensor)
{
    return text(tensor == HTP_NONE ? "" : encoder->model->tensors.items[tensor].name);
}

const ProtobufCMessage *htp_encode_node(htp_encoder *encoder, uint32_t index)
{
    const htp_onnx_node *node = &encoder->model->nodes.items[index];
    const htp_node_annotation *annotation =
        encoder->annotations ? &encoder->annotations->nodes[index] : &no_annotation;
    encoder->node = (Htp__Onnx__NodeProto)HTP__ONNX__NODE_PROTO__INIT;
    encoder->node.n_input = node->input_count;
    encoder->node.input = encoder->names;
    for (uint32_t i = 0; i < node->input_count; i++) {
        encoder->node.input[i] = tensor_name(encoder, node->inputs[i]);
    }
    encoder->node.n_output = node->output_count;
    encoder->node.output = encoder->names + node->input_count;
    for (uint32_t i = 0; i < node->output_count; i++) {
        encoder->node.output[i] = tensor_name(encoder, node->outputs[i]);
    }
    encoder->node.name = text(node->name);
    encoder->node.op_type = text(node->op_type);
    encoder->node.domain = *node->domain ? text(node->domain) : NULL;
    set_attributes(encoder, node, annotation);
    encoder->node.doc_string = text(annotation->doc_string);
    encoder->node.n_metadata_props = set_entries(encoder, annotation->metadata);
    encoder->node.metadata_props = encoder->entry_items;
    encoder->graph = (Htp__Onnx__GraphProto)HTP__ONNX__GRAPH_PROTO__INIT;
    encoder->graph.n_node = 1;
    encoder->graph.node = &encoder->node_item;
    return &encoder->graph.base;
}

/* Sets encoder->value, and an empty GraphProto around it. */
static void set_value(htp_encoder *encoder, htp_tensor_id id)
{
    const htp_tensor *tensor = &encoder->model->tensors.items[id];
    encoder->shape = (Htp__Onnx__TensorShapeProto)HTP__ONNX__TENSOR_SHAPE_PROTO__INIT;
    encoder->shape.n_dim = tensor->rank;
    encoder->shape.dim = encoder->dimension_items;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        dimension_message *dimension = &encoder->dimensions[i];
        *dimension = (dimension_message)HTP__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT;
        if (tensor->dims[i].symbol && !*tensor->dims[i].symbol) {
            continue;
        }
        if (tensor->dims[i].symbol) {
            dimension->value_case = HTP__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            dimension->dim_param = text(tensor->dims[i].symbol);
        } else {
            dimension->value_case = HTP__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            dimension->dim_value = tensor->dims[i].size;
        }
    }
    encoder->tensor_type = (Htp__Onnx__TypeProto__Tensor)HTP__ONNX__TYPE_PROTO__TENSOR__INIT;
    encoder->tensor_type.has_elem_type = true;
    encoder->tensor_type.elem_type = htp_onnx_data_type(tensor->dtype);
    encoder->tensor_type.shape = &encoder->shape;
    encoder->type = (Htp__Onnx__TypeProto)HTP__ONNX__TYPE_PROTO__INIT;
    encoder->type.value_case = HTP__ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    encoder->type.tensor_type = &encoder->tensor_type;
    if (tensor->is_sequence) {
        encoder->element_type = encoder->type;
        encoder->sequence_type =
            (Htp__Onnx__TypeProto__Sequence)HTP__ONNX__TYPE_PROTO__SEQUENCE__INIT;
        encoder->sequence_type.elem_type = &encoder->element_type;
        encoder->type = (Htp__Onnx__TypeProto)HTP__ONNX__TYPE_PROTO__INIT;
        encoder->type.value_case = HTP__ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
        encoder->type.sequence_type = &encoder->sequence_type;
    }
    encoder->value = (Htp__Onnx__ValueInfoProto)HTP__ONNX__VALUE_INFO_PROTO__INIT;
    encoder->value.name = text(tensor->name);
    encoder->value.type = &encoder->type;
    encoder->graph = (Htp__Onnx__GraphProto)HTP__ONNX__GRAPH_PROTO__INIT;
}

const ProtobufCMessage *htp_encode_input(htp_encoder *encoder, htp_tensor_id tensor)
{
    set_value(encoder, tensor);
    encoder->graph.n_input = 1;
    encoder->graph.input = &encoder->value_item;
    return &encoder->graph.base;
}

const ProtobufCMessage *htp_encode_output(htp_encoder *encoder, htp_tensor_id tensor)
{
    set_value(encoder, tensor);
    encoder->graph.n_output = 1;
    encoder->graph.output = &encoder->value_item;
    return &encoder->graph.base;
}

const ProtobufCMessage *htp_encode_value_info(htp_encoder *encoder, htp_tensor_id tensor)
{
    set_value(encoder, tensor);
    encoder->graph.n_value_info = 1;
    encoder->graph.value_info = &encoder->value_item;
    return &encoder->graph.base;
}

bool htp_encode_has_value_info(const htp_builder *model, htp_tensor_id tensor)
{
    if (tensor == HTP_NONE) {
        return false;
    }
    const htp_tensor *typed = &model->tensors.items[tensor];
    return typed->source == HTP_TENSOR_FROM_NODE && !typed->is_output && typed->has_type &&
           htp_onnx_data_type(typed->dtype) != 0;
}

static void set_head(htp_encoder *encoder, Htp__Onnx__TensorProto *message, uint32_t index)
{
    const htp_initializer *initializer = &encoder->model->initializers.items[index];
    const htp_tensor *tensor = &encoder->model->tensors.items[initializer->tensor];
    for (uint32_t i = 0; i < tensor->rank; i++) {
        encoder->dims[i] = initializer->dims ? initializer->dims[i] : tensor->dims[i].size;
    }
    *message = (Htp__Onnx__TensorProto)HTP__ONNX__TENSOR_PROTO__INIT;
    message->n_dims = tensor->rank;
    message->dims = encoder->dims;
    message->has_data_type = true;
    message->data_type = htp_onnx_data_type(tensor->dtype);
    message->name = text(tensor->name);
}

static void set_metadata(htp_encoder *encoder, Htp__Onnx__TensorProto *message, uint32_t index)
{
    if (encoder->annotations) {
        message->n_metadata_props = set_entries(encoder, encoder->annotations->initializers[index]);
        message->metadata_props = encoder->entry_items;
    }
}

const ProtobufCMessage *htp_encode_tensor_head(htp_encoder *encoder, uint32_t index)
{
    set_head(encoder, &encoder->head, index);
    return &encoder->head.base;
}

const ProtobufCMessage *htp_encode_tensor_tail(htp_encoder *encoder, uint32_t index)
{
    encoder->tail = (Htp__Onnx__TensorProto)HTP__ONNX__TENSOR_PROTO__INIT;
    set_metadata(encoder, &encoder->tail, index);
    return &encoder->tail.base;
}

const ProtobufCMessage *htp_encode_external(htp_encoder *encoder, uint32_t index,
                                            const char *location, uint64_t offset, uint64_t bytes)
{
    (void)snprintf(encoder->offset, sizeof(encoder->offset), "%" PRIu64, offset);
    (void)snprintf(encoder->length, sizeof(encoder->length), "%" PRIu64, bytes);
    set_entry(&encoder->places[0], "location", location);
    set_entry(&encoder->places[1], "offset", encoder->offset);
    set_entry(&encoder->places[2], "length", encoder->length);
    set_head(encoder, &encoder->external, index);
    encoder->external.n_external_data = 3;
    encoder->external.external_data = encoder->place_items;
    encoder->external.has_data_location = true;
    encoder->external.data_location = HTP__ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    set_metadata(encoder, &encoder->external, index);
    encoder->graph = (Htp__Onnx__GraphProto)HTP__ONNX__GRAPH_PROTO__INIT;
    encoder->graph.n_initializer = 1;
    encoder->graph.initializer = &encoder->external_item;
    return &encoder->graph.base;
}

static size_t put_varint(uint64_t number, uint8_t *bytes)
{
    size_t size = 0;
    for (; number >= 0x80; number >>= 7) {
        bytes[size++] = (uint8_t)(number | 0x80);
    }
    bytes[size++] = (uint8_t)number;
    return size;
}

size_t htp_encode_prefix(htp_encoded_field field, uint64_t bytes,
                         uint8_t prefix[HTP_ENCODE_PREFIX_SIZE])
{
    static const struct {
        const ProtobufCMessageDescriptor *message;
        const char *field;
    } fields[] = {
        [HTP_ENCODED_GRAPH] = {&htp__onnx__model_proto__descriptor, "graph"},
        [HTP_ENCODED_INITIALIZER] = {&htp__onnx__graph_proto__descriptor, "initializer"},
        [HTP_ENCODED_RAW_DATA] = {&htp__onnx__tensor_proto__descriptor, "raw_data"},
    };
    uint32_t number =
        protobuf_c_message_descriptor_get_field_by_name(fields[field].message, fields[field].field)
            ->id;
    size_t size = put_varint((uint64_t)number << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, prefix);
    return size + put_varint(bytes, prefix + size);
}
