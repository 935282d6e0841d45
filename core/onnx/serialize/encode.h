/*
 * Parts of a model as protobuf messages, built one at a time in reused scratch memory: a message is
 * valid until the next one of its kind. Scratch memory is allocated at the start, so nothing is
 * allocated while files are open.
 *
 * Nested graphs are built at the start, innermost first.
 *
 * Every message is a part of its parent (a GraphProto with one node, a ModelProto with only its
 * first fields): protobuf merges consecutive messages of one field.
 */
#ifndef HTP_ONNX_ENCODE_H
#define HTP_ONNX_ENCODE_H

#include "onnx/builder/builder.h"
#include "onnx/metadata/annotate.h"

#include <protobuf-c/protobuf-c.h>

typedef struct htp_encoder htp_encoder;

/** @param annotations  may be NULL. */
htp_encoder *htp_encoder_new(const htp_builder *model, const htp_annotations *annotations);

/** The ModelProto's fields before and after the graph. */
const ProtobufCMessage *htp_encode_model_head(htp_encoder *encoder);
const ProtobufCMessage *htp_encode_model_tail(htp_encoder *encoder);

/** The GraphProto's name. */
const ProtobufCMessage *htp_encode_graph_name(htp_encoder *encoder);

/** A GraphProto with node @p index. */
const ProtobufCMessage *htp_encode_node(htp_encoder *encoder, uint32_t index);

/** Whether a tensor's type is in a value_info of its graph; HTP_NONE has none. */
bool htp_encode_has_value_info(const htp_builder *model, htp_tensor_id tensor);

/** A GraphProto with @p tensor as input, output, or value_info. */
const ProtobufCMessage *htp_encode_input(htp_encoder *encoder, htp_tensor_id tensor);
const ProtobufCMessage *htp_encode_output(htp_encoder *encoder, htp_tensor_id tensor);
const ProtobufCMessage *htp_encode_value_info(htp_encoder *encoder, htp_tensor_id tensor);

/** The TensorProto of initializer @p index: its fields before and after raw_data. Both are valid at
 * once. */
const ProtobufCMessage *htp_encode_tensor_head(htp_encoder *encoder, uint32_t index);
const ProtobufCMessage *htp_encode_tensor_tail(htp_encoder *encoder, uint32_t index);

/** A GraphProto with initializer @p index, whose bytes are in another file. */
const ProtobufCMessage *htp_encode_external(htp_encoder *encoder, uint32_t index,
                                            const char *location, uint64_t offset, uint64_t bytes);

/** Fields whose contents are written piece by piece. */
typedef enum htp_encoded_field {
    HTP_ENCODED_GRAPH,       /* of a ModelProto */
    HTP_ENCODED_INITIALIZER, /* of a GraphProto */
    HTP_ENCODED_RAW_DATA,    /* of a TensorProto */
} htp_encoded_field;

/** Writes the tag and length before @p bytes bytes of a field, as varints of at most 5 and 10
 * bytes. @return their size. */
enum { HTP_ENCODE_PREFIX_SIZE = 15 };
size_t htp_encode_prefix(htp_encoded_field field, uint64_t bytes,
                         uint8_t prefix[HTP_ENCODE_PREFIX_SIZE]);

#endif
