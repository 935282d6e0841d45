/*
 * Runs one operator in every lane: on tensors without contents, or on real ones if everything is
 * known.
 */
#ifndef HTP_INTERPRET_LANES_EXECUTE_H
#define HTP_INTERPRET_LANES_EXECUTE_H

#include "interpret/lanes/call.h"
#include "interpret/lanes/lanes.h"
#include "interpret/operators/operator_facts.h"

/** Runs the operator of the node at @p place, records it, and returns its outputs. HTP_BAD_INPUTS
 * if libtorch raises on these inputs; if the output types are unknown, the node is recorded with
 * its failure and unknown outputs. */
htp_outcome htp_execute_node(htp_machine *m, const htp_items *inputs, const htp_place *place,
                             htp_items *outputs);

/** An operator that the program does not name, with one output. */
htp_outcome htp_execute(htp_machine *m, const char *name, const char *overload,
                        const htp_items *inputs, const htp_place *place, htp_item **output);

/** The same, with all outputs. */
htp_outcome htp_execute_all(htp_machine *m, const char *name, const char *overload,
                            const htp_items *inputs, const htp_place *place, htp_items *outputs);

/** Whether unique() sorts in spite of sorted=False (unique_order.c). */
bool htp_unique_sorts(htp_machine *m);

/** Refuses a call that makes more parts than a list may have (execute/part_count.c). */
htp_outcome htp_call_check_parts(htp_machine *m, const htp_call *call);

#endif
