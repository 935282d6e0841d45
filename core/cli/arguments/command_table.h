/*
 * The table of commands: commands.def.
 */
#ifndef HTP_CLI_MANUAL_COMMAND_TABLE_H
#define HTP_CLI_MANUAL_COMMAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/** The commands of the table, then those that options turn an export into. */
typedef enum htp_cli_command {
#define COMMAND(id, name, models, addresses, usage, summary, description) HTP_CLI_##id,
#include "cli/arguments/commands.def"
    HTP_CLI_DUMP_GRAPH,
    HTP_CLI_VERSION,
    HTP_CLI_HELP,
} htp_cli_command;

/** How many models a command takes. */
typedef enum htp_cli_takes {
    HTP_CLI_TAKES_ANY,
    HTP_CLI_TAKES_ONE,
    HTP_CLI_TAKES_TWO,
    HTP_CLI_TAKES_NONE,
} htp_cli_takes;

typedef struct htp_cli_command_row {
    const char *name; /* its word; of an export, its name in messages */
    htp_cli_takes takes;
    bool has_addresses;
    const char *usage; /* after the program's name; further forms after a newline */
    const char *summary;
    const char *description; /* `code` between backquotes, newlines between paragraphs */
} htp_cli_command_row;

/** The meaning of an exit code, for some commands. */
typedef struct htp_cli_exit_row {
    int code;
    unsigned commands; /* bit N: for command N */
    const char *meaning;
} htp_cli_exit_row;

/** An environment variable. */
typedef struct htp_cli_variable_row {
    const char *name;
    const char *meaning;
} htp_cli_variable_row;

/** The row of a command; the export's row if the table has none. */
const htp_cli_command_row *htp_cli_command_find(htp_cli_command command);

/** The command that a word names; HTP_CLI_EXPORT if it names none. */
htp_cli_command htp_cli_command_named(const char *word);

/** The bit of a command in the masks of rows; a dump has that of an export. */
unsigned htp_cli_command_bit(htp_cli_command command);

/** All rows of exit codes, by code. */
const htp_cli_exit_row *htp_cli_exit_rows(size_t *count);

/** All environment variables. */
const htp_cli_variable_row *htp_cli_variable_rows(size_t *count);

/** The description of an ADDRESS: one paragraph. */
const char *htp_cli_addresses_text(void);

#endif
