/*
 * Operators with graphs: branches, loops, and bodies that run once. Private to core/exported.
 */
#ifndef HTP_EXPORTED_CONTROL_H
#define HTP_EXPORTED_CONTROL_H

#include "exported/call/tape.h"

/** Adds the nodes of an operator with graphs, at the tape's place. @return false if it is none, or
 * an unknown one */
bool htp_control_add(htp_tape *r, const htp_exported_node *node);

/** Whether an operator of graphs is known, by the name that programs have for it. */
bool htp_control_knows(const char *target);

#endif
