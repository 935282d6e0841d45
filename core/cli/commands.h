/*
 * The commands. Each returns the exit code.
 */
#ifndef HTP_CLI_COMMANDS_H
#define HTP_CLI_COMMANDS_H

#include "cli/arguments.h"

/** Prints how the program is used. */
int htp_cli_help(void);

/** Prints the versions of the program and of libtorch. */
int htp_cli_version(void);

/** Lists the supported operators, one a line. */
int htp_cli_operators(void);

/** Exports the models, dumps their graphs, or inspects them. */
int htp_cli_export(const htp_cli_arguments *arguments);

#endif
