#include "cli/arguments/standard_input.h"

#include "base/files/descriptor.h"
#include "cli/terminal/print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char input_path[32]; /* empty: nobody asked */

/* Copies standard input to its end. @return an exit code, after a line on stderr if it is none */
static int spool(int fd)
{
    static char block[1 << 16];
    for (;;) {
        ssize_t got = read(STDIN_FILENO, block, sizeof(block));
        if (got == 0) {
            return HTP_CODE_OK;
        }
        if (got < 0 && errno != EINTR) {
            htp_cli_print_message("standard input cannot be read: %s", strerror(errno));
            return HTP_CODE_BAD_INPUT;
        }
        if (got > 0 && !htp_descriptor_write_all(fd, block, (size_t)got)) {
            htp_cli_print_message("standard input cannot be spooled to a temporary file: %s; set "
                                  "TMPDIR to a folder with room",
                                  strerror(errno));
            return HTP_CODE_CANNOT_WRITE;
        }
    }
}

const char *htp_cli_standard_input(int *code)
{
    struct stat facts;
    int fd = STDIN_FILENO;
    *code = HTP_CODE_OK;
    if (*input_path) {
        *code = HTP_CODE_USAGE;
        htp_cli_print_message("standard input is one file; pass - once");
        return NULL;
    }
    bool is_file = fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
    if (!is_file) {
        fd = htp_descriptor_open_unnamed();
        if (fd < 0) {
            *code = HTP_CODE_CANNOT_WRITE;
            htp_cli_print_message("no temporary file can be made for standard input: %s; set "
                                  "TMPDIR to a folder that can be written",
                                  strerror(errno));
            return NULL;
        }
        *code = spool(fd);
    }
    (void)snprintf(input_path, sizeof(input_path), "/proc/self/fd/%d", fd);
    htp_cli_print_as_standard(input_path);
    return *code == HTP_CODE_OK ? input_path : NULL;
}
