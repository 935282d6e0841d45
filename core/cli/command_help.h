/*
 * What --help tells of each command. Private to core/cli.
 */
#ifndef HTP_CLI_COMMAND_HELP_H
#define HTP_CLI_COMMAND_HELP_H

#include "cli/arguments.h"

typedef struct htp_cli_command_help {
    htp_cli_command command;
    const char *usage; /* behind the program's name */
    const char *text;
    bool takes_addresses;
} htp_cli_command_help;

/** NULL for an export, which the program's own help tells of. */
const htp_cli_command_help *htp_cli_help_of(htp_cli_command command);

#endif
