/*
 * Complex values as pairs of real numbers: ONNX Runtime computes nothing with complex tensors.
 * Private to core/lower.
 *
 * A complex value has two forms. As parts it is two real tensors of its own dims; as pairs it is
 * one of dims [..., 2], as complex numbers lie in memory and as ONNX DFT has them. A lowering binds
 * one of them; the other is made on first use.
 */
#ifndef HTP_LOWER_VALUE_PARTS_H
#define HTP_LOWER_VALUE_PARTS_H

#include "lower/emit/lowering.h"

/** Whether a value is a complex tensor or number, or a list that holds one; HTP_NONE is not. */
bool htp_value_is_complex(const htp_graph *graph, htp_value_id id);

/** Whether the node that is lowered takes or gives complex tensors. */
bool htp_node_is_complex(const htp_lowering *l);

/** A part of a constant complex number in the program. */
double htp_complex_number_part(htp_lowering *l, const htp_trace_value *value, htp_part part);

/** A part of a value. A complex value's part has its real dtype; a real value has the part that
 * htp_lower_parts() has set. HTP_NONE if there is none, and for HTP_PART_NONE. */
htp_tensor_id htp_value_part(htp_lowering *l, htp_value_id id, htp_part part);

/** A complex value as pairs [..., 2]; binds a value to its pairs. */
htp_tensor_id htp_value_pairs(htp_lowering *l, htp_value_id id);
void htp_value_bind_pairs(htp_lowering *l, htp_value_id id, htp_tensor_id pairs);

#endif
