#include "onnx/metadata/torch_metadata.h"

#include "base/intern.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/relation.h"
#include "onnx/metadata/stack_trace.h"

#include <inttypes.h>
#include <string.h>

enum { LONGEST_CHAIN = 256 };

/* The operation name of a function call. */
#define CALL_NAME "forward"

/* Text prefixes of the nodes of one scope. */
typedef struct scope_texts {
    const char *namespace_text; /* NULL: not built yet */
    const char *class_hierarchy;
    const char *scopes;
} scope_texts;

struct htp_torch_metadata_maker {
    htp_arena *arena;
    const htp_graph *graph;
    scope_texts *by_scope;
    uint32_t *numbers; /* by aten node: 1 + earlier nodes of its operator in its scope; 0: not yet
                          numbered */
    htp_map counts;    /* the next number, by scope and operator */
    htp_stack_memo stacks;
    htp_interned classes; /* class hierarchies, which layers of a model share */
    htp_text text;        /* under construction */
    htp_text begun[3];    /* prefixes of a scope */
};

/* "linear" of "aten::linear.out" */
static const char *operator_name(const char *kind, size_t *length)
{
    const char *colons = strstr(kind, "::");
    const char *name = colons ? colons + 2 : kind;
    *length = strcspn(name, ".");
    return name;
}

/* The number of an operation among those of its operator and scope that have nodes, in the order of
 * their first nodes: the same in a function as in the flat model. */
static uint32_t number_of(htp_torch_metadata_maker *maker, htp_node_id id)
{
    if (maker->numbers[id] == 0) {
        const htp_trace_node *operation = htp_graph_node(maker->graph, id);
        size_t length;
        const char *name = operator_name(operation->kind, &length);
        const char *key =
            htp_arena_printf(maker->arena, "%" PRIu32 ".%.*s", operation->scope, (int)length, name);
        uint32_t count = 0;
        (void)htp_map_get(&maker->counts, key, &count);
        htp_map_set(maker->arena, &maker->counts, key, ++count);
        maker->numbers[id] = count;
    }
    return maker->numbers[id] - 1;
}

htp_torch_metadata_maker *htp_torch_metadata_new(htp_arena *arena, const htp_graph *graph)
{
    htp_torch_metadata_maker *maker = HTP_NEW(arena, htp_torch_metadata_maker);
    maker->arena = arena;
    maker->graph = graph;
    maker->classes.arena = arena;
    maker->text.arena = arena;
    for (size_t i = 0; i < sizeof(maker->begun) / sizeof(maker->begun[0]); i++) {
        maker->begun[i].arena = arena;
    }
    maker->by_scope = HTP_NEW_ARRAY(arena, scope_texts, graph->trace->scope_count);
    maker->numbers = HTP_NEW_ARRAY(arena, uint32_t, graph->trace->node_count);
    return maker;
}

/* The modules entered since scope @p end, innermost first. @return their number */
static size_t list_chain(const htp_graph *graph, uint32_t scope, uint32_t end, uint32_t *chain)
{
    size_t count = 0;
    while (scope != HTP_NONE && scope != end && count < LONGEST_CHAIN) {
        uint32_t module = graph->trace->scopes[scope].module;
        if (count == 0 || chain[count - 1] != module) {
            chain[count++] = module;
        }
        scope = graph->trace->scopes[scope].parent;
    }
    return count;
}

/* Empties a text to reuse its buffer; finished texts were copied. */
static htp_text *empty_text(htp_text *text)
{
    text->length = 0;
    return text;
}

static const char *copy_text(const htp_text *text)
{
    return htp_arena_copy(text->arena, htp_text_string(text), text->length);
}

static void add_item(htp_text *list, const char *item)
{
    htp_text_add_repr(list, item);
    htp_text_add(list, ", ");
}

/* The path of a module relative to the call's. */
static const char *told_path(const htp_torch_metadata_maker *maker, uint32_t module,
                             const htp_torch_setting *setting)
{
    const htp_graph *graph = maker->graph;
    const char *path = graph->modules[module].instance->path;
    const char *below = setting->is_relative
                            ? htp_relation_path(path, htp_graph_scope_path(graph, setting->scope))
                            : path;
    return below ? below : path;
}

static scope_texts make_texts(htp_torch_metadata_maker *maker, uint32_t scope,
                              const htp_torch_setting *setting)
{
    uint32_t chain[LONGEST_CHAIN];
    uint32_t end = setting->is_relative ? setting->scope : HTP_NONE;
    htp_text *names = empty_text(&maker->begun[0]);
    htp_text *classes = empty_text(&maker->begun[1]);
    htp_text *scopes = empty_text(&maker->begun[2]);
    htp_text_add(classes, "[");
    htp_text_add(scopes, "[");
    for (size_t i = list_chain(maker->graph, scope, end, chain); i-- > 0;) {
        const htp_instance *module = maker->graph->modules[chain[i]].instance;
        const char *path = told_path(maker, chain[i], setting);
        htp_hierarchy_add_encoded(names, path, true);
        htp_text_add(names, ": ");
        htp_hierarchy_add_encoded(names, module->qualified_class, true);
        htp_text_add(names, "/");
        add_item(classes, module->qualified_class);
        add_item(scopes, path);
    }
    return (scope_texts){copy_text(names), copy_text(classes), copy_text(scopes)};
}

