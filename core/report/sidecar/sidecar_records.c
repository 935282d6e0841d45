/*
 * The records of a sidecar, one each.
 */
#include "report/sidecar/sidecar_facts.h"

#include "onnx/metadata/annotate.h"
#include "onnx/proto/tensor_type.h"
#include "query/dataflow/source_line.h"
#include "report/tree/values.h"

#include <cjson/cJSON.h>
#include <string.h>

static const char torch_nn[] = "torch.nn.";

static void put_slice(htp_json *json, const char *key, htp_slice slice)
{
    htp_json_string_part(json, key, slice.at, slice.length);
}

/* A text; null if it is empty. */
static void put_known(htp_json *json, const char *key, htp_slice slice)
{
    if (slice.length == 0) {
        htp_json_null(json, key);
    } else {
        put_slice(json, key, slice);
    }
}

static void put_tag(const htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t module)
{
    if (module == HTP_NONE) {
        htp_json_null(json, key);
    } else {
        put_slice(json, key, sidecar->tree->modules[module].tag);
    }
}

/* ---- modules ---- */

/* A list of strings of a record; null if the record has none. */
static void put_strings(htp_json *json, const char *key, const cJSON *record)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(record, key);
    const cJSON *item;
    if (!cJSON_IsArray(list)) {
        htp_json_null(json, key);
        return;
    }
    htp_json_begin(json, key, '[');
    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_IsString(item)) {
            htp_json_string(json, NULL, item->valuestring);
        }
    }
    htp_json_end(json, ']');
}

static bool is_count(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e18;
}

static void put_number(htp_json *json, const char *key, const cJSON *record)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, key);
    if (is_count(item)) {
        htp_json_count(json, key, (uint64_t)item->valuedouble);
    } else {
        htp_json_null(json, key);
    }
}

static void put_shapes(htp_json *json, const cJSON *parameters)
{
    const cJSON *shapes = cJSON_GetObjectItemCaseSensitive(parameters, "shapes");
    const cJSON *shape;
    if (!cJSON_IsObject(shapes)) {
        htp_json_null(json, "shapes");
        return;
    }
    htp_json_begin(json, "shapes", '{');
    cJSON_ArrayForEach(shape, shapes)
    {
        const cJSON *dim;
        htp_json_begin(json, shape->string, '[');
        cJSON_ArrayForEach(dim, shape)
        {
            if (is_count(dim)) {
                htp_json_count(json, NULL, (uint64_t)dim->valuedouble);
            }
        }
        htp_json_end(json, ']');
    }
    htp_json_end(json, '}');
}

static void put_parameters(htp_json *json, const htp_tree_module *module, const cJSON *record)
{
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(record, "parameters");
    htp_json_begin(json, "parameters", '{');
    put_number(json, "own", parameters);
    htp_json_count(json, "total", module->parameters);
    put_number(json, "trainable", parameters);
    htp_json_count(json, "bytes", module->bytes);
    put_shapes(json, parameters);
    htp_json_end(json, '}');
}

static void put_nodes_of(const htp_sidecar *sidecar, htp_json *json, uint32_t index)
{
    const htp_tree_module *module = &sidecar->tree->modules[index];
    htp_json_begin(json, "nodes", '{');
    htp_json_count(json, "own", sidecar->own[index]);
    htp_json_count(json, "tagged", module->has_tag ? module->nodes_own : 0);
    htp_json_count(json, "total", module->has_tag ? module->nodes_total : sidecar->ran[index]);
    htp_json_end(json, '}');
}

void htp_sidecar_put_module(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t module)
{
    const htp_tree_module *item = &sidecar->tree->modules[module];
    const cJSON *record = htp_tree_hold_record(json->text.arena, sidecar->tree, module);
    htp_slice class = item->qualified_class;
    htp_json_begin(json, key, '{');
    put_slice(json, "tag", item->tag);
    htp_json_string(json, "full_tag", sidecar->keys.modules[module]);
    htp_json_bool(json, "has_tag", item->has_tag);
    htp_json_string(json, "parent",
                    item->parent == HTP_NONE ? NULL : sidecar->keys.modules[item->parent]);
    if (item->has_path) {
        put_slice(json, "path", item->path);
    } else {
        htp_json_null(json, "path");
    }
    put_strings(json, "aliases", record);
    put_known(json, "class", item->class_name);
    put_known(json, "qualified_class", class);
    if (class.length > 0) {
        htp_json_bool(json, "is_torch_nn",
                      class.length >= strlen(torch_nn) &&
                          memcmp(class.at, torch_nn, strlen(torch_nn)) == 0);
    } else {
        htp_json_null(json, "is_torch_nn");
    }
    htp_json_bool(json, "is_leaf", !sidecar->has_children[module]);
    htp_json_count(json, "level", sidecar->levels[module]);
    put_strings(json, "children", record);
    if (item->calls == HTP_TREE_CALLS_UNKNOWN) {
        htp_json_null(json, "calls");
    } else {
        htp_json_count(json, "calls", item->calls);
    }
    put_parameters(json, item, record);
    put_strings(json, "buffers", record);
    put_nodes_of(sidecar, json, module);
    htp_json_end(json, '}');
}

