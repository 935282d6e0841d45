/*
 * Differences of two models as JSON.
 */
#include "report/compare/compare.h"

#include "report/tree/values.h"

#include <math.h>

static const char *const keys[HTP_COMPARED] = {"a", "b"};

static void add_slice(htp_json *json, const char *key, htp_slice slice)
{
    htp_json_string_part(json, key, slice.at, slice.length);
}

static void add_tags(htp_json *json, const char *key, const htp_tree *tree, uint32_t node)
{
    htp_view_range tags = tree->places[node].tags;
    htp_json_begin(json, key, '[');
    for (uint32_t i = 0; i < tags.count; i++) {
        add_slice(json, NULL, tree->modules[tree->owners.items[tags.first + i]].tag);
    }
    htp_json_end(json, ']');
}

static void add_pair(htp_json *json, const char *key, const uint32_t counts[HTP_COMPARED])
{
    htp_json_begin(json, key, '{');
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_json_count(json, keys[m], counts[m]);
    }
    htp_json_end(json, '}');
}

/* A share from 0 to 1; null if @p whole is 0. */
static void add_share(htp_json *json, const char *key, uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        htp_json_null(json, key);
    } else {
        htp_json_double(json, key, (double)part / (double)whole);
    }
}

static void add_node(htp_json *json, const char *key, const htp_comparison *c, int m, uint32_t node)
{
    const htp_view *view = c->views[m];
    if (node == HTP_NONE) {
        htp_json_null(json, key);
        return;
    }
    htp_json_begin(json, key, '{');
    htp_json_string(json, "name", htp_view_text(view, view->nodes.items[node].name));
    htp_json_string(json, "node", htp_view_call_node(view, node));
    htp_json_string(json, "op_type", htp_view_text(view, view->nodes.items[node].op_type));
    add_tags(json, "tags", c->trees[m], node);
    htp_json_end(json, '}');
}

/* Null: infinite. */
static void add_finite(htp_json *json, const char *key, double number)
{
    if (isfinite(number)) {
        htp_json_double(json, key, number);
    } else {
        htp_json_null(json, key);
    }
}

/* Null: constants do not differ, or it is not known by how much. */
static void add_change(htp_json *json, const htp_constant_change *change)
{
    if (!change->is_known) {
        htp_json_null(json, "constants");
        return;
    }
    htp_json_begin(json, "constants", '{');
    add_finite(json, "largest", change->largest);
    add_finite(json, "relative", change->relative);
    htp_json_end(json, '}');
}

static void add_nodes(htp_json *json, const htp_comparison *c)
{
    htp_json_begin(json, "nodes", '{');
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_json_count(json, keys[m], c->fingerprints[m].units);
    }
    htp_json_count(json, "corresponding", c->correspondence.count);
    htp_json_begin(json, "share", '{');
    for (int m = 0; m < HTP_COMPARED; m++) {
        add_share(json, keys[m], c->correspondence.count, c->fingerprints[m].units);
    }
    htp_json_end(json, '}');
    htp_json_begin(json, "not_corresponding", '{');
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_json_begin(json, keys[m], '[');
        for (size_t i = 0; i < c->unmatched[m].count; i++) {
            const htp_unmatched *unmatched = &c->unmatched[m].items[i];
            const char *words[3];
            size_t count = htp_report_differences(unmatched->differences, words);
            htp_json_begin(json, NULL, '{');
            add_node(json, "node", c, m, unmatched->node);
            add_node(json, "counterpart", c, HTP_COMPARED - 1 - m, unmatched->counterpart);
            htp_json_begin(json, "differences", '[');
            for (size_t w = 0; w < count; w++) {
                htp_json_string(json, NULL, words[w]);
            }
            htp_json_end(json, ']');
            add_change(json, &unmatched->change);
            htp_json_end(json, '}');
        }
        htp_json_end(json, ']');
    }
    htp_json_end(json, '}');
    htp_json_end(json, '}');
}

/* The modules that stand for one another; null: the roots do. */
static void add_roots(htp_json *json, const htp_comparison *c)
{
    if (!c->roots.are_aligned) {
        htp_json_null(json, "roots");
        return;
    }
    htp_json_begin(json, "roots", '{');
    for (int m = 0; m < HTP_COMPARED; m++) {
        add_slice(json, keys[m], c->roots.tags[m]);
    }
    htp_json_end(json, '}');
}

