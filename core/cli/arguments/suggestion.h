/*
 * What a misspelt word may have meant. Private to core/cli/arguments.
 */
#ifndef HTP_CLI_SUGGESTION_H
#define HTP_CLI_SUGGESTION_H

#include "cli/arguments/command_table.h"

/** The command whose name is nearest to @p word; NULL: none is near. */
const char *htp_cli_command_suggest(const char *word);

/**
 * The option of @p command whose name is nearest to @p option; NULL: none is near, or it is the
 * name itself.
 * @param option  as it was given: "--dpeth=2"
 */
const char *htp_cli_option_suggest(const char *option, htp_cli_command command);

#endif
