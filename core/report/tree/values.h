/*
 * Pieces that reports on ONNX models share.
 */
#ifndef HTP_REPORT_VALUES_H
#define HTP_REPORT_VALUES_H

#include "base/json/json.h"
#include "onnx/reader/value_type.h"
#include "query/tree/made_of.h"

/** Adds "dtype" and "dims" to an object; null: unknown. A dim is a number, a name, or null. */
void htp_report_type_json(htp_json *json, const htp_value_type *type);

/** Adds "parameters" of an initializer: the names of its source weights; null if it is stored as in
 * the model, or has none. */
void htp_report_made_of(htp_json *json, const htp_made_of *made_of);

/** A name or an address of the file: printable, and whole. Lines may be as long as their names; the
 * program fits them to a terminal. */
const char *htp_report_name(htp_arena *arena, const char *text, size_t length);

/** A document of the file, such as the value of a metadata entry, within @p columns columns:
 * printable, and cut in the middle if it is too long. */
const char *htp_report_fit(htp_arena *arena, const char *text, size_t length, size_t columns);

/** Adds a line of a head: a label, and a text of the file. */
void htp_report_add_line(htp_text *text, const char *label, const char *content);

/** Adds two indented texts, in one line if both fit into 80 columns, else in two. */
void htp_report_add_pair(htp_text *text, const char *left, const char *right);

/** A number of bytes for people: "437.9 MB". */
const char *htp_report_bytes(htp_arena *arena, uint64_t bytes);

#endif
