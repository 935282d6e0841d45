/*
 * htp-trace: TorchScript models to ONNX models whose every node says which module it came from.
 */
#include "cli/arguments/arguments.h"
#include "cli/commands/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A standard stream that is closed would be the next file that is opened, and printing would end
 * up in it. What takes its place is open in the other direction: using it fails. */
static void fill_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) {
            (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

static int run(const htp_cli_arguments *arguments)
{
    switch (arguments->command) {
    case HTP_CLI_HELP:
        return htp_cli_help(arguments);
    case HTP_CLI_VERSION:
        return htp_cli_version();
    case HTP_CLI_OPERATORS:
        return htp_cli_operators();
    default:
        return htp_cli_export(arguments);
    }
}

/* Without the destructors of libtorch, which take back each of its registrations: that lasts longer
 * than most of the work, and nothing is left for them to do. */
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
    (void)signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of file sizes says so */
    int code = HTP_CODE_USAGE;
    if (htp_cli_arguments_read(&arguments, argc, argv)) {
        code = run(&arguments);
    }
    htp_cli_arguments_free(&arguments);
    leave(code);
}
