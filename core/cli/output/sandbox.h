/*
 * The sandbox of a process that works on models: what the command line names, and nothing else.
 */
#ifndef HTP_CLI_SANDBOX_H
#define HTP_CLI_SANDBOX_H

#include "base/status.h"
#include "cli/arguments/arguments.h"

/** Enters the sandbox, unless --no-sandbox is set or this process is in it already. With --verbose,
 * a line on stderr says which walls stand. @param draws_svg  graphviz will be needed
 * @return HTP_CODE_INTERNAL if memory ran out, else HTP_OK */
HTP_MUST_USE htp_status htp_cli_sandbox_enter(const htp_cli_arguments *arguments, bool draws_svg);

#endif
