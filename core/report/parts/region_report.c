/*
 * A region: its border, its nodes, its weights and their other readers.
 */
#include "report/parts/border_report.h"
#include "report/tree/model_report.h"

#include "onnx/shape_inference/infer_view.h"
#include "query/dataflow/source_line.h"
#include "report/tree/values.h"

#include <inttypes.h>
#include <string.h>

/* Modules outside of the region that read a weight. */
typedef HTP_VECTOR(uint32_t) module_list;

/* Everything that is printed. */
struct facts {
    const htp_region *region;
    const htp_view *view;
    const htp_tree *tree;
    htp_view_types *types;
    htp_region_values inputs, outputs;
    bool *has_weight;     /* by tensor */
    module_list *sharers; /* by tensor */
    uint64_t weight_count, weight_bytes;
};

static uint32_t module_of(const struct facts *facts, uint32_t node)
{
    htp_view_range tags = facts->tree->places[node].tags;
    return tags.count > 0 ? facts->tree->owners.items[tags.first] : HTP_NONE;
}

/* Notes once that @p module reads @p tensor. */
static void note_sharer(htp_arena *arena, htp_map *known, struct facts *facts, uint32_t tensor,
                        uint32_t module)
{
    const uint32_t key[] = {tensor, module};
    if (htp_map_add_bytes(arena, known, key, sizeof(key), NULL)) {
        HTP_PUSH(arena, &facts->sharers[tensor], module);
    }
}

static void find_sharers(htp_arena *arena, struct facts *facts)
{
    const htp_view *view = facts->view;
    htp_map known = {0};
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_view_range read = view->nodes.items[n].inputs;
        for (uint32_t i = 0; !facts->region->has_node[n] && i < read.count; i++) {
            uint32_t value = view->operands.items[read.first + i];
            uint32_t tensor = value == HTP_NONE ? HTP_NONE : view->values.items[value].initializer;
            uint32_t module = module_of(facts, n);
            if (tensor != HTP_NONE && facts->has_weight[tensor] && module != HTP_NONE) {
                note_sharer(arena, &known, facts, tensor, module);
            }
        }
    }
}

static struct facts find_facts(htp_arena *arena, const htp_region *region)
{
    struct facts facts = {.region = region, .view = region->view, .tree = region->tree};
    facts.types = htp_view_types_new(arena, region->view);
    htp_region_find_border(arena, region, &facts.inputs, &facts.outputs);
    facts.has_weight = htp_region_find_weights(arena, region);
    facts.sharers = HTP_NEW_ARRAY(arena, module_list, facts.view->tensors.count + 1);
    find_sharers(arena, &facts);
    for (size_t i = 0; i < facts.view->tensors.count; i++) {
        if (facts.has_weight[i]) {
            facts.weight_count++;
            facts.weight_bytes += facts.view->tensors.items[i].bytes;
        }
    }
    return facts;
}

/* The source line of a node: "model.py:12"; "" if unknown. */
static const char *source_of(htp_arena *arena, const struct facts *facts, uint32_t node)
{
    htp_source_line source = htp_source_line_find(facts->view, facts->tree, node);
    if (source.file.length == 0) {
        return "";
    }
    const char *slash = memrchr(source.file.at, '/', source.file.length);
    const char *name = slash ? slash + 1 : source.file.at;
    return htp_arena_printf(arena, "%.*s:%.*s", (int)(source.file.at + source.file.length - name),
                            name, (int)source.line.length, source.line.at);
}

/* ---- text ---- */

static void add_nodes(htp_text *text, const struct facts *facts)
{
    const htp_view *view = facts->view;
    htp_text_addf(text, "\nnodes (%s)\n", htp_text_grouped(text->arena, facts->region->node_count));
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (facts->region->has_node[n]) {
            const char *source = source_of(text->arena, facts, n);
            htp_report_add_pair(text, htp_view_call_node(view, n),
                                htp_arena_printf(text->arena, "%s%s%s",
                                                 htp_view_text(view, view->nodes.items[n].op_type),
                                                 *source ? "  " : "", source));
        }
    }
}

