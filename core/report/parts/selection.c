#include "report/parts/selection.h"

#include "base/json/json.h"
#include "base/text.h"
#include "onnx/reader/value_type.h"
#include "report/tree/values.h"

#include <string.h>

/* The entries of a list: nodes or weights, in order. */
struct items {
    const htp_selected *selected;
    const htp_view *view;
    size_t count; /* selected or not */
};

static bool is_selected(const struct items *items, size_t index)
{
    return items->selected->lists_weights ? items->selected->has_weight[index]
                                          : items->selected->region->has_node[index];
}

static const char *name_of(const struct items *items, size_t index)
{
    return htp_view_text(items->view, items->selected->lists_weights
                                          ? items->view->tensors.items[index].name
                                          : items->view->nodes.items[index].name);
}

/* ---- names must be unambiguous ---- */

static htp_status check_names(htp_arena *arena, const struct items *items)
{
    const char *what = items->selected->lists_weights ? "weights" : "nodes";
    htp_map others = {0};
    for (size_t i = 0; i < items->count; i++) {
        if (!is_selected(items, i)) {
            htp_map_set(arena, &others, name_of(items, i), 0);
        }
    }
    for (size_t i = 0; i < items->count; i++) {
        const char *name = name_of(items, i);
        if (is_selected(items, i) && *name == '\0') {
            return htp_status_make(HTP_CODE_BAD_INPUT,
                                   "%s: some of the %s have no name: only --format json can tell "
                                   "them apart",
                                   items->view->path, what);
        }
        if (is_selected(items, i) && htp_map_get(&others, name, NULL)) {
            return htp_status_make(HTP_CODE_BAD_INPUT,
                                   "%s: '%s' is the name of a selected and of another one of the "
                                   "%s: only --format json can tell them apart",
                                   items->view->path, name, what);
        }
    }
    return HTP_OK;
}

/* ---- formats ---- */

static htp_status list_names(htp_text *text, const struct items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        if (is_selected(items, i)) {
            htp_text_add(text, htp_text_printable(text->arena, name_of(items, i)));
            htp_text_add(text, "\n");
        }
    }
    return HTP_OK;
}

static htp_status list_for_ort(htp_text *text, const struct items *items)
{
    htp_json json = {.text.arena = text->arena};
    htp_json_begin(&json, NULL, '[');
    for (size_t i = 0; i < items->count; i++) {
        if (is_selected(items, i)) {
            htp_json_string(&json, NULL, name_of(items, i));
        }
    }
    htp_json_end(&json, ']');
    htp_text_add(text, htp_text_string(&json.text));
    htp_text_add(text, "\n");
    return HTP_OK;
}

static htp_status list_for_trtexec(htp_text *text, const struct items *items)
{
    const char *separator = "--layerPrecisions=";
    for (size_t i = 0; i < items->count; i++) {
        const char *name = name_of(items, i);
        if (!is_selected(items, i)) {
            continue;
        }
        if (strpbrk(name, ",:*\"' \t\n")) {
            return htp_status_make(HTP_CODE_BAD_INPUT,
                                   "%s: trtexec cannot take the name '%s': it reads , : * and "
                                   "spaces in its own way",
                                   items->view->path, name);
        }
        htp_text_addf(text, "%s%s:%s", separator, name, items->selected->precision);
        separator = ",";
    }
    htp_text_add(text, *separator == ',' ? "\n" : "");
    return HTP_OK;
}

static void add_node(htp_json *json, const struct items *items, uint32_t node)
{
    const htp_view *view = items->view;
    const htp_tree *tree = items->selected->region->tree;
    const htp_view_node *listed = &view->nodes.items[node];
    htp_view_range tags = tree->places[node].tags;
    htp_json_begin(json, NULL, '{');
    htp_json_string(json, "name", htp_view_text(view, listed->name));
    htp_json_string(json, "op_type", htp_view_text(view, listed->op_type));
    htp_json_string(json, "domain", htp_view_text(view, listed->domain));
    htp_json_begin(json, "tags", '[');
    for (uint32_t i = 0; i < tags.count; i++) {
        htp_slice tag = tree->modules[tree->owners.items[tags.first + i]].tag;
        htp_json_string_part(json, NULL, tag.at, tag.length);
    }
    htp_json_end(json, ']');
    htp_json_begin(json, "outputs", '[');
    for (uint32_t i = 0; i < listed->outputs.count; i++) {
        uint32_t value = view->operands.items[listed->outputs.first + i];
        htp_json_string(json, NULL,
                        value == HTP_NONE ? ""
                                          : htp_view_text(view, view->values.items[value].name));
    }
    htp_json_end(json, ']');
    htp_json_end(json, '}');
}

static void add_weight(htp_json *json, const struct items *items, uint32_t tensor)
{
    const htp_view *view = items->view;
    const htp_made_of made_of = htp_tree_made_of(items->selected->region->tree, view, tensor);
    htp_value_type type = htp_value_type_of_tensor(json->text.arena, view, tensor);
    htp_json_begin(json, NULL, '{');
    htp_json_string(json, "name", htp_view_text(view, view->tensors.items[tensor].name));
    htp_report_type_json(json, &type);
    htp_json_count(json, "bytes", view->tensors.items[tensor].bytes);
    htp_report_made_of(json, &made_of);
    htp_json_end(json, '}');
}

static htp_status list_as_json(htp_text *text, const struct items *items)
{
    bool lists_weights = items->selected->lists_weights;
    htp_json json = {.text.arena = text->arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", items->view->path);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "hierarchy", items->selected->region->tree->source_text);
    htp_json_begin(&json, lists_weights ? "weights" : "nodes", '[');
    for (size_t i = 0; i < items->count; i++) {
        if (is_selected(items, i) && lists_weights) {
            add_weight(&json, items, (uint32_t)i);
        } else if (is_selected(items, i)) {
            add_node(&json, items, (uint32_t)i);
        }
    }
    htp_json_end(&json, ']');
    htp_json_end(&json, '}');
    htp_text_add(text, htp_text_string(&json.text));
    htp_text_add(text, "\n");
    return HTP_OK;
}

htp_status htp_report_selection(htp_arena *arena, const htp_selected *selected, const char **text)
{
    static htp_status (*const formats[])(htp_text * text, const struct items *items) = {
        [HTP_SELECT_NAMES] = list_names,
        [HTP_SELECT_JSON] = list_as_json,
        [HTP_SELECT_ORT_EXCLUDE] = list_for_ort,
        [HTP_SELECT_TRTEXEC] = list_for_trtexec,
    };
    const htp_view *view = selected->region->view;
    const struct items items = {
        .selected = selected,
        .view = view,
        .count = selected->lists_weights ? view->tensors.count : view->nodes.count,
    };
    htp_text made = {.arena = arena};
    if (selected->format != HTP_SELECT_JSON) {
        HTP_TRY(check_names(arena, &items));
    }
    HTP_TRY(formats[selected->format](&made, &items));
    *text = htp_text_string(&made);
    return HTP_OK;
}
