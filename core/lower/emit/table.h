/*
 * The table of operators: the rows of operators.def, found by name.
 */
#ifndef HTP_LOWER_TABLE_H
#define HTP_LOWER_TABLE_H

#include "lower/emit/lowering.h"

/** The row of an operator, or NULL. In-place operators have none: see graph/passes.h. */
const htp_operator *htp_table_find(const char *kind);

/** The same for an operator that takes or gives complex numbers: the rows of
 * complex_operators.def. */
const htp_operator *htp_table_find_complex(const char *kind);

/** The same for an operator that takes or gives quantised tensors: the rows of
 * quantized_operators.def. */
const htp_operator *htp_table_find_quantized(const char *kind);

/** The number of operators in the table. */
size_t htp_table_count(void);

/** Operator @p index in order of name: "aten::add.Tensor"; NULL when out of range. */
const char *htp_table_name(size_t index);

#endif
