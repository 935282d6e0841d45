/*
 * Operands of a program's node, by their names in the schema, and values that are known before
 * anything runs.
 */
#ifndef HTP_SOURCE_OPERANDS_H
#define HTP_SOURCE_OPERANDS_H

#include <htp/program.h>

/** The node of a function that queries are about. */
typedef struct htp_operands {
    const htp_program *program;
    const htp_program_function *function;
    const htp_program_node *node;
} htp_operands;

/** The operand of the schema's argument @p name. @return a value; HTP_NONE if there is none */
uint32_t htp_operands_find(const htp_operands *o, const char *name);

/** The constant of a value. @return NULL: the value is computed */
const htp_program_data *htp_operands_constant(const htp_operands *o, uint32_t value);

/** A constant number; @p otherwise for any other value, and for HTP_NONE. */
int64_t htp_operands_number(const htp_operands *o, uint32_t value, int64_t otherwise);

/** The node that builds a list from its inputs. @return NULL if @p value is not such a list */
const htp_program_node *htp_operands_list(const htp_operands *o, uint32_t value);

/** The elements of a list that the program builds; for any other value, @p value itself. */
const uint32_t *htp_operands_elements(const htp_operands *o, const uint32_t *value,
                                      uint32_t *count);

#endif