static void add_weights(htp_text *text, const struct facts *facts)
{
    htp_text_addf(text, "\nweights (%s, %s)\n", htp_text_grouped(text->arena, facts->weight_count),
                  htp_report_bytes(text->arena, facts->weight_bytes));
    for (uint32_t i = 0; i < facts->view->tensors.count; i++) {
        if (!facts->has_weight[i]) {
            continue;
        }
        htp_value_type type = htp_value_type_of_tensor(text->arena, facts->view, i);
        const module_list *sharers = &facts->sharers[i];
        htp_report_add_pair(text, htp_view_text(facts->view, facts->view->tensors.items[i].name),
                            htp_value_type_text(text->arena, &type));
        for (size_t k = 0; k < sharers->count; k++) {
            htp_report_add_pair(
                text,
                htp_arena_printf(text->arena, "    shared with %s",
                                 htp_report_tag(text->arena, facts->tree, sharers->items[k])),
                "");
        }
    }
}

const char *htp_report_region(htp_arena *arena, const htp_region *region, const char *address)
{
    struct facts facts = find_facts(arena, region);
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%s, by %s\n", htp_text_printable(arena, address),
                  region->tree->source_text);
    const htp_border_facts border = {facts.view, facts.tree, facts.types};
    htp_report_border(&text, &border, "inputs", &facts.inputs, false);
    htp_report_border(&text, &border, "outputs", &facts.outputs, true);
    add_nodes(&text, &facts);
    add_weights(&text, &facts);
    return htp_text_string(&text);
}

/* ---- JSON ---- */

static void add_nodes_json(htp_json *json, const struct facts *facts)
{
    const htp_view *view = facts->view;
    htp_json_begin(json, "nodes", '[');
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (facts->region->has_node[n]) {
            htp_json_begin(json, NULL, '{');
            htp_json_string(json, "name", htp_view_text(view, view->nodes.items[n].name));
            htp_json_string(json, "op_type", htp_view_text(view, view->nodes.items[n].op_type));
            htp_report_tag_json(json, "tag", facts->tree, module_of(facts, n));
            htp_json_string(json, "source", source_of(json->text.arena, facts, n));
            htp_json_end(json, '}');
        }
    }
    htp_json_end(json, ']');
}

static void add_weights_json(htp_json *json, const struct facts *facts)
{
    const htp_view *view = facts->view;
    htp_json_begin(json, "weights", '[');
    for (uint32_t i = 0; i < view->tensors.count; i++) {
        if (!facts->has_weight[i]) {
            continue;
        }
        htp_value_type type = htp_value_type_of_tensor(json->text.arena, view, i);
        htp_json_begin(json, NULL, '{');
        htp_json_string(json, "name", htp_view_text(view, view->tensors.items[i].name));
        htp_report_type_json(json, &type);
        htp_json_count(json, "bytes", view->tensors.items[i].bytes);
        htp_json_begin(json, "shared_with", '[');
        for (size_t k = 0; k < facts->sharers[i].count; k++) {
            htp_report_tag_json(json, NULL, facts->tree, facts->sharers[i].items[k]);
        }
        htp_json_end(json, ']');
        htp_json_end(json, '}');
    }
    htp_json_end(json, ']');
}

const char *htp_report_region_json(htp_arena *arena, const htp_region *region, const char *address)
{
    struct facts facts = find_facts(arena, region);
    htp_json json = {.text.arena = arena};
    htp_report_begin_model(&json, facts.view);
    htp_json_string(&json, "module", address);
    htp_json_string(&json, "hierarchy", facts.tree->source_text);
    const htp_border_facts border = {facts.view, facts.tree, facts.types};
    htp_report_crossing_json(&json, &border, &facts.inputs, false);
    htp_report_crossing_json(&json, &border, &facts.outputs, true);
    add_nodes_json(&json, &facts);
    add_weights_json(&json, &facts);
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
