/*
 * Complex arguments, outputs and arithmetic, on the forms of lower/emit/value_parts.h. Private to
 * core/lower.
 *
 * Nodes with complex values are lowered by the rows of complex_operators.def alone. Real lowerings
 * only see a complex value as one of its parts, when such a row runs them for each part
 * (htp_lower_parts(), htp_lower_products()); otherwise it is refused.
 */
#ifndef HTP_LOWER_COMPLEX_H
#define HTP_LOWER_COMPLEX_H

#include "lower/compose/formula.h"
#include "lower/emit/value_parts.h"

/** The parts of a complex value. */
typedef struct htp_complex {
    htp_tensor_id re;
    htp_tensor_id im;
} htp_complex;

/** A constant complex number. */
typedef struct htp_complex_number {
    double re;
    double im;
} htp_complex_number;

/** Whether the trace has views that show the memory of complex tensors conjugated. */
bool htp_graph_shows_conjugates(const htp_graph *graph);

/** Fails if a complex node writes to memory that another value may see conjugated. */
void htp_complex_check(htp_lowering *l);

/** Fails if an argument's angles depend on rounding: it comes from a Fourier transform. */
void htp_complex_check_angle(htp_lowering *l, const char *name);

/** A number of the program, whose imaginary part is 0 where it is real. Fails where it depends on
 * the model's input. */
htp_complex_number htp_arg_complex_number(htp_lowering *l, const char *name);

/** Whether an argument is a complex tensor or number. */
bool htp_arg_is_complex(htp_lowering *l, const char *name);

/** A complex tensor argument as pairs [..., 2]. */
htp_tensor_id htp_arg_pairs(htp_lowering *l, const char *name);

/** The parts of an argument, cast to the real @p dtype. The imaginary part of a real argument is
 * a 0-d zero. */
htp_complex htp_arg_complex(htp_lowering *l, const char *name, htp_dtype dtype);

/** Binds complex output @p index to pairs of the output's real dtype. */
void htp_bind_pairs(htp_lowering *l, size_t index, htp_tensor_id pairs);

/** Binds complex output @p index to parts of the real @p dtype. */
void htp_bind_complex(htp_lowering *l, size_t index, htp_complex z, htp_dtype dtype);

/** Applies the real operator to each part. @param names  number arguments, separated by spaces;
 * NULL for only the first */
void htp_complex_lower_parts(htp_lowering *l, const char *names);

/** x · y, and x / y, which is scaled so that squares neither overflow nor underflow. */
htp_complex htp_complex_multiply(const htp_formula *f, htp_complex x, htp_complex y);
htp_complex htp_complex_divide(const htp_formula *f, htp_complex x, htp_complex y);

/** 1 / y; for zero the parts are infinity and NaN. */
htp_complex htp_complex_invert(const htp_formula *f, htp_complex y);

/** A zero of @p dtype in the shape of @p x. */
htp_tensor_id htp_emit_zeros_like(htp_lowering *l, htp_dtype dtype, htp_tensor_id x);

#endif
