/*
 * Writing JSON piece by piece, without building a tree of it.
 *
 *     htp_json json = {.text.arena = arena};
 *     htp_json_begin(&json, NULL, '{');
 *     htp_json_string(&json, "name", name);
 *     htp_json_begin(&json, "dims", '[');
 *     htp_json_number(&json, NULL, 3);
 *     htp_json_end(&json, ']');
 *     htp_json_end(&json, '}');
 *
 * A key is NULL in a list. Bytes that are not UTF-8 become U+FFFD.
 *
 * With an output function, the text is flushed now and then, so a document may be larger than
 * memory. htp_json_flush() flushes the rest.
 */
#ifndef HTP_BASE_JSON_H
#define HTP_BASE_JSON_H

#include "base/text.h"

typedef struct htp_json {
    htp_text text;
    bool needs_comma;
    bool needs_line;
    void (*write)(void *user, const char *bytes, size_t length); /* or NULL */
    void *user;
} htp_json;

/** Flushes the text. */
void htp_json_flush(htp_json *json);

/** A newline before the next key, value or bracket. */
void htp_json_line(htp_json *json);

/** Begins an object, '{', or a list, '['. */
void htp_json_begin(htp_json *json, const char *key, char bracket);

/** Ends the innermost object, '}', or list, ']'. */
void htp_json_end(htp_json *json, char bracket);

/** A string; null for NULL. */
void htp_json_string(htp_json *json, const char *key, const char *value);

/** The first @p length bytes of a string. */
void htp_json_string_part(htp_json *json, const char *key, const char *value, size_t length);

/** A number; a count. */
void htp_json_number(htp_json *json, const char *key, int64_t value);
void htp_json_count(htp_json *json, const char *key, uint64_t value);

/** A finite number; it reads back the same. */
void htp_json_double(htp_json *json, const char *key, double value);

/** A value that is JSON already. */
void htp_json_raw(htp_json *json, const char *key, const char *value);

void htp_json_bool(htp_json *json, const char *key, bool value);
void htp_json_null(htp_json *json, const char *key);

#endif
