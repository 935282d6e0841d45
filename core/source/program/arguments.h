/*
 * The arguments of a method, without self.
 */
#ifndef HTP_SOURCE_ARGUMENTS_H
#define HTP_SOURCE_ARGUMENTS_H

#include "base/arena.h"
#include "interpret/trace/inputs.h"

#include <htp/program.h>

/** Describes the arguments of a loaded function in @p arena. Nested types are described to a
 * limited depth. @return NULL if there are none */
const htp_argument *htp_arguments_list(htp_arena *arena, const htp_program *program,
                                       uint32_t function, uint32_t *count);

/** The type that a function returns, as TorchScript writes it. */
const char *htp_arguments_returns(const htp_program *program, uint32_t function);

#endif
