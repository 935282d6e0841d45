#include "report/tree/tree.h"

#include <inttypes.h>
#include <string.h>

/* A longer segment exceeds the column. */
enum { DEEPEST_INDENTATION = 40, INDENTATION = 2, WIDEST_MODULE = 120 };

/* One line; numbers as text. */
typedef struct tree_row {
    const char *segment;
    uint32_t indentation; /* in columns */
    const char *nodes;
    const char *own;
    const char *parameters;
    const char *note;
} tree_row;

typedef struct tree_widths {
    size_t module;
    size_t nodes;
    size_t own;
    size_t parameters;
} tree_widths;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static const char *note_calls(htp_arena *arena, uint32_t calls)
{
    if (calls == 1) {
        return "";
    }
    return calls == 0 ? "  not called"
                      : htp_arena_printf(arena, "  called %" PRIu32 " times", calls);
}

static tree_row make_row(htp_arena *arena, const htp_hierarchy *hierarchy,
                         const htp_annotations *annotations, const htp_graph *graph,
                         uint32_t module, uint32_t depth)
{
    uint32_t shown = depth < DEEPEST_INDENTATION ? depth : DEEPEST_INDENTATION;
    return (tree_row){
        .segment = strrchr(hierarchy->modules[module].tag, '/'),
        .indentation = shown * INDENTATION,
        .nodes = htp_text_grouped(arena, annotations->nodes_total[module]),
        .own = htp_text_grouped(arena, annotations->nodes_tagged[module]),
        .parameters = htp_text_grouped(arena, annotations->parameters->modules[module].total),
        .note = note_calls(arena, htp_graph_module_calls(graph, module)),
    };
}

/* @return by module: the number of eligible ancestors */
static const uint32_t *measure_depths(htp_arena *arena, const htp_hierarchy *hierarchy,
                                      const htp_graph *graph)
{
    uint32_t *depths = HTP_NEW_ARRAY(arena, uint32_t, hierarchy->module_count);
    for (uint32_t i = 1; i < hierarchy->module_count; i++) {
        uint32_t parent = graph->modules[i].instance->parent;
        depths[i] = depths[parent] + (hierarchy->modules[parent].is_eligible ? 1 : 0);
    }
    return depths;
}

static void add_row(htp_text *text, const tree_row *row, const tree_widths *widths)
{
    size_t used = row->indentation + htp_text_width(row->segment);
    size_t padding = used < widths->module ? widths->module - used : 0;
    htp_text_addf(text, "%*s%s%*s", (int)row->indentation, "", row->segment, (int)padding, "");
    htp_text_addf(text, "  %*s  %*s  %*s%s\n", (int)widths->nodes, row->nodes, (int)widths->own,
                  row->own, (int)widths->parameters, row->parameters, row->note);
}

static void widen(tree_widths *widths, const tree_row *row)
{
    size_t module = row->indentation + htp_text_width(row->segment);
    widths->module = larger(widths->module, module < WIDEST_MODULE ? module : WIDEST_MODULE);
    widths->nodes = larger(widths->nodes, strlen(row->nodes));
    widths->own = larger(widths->own, strlen(row->own));
    widths->parameters = larger(widths->parameters, strlen(row->parameters));
}

const char *htp_report_tree(htp_arena *arena, const htp_hierarchy *hierarchy,
                            const htp_annotations *annotations, const htp_graph *graph)
{
    const uint32_t *depths = measure_depths(arena, hierarchy, graph);
    tree_row *rows = HTP_NEW_ARRAY(arena, tree_row, (size_t)hierarchy->module_count + 1);
    tree_widths widths = {0};
    size_t count = 0;
    rows[count++] = (tree_row){"module", 0, "nodes", "own", "parameters", ""};
    for (uint32_t i = 0; i < hierarchy->module_count; i++) {
        if (hierarchy->modules[i].is_eligible) {
            rows[count++] = make_row(arena, hierarchy, annotations, graph, i, depths[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        widen(&widths, &rows[i]);
    }
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < count; i++) {
        add_row(&text, &rows[i], &widths);
    }
    return htp_text_string(&text);
}
