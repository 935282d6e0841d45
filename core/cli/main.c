/*
 * htp-trace: exports PyTorch models to ONNX, and tags every node with its module.
 */
#include "cli/arguments/arguments.h"
#include "cli/commands/commands.h"
#include "cli/terminal/print.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A closed standard stream would be reused by the next open(), and printing would end up in a file.
 * A stream of the opposite direction takes its place, so that using it fails. */
static void fill_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
            (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

static int run(htp_cli_arguments *arguments)
{
    int code;
    switch (arguments->command) {
    case HTP_CLI_HELP:
        return htp_cli_help(arguments);
    case HTP_CLI_VERSION:
        return htp_cli_version();
    case HTP_CLI_OPERATORS:
        return htp_cli_operators();
    default:
        (void)signal(SIGPIPE, SIG_IGN); /* a reader that leaves is a failure to be reported */
        htp_text_set_columns(htp_cli_stdout_columns());
        code = htp_cli_arguments_open(arguments);
        return code ? code : htp_cli_export(arguments);
    }
}

/* Skips libtorch's destructors: they unregister every operator, which takes longer than most of the
 * work and has no effect. */
_Noreturn static void leave(int code)
{
    if (!HTP_CLI_ENDS_AT_ONCE) {
        exit(code);
    }
    (void)fflush(NULL);
    _exit(code);
}

int main(int argc, char **argv)
{
    htp_cli_arguments arguments;
    fill_standard_streams();
    (void)signal(SIGXFSZ, SIG_IGN); /* turns exceeding the file size limit into an error */
    int code = HTP_CODE_USAGE;
    if (htp_cli_arguments_read(&arguments, argc, argv)) {
        code = run(&arguments);
    }
    htp_cli_arguments_free(&arguments);
    leave(code);
}
