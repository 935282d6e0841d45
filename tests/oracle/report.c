/* Lines of the log. */
#include "oracle.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything reported or seen in this process. */
static htp_arena seen_arena;
static htp_map seen;
static bool is_begun;

bool oracle_is_new(const char *text)
{
    if (!is_begun) {
        htp_arena_init(&seen_arena);
        is_begun = true;
    }
    if (htp_arena_recover(&seen_arena)) {
        abort();
    }
    uint32_t value = 0;
    const void **place = htp_map_add_bytes(&seen_arena, &seen, text, strlen(text), &value);
    if (place) {
        *place = htp_arena_strdup(&seen_arena, text);
    }
    return place != NULL;
}

static int log_file = STDERR_FILENO;

void oracle_open_log(void)
{
    const char *path = getenv("HTP_ORACLE_LOG");
    log_file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : STDERR_FILENO;
}

/* Writes a line at once, so that other processes' lines do not split it. */
static void write_line(const char *line)
{
    if (log_file < 0 || write(log_file, line, strlen(line)) < 0) {
        abort();
    }
}

void oracle_report(const char *what, const char *name, const char *key, const char *detail)
{
    char line[8192];
    (void)snprintf(line, sizeof(line), "%s\t%s\t%s", what, name, key);
    if (!oracle_is_new(line)) {
        return;
    }
    size_t length = strlen(line);
    (void)snprintf(line + length, sizeof(line) - length, "%s%.*s", *detail ? "\t" : "",
                   (int)strcspn(detail, "\n"), detail);
    length = strlen(line);
    length -= length + 1 == sizeof(line) ? 1 : 0;
    (void)snprintf(line + length, sizeof(line) - length, "\n");
    write_line(line);
}

void oracle_report_call(const char *operator_name)
{
    char line[1024];
    (void)snprintf(line, sizeof(line), "call\t%s\n", operator_name);
    write_line(line);
}
