#include "report/tree/model_report.h"

#include "base/text.h"
#include "onnx/metadata/complex_border.h"
#include "onnx/metadata/state_pairs.h"
#include "report/tree/table.h"
#include "report/tree/values.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS = 6 };

bool htp_report_is_shown(const htp_tree_module *module, int depth)
{
    return module->has_tag && (depth < 0 || module->depth <= (uint32_t)depth);
}

/* ---- text ---- */

static void add_values(htp_text *text, const htp_view *view, const char *label,
                       htp_view_range values, const char *complex_key)
{
    const htp_map complex = htp_complex_border_read(text->arena, view, complex_key);
    for (uint32_t i = 0; i < values.count; i++) {
        uint32_t value = view->operands.items[values.first + i];
        if (view->values.items[value].maker == HTP_VIEW_BY_INPUT &&
            view->values.items[value].initializer != HTP_NONE) {
            continue; /* an old file lists its weights as inputs */
        }
        htp_value_type type = htp_value_type_find(text->arena, view, value);
        const char *name = htp_view_text(view, view->values.items[value].name);
        bool is_complex = htp_complex_border_holds(text->arena, &complex, name, &type);
        htp_report_add_line(text, label,
                            htp_arena_printf(text->arena, "%s: %s%s", name,
                                             htp_value_type_text(text->arena, &type),
                                             is_complex ? ", of complex numbers" : ""));
        label = "";
    }
}

static void add_states(htp_text *text, const htp_view *view)
{
    const htp_state_pairs pairs = htp_state_pairs_read(text->arena, view);
    for (size_t i = 0; i < pairs.count; i++) {
        const htp_state_pair *pair = &pairs.items[i];
        const char *first = htp_state_pair_first_text(text->arena, pair);
        htp_report_add_line(text, i ? "" : "state",
                            htp_arena_printf(text->arena, "%s <- %s, at first %s", pair->input,
                                             pair->output, first));
    }
}

static void add_header(htp_text *text, const htp_view *view, const htp_tree *tree)
{
    htp_text facts = {.arena = text->arena};
    htp_text_addf(&facts, "ONNX IR %" PRId64, view->ir_version);
    for (size_t i = 0; i < view->imports.count; i++) {
        const char *domain = htp_view_text(view, view->imports.items[i].domain);
        htp_text_addf(&facts, ", %s %" PRId64, *domain ? domain : "opset",
                      view->imports.items[i].version);
    }
    if (view->producer_name) {
        htp_text_addf(&facts, ", by %s %s", htp_view_text(view, view->producer_name),
                      htp_view_text(view, view->producer_version));
    }
    htp_report_add_line(text, "model", view->path);
    htp_report_add_line(text, "format", htp_text_string(&facts));
    htp_report_add_line(text, "hierarchy", tree->source_text);
    add_values(text, view, "inputs", view->graphs.items[0].inputs, HTP_COMPLEX_INPUTS_KEY);
    add_values(text, view, "outputs", view->graphs.items[0].outputs, HTP_COMPLEX_OUTPUTS_KEY);
    add_states(text, view);
}

/* A percentage of the whole. */
static const char *share_of(htp_arena *arena, uint64_t part, uint64_t whole)
{
    double share = whole > 0 ? 100.0 * (double)part / (double)whole : 0;
    return htp_arena_printf(arena, "%.1f%%", share);
}

static const char *note_calls(htp_arena *arena, uint32_t calls)
{
    if (calls == 1 || calls == HTP_TREE_CALLS_UNKNOWN) {
        return "";
    }
    return calls == 0 ? "no" : htp_text_grouped(arena, calls);
}

static htp_report_row make_row(htp_arena *arena, const htp_tree *tree,
                               const htp_tree_module *module)
{
    uint64_t whole = tree->modules[0].bytes;
    bool has_weights = whole > 0;
    return (htp_report_row){
        .name = htp_tree_segment(module),
        .indentation = htp_report_indentation(module),
        .cells = {htp_text_grouped(arena, module->nodes_total),
                  htp_text_grouped(arena, module->nodes_own),
                  htp_text_grouped(arena, module->parameters),
                  htp_report_bytes(arena, module->bytes),
                  has_weights ? share_of(arena, module->bytes, whole)
                              : share_of(arena, module->nodes_total, tree->nodes),
                  note_calls(arena, module->calls)},
    };
}