/* ---- operations ---- */

static void put_values(const htp_sidecar *sidecar, htp_json *json, const char *key,
                       htp_view_range range)
{
    htp_json_begin(json, key, '[');
    for (uint32_t i = range.first; i < range.first + range.count; i++) {
        uint32_t value = sidecar->view->operands.items[i];
        htp_json_string(json, NULL, value == HTP_NONE ? "" : sidecar->keys.values[value]);
    }
    htp_json_end(json, ']');
}

static void put_tags(const htp_sidecar *sidecar, htp_json *json, uint32_t node)
{
    htp_view_range tags = sidecar->tree->places[node].tags;
    htp_json_begin(json, "tags", '[');
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++) {
        put_tag(sidecar, json, NULL, sidecar->tree->owners.items[i]);
    }
    htp_json_end(json, ']');
}

/* The number of a line. */
static void put_line(htp_json *json, htp_slice digits)
{
    enum { MAX_DIGITS = 15 };
    uint64_t number = 0;
    for (size_t i = 0; i < digits.length; i++) {
        number = number * 10 + (uint64_t)(digits.at[i] - '0');
    }
    if (digits.length == 0 || digits.length > MAX_DIGITS) {
        htp_json_null(json, "line");
    } else {
        htp_json_count(json, "line", number);
    }
}

static void put_source(const htp_sidecar *sidecar, htp_json *json, uint32_t node)
{
    htp_source_line source = htp_source_line_find(sidecar->view, sidecar->tree, node);
    if (source.file.length == 0) {
        htp_json_null(json, "source");
        return;
    }
    htp_json_begin(json, "source", '{');
    put_slice(json, "file", source.file);
    put_line(json, source.line);
    htp_json_end(json, '}');
}

/* A metadata text of the node. */
static void put_property(const htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t node,
                         htp_view_name name)
{
    const htp_view_property *property =
        htp_view_find_property(sidecar->view, sidecar->view->nodes.items[node].properties, name);
    if (property) {
        htp_json_string_part(json, key, (const char *)property->value.at, property->value.bytes);
    } else {
        htp_json_null(json, key);
    }
}

void htp_sidecar_put_node(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t node)
{
    const htp_view *view = sidecar->view;
    const htp_view_node *item = &view->nodes.items[node];
    const htp_view_graph *graph = &view->graphs.items[item->graph];
    uint32_t innermost = sidecar->tree->places[node].innermost;
    bool is_placed = innermost != HTP_NONE;
    const htp_tree_module *module = is_placed ? &sidecar->tree->modules[innermost] : NULL;
    htp_json_begin(json, key, '{');
    htp_json_string(json, "op_type", htp_view_text(view, item->op_type));
    htp_json_string(json, "domain", htp_view_text(view, item->domain));
    put_values(sidecar, json, "inputs", item->inputs);
    put_values(sidecar, json, "outputs", item->outputs);
    put_tags(sidecar, json, node);
    htp_json_string(json, "full_tag", is_placed ? sidecar->keys.modules[innermost] : NULL);
    if (module && module->has_path) {
        put_slice(json, "scope", module->path);
    } else {
        htp_json_null(json, "scope");
    }
    put_source(sidecar, json, node);
    put_property(sidecar, json, "call", node, sidecar->call);
    htp_json_string(json, "body_of",
                    graph->node == HTP_NONE ? NULL : sidecar->keys.nodes[graph->node]);
    htp_json_string(json, "function",
                    graph->function == HTP_NONE
                        ? NULL
                        : htp_view_text(view, view->functions.items[graph->function].name));
    htp_json_end(json, '}');
}

/* The distinct tags of a value's readers. */
static void put_readers(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t value)
{
    htp_json_begin(json, key, '[');
    htp_sidecar_begin_list(sidecar);
    uint32_t end = value == HTP_NONE ? 0 : sidecar->readers.first[value + 1U];
    for (uint32_t i = value == HTP_NONE ? 0 : sidecar->readers.first[value]; i < end; i++) {
        uint32_t module = htp_sidecar_module_of(sidecar, sidecar->readers.items[i]);
        if (module != HTP_NONE && htp_sidecar_is_new(sidecar, module)) {
            put_tag(sidecar, json, NULL, module);
        }
    }
    htp_json_end(json, ']');
}

static void put_owners(htp_sidecar *sidecar, htp_json *json, uint32_t tensor)
{
    if (!sidecar->has_owners[tensor]) {
        htp_json_null(json, "owners");
        return;
    }
    htp_json_begin(json, "owners", '[');
    for (uint32_t i = sidecar->owners.first[tensor]; i < sidecar->owners.first[tensor + 1U]; i++) {
        put_tag(sidecar, json, NULL, sidecar->owners.items[i]);
    }
    htp_json_end(json, ']');
}

