/*
 * Where two models part, as JSON.
 */
#include "report/verify/parts.h"

#include "query/dataflow/source_line.h"

#include <math.h>

const htp_view *htp_verified_view(const htp_verification *v)
{
    return v->request->views[HTP_COMPARED_A];
}

const htp_tree *htp_verified_tree(const htp_verification *v)
{
    return v->request->trees[HTP_COMPARED_A];
}

const char *htp_verified_first_tensor(const htp_verification *v)
{
    const htp_view *view = htp_verified_view(v);
    return v->first_tensor == HTP_NONE
               ? NULL
               : htp_view_text(view, view->values.items[v->first_tensor].name);
}

const char *htp_verified_place(htp_arena *arena, const htp_verification *v, uint32_t node)
{
    const htp_source_line line =
        htp_source_line_find(htp_verified_view(v), htp_verified_tree(v), node);
    return line.file.length > 0
               ? htp_arena_printf(arena, "%.*s:%.*s", (int)line.file.length, line.file.at,
                                  (int)line.line.length, line.line.at)
               : NULL;
}

void htp_verified_number(htp_json *json, const char *key, double number)
{
    if (isinf(number)) {
        htp_json_string(json, key, "inf");
    } else {
        htp_json_double(json, key, number);
    }
}

void htp_verified_difference(htp_json *json, const char *key, const htp_difference_of *difference)
{
    if (!difference->is_known) {
        htp_json_null(json, key);
        return;
    }
    htp_json_begin(json, key, '{');
    htp_verified_number(json, "largest", difference->largest);
    htp_verified_number(json, "relative", difference->relative);
    htp_verified_number(json, "beyond", difference->share);
    htp_json_end(json, '}');
}

void htp_verified_worst(htp_json *json, const htp_verification *v, const htp_verify_operator *worst)
{
    const htp_view *view = htp_verified_view(v);
    if (worst->node == HTP_NONE) {
        htp_json_null(json, "worst_operator");
        return;
    }
    htp_json_begin(json, "worst_operator", '{');
    htp_json_string(json, "node", htp_view_text(view, view->nodes.items[worst->node].name));
    htp_json_string(json, "op_type", htp_view_text(view, view->nodes.items[worst->node].op_type));
    htp_verified_number(json, "carried", worst->carried);
    htp_verified_number(json, "growth", worst->growth);
    htp_json_string(json, "source", htp_verified_place(json->text.arena, v, worst->node));
    htp_json_end(json, '}');
}

static void add_modules(htp_json *json, const htp_verification *v)
{
    const htp_tree *tree = htp_verified_tree(v);
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
        htp_verified_difference(json, "carried", &module->carried);
        htp_verified_difference(json, "own", &module->own);
        htp_json_bool(json, "is_source", module->is_source);
        htp_json_string(json, "no_own", module->no_own);
        htp_verified_worst(json, v, &module->worst);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

/* The nodes whose outputs were compared. */
static void add_nodes(htp_json *json, const htp_verification *v)
{
    const htp_view *view = htp_verified_view(v);
    htp_json_begin(json, "nodes", '[');
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (v->nodes[n].is_known) {
            htp_json_begin(json, NULL, '{');
            htp_json_string(json, "node", htp_view_text(view, view->nodes.items[n].name));
            htp_verified_number(json, "carried", v->nodes[n].carried);
            htp_verified_number(json, "growth", v->nodes[n].growth);
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

/* Of a program: what computed it, and the bounds of its tolerances. */
static void add_tolerance(htp_json *json, const htp_verification *v)
{
    const htp_verify_reference *reference = v->request->reference;
    bool is_one = !reference || v->request->is_chosen;
    htp_json_string(json, "program", reference ? reference->runtime : NULL);
    htp_json_string(json, "not_computed", reference ? reference->gap : NULL);
    htp_json_double(json, "tolerance", is_one ? v->request->tolerance : v->tolerances[1]);
    htp_json_double(json, "least_tolerance", is_one ? v->request->tolerance : v->tolerances[0]);
}

void htp_verified_summary(htp_json *json, const htp_verification *v)
{
    htp_json_string(json, "a", htp_verified_view(v)->path);
    htp_json_string(json, "b", htp_verify_other(v->request));
    htp_json_string(json, "status", "ok");
    htp_json_string(json, "runtime", htp_runtime_version(v->request->runtime));
    htp_json_number(json, "level", v->request->level);
    add_tolerance(json, v);
    htp_json_bool(json, "is_beyond", v->is_beyond);
    htp_json_bool(json, "is_unknown", v->is_unknown);
    htp_json_count(json, "outputs", v->outputs[0]);
    htp_json_count(json, "outputs_not_compared", v->outputs[1]);
    add_sizes(json, v);
    htp_json_count(json, "compared", v->compared);
    add_pair(json, "without_counterpart", v->unmatched);
    htp_json_count(json, "inside_of_modules", v->inside);
    add_pair(json, "nodes_in_bodies", v->in_bodies);
    if (v->first == HTP_NONE) {
        htp_json_null(json, "first");
    } else {
        htp_slice address = htp_tree_address(&htp_verified_tree(v)->modules[v->first]);
        htp_json_string_part(json, "first", address.at, address.length);
    }
    htp_json_string(json, "first_tensor", htp_verified_first_tensor(v));
}

const char *htp_report_verification_json(htp_arena *arena, const htp_verification *verification)
{
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_verified_summary(&json, verification);
    add_modules(&json, verification);
    add_nodes(&json, verification);
    htp_verified_lengths_json(&json, verification);
    htp_verified_uncompared_json(&json, verification);
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
