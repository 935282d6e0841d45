#include "onnx/metadata/annotate_node.h"

#include "base/numbers.h"
#include "hierarchy/relation.h"

#include <inttypes.h>
#include <stdlib.h>

typedef HTP_VECTOR(htp_property) property_list;

struct htp_node_annotator {
    htp_arena *arena;
    const htp_graph *graph;
    const htp_hierarchy *hierarchy;
    const uint32_t *scope_modules;
    unsigned places;
    const char *source_module; /* attribute names */
    const char *hierarchy_tags;
    htp_torch_metadata_maker *torch_metadata;
    const htp_node_setting *setting;          /* of the current node */
    const htp_node_annotation **by_operation; /* by aten node, shared by its ONNX nodes */
    uint32_t *seen_by;                        /* by module: the number of the last list with it */
    uint32_t list_number;
};

typedef htp_node_annotator annotator;

static void add_property(annotator *a, property_list *list, const char *key, const char *value)
{
    HTP_PUSH(a->arena, list, (htp_property){key, value});
}

/* The module of the call to which texts are relative. */
static uint32_t call_module(const annotator *a)
{
    return a->graph->trace->scopes[a->setting->call.scope].module;
}

static const char *tag_of(const annotator *a, uint32_t module)
{
    const htp_hierarchy_module *modules = a->hierarchy->modules;
    return a->setting->are_tags_relative
               ? htp_relation_tag(modules[module].tag,
                                  modules[a->scope_modules[a->setting->call.scope]].tag)
               : modules[module].tag;
}

static const char *full_tag_of(const annotator *a, uint32_t module)
{
    const htp_hierarchy_module *modules = a->hierarchy->modules;
    return a->setting->are_tags_relative
               ? htp_relation_tag(modules[module].full_tag, modules[call_module(a)].full_tag)
               : modules[module].full_tag;
}

/* Scope @p index of a node: 0 is that of its origin. */
static uint32_t node_scope(const htp_onnx_node *node, size_t index)
{
    return index ? node->more_scopes.items[index - 1] : node->origin.scope;
}

/* The innermost running module. */
static uint32_t innermost_module(const annotator *a, uint32_t scope)
{
    return a->graph->trace->scopes[scope].module;
}

/* The module whose tag the scope gets. */
static uint32_t tagged_module(const annotator *a, uint32_t scope)
{
    return a->scope_modules[scope];
}

/* The modules of a node's scopes without duplicates, the first scope's first. */
static htp_numbers list_modules(annotator *a, const htp_onnx_node *node,
                                uint32_t (*module_of)(const annotator *a, uint32_t scope))
{
    htp_numbers modules = {0};
    uint32_t mark = ++a->list_number;
    uint32_t first = module_of(a, node->origin.scope);
    a->seen_by[first] = mark;
    HTP_PUSH(a->arena, &modules, first);
    for (size_t i = 1; i <= node->more_scopes.count; i++) {
        uint32_t module = module_of(a, node_scope(node, i));
        if (a->seen_by[module] != mark) {
            a->seen_by[module] = mark;
            HTP_PUSH(a->arena, &modules, module);
        }
    }
    return modules;
}

