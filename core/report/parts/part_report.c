#include "report/parts/part_report.h"

#include "query/select/calls.h"
#include "report/tree/values.h"

#include <string.h>

enum { NUMBER_COLUMNS = 8, SIZE_COLUMNS = 16 };

/* ---- one part ---- */

static void add_border(htp_text *text, const htp_view *view, htp_view_types *types,
                       const char *title, const htp_numbers *values)
{
    htp_text_addf(text, "%s (%zu)\n", title, values->count);
    for (size_t i = 0; i < values->count; i++) {
        htp_value_type type = htp_view_types_find(types, text->arena, values->items[i]);
        const char *name = htp_view_text(view, view->values.items[values->items[i]].name);
        htp_report_add_pair(text, name, htp_value_type_text(text->arena, &type));
    }
}

const char *htp_report_part(htp_arena *arena, const htp_view *view,
                            const htp_reported_part *reported)
{
    const htp_part *part = reported->part;
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%s: %s node%s, %s\n", htp_text_printable(arena, reported->file),
                  htp_text_grouped(arena, part->node_count), part->node_count == 1 ? "" : "s",
                  htp_report_bytes(arena, reported->model_bytes + reported->data_bytes));
    add_border(&text, view, reported->types, "inputs", &part->inputs);
    add_border(&text, view, reported->types, "outputs", &part->outputs);
    return htp_text_string(&text);
}

void htp_report_border_json(htp_json *json, const htp_view *view, htp_view_types *types,
                            const char *key, const uint32_t *values, size_t count)
{
    htp_json_begin(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        htp_value_type type = htp_view_types_find(types, json->text.arena, values[i]);
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "name", htp_view_text(view, view->values.items[values[i]].name));
        htp_report_type_json(json, &type);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

void htp_report_part_json(htp_json *json, const htp_view *view, const htp_reported_part *reported)
{
    const htp_part *part = reported->part;
    htp_json_count(json, "nodes", part->node_count);
    htp_json_count(json, "weights", part->weights.count + part->defaults.count);
    htp_json_count(json, "bytes", reported->model_bytes);
    htp_json_string(json, "external_data", reported->data_file);
    htp_json_count(json, "external_bytes", reported->data_bytes);
    htp_report_border_json(json, view, reported->types, "inputs", part->inputs.items,
                           part->inputs.count);
    htp_report_border_json(json, view, reported->types, "outputs", part->outputs.items,
                           part->outputs.count);
}

/* ---- a split ---- */

/* What the sizes of parts are, by htp_split_measure: for people, and in JSON. */
static const char *const measure_titles[] = {"multiply-adds", "weights", "ms"};
static const char *const measure_names[] = {"cost", "weights", "time"};

/* The last segment of a module's address. */
static const char *short_name(htp_arena *arena, const htp_tree *tree, uint32_t module)
{
    if (module == HTP_NONE) {
        return "(none)";
    }
    htp_slice address = htp_tree_address(&tree->modules[module]);
    const char *slash = memrchr(address.at, '/', address.length);
    const char *from = slash ? slash + 1 : address.at;
    return htp_report_name(arena, from, address.length - (size_t)(from - address.at));
}

/* The name of a part: a tag, the first and the last one, or "between". */
static const char *name_part(htp_arena *arena, const htp_tree *tree, const htp_split_part *part)
{
    if (part->is_balanced) {
        const char *first = short_name(arena, tree, part->from);
        const char *last = short_name(arena, tree, part->to);
        return part->from == part->to ? first : htp_arena_join(arena, first, " - ", last);
    }
    if (part->module == HTP_NONE) {
        return "(between)";
    }
    htp_slice tag = htp_tree_address(&tree->modules[part->module]);
    return part->call == HTP_NONE
               ? htp_arena_printf(arena, "%.*s", (int)tag.length, tag.at)
               : htp_arena_printf(arena, "%.*s, call %u", (int)tag.length, tag.at, part->call);
}

static const char *size_text(htp_arena *arena, htp_split_measure by, uint64_t size)
{
    switch (by) {
    case HTP_SPLIT_WEIGHTS:
        return htp_report_bytes(arena, size);
    case HTP_SPLIT_TIME:
        return htp_arena_printf(arena, "%.3f", (double)size / 1000);
    default:
        return htp_text_grouped(arena, size);
    }
}

const char *htp_report_split(htp_arena *arena, const htp_reported_split *reported)
{
    size_t size_columns = reported->sizes ? SIZE_COLUMNS : 0;
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%5s  %*s%*s%*s%*s  %s\n", "part", NUMBER_COLUMNS, "nodes", NUMBER_COLUMNS,
                  "inputs", NUMBER_COLUMNS, "outputs", (int)size_columns,
                  reported->sizes ? measure_titles[reported->by] : "",
                  reported->sizes ? "modules" : "module");
    for (size_t i = 0; i < reported->split->parts.count; i++) {
        const htp_part *part = reported->parts[i].part;
        const char *name = name_part(arena, reported->tree, &reported->split->parts.items[i]);
        htp_text_addf(&text, "%5zu  %*s%*zu%*zu%*s  %s\n", i, NUMBER_COLUMNS,
                      htp_text_grouped(arena, part->node_count), NUMBER_COLUMNS, part->inputs.count,
                      NUMBER_COLUMNS, part->outputs.count, (int)size_columns,
                      reported->sizes ? size_text(arena, reported->by, reported->sizes[i]) : "",
                      htp_text_printable(arena, name));
    }
    return htp_text_string(&text);
}

