/*
 * What is written of one model, by a command that says no more about it than where.
 */
#ifndef HTP_CLI_WRITTEN_H
#define HTP_CLI_WRITTEN_H

#include "cli/arguments/arguments.h"

/** Writes --out of a model that is open. */
typedef htp_status (*htp_cli_write_fn)(htp_model *opened, const htp_cli_arguments *arguments,
                                       const htp_write_options *options);

/** Opens @p model and has it written. With --json that is told on stdout. */
HTP_MUST_USE htp_status htp_cli_write(const htp_cli_arguments *arguments, const char *model,
                                      const htp_write_options *options, htp_cli_write_fn write);

#endif
