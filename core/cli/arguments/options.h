/*
 * The options of all commands. Private to core/cli.
 */
#ifndef HTP_CLI_OPTIONS_H
#define HTP_CLI_OPTIONS_H

#include "cli/arguments/arguments.h"

/** Reads options up to the next argument that is not an option, argv[optind]. Stops after --help
 * and
 * --version. @return false after one line on stderr */
bool htp_cli_options_read(htp_cli_arguments *arguments, int argc, char **argv);

#endif
