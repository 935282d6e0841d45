#include "onnx/annotate.h"

#include "onnx/module_tree.h"
#include "onnx/torch_metadata.h"

#include <inttypes.h>
#include <stdlib.h>

typedef HTP_VECTOR(uint32_t) numbers;
typedef HTP_VECTOR(htp_property) property_list;

typedef struct annotator {
    htp_arena *arena;
    const htp_draft *model;
    const htp_graph *graph;
    const htp_hierarchy *hierarchy;
    const uint32_t *scope_modules;
    unsigned places;
    const char *source_module; /* attribute names */
    const char *hierarchy_tags;
    htp_torch_metadata_maker *torch_metadata;
    const htp_node_annotation **by_operation; /* by aten node: shared by its ONNX nodes */
    uint32_t *seen_by; /* by module: the last node, plus one, that has it in its list of tags */
} annotator;

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_unique(numbers *list)
{
    if (list->count == 0) {
        return;
    }
    qsort(list->items, list->count, sizeof(*list->items), compare_numbers);
    size_t kept = 1;
    for (size_t i = 1; i < list->count; i++) {
        if (list->items[i] != list->items[kept - 1]) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

static void add_property(annotator *a, property_list *list, const char *key, const char *value)
{
    HTP_PUSH(a->arena, list, (htp_property){key, value});
}

/* ---- nodes ---- */

static const char *tag_of(const annotator *a, uint32_t module)
{
    return a->hierarchy->modules[module].tag;
}

/* Scope @p index of a node: 0 is that of its origin. */
static uint32_t node_scope(const htp_onnx_node *node, size_t index)
{
    return index ? node->more_scopes.items[index - 1] : node->origin.scope;
}

/* The modules whose tags a node carries, the first one's in front. */
static numbers list_owners(annotator *a, const htp_onnx_node *node)
{
    numbers owners = {0};
    uint32_t mark = (uint32_t)(node - a->model->nodes.items) + 1;
    uint32_t first = a->scope_modules[node->origin.scope];
    a->seen_by[first] = mark;
    HTP_PUSH(a->arena, &owners, first);
    for (size_t i = 1; i <= node->more_scopes.count; i++) {
        uint32_t owner = a->scope_modules[node_scope(node, i)];
        if (a->seen_by[owner] != mark) {
            a->seen_by[owner] = mark;
            HTP_PUSH(a->arena, &owners, owner);
        }
    }
    return owners;
}

static const char *tags_as_json(const annotator *a, const numbers *owners)
{
    htp_text text = {.arena = a->arena};
    htp_text_add(&text, "[");
    for (size_t i = 0; i < owners->count; i++) {
        htp_text_add(&text, i ? ", " : "");
        htp_text_add_json(&text, tag_of(a, owners->items[i]));
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

static void make_attributes(annotator *a, const numbers *owners, htp_node_annotation *annotation)
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

/* The call of @p owner that was running in @p scope. */
static uint32_t call_of(const annotator *a, uint32_t scope, uint32_t owner)
{
    const htp_shim_scope *scopes = a->graph->trace->scopes;
    while (scopes[scope].module != owner && scopes[scope].parent != HTP_SHIM_NONE) {
        scope = scopes[scope].parent;
    }
    return scopes[scope].call;
}

/* "0", or "0, 1" for a node that serves several calls; NULL for a module that is called once. */
static const char *list_calls(annotator *a, const htp_onnx_node *node, uint32_t owner)
{
    if (a->graph->modules[owner].shim->calls < 2) {
        return NULL;
    }
    numbers calls = {0};
    for (size_t i = 0; i <= node->more_scopes.count; i++) {
        uint32_t scope = node_scope(node, i);
        if (a->scope_modules[scope] == owner) {
            HTP_PUSH(a->arena, &calls, call_of(a, scope, owner));
        }
    }
    sort_unique(&calls);
    htp_text text = {.arena = a->arena};
    for (size_t i = 0; i < calls.count; i++) {
        htp_text_addf(&text, "%s%" PRIu32, i ? ", " : "", calls.items[i]);
    }
    return htp_text_string(&text);
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

/* The calls that were running, of modules that are called more than once, sorted. */
static call_list find_running(annotator *a, const htp_onnx_node *node)
{
    const htp_shim_scope *scopes = a->graph->trace->scopes;
    call_list calls = {0};
    for (size_t i = 0; i <= node->more_scopes.count; i++) {
        for (uint32_t s = node_scope(node, i); s != HTP_SHIM_NONE; s = scopes[s].parent) {
            if (a->graph->modules[scopes[s].module].shim->calls > 1) {
                HTP_PUSH(a->arena, &calls, (struct call){scopes[s].module, scopes[s].call});
            }
        }
    }
    if (calls.count > 0) {
        qsort(calls.items, calls.count, sizeof(*calls.items), compare_calls);
    }
    return calls;
}

/* {"path": [0, 1]}; NULL where all modules that were running are called once. */
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
            htp_text_add_json(&text, a->graph->modules[call->module].shim->path);
            htp_text_addf(&text, ": [%" PRIu32, call->number);
        }
    }
    htp_text_add(&text, calls.count ? "]}" : "");
    return calls.count ? htp_text_string(&text) : NULL;
}

static void make_metadata(annotator *a, const htp_onnx_node *node, const numbers *owners,
                          property_list *list)
{
    htp_torch_metadata names = htp_torch_metadata_make(a->torch_metadata, node);
    const char *calls = list_calls(a, node, owners->items[0]);
    const char *running = running_as_json(a, node);
    const htp_shim_scope *innermost = &a->graph->trace->scopes[node->origin.scope];
    add_property(a, list, "source_module", tag_of(a, owners->items[0]));
    if (owners->count > 1) {
        add_property(a, list, "hierarchy_tags", tags_as_json(a, owners));
    }
    add_property(a, list, "full_tag", a->hierarchy->modules[innermost->module].full_tag);
    if (calls) {
        add_property(a, list, "call", calls);
    }
    if (running) {
        add_property(a, list, "calls", running);
    }
    add_property(a, list, "namespace", names.namespace_text);
    add_property(a, list, "pkg.torch.onnx.class_hierarchy", names.class_hierarchy);
    add_property(a, list, "pkg.torch.onnx.name_scopes", names.scopes);
    if (names.stack_trace) {
        add_property(a, list, "pkg.torch.onnx.stack_trace", names.stack_trace);
    }
}

static const char *make_doc_string(annotator *a, const numbers *owners)
{
    htp_text text = {.arena = a->arena};
    htp_text_add(&text, "source_module: ");
    htp_text_add(&text, tag_of(a, owners->items[0]));
    if (owners->count > 1) {
        htp_text_add(&text, "\nhierarchy_tags: ");
        htp_text_add(&text, tags_as_json(a, owners));
    }
    return htp_text_string(&text);
}

static htp_node_annotation *make_annotation(annotator *a, const htp_onnx_node *node)
{
    htp_node_annotation *annotation = HTP_NEW(a->arena, htp_node_annotation);
    numbers owners = list_owners(a, node);
    property_list metadata = {0};
    if (a->places & HTP_TAG_ATTRIBUTE) {
        make_attributes(a, &owners, annotation);
    }
    if (a->places & HTP_TAG_METADATA) {
        make_metadata(a, node, &owners, &metadata);
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
    htp_node_id operation = node->origin.node;
    bool is_shared = operation != HTP_NONE && node->more_scopes.count == 0 &&
                     htp_graph_node(a->graph, operation)->scope == node->origin.scope;
    if (!is_shared) {
        return make_annotation(a, node);
    }
    if (!a->by_operation[operation]) {
        a->by_operation[operation] = make_annotation(a, node);
    }
    return a->by_operation[operation];
}

static const htp_node_annotation *annotate_nodes(annotator *a)
{
    htp_node_annotation *nodes =
        HTP_NEW_ARRAY(a->arena, htp_node_annotation, a->model->nodes.count);
    for (size_t i = 0; i < a->model->nodes.count; i++) {
        nodes[i] = *annotate_node(a, &a->model->nodes.items[i]);
    }
    return nodes;
}

/* ---- initializers ---- */

static void add_users(annotator *a, numbers *modules)
{
    for (size_t n = 0; n < a->model->nodes.count; n++) {
        const htp_onnx_node *node = &a->model->nodes.items[n];
        for (uint32_t i = 0; i < node->input_count; i++) {
            const htp_tensor *tensor = node->inputs[i] == HTP_TENSOR_NONE
                                           ? NULL
                                           : &a->model->tensors.items[node->inputs[i]];
            if (!tensor || tensor->source != HTP_TENSOR_FROM_INITIALIZER) {
                continue;
            }
            for (size_t s = 0; s <= node->more_scopes.count; s++) {
                HTP_PUSH(a->arena, &modules[tensor->index], a->scope_modules[node_scope(node, s)]);
            }
        }
    }
}

/* By weight: the initializer that holds its contents, or HTP_NONE. */
static const uint32_t *find_initializers(const annotator *a, const htp_parameters *parameters)
{
    uint32_t count = a->graph->trace->weight_count;
    uint32_t *by_identity = HTP_NEW_ARRAY(a->arena, uint32_t, count);
    uint32_t *by_weight = HTP_NEW_ARRAY(a->arena, uint32_t, count);
    for (uint32_t w = 0; w < count; w++) {
        by_identity[w] = HTP_NONE;
    }
    for (size_t i = 0; i < a->model->initializers.count; i++) {
        uint32_t weight = a->model->initializers.items[i].weight;
        if (weight != HTP_NONE) {
            by_identity[parameters->same_as[weight]] = (uint32_t)i;
        }
    }
    for (uint32_t w = 0; w < count; w++) {
        by_weight[w] = by_identity[parameters->same_as[w]];
    }
    return by_weight;
}

/* Adds the modules that own each initializer, and begins the lists of their paths. */
static void add_owners(annotator *a, const htp_parameters *parameters, numbers *modules,
                       htp_text *paths)
{
    const uint32_t *initializers = find_initializers(a, parameters);
    uint32_t *last_owner = HTP_NEW_ARRAY(a->arena, uint32_t, a->model->initializers.count);
    for (size_t i = 0; i < a->model->initializers.count; i++) {
        last_owner[i] = HTP_NONE;
    }
    for (uint32_t m = 0; m < a->graph->module_count; m++) {
        for (uint32_t w = parameters->first_weight[m]; w != HTP_NONE;
             w = parameters->next_weight[w]) {
            uint32_t i = initializers[w];
            if (i == HTP_NONE || last_owner[i] == m) {
                continue;
            }
            last_owner[i] = m;
            HTP_PUSH(a->arena, &modules[i], a->hierarchy->modules[m].owner);
            paths[i].arena = a->arena;
            htp_text_add(&paths[i], paths[i].length ? ", " : "[");
            htp_text_add_repr(&paths[i], a->graph->modules[m].shim->path);
        }
    }
}

static const htp_properties *annotate_initializers(annotator *a, const htp_parameters *parameters)
{
    size_t count = a->model->initializers.count;
    htp_properties *properties = HTP_NEW_ARRAY(a->arena, htp_properties, count);
    if (!(a->places & HTP_TAG_METADATA)) {
        return properties;
    }
    numbers *modules = HTP_NEW_ARRAY(a->arena, numbers, count);
    htp_text *paths = HTP_NEW_ARRAY(a->arena, htp_text, count);
    add_users(a, modules);
    add_owners(a, parameters, modules, paths);
    for (size_t i = 0; i < count; i++) {
        property_list list = {0};
        sort_unique(&modules[i]);
        add_property(a, &list, "hierarchy_tags", tags_as_json(a, &modules[i]));
        if (paths[i].length) {
            htp_text_add(&paths[i], "]");
            add_property(a, &list, "name_scopes", htp_text_string(&paths[i]));
        }
        properties[i] = (htp_properties){list.items, list.count};
    }
    return properties;
}

/* ---- the whole ---- */

/* Whether a node carries the root's tag for want of a tag of torch.nn's module that ran it. */
static bool is_left_to_root(const annotator *a, uint32_t scope)
{
    uint32_t module = a->graph->trace->scopes[scope].module;
    return a->scope_modules[scope] == 0 && module != 0 && a->hierarchy->modules[module].is_torch_nn;
}

static void count_nodes(annotator *a, htp_annotations *annotations)
{
    uint32_t module_count = a->hierarchy->module_count;
    uint32_t *own = HTP_NEW_ARRAY(a->arena, uint32_t, module_count);
    uint32_t *tagged = HTP_NEW_ARRAY(a->arena, uint32_t, module_count);
    for (size_t i = 0; i < a->model->nodes.count; i++) {
        uint32_t scope = a->model->nodes.items[i].origin.scope;
        own[a->graph->trace->scopes[scope].module]++;
        tagged[a->scope_modules[scope]]++;
        annotations->nodes_left_to_root += is_left_to_root(a, scope);
    }
    annotations->nodes_own = own;
    annotations->nodes_tagged = tagged;
}

/* Sums over the attribute tree. */
static void add_up_nodes(annotator *a, htp_annotations *annotations)
{
    uint32_t module_count = a->hierarchy->module_count;
    uint32_t *total = HTP_NEW_ARRAY(a->arena, uint32_t, module_count);
    uint32_t *ran = HTP_NEW_ARRAY(a->arena, uint32_t, module_count);
    uint32_t *tagged = HTP_NEW_ARRAY(a->arena, uint32_t, module_count);
    for (uint32_t i = module_count; i-- > 0;) {
        ran[i] += annotations->nodes_own[i];
        tagged[i] += annotations->nodes_tagged[i];
        total[i] = a->hierarchy->modules[i].is_eligible ? tagged[i] : ran[i];
        if (i > 0) {
            uint32_t parent = a->graph->modules[i].shim->parent;
            tagged[parent] += tagged[i];
            ran[parent] += ran[i];
        }
    }
    annotations->nodes_total = total;
}

htp_annotations *htp_annotate(htp_arena *arena, const htp_draft *model,
                              const htp_hierarchy *hierarchy, const uint32_t *scope_modules,
                              const htp_annotate_options *options)
{
    const htp_graph *graph = model->graph;
    const htp_shim_trace *trace = graph->trace;
    const char *prefix = options->attribute_prefix;
    annotator a = {
        .arena = arena,
        .model = model,
        .graph = graph,
        .hierarchy = hierarchy,
        .scope_modules = scope_modules,
        .places = options->places,
        .source_module = htp_arena_printf(arena, "%ssource_module", prefix),
        .hierarchy_tags = htp_arena_printf(arena, "%shierarchy_tags", prefix),
        .torch_metadata = htp_torch_metadata_new(arena, graph),
        .by_operation = HTP_NEW_ARRAY(arena, const htp_node_annotation *, trace->node_count),
        .seen_by = HTP_NEW_ARRAY(arena, uint32_t, graph->module_count),
    };
    htp_annotations *annotations = HTP_NEW(arena, htp_annotations);
    annotations->parameters = htp_parameters_count(
        arena, graph->modules[0].shim, graph->module_count, trace->weights, trace->weight_count);
    annotations->aliases = htp_aliases_find(arena, graph->modules[0].shim, graph->module_count,
                                            trace->weights, annotations->parameters);
    count_nodes(&a, annotations);
    add_up_nodes(&a, annotations);
    annotations->nodes = annotate_nodes(&a);
    annotations->initializers = annotate_initializers(&a, annotations->parameters);
    if (options->places & HTP_TAG_METADATA) {
        property_list list = {0};
        add_property(&a, &list, "htp.tag_rules", HTP_TAG_RULES_VERSION);
        add_property(&a, &list, "htp.module_tree",
                     htp_module_tree_json(arena, graph, hierarchy, annotations));
        annotations->model = (htp_properties){list.items, list.count};
    }
    return annotations;
}