static const char *tags_as_json(const annotator *a, const htp_numbers *modules,
                                const char *(*text_of)(const annotator *a, uint32_t module))
{
    htp_text text = {.arena = a->arena};
    htp_text_add(&text, "[");
    for (size_t i = 0; i < modules->count; i++) {
        htp_text_add(&text, i ? ", " : "");
        htp_text_add_json(&text, text_of(a, modules->items[i]));
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

static void make_attributes(annotator *a, const htp_numbers *owners,
                            htp_node_annotation *annotation)
{
    htp_attribute *attributes = HTP_NEW_ARRAY(a->arena, htp_attribute, 2);
    attributes[0] = htp_attribute_string(a->source_module, tag_of(a, owners->items[0]));
    annotation->attribute_count = 1;
    if (owners->count > 1) {
        const char **tags = HTP_NEW_ARRAY(a->arena, const char *, owners->count);
        for (size_t i = 0; i < owners->count; i++) {
            tags[i] = tag_of(a, owners->items[i]);
        }
        attributes[1] = (htp_attribute){.name = a->hierarchy_tags,
                                        .kind = HTP_ATTRIBUTE_STRINGS,
                                        .strings = tags,
                                        .count = owners->count};
        annotation->attribute_count = 2;
    }
    annotation->attributes = attributes;
}

/* The calls of a module in the setting. */
static htp_call_range calls_of(const annotator *a, uint32_t module)
{
    const htp_node_setting *setting = a->setting;
    return setting->find_calls ? setting->find_calls(setting->user, module)
                               : (htp_call_range){0, htp_graph_module_calls(a->graph, module)};
}

/* The number of a call, counted from the first in the setting. */
static uint32_t count_call(const annotator *a, uint32_t scope)
{
    const htp_trace_scope *called = &a->graph->trace->scopes[scope];
    return called->call - calls_of(a, called->module).first;
}

/* The call of @p owner around @p scope; HTP_NONE if it is outside of the setting. */
static uint32_t call_of(const annotator *a, uint32_t scope, uint32_t owner)
{
    const htp_trace_scope *scopes = a->graph->trace->scopes;
    while (scope != a->setting->call.scope && scope != HTP_NONE && scopes[scope].module != owner) {
        scope = scopes[scope].parent;
    }
    bool is_within = scope != a->setting->call.scope && scope != HTP_NONE;
    return is_within ? count_call(a, scope) : HTP_NONE;
}

/* "0", or "0, 1" for a node that serves several calls; NULL for a module that is called once. */
static const char *list_calls(annotator *a, const htp_onnx_node *node, uint32_t owner)
{
    if (calls_of(a, owner).count < 2) {
        return NULL;
    }
    htp_numbers calls = {0};
    for (size_t i = 0; i <= node->more_scopes.count; i++) {
        uint32_t scope = node_scope(node, i);
        uint32_t call = a->scope_modules[scope] == owner ? call_of(a, scope, owner) : HTP_NONE;
        if (call != HTP_NONE) {
            HTP_PUSH(a->arena, &calls, call);
        }
    }
    htp_numbers_sort_unique(&calls);
    htp_text text = {.arena = a->arena};
    for (size_t i = 0; i < calls.count; i++) {
        htp_text_addf(&text, "%s%" PRIu32, i ? ", " : "", calls.items[i]);
    }
    return calls.count ? htp_text_string(&text) : NULL;
}

/* A call of a module. */
struct call {
    uint32_t module;
    uint32_t number;
};

typedef HTP_VECTOR(struct call) call_list;

static int compare_calls(const void *a, const void *b)
{
    const struct call *x = a;
    const struct call *y = b;
    int by_module = (x->module > y->module) - (x->module < y->module);
    return by_module ? by_module : (x->number > y->number) - (x->number < y->number);
}

/* The running calls of modules that are called more than once, sorted. */
static call_list find_running(annotator *a, const htp_onnx_node *node)
{
    const htp_trace_scope *scopes = a->graph->trace->scopes;
    call_list calls = {0};
    for (size_t i = 0; i <= node->more_scopes.count; i++) {
        for (uint32_t s = node_scope(node, i); s != a->setting->call.scope && s != HTP_NONE;
             s = scopes[s].parent) {
            if (calls_of(a, scopes[s].module).count > 1) {
                HTP_PUSH(a->arena, &calls, (struct call){scopes[s].module, count_call(a, s)});
            }
        }
    }
    if (calls.count > 0) {
        qsort(calls.items, calls.count, sizeof(*calls.items), compare_calls);
    }
    return calls;
}

static const char *path_of(const annotator *a, uint32_t module)
{
    const char *path = a->graph->modules[module].instance->path;
    const char *below =
        a->setting->are_tags_relative
            ? htp_relation_path(path, a->graph->modules[call_module(a)].instance->path)
            : path;
    return below ? below : path;
}

/* {"path": [0, 1]}; NULL if all running modules are called once. */
static const char *running_as_json(annotator *a, const htp_onnx_node *node)
{
    call_list calls = find_running(a, node);
    htp_text text = {.arena = a->arena};
    for (size_t i = 0; i < calls.count; i++) {
        const struct call *call = &calls.items[i];
        const struct call *before = i ? call - 1 : NULL;
        if (before && before->module == call->module && before->number == call->number) {
            continue;
        }
        if (before && before->module == call->module) {
            htp_text_addf(&text, ", %" PRIu32, call->number);
        } else {
            htp_text_add(&text, before ? "], " : "{");
            htp_text_add_json(&text, path_of(a, call->module));
            htp_text_addf(&text, ": [%" PRIu32, call->number);
        }
    }
    htp_text_add(&text, calls.count ? "]}" : "");
    return calls.count ? htp_text_string(&text) : NULL;
}

/* A node's texts other than tags. */
typedef struct sayings {
    htp_torch_metadata torch;
    const char *first_calls; /* NULL: none */
} sayings;

static void make_metadata(annotator *a, const htp_onnx_node *node, const htp_numbers *owners,
                          const sayings *said, property_list *list)
{
    const char *calls = list_calls(a, node, owners->items[0]);
    const char *running = running_as_json(a, node);
    const htp_trace_scope *innermost = &a->graph->trace->scopes[node->origin.scope];
    add_property(a, list, "source_module", tag_of(a, owners->items[0]));
    if (owners->count > 1) {
        add_property(a, list, "hierarchy_tags", tags_as_json(a, owners, tag_of));
    }
    add_property(a, list, "full_tag", full_tag_of(a, innermost->module));
    if (node->more_scopes.count > 0) {
        const htp_numbers served = list_modules(a, node, innermost_module);
        if (served.count > 1) {
            add_property(a, list, "full_tags", tags_as_json(a, &served, full_tag_of));
        }
    }
    if (calls) {
        add_property(a, list, "call", calls);
    }
    if (running) {
        add_property(a, list, "calls", running);
    }
    if (said->first_calls) {
        add_property(a, list, "first_calls", said->first_calls);
    }
    add_property(a, list, "namespace", said->torch.namespace_text);
    if (said->torch.class_hierarchy) {
        add_property(a, list, "pkg.torch.onnx.class_hierarchy", said->torch.class_hierarchy);
        add_property(a, list, "pkg.torch.onnx.name_scopes", said->torch.scopes);
    }
    if (said->torch.stack_trace) {
        add_property(a, list, "pkg.torch.onnx.stack_trace", said->torch.stack_trace);
    }
}

static const char *make_doc_string(annotator *a, const htp_numbers *owners)
{
    htp_text text = {.arena = a->arena};
    htp_text_add(&text, "source_module: ");
    htp_text_add(&text, tag_of(a, owners->items[0]));
    if (owners->count > 1) {
        htp_text_add(&text, "\nhierarchy_tags: ");
        htp_text_add(&text, tags_as_json(a, owners, tag_of));
    }
    return htp_text_string(&text);
}

static htp_node_annotation *make_annotation(annotator *a, const htp_onnx_node *node,
                                            const sayings *said)
{
    htp_node_annotation *annotation = HTP_NEW(a->arena, htp_node_annotation);
    htp_numbers owners = list_modules(a, node, tagged_module);
    property_list metadata = {0};
    if (a->places & HTP_TAG_ATTRIBUTE) {
        make_attributes(a, &owners, annotation);
    }
    if (a->places & HTP_TAG_METADATA) {
        make_metadata(a, node, &owners, said, &metadata);
    }
    if (a->places & HTP_TAG_LAYER_ANN) {
        add_property(a, &metadata, "layer_ann", tag_of(a, owners.items[0]));
    }
    annotation->metadata = (htp_properties){metadata.items, metadata.count};
    if (a->places & HTP_TAG_DOC_STRING) {
        annotation->doc_string = make_doc_string(a, &owners);
    }
    return annotation;
}

static const htp_node_annotation *annotate_node(annotator *a, const htp_onnx_node *node)
{
    sayings said = {.first_calls = NULL};
    if (a->places & HTP_TAG_METADATA) {
        said.torch = htp_torch_metadata_make(a->torch_metadata, node, &a->setting->call);
    }
    return make_annotation(a, node, &said);
}

const htp_node_annotation *htp_annotate_node(htp_node_annotator *a, const htp_onnx_node *node,
                                             const htp_node_setting *setting)
{
    htp_node_id operation = node->origin.node;
    bool is_shared = operation != HTP_NONE && node->more_scopes.count == 0 &&
                     htp_graph_node(a->graph, operation)->scope == node->origin.scope;
    a->setting = setting;
    if (!is_shared) {
        return annotate_node(a, node);
    }
    if (!a->by_operation[operation]) {
        a->by_operation[operation] = annotate_node(a, node);
    }
    return a->by_operation[operation];
}

const htp_node_annotation *htp_annotate_call(htp_node_annotator *a, const htp_onnx_node *node,
                                             const htp_node_setting *setting,
                                             const char *first_calls)
{
    sayings said = {.first_calls = first_calls};
    a->setting = setting;
    if (a->places & HTP_TAG_METADATA) {
        said.torch =
            htp_torch_metadata_of_call(a->torch_metadata, node->origin.scope, &setting->call);
    }
    return make_annotation(a, node, &said);
}

htp_node_annotator *htp_node_annotator_new(htp_arena *arena, const htp_graph *graph,
                                           const htp_hierarchy *hierarchy,
                                           const uint32_t *scope_modules,
                                           const htp_annotate_options *options)
{
    const char *prefix = options->attribute_prefix;
    htp_node_annotator *a = HTP_NEW(arena, htp_node_annotator);
    *a = (htp_node_annotator){
        .arena = arena,
        .graph = graph,
        .hierarchy = hierarchy,
        .scope_modules = scope_modules,
        .places = options->places,
        .source_module = htp_arena_printf(arena, "%ssource_module", prefix),
        .hierarchy_tags = htp_arena_printf(arena, "%shierarchy_tags", prefix),
        .torch_metadata = htp_torch_metadata_new(arena, graph),
        .by_operation = HTP_NEW_ARRAY(arena, const htp_node_annotation *, graph->trace->node_count),
        .seen_by = HTP_NEW_ARRAY(arena, uint32_t, graph->module_count),
    };
    return a;
}
