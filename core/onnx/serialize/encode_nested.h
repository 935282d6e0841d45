/*
 * Graphs that are attributes of nodes, and functions, as messages. Private to core/onnx/serialize.
 */
#ifndef HTP_ONNX_ENCODE_NESTED_H
#define HTP_ONNX_ENCODE_NESTED_H

#include "onnx/proto/onnx.pb-c.h"
#include "onnx/serialize/encode.h"

/** The fields of an attribute that holds a graph, beside its name: the graph and the type. */
enum { HTP_GRAPH_FIELDS = 2 };

/** Packs every nested graph of the model, innermost first, so that each exists before its node is
 * encoded. @param graphs  by nested graph; receives the fields of its attribute, in the model's
 * arena. */
void htp_encode_nested_graphs(htp_encoder *encoder, const htp_builder *model,
                              ProtobufCMessageUnknownField *graphs);

/** Builds every function of the model, after the nested graphs. @param functions  in their order;
 * receives messages in the model's arena. */
void htp_encode_functions(htp_encoder *encoder, const htp_builder *model,
                          Htp__Onnx__FunctionProto **functions);

#endif
