#include "report/replace/replace.h"

#include "report/parts/part_report.h"
#include "report/tree/values.h"

#include <string.h>

/* ---- text ---- */

static void add_values(htp_text *text, const htp_replacement *r, const char *title,
                       const uint32_t *values, size_t count)
{
    htp_text_addf(text, "%s (%zu)\n", title, count);
    for (size_t i = 0; i < count; i++) {
        htp_value_type type = htp_view_types_find(r->types, text->arena, values[i]);
        const char *name = htp_view_text(r->view, r->view->values.items[values[i]].name);
        htp_report_add_pair(text, name, htp_value_type_text(text->arena, &type));
    }
}

static void add_constants(htp_text *text, const htp_replaced *replaced)
{
    htp_text_addf(text, "attributes (%zu)\n", replaced->constants.count);
    for (size_t i = 0; i < replaced->constants.count; i++) {
        htp_text_addf(text, "  %s\n", replaced->constants.items[i].name);
    }
}

/* Whether two nodes take and make as many values, with the same attributes. */
static bool is_like(const htp_replaced *a, const htp_replaced *b)
{
    bool is_same = a->border_count == b->border_count && a->inputs.count == b->inputs.count &&
                   a->part.outputs.count == b->part.outputs.count &&
                   a->constants.count == b->constants.count;
    for (size_t i = 0; is_same && i < a->constants.count; i++) {
        is_same = strcmp(a->constants.items[i].name, b->constants.items[i].name) == 0;
    }
    return is_same;
}

static const char *call_module(htp_arena *arena, const htp_replacement *r,
                               const htp_replaced *replaced)
{
    htp_slice address = htp_tree_address(&r->tree->modules[replaced->module]);
    return replaced->call == HTP_NONE
               ? htp_arena_printf(arena, "%.*s", (int)address.length, address.at)
               : htp_arena_printf(arena, "%.*s, call %u", (int)address.length, address.at,
                                  replaced->call);
}

const char *htp_report_replacement(htp_arena *arena, const htp_reported_replacement *reported)
{
    const htp_replacement *r = reported->replacement;
    const htp_replaced *first = &r->list.items[0];
    htp_text text = {.arena = arena};
    const char *what =
        reported->op ? htp_arena_printf(arena, "%s:%s", reported->op->domain, reported->op->name)
                     : htp_text_printable(arena, reported->by);
    uint32_t nodes = 0;
    for (size_t i = 0; i < r->list.count; i++) {
        nodes += r->list.items[i].node_count;
    }
    htp_text_addf(&text, "%s: %s node%s of %s, %s\n", htp_text_printable(arena, reported->file),
                  htp_text_grouped(arena, nodes), nodes == 1 ? "" : "s", what,
                  htp_report_bytes(arena, reported->model_bytes + reported->data_bytes));
    for (size_t i = 0; i < r->list.count; i++) {
        const htp_replaced *replaced = &r->list.items[i];
        const char *module = call_module(arena, r, replaced);
        htp_text_addf(&text, "  %s%s\n", htp_text_printable(arena, module),
                      !reported->op || is_like(first, replaced) ? "" : " (another border)");
    }
    if (r->file || r->kept_count > 0) {
        htp_text_addf(&text, "functions: %zu kept, %zu inlined\n", r->kept_count, r->inlined_count);
    }
    add_values(&text, r, "inputs", first->inputs.items, first->border_count);
    if (reported->op) {
        add_values(&text, r, "weights", HTP_FROM(&first->inputs, first->border_count),
                   first->inputs.count - first->border_count);
        add_constants(&text, first);
    }
    add_values(&text, r, "outputs", first->part.outputs.items, first->part.outputs.count);
    return htp_text_string(&text);
}

/* ---- JSON ---- */

static void add_replaced_json(htp_json *json, const htp_replacement *r,
                              const htp_replaced *replaced)
{
    htp_slice address = htp_tree_address(&r->tree->modules[replaced->module]);
    htp_json_begin(json, NULL, '{');
    htp_json_string_part(json, "module", address.at, address.length);
    if (replaced->call == HTP_NONE) {
        htp_json_null(json, "call");
    } else {
        htp_json_count(json, "call", replaced->call);
    }
    htp_json_count(json, "replaced", replaced->part.node_count);
    htp_json_count(json, "nodes", replaced->node_count);
    htp_json_string(json, "node", replaced->name);
    htp_report_border_json(json, r->view, r->types, "inputs", replaced->inputs.items,
                           replaced->border_count);
    size_t weights = replaced->name ? replaced->inputs.count - replaced->border_count : 0;
    htp_report_border_json(json, r->view, r->types, "weights",
                           HTP_FROM(&replaced->inputs, replaced->border_count), weights);
    htp_json_begin(json, "attributes", '[');
    for (size_t i = 0; i < replaced->constants.count; i++) {
        htp_json_string(json, NULL, replaced->constants.items[i].name);
    }
    htp_json_end(json, ']');
    htp_report_border_json(json, r->view, r->types, "outputs", replaced->part.outputs.items,
                           replaced->part.outputs.count);
    htp_json_end(json, '}');
}

const char *htp_report_replacement_json(htp_arena *arena, const htp_reported_replacement *reported)
{
    const htp_replacement *r = reported->replacement;
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", r->view->path);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "output", reported->file);
    htp_json_count(&json, "bytes", reported->model_bytes);
    htp_json_string(&json, "external_data", reported->data_file);
    htp_json_count(&json, "external_bytes", reported->data_bytes);
    htp_json_string(&json, "by", reported->by);
    htp_json_count(&json, "kept_functions", r->kept_count);
    htp_json_count(&json, "inlined_functions", r->inlined_count);
    if (reported->op) {
        htp_json_string(&json, "domain", reported->op->domain);
        htp_json_string(&json, "operator", reported->op->name);
        htp_json_number(&json, "version", reported->op->version);
    }
    htp_json_begin(&json, "modules", '[');
    for (size_t i = 0; i < r->list.count; i++) {
        add_replaced_json(&json, r, &r->list.items[i]);
    }
    htp_json_end(&json, ']');
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
