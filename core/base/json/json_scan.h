/*
 * Walking over JSON that lies in memory, without building a tree of it: for documents that are
 * larger than their tree should be. All that is walked over is checked to be JSON (RFC 8259); what
 * a value holds is for cJSON to tell, value by value. A NUL in a string, which is no end for JSON
 * and one for C, counts as no JSON.
 */
#ifndef HTP_BASE_JSON_SCAN_H
#define HTP_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/** Values in each other that are walked over. */
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
    const char *failure; /* what is wrong with what lies at `at`; NULL: nothing as yet */
    bool is_begun;       /* a member or an item was walked over */
} htp_json_scan;

/** Begins to walk over a document, or a part of one. */
htp_json_scan htp_json_scan_of(htp_json_part part);

/** Walks over a whole value. @return false where there is none */
bool htp_json_scan_value(htp_json_scan *scan, htp_json_part *value);

/** Enters an object, '{', or a list, '['. */
bool htp_json_scan_enter(htp_json_scan *scan, char bracket);

/** The next member of the object, or item of the list (@p key is NULL), that was entered.
 * @param key  receives the name with its quotes.
 * @return false behind the last one, whose bracket is walked over, and after a failure. */
bool htp_json_scan_next(htp_json_scan *scan, htp_json_part *key, htp_json_part *value);

/** The name of the next member alone: its value must be walked over or entered next.
 * @return as htp_json_scan_next() */
bool htp_json_scan_name(htp_json_scan *scan, htp_json_part *key);

/** The next item of a list that was entered is there: it must be walked over or entered next.
 * @return as htp_json_scan_next() */
bool htp_json_scan_item(htp_json_scan *scan);

/** What the value that comes next begins with: '{', '[', '"', '-', a digit or a letter; NUL at the
 * end. */
char htp_json_scan_peek(htp_json_scan *scan);

/** Whether a name is this text, which needs no escapes. */
bool htp_json_part_is(htp_json_part key, const char *text);

/** Whether nothing follows, and nothing was wrong. */
bool htp_json_scan_end(htp_json_scan *scan);

#endif
