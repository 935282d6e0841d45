#include "cli/arguments/command_table.h"

#include "cli/arguments/masks.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const htp_cli_command_row commands[] = {
#define COMMAND(id, name, models, addresses, usage, summary, description)                          \
    [HTP_CLI_##id] = {name, HTP_CLI_TAKES_##models, addresses, usage, summary, description},
#include "cli/arguments/commands.def"
};

static const htp_cli_exit_row exits[] = {
#define EXIT(code, commands, meaning) {code, commands, meaning},
#include "cli/arguments/commands.def"
};

static const htp_cli_variable_row variables[] = {
#define ENVIRONMENT(name, meaning) {name, meaning},
#include "cli/arguments/commands.def"
};

const htp_cli_command_row *htp_cli_command_find(htp_cli_command command)
{
    return &commands[command < COUNT(commands) ? command : HTP_CLI_EXPORT];
}

htp_cli_command htp_cli_command_named(const char *word)
{
    for (size_t i = HTP_CLI_EXPORT + 1; i < COUNT(commands); i++) {
        if (strcmp(commands[i].name, word) == 0) {
            return (htp_cli_command)i;
        }
    }
    return HTP_CLI_EXPORT;
}

unsigned htp_cli_command_bit(htp_cli_command command)
{
    return 1U << (command == HTP_CLI_DUMP_GRAPH ? HTP_CLI_EXPORT : command);
}

const htp_cli_exit_row *htp_cli_exit_rows(size_t *count)
{
    *count = COUNT(exits);
    return exits;
}

const htp_cli_variable_row *htp_cli_variable_rows(size_t *count)
{
    *count = COUNT(variables);
    return variables;
}

const char *htp_cli_addresses_text(void)
{
    return "An ADDRESS is a tag (`/BertModel/BertEncoder/BertLayer.0`), the end of a tag "
           "(`BertEncoder/BertLayer.0`), an attribute path (`encoder.layer.0`), a class "
           "(`BertLayer`, or "
           "`torch.nn.LayerNorm` with the beginning of its package) or a segment (`BertLayer.0`). "
           "`*` "
           "matches within a segment, `**` any number of segments. An address means these modules "
           "and "
           "all below them.";
}
