/*
 * Which modules run where nodes stand, as the stacks of a program alone say it: an oracle for the
 * scopes of traces, with which it shares nothing but the reading of stacks. Private to
 * core/exported.
 */
#ifndef HTP_EXPORTED_CALLS_H
#define HTP_EXPORTED_CALLS_H

#include "exported/modules/modules.h"
#include "source/reader.h"

/** Finds the running modules. @param stacks  by node of a trace; NULL: not known */
void htp_stack_calls_find(htp_arena *arena, const htp_exported_modules *modules,
                          const char *const *stacks, uint32_t count, htp_source_calls *calls);

#endif
