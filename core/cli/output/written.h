/*
 * What is asked of one model, or written of it, by commands that print no more than the answer.
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

/** Asks a model that is open. @param text, json  one of them receives the answer, or neither */
typedef htp_status (*htp_cli_ask_fn)(htp_model *opened, const htp_cli_arguments *arguments,
                                     const htp_write_options *options, char **text, char **json);

/** Opens @p model, asks it, and prints the answer on stdout, as JSON with --json.
 * @param options  that @p ask gets; NULL where it needs none */
HTP_MUST_USE htp_status htp_cli_ask(const htp_cli_arguments *arguments, const char *model,
                                    const htp_write_options *options, htp_cli_ask_fn ask);

/** The same of what is written, which --quiet lets nobody read. */
HTP_MUST_USE htp_status htp_cli_report(const htp_cli_arguments *arguments, const char *model,
                                       const htp_write_options *options, htp_cli_ask_fn ask);

#endif
