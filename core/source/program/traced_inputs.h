/*
 * The inputs that a method was traced with, which PyTorch 2 stores in the archive.
 */
#ifndef HTP_SOURCE_TRACED_INPUTS_H
#define HTP_SOURCE_TRACED_INPUTS_H

#include "base/arena.h"
#include "base/status.h"
#include "interpret/trace/inputs.h"

#include <htp/program.h>

/** Reads the inputs that a method of the root was traced with into @p arena; none if the archive
 * has none. */
HTP_MUST_USE htp_status htp_traced_inputs_find(htp_arena *arena, const htp_program *program,
                                               const char *method, const htp_input **inputs,
                                               uint32_t *count);

#endif
