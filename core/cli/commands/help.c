#include "cli/arguments/help.h"
#include "cli/commands/commands.h"
#include "cli/terminal/print.h"

#include <stdio.h>

int htp_cli_help(const htp_cli_arguments *arguments)
{
    if (arguments->json) {
        htp_cli_print_help_json();
    } else {
        htp_cli_print_help(arguments->about);
    }
    return htp_cli_flush_stdout() ? HTP_CODE_OK : HTP_CODE_CANNOT_WRITE;
}

int htp_cli_version(void)
{
    const char *libtorch = NULL;
    htp_status status = htp_libtorch_version(&libtorch);
    (void)printf("htp-trace %s\n", htp_version());
    if (status) {
        (void)printf("libtorch not available: %s\n", htp_status_message(status));
        htp_status_free(status);
    } else {
        (void)printf("libtorch %s\n", libtorch);
    }
    return htp_cli_flush_stdout() ? HTP_CODE_OK : HTP_CODE_CANNOT_WRITE;
}

int htp_cli_operators(void)
{
    for (size_t i = 0; i < htp_operator_count(); i++) {
        (void)puts(htp_operator_name(i));
    }
    return htp_cli_flush_stdout() ? HTP_CODE_OK : HTP_CODE_CANNOT_WRITE;
}
