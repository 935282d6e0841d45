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

/** Adds a table of at most HTP_REPORT_COLUMNS columns. The first row is its head. Names for which
 * the numbers leave no room are indented less, then cut. */
void htp_report_table(htp_text *text, const htp_report_row *rows, size_t count);

#endif
