/*
 * The arguments of a method, as those who give it inputs see them.
 */
#ifndef HTP_SOURCE_ARGUMENTS_H
#define HTP_SOURCE_ARGUMENTS_H

#include "base/arena.h"
#include "interpret/trace/inputs.h"

#include <htp/program.h>

/** Describes the arguments of a function that is loaded, self left out, in @p arena. Parts of
 * nested types are told as far down as anybody would spell them. @return NULL where there are none
 */
const htp_argument *htp_arguments_list(htp_arena *arena, const htp_program *program,
                                       uint32_t function, uint32_t *count);

/** The type that a function returns, as TorchScript writes it. */
const char *htp_arguments_returns(const htp_program *program, uint32_t function);

#endif
