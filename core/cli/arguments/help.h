/*
 * The text of --help. Private to core/cli.
 */
#ifndef HTP_CLI_MANUAL_HELP_H
#define HTP_CLI_MANUAL_HELP_H

#include "cli/arguments/command_table.h"

/** Prints the usage of a command on stdout; with that of exports, the list of commands. */
void htp_cli_print_help(htp_cli_command about);

/** Prints all commands, options and exit codes as one JSON object, on stdout. */
void htp_cli_print_help_json(void);

#endif
