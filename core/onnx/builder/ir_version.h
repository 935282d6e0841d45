/*
 * Which version of the ONNX IR a model needs. Runtimes refuse files of a later one than they know,
 * and skip fields of it that they do not know: so files say the lowest that their operators and
 * types came with.
 */
#ifndef HTP_ONNX_IR_VERSION_H
#define HTP_ONNX_IR_VERSION_H

#include "onnx/builder/builder.h"

/** The latest IR version that is known here. */
enum { HTP_IR_VERSION_LATEST = 14 };

/** The IR version of the release of ONNX that brought opset @p opset of ai.onnx; the lowest that
 * models have here for those before, and the latest for those that are not known.
 * Source: onnx/docs/Versioning.md, "Released Versions". */
int htp_ir_version_of_opset(int64_t opset);

/** The IR version that TensorProto.DataType @p data_type came with; the lowest that models have
 * here for those that were there before. Source: the enum Version of onnx.proto. */
int htp_ir_version_of_type(int64_t data_type);

/** The lowest IR version for the opset of a model and for the types of its tensors. */
int htp_ir_version_needed(const htp_builder *model);

/** The one that a model is written with: builder.ir_version, or the lowest where that is 0. */
int htp_ir_version_of(const htp_builder *model);

#endif
