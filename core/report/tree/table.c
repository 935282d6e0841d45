#include "report/tree/table.h"

#include "base/map.h"
#include "report/tree/values.h"

#include <string.h>

enum {
    INDENTATION = 2,
    DEEPEST_INDENTATION = 16,
    NARROWEST_NAME = 16,
    WIDEST_NAME = 120, /* a longer one exceeds its column: it does not widen all rows */
};

static _Thread_local size_t text_columns; /* 0: any number */

void htp_report_set_columns(size_t columns)
{
    text_columns = columns;
}

const uint32_t *htp_report_order(htp_arena *arena, const htp_tree *tree)
{
    uint32_t count = tree->module_count;
    uint32_t *sizes = HTP_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *next = HTP_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *order = HTP_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = count; i-- > 0;) {
        sizes[i]++;
        if (tree->modules[i].parent != HTP_NONE) {
            sizes[tree->modules[i].parent] += sizes[i];
        }
    }
    uint32_t next_root = 0; /* damaged records may have several roots */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = tree->modules[i].parent;
        uint32_t *place = parent == HTP_NONE ? &next_root : &next[parent];
        order[*place] = i;
        next[i] = *place + 1;
        *place += sizes[i];
    }
    return order;
}

size_t htp_report_indentation(const htp_tree_module *module)
{
    uint32_t depth = module->depth < DEEPEST_INDENTATION ? module->depth : DEEPEST_INDENTATION;
    return (size_t)depth * INDENTATION;
}

static const char *cell_text(const htp_report_row *row, size_t index)
{
    return row->cells[index] ? row->cells[index] : "";
}

/* Column widths. */
struct widths {
    size_t name;
    size_t cells[HTP_REPORT_CELLS];
};

static struct widths measure(const htp_report_row *rows, const char *const *names, size_t count)
{
    struct widths widths = {0};
    for (size_t i = 0; i < count; i++) {
        size_t width = rows[i].indentation + htp_text_width(names[i]);
        width = width < WIDEST_NAME ? width : WIDEST_NAME;
        widths.name = width > widths.name ? width : widths.name;
        for (size_t k = 0; k < HTP_REPORT_CELLS; k++) {
            size_t cell = strlen(cell_text(&rows[i], k));
            widths.cells[k] = cell > widths.cells[k] ? cell : widths.cells[k];
        }
    }
    return widths;
}

/* Cuts names so that the table has text_columns columns. */
static void narrow(htp_arena *arena, const htp_report_row *rows, size_t count,
                   struct widths *widths, const char **names)
{
    htp_map readers = {0}; /* by cut name: its row, or HTP_NONE if other names read like it */
    const char **cut = HTP_NEW_ARRAY(arena, const char *, count);
    size_t rest = 0;
    for (size_t k = 0; k < HTP_REPORT_CELLS; k++) {
        rest += widths->cells[k] > 0 ? widths->cells[k] + 2 : 0;
    }
    if (text_columns == 0 || widths->name + rest <= text_columns) {
        return;
    }
    size_t column = text_columns > rest + NARROWEST_NAME ? text_columns - rest : NARROWEST_NAME;
    widths->name = 0;
    for (size_t i = 0; i < count; i++) {
        size_t used = rows[i].indentation;
        size_t room = column > used + NARROWEST_NAME ? column - used : NARROWEST_NAME;
        uint32_t other = HTP_NONE;
        cut[i] = htp_report_fit(arena, names[i], strlen(names[i]), room);
        bool is_taken = htp_map_get(&readers, cut[i], &other);
        bool is_same = other != HTP_NONE && strcmp(names[other], names[i]) == 0;
        htp_map_set(arena, &readers, cut[i], is_taken && !is_same ? HTP_NONE : (uint32_t)i);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t row = HTP_NONE;
        (void)htp_map_get(&readers, cut[i], &row);
        if (row != HTP_NONE) {
            size_t width = rows[i].indentation + htp_text_width(cut[i]);
            names[i] = cut[i];
            widths->name = width > widths->name ? width : widths->name;
        }
    }
}

static void add_row(htp_text *text, const htp_report_row *row, const char *name,
                    const struct widths *widths)
{
    htp_text line = {.arena = text->arena};
    size_t used = row->indentation + htp_text_width(name);
    htp_text_addf(&line, "%*s%s%*s", (int)row->indentation, "", name,
                  used < widths->name ? (int)(widths->name - used) : 0, "");
    for (size_t k = 0; k < HTP_REPORT_CELLS; k++) {
        if (widths->cells[k] > 0) {
            htp_text_addf(&line, "  %*s", (int)widths->cells[k], cell_text(row, k));
        }
    }
    while (line.length > 0 && line.bytes[line.length - 1] == ' ') {
        line.length--;
    }
    htp_text_add_bytes(text, line.bytes, line.length);
    htp_text_add(text, "\n");
}

void htp_report_table(htp_text *text, const htp_report_row *rows, size_t count)
{
    const char **names = HTP_NEW_ARRAY(text->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        names[i] = htp_report_name(text->arena, rows[i].name.at, rows[i].name.length);
    }
    struct widths widths = measure(rows, (const char *const *)names, count);
    narrow(text->arena, rows, count, &widths, names);
    for (size_t i = 0; i < count; i++) {
        add_row(text, &rows[i], names[i], &widths);
    }
}
