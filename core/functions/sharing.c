#include "functions/sharing.h"

#include "hierarchy/relation.h"

#include <stdlib.h>
#include <string.h>

/* Words in keys. */
enum {
    KEY_NOTHING = 1,
    KEY_MADE,
    KEY_CONSTANT,
    KEY_INPUT,
    KEY_NODE,
    KEY_CALL,
    KEY_GRAPH,
    KEY_END,
    KEY_ALONE, /* the rest belongs to this frame alone */
};

static const char *path_below(const htp_graph *graph, uint32_t module, uint32_t around)
{
    return htp_relation_path(graph->modules[module].instance->path,
                             graph->modules[around].instance->path);
}

typedef struct sharer {
    htp_arena *arena;
    const htp_frames *frames;
    const htp_builder *model;
    const htp_trace_scope *scopes;
    const htp_hierarchy *hierarchy;
    const uint32_t *scope_modules;
    const htp_stacks *stacks;
    bool is_each_its_own;
    htp_sharing *sharing;
    uint32_t *read_depth;     /* by tensor: the depth of the innermost frame around all readers */
    uint32_t *known_in;       /* by tensor: the frame, plus one, that makes it or takes it as an
                                 input */
    uint32_t *number;         /* by tensor: number of the value or input */
    bool *is_input;           /* by tensor */
    uint32_t *scope_text;     /* by scope: its text relative to its frame; 0: not computed */
    uint32_t *operation_text; /* by aten node: its stack within that frame */
    htp_map texts;            /* from texts to numbers, from 1 on */
    htp_map keys;             /* from keys to functions */
    htp_text key;             /* of the current frame */
} sharer;

static void add_words(sharer *s, const uint64_t *words, size_t count)
{
    htp_text_add_bytes(&s->key, (const char *)words, count * sizeof(*words));
}