static void add_address(htp_json *json, const char *key, const htp_tree *tree, uint32_t module)
{
    if (module == HTP_NONE) {
        htp_json_null(json, key);
    } else {
        htp_slice tag = htp_tree_address(&tree->modules[module]);
        htp_json_string_part(json, key, tag.at, tag.length);
    }
}

static void add_split_part(htp_json *json, const htp_reported_split *reported, size_t index)
{
    const htp_split_part *what = &reported->split->parts.items[index];
    htp_json_begin(json, NULL, '{');
    htp_json_count(json, "part", index);
    htp_json_string(json, "file", reported->parts[index].file);
    add_address(json, "module", reported->tree, what->module);
    if (what->call == HTP_NONE) {
        htp_json_null(json, "call");
    } else {
        htp_json_count(json, "call", what->call);
    }
    if (reported->sizes) {
        add_address(json, "from", reported->tree, what->from);
        add_address(json, "to", reported->tree, what->to);
        htp_json_count(json, "size", reported->sizes[index]);
    }
    htp_report_part_json(json, reported->view, &reported->parts[index]);
    htp_json_end(json, '}');
}

/* Inputs of the model without a default. */
static void add_inputs(htp_json *json, const htp_view *view, htp_view_types *types)
{
    htp_view_range inputs = view->graphs.items[0].inputs;
    htp_numbers values = {0};
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t value = view->operands.items[inputs.first + i];
        if (view->values.items[value].initializer == HTP_NONE) {
            HTP_PUSH(json->text.arena, &values, value);
        }
    }
    htp_report_border_json(json, view, types, "inputs", values.items, values.count);
}

const char *htp_report_split_json(htp_arena *arena, const htp_reported_split *reported)
{
    const htp_view *view = reported->view;
    htp_view_range outputs = view->graphs.items[0].outputs;
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", view->path);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "hierarchy", reported->tree->source_text);
    htp_json_string(&json, "shared_weights", reported->weights);
    htp_json_string(&json, "by", reported->sizes ? measure_names[reported->by] : NULL);
    add_inputs(&json, view, reported->types);
    htp_report_border_json(&json, view, reported->types, "outputs",
                           HTP_FROM(&view->operands, outputs.first), outputs.count);
    htp_json_begin(&json, "parts", '[');
    for (size_t i = 0; i < reported->split->parts.count; i++) {
        add_split_part(&json, reported, i);
    }
    htp_json_end(&json, ']');
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
