/*
 * Facts about operators and element types.
 */
#ifndef HTP_INTERPRET_OPERATORS_OPERATOR_FACTS_H
#define HTP_INTERPRET_OPERATORS_OPERATOR_FACTS_H

#include <htp/program.h>

/** Whether a type (htp_scalar_type) is integral; bool is not. */
bool htp_type_is_whole(int32_t type);

/* ---- operators (operator_facts.c) ---- */

bool htp_operator_may_run(const htp_program_schema *schema);
bool htp_operator_is_size_operand(const htp_program_schema *schema, size_t argument);
bool htp_operator_is_uninitialised(const char *name);
bool htp_operator_makes_nested(const htp_program_schema *schema);
bool htp_operator_is_unchecked(const htp_program_schema *schema);
bool htp_operator_is_sized_alone(const htp_program_schema *schema);
bool htp_operator_trusts_contents(const htp_program_schema *schema);
bool htp_operator_takes_data_numbers(const char *name);

/**
 * Tests a fact of an operator, or of its functional form.
 * @param name  without overload
 */
bool htp_operator_has_fact(const char *name, unsigned facts);

bool htp_operator_takes_constants_as_numbers(const htp_program_schema *schema);

#endif