/* The sources of an initializer and its layout, unless it is stored as in the model. */
static void put_made_of(htp_sidecar *sidecar, htp_json *json, uint32_t tensor)
{
    const htp_view *view = sidecar->view;
    const htp_view_property *layout = htp_view_find_property(
        view, view->tensors.items[tensor].properties, htp_view_find_name(view, HTP_LAYOUT_KEY));
    const htp_made_of made_of = htp_tree_made_of(sidecar->tree, view, tensor);
    htp_report_made_of(json, &made_of);
    if (layout) {
        htp_json_string_part(json, "layout", (const char *)layout->value.at, layout->value.bytes);
    } else {
        htp_json_null(json, "layout");
    }
}

void htp_sidecar_put_initializer(htp_sidecar *sidecar, htp_json *json, const char *key,
                                 uint32_t tensor)
{
    const htp_view *view = sidecar->view;
    const htp_view_tensor *item = &view->tensors.items[tensor];
    uint32_t value = sidecar->tensor_values[tensor];
    htp_json_begin(json, key, '{');
    htp_json_string(json, "op_type", "Initializer");
    htp_json_string(json, "dtype", htp_tensor_type_name(item->data_type));
    htp_json_begin(json, "dims", '[');
    for (uint32_t i = 0; i < item->dims.count; i++) {
        htp_json_number(json, NULL, view->dims.items[item->dims.first + i]);
    }
    htp_json_end(json, ']');
    htp_json_count(json, "bytes", item->bytes);
    htp_json_string(json, "output", value == HTP_NONE ? NULL : sidecar->keys.values[value]);
    put_made_of(sidecar, json, tensor);
    put_owners(sidecar, json, tensor);
    put_readers(sidecar, json, "users", value);
    htp_json_end(json, '}');
}

/* ---- tensors ---- */

void htp_sidecar_put_value(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t value)
{
    const htp_view_value *item = &sidecar->view->values.items[value];
    uint32_t body = sidecar->view->graphs.items[item->graph].node;
    bool is_made = item->maker == HTP_VIEW_BY_NODE;
    uint32_t maker = is_made ? item->node : body; /* inputs of a body come from its node */
    htp_json_begin(json, key, '{');
    put_tag(sidecar, json, "producer",
            maker == HTP_NONE ? HTP_NONE : htp_sidecar_module_of(sidecar, maker));
    htp_json_string(json, "made_by", maker == HTP_NONE ? NULL : sidecar->keys.nodes[maker]);
    put_readers(sidecar, json, "consumers", value);
    htp_json_bool(json, "is_input", !is_made && item->graph == 0);
    htp_json_bool(json, "is_output", sidecar->is_output[value]);
    htp_json_end(json, '}');
}

/* ---- the operations of a module ---- */

static bool is_inside(const htp_sidecar *sidecar, uint32_t module, uint32_t node)
{
    return sidecar->places[node] != HTP_NONE && sidecar->places[node] >= sidecar->begins[module] &&
           sidecar->places[node] < sidecar->ends[module];
}

/* Edges from the producers of values to a node, each once. */
static void put_edges(htp_sidecar *sidecar, htp_json *json, uint32_t module, uint32_t node,
                      htp_view_range values)
{
    const htp_view *view = sidecar->view;
    for (uint32_t i = values.first; i < values.first + values.count; i++) {
        uint32_t value = view->operands.items[i];
        uint32_t maker = value == HTP_NONE ? HTP_NONE : view->values.items[value].node;
        if (maker != HTP_NONE && is_inside(sidecar, module, maker) &&
            htp_sidecar_is_new(sidecar, maker)) {
            htp_json_begin(json, NULL, '[');
            htp_json_string(json, NULL, sidecar->keys.nodes[maker]);
            htp_json_string(json, NULL, sidecar->keys.nodes[node]);
            htp_json_end(json, ']');
        }
    }
}

void htp_sidecar_put_dag(htp_sidecar *sidecar, htp_json *json, const char *key, uint32_t module)
{
    const htp_view *view = sidecar->view;
    htp_json_begin(json, key, '{');
    htp_json_begin(json, "nodes", '[');
    for (uint32_t i = sidecar->begins[module]; i < sidecar->ends[module]; i++) {
        htp_json_string(json, NULL, sidecar->keys.nodes[sidecar->nodes[i]]);
    }
    htp_json_end(json, ']');
    htp_json_begin(json, "edges", '[');
    for (uint32_t i = sidecar->begins[module]; i < sidecar->ends[module]; i++) {
        uint32_t node = sidecar->nodes[i];
        const htp_view_node *item = &view->nodes.items[node];
        htp_sidecar_begin_list(sidecar);
        put_edges(sidecar, json, module, node, item->inputs);
        for (uint32_t a = 0; a < item->attributes.count; a++) {
            htp_view_range bodies = view->attributes.items[item->attributes.first + a].graphs;
            for (uint32_t g = bodies.first; g < bodies.first + bodies.count; g++) {
                put_edges(sidecar, json, module, node, view->graphs.items[g].outputs);
            }
        }
    }
    htp_json_end(json, ']');
    htp_json_end(json, '}');
}
