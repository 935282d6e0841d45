#include "report/tree/table.h"

#include "report/tree/values.h"

#include <string.h>

enum { INDENTATION = 2, DEEPEST_INDENTATION = 16, NARROWEST_NAME = 12 };

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

/* Column widths; the name column gets the rest. */
struct widths {
    size_t name;
    size_t cells[HTP_REPORT_CELLS];
};

static struct widths measure(const htp_report_row *rows, size_t count)
{
    struct widths widths = {0};
    size_t room = HTP_REPORT_COLUMNS;
    for (size_t i = 0; i < count; i++) {
        size_t width = rows[i].indentation + rows[i].name.length;
        widths.name = width > widths.name ? width : widths.name;
        for (size_t k = 0; k < HTP_REPORT_CELLS; k++) {
            size_t cell = strlen(cell_text(&rows[i], k));
            widths.cells[k] = cell > widths.cells[k] ? cell : widths.cells[k];
        }
    }
    for (size_t k = 0; k < HTP_REPORT_CELLS; k++) {
        size_t column = widths.cells[k] > 0 ? widths.cells[k] + 2 : 0;
        room -= column < room ? column : 0;
    }
    widths.name = widths.name < room ? widths.name : room;
    return widths;
}

/* Deep rows are indented less if that saves their names from truncation. */
static size_t indentation_of(const htp_report_row *row, size_t name_width)
{
    size_t name = row->name.length < NARROWEST_NAME ? row->name.length : NARROWEST_NAME;
    size_t most = name_width > name ? name_width - name : 0;
    return row->indentation < most ? row->indentation : most;
}

static void add_row(htp_text *text, const htp_report_row *row, const struct widths *widths)
{
    htp_text line = {.arena = text->arena};
    size_t indentation = indentation_of(row, widths->name);
    const char *name =
        htp_report_fit(text->arena, row->name.at, row->name.length, widths->name - indentation);
    size_t used = indentation + htp_text_width(name);
    htp_text_addf(&line, "%*s%s%*s", (int)indentation, "", name,
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
    const struct widths widths = measure(rows, count);
    for (size_t i = 0; i < count; i++) {
        add_row(text, &rows[i], &widths);
    }
}
