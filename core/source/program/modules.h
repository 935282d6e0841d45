/*
 * The modules of a program: module instances among its objects, and their tensors.
 */
#ifndef HTP_SOURCE_MODULES_H
#define HTP_SOURCE_MODULES_H

#include "base/status.h"
#include "interpret/machine/instances.h"

/**
 * Lists the module instances below object 0, depth-first in the order of definition, and the
 * weights of each. An instance that is found again gets a further path.
 * @param instances  an empty one, filled in @p arena
 */
HTP_MUST_USE htp_status htp_modules_find(htp_arena *arena, const htp_program *program,
                                         htp_instances *instances);

#endif