/* The prefixes of a scope. They need no setting in the key: a scope's nodes are all in one
 * function, or in the model. */
static const scope_texts *texts_of_scope(htp_torch_metadata_maker *maker, uint32_t scope,
                                         const htp_torch_setting *setting)
{
    scope_texts *texts = &maker->by_scope[scope];
    if (!texts->namespace_text) {
        *texts = make_texts(maker, scope, setting);
    }
    return texts;
}

static const char *name_operation(htp_torch_metadata_maker *maker, htp_node_id id)
{
    size_t length;
    const char *name = operator_name(htp_graph_node(maker->graph, id)->kind, &length);
    uint32_t number = number_of(maker, id);
    htp_text *text = empty_text(&maker->text);
    htp_text_add_bytes(text, name, length);
    if (number > 0) {
        htp_text_addf(text, "_%" PRIu32, number);
    }
    return copy_text(&maker->text);
}

/* "aten.linear.default" of "aten::linear" */
static const char *name_target(htp_torch_metadata_maker *maker, htp_node_id id)
{
    const char *kind = htp_graph_node(maker->graph, id)->kind;
    size_t length;
    const char *name = operator_name(kind, &length);
    size_t library = name == kind ? 0 : (size_t)(name - kind) - strlen("::");
    htp_text *text = empty_text(&maker->text);
    htp_text_add_bytes(text, kind, library);
    htp_text_add(text, library ? "." : "");
    htp_text_add(text, name);
    htp_text_add(text, name[length] ? "" : ".default");
    return copy_text(text);
}

static const htp_text *close_list(htp_torch_metadata_maker *maker, const char *begun,
                                  const char *last)
{
    htp_text *text = empty_text(&maker->text);
    htp_text_add(text, begun);
    htp_text_add_repr(text, last);
    htp_text_add(text, "]");
    return text;
}

static const char *close_classes(htp_torch_metadata_maker *maker, const char *begun,
                                 const char *last)
{
    const htp_text *text = close_list(maker, begun, last);
    return htp_intern(&maker->classes, text->bytes, text->length);
}

static const char *close_scopes(htp_torch_metadata_maker *maker, const char *begun,
                                const char *last)
{
    (void)close_list(maker, begun, last);
    return copy_text(&maker->text);
}

static const char *close_namespace(htp_torch_metadata_maker *maker, const char *begun,
                                   const char *name, const char *target)
{
    htp_text *text = empty_text(&maker->text);
    htp_text_add(text, begun);
    htp_hierarchy_add_encoded(text, name, true);
    htp_text_add(text, ": ");
    htp_hierarchy_add_encoded(text, target, true);
    return copy_text(&maker->text);
}

static const char *stack_of(htp_torch_metadata_maker *maker, htp_node_id operation,
                            const htp_torch_setting *setting)
{
    return setting->is_relative
               ? htp_stack_trace_within(maker->arena, setting->stacks, operation, setting->scope)
               : htp_stack_trace_make(maker->arena, &maker->stacks, maker->graph->trace,
                                      htp_graph_node(maker->graph, operation));
}

htp_torch_metadata htp_torch_metadata_make(htp_torch_metadata_maker *maker,
                                           const htp_onnx_node *node,
                                           const htp_torch_setting *setting)
{
    htp_node_id id = node->origin.node;
    bool has_operation = id != HTP_NONE;
    const char *name = has_operation ? name_operation(maker, id) : node->op_type;
    const char *target = has_operation ? name_target(maker, id) : node->op_type;
    const scope_texts *begun = texts_of_scope(maker, node->origin.scope, setting);
    return (htp_torch_metadata){
        .namespace_text = close_namespace(maker, begun->namespace_text, name, target),
        .class_hierarchy = close_classes(maker, begun->class_hierarchy, target),
        .scopes = close_scopes(maker, begun->scopes, name),
        .stack_trace = has_operation ? stack_of(maker, id, setting) : NULL,
    };
}

htp_torch_metadata htp_torch_metadata_of_call(htp_torch_metadata_maker *maker, uint32_t scope,
                                              const htp_torch_setting *setting)
{
    const htp_graph *graph = maker->graph;
    const char *target =
        graph->modules[graph->trace->scopes[scope].module].instance->qualified_class;
    const scope_texts begun = make_texts(maker, scope, setting);
    return (htp_torch_metadata){
        .namespace_text = close_namespace(maker, begun.namespace_text, CALL_NAME, target),
        .stack_trace = htp_stack_trace_of_call(maker->arena, setting->stacks, scope,
                                               setting->is_relative ? setting->scope : 0),
    };
}