const char *htp_report_model(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                             int depth)
{
    htp_text text = {.arena = arena};
    htp_report_row *rows = HTP_NEW_ARRAY(arena, htp_report_row, tree->module_count + 1U);
    size_t count = 0;
    bool has_weights = tree->modules[0].bytes > 0;
    add_header(&text, view, tree);
    rows[count++] = (htp_report_row){
        .name = htp_slice_of("module"),
        .cells = {"nodes", "own", "parameters", "size", has_weights ? "share" : "of nodes", ""}};
    const uint32_t *order = htp_report_order(arena, tree);
    for (uint32_t i = 0; i < tree->module_count; i++) {
        const htp_tree_module *module = &tree->modules[order[i]];
        if (htp_report_is_shown(module, depth)) {
            bool has_note = *note_calls(arena, module->calls) != '\0';
            rows[0].cells[COLUMNS - 1] = has_note ? "calls" : rows[0].cells[COLUMNS - 1];
            rows[count++] = make_row(arena, tree, module);
        }
    }
    htp_text_add(&text, "\n");
    htp_report_table(&text, rows, count);
    if (tree->untagged > 0) {
        htp_text_addf(&text, "%s of %s nodes belong to no module that the file names\n",
                      htp_text_grouped(arena, tree->untagged),
                      htp_text_grouped(arena, tree->nodes));
    }
    return htp_text_string(&text);
}

/* ---- JSON ---- */

static void add_slice(htp_json *json, const char *key, htp_slice slice)
{
    htp_json_string_part(json, key, slice.at, slice.length);
}

static void add_module(htp_json *json, const htp_tree_module *module)
{
    htp_json_begin(json, NULL, '{');
    add_slice(json, "tag", module->tag);
    add_slice(json, "full_tag", module->full_tag);
    htp_json_bool(json, "has_tag", module->has_tag);
    if (module->has_path) {
        add_slice(json, "path", module->path);
    } else {
        htp_json_null(json, "path");
    }
    add_slice(json, "class", module->class_name);
    add_slice(json, "qualified_class", module->qualified_class);
    htp_json_count(json, "depth", module->depth);
    if (module->calls == HTP_TREE_CALLS_UNKNOWN) {
        htp_json_null(json, "calls");
    } else {
        htp_json_count(json, "calls", module->calls);
    }
    htp_json_count(json, "nodes_own", module->nodes_own);
    htp_json_count(json, "nodes_total", module->nodes_total);
    htp_json_count(json, "parameters", module->parameters);
    htp_json_count(json, "bytes", module->bytes);
    htp_json_end(json, '}');
}

static void add_values_json(htp_json *json, const htp_view *view, const char *key,
                            htp_view_range values, const char *complex_key)
{
    htp_arena *arena = json->text.arena;
    const htp_map complex = htp_complex_border_read(arena, view, complex_key);
    htp_json_begin(json, key, '[');
    for (uint32_t i = 0; i < values.count; i++) {
        uint32_t value = view->operands.items[values.first + i];
        htp_value_type type = htp_value_type_find(arena, view, value);
        const char *name = htp_view_text(view, view->values.items[value].name);
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "name", name);
        htp_report_type_json(json, &type);
        if (htp_complex_border_holds(arena, &complex, name, &type)) {
            htp_json_bool(json, "complex", true);
        }
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

void htp_report_begin_model(htp_json *json, const htp_view *view)
{
    htp_json_begin(json, NULL, '{');
    htp_json_string(json, "model", view->path);
    htp_json_string(json, "status", "ok");
    htp_json_string(json, "kind", "onnx");
}

void htp_report_opsets(htp_json *json, const htp_view *view)
{
    htp_json_begin(json, "opsets", '[');
    for (size_t i = 0; i < view->imports.count; i++) {
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "domain", htp_view_text(view, view->imports.items[i].domain));
        htp_json_number(json, "version", view->imports.items[i].version);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

static void add_format(htp_json *json, const htp_view *view)
{
    htp_json_number(json, "ir_version", view->ir_version);
    htp_json_string(json, "producer", htp_view_text(view, view->producer_name));
    htp_json_string(json, "producer_version", htp_view_text(view, view->producer_version));
    htp_report_opsets(json, view);
}

const char *htp_report_model_json(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                  int depth)
{
    htp_json json = {.text.arena = arena};
    htp_report_begin_model(&json, view);
    add_format(&json, view);
    htp_json_string(&json, "hierarchy", tree->source_text);
    htp_json_count(&json, "nodes", tree->nodes);
    htp_json_count(&json, "untagged", tree->untagged);
    add_values_json(&json, view, "inputs", view->graphs.items[0].inputs, HTP_COMPLEX_INPUTS_KEY);
    add_values_json(&json, view, "outputs", view->graphs.items[0].outputs, HTP_COMPLEX_OUTPUTS_KEY);
    const htp_state_pairs states = htp_state_pairs_read(arena, view);
    htp_json_raw(&json, "states", htp_state_pairs_json(arena, &states));
    htp_json_begin(&json, "modules", '[');
    for (uint32_t i = 0; i < tree->module_count; i++) {
        const htp_tree_module *module = &tree->modules[i];
        if (depth < 0 || module->depth <= (uint32_t)depth) {
            add_module(&json, module);
        }
    }
    htp_json_end(&json, ']');
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
