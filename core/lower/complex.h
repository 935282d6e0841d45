/*
 * Complex values as pairs of real numbers: ONNX Runtime computes nothing with complex tensors.
 * Private to core/lower.
 *
 * A complex value has two forms. As parts it is two real tensors of its own dims; as pairs it is
 * one of dims [..., 2], as complex numbers lie in memory and as ONNX DFT has them. A lowering binds
 * either; the other one is made when first asked for.
 *
 * Nodes with complex values are lowered by the rows of complex_operators.def alone. The lowerings
 * of real numbers get to see a complex value only as one of its parts, where such a row runs them
 * for each part (htp_lower_parts(), htp_lower_products()); otherwise it is refused.
 */
#ifndef HTP_LOWER_COMPLEX_H
#define HTP_LOWER_COMPLEX_H

#include "lower/formula.h"
#include "lower/lowering.h"

/** The parts of a complex value. */
typedef struct htp_complex {
    htp_tensor_id re;
    htp_tensor_id im;
} htp_complex;

/** A complex number that is known. */
typedef struct htp_complex_number {
    double re;
    double im;
} htp_complex_number;

/** Whether a value is a complex tensor or number, or a list that holds one; HTP_NONE is not. */
bool htp_value_is_complex(const htp_graph *graph, htp_value_id id);

/** Whether the node that is lowered takes or gives complex tensors. */
bool htp_node_is_complex(const htp_lowering *l);

/** Whether the trace has views that show the memory of complex tensors conjugated. */
bool htp_graph_shows_conjugates(const htp_graph *graph);

/** Fails where the trace does not tell what a complex node does: it writes to memory that another
 * value may show conjugated. */
void htp_complex_check(htp_lowering *l);

/** Fails where the angles of an argument hang on rounding: those of a transform. */
void htp_complex_check_angle(htp_lowering *l, const char *name);

/** A part of a complex number as it stands in the program, which must be constant. */
double htp_complex_number_part(htp_lowering *l, const htp_trace_value *value, htp_part part);

/** A number of the program, whose imaginary part is 0 where it is real. Fails where it depends on
 * the model's input. */
htp_complex_number htp_arg_complex_number(htp_lowering *l, const char *name);

/** Whether an argument is a complex tensor or number. */
bool htp_arg_is_complex(htp_lowering *l, const char *name);

/** A part of a value: of a complex one in its real dtype, of a real one what htp_lower_parts()
 * has set. HTP_TENSOR_NONE where there is no such, and for HTP_PART_NONE. */
htp_tensor_id htp_value_part(htp_lowering *l, htp_value_id id, htp_part part);

/** A complex value as pairs [..., 2]. */
htp_tensor_id htp_value_pairs(htp_lowering *l, htp_value_id id);

/** A complex tensor argument as pairs [..., 2]. */
htp_tensor_id htp_arg_pairs(htp_lowering *l, const char *name);

/** The parts of an argument, cast to the real @p dtype. The imaginary part of a real argument is
 * a 0-d zero. */
htp_complex htp_arg_complex(htp_lowering *l, const char *name, htp_dtype dtype);

/** Binds complex output @p index to pairs of the output's real dtype. */
void htp_bind_pairs(htp_lowering *l, size_t index, htp_tensor_id pairs);

/** Binds complex output @p index to parts of the real @p dtype. */
void htp_bind_complex(htp_lowering *l, size_t index, htp_complex z, htp_dtype dtype);

/** Does to each part what the operator does to real numbers. @param names  the arguments that are
 * such numbers, parted by spaces; NULL where the first one is the only one */
void htp_complex_lower_parts(htp_lowering *l, const char *names);

/** x · y, and x / y where neither squares overflow nor vanish. */
htp_complex htp_complex_multiply(const htp_formula *f, htp_complex x, htp_complex y);
htp_complex htp_complex_divide(const htp_formula *f, htp_complex x, htp_complex y);

/** 1 / y, which of zero is infinite and a NaN. */
htp_complex htp_complex_invert(const htp_formula *f, htp_complex y);

/** A zero of @p dtype in the shape of @p x. */
htp_tensor_id htp_emit_zeros_like(htp_lowering *l, htp_dtype dtype, htp_tensor_id x);

#endif
