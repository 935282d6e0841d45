/*
 * The inputs that a method was traced with, which PyTorch 2 keeps in the archive.
 */
#ifndef HTP_SOURCE_TRACED_INPUTS_H
#define HTP_SOURCE_TRACED_INPUTS_H

#include "base/arena.h"
#include "base/status.h"
#include "interpret/trace/inputs.h"

#include <htp/program.h>

/** Finds what a method of the root was traced with, in @p arena; none where the archive does not
 * say. */
HTP_MUST_USE htp_status htp_traced_inputs_find(htp_arena *arena, const htp_program *program,
                                               const char *method, const htp_input **inputs,
                                               uint32_t *count);

#endif
