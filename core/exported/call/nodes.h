/*
 * From nodes of a program to nodes of a trace. Private to core/exported.
 */
#ifndef HTP_EXPORTED_NODES_H
#define HTP_EXPORTED_NODES_H

#include "exported/call/tape.h"

/** The current value of an argument in the trace, computed on demand. */
uint32_t htp_exported_nodes_argument(htp_tape *r, const htp_exported_argument *argument);

/** Pointers to arguments. */
typedef HTP_VECTOR(const htp_exported_argument *) htp_exported_arguments;

/** Adds arguments to a list, those of lists one by one. */
void htp_exported_nodes_flatten(htp_tape *r, const htp_exported_argument *arguments, uint32_t count,
                                htp_exported_arguments *list);

/** Makes the first argument, a value of the graph, the current value of the second. */
void htp_exported_nodes_bind(htp_tape *r, const htp_exported_argument *value,
                             const htp_exported_argument *as);

/** Adds the nodes of a graph, in order, to the tape's current block. */
void htp_exported_nodes_add(htp_tape *r, const htp_exported_graph *graph);

#endif
