/*
 * Whether a result has the sizes that its operator is told. A file may declare others, and
 * lowerings rely on what it declares. Private to core/exported.
 */
#ifndef HTP_EXPORTED_RESULT_SIZES_H
#define HTP_EXPORTED_RESULT_SIZES_H

#include "exported/call/schemas.h"
#include "exported/call/tape.h"

/** Fails, with the result's name, if it declares other sizes than the argument that lists them, at
 * the sizes of any lane. Sizes that depend on data are believed.
 * @param node  of the trace, made of @p from */
void htp_exported_check_sizes(htp_tape *r, const htp_exported_schema *schema,
                              const htp_exported_node *from, uint32_t node);

/** Fails if the number that aten::size.int gives is declared to be another than the size of its
 * tensor. */
void htp_exported_check_size(htp_tape *r, const htp_exported_node *node);

#endif
