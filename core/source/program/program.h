/*
 * Queries to a program that several of its users need.
 */
#ifndef HTP_SOURCE_PROGRAM_H
#define HTP_SOURCE_PROGRAM_H

#include "base/status.h"

#include <htp/program.h>

/** The result of a function of the shim as a status with a one-line message. */
HTP_MUST_USE htp_status htp_program_status(htp_shim_code code, htp_error *error);

/** The function of a class's method; HTP_NONE if there is no method of this name. */
uint32_t htp_program_find_method(const htp_program *program, uint32_t class_number,
                                 const char *name);

/**
 * Loads a function, unless that was done.
 * @param function  receives a copy, as the table may move; it has no blocks if it has no code
 */
HTP_MUST_USE htp_status htp_program_load(const htp_program *program, uint32_t number,
                                         htp_program_function *function);

/** Loads the value of an object's attribute. @param data  receives its number */
HTP_MUST_USE htp_status htp_program_load_slot(const htp_program *program, uint32_t object,
                                              uint32_t slot, uint32_t *data);

#endif
