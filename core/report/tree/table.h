/*
 * Tables of names and numbers.
 */
#ifndef HTP_REPORT_TABLE_H
#define HTP_REPORT_TABLE_H

#include "query/tree/tree.h"

#include "base/text.h"

/** The most numbers of a row. */
#define HTP_REPORT_CELLS 6

/** A row: a name, then numbers as text; "" or NULL: none. */
typedef struct htp_report_row {
    htp_slice name;
    size_t indentation;
    const char *cells[HTP_REPORT_CELLS];
} htp_report_row;

/** The modules of a tree in depth-first order, [module_count]. Records may list a child after later
 * siblings of its parent. */
const uint32_t *htp_report_order(htp_arena *arena, const htp_tree *tree);

/** The columns that a module is indented by. */
size_t htp_report_indentation(const htp_tree_module *module);

/** The columns that tables made by this thread may take; 0, the default: any number. */
void htp_report_set_columns(size_t columns);

/** Adds a table. The first row is its head. Names are whole, unless the table would be wider than
 * it may be. Then they are cut in the middle, except those that would read like another one. */
void htp_report_table(htp_text *text, const htp_report_row *rows, size_t count);

#endif