#define ADD(s, ...)                                                                                \
    add_words((s), (const uint64_t[]){__VA_ARGS__},                                                \
              sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The number of a byte string. */
static uint32_t number_of(sharer *s, const void *bytes, size_t count)
{
    uint32_t number = (uint32_t)s->texts.count + 1;
    const void **place = htp_map_add_bytes(s->arena, &s->texts, bytes, count, &number);
    if (place) {
        *place = htp_arena_copy(s->arena, bytes, count);
    }
    return number;
}

static uint32_t number_of_text(sharer *s, const char *text)
{
    return text ? number_of(s, text, strlen(text)) : 0;
}

/* The same for a list; NULL is an empty one. */
static uint32_t number_of_list(sharer *s, const void *items, size_t count, size_t size)
{
    return count ? number_of(s, items, count * size) : 0;
}

/* ---- who reads what ---- */

static uint32_t depth_of(const sharer *s, uint32_t frame)
{
    return frame == HTP_NONE ? 0 : s->frames->frames.items[frame].depth;
}

/* The depth of the innermost common frame. */
static uint32_t common_depth(const sharer *s, uint32_t a, uint32_t b)
{
    const htp_frame *frames = s->frames->frames.items;
    while (a != b) {
        bool climbs_a = depth_of(s, a) >= depth_of(s, b);
        bool climbs_b = depth_of(s, b) >= depth_of(s, a);
        a = climbs_a ? frames[a].parent : a;
        b = climbs_b ? frames[b].parent : b;
    }
    return depth_of(s, a);
}

static void note_reader(sharer *s, htp_tensor_id tensor, uint32_t frame)
{
    const htp_tensor *read = tensor == HTP_NONE ? NULL : &s->model->tensors.items[tensor];
    if (read && read->source == HTP_TENSOR_FROM_NODE) {
        uint32_t depth = common_depth(s, s->frames->node_frames[read->index], frame);
        s->read_depth[tensor] = depth < s->read_depth[tensor] ? depth : s->read_depth[tensor];
    }
}

static void note_readers(sharer *s)
{
    const htp_builder *model = s->model;
    memset(s->read_depth, 0xff, model->tensors.count * sizeof(*s->read_depth));
    for (uint32_t n = 0; n < model->nodes.count; n++) {
        for (uint32_t i = 0; i < model->nodes.items[n].input_count; i++) {
            note_reader(s, model->nodes.items[n].inputs[i], s->frames->node_frames[n]);
        }
    }
    for (uint32_t g = 0; g < model->graphs.count; g++) {
        for (size_t i = 0; i < model->graphs.items[g].outputs.count; i++) {
            note_reader(s, model->graphs.items[g].outputs.items[i], s->frames->graph_frames[g + 1]);
        }
    }
    for (size_t i = 0; i < model->outputs.count; i++) {
        note_reader(s, model->outputs.items[i], HTP_NONE);
    }
}

/* ---- annotations of nodes ---- */

/* The text of a scope relative to its frame; 0 if it has none. */
static uint32_t describe_scope(sharer *s, uint32_t scope, uint32_t frame)
{
    const htp_frame *around = &s->frames->frames.items[frame];
    const htp_hierarchy_module *modules = s->hierarchy->modules;
    const htp_graph *graph = s->model->graph;
    const char *tag = htp_relation_tag(modules[s->scope_modules[scope]].tag,
                                       modules[s->scope_modules[around->scope]].tag);
    const char *full_tag = htp_relation_tag(modules[s->scopes[scope].module].full_tag,
                                            modules[around->module].full_tag);
    htp_text text = {.arena = s->arena};
    bool is_below = *tag != '/' && *full_tag != '/';
    htp_text_addf(&text, "%s %s", tag, full_tag);
    for (uint32_t at = scope; at != around->scope && is_below; at = s->scopes[at].parent) {
        const htp_instance *module = graph->modules[s->scopes[at].module].instance;
        const char *path = path_below(graph, s->scopes[at].module, around->module);
        is_below = path != NULL;
        htp_text_addf(&text, " %s:%s", path ? path : "", module->qualified_class);
        htp_call_count calls = htp_frames_calls(s->frames, frame, s->scopes[at].module);
        if (calls.count > 1) {
            htp_text_addf(&text, "#%u", (unsigned)(s->scopes[at].call - calls.first));
        }
    }
    return is_below ? number_of_text(s, htp_text_string(&text)) : 0;
}

/* Adds the location of an operation: a scope within a frame. */
static void add_scope(sharer *s, uint32_t scope, uint32_t frame)
{
    uint32_t lies_in = s->frames->scope_frames[scope];
    bool is_call = lies_in != HTP_NONE && s->frames->frames.items[lies_in].scope == scope;
    if (is_call && lies_in != frame) {
        lies_in = s->frames->frames.items[lies_in].parent;
    }
    if (lies_in != frame) {
        ADD(s, KEY_ALONE, frame);
        return;
    }
    uint32_t text = is_call ? describe_scope(s, scope, frame) : s->scope_text[scope];
    if (text == 0) {
        text = describe_scope(s, scope, frame);
        s->scope_text[scope] = text;
    }
    if (text == 0) {
        ADD(s, KEY_ALONE, frame);
    } else {
        ADD(s, text);
    }
}

static void add_origin(sharer *s, htp_origin origin, uint32_t frame)
{
    add_scope(s, origin.scope, frame);
    if (origin.node == HTP_NONE) {
        return;
    }
    if (s->operation_text[origin.node] == 0) {
        const char *stack = htp_stack_trace_within(s->arena, s->stacks, origin.node,
                                                   s->frames->frames.items[frame].scope);
        s->operation_text[origin.node] = number_of_text(s, stack ? stack : "");
    }
    ADD(s, number_of_text(s, htp_graph_node(s->model->graph, origin.node)->kind),
        s->operation_text[origin.node]);
}

/* ---- values ---- */

static void add_type(sharer *s, htp_tensor_id id)
{
    const htp_tensor *tensor = &s->model->tensors.items[id];
    if (!tensor->has_type) {
        ADD(s, KEY_NOTHING);
        return;
    }
    ADD(s, (uint64_t)tensor->dtype << 32 | tensor->rank, tensor->is_sequence);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        ADD(s, number_of_text(s, tensor->dims[i].symbol));
    }
}

