#include "report/parts/border_report.h"

#include "report/tree/model_report.h"
#include "report/tree/values.h"

/* ---- one border ---- */

const char *htp_report_tag(htp_arena *arena, const htp_tree *tree, uint32_t module)
{
    htp_slice tag = tree->modules[module].tag;
    return htp_arena_copy(arena, tag.at, tag.length);
}

void htp_report_tag_json(htp_json *json, const char *key, const htp_tree *tree, uint32_t module)
{
    if (module == HTP_NONE) {
        htp_json_null(json, key);
    } else {
        htp_slice tag = tree->modules[module].tag;
        htp_json_string_part(json, key, tag.at, tag.length);
    }
}

/* The other end of a crossing value, if that is not a module. */
static const char *outside_text(const htp_view *view, uint32_t value, bool is_output)
{
    const htp_view_value *crossing = &view->values.items[value];
    htp_view_range outputs = view->graphs.items[crossing->graph].outputs;
    bool is_end = !is_output && crossing->maker == HTP_VIEW_BY_INPUT;
    for (uint32_t i = 0; is_output && i < outputs.count; i++) {
        is_end = is_end || view->operands.items[outputs.first + i] == value;
    }
    return !is_end     ? "nodes without a module"
           : is_output ? "the model's outputs"
                       : "the model's inputs";
}

void htp_report_border(htp_text *text, const htp_border_facts *facts, const char *title,
                       const htp_region_values *values, bool is_output)
{
    const char *preposition = is_output ? "to" : "from";
    htp_text_addf(text, "\n%s (%zu)\n", title, values->count);
    for (size_t i = 0; i < values->count; i++) {
        const htp_region_value *crossing = &values->items[i];
        const htp_view_value *value = &facts->view->values.items[crossing->value];
        htp_value_type type = htp_view_types_find(facts->types, text->arena, crossing->value);
        htp_report_add_pair(text, htp_view_text(facts->view, value->name),
                            htp_value_type_text(text->arena, &type));
        for (size_t k = 0; k < crossing->others.count; k++) {
            uint32_t other = crossing->others.items[k];
            const char *tag = other == HTP_NONE
                                  ? outside_text(facts->view, crossing->value, is_output)
                                  : htp_report_tag(text->arena, facts->tree, other);
            htp_report_add_pair(
                text, htp_arena_printf(text->arena, "    %-4s %s", k ? "" : preposition, tag), "");
        }
    }
}

void htp_report_crossing_json(htp_json *json, const htp_border_facts *facts,
                              const htp_region_values *values, bool is_output)
{
    htp_json_begin(json, is_output ? "outputs" : "inputs", '[');
    for (size_t i = 0; i < values->count; i++) {
        const htp_region_value *crossing = &values->items[i];
        const htp_view_value *value = &facts->view->values.items[crossing->value];
        htp_value_type type = htp_view_types_find(facts->types, json->text.arena, crossing->value);
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "name", htp_view_text(facts->view, value->name));
        htp_report_type_json(json, &type);
        htp_json_begin(json, is_output ? "to" : "from", '[');
        for (size_t k = 0; k < crossing->others.count; k++) {
            htp_report_tag_json(json, NULL, facts->tree, crossing->others.items[k]);
        }
        htp_json_end(json, ']');
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

/* ---- all borders ---- */

/* Receives the border of a module. */
typedef void (*border_fn)(void *user, const htp_border_facts *facts, uint32_t module,
                          const htp_module_border *border);

static void each_border(htp_arena *arena, const htp_view *view, const htp_tree *tree, int depth,
                        border_fn receive, void *user)
{
    const htp_module_border *borders = htp_borders_find(arena, view, tree, depth);
    const htp_border_facts facts = {view, tree, htp_view_types_new(arena, view)};
    for (uint32_t m = 0; m < tree->module_count; m++) {
        if (htp_report_is_shown(&tree->modules[m], depth)) {
            receive(user, &facts, m, &borders[m]);
        }
    }
}

static void add_text(void *user, const htp_border_facts *facts, uint32_t module,
                     const htp_module_border *border)
{
    htp_text *text = user;
    htp_text_addf(
        text, "%s%s\n", text->length > 0 ? "\n" : "",
        htp_text_printable(text->arena, htp_report_tag(text->arena, facts->tree, module)));
    htp_report_border(text, facts, "inputs", &border->inputs, false);
    htp_report_border(text, facts, "outputs", &border->outputs, true);
}

static void add_json(void *user, const htp_border_facts *facts, uint32_t module,
                     const htp_module_border *border)
{
    htp_json *json = user;
    htp_json_begin(json, NULL, '{');
    htp_report_tag_json(json, "module", facts->tree, module);
    htp_report_crossing_json(json, facts, &border->inputs, false);
    htp_report_crossing_json(json, facts, &border->outputs, true);
    htp_json_end(json, '}');
}

const char *htp_report_borders(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                               int depth)
{
    htp_text text = {.arena = arena};
    each_border(arena, view, tree, depth, add_text, &text);
    return htp_text_string(&text);
}

const char *htp_report_borders_json(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                    int depth)
{
    htp_json json = {.text.arena = arena};
    htp_report_begin_model(&json, view);
    htp_json_string(&json, "hierarchy", tree->source_text);
    htp_json_begin(&json, "modules", '[');
    each_border(arena, view, tree, depth, add_json, &json);
    htp_json_end(&json, ']');
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
