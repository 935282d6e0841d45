/*
 * What reading the JSON of a program needs: texts that are kept once, and the first thing that is
 * wrong. Reading goes on behind it with nothing, so that who reads looks once, at the end. Private
 * to core/exported.
 */
#ifndef HTP_EXPORTED_DOCUMENT_READING_H
#define HTP_EXPORTED_DOCUMENT_READING_H

#include "base/intern.h"
#include "base/json/json_tree.h"
#include "base/status.h"
#include "exported/document/program.h"

/** A graph that was met, and is yet to be read. */
typedef struct htp_document_graph {
    const htp_json_node *node;
    uint32_t graph; /**< of the program */
} htp_document_graph;

/** A document that is read. */
typedef struct htp_document {
    htp_arena *arena;   /**< of the program */
    htp_arena *scratch; /**< of all that is gone when it was read */
    htp_exported_program *program;
    htp_interned texts;
    htp_map expressions; /**< by text */
    htp_map names;       /**< values of the graph that is read, by name */
    HTP_VECTOR(htp_document_graph) graphs;
    const char *where;   /**< what is read: "node add_1"; NULL: the whole */
    const char *failure; /**< NULL: nothing is wrong */
} htp_document;

/** A document is damaged. The first one counts. */
void htp_document_fail(htp_document *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** What is wrong, as a status; NULL. */
HTP_MUST_USE htp_status htp_document_status(const htp_document *d);

/** A member that must be there; else one that is null. */
const htp_json_node *htp_document_member(htp_document *d, const htp_json_node *object,
                                         const char *name);

/** A member that may be left out, or null: NULL then. */
const htp_json_node *htp_document_optional(const htp_json_node *object, const char *name);

/** A list that must be one: its items; @p count is 0 otherwise. */
const htp_json_node *htp_document_list(htp_document *d, const htp_json_node *node, uint32_t *count);

/** An object that must be one: its members, name by name; @p count is 0 otherwise. */
const htp_json_node *htp_document_object(htp_document *d, const htp_json_node *node,
                                         uint32_t *count);

/** Which of its members a union has: its name, with the value behind it; NULL where it is none. */
const htp_json_node *htp_document_union(htp_document *d, const htp_json_node *node);

/** A text; "" where it is none. It has no NUL in it. */
const char *htp_document_text(htp_document *d, const htp_json_node *node);

/** Numbers; 0 where they are none. */
int64_t htp_document_integer(htp_document *d, const htp_json_node *node);
double htp_document_real(htp_document *d, const htp_json_node *node);
bool htp_document_truth(htp_document *d, const htp_json_node *node);

/** A list of texts. */
const char *const *htp_document_texts(htp_document *d, const htp_json_node *node, uint32_t *count);

#endif
