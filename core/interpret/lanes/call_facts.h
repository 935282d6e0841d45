/*
 * Calls with the facts of their operators.
 */
#ifndef HTP_INTERPRET_LANES_CALL_FACTS_H
#define HTP_INTERPRET_LANES_CALL_FACTS_H

#include "interpret/lanes/call.h"
#include "interpret/operators/facts.h"

/** A call of an operator. @param node  its node in the program, or NULL */
htp_call htp_call_make(const htp_machine *m, uint32_t schema, const htp_program_node *node,
                       const htp_items *inputs, const htp_place *place);

/** Whether its operator has one of these facts. */
bool htp_call_has_fact(const htp_call *call, unsigned facts);

#endif
