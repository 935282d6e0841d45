/*
 * Whether a node's arguments and outputs are of the types that its schema declares. A file may say
 * anything, and lowerings rely on their schemas. Private to core/exported.
 */
#ifndef HTP_EXPORTED_OPERAND_TYPES_H
#define HTP_EXPORTED_OPERAND_TYPES_H

#include "exported/call/schemas.h"
#include "exported/call/tape.h"

/** Fails, with the argument's name, if one of them is not. @param inputs  by parameter */
void htp_exported_check_types(htp_tape *r, const htp_exported_schema *schema,
                              const htp_exported_node *node, const uint32_t *inputs);

#endif
