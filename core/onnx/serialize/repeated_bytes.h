/*
 * Bytes of weights that a model repeats. Private to core/onnx/serialize.
 */
#ifndef HTP_ONNX_REPEATED_BYTES_H
#define HTP_ONNX_REPEATED_BYTES_H

#include "base/status.h"
#include "onnx/builder/builder.h"

/**
 * Refuses a model whose initializers read more bytes than their storages have, beyond a limit: an
 * expanded tensor of a small file has any size. Tied weights in two layouts are far below it.
 * Every initializer must have passed htp_payload_check().
 * @return HTP_CODE_UNSUPPORTED, naming the initializer that passes the limit.
 */
HTP_MUST_USE htp_status htp_repeated_bytes_check(const htp_builder *model);

#endif
