/*
 * Tables of names and numbers.
 */
#ifndef HTP_REPORT_TABLE_H
#define HTP_REPORT_TABLE_H

#include "query/tree/tree.h"

#include "base/text.h"

/** Numbers that a row may have. */
#define HTP_REPORT_CELLS 6

/** A row: a name, then numbers as text; "" or NULL for one that is not there. */
typedef struct htp_report_row {
    htp_slice name;
    size_t indentation;
    const char *cells[HTP_REPORT_CELLS];
} htp_report_row;

/** The modules of a tree in depth-first order; in a file, a child may come after its parent's later
 * siblings. [module_count] */
const uint32_t *htp_report_order(htp_arena *arena, const htp_tree *tree);

/** The columns that a module in others is indented by. */
size_t htp_report_indentation(const htp_tree_module *module);

/** Adds a table of HTP_REPORT_COLUMNS columns at most. The first row is its head. Names are cut
 * where the numbers leave them no room, and are moved to the left before that. */
void htp_report_table(htp_text *text, const htp_report_row *rows, size_t count);

#endif
