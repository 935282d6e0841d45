/*
 * Metrics as JSON.
 */
#include "report/quality/quality.h"

#include "query/dataflow/source_line.h"

#include <string.h>

static const char *const specificities[HTP_SPECIFICITIES] = {
    [HTP_SPECIFIC_DEEPEST] = "deepest",
    [HTP_SPECIFIC_ANCESTOR] = "ancestor",
    [HTP_SPECIFIC_ROOT] = "root",
};

static const char *const scopes[HTP_SCOPES] = {
    [HTP_SCOPE_FULL] = "full",
    [HTP_SCOPE_CLASS] = "class",
    [HTP_SCOPE_NAME] = "name",
    [HTP_SCOPE_NONE] = "none",
};

static const char *const oracles[HTP_ORACLES] = {
    [HTP_ORACLE_WEIGHTS] = "weights",
    [HTP_ORACLE_CALLS] = "calls",
};

double htp_report_score(const htp_quality *quality, uint32_t module)
{
    const htp_quality_module *facts = &quality->modules[module];
    return facts->nodes == 0 ? -1 : 100.0 * (double)facts->good / (double)facts->nodes;
}

static void add_slice(htp_json *json, const char *key, htp_slice slice)
{
    htp_json_string_part(json, key, slice.at ? slice.at : "", slice.length);
}

/* A number; null if it is negative. */
static void add_known(htp_json *json, const char *key, double value)
{
    if (value < 0) {
        htp_json_null(json, key);
    } else {
        htp_json_double(json, key, value);
    }
}

static void add_index(htp_json *json, const char *key, uint32_t index)
{
    if (index == HTP_NONE) {
        htp_json_null(json, key);
    } else {
        htp_json_count(json, key, index);
    }
}

static void add_measure(htp_json *json, const char *key, const htp_measure *measure)
{
    htp_json_begin(json, key, '{');
    htp_json_count(json, "count", measure->count);
    htp_json_count(json, "of", measure->of);
    add_known(json, "percent", htp_measure_percent(measure));
    if (measure->of == 0 && measure->reason) {
        htp_json_string(json, "reason", measure->reason);
    }
    htp_json_end(json, '}');
}

/* All measures of the whole; of parts, those with a value. */
static void add_measures(htp_json *json, const htp_measures *measures, bool is_whole)
{
    htp_json_begin(json, "metrics", '{');
    for (int i = 0; i < HTP_METRICS; i++) {
        if (is_whole || measures->of[i].of > 0) {
            add_measure(json, htp_metric_name((htp_metric)i), &measures->of[i]);
        }
    }
    htp_json_end(json, '}');
}

static void add_reference(htp_json *json, const htp_reference *reference, const char *file)
{
    if (!reference) {
        htp_json_null(json, "reference");
        return;
    }
    htp_json_begin(json, "reference", '{');
    htp_json_string(json, "file", file);
    htp_json_string(json, "kind", reference->kind);
    htp_json_count(json, "matched", reference->matched);
    htp_json_count(json, "unmatched", reference->unmatched);
    htp_json_end(json, '}');
}

static void add_facts(htp_json *json, const htp_quality *q)
{
    const htp_subject *s = q->subject;
    htp_json_count(json, "nodes", s->node_count);
    htp_json_count(json, "tensors", q->tensors);
    htp_json_count(json, "weights", q->weights);
    htp_json_count(json, "module_count", s->module_count);
    htp_json_count(json, "depth", q->depth_count);
    add_measures(json, &q->measures, true);
    htp_json_begin(json, "specificity", '{');
    for (int i = 0; i < HTP_SPECIFICITIES; i++) {
        htp_json_count(json, specificities[i], q->specificity[i]);
    }
    htp_json_end(json, '}');
    htp_json_begin(json, "scopes", '{');
    for (int i = 0; i < HTP_SCOPES; i++) {
        htp_json_count(json, scopes[i], q->scopes[i]);
    }
    htp_json_end(json, '}');
}

