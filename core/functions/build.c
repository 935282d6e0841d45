#include "functions/build.h"

#include "functions/naming.h"
#include "onnx/names.h"

#include <stdlib.h>
#include <string.h>

typedef struct builder {
    htp_arena *arena;
    const htp_frames *frames;
    const htp_sharing *sharing;
    const htp_draft *flat;
    htp_draft *model;
    htp_functions *result;
    const htp_function_name *names;    /* by function */
    const htp_formal_input **inputs;   /* by function that is built: as the function has them */
    const uint32_t *passed;            /* see htp_naming_passed() */
    htp_tensor_id *ids;                /* by tensor of the flat model: its tensor here ... */
    uint32_t *known_in;                /* ... in the body of this frame plus two; 1: the model */
    HTP_VECTOR(uint32_t) initializers; /* of the flat model */
    HTP_VECTOR(uint32_t) called;       /* frames, or HTP_NONE: by node */
} builder;

/* A body under way: a function's, or the model's. */
typedef struct body {
    uint32_t frame;         /* the first that the function stands for; HTP_NONE: the model */
    uint32_t function;      /* of the draft, plus one; 0: the model */
    htp_number_list graphs; /* around what comes next, the innermost last */
    htp_number_list ended;  /* bodies of nodes that are still to come: their graphs */
    uint32_t number;        /* of the next value */
    const htp_number_list
        *outputs;         /* numbers of values that the function gives; NULL: the model's */
    htp_tensor_id *given; /* by output: its tensor */
    htp_map taken;        /* names of values */
    htp_map calls;        /* names of calls: how many there are */
} body;

/* ---- tensors ---- */

static uint32_t mark_of(const body *b)
{
    return b->frame == HTP_NONE ? 1 : b->frame + 2;
}

static htp_tensor_id add_tensor(builder *build, htp_tensor tensor)
{
    HTP_PUSH(build->arena, &build->model->tensors, tensor);
    return (htp_tensor_id)(build->model->tensors.count - 1);
}

/* The tensor @p id of the flat model, in a body. */
static htp_tensor_id know_tensor(builder *build, const body *b, htp_tensor_id id, htp_tensor tensor)
{
    build->known_in[id] = mark_of(b);
    build->ids[id] = add_tensor(build, tensor);
    return build->ids[id];
}

