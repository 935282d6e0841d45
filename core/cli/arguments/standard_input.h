/*
 * Standard input in the place of a file. Private to core/cli/arguments.
 */
#ifndef HTP_CLI_STANDARD_INPUT_H
#define HTP_CLI_STANDARD_INPUT_H

/**
 * A path to open standard input by. A pipe is spooled to an unlinked temporary file in TMPDIR, or
 * /tmp, since readers map their files. It can be asked for once.
 * @param code  receives an exit code on failure.
 * @return the path, which lives as long as the process; NULL after one line on stderr.
 */
const char *htp_cli_standard_input(int *code);

#endif
