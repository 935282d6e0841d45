#include "cli/commands/commands.h"
#include "cli/output/written.h"

static htp_status retag(htp_model *like, const htp_cli_arguments *arguments,
                        const htp_write_options *options, char **text, char **json)
{
    return htp_retag_model(arguments->models[0], like, arguments->out, options, text, json);
}

htp_status htp_cli_retag(const htp_cli_arguments *arguments, const htp_write_options *options)
{
    return htp_cli_report(arguments, arguments->like, options, retag);
}