static const char *unique_name(builder *build, body *b, const char *flat_name)
{
    const char *local = htp_naming_local(build->frames, b->frame, flat_name);
    return b->frame == HTP_NONE ? local : htp_name_unique(build->arena, &b->taken, local);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The place of a value among what a function gives; NULL where it is not. */
static htp_tensor_id *find_given(const body *b, uint32_t number)
{
    if (!b->outputs || b->outputs->count == 0) {
        return NULL;
    }
    const uint32_t *found =
        bsearch(&number, b->outputs->items, b->outputs->count, sizeof(number), compare_numbers);
    return found ? &b->given[found - b->outputs->items] : NULL;
}

/* Notes a value where it is one that the function gives. */
static void give(body *b, uint32_t number, htp_tensor_id id)
{
    htp_tensor_id *given = find_given(b, number);
    if (given) {
        *given = id;
    }
}

/* ---- constants ---- */

static void push_node(builder *build, htp_onnx_node node, uint32_t called)
{
    HTP_PUSH(build->arena, &build->model->nodes, node);
    HTP_PUSH(build->arena, &build->called, called);
}

/* A constant of a function: a node in front of the first that reads it. */
static htp_tensor_id add_constant(builder *build, body *b, htp_tensor_id id, uint32_t scope)
{
    const htp_tensor *flat = &build->flat->tensors.items[id];
    const htp_initializer *data = &build->flat->initializers.items[flat->index];
    htp_arena *arena = build->arena;
    HTP_PUSH(arena, &build->model->constants_within,
             (htp_constant){flat->dtype, flat->rank, flat->dims, data->data, data->bytes});
    htp_attribute *value = HTP_NEW(arena, htp_attribute);
    *value = htp_attribute_tensor("value", build->model->constants_within.count - 1);
    htp_tensor_id *output = HTP_NEW(arena, htp_tensor_id);
    *output = know_tensor(build, b, id,
                          (htp_tensor){.name = flat->name,
                                       .source = HTP_TENSOR_FROM_NODE,
                                       .index = (uint32_t)build->model->nodes.count});
    push_node(build,
              (htp_onnx_node){.op_type = "Constant",
                              .domain = "",
                              .name = flat->name,
                              .outputs = output,
                              .output_count = 1,
                              .attributes = value,
                              .attribute_count = 1,
                              .graph = b->graphs.items[0],
                              .origin = {.scope = scope, .node = HTP_NONE}},
              HTP_NONE);
    return *output;
}

/* What reads a constant in another scope than the first. */
static void add_reader(builder *build, htp_tensor_id constant, uint32_t scope)
{
    htp_onnx_node *node = &build->model->nodes.items[build->model->tensors.items[constant].index];
    uint32_t last = node->more_scopes.count ? node->more_scopes.items[node->more_scopes.count - 1]
                                            : node->origin.scope;
    if (last != scope) {
        HTP_PUSH(build->arena, &node->more_scopes, scope);
    }
}

/* ---- reading ---- */

static htp_tensor_id add_initializer(builder *build, const body *b, htp_tensor_id id)
{
    htp_tensor tensor = build->flat->tensors.items[id];
    htp_initializer initializer = build->flat->initializers.items[tensor.index];
    HTP_PUSH(build->arena, &build->initializers, tensor.index);
    tensor.index = (uint32_t)build->model->initializers.count;
    initializer.tensor = know_tensor(build, b, id, tensor);
    HTP_PUSH(build->arena, &build->model->initializers, initializer);
    return initializer.tensor;
}

/* A tensor that a node in @p scope reads: it was made in the body, or is an input of it. */
static htp_tensor_id read_tensor(builder *build, body *b, htp_tensor_id id, uint32_t scope)
{
    if (id == HTP_TENSOR_NONE) {
        return id;
    }
    const htp_tensor *flat = &build->flat->tensors.items[id];
    bool is_constant = flat->source == HTP_TENSOR_FROM_INITIALIZER &&
                       build->flat->initializers.items[flat->index].weight == HTP_NONE;
    if (build->known_in[id] != mark_of(b)) {
        return b->frame == HTP_NONE ? add_initializer(build, b, id)
                                    : add_constant(build, b, id, scope);
    }
    if (is_constant && b->frame != HTP_NONE) {
        add_reader(build, build->ids[id], scope);
    }
    return build->ids[id];
}

static const htp_tensor_id *read_tensors(builder *build, body *b, const htp_tensor_id *ids,
                                         size_t count, uint32_t scope)
{
    htp_tensor_id *read = HTP_NEW_ARRAY(build->arena, htp_tensor_id, count);
    for (size_t i = 0; i < count; i++) {
        read[i] = read_tensor(build, b, ids[i], scope);
    }
    return read;
}

/* ---- nodes ---- */

/* A value's copy in a body. */
static htp_tensor_id make_value(builder *build, body *b, htp_tensor_id id, uint32_t index)
{
    htp_tensor tensor = build->flat->tensors.items[id];
    tensor.name = unique_name(build, b, tensor.name);
    tensor.index = index;
    tensor.is_output = tensor.is_output && b->frame == HTP_NONE;
    return know_tensor(build, b, id, tensor);
}

/* The attributes of a node; its bodies are those that ended last. */
static const htp_attribute *take_attributes(builder *build, body *b, const htp_onnx_node *flat)
{
    htp_attribute *taken = HTP_NEW_ARRAY(build->arena, htp_attribute, flat->attribute_count);
    for (uint32_t i = flat->attribute_count; i-- > 0;) {
        taken[i] = flat->attributes[i];
        if (taken[i].kind == HTP_ATTRIBUTE_GRAPH) {
            taken[i].i = b->ended.items[--b->ended.count];
        }
    }
    return taken;
}

static void add_node(builder *build, body *b, uint32_t index)
{
    const htp_onnx_node *flat = &build->flat->nodes.items[index];
    htp_onnx_node node = *flat;
    node.attributes = take_attributes(build, b, flat);
    node.inputs = read_tensors(build, b, flat->inputs, flat->input_count, flat->origin.scope);
    htp_tensor_id *outputs = HTP_NEW_ARRAY(build->arena, htp_tensor_id, flat->output_count);
    uint32_t made = (uint32_t)build->model->nodes.count;
    for (uint32_t i = 0; i < flat->output_count; i++) {
        outputs[i] = make_value(build, b, flat->outputs[i], made);
        give(b, b->number++, outputs[i]);
    }
    node.outputs = outputs;
    node.name = htp_naming_local(build->frames, b->frame, flat->name);
    node.graph = b->graphs.items[b->graphs.count - 1];
    push_node(build, node, HTP_NONE);
}

/* ---- bodies of nodes ---- */

static void begin_graph(builder *build, body *b, uint32_t index)
{
    const htp_nested_graph *flat = &build->flat->graphs.items[index - 1];
    uint32_t graph = htp_draft_add_graph(build->model);
    build->model->graphs.items[graph - 1].function = b->function;
    for (size_t i = 0; i < flat->inputs.count; i++) {
        htp_tensor_id input = make_value(build, b, flat->inputs.items[i], graph);
        give(b, b->number++, input);
        HTP_PUSH(build->arena, &build->model->graphs.items[graph - 1].inputs, input);
    }
    HTP_PUSH(build->arena, &b->graphs, graph);
}

static void end_graph(builder *build, body *b, uint32_t index)
{
    const htp_nested_graph *flat = &build->flat->graphs.items[index - 1];
    uint32_t graph = b->graphs.items[--b->graphs.count];
    htp_nested_graph *ended = &build->model->graphs.items[graph - 1];
    for (size_t i = 0; i < flat->outputs.count; i++) {
        htp_tensor_id output = build->ids[flat->outputs.items[i]];
        build->model->tensors.items[output].is_output = true;
        HTP_PUSH(build->arena, &ended->outputs, output);
    }
    HTP_PUSH(build->arena, &b->ended, graph);
}

/* ---- calls ---- */

/* "/encoder/layer.0", "/encoder/layer.0#1" */
static const char *name_call(builder *build, body *b, uint32_t frame)
{
    uint32_t scope = build->frames->frames.items[frame].scope;
    const char *name = htp_naming_local(build->frames, b->frame, build->flat->scope_names[scope]);
    uint32_t count = 0;
    (void)htp_map_get(&b->calls, name, &count);
    htp_map_set(build->arena, &b->calls, name, count + 1);
    return count ? htp_arena_printf(build->arena, "%s#%u", name, (unsigned)count) : name;
}

/* What a call gives: HTP_TENSOR_NONE for what nobody reads here. */
static const htp_tensor_id *make_results(builder *build, body *b, const char *name,
                                         const htp_body *callee)
{
    const htp_function *function = &build->sharing->functions.items[callee->function];
    htp_tensor_id *results = HTP_NEW_ARRAY(build->arena, htp_tensor_id, function->outputs.count);
    uint32_t made = (uint32_t)build->model->nodes.count;
    size_t next = 0;
    for (size_t i = 0; i < function->outputs.count; i++) {
        uint32_t number = b->number + function->outputs.items[i];
        const htp_made *output = next < callee->outputs.count ? &callee->outputs.items[next] : NULL;
        results[i] = HTP_TENSOR_NONE;
        if (output && output->number == function->outputs.items[i]) {
            results[i] = make_value(build, b, output->tensor, made);
            next++;
        } else if (find_given(b, number)) {
            /* Another call of the function that this body stands for needs it. */
            const char *result = htp_arena_printf(build->arena, "%s_output_%zu", name, i);
            results[i] = add_tensor(
                build, (htp_tensor){.name = htp_name_unique(build->arena, &b->taken, result),
                                    .source = HTP_TENSOR_FROM_NODE,
                                    .index = made});
        }
        if (results[i] != HTP_TENSOR_NONE) {
            give(b, number, results[i]);
        }
    }
    return results;
}

static void add_call(builder *build, body *b, uint32_t frame)
{
    const htp_body *callee = &build->sharing->bodies[frame];
    const htp_function_name *function = &build->names[callee->function];
    const htp_formal_input *formals = build->inputs[callee->function];
    uint32_t scope = build->frames->frames.items[frame].scope;
    htp_tensor_id *inputs = HTP_NEW_ARRAY(build->arena, htp_tensor_id, callee->inputs.count);
    for (size_t i = 0; i < callee->inputs.count; i++) {
        inputs[i] = read_tensor(build, b, callee->inputs.items[formals[i].index], scope);
    }
    const char *name = name_call(build, b, frame);
    const htp_tensor_id *outputs = make_results(build, b, name, callee);
    b->number += callee->value_count;
    build->result->calls++;
    push_node(build,
              (htp_onnx_node){
                  .op_type = function->name,
                  .domain = function->domain,
                  .name = name,
                  .inputs = inputs,
                  .input_count = (uint32_t)callee->inputs.count,
                  .outputs = outputs,
                  .output_count =
                      (uint32_t)build->sharing->functions.items[callee->function].outputs.count,
                  .graph = b->graphs.items[b->graphs.count - 1],
                  .origin = {.scope = scope, .node = HTP_NONE}},
              frame);
}

/* ---- bodies ---- */

static void build_body(builder *build, body *b)
{
    htp_walk *walk = htp_walk_begin(build->arena, build->frames, b->frame);
    htp_event event;
    while (htp_walk_next(walk, &event)) {
        switch (event.kind) {
        case HTP_EVENT_NODE:
            add_node(build, b, event.index);
            break;
        case HTP_EVENT_CALL:
            add_call(build, b, event.index);
            break;
        case HTP_EVENT_GRAPH:
            begin_graph(build, b, event.index);
            break;
        case HTP_EVENT_END:
            end_graph(build, b, event.index);
            break;
        }
    }
}

/* A dim in which the calls of a function differ is told by none. */
static void join_types(builder *build, const htp_function *function)
{
    const htp_body *first = &build->sharing->bodies[function->frames.items[0]];
    for (size_t k = 1; k < function->frames.count; k++) {
        const htp_body *other = &build->sharing->bodies[function->frames.items[k]];
        for (size_t i = 0; i < first->values.count; i++) {
            htp_tensor *joined =
                &build->model->tensors.items[build->ids[first->values.items[i].tensor]];
            const htp_tensor *met = &build->flat->tensors.items[other->values.items[i].tensor];
            for (uint32_t d = 0; joined->has_type && d < joined->rank; d++) {
                if (!joined->dims[d].symbol && joined->dims[d].size != met->dims[d].size) {
                    htp_dim *dims = htp_arena_grow(build->arena, joined->dims, joined->rank,
                                                   joined->rank, sizeof(*dims));
                    dims[d].symbol = "";
                    joined->dims = dims;
                }
            }
        }
    }
}

static void set_formals(builder *build, body *b, uint32_t graph)
{
    htp_nested_graph *formal = &build->model->graphs.items[graph - 1];
    size_t count = b->outputs->count;
    for (size_t i = 0; i < count; i++) {
        htp_tensor *output = &build->model->tensors.items[b->given[i]];
        const char *name = count == 1 ? "output" : htp_arena_printf(build->arena, "output_%zu", i);
        output->name = htp_name_unique(build->arena, &b->taken, name);
        output->is_output = true;
        HTP_PUSH(build->arena, &formal->outputs, b->given[i]);
    }
}

static void build_function(builder *build, uint32_t index)
{
    const htp_function *function = &build->sharing->functions.items[index];
    uint32_t frame = function->frames.items[0];
    const htp_body *first = &build->sharing->bodies[frame];
    htp_draft *model = build->model;
    uint32_t graph = htp_draft_add_graph(model);
    body b = {.frame = frame,
              .function = (uint32_t)model->functions.count + 1,
              .outputs = &function->outputs,
              .given = HTP_NEW_ARRAY(build->arena, htp_tensor_id, function->outputs.count)};
    model->graphs.items[graph - 1].function = b.function;
    build->inputs[index] = htp_naming_inputs(build->arena, build->frames, build->sharing, frame,
                                             build->passed, &b.taken);
    for (size_t i = 0; i < first->inputs.count; i++) {
        const htp_formal_input *formal = &build->inputs[index][i];
        htp_tensor_id input = know_tensor(
            build, &b, first->inputs.items[formal->index],
            (htp_tensor){.name = formal->name, .source = HTP_TENSOR_FROM_GRAPH, .index = graph});
        HTP_PUSH(build->arena, &model->graphs.items[graph - 1].inputs, input);
    }
    HTP_PUSH(build->arena, &b.graphs, graph);
    build_body(build, &b);
    join_types(build, function);
    set_formals(build, &b, graph);
    HTP_PUSH(build->arena, &model->functions,
             (htp_draft_function){.domain = build->names[index].domain,
                                  .name = build->names[index].name,
                                  .graph = graph,
                                  .scope = build->frames->frames.items[frame].scope,
                                  .is_shared = function->is_shared});
}

/* ---- the model ---- */

static void keep_inputs(builder *build, const body *b)
{
    for (size_t i = 0; i < build->flat->inputs.count; i++) {
        htp_tensor_id id = build->flat->inputs.items[i];
        htp_tensor_id input = know_tensor(build, b, id, build->flat->tensors.items[id]);
        HTP_PUSH(build->arena, &build->model->inputs, input);
    }
}

/* Those that the model's own nodes read, weights of functions included, in their order. */
static void keep_initializers(builder *build, const body *b)
{
    const htp_draft *flat = build->flat;
    bool *is_kept = HTP_NEW_ARRAY(build->arena, bool, flat->initializers.count);
    for (size_t n = 0; n < flat->nodes.count; n++) {
        for (uint32_t i = 0; i < flat->nodes.items[n].input_count; i++) {
            htp_tensor_id id = flat->nodes.items[n].inputs[i];
            const htp_tensor *read = id == HTP_TENSOR_NONE ? NULL : &flat->tensors.items[id];
            if (read && read->source == HTP_TENSOR_FROM_INITIALIZER) {
                is_kept[read->index] = is_kept[read->index] ||
                                       build->frames->node_frames[n] == HTP_NONE ||
                                       flat->initializers.items[read->index].weight != HTP_NONE;
            }
        }
    }
    for (uint32_t i = 0; i < flat->initializers.count; i++) {
        if (is_kept[i]) {
            (void)add_initializer(build, b, flat->initializers.items[i].tensor);
        }
    }
}

static int64_t version_of(const htp_draft *flat, const char *domain)
{
    for (size_t i = 0; i < flat->domains.count; i++) {
        if (strcmp(flat->domains.items[i].name, domain) == 0) {
            return flat->domains.items[i].version;
        }
    }
    return 1; /* of functions */
}

/* Notes that a function (its number, plus one; 0: the model) uses a domain. */
static void import_domain(builder *build, htp_map *seen, uint32_t function, const char *domain)
{
    const char *key = htp_arena_printf(build->arena, "%u %s", (unsigned)function, domain);
    if (htp_map_get(seen, key, NULL)) {
        return;
    }
    htp_map_set(build->arena, seen, key, 1);
    const htp_domain imported = {domain, version_of(build->flat, domain)};
    if (function) {
        HTP_PUSH(build->arena, &build->model->functions.items[function - 1].domains, imported);
    } else {
        HTP_PUSH(build->arena, &build->model->domains, imported);
    }
}

/* The model imports what its functions do. */
static void import_domains(builder *build)
{
    htp_draft *model = build->model;
    htp_map seen = {0};
    for (size_t i = 0; i < build->flat->domains.count; i++) {
        import_domain(build, &seen, 0, build->flat->domains.items[i].name);
    }
    for (size_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        if (*node->domain) {
            uint32_t graph = node->graph;
            import_domain(build, &seen, graph ? model->graphs.items[graph - 1].function : 0,
                          node->domain);
            import_domain(build, &seen, 0, node->domain);
        }
    }
}

htp_functions *htp_functions_build(htp_arena *arena, const htp_frames *frames,
                                   const htp_sharing *sharing, const htp_stacks *stacks)
{
    const htp_draft *flat = frames->model;
    htp_draft *model = HTP_NEW(arena, htp_draft);
    *model = (htp_draft){.arena = arena,
                         .graph = flat->graph,
                         .opset = flat->opset,
                         .scope_names = flat->scope_names};
    builder build = {.arena = arena,
                     .frames = frames,
                     .sharing = sharing,
                     .flat = flat,
                     .model = model,
                     .result = HTP_NEW(arena, htp_functions),
                     .names = htp_naming_functions(arena, frames, sharing),
                     .inputs =
                         HTP_NEW_ARRAY(arena, const htp_formal_input *, sharing->functions.count),
                     .passed = htp_naming_passed(arena, flat),
                     .ids = HTP_NEW_ARRAY(arena, htp_tensor_id, flat->tensors.count),
                     .known_in = HTP_NEW_ARRAY(arena, uint32_t, flat->tensors.count)};
    for (size_t i = 0; i < sharing->functions.count; i++) {
        build_function(&build, sharing->order[i]);
    }
    body own = {.frame = HTP_NONE};
    HTP_PUSH(arena, &own.graphs, 0);
    keep_inputs(&build, &own);
    keep_initializers(&build, &own);
    build_body(&build, &own);
    for (size_t i = 0; i < flat->outputs.count; i++) {
        HTP_PUSH(arena, &model->outputs, build.ids[flat->outputs.items[i]]);
    }
    import_domains(&build);
    build.result->model = model;
    build.result->frames = frames;
    build.result->stacks = stacks;
    build.result->initializers = build.initializers.items;
    build.result->called = build.called.items;
    return build.result;
}