static void add_read(sharer *s, htp_tensor_id id, uint32_t frame)
{
    htp_body *body = &s->sharing->bodies[frame];
    if (id == HTP_NONE) {
        ADD(s, KEY_NOTHING);
        return;
    }
    const htp_tensor *tensor = &s->model->tensors.items[id];
    if (tensor->source == HTP_TENSOR_FROM_INITIALIZER &&
        htp_initializer_is_constant(&s->model->initializers.items[tensor->index])) {
        ADD(s, KEY_CONSTANT, tensor->index);
    } else if (s->known_in[id] == frame + 1) {
        ADD(s, s->is_input[id] ? KEY_INPUT : KEY_MADE, s->number[id]);
    } else {
        s->known_in[id] = frame + 1;
        s->is_input[id] = true;
        s->number[id] = (uint32_t)body->inputs.count;
        HTP_PUSH(s->arena, &body->inputs, id);
        ADD(s, KEY_INPUT, s->number[id]);
        add_type(s, id);
    }
}

/* Numbers a value that is made in a frame or in its callees. */
static void note_value(sharer *s, htp_tensor_id id, uint32_t number, uint32_t frame)
{
    s->known_in[id] = frame + 1;
    s->is_input[id] = false;
    s->number[id] = number;
    HTP_PUSH(s->arena, &s->sharing->bodies[frame].values, (htp_made){number, id});
    if (s->read_depth[id] < depth_of(s, frame)) {
        HTP_PUSH(s->arena, &s->sharing->bodies[frame].outputs, (htp_made){number, id});
    }
}

static void add_value(sharer *s, htp_tensor_id id, uint32_t frame)
{
    htp_body *body = &s->sharing->bodies[frame];
    add_type(s, id);
    note_value(s, id, body->value_count++, frame);
}

/* ---- keys of bodies ---- */

static void add_attribute(sharer *s, const htp_attribute *attribute)
{
    ADD(s, number_of_text(s, attribute->name), attribute->kind);
    switch (attribute->kind) {
    case HTP_ATTRIBUTE_INT:
        ADD(s, (uint64_t)attribute->i);
        break;
    case HTP_ATTRIBUTE_FLOAT:
        ADD(s, number_of(s, &attribute->f, sizeof(attribute->f)));
        break;
    case HTP_ATTRIBUTE_STRING:
        ADD(s, number_of_text(s, attribute->s));
        break;
    case HTP_ATTRIBUTE_INTS:
        ADD(s, number_of_list(s, attribute->ints, attribute->count, sizeof(*attribute->ints)));
        break;
    case HTP_ATTRIBUTE_FLOATS:
        ADD(s, number_of_list(s, attribute->floats, attribute->count, sizeof(*attribute->floats)));
        break;
    case HTP_ATTRIBUTE_STRINGS:
        ADD(s, attribute->count);
        for (size_t i = 0; i < attribute->count; i++) {
            ADD(s, number_of_text(s, attribute->strings[i]));
        }
        break;
    case HTP_ATTRIBUTE_GRAPH:  /* its events precede the node's */
    case HTP_ATTRIBUTE_TENSOR: /* only in models with functions */
        break;
    }
}

static void add_node(sharer *s, uint32_t index, uint32_t frame)
{
    const htp_onnx_node *node = &s->model->nodes.items[index];
    ADD(s, KEY_NODE, number_of_text(s, node->op_type), number_of_text(s, node->domain),
        node->attribute_count, node->input_count, node->output_count);
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        add_attribute(s, &node->attributes[i]);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        add_read(s, node->inputs[i], frame);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        add_value(s, node->outputs[i], frame);
    }
    add_origin(s, node->origin, frame);
    for (size_t i = 0; i < node->more_scopes.count; i++) {
        add_scope(s, node->more_scopes.items[i], frame);
    }
}

