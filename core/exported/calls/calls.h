/*
 * The running modules at nodes, by the stacks of a program alone: an oracle for the scopes of
 * traces, which shares only the parser of stacks with them. Private to core/exported.
 */
#ifndef HTP_EXPORTED_CALLS_H
#define HTP_EXPORTED_CALLS_H

#include "exported/modules/modules.h"
#include "source/reader.h"

/** Finds the running modules. @param stacks  by node of a trace; NULL: unknown */
void htp_stack_calls_find(htp_arena *arena, const htp_exported_modules *modules,
                          const char *const *stacks, uint32_t count, htp_source_calls *calls);

#endif
