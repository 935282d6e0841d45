#include "report/verify/verify.h"

#include "base/json/json.h"
#include "query/dataflow/source_line.h"
#include "report/tree/table.h"
#include "report/tree/values.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Modules that are listed, at most. */
enum { MOST_LISTED = 20, LABEL_COLUMNS = 11 };

static const htp_view *view_of(const htp_verification *v)
{
    return v->request->views[HTP_COMPARED_A];
}

static const htp_tree *tree_of(const htp_verification *v)
{
    return v->request->trees[HTP_COMPARED_A];
}

/* "FILE:LINE"; NULL: not known. */
static const char *place_of(htp_arena *arena, const htp_verification *v, uint32_t node)
{
    const htp_source_line line = htp_source_line_find(view_of(v), tree_of(v), node);
    return line.file.length > 0
               ? htp_arena_printf(arena, "%.*s:%.*s", (int)line.file.length, line.file.at,
                                  (int)line.line.length, line.line.at)
               : NULL;
}

/* ---- text ---- */

static void add_line(htp_text *text, const char *label, const char *content)
{
    htp_text_addf(
        text, "%-*s%s\n", LABEL_COLUMNS, label,
        htp_report_fit(text->arena, content, strlen(content), HTP_REPORT_COLUMNS - LABEL_COLUMNS));
}

static const char *sizes_text(htp_arena *arena, const htp_verification *v)
{
    htp_text text = {.arena = arena};
    for (uint32_t r = 0; r < v->runs; r++) {
        for (size_t i = 0; i < v->axes.count; i++) {
            htp_text_addf(&text, "%s%s=%" PRId64,
                          i > 0   ? ","
                          : r > 0 ? "; "
                                  : "",
                          v->axes.items[i].name, v->axes.items[i].sizes[r]);
        }
    }
    return v->axes.count > 0 ? htp_text_string(&text) : "those of the model";
}

static const char *count_text(htp_arena *arena, const htp_verification *v)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%u tensors; without a counterpart: %u of A, %u of B", v->compared,
                  v->unmatched[HTP_COMPARED_A], v->unmatched[HTP_COMPARED_B]);
    if (v->in_bodies[HTP_COMPARED_A] > 0) {
        htp_text_addf(&text, "; %u nodes in bodies", v->in_bodies[HTP_COMPARED_A]);
    }
    return htp_text_string(&text);
}

static void add_head(htp_text *text, const htp_verification *v)
{
    htp_arena *arena = text->arena;
    add_line(text, "A", view_of(v)->path);
    add_line(text, "B", v->request->views[HTP_COMPARED_B]->path);
    add_line(text, "runtime",
             htp_arena_printf(arena, "ONNX Runtime %s, without optimisation",
                              htp_runtime_version(v->request->runtime)));
    add_line(text, "sizes", sizes_text(arena, v));
    add_line(text, "compared", count_text(arena, v));
    add_line(text, "tolerance", htp_arena_printf(arena, "%.1e", v->request->tolerance));
    if (v->first == HTP_NONE) {
        add_line(text, "first",
                 v->is_beyond ? "no module alone is beyond the tolerance"
                              : "nothing is beyond the tolerance");
    } else {
        htp_slice address = htp_tree_address(&tree_of(v)->modules[v->first]);
        htp_text_addf(text, "%-*s%.*s\n", LABEL_COLUMNS, "first", (int)address.length, address.at);
    }
}

static const char *relative_text(htp_arena *arena, const htp_difference_of *difference)
{
    return difference->is_known ? htp_arena_printf(arena, "%.1e", difference->relative) : "n/a";
}

static const char *share_text(htp_arena *arena, const htp_difference_of *difference)
{
    return difference->is_known ? htp_arena_printf(arena, "%.1f%%", 100 * difference->share)
                                : "n/a";
}

static void add_tree(htp_text *text, const htp_verification *v, int depth)
{
    const htp_tree *tree = tree_of(v);
    htp_arena *arena = text->arena;
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, tree->module_count + 1U);
    const uint32_t *order = htp_report_order(arena, tree);
    size_t count = 0;
    rows[count++] = (htp_report_row){.name = htp_slice_of("module"),
                                     .cells = {"largest", "carried", "own", "beyond"}};
    for (uint32_t place = 0; place < tree->module_count; place++) {
        const htp_tree_module *module = &tree->modules[order[place]];
        const htp_verify_module *found = &v->modules[order[place]];
        bool is_deep = depth >= 0 && module->depth > (uint32_t)depth;
        if (!module->has_tag || is_deep || !found->has_nodes) {
            continue;
        }
        rows[count++] = (htp_report_row){
            .name = htp_tree_segment(module),
            .indentation = htp_report_indentation(module),
            .cells = {found->carried.is_known
                          ? htp_arena_printf(arena, "%.1e", found->carried.largest)
                          : "n/a",
                      relative_text(arena, &found->carried), relative_text(arena, &found->own),
                      share_text(arena, &found->carried)},
        };
    }
    htp_report_table(text, rows, count);
}

static void add_operator(htp_text *text, const htp_verification *v, uint32_t module)
{
    const htp_verify_operator *worst = &v->modules[module].worst;
    if (worst->node == HTP_NONE) {
        return;
    }
    const htp_view *view = view_of(v);
    const char *place = place_of(text->arena, v, worst->node);
    htp_text_addf(text, "      %s %s%s%s\n",
                  htp_view_text(view, view->nodes.items[worst->node].op_type),
                  htp_text_printable(text->arena, htp_view_call_node(view, worst->node)),
                  place ? "  " : "", place ? place : "");
}

