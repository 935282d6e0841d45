/*
 * Operators that are given graphs: branches, loops, and bodies that run once. Private to
 * core/exported.
 */
#ifndef HTP_EXPORTED_CONTROL_H
#define HTP_EXPORTED_CONTROL_H

#include "exported/call/tape.h"

/** Adds what an operator of graphs runs, at the tape's place. @return false where this is none, or
 * one that is not known */
bool htp_control_add(htp_tape *r, const htp_exported_node *node);

/** Whether an operator of graphs is known, by the name that programs have for it. */
bool htp_control_knows(const char *target);

#endif
