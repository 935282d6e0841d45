/*
 * ONNX sequences: lists of data-dependent length whose tensors may differ in size.
 */
#ifndef HTP_LOWER_SEQUENCE_H
#define HTP_LOWER_SEQUENCE_H

#include "lower/emit/lowering.h"

/** Whether a value is a sequence. */
bool htp_value_is_sequence(const htp_lowering *l, htp_value_id id);

/** A sequence without elements, of the type of value @p like. */
htp_tensor_id htp_emit_empty_sequence(htp_lowering *l, htp_value_id like);

/** aten::cat, aten::stack of the sequence "tensors" along "dim", which is not negative. */
void htp_lower_sequence_join(htp_lowering *l, bool has_new_axis);

/** aten::unbind.int, aten::split.Tensor whose result is a sequence. */
void htp_lower_sequence_split(htp_lowering *l);

#endif
