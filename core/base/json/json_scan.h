/*
 * Scans JSON in memory without building a tree, for documents whose tree would be too large.
 * Everything scanned is checked to be JSON (RFC 8259); cJSON parses single values. An escaped NUL
 * in a string would end it in C, and is refused.
 */
#ifndef HTP_BASE_JSON_SCAN_H
#define HTP_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/** The deepest nesting of values that is scanned. */
#define HTP_JSON_DEEPEST 64

/** Bytes of the longest number: cJSON reads no longer ones. */
#define HTP_JSON_LONGEST_NUMBER 63

/** A part of a document. */
typedef struct htp_json_part {
    const char *at;
    size_t length;
} htp_json_part;

typedef struct htp_json_scan {
    const char *at;
    const char *end;
    const char *failure; /* the error at `at`; NULL: none so far */
    bool is_begun;       /* the container has had a member or an item */
} htp_json_scan;

/** Begins to scan a document, or a part of one. */
htp_json_scan htp_json_scan_of(htp_json_part part);

/** Scans a whole value. @return false if there is none */
bool htp_json_scan_value(htp_json_scan *scan, htp_json_part *value);

/** Enters an object, '{', or a list, '['. */
bool htp_json_scan_enter(htp_json_scan *scan, char bracket);

/**
 * The next member of the object, or item of the list (@p key is NULL), that was entered.
 * @param key  receives the name with its quotes.
 * @return false after the last one (the bracket is consumed), and after a failure.
 */
bool htp_json_scan_next(htp_json_scan *scan, htp_json_part *key, htp_json_part *value);

/** The name of the next member alone. Its value must be scanned or entered next.
 * @return as htp_json_scan_next() */
bool htp_json_scan_name(htp_json_scan *scan, htp_json_part *key);

/** Goes to the next item of the list that was entered. It must be scanned or entered next.
 * @return as htp_json_scan_next() */
bool htp_json_scan_item(htp_json_scan *scan);

/** The first byte of the next value: '{', '[', '"', '-', a digit or a letter; NUL at the end. */
char htp_json_scan_peek(htp_json_scan *scan);

/** Whether a name is this text, which needs no escapes. */
bool htp_json_part_is(htp_json_part key, const char *text);

/** Whether nothing follows, and nothing failed. */
bool htp_json_scan_end(htp_json_scan *scan);

#endif