static void add_counts(htp_json *json, const char *key, const char *name,
                       const htp_compared_counts *counts)
{
    htp_json_begin(json, key, '[');
    for (size_t i = 0; i < counts->count; i++) {
        const htp_compared_count *row = &counts->items[i];
        htp_json_begin(json, NULL, '{');
        add_slice(json, name, row->name);
        for (int m = 0; m < HTP_COMPARED; m++) {
            htp_json_count(json, keys[m], row->nodes[m]);
        }
        add_pair(json, "corresponding", row->corresponding);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

static void add_values(htp_json *json, const htp_comparison *c, const char *key, bool is_output)
{
    htp_json_begin(json, key, '[');
    for (size_t i = 0; i < c->values.count; i++) {
        const htp_compared_value *value = &c->values.items[i];
        if (value->is_output != is_output) {
            continue;
        }
        htp_json_begin(json, NULL, '{');
        for (int m = 0; m < HTP_COMPARED; m++) {
            if (value->values[m] == HTP_NONE) {
                htp_json_null(json, keys[m]);
                continue;
            }
            const htp_view *view = c->views[m];
            htp_value_type type = htp_value_type_find(json->text.arena, view, value->values[m]);
            htp_json_begin(json, keys[m], '{');
            htp_json_string(json, "name",
                            htp_view_text(view, view->values.items[value->values[m]].name));
            htp_report_type_json(json, &type);
            htp_json_end(json, '}');
        }
        bool has_both = value->values[0] != HTP_NONE && value->values[1] != HTP_NONE;
        htp_json_bool(json, "is_equal",
                      has_both && !value->has_other_type && !value->has_other_source);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

static void add_constants(htp_json *json, const htp_comparison *c)
{
    htp_json_begin(json, "constants", '{');
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_json_count(json, keys[m], c->constants[m]);
    }
    add_pair(json, "equal", c->equal_constants);
    htp_json_begin(json, "only_in", '{');
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_json_begin(json, keys[m], '[');
        for (size_t i = 0; i < c->only[m].count; i++) {
            const htp_compared_constant *constant = &c->only[m].items[i];
            htp_json_begin(json, NULL, '{');
            htp_json_string(json, "name", htp_view_text(c->views[m], constant->name));
            htp_json_bool(json, "is_initializer", constant->tensor != HTP_NONE);
            if (constant->tensor != HTP_NONE) {
                htp_value_type type =
                    htp_value_type_of_tensor(json->text.arena, c->views[m], constant->tensor);
                htp_report_type_json(json, &type);
            }
            htp_json_end(json, '}');
        }
        htp_json_end(json, ']');
    }
    htp_json_end(json, '}');
    htp_json_end(json, '}');
}

static void add_facts(htp_json *json, const htp_comparison *c)
{
    htp_json_begin(json, "metadata", '[');
    for (size_t i = 0; i < c->facts.count; i++) {
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "what", c->facts.items[i].name);
        for (int m = 0; m < HTP_COMPARED; m++) {
            htp_json_string(json, keys[m], c->facts.items[i].texts[m]);
        }
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

static void add_disagreements(htp_json *json, const htp_comparison *c)
{
    if (!c->has_tags) {
        htp_json_null(json, "tags");
        return;
    }
    htp_json_begin(json, "tags", '{');
    htp_json_count(json, "compared", c->correspondence.count);
    htp_json_begin(json, "disagreeing", '[');
    for (size_t i = 0; i < c->tags.count; i++) {
        htp_json_begin(json, NULL, '{');
        for (int m = 0; m < HTP_COMPARED; m++) {
            add_node(json, keys[m], c, m, c->tags.items[i].nodes[m]);
        }
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
    htp_json_end(json, '}');
}

const char *htp_report_comparison_json(htp_arena *arena, const htp_comparison *comparison)
{
    const htp_comparison *c = comparison;
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    for (int m = 0; m < HTP_COMPARED; m++) {
        htp_json_begin(&json, keys[m], '{');
        htp_json_string(&json, "model", c->views[m]->path);
        htp_json_string(&json, "hierarchy", c->trees[m]->source_text);
        htp_json_end(&json, '}');
    }
    htp_json_string(&json, "status", c->is_different ? "different" : "ok");
    htp_json_bool(&json, "identical_topology", c->has_same_topology);
    add_roots(&json, c);
    add_nodes(&json, c);
    add_counts(&json, "operators", "op_type", &c->operators);
    if (c->has_modules) {
        add_counts(&json, "modules", "tag", &c->modules);
    } else {
        htp_json_null(&json, "modules");
    }
    add_values(&json, c, "inputs", false);
    add_values(&json, c, "outputs", true);
    htp_json_count(&json, "other_function_outputs", c->function_outputs);
    add_constants(&json, c);
    add_facts(&json, c);
    add_disagreements(&json, c);
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
