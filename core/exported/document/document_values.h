/*
 * Values and arguments out of the JSON of a program. Private to core/exported.
 */
#ifndef HTP_EXPORTED_DOCUMENT_VALUES_H
#define HTP_EXPORTED_DOCUMENT_VALUES_H

#include "exported/document/document_reading.h"

/** A union of a number and a formula. */
htp_exported_size htp_document_size(htp_document *d, const htp_json_node *node);

/** Several of them. */
const htp_exported_size *htp_document_sizes(htp_document *d, const htp_json_node *node,
                                            uint32_t *count);

/** A dtype by the file's number; HTP_DTYPE_OTHER where this program does not know it. */
htp_dtype htp_document_dtype(htp_document *d, const htp_json_node *node);

/** The type of a tensor; the caller sets its name. */
htp_exported_value htp_document_tensor(htp_document *d, const htp_json_node *meta);

/** Takes the values of a graph into the program, and their names into @c names, which is emptied
 * before. */
void htp_document_values(htp_document *d, const htp_json_node *graph);

/** An argument, in whatever union it stands. Graphs in it are put on the list of those that are to
 * be read. */
htp_exported_argument htp_document_argument(htp_document *d, const htp_json_node *node);

/** A list of arguments. */
const htp_exported_argument *htp_document_arguments(htp_document *d, const htp_json_node *node,
                                                    uint32_t *count);

/** The value of a tensor's argument, {"name": ...}. */
htp_exported_argument htp_document_named(htp_document *d, const htp_json_node *node);

#endif
