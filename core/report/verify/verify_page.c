/*
 * Where two models part, for the page.
 */
#include "report/verify/parts.h"

static void add_slice(htp_json *json, const char *key, htp_slice slice)
{
    htp_json_string_part(json, key, slice.at ? slice.at : "", slice.length);
}

static void add_index(htp_json *json, const char *key, uint32_t index)
{
    if (index == HTP_NONE) {
        htp_json_null(json, key);
    } else {
        htp_json_count(json, key, index);
    }
}

static void add_module(htp_json *json, const htp_verification *v, uint32_t index)
{
    const htp_tree_module *module = &htp_verified_tree(v)->modules[index];
    const htp_verify_module *found = &v->modules[index];
    htp_json_begin(json, NULL, '{');
    add_slice(json, "tag", module->tag);
    add_slice(json, "full_tag", module->full_tag);
    add_slice(json, "address", htp_tree_address(module));
    add_slice(json, "path", module->path);
    add_slice(json, "class", module->class_name);
    add_index(json, "parent", module->parent);
    htp_json_count(json, "depth", module->depth);
    htp_json_bool(json, "has_tag", module->has_tag);
    htp_json_count(json, "own", module->nodes_own);
    htp_json_count(json, "total", module->nodes_total);
    htp_json_count(json, "parameters", module->parameters);
    htp_json_count(json, "bytes", module->bytes);
    htp_verified_difference(json, "own_error", &found->own);
    htp_verified_difference(json, "carried_error", &found->carried);
    htp_json_string(json, "no_own", found->no_own);
    htp_json_bool(json, "is_source", found->is_source);
    add_index(json, "first_node", found->first);
    htp_verified_worst(json, v, &found->worst);
    htp_json_end(json, '}');
}

static void add_error(htp_json *json, const htp_verify_node *found, double error)
{
    if (found->is_known) {
        htp_verified_number(json, NULL, error);
    } else {
        htp_json_null(json, NULL);
    }
}

static void add_node(htp_json *json, const htp_verification *v, uint32_t node)
{
    const htp_view *view = htp_verified_view(v);
    const htp_tree *tree = htp_verified_tree(v);
    const char *place = htp_verified_place(json->text.arena, v, node);
    uint32_t module = tree->places[node].innermost;
    htp_json_begin(json, NULL, '[');
    htp_json_string(json, NULL, htp_view_text(view, view->nodes.items[node].name));
    htp_json_string(json, NULL, htp_view_text(view, view->nodes.items[node].op_type));
    add_index(json, NULL, module);
    add_slice(json, NULL,
              module == HTP_NONE ? htp_slice_of("") : htp_tree_address(&tree->modules[module]));
    htp_json_string(json, NULL, place ? place : "");
    add_error(json, &v->nodes[node], v->nodes[node].carried);
    add_error(json, &v->nodes[node], v->nodes[node].growth);
    htp_json_end(json, ']');
}

static void add_nodes(htp_json *json, const htp_verification *v)
{
    static const char *const columns[] = {"name",   "op_type", "module", "tag",
                                          "source", "carried", "growth"};
    htp_json_begin(json, "nodes_table", '{');
    htp_json_begin(json, "columns", '[');
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        htp_json_string(json, NULL, columns[i]);
    }
    htp_json_end(json, ']');
    htp_json_begin(json, "rows", '[');
    for (uint32_t n = 0; n < htp_verified_view(v)->nodes.count; n++) {
        htp_json_line(json);
        add_node(json, v, n);
    }
    htp_json_end(json, ']');
    htp_json_end(json, '}');
}

void htp_report_verification_page(htp_json *json, const htp_verification *verification)
{
    const htp_verification *v = verification;
    htp_json_begin(json, NULL, '{');
    htp_json_count(json, "htp_verify", 1);
    htp_json_begin(json, "models", '[');
    htp_json_begin(json, NULL, '{');
    htp_json_string(json, "file", htp_verified_view(v)->path);
    htp_json_begin(json, "verification", '{');
    htp_verified_summary(json, v);
    htp_json_end(json, '}');
    htp_json_begin(json, "modules", '[');
    for (uint32_t m = 0; m < htp_verified_tree(v)->module_count; m++) {
        add_module(json, v, m);
    }
    htp_json_end(json, ']');
    add_nodes(json, v);
    htp_json_end(json, '}');
    htp_json_end(json, ']');
    htp_json_end(json, '}');
}
