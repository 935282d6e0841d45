#include "cli/terminal/print.h"

#include "base/files/descriptor.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/terminal/terminal.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { STANDARD_PATHS = 2 };

static int json_descriptor = STDOUT_FILENO;
static const char *standard_paths[STANDARD_PATHS]; /* NULL: none */

void htp_cli_print_as_standard(const char *path)
{
    for (size_t i = 0; i < STANDARD_PATHS; i++) {
        if (!standard_paths[i] || strcmp(standard_paths[i], path) == 0) {
            standard_paths[i] = path;
            return;
        }
    }
}

void htp_cli_rename_standard(char *text)
{
    for (size_t i = 0; i < STANDARD_PATHS && standard_paths[i]; i++) {
        size_t length = strlen(standard_paths[i]);
        for (char *found = strstr(text, standard_paths[i]); found;
             found = strstr(found, standard_paths[i])) {
            *found++ = '-';
            memmove(found, found + length - 1, strlen(found + length - 1) + 1);
        }
    }
}

static char *make_line(const char *prefix, const char *format, va_list arguments)
{
    char *text = NULL;
    char *line = NULL;
    if (vasprintf(&text, format, arguments) < 0) {
        return NULL;
    }
    htp_text_disarm(text, '?');
    htp_cli_rename_standard(text);
    int length = asprintf(&line, "%s%s\n", prefix, text);
    free(text);
    return length < 0 ? NULL : line;
}

static void print_line(char *line)
{
    if (line) {
        htp_cli_terminal_clear();
        (void)fputs(line, stderr);
    }
    free(line);
}

void htp_cli_print_bytes(const void *bytes, size_t count)
{
    htp_cli_terminal_end();
    (void)fwrite(bytes, 1, count, stdout);
}

void htp_cli_print_text(const char *text)
{
    htp_cli_print_bytes(text, strlen(text));
}

char *htp_cli_message_line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *line = make_line("htp-trace: ", format, arguments);
    va_end(arguments);
    return line;
}

void htp_cli_print_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *line = make_line("htp-trace: ", format, arguments);
    va_end(arguments);
    if (line) {
        print_line(line);
    } else {
        (void)fputs("htp-trace: out of memory\n", stderr);
    }
}

_Noreturn void htp_cli_end_without_memory(void)
{
    htp_cli_print_message("out of memory");
    exit(HTP_CODE_INTERNAL);
}

void htp_cli_print_detail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(make_line("  ", format, arguments));
    va_end(arguments);
}

void htp_cli_print_failure(htp_status status)
{
    htp_cli_print_message("%s", htp_status_message(status));
    for (size_t i = 0; i < htp_status_detail_count(status); i++) {
        htp_cli_print_detail("%s", htp_status_detail_line(status, i));
    }
}

void htp_cli_print_answer(htp_status status, char *answer)
{
    if (!status && answer) {
        htp_cli_rename_standard(answer);
        htp_cli_print_text(answer);
    }
    htp_string_free(answer);
}

/* Adds a line to a file, or nothing. */
static htp_status add_line(int fd, const char *line, const char *end)
{
    const off_t before = lseek(fd, 0, SEEK_END);
    if (htp_descriptor_write_all(fd, line, strlen(line)) &&
        htp_descriptor_write_all(fd, end, strlen(end))) {
        return HTP_OK;
    }
    htp_status status = htp_status_make(
        HTP_CODE_CANNOT_WRITE, "JSON cannot be kept in a temporary file: %s", strerror(errno));
    if (before >= 0 && ftruncate(fd, before) == 0) {
        (void)lseek(fd, before, SEEK_SET);
    }
    return status;
}

htp_status htp_cli_print_json(char *json)
{
    if (!json) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    htp_cli_rename_standard(json);
    size_t length = strlen(json);
    const char *end = length > 0 && json[length - 1] == '\n' ? "" : "\n";
    htp_status status = HTP_OK;
    if (json_descriptor == STDOUT_FILENO) {
        htp_cli_print_text(json);
        htp_cli_print_text(end);
    } else {
        status = add_line(json_descriptor, json, end);
    }
    free(json);
    return status;
}

void htp_cli_print_json_to(int fd)
{
    json_descriptor = fd;
}

int htp_cli_json_descriptor(void)
{
    return json_descriptor;
}

size_t htp_cli_stdout_columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool htp_cli_stdout_is_closed(void)
{
    struct pollfd polled = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&polled, 1, 0) == 1 && polled.revents & POLLERR;
}

bool htp_cli_flush_stdout(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return true;
    }
    if (!htp_cli_stdout_is_closed()) {
        htp_cli_print_message("cannot write to standard output: %s", strerror(errno));
    }
    return false;
}
