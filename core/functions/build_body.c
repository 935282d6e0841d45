#include "functions/build_body.h"

#include "onnx/builder/names.h"

#include <stdlib.h>

typedef htp_function_builder builder;
typedef htp_body_builder body;

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
htp_tensor_id htp_build_know(builder *build, const body *b, htp_tensor_id id, htp_tensor tensor)
{
    build->known_in[id] = mark_of(b);
    build->ids[id] = add_tensor(build, tensor);
    return build->ids[id];
}

/* Values of the model keep their names. Nodes of functions name their outputs later. */
static const char *name_value(builder *build, body *b, const char *flat_name, bool is_named_later)
{
    if (b->frame == HTP_NONE) {
        return flat_name;
    }
    const char *local = htp_naming_local(build->frames, b->frame, flat_name);
    return is_named_later ? NULL : htp_name_unique(build->arena, &b->taken, local);
}

/* The slot of a value among the function's outputs, or NULL. */
static htp_tensor_id *find_given(const body *b, uint32_t number)
{
    if (!b->outputs || b->outputs->count == 0) {
        return NULL;
    }
    const uint32_t *found =
        bsearch(&number, b->outputs->items, b->outputs->count, sizeof(number), htp_number_compare);
    return found ? &b->given[found - b->outputs->items] : NULL;
}

/* Notes a value if it is an output of the function. */
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

/* A constant of a function: a node before its first reader. */
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
    *output = htp_build_know(build, b, id,
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

/* Adds a reader of a constant in another scope. */
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

htp_tensor_id htp_build_initializer(builder *build, const body *b, htp_tensor_id id)
{
    htp_tensor tensor = build->flat->tensors.items[id];
    htp_initializer initializer = build->flat->initializers.items[tensor.index];
    HTP_PUSH(build->arena, &build->initializers, tensor.index);
    tensor.index = (uint32_t)build->model->initializers.count;
    initializer.tensor = htp_build_know(build, b, id, tensor);
    HTP_PUSH(build->arena, &build->model->initializers, initializer);
    return initializer.tensor;
}

/* An operand of a node in @p scope: made in the body, or one of its inputs. */
static htp_tensor_id read_tensor(builder *build, body *b, htp_tensor_id id, uint32_t scope)
{
    if (id == HTP_NONE) {
        return id;
    }
    const htp_tensor *flat = &build->flat->tensors.items[id];
    bool is_constant = flat->source == HTP_TENSOR_FROM_INITIALIZER &&
                       htp_initializer_is_constant(&build->flat->initializers.items[flat->index]);
    if (build->known_in[id] != mark_of(b)) {
        return b->frame == HTP_NONE ? htp_build_initializer(build, b, id)
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
static htp_tensor_id make_value(builder *build, body *b, htp_tensor_id id, uint32_t index,
                                bool is_named_later)
{
    htp_tensor tensor = build->flat->tensors.items[id];
    tensor.name = name_value(build, b, tensor.name, is_named_later);
    tensor.index = index;
    tensor.is_output = tensor.is_output && b->frame == HTP_NONE;
    return htp_build_know(build, b, id, tensor);
}

/* The attributes of a node. Its bodies are the graphs that ended last. */
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
        outputs[i] = make_value(build, b, flat->outputs[i], made, true);
        give(b, b->number++, outputs[i]);
    }
    node.outputs = outputs;
    node.graph = b->graphs.items[b->graphs.count - 1];
    push_node(build, node, HTP_NONE);
}

/* ---- bodies of nodes ---- */

static void begin_graph(builder *build, body *b, uint32_t index)
{
    const htp_nested_graph *flat = &build->flat->graphs.items[index - 1];
    uint32_t graph = htp_builder_add_graph(build->model);
    build->model->graphs.items[graph - 1].function = b->function;
    for (size_t i = 0; i < flat->inputs.count; i++) {
        htp_tensor_id input = make_value(build, b, flat->inputs.items[i], graph, true);
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

/* The outputs of a call; HTP_NONE for those without readers here. */
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
        results[i] = HTP_NONE;
        if (output && output->number == function->outputs.items[i]) {
            results[i] = make_value(build, b, output->tensor, made, false);
            next++;
        } else if (find_given(b, number)) {
            /* for another call of this function */
            const char *result = htp_arena_printf(build->arena, "%s_output_%zu", name, i);
            results[i] = add_tensor(
                build, (htp_tensor){.name = htp_name_unique(build->arena, &b->taken, result),
                                    .source = HTP_TENSOR_FROM_NODE,
                                    .index = made});
        }
        if (results[i] != HTP_NONE) {
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

void htp_build_body(builder *build, body *b)
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
