/*
 * Quantised tensors: ONNX tensors of their levels, plain integers; the graph has scales and zero
 * points. Private to core/lower.
 *
 * Nodes with quantised operands or results are lowered by the rows of quantized_operators.def
 * alone: other lowerings would mistake levels for numbers.
 */
#ifndef HTP_LOWER_QUANTIZED_H
#define HTP_LOWER_QUANTIZED_H

#include "lower/emit/constant.h"

/** Whether a value is a quantised tensor, or a list that holds one; HTP_NONE is not. */
bool htp_value_is_quantized(const htp_graph *graph, htp_value_id id);

/** Whether the node that is lowered takes or gives quantised tensors, or a block of it does. */
bool htp_node_is_quantized(const htp_lowering *l);

/** 1 / @p scale in its dtype @p dtype, computed by the model: exact, and not merged with later
 * products. */
htp_tensor_id htp_emit_inverse_scale(htp_lowering *l, htp_tensor_id scale, htp_dtype dtype);

/** The quantisation of a tensor. */
typedef struct htp_scale {
    double scale;
    int64_t zero_point;
    htp_dtype dtype; /* of the levels */
} htp_scale;

/** A quantised value's scale, where it is one known number; fails otherwise. */
htp_scale htp_value_scale(htp_lowering *l, htp_value_id id);

/** The lowest and the highest level of a dtype. */
double htp_lowest_level(htp_dtype dtype);
double htp_highest_level(htp_dtype dtype);

/** A quantised value's levels minus its zero point, as float32. */
htp_tensor_id htp_value_centered(htp_lowering *l, htp_value_id id);

/** The float32 numbers that a quantised value stands for. */
htp_tensor_id htp_value_dequantized(htp_lowering *l, htp_value_id id);

/** The levels of float32 numbers, which must not be NaN, clipped to the range of @p to. */
htp_tensor_id htp_emit_quantized(htp_lowering *l, htp_tensor_id x, htp_scale to);

/** An element of a constant or weight, by its position in memory order. False if it is unknown. */
bool htp_value_read(htp_lowering *l, htp_value_id id, size_t index, htp_number *number);

#endif
