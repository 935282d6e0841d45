#include "interpret/operators/message.h"

#include <stdio.h>
#include <string.h>

/* The text around the relevant part, which may be empty. */
typedef struct line {
    const char *before;
    const char *text;
    size_t length;
    const char *after;
} line;

/* Cuts the line of libtorch's sources with which assertions begin. */
static line without_assertion(const char *text)
{
    static const char *const report = "please report a bug to PyTorch.";
    const char *assertion = strstr(text, " INTERNAL ASSERT FAILED at ");
    if (!assertion) {
        return (line){"", text, strlen(text), ""};
    }
    const char *message = strstr(text, report);
    if (message) {
        message += strlen(report);
        message += strspn(message, " ");
    }
    return message && *message
               ? (line){"", message, strlen(message), ""}
               : (line){"libtorch does not expect this (", text, (size_t)(assertion - text), ")"};
}

/*
 * Turns `File "NAME", line NUMBER` at the begin of a text into ", in NAME, line NUMBER".
 * @return false if there is none
 */
static bool find_place(const char *text, char *place, size_t bytes)
{
    static const char *const file = "File \"";
    static const char *const number = "\", line ";
    text += strspn(text, " \t\n");
    if (strncmp(text, file, strlen(file)) != 0) {
        return false;
    }
    const char *name = text + strlen(file);
    size_t length = strcspn(name, "\"\n");
    if (strncmp(name + length, number, strlen(number)) != 0) {
        return false;
    }
    const char *digits = name + length + strlen(number);
    size_t count = strspn(digits, "0123456789");
    (void)snprintf(place, bytes, ", in %.*s, line %.*s", (int)length, name, (int)count, digits);
    return count > 0;
}

void htp_message_shorten(htp_error *error)
{
    htp_error place = {{0}};
    htp_error made = {{0}};
    char *text = error->message + strspn(error->message, " \n\t");
    char *end = text + strcspn(text, "\n");
    const char *rest = *end ? end + 1 : end;
    *end = '\0';
    line meant = *text ? without_assertion(text) : (line){"", "no reason given", 15, ""};
    /* A message about code ends with a colon, and the place follows on the next line. */
    if (!*meant.after && meant.length > 0 && meant.text[meant.length - 1] == ':') {
        meant.length--;
        meant.after = find_place(rest, place.message, sizeof(place.message)) ? place.message : "";
    }
    if (snprintf(made.message, sizeof(made.message), "%s%.*s%s", meant.before, (int)meant.length,
                 meant.text, meant.after) < 0) {
        made.message[0] = '\0';
    }
    *error = made;
}
