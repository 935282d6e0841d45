/*
 * Parts of the pass lower/passes/fusion.h. Private to core/lower.
 */
#ifndef HTP_LOWER_FUSION_PARTS_H
#define HTP_LOWER_FUSION_PARTS_H

#include "lower/emit/lowering.h"

/** The longest chain of nodes that is followed. */
enum { HTP_DEEPEST_CHAIN = 100 };

/** The operand of a node that ONNX Runtime may consider neutral, and remove before merging:
 * arithmetic with one constant number. HTP_NONE for other nodes. */
uint32_t htp_fusion_passed_operand(const htp_builder *model, const htp_onnx_node *node);

/** The inputs of a new node, with barriers between a product and a float64 factor that would be
 * merged through it. */
const htp_tensor_id *htp_fusion_guard_digits(htp_lowering *l, const htp_onnx_node *node);

/** Call it with each output of a new node. Adds a barrier after it if it scales a scaled tensor
 * that has other readers. */
void htp_fusion_guard_scale(htp_lowering *l, htp_tensor_id x);

#endif
