/*
 * Questions to a program that more than one reader of it has.
 */
#ifndef HTP_SOURCE_PROGRAM_H
#define HTP_SOURCE_PROGRAM_H

#include <htp/program.h>

/** The function that a class has as a method of this name; HTP_PROGRAM_NONE where it has none. */
uint32_t htp_program_find_method(const htp_program *program, uint32_t class_number,
                                 const char *name);

/**
 * Reads a function, unless it is loaded.
 * @param function  receives it: a copy, as the table may move. Without code it has no blocks
 * @return HTP_SHIM_OK, or what reading it ended with, which @p error tells
 */
htp_shim_code htp_program_load(const htp_program *program, uint32_t number,
                               htp_program_function *function, htp_shim_error *error);

#endif
