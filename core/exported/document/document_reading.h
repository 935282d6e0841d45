/*
 * Helpers to read the JSON of a program: unique texts, and the first error. After an error, reading
 * continues with empty values, so callers check once, at the end. Private to core/exported.
 */
#ifndef HTP_EXPORTED_DOCUMENT_READING_H
#define HTP_EXPORTED_DOCUMENT_READING_H

#include "base/intern.h"
#include "base/json/json_tree.h"
#include "base/status.h"
#include "exported/document/program.h"

/** A graph that is still to be read. */
typedef struct htp_document_graph {
    const htp_json_node *node;
    uint32_t graph; /**< of the program */
} htp_document_graph;

/** A document being read. */
typedef struct htp_document {
    htp_arena *arena;   /**< of the program */
    htp_arena *scratch; /**< of temporary data */
    htp_exported_program *program;
    htp_interned texts;
    htp_map expressions; /**< by text */
    htp_map names;       /**< values of the current graph, by name */
    HTP_VECTOR(htp_document_graph) graphs;
    const char *where;   /**< the current part, for messages: "node add_1"; NULL: the whole */
    const char *failure; /**< the first error; NULL: none */
} htp_document;

/** Notes an error. The first one counts. */
void htp_document_fail(htp_document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The error as a status; or NULL. */
HTP_MUST_USE htp_status htp_document_status(const htp_document *d);

/** A required member; null if it is missing. */
const htp_json_node *htp_document_member(htp_document *d, const htp_json_node *object,
                                         const char *name);

/** A member that may be missing or null: NULL then. */
const htp_json_node *htp_document_optional(const htp_json_node *object, const char *name);

/** The items of a required list; @p count is 0 if it is not one. */
const htp_json_node *htp_document_list(htp_document *d, const htp_json_node *node, uint32_t *count);

/** The members of a required object, each a name and a value; @p count is 0 if it is not one. */
const htp_json_node *htp_document_object(htp_document *d, const htp_json_node *node,
                                         uint32_t *count);

/** The member of a union: its name, followed by the value; NULL if it is not a union. */
const htp_json_node *htp_document_union(htp_document *d, const htp_json_node *node);

/** The row of a table for a union's member, by the name at the beginning of rows; NULL: none.
 * @param which  from htp_document_union() @param size  of a row */
const void *htp_document_row(const htp_json_node *which, const void *rows, size_t size,
                             size_t count);
#define HTP_DOCUMENT_ROW(which, rows)                                                              \
    htp_document_row(which, rows, sizeof((rows)[0]), sizeof(rows) / sizeof((rows)[0]))

/** A text without NUL; "" if it is not one. */
const char *htp_document_text(htp_document *d, const htp_json_node *node);

/** Numbers; 0 if they are not. */
int64_t htp_document_integer(htp_document *d, const htp_json_node *node);
double htp_document_real(htp_document *d, const htp_json_node *node);
bool htp_document_truth(htp_document *d, const htp_json_node *node);

/** A list of texts. */
const char *const *htp_document_texts(htp_document *d, const htp_json_node *node, uint32_t *count);

#endif
