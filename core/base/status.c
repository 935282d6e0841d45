#include "base/status.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 8192, /* of a message */
    LAST_BYTES = 1024, /* of its end, in a message that was longer */
};

struct htp_status_detail {
    htp_code code;
    char *message;
    char **details;
    size_t detail_count;
    size_t detail_capacity;
};

static char out_of_memory_message[] = "out of memory";
static struct htp_status_detail out_of_memory = {.code = HTP_CODE_INTERNAL,
                                                 .message = out_of_memory_message};

static bool is_inside_of_character(char byte)
{
    return ((unsigned char)byte & 0xc0U) == 0x80;
}

/* Names in a model may be megabytes long. The beginning of a message tells where, and its end what
 * to do. */
static void shorten(char *line, size_t length)
{
    static const char gap[] = " ... ";
    if (length <= MOST_BYTES + sizeof(gap)) { /* it would not be shorter */
        return;
    }
    char *end = line + MOST_BYTES - LAST_BYTES;
    const char *rest = line + length - LAST_BYTES;
    while (is_inside_of_character(*end)) {
        end--;
    }
    while (is_inside_of_character(*rest)) {
        rest++;
    }
    memcpy(end, gap, sizeof(gap) - 1);
    memmove(end + sizeof(gap) - 1, rest, strlen(rest) + 1);
}

static char *format_line(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *line = length < 0 ? NULL : malloc((size_t)length + 1);
    if (line) {
        (void)vsnprintf(line, (size_t)length + 1, format, arguments);
        htp_text_disarm(line, ' '); /* names in a model may hold anything */
        shorten(line, (size_t)length);
    }
    return line;
}

htp_status htp_status_make(htp_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = format_line(format, arguments);
    va_end(arguments);
    htp_status status = calloc(1, sizeof(*status));
    if (!message || !status) {
        free(message);
        free(status);
        return &out_of_memory;
    }
    status->code = code;
    status->message = message;
    return status;
}

void htp_status_add_detail(htp_status status, const char *format, ...)
{
    if (!status || status == &out_of_memory) {
        return;
    }
    if (status->detail_count == status->detail_capacity) {
        size_t capacity = status->detail_capacity ? status->detail_capacity * 2 : 8;
        char **details = realloc(status->details, capacity * sizeof(*details));
        if (!details) {
            return;
        }
        status->details = details;
        status->detail_capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    char *line = format_line(format, arguments);
    va_end(arguments);
    if (line) {
        status->details[status->detail_count++] = line;
    }
}

htp_status htp_status_prefix(htp_status status, const char *prefix)
{
    if (!status || status == &out_of_memory) {
        return status;
    }
    htp_status whole = htp_status_make(status->code, "%s: %s", prefix, status->message);
    if (whole != &out_of_memory) {
        char *message = whole->message;
        whole->message = status->message;
        status->message = message;
        htp_status_free(whole);
    }
    return status;
}

htp_code htp_status_code(htp_status status)
{
    return status ? status->code : HTP_CODE_OK;
}

const char *htp_status_message(htp_status status)
{
    return status ? status->message : "";
}

size_t htp_status_detail_count(htp_status status)
{
    return status ? status->detail_count : 0;
}

const char *htp_status_detail_line(htp_status status, size_t index)
{
    return index < htp_status_detail_count(status) ? status->details[index] : NULL;
}

void htp_status_free(htp_status status)
{
    if (!status || status == &out_of_memory) {
        return;
    }
    for (size_t i = 0; i < status->detail_count; i++) {
        free(status->details[i]);
    }
    free(status->details);
    free(status->message);
    free(status);
}

static void release(htp_arena_guard *guard)
{
    htp_status_free(((htp_held_status *)guard)->status);
}

void htp_status_hold(htp_held_status *held, htp_arena *arena, htp_status status)
{
    *held = (htp_held_status){.guard = {.release = release}, .status = status};
    htp_arena_guard_begin(arena, &held->guard);
}

htp_status htp_status_let_go(htp_held_status *held, htp_arena *arena)
{
    htp_arena_guard_end(arena);
    return held->status;
}

const char *htp_status_keep_message(htp_arena *arena, htp_status status)
{
    htp_held_status held;
    htp_status_hold(&held, arena, status);
    const char *message = htp_arena_strdup(arena, htp_status_message(status));
    htp_status_free(htp_status_let_go(&held, arena));
    return message;
}
