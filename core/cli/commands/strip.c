#include "cli/commands/commands.h"
#include "cli/output/written.h"

static htp_status write(htp_model *opened, const htp_cli_arguments *arguments,
                        const htp_write_options *options)
{
    return htp_model_strip(opened, arguments->out, options);
}

htp_status htp_cli_strip(const htp_cli_arguments *arguments, const char *model,
                         const htp_write_options *options)
{
    return htp_cli_write(arguments, model, options, write);
}
