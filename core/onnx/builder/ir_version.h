/*
 * The version of the ONNX IR that a model needs. Runtimes refuse versions later than they know, so
 * files have the lowest one with all their operators and types.
 */
#ifndef HTP_ONNX_IR_VERSION_H
#define HTP_ONNX_IR_VERSION_H

#include "onnx/builder/builder.h"

/** The latest known IR version. */
enum { HTP_IR_VERSION_LATEST = 14 };

/** The IR version of the ONNX release that introduced opset @p opset of ai.onnx; the lowest
 * supported one for earlier opsets, the latest for unknown ones. Source: onnx/docs/Versioning.md,
 * "Released Versions". */
int htp_ir_version_of_opset(int64_t opset);

/** The IR version that introduced TensorProto.DataType @p data_type; the lowest supported one for
 * earlier types. Source: the enum Version of onnx.proto. */
int htp_ir_version_of_type(int64_t data_type);

/** The lowest IR version for the opset of a model and for the types of its tensors. */
int htp_ir_version_needed(const htp_builder *model);

/** The IR version of a file: builder.ir_version, or the lowest if that is 0. */
int htp_ir_version_of(const htp_builder *model);

#endif