static void add_depths(htp_json *json, const htp_quality *q)
{
    htp_json_begin(json, "depths", '[');
    for (uint32_t i = 0; i < q->depth_count; i++) {
        htp_json_begin(json, NULL, '{');
        htp_json_count(json, "depth", i);
        htp_json_count(json, "modules", q->depths[i].modules);
        htp_json_count(json, "nodes", q->depths[i].nodes);
        add_measures(json, &q->depths[i].measures, false);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

/* ---- layers ---- */

static void add_tags(htp_json *json, const char *key, const htp_quality *q,
                     const htp_quality_layer *layer, const char *more)
{
    htp_json_begin(json, key, '[');
    for (uint32_t i = 0; i < layer->count; i++) {
        add_slice(json, NULL, q->subject->tree->modules[layer->members[i]].tag);
    }
    if (more) {
        htp_json_string(json, NULL, more);
    }
    htp_json_end(json, ']');
}

static void add_confusion(htp_json *json, const htp_quality *q, const htp_quality_layer *layer)
{
    htp_json_begin(json, "confusion", '{');
    for (int oracle = 0; oracle < HTP_ORACLES; oracle++) {
        const htp_confusion *confusion = &layer->confusion[oracle];
        if (!confusion->is_known) {
            continue;
        }
        htp_json_begin(json, oracles[oracle], '{');
        add_tags(json, "columns", q, layer, "elsewhere");
        add_tags(json, "rows", q, layer, NULL);
        htp_json_begin(json, "counts", '[');
        for (uint32_t i = 0; i < layer->count; i++) {
            htp_json_begin(json, NULL, '[');
            for (uint32_t k = 0; k <= layer->count; k++) {
                htp_json_count(json, NULL, confusion->counts[(size_t)i * (layer->count + 1U) + k]);
            }
            htp_json_end(json, ']');
        }
        htp_json_end(json, ']');
        htp_json_end(json, '}');
    }
    htp_json_end(json, '}');
}

static void add_layer(htp_json *json, const htp_quality *q, const htp_quality_layer *layer)
{
    const htp_tree_module *modules = q->subject->tree->modules;
    uint64_t nodes = 0;
    uint64_t good = 0;
    for (uint32_t i = 0; i < layer->count; i++) {
        nodes += q->modules[layer->members[i]].nodes;
        good += q->modules[layer->members[i]].good;
    }
    htp_json_begin(json, NULL, '{');
    add_index(json, "parent", layer->parent);
    add_slice(json, "structure", modules[layer->members[0]].class_name);
    add_known(json, "score", nodes == 0 ? -1 : 100.0 * (double)good / (double)nodes);
    htp_json_begin(json, "members", '[');
    for (uint32_t i = 0; i < layer->count; i++) {
        uint32_t member = layer->members[i];
        htp_json_begin(json, NULL, '{');
        htp_json_count(json, "module", member);
        htp_json_count(json, "nodes", q->modules[member].nodes);
        add_known(json, "score", htp_report_score(q, member));
        add_measures(json, &q->modules[member].measures, false);
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
    add_confusion(json, q, layer);
    htp_json_end(json, '}');
}

static void add_layers(htp_json *json, const htp_quality *q)
{
    htp_json_begin(json, "layers", '[');
    for (size_t i = 0; i < q->layers.count; i++) {
        add_layer(json, q, &q->layers.items[i]);
    }
    htp_json_end(json, ']');
}

/* ---- modules and nodes ---- */

static void add_module(htp_json *json, const htp_quality *q, uint32_t index)
{
    const htp_subject *s = q->subject;
    const htp_tree_module *module = &s->tree->modules[index];
    const htp_quality_module *facts = &q->modules[index];
    htp_json_begin(json, NULL, '{');
    add_slice(json, "tag", module->tag);
    add_slice(json, "full_tag", module->full_tag);
    add_slice(json, "path", s->paths[index]);
    add_slice(json, "class", module->class_name);
    add_index(json, "parent", module->parent);
    htp_json_count(json, "depth", module->depth);
    htp_json_bool(json, "has_tag", module->has_tag);
    htp_json_count(json, "own", module->has_tag ? module->nodes_own : facts->ran);
    htp_json_count(json, "total", module->has_tag ? module->nodes_total : facts->ran);
    htp_json_count(json, "parameters", module->parameters);
    htp_json_count(json, "bytes", module->bytes);
    if (facts->milliseconds >= 0) {
        htp_json_double(json, "milliseconds", facts->milliseconds);
    }
    add_known(json, "score", htp_report_score(q, index));
    if (facts->has_region) {
        htp_json_bool(json, "convex", facts->is_convex);
    } else {
        htp_json_null(json, "convex");
    }
    htp_json_end(json, '}');
}

static void add_source(htp_json *json, const htp_subject *s, uint32_t node)
{
    htp_source_line source = htp_source_line_find(s->view, s->tree, node);
    htp_text text = {.arena = json->text.arena};
    if (source.file.at) {
        htp_text_add_bytes(&text, source.file.at, source.file.length);
        htp_text_add(&text, ":");
        htp_text_add_bytes(&text, source.line.at, source.line.length);
    }
    htp_json_string(json, NULL, htp_text_string(&text));
}

static void add_truth(htp_json *json, const htp_quality *q, uint32_t node)
{
    bool is_known = false;
    for (int oracle = 0; oracle < HTP_ORACLES; oracle++) {
        is_known = is_known || q->truth[oracle][node] != HTP_NONE;
    }
    if (!is_known) {
        htp_json_null(json, NULL);
        return;
    }
    htp_json_begin(json, NULL, '{');
    for (int oracle = 0; oracle < HTP_ORACLES; oracle++) {
        if (q->truth[oracle][node] != HTP_NONE) {
            htp_json_count(json, oracles[oracle], q->truth[oracle][node]);
        }
    }
    htp_json_end(json, '}');
}

static void add_node(htp_json *json, const htp_quality *q, uint32_t node)
{
    const htp_subject *s = q->subject;
    const htp_view_node *facts = &s->view->nodes.items[node];
    uint32_t module = s->module_of[node];
    htp_slice tag = module == HTP_NONE ? htp_slice_of("") : s->tree->modules[module].tag;
    htp_json_begin(json, NULL, '[');
    htp_json_string(json, NULL, htp_view_text(s->view, facts->name));
    htp_json_string(json, NULL, htp_view_text(s->view, facts->op_type));
    add_index(json, NULL, module);
    add_slice(json, NULL, tag);
    htp_json_string(json, NULL, scopes[q->scope[node]]);
    add_source(json, s, node);
    htp_json_begin(json, NULL, '[');
    for (int i = 0; i < HTP_METRICS; i++) {
        if (q->problems[node] >> i & 1) {
            htp_json_string(json, NULL, htp_metric_name((htp_metric)i));
        }
    }
    htp_json_end(json, ']');
    add_truth(json, q, node);
    htp_json_end(json, ']');
}

static void add_nodes(htp_json *json, const htp_quality *q)
{
    static const char *const columns[] = {"name",  "op_type", "module",   "tag",
                                          "scope", "source",  "problems", "truth"};
    htp_json_begin(json, "nodes_table", '{');
    htp_json_begin(json, "columns", '[');
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        htp_json_string(json, NULL, columns[i]);
    }
    htp_json_end(json, ']');
    htp_json_begin(json, "rows", '[');
    for (uint32_t n = 0; n < q->subject->node_count; n++) {
        htp_json_line(json);
        add_node(json, q, n);
    }
    htp_json_end(json, ']');
    htp_json_end(json, '}');
}

/* The summary of a model, without its modules and nodes. */
static void add_summary(htp_json *json, const htp_quality *q)
{
    add_facts(json, q);
    add_depths(json, q);
    add_layers(json, q);
}

static void add_model(htp_json *json, const htp_quality_entry *entry)
{
    const htp_quality *q = entry->quality;
    htp_json_begin(json, NULL, '{');
    htp_json_string(json, "file", q->subject->view->path);
    htp_json_string(json, "role", entry->is_against ? "against" : "model");
    htp_json_string(json, "hierarchy", q->subject->tree->source_text);
    add_reference(json, q->reference, q->reference ? q->reference->file : NULL);
    add_summary(json, q);
    htp_json_begin(json, "modules", '[');
    for (uint32_t i = 0; i < q->subject->module_count; i++) {
        add_module(json, q, i);
    }
    htp_json_end(json, ']');
    add_nodes(json, q);
    htp_json_end(json, '}');
}

void htp_report_quality_json(htp_json *json, const htp_quality_report *report)
{
    htp_json_begin(json, NULL, '{');
    htp_json_count(json, "htp_quality", 1);
    htp_json_begin(json, "models", '[');
    for (size_t i = 0; i < report->count; i++) {
        add_model(json, &report->entries[i]);
    }
    htp_json_end(json, ']');
    htp_json_end(json, '}');
}

void htp_report_quality_part(htp_json *json, const htp_quality *quality)
{
    const char *file = quality->reference ? quality->reference->file : "";
    const char *slash = strrchr(file, '/');
    htp_json_begin(json, NULL, '{');
    add_reference(json, quality->reference, slash ? slash + 1 : file);
    add_summary(json, quality);
    htp_json_end(json, '}');
}
