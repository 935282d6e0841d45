/*
 * The table of operators: the rows of operators.def, found by name. Private to core/lower.
 */
#ifndef HTP_LOWER_TABLE_H
#define HTP_LOWER_TABLE_H

#include "lower/lowering.h"

/**
 * The row of an operator, or NULL. An in-place operator ("aten::add_.Tensor") without a row of
 * its own has that of the operator that it is named after ("aten::add.Tensor"): the trace has
 * resolved what it writes to.
 */
const htp_operator *htp_table_find(const char *kind);

#define HTP_OPERATOR(kind, function, op) void function(htp_lowering *l);
#include "lower/operators.def"
#undef HTP_OPERATOR

#endif
