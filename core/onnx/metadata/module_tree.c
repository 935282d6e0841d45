#include "onnx/metadata/module_tree.h"

#include <string.h>

typedef struct tree_writer {
    htp_text text;
    const htp_graph *graph;
    const htp_hierarchy *hierarchy;
    const htp_annotations *annotations;
} tree_writer;

static void add_key(htp_text *text, const char *key)
{
    htp_text_add_json(text, key);
    htp_text_add(text, ": ");
}

static void add_string(htp_text *text, const char *key, const char *value)
{
    add_key(text, key);
    htp_text_add_json(text, value);
    htp_text_add(text, ", ");
}

static void add_bool(htp_text *text, const char *key, bool value)
{
    add_key(text, key);
    htp_text_add(text, value ? "true, " : "false, ");
}

static void add_number(htp_text *text, const char *key, uint64_t value, const char *behind)
{
    add_key(text, key);
    htp_text_add_number(text, value);
    htp_text_add(text, behind);
}

static void add_aliases(tree_writer *w, uint32_t module)
{
    const htp_alias_list *aliases = &w->annotations->aliases[module];
    add_key(&w->text, "aliases");
    htp_text_add(&w->text, "[");
    for (size_t i = 0; i < aliases->count; i++) {
        htp_text_add(&w->text, i ? ", " : "");
        htp_text_add_json(&w->text, aliases->paths[i]);
    }
    htp_text_add(&w->text, "], ");
}

static void add_children(tree_writer *w, uint32_t module)
{
    const htp_module *modules = w->graph->modules;
    add_key(&w->text, "children");
    htp_text_add(&w->text, "[");
    const char *separator = "";
    for (uint32_t child = modules[module].first_child; child != HTP_NONE;
         child = modules[child].next_sibling) {
        htp_text_add(&w->text, separator);
        htp_text_add_json(&w->text, modules[child].instance->path);
        separator = ", ";
    }
    htp_text_add(&w->text, "], ");
}

static const char *local_name(const tree_writer *w, uint32_t weight)
{
    const htp_weight *traced = &w->graph->trace->weights[weight];
    return htp_parameters_local_name(w->graph->modules[traced->module].instance->path, traced);
}

static void add_shape(tree_writer *w, uint32_t weight)
{
    const htp_weight *traced = &w->graph->trace->weights[weight];
    add_key(&w->text, local_name(w, weight));
    htp_text_add(&w->text, "[");
    for (uint32_t axis = 0; axis < traced->rank; axis++) {
        htp_text_add(&w->text, axis ? ", " : "");
        htp_text_add_number(&w->text, (uint64_t)traced->dims[axis]);
    }
    htp_text_add(&w->text, "]");
}

static void add_parameters(tree_writer *w, uint32_t module)
{
    const htp_parameters *parameters = w->annotations->parameters;
    const htp_parameter_count *count = &parameters->modules[module];
    add_key(&w->text, "parameters");
    htp_text_add(&w->text, "{");
    add_number(&w->text, "own", count->own, ", ");
    add_number(&w->text, "total", count->total, ", ");
    add_number(&w->text, "trainable", count->trainable, ", ");
    add_number(&w->text, "bytes", count->bytes, ", ");
    add_key(&w->text, "shapes");
    htp_text_add(&w->text, "{");
    const char *separator = "";
    for (uint32_t weight = parameters->first_weight[module]; weight != HTP_NONE;
         weight = parameters->next_weight[weight]) {
        if (w->graph->trace->weights[weight].is_parameter) {
            htp_text_add(&w->text, separator);
            add_shape(w, weight);
            separator = ", ";
        }
    }
    htp_text_add(&w->text, "}}, ");
}

static void add_buffers(tree_writer *w, uint32_t module)
{
    const htp_parameters *parameters = w->annotations->parameters;
    add_key(&w->text, "buffers");
    htp_text_add(&w->text, "[");
    const char *separator = "";
    for (uint32_t weight = parameters->first_weight[module]; weight != HTP_NONE;
         weight = parameters->next_weight[weight]) {
        if (!w->graph->trace->weights[weight].is_parameter) {
            htp_text_add(&w->text, separator);
            htp_text_add_json(&w->text, local_name(w, weight));
            separator = ", ";
        }
    }
    htp_text_add(&w->text, "], ");
}

static void add_record(tree_writer *w, uint32_t module)
{
    const htp_instance *instance = w->graph->modules[module].instance;
    const htp_hierarchy_module *facts = &w->hierarchy->modules[module];
    htp_text *text = &w->text;
    htp_text_add(text, "{");
    add_string(text, "tag", facts->tag);
    add_string(text, "full_tag", facts->full_tag);
    add_string(text, "path", instance->path);
    add_aliases(w, module);
    add_string(text, "class", facts->class_name);
    add_string(text, "qualified_class", instance->qualified_class);
    add_bool(text, "is_torch_nn", facts->is_torch_nn);
    add_bool(text, "is_leaf", facts->is_leaf);
    add_number(text, "level", facts->level, ", ");
    add_children(w, module);
    add_number(text, "calls", htp_graph_module_calls(w->graph, module), ", ");
    add_parameters(w, module);
    add_buffers(w, module);
    add_key(text, "nodes");
    htp_text_add(text, "{");
    add_number(text, "own", w->annotations->nodes_own[module], ", ");
    add_number(text, "tagged", w->annotations->nodes_tagged[module], ", ");
    add_number(text, "total", w->annotations->nodes_total[module], "}}");
}

/* An upper bound of most records' total size. */
static size_t guess_bytes(const htp_graph *graph, const htp_hierarchy *hierarchy)
{
    enum { KEYS_AND_NUMBERS = 512 };
    size_t bytes = 0;
    for (uint32_t i = 0; i < hierarchy->module_count; i++) {
        const htp_instance *instance = graph->modules[i].instance;
        const htp_hierarchy_module *facts = &hierarchy->modules[i];
        bytes += KEYS_AND_NUMBERS + strlen(facts->tag) + strlen(facts->full_tag) +
                 2 * strlen(instance->path) + strlen(facts->class_name) +
                 strlen(instance->qualified_class);
    }
    return bytes;
}

const char *htp_module_tree_json(htp_arena *arena, const htp_graph *graph,
                                 const htp_hierarchy *hierarchy, const htp_annotations *annotations)
{
    tree_writer w = {{.arena = arena}, graph, hierarchy, annotations};
    htp_text_expect(&w.text, guess_bytes(graph, hierarchy));
    htp_text_add(&w.text, "{");
    add_string(&w.text, "rules", HTP_TAG_RULES_VERSION);
    add_key(&w.text, "modules");
    htp_text_add(&w.text, "[");
    for (uint32_t i = 0; i < hierarchy->module_count; i++) {
        htp_text_add(&w.text, i ? ",\n" : "\n");
        add_record(&w, i);
    }
    htp_text_add(&w.text, "\n]}");
    return htp_text_string(&w.text);
}
