/*
 * The inputs that a method was traced with, which PyTorch 2 keeps in the archive.
 */
#ifndef HTP_SOURCE_TRACED_INPUTS_H
#define HTP_SOURCE_TRACED_INPUTS_H

#include "base/arena.h"
#include "interpret/trace/inputs.h"

#include <htp/program.h>

/** Finds what a method of the root was traced with, in @p arena; none where the archive does not
 * say. @return HTP_SHIM_OK, or what reading it ended with, which @p error tells */
htp_shim_code htp_traced_inputs_find(htp_arena *arena, const htp_program *program,
                                     const char *method, const htp_input **inputs, uint32_t *count,
                                     htp_shim_error *error);

#endif
