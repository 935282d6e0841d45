/*
 * The places of a program's nodes: running calls of modules, and lines of the user's files. Private
 * to core/exported.
 */
#ifndef HTP_EXPORTED_SCOPES_H
#define HTP_EXPORTED_SCOPES_H

#include "exported/call/tape.h"

/** Adds the call of the program itself: scope 0. */
void htp_scopes_begin(htp_tape *r);

/**
 * The place of a node. Each call of a module is a scope, identified by its key.
 * @param around  the place of a node that has none in the file
 */
htp_exported_place htp_scopes_place(htp_tape *r, const htp_exported_node *node,
                                    const htp_exported_place *around);

/** Whether the file names the modules that a node runs in. */
bool htp_scopes_are_recorded(const htp_exported_node *node);

#endif
