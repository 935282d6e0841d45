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

#endif
