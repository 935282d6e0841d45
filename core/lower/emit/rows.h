/*
 * Declares the functions that operators.def and the other tables of rows name. Private to
 * core/lower.
 */
#ifndef HTP_LOWER_ROWS_H
#define HTP_LOWER_ROWS_H

#include "lower/emit/lowering.h"

#define HTP_OPERATOR(kind, function, op) void function(htp_lowering *l);
#include "lower/complex/complex_operators.def"
#include "lower/emit/operators.def"
#include "lower/quantized/quantized_operators.def"
#undef HTP_OPERATOR

#endif
