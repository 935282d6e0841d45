/*
 * What the pass of lower/passes/fusion.h is made of. Private to core/lower.
 */
#ifndef HTP_LOWER_FUSION_PARTS_H
#define HTP_LOWER_FUSION_PARTS_H

#include "lower/emit/lowering.h"

/** Nodes that are looked at behind one another. */
enum { HTP_DEEPEST_CHAIN = 100 };

/** The operand of a node that ONNX Runtime may take for one that changes nothing, and remove before
 * it merges: arithmetic with one constant number. HTP_NONE for other nodes. */
uint32_t htp_fusion_passed_operand(const htp_builder *model, const htp_onnx_node *node);

/** The inputs of a node that is about to be added, with barriers in front of those that a product
 * and a factor of float64 would meet through. */
const htp_tensor_id *htp_fusion_guard_digits(htp_lowering *l, const htp_onnx_node *node);

/** Called with what a node has just made: puts a barrier behind it where it scales what was scaled
 * and what others read, too. */
void htp_fusion_guard_scale(htp_lowering *l, htp_tensor_id x);

#endif
