/*
 * Values and arguments in the JSON of a program. Private to core/exported.
 */
#ifndef HTP_EXPORTED_DOCUMENT_VALUES_H
#define HTP_EXPORTED_DOCUMENT_VALUES_H

#include "exported/document/document_reading.h"

/** A size: a union of a number and a formula. */
htp_exported_size htp_document_size(htp_document *d, const htp_json_node *node);

/** A list of sizes. */
const htp_exported_size *htp_document_sizes(htp_document *d, const htp_json_node *node,
                                            uint32_t *count);

/** A dtype by the file's number; HTP_DTYPE_OTHER if this program does not know it. */
htp_dtype htp_document_dtype(htp_document *d, const htp_json_node *node);

/** The type of a tensor; the caller sets its name. */
htp_exported_value htp_document_tensor(htp_document *d, const htp_json_node *meta);

/** Adds the values of a graph to the program; @c names then holds their names alone. */
void htp_document_values(htp_document *d, const htp_json_node *graph);

/** An argument, of any union. Graphs in it are queued. */
htp_exported_argument htp_document_argument(htp_document *d, const htp_json_node *node);

/** A list of arguments. */
const htp_exported_argument *htp_document_arguments(htp_document *d, const htp_json_node *node,
                                                    uint32_t *count);

/** The value of a tensor's argument, {"name": ...}. */
htp_exported_argument htp_document_named(htp_document *d, const htp_json_node *node);

#endif