/* Adds the first call numbers of modules in a callee. */
static void add_first_calls(sharer *s, uint32_t called, uint32_t frame)
{
    const htp_frame *callee = &s->frames->frames.items[called];
    const htp_graph *graph = s->model->graph;
    for (size_t i = 0; i < callee->repeated.count; i++) {
        uint32_t module = callee->repeated.items[i];
        htp_call_count around = htp_frames_calls(s->frames, frame, module);
        const char *path = path_below(graph, module, callee->module);
        if (around.count > 1) {
            ADD(s, path ? number_of_text(s, path) : (uint64_t)module << 32,
                htp_frames_calls(s->frames, called, module).first - around.first);
        }
    }
}

static void add_call(sharer *s, uint32_t called, uint32_t frame)
{
    htp_body *body = &s->sharing->bodies[frame];
    const htp_body *callee = &s->sharing->bodies[called];
    ADD(s, KEY_CALL, callee->function, callee->inputs.count);
    for (size_t i = 0; i < callee->inputs.count; i++) {
        add_read(s, callee->inputs.items[i], frame);
    }
    for (size_t i = 0; i < callee->outputs.count; i++) {
        const htp_made *output = &callee->outputs.items[i];
        note_value(s, output->tensor, body->value_count + output->number, frame);
    }
    body->value_count += callee->value_count;
    uint32_t scope = s->frames->frames.items[called].scope;
    add_scope(s, scope, frame);
    const char *stack =
        htp_stack_trace_of_call(s->arena, s->stacks, scope, s->frames->frames.items[frame].scope);
    ADD(s, number_of_text(s, stack));
    add_first_calls(s, called, frame);
}

/* Adds the begin or end of a nested graph. */
static void add_graph(sharer *s, uint32_t graph, bool is_end, uint32_t frame)
{
    const htp_nested_graph *nested = &s->model->graphs.items[graph - 1];
    ADD(s, is_end ? KEY_END : KEY_GRAPH, is_end ? nested->outputs.count : nested->inputs.count);
    for (size_t i = 0; i < nested->inputs.count && !is_end; i++) {
        add_value(s, nested->inputs.items[i], frame);
    }
    for (size_t i = 0; i < nested->outputs.count && is_end; i++) {
        add_read(s, nested->outputs.items[i], frame);
    }
}

/* Builds the key of a frame. Its callees have functions already. */
static void make_key(sharer *s, uint32_t frame)
{
    uint32_t module = s->frames->frames.items[frame].module;
    const htp_instance *callee = s->model->graph->modules[module].instance;
    s->key = (htp_text){.arena = s->arena};
    ADD(s, number_of_text(s, callee->qualified_class),
        s->is_each_its_own ? (uint64_t)module + 1 : 0);
    htp_walk *walk = htp_walk_begin(s->arena, s->frames, frame);
    htp_event event;
    while (htp_walk_next(walk, &event)) {
        switch (event.kind) {
        case HTP_EVENT_NODE:
            add_node(s, event.index, frame);
            break;
        case HTP_EVENT_CALL:
            add_call(s, event.index, frame);
            break;
        case HTP_EVENT_GRAPH:
        case HTP_EVENT_END:
            add_graph(s, event.index, event.kind == HTP_EVENT_END, frame);
            break;
        }
    }
}

/* ---- functions ---- */

static uint32_t find_function(sharer *s)
{
    uint32_t function = (uint32_t)s->sharing->functions.count;
    const void **place =
        htp_map_add_bytes(s->arena, &s->keys, s->key.bytes, s->key.length, &function);
    if (place) {
        *place = s->key.bytes;
        HTP_PUSH(s->arena, &s->sharing->functions, (htp_function){.is_shared = false});
    }
    return function;
}

