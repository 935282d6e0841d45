#include "onnx/metadata/annotate.h"

#include "base/numbers.h"
#include "base/text.h"
#include "onnx/metadata/annotate_node.h"
#include "onnx/metadata/complex_border.h"
#include "onnx/metadata/module_tree.h"
#include "onnx/metadata/state_pairs.h"

#include <inttypes.h>
#include <stdlib.h>

typedef HTP_VECTOR(htp_property) property_list;

typedef struct annotator {
    htp_arena *arena;
    const htp_builder *model;
    const htp_graph *graph;
    const htp_hierarchy *hierarchy;
    const uint32_t *scope_modules;
    unsigned places;
} annotator;

static void add_property(annotator *a, property_list *list, const char *key, const char *value)
{
    HTP_PUSH(a->arena, list, (htp_property){key, value});
}

/* Scope @p index of a node: 0 is that of its origin. */
static uint32_t node_scope(const htp_onnx_node *node, size_t index)
{
    return index ? node->more_scopes.items[index - 1] : node->origin.scope;
}

static const char *tags_as_json(const annotator *a, const htp_numbers *owners)
{
    htp_text text = {.arena = a->arena};
    htp_text_add(&text, "[");
    for (size_t i = 0; i < owners->count; i++) {
        htp_text_add(&text, i ? ", " : "");
        htp_text_add_json(&text, a->hierarchy->modules[owners->items[i]].tag);
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

static const htp_node_annotation *annotate_nodes(annotator *a, const htp_annotate_options *options)
{
    static const htp_node_setting setting = {.call = {.scope = HTP_NONE}};
    htp_node_annotator *nodes =
        htp_node_annotator_new(a->arena, a->graph, a->hierarchy, a->scope_modules, options);
    htp_node_annotation *annotations =
        HTP_NEW_ARRAY(a->arena, htp_node_annotation, a->model->nodes.count);
    for (size_t i = 0; i < a->model->nodes.count; i++) {
        annotations[i] = *htp_annotate_node(nodes, &a->model->nodes.items[i], &setting);
    }
    return annotations;
}

/* ---- initializers ---- */

/* By input of the model: the initializer with its default, or HTP_NONE. */
static const uint32_t *find_defaults(const annotator *a)
{
    uint32_t *defaults = HTP_NEW_ARRAY(a->arena, uint32_t, a->model->inputs.count + 1);
    for (size_t i = 0; i < a->model->inputs.count; i++) {
        defaults[i] = HTP_NONE;
    }
    for (size_t i = 0; i < a->model->initializers.count; i++) {
        const htp_tensor *tensor = &a->model->tensors.items[a->model->initializers.items[i].tensor];
        if (tensor->source == HTP_TENSOR_FROM_INPUT) {
            defaults[tensor->index] = (uint32_t)i;
        }
    }
    return defaults;
}

/* The initializer of an operand, itself or its default; or HTP_NONE. */
static uint32_t initializer_of(const annotator *a, const uint32_t *defaults, htp_tensor_id operand)
{
    if (operand == HTP_NONE) {
        return HTP_NONE;
    }
    const htp_tensor *tensor = &a->model->tensors.items[operand];
    return tensor->source == HTP_TENSOR_FROM_INITIALIZER ? tensor->index
           : tensor->source == HTP_TENSOR_FROM_INPUT     ? defaults[tensor->index]
                                                         : HTP_NONE;
}

static void add_users(annotator *a, htp_numbers *modules)
{
    const uint32_t *defaults = find_defaults(a);
    for (size_t n = 0; n < a->model->nodes.count; n++) {
        const htp_onnx_node *node = &a->model->nodes.items[n];
        for (uint32_t i = 0; i < node->input_count; i++) {
            uint32_t initializer = initializer_of(a, defaults, node->inputs[i]);
            for (size_t s = 0; initializer != HTP_NONE && s <= node->more_scopes.count; s++) {
                HTP_PUSH(a->arena, &modules[initializer], a->scope_modules[node_scope(node, s)]);
            }
        }
    }
}

/* Initializers with the contents of one storage and geometry. */
typedef struct holding {
    uint32_t initializer;
    uint32_t next; /* or HTP_NONE */
} holding;

typedef struct holdings {
    HTP_VECTOR(holding) items;
    uint32_t *first; /* by identity; or HTP_NONE */
} holdings;

static holdings find_holdings(const annotator *a, const htp_parameters *parameters)
{
    uint32_t count = a->graph->trace->weight_count;
    holdings found = {.first = HTP_NEW_ARRAY(a->arena, uint32_t, (size_t)count + 1)};
    for (uint32_t w = 0; w < count; w++) {
        found.first[w] = HTP_NONE;
    }
    for (size_t i = a->model->initializers.count; i-- > 0;) {
        const htp_initializer *initializer = &a->model->initializers.items[i];
        const htp_derivation *derivation = initializer->derivation;
        bool is_stored = initializer->weight != HTP_NONE;
        for (uint32_t k = 0; k < (is_stored ? 1 : derivation ? derivation->weight_count : 0); k++) {
            uint32_t weight = is_stored ? initializer->weight : derivation->weights[k];
            uint32_t identity = parameters->same_as[weight];
            HTP_PUSH(a->arena, &found.items, (holding){(uint32_t)i, found.first[identity]});
            found.first[identity] = (uint32_t)found.items.count - 1;
        }
    }
    return found;
}

/* Adds the owners of each initializer, and begins the lists of their paths. */
static void add_owners(annotator *a, const htp_parameters *parameters, htp_numbers *modules,
                       htp_text *paths)
{
    const holdings held = find_holdings(a, parameters);
    if (!held.items.items) {
        return;
    }
    uint32_t *last_owner = HTP_NEW_ARRAY(a->arena, uint32_t, a->model->initializers.count);
    for (size_t i = 0; i < a->model->initializers.count; i++) {
        last_owner[i] = HTP_NONE;
    }
    for (uint32_t m = 0; m < a->graph->module_count; m++) {
        for (uint32_t w = parameters->first_weight[m]; w != HTP_NONE;
             w = parameters->next_weight[w]) {
            for (uint32_t h = held.first[parameters->same_as[w]]; h != HTP_NONE;
                 h = held.items.items[h].next) {
                uint32_t i = held.items.items[h].initializer;
                if (last_owner[i] == m) {
                    continue;
                }
                last_owner[i] = m;
                HTP_PUSH(a->arena, &modules[i], a->hierarchy->modules[m].owner);
                paths[i].arena = a->arena;
                htp_text_add(&paths[i], paths[i].length ? ", " : "[");
                htp_text_add_repr(&paths[i], a->graph->modules[m].instance->path);
            }
        }
    }
}

/* Adds the sources and layout of a derived initializer. */
static void add_derivation(annotator *a, property_list *list, const htp_derivation *derivation)
{
    const htp_weight *weights = a->graph->trace->weights;
    htp_text names = {.arena = a->arena};
    bool is_list = derivation->weight_count > 1;
    for (uint32_t i = 0; i < derivation->weight_count; i++) {
        const char *name = htp_text_printable(a->arena, weights[derivation->weights[i]].name);
        if (is_list) {
            htp_text_add(&names, i ? ", " : "[");
            htp_text_add_json(&names, name);
        } else {
            htp_text_add(&names, name);
        }
    }
    htp_text_add(&names, is_list ? "]" : "");
    if (derivation->layout) {
        add_property(a, list, HTP_LAYOUT_KEY, derivation->layout);
    }
    add_property(a, list, HTP_PARAMETER_KEY, htp_text_string(&names));
}

static htp_properties annotate_initializer(annotator *a, uint32_t index, const htp_numbers *modules,
                                           htp_text *paths)
{
    property_list list = {0};
    const htp_derivation *derivation = a->model->initializers.items[index].derivation;
    add_property(a, &list, "hierarchy_tags", tags_as_json(a, modules));
    if (paths->length) {
        htp_text_add(paths, "]");
        add_property(a, &list, "name_scopes", htp_text_string(paths));
    }
    if (derivation) {
        add_derivation(a, &list, derivation);
    }
    return (htp_properties){list.items, list.count};
}

static const htp_properties *annotate_initializers(annotator *a, const htp_parameters *parameters)
{
    size_t count = a->model->initializers.count;
    htp_properties *properties = HTP_NEW_ARRAY(a->arena, htp_properties, count);
    if (!(a->places & HTP_TAG_METADATA)) {
        return properties;
    }
    htp_numbers *modules = HTP_NEW_ARRAY(a->arena, htp_numbers, count);
    htp_text *paths = HTP_NEW_ARRAY(a->arena, htp_text, count);
    add_users(a, modules);
    add_owners(a, parameters, modules, paths);
    for (size_t i = 0; i < count; i++) {
        htp_numbers_sort_unique(&modules[i]);
        properties[i] = annotate_initializer(a, (uint32_t)i, &modules[i], &paths[i]);
    }
    return properties;
}

/* ---- the whole ---- */

/* Whether a node has the root's tag because it ran only in modules of torch.nn. */
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

/* Adds node counts to ancestors. */
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
            uint32_t parent = a->graph->modules[i].instance->parent;
            tagged[parent] += tagged[i];
            ran[parent] += ran[i];
        }
    }
    annotations->nodes_total = total;
}

