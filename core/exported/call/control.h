/*
 * Operators with graphs: branches, loops, and bodies that run once. Private to core/exported.
 */
#ifndef HTP_EXPORTED_CONTROL_H
#define HTP_EXPORTED_CONTROL_H

#include "exported/call/tape.h"

/** Adds the nodes of an operator with graphs to the tape's current block. @return false if it is
 * not one, or unknown */
bool htp_control_add(htp_tape *r, const htp_exported_node *node);

/** Whether an operator with graphs is known, by its name in programs. */
bool htp_control_knows(const char *target);

#endif