static void number_functions(sharer *s)
{
    htp_sharing *sharing = s->sharing;
    size_t count = sharing->functions.count;
    uint32_t *moved = HTP_NEW_ARRAY(s->arena, uint32_t, count);
    bool *is_moved = HTP_NEW_ARRAY(s->arena, bool, count);
    uint32_t next = 0;
    for (uint32_t frame = 0; frame < s->frames->frames.count; frame++) {
        uint32_t *function = &sharing->bodies[frame].function;
        if (!is_moved[*function]) {
            is_moved[*function] = true;
            moved[*function] = next++;
        }
        *function = moved[*function];
        HTP_PUSH(s->arena, &sharing->functions.items[*function].frames, frame);
    }
    sharing->order = moved; /* inner frames come first */
}

/* Whether two calls of one module have the same chain of callers and call sites. */
static bool has_same_chain(const sharer *s, uint32_t a, uint32_t b)
{
    const char *x = htp_stack_trace_of_call(s->arena, s->stacks, a, 0);
    const char *y = htp_stack_trace_of_call(s->arena, s->stacks, b, 0);
    while (a != b && a != HTP_NONE && b != HTP_NONE && s->scopes[a].module == s->scopes[b].module) {
        a = s->scopes[a].parent;
        b = s->scopes[b].parent;
    }
    return a == b && strcmp(x ? x : "", y ? y : "") == 0;
}

static void look_at_callers(sharer *s, htp_function *function)
{
    const htp_frame *frames = s->frames->frames.items;
    const htp_frame *first = &frames[function->frames.items[0]];
    for (size_t i = 1; i < function->frames.count && !function->is_shared; i++) {
        const htp_frame *other = &frames[function->frames.items[i]];
        function->is_shared = other->module != first->module;
        function->has_chains =
            function->has_chains || !has_same_chain(s, first->scope, other->scope);
    }
    function->has_chains = function->has_chains || function->is_shared;
}

/* An output of any frame is an output of the function. */
static void join_outputs(sharer *s, htp_function *function)
{
    htp_map seen = {0};
    for (size_t i = 0; i < function->frames.count; i++) {
        const htp_body *body = &s->sharing->bodies[function->frames.items[i]];
        for (size_t k = 0; k < body->outputs.count; k++) {
            const uint32_t number = body->outputs.items[k].number;
            if (htp_map_add_bytes(s->arena, &seen, &number, sizeof(number), NULL)) {
                HTP_PUSH(s->arena, &function->outputs, number);
            }
        }
    }
    htp_numbers_sort(&function->outputs);
}

htp_sharing *htp_sharing_find(htp_arena *arena, const htp_frames *frames,
                              const htp_hierarchy *hierarchy, const uint32_t *scope_modules,
                              const htp_stacks *stacks, bool is_each_its_own)
{
    const htp_builder *model = frames->model;
    const htp_trace *trace = model->graph->trace;
    size_t tensors = model->tensors.count;
    sharer s = {.arena = arena,
                .frames = frames,
                .model = model,
                .scopes = trace->scopes,
                .hierarchy = hierarchy,
                .scope_modules = scope_modules,
                .stacks = stacks,
                .is_each_its_own = is_each_its_own,
                .sharing = HTP_NEW(arena, htp_sharing),
                .read_depth = HTP_NEW_ARRAY(arena, uint32_t, tensors),
                .known_in = HTP_NEW_ARRAY(arena, uint32_t, tensors),
                .number = HTP_NEW_ARRAY(arena, uint32_t, tensors),
                .is_input = HTP_NEW_ARRAY(arena, bool, tensors),
                .scope_text = HTP_NEW_ARRAY(arena, uint32_t, trace->scope_count),
                .operation_text = HTP_NEW_ARRAY(arena, uint32_t, trace->node_count)};
    s.sharing->bodies = HTP_NEW_ARRAY(arena, htp_body, frames->frames.count);
    note_readers(&s);
    for (uint32_t frame = (uint32_t)frames->frames.count; frame-- > 0;) {
        make_key(&s, frame);
        s.sharing->bodies[frame].function = find_function(&s);
    }
    number_functions(&s);
    for (size_t i = 0; i < s.sharing->functions.count; i++) {
        look_at_callers(&s, &s.sharing->functions.items[i]);
        join_outputs(&s, &s.sharing->functions.items[i]);
    }
    return s.sharing;
}