/* The model's own metadata. */
static htp_properties annotate_model(annotator *a, const htp_annotations *annotations,
                                     const char *sizes)
{
    const htp_builder *model = a->model;
    property_list list = {0};
    const htp_state_pairs states = htp_state_pairs_of(a->arena, a->model);
    const char *inputs =
        htp_complex_border_json(a->arena, model, model->inputs.items, model->inputs.count);
    const char *outputs =
        htp_complex_border_json(a->arena, model, model->outputs.items, model->outputs.count);
    add_property(a, &list, "htp.tag_rules", HTP_TAG_RULES_VERSION);
    add_property(a, &list, "htp.module_tree",
                 htp_module_tree_json(a->arena, a->graph, a->hierarchy, annotations));
    if (inputs) {
        add_property(a, &list, HTP_COMPLEX_INPUTS_KEY, inputs);
    }
    if (outputs) {
        add_property(a, &list, HTP_COMPLEX_OUTPUTS_KEY, outputs);
    }
    if (states.count > 0) {
        add_property(a, &list, HTP_STATES_KEY, htp_state_pairs_json(a->arena, &states));
    }
    if (sizes) {
        add_property(a, &list, HTP_SIZES_KEY, sizes);
    }
    return (htp_properties){list.items, list.count};
}

htp_annotations *htp_annotate(htp_arena *arena, const htp_builder *model,
                              const htp_hierarchy *hierarchy, const uint32_t *scope_modules,
                              const htp_annotate_options *options)
{
    const htp_graph *graph = model->graph;
    const htp_trace *trace = graph->trace;
    annotator a = {
        .arena = arena,
        .model = model,
        .graph = graph,
        .hierarchy = hierarchy,
        .scope_modules = scope_modules,
        .places = options->places,
    };
    htp_annotations *annotations = HTP_NEW(arena, htp_annotations);
    annotations->parameters =
        htp_parameters_count(arena, graph->modules[0].instance, graph->module_count, trace->weights,
                             trace->weight_count);
    annotations->aliases =
        htp_aliases_find(arena, graph->modules[0].instance, graph->module_count,
                         trace->module_calls, trace->weights, annotations->parameters);
    count_nodes(&a, annotations);
    add_up_nodes(&a, annotations);
    annotations->nodes = options->leaves_nodes ? NULL : annotate_nodes(&a, options);
    annotations->initializers = annotate_initializers(&a, annotations->parameters);
    if (options->places & HTP_TAG_METADATA) {
        annotations->model = annotate_model(&a, annotations, options->sizes);
    }
    return annotations;
}
