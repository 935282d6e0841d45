/*
 * Queries to a program that more than one reader of it has.
 */
#ifndef HTP_SOURCE_PROGRAM_H
#define HTP_SOURCE_PROGRAM_H

#include "base/status.h"

#include <htp/program.h>

/** The result of a function of the shim as a status: its message, on one line. */
HTP_MUST_USE htp_status htp_program_status(htp_shim_code code, htp_error *error);

/** The function that a class has as a method of this name; HTP_NONE where it has none. */
uint32_t htp_program_find_method(const htp_program *program, uint32_t class_number,
                                 const char *name);

/**
 * Reads a function, unless it is loaded.
 * @param function  receives it: a copy, as the table may move. Without code it has no blocks
 */
HTP_MUST_USE htp_status htp_program_load(const htp_program *program, uint32_t number,
                                         htp_program_function *function);

/** Reads the value of an object's attribute into @p data. */
HTP_MUST_USE htp_status htp_program_load_slot(const htp_program *program, uint32_t object,
                                              uint32_t slot, uint32_t *data);

#endif