static void add_list(htp_text *text, const htp_verification *v)
{
    const htp_tree *tree = tree_of(v);
    uint32_t listed = 0;
    uint32_t all = 0;
    for (uint32_t m = 0; m < tree->module_count; m++) {
        all += v->modules[m].is_source;
    }
    if (all > 0) {
        htp_text_addf(text, "\nwhere error beyond the tolerance comes from: %u module%s\n", all,
                      all == 1 ? "" : "s");
    }
    for (uint32_t m = 0; m < tree->module_count && listed < MOST_LISTED; m++) {
        if (v->modules[m].is_source) {
            htp_slice address = htp_tree_address(&tree->modules[m]);
            htp_text_addf(text, "  %.*s  %.1e\n", (int)address.length, address.at,
                          v->modules[m].own.relative);
            add_operator(text, v, m);
            listed++;
        }
    }
    if (all > listed) {
        htp_text_addf(text, "  ... and %u more\n", all - listed);
    }
}

const char *htp_report_verification(htp_arena *arena, const htp_verification *verification,
                                    int depth)
{
    htp_text text = {.arena = arena};
    add_head(&text, verification);
    htp_text_add(&text, "\n");
    add_tree(&text, verification, depth);
    add_list(&text, verification);
    return htp_text_string(&text);
}

/* ---- JSON ---- */

static void add_number(htp_json *json, const char *key, double number)
{
    if (isinf(number)) {
        htp_json_string(json, key, "inf");
    } else {
        htp_json_double(json, key, number);
    }
}

static void add_difference(htp_json *json, const char *key, const htp_difference_of *difference)
{
    if (!difference->is_known) {
        htp_json_null(json, key);
        return;
    }
    htp_json_begin(json, key, '{');
    add_number(json, "largest", difference->largest);
    add_number(json, "relative", difference->relative);
    add_number(json, "beyond", difference->share);
    htp_json_end(json, '}');
}

static void add_worst(htp_json *json, const htp_verification *v, const htp_verify_operator *worst)
{
    const htp_view *view = view_of(v);
    if (worst->node == HTP_NONE) {
        htp_json_null(json, "worst_operator");
        return;
    }
    htp_json_begin(json, "worst_operator", '{');
    htp_json_string(json, "node", htp_view_text(view, view->nodes.items[worst->node].name));
    htp_json_string(json, "op_type", htp_view_text(view, view->nodes.items[worst->node].op_type));
    add_number(json, "carried", worst->carried);
    add_number(json, "growth", worst->growth);
    htp_json_string(json, "source", place_of(json->text.arena, v, worst->node));
    htp_json_end(json, '}');
}

static void add_modules(htp_json *json, const htp_verification *v)
{
    const htp_tree *tree = tree_of(v);
    htp_json_begin(json, "modules", '[');
    for (uint32_t m = 0; m < tree->module_count; m++) {
        const htp_verify_module *module = &v->modules[m];
        htp_slice address = htp_tree_address(&tree->modules[m]);
        if (!module->has_nodes) {
            continue; /* it is not called, or runs in bodies alone */
        }
        htp_json_begin(json, NULL, '{');
        htp_json_string_part(json, "address", address.at, address.length);
        htp_json_bool(json, "has_tag", tree->modules[m].has_tag);
        htp_json_count(json, "outputs", module->values);
        add_difference(json, "carried", &module->carried);
        add_difference(json, "own", &module->own);
        htp_json_bool(json, "is_source", module->is_source);
        htp_json_string(json, "no_own", module->no_own);
        add_worst(json, v, &module->worst);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

/* The nodes whose outputs were compared. */
static void add_nodes(htp_json *json, const htp_verification *v)
{
    const htp_view *view = view_of(v);
    htp_json_begin(json, "nodes", '[');
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (v->nodes[n].is_known) {
            htp_json_begin(json, NULL, '{');
            htp_json_string(json, "node", htp_view_text(view, view->nodes.items[n].name));
            add_number(json, "carried", v->nodes[n].carried);
            add_number(json, "growth", v->nodes[n].growth);
            htp_json_end(json, '}');
        }
    }
    htp_json_end(json, ']');
}

static void add_sizes(htp_json *json, const htp_verification *v)
{
    htp_json_begin(json, "sizes", '[');
    for (uint32_t r = 0; r < v->runs; r++) {
        htp_json_begin(json, NULL, '{');
        for (size_t i = 0; i < v->axes.count; i++) {
            htp_json_number(json, v->axes.items[i].name, v->axes.items[i].sizes[r]);
        }
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

static void add_pair(htp_json *json, const char *key, const uint32_t counts[HTP_COMPARED])
{
    htp_json_begin(json, key, '{');
    htp_json_count(json, "a", counts[HTP_COMPARED_A]);
    htp_json_count(json, "b", counts[HTP_COMPARED_B]);
    htp_json_end(json, '}');
}

const char *htp_report_verification_json(htp_arena *arena, const htp_verification *verification)
{
    const htp_verification *v = verification;
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "a", view_of(v)->path);
    htp_json_string(&json, "b", v->request->views[HTP_COMPARED_B]->path);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "runtime", htp_runtime_version(v->request->runtime));
    htp_json_double(&json, "tolerance", v->request->tolerance);
    htp_json_bool(&json, "is_beyond", v->is_beyond);
    add_sizes(&json, v);
    htp_json_count(&json, "compared", v->compared);
    add_pair(&json, "without_counterpart", v->unmatched);
    add_pair(&json, "nodes_in_bodies", v->in_bodies);
    if (v->first == HTP_NONE) {
        htp_json_null(&json, "first");
    } else {
        htp_slice address = htp_tree_address(&tree_of(v)->modules[v->first]);
        htp_json_string_part(&json, "first", address.at, address.length);
    }
    add_modules(&json, v);
    add_nodes(&json, v);
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
