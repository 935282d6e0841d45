#include "onnx/shape_inference/infer_builder.h"

#include "onnx/reader/inner_first.h"
#include "onnx/reader/literals.h"
#include "onnx/shape_inference/infer_attributes.h"

#include <string.h>

/* The opsets of the rules in infer_rules.def. Before 7 arithmetic did not broadcast, and Reshape,
 * Tile and recurrent layers had other inputs. Later changes turned attributes into inputs (axes,
 * split, pads, scales, k): the rules read both, or infer the rank alone. */
enum { FIRST_OPSET = 7, LAST_OPSET = 28 };

struct building {
    htp_arena *arena;
    const htp_view *view;
    htp_builder *builder;
    htp_symbols *symbols;
    const htp_view_axes *axes; /* or NULL */
    htp_value_type *types;
    htp_told_attributes told;
    bool *is_redefined; /* by name: a function of the model replaces the operator */
    htp_view_name constant;
};

/* ---- dims ---- */

/* Reads the declared types. All existing names are marked before new ones are made. */
static void read_types(struct building *d)
{
    d->types = HTP_NEW_ARRAY(d->arena, htp_value_type, d->view->values.count + 1);
    for (uint32_t v = 0; v < d->view->values.count; v++) {
        const htp_view_value *value = &d->view->values.items[v];
        d->types[v] = htp_value_type_find(d->arena, d->view, v);
        if (d->axes) {
            d->types[v] = htp_view_axes_put(d->axes, d->symbols, d->view, v, d->types[v]);
        }
        for (size_t i = 0; i < d->types[v].rank; i++) {
            const char *symbol = d->types[v].dims[i].symbol;
            if (symbol) {
                (void)htp_symbols_polynomial(d->symbols, (htp_dim){.symbol = symbol});
            }
        }
        bool is_sparse =
            value->initializer != HTP_NONE && d->view->tensors.items[value->initializer].sparse.at;
        d->types[v].is_known = d->types[v].is_known && !is_sparse;
    }
}

static htp_dim make_dim(struct building *d, const htp_value_dim *dim, bool is_named, bool varies)
{
    if (dim->symbol && is_named) {
        return (htp_dim){.symbol = dim->symbol};
    }
    if (!dim->symbol && dim->size >= 0) {
        return (htp_dim){.size = dim->size};
    }
    return varies ? (htp_dim){.symbol = ""} : htp_symbols_unknown(d->symbols);
}

/* ---- tensors ---- */

static void set_type(struct building *d, htp_tensor *tensor, const htp_value_type *type,
                     bool is_named)
{
    bool is_sequence = strcmp(type->container, "sequence of ") == 0;
    if (!type->is_known || !type->has_dims || type->rank > HTP_MAX_RANK ||
        (!is_sequence && *type->container)) {
        return;
    }
    if (!htp_dtype_of_onnx(type->data_type, &tensor->dtype)) {
        tensor->dtype = HTP_DTYPE_OTHER;
    }
    htp_dim *dims = HTP_NEW_ARRAY(d->arena, htp_dim, type->rank);
    for (size_t i = 0; i < type->rank; i++) {
        dims[i] = make_dim(d, &type->dims[i], is_named, is_sequence);
    }
    tensor->has_type = true;
    tensor->is_sequence = is_sequence;
    tensor->rank = (uint32_t)type->rank;
    tensor->dims = dims;
}

static void set_contents(struct building *d, htp_tensor_id id, const void *data)
{
    htp_tensor *tensor = &d->builder->tensors.items[id];
    if (data) {
        tensor->source = HTP_TENSOR_FROM_INITIALIZER;
        tensor->index = (uint32_t)d->builder->initializers.count;
        HTP_PUSH(d->arena, &d->builder->initializers,
                 (htp_initializer){.tensor = id, .weight = HTP_NONE, .data = data});
    }
}

/* Tensors without a producing node get no invented names. */
static void add_tensors(struct building *d, bool believes_nodes)
{
    const htp_view *view = d->view;
    HTP_EXPECT(d->arena, &d->builder->tensors, view->values.count + 1);
    for (uint32_t v = 0; v < view->values.count; v++) {
        const htp_view_value *value = &view->values.items[v];
        htp_tensor tensor = {.name = "", .source = HTP_TENSOR_FROM_INPUT};
        bool is_of_body = value->graph != 0;
        if (value->maker == HTP_VIEW_BY_INPUT && is_of_body) {
            tensor.source = HTP_TENSOR_FROM_GRAPH;
        }
        bool is_named = value->maker == HTP_VIEW_BY_INPUT || htp_view_names_hold(view);
        if (believes_nodes || value->maker != HTP_VIEW_BY_NODE) {
            set_type(d, &tensor, &d->types[v], is_named && !is_of_body);
        }
        HTP_PUSH(d->arena, &d->builder->tensors, tensor);
        if (value->maker == HTP_VIEW_BY_INITIALIZER && tensor.has_type) {
            set_contents(d, v, htp_view_literals(d->arena, view, value->initializer));
        }
    }
    /* Placeholders for omitted outputs. */
    HTP_PUSH(d->arena, &d->builder->tensors,
             (htp_tensor){.name = "", .source = HTP_TENSOR_FROM_INPUT});
}

/* ---- Constant ---- */

static void set_constant_list(struct building *d, htp_tensor_id id, htp_dtype dtype, uint32_t rank,
                              size_t count, const void *data)
{
    htp_tensor *tensor = &d->builder->tensors.items[id];
    htp_dim *dims = HTP_NEW_ARRAY(d->arena, htp_dim, 1);
    dims[0].size = (int64_t)count;
    *tensor =
        (htp_tensor){.name = "", .has_type = true, .dtype = dtype, .rank = rank, .dims = dims};
    set_contents(d, id, data);
}

static void set_constant(struct building *d, htp_tensor_id id, const htp_view_attribute *attribute)
{
    const char *name = htp_view_text(d->view, attribute->name);
    const int64_t *ints;
    if (strcmp(name, "value") == 0 && attribute->kind == HTP_VIEW_TENSOR &&
        attribute->tensors.count == 1) {
        uint32_t number = attribute->tensors.first;
        htp_value_type type = htp_value_type_of_tensor(d->arena, d->view, number);
        htp_tensor tensor = {.name = "", .source = HTP_TENSOR_FROM_INPUT};
        set_type(d, &tensor, &type, false);
        d->builder->tensors.items[id] = tensor;
        if (tensor.has_type) {
            set_contents(d, id, htp_view_literals(d->arena, d->view, number));
        }
    } else if (strcmp(name, "value_int") == 0 && attribute->kind == HTP_VIEW_INT) {
        set_constant_list(d, id, HTP_DTYPE_INT64, 0, 1, &attribute->i);
    } else if (strcmp(name, "value_float") == 0 && attribute->kind == HTP_VIEW_FLOAT) {
        set_constant_list(d, id, HTP_DTYPE_FLOAT32, 0, 1, NULL);
    } else if (strcmp(name, "value_ints") == 0 && attribute->kind == HTP_VIEW_INTS) {
        size_t count = htp_view_attribute_ints(attribute, d->arena, &ints);
        set_constant_list(d, id, HTP_DTYPE_INT64, 1, count, ints);
    } else if (strcmp(name, "value_floats") == 0 && attribute->kind == HTP_VIEW_FLOATS) {
        set_constant_list(d, id, HTP_DTYPE_FLOAT32, 1, htp_view_count_floats(attribute), NULL);
    }
}

static void add_constant(struct building *d, const htp_view_node *node, htp_tensor_id output)
{
    if (node->attributes.count == 1 && node->outputs.count == 1 && output != HTP_NONE) {
        const htp_view_attribute *attribute = &d->view->attributes.items[node->attributes.first];
        if (!attribute->reference) {
            set_constant(d, output, attribute);
        }
    }
}

/* ---- nodes ---- */

static const htp_tensor_id *find_outputs(struct building *d, const htp_view_node *node)
{
    const uint32_t *given = HTP_FROM(&d->view->operands, node->outputs.first);
    uint32_t *outputs = HTP_NEW_ARRAY(d->arena, uint32_t, node->outputs.count);
    for (uint32_t i = 0; i < node->outputs.count; i++) {
        outputs[i] = given[i] == HTP_NONE ? (uint32_t)d->view->values.count : given[i];
    }
    return outputs;
}

static void add_node(struct building *d, uint32_t number, uint32_t graph)
{
    const htp_view *view = d->view;
    const htp_view_node *node = &view->nodes.items[number];
    htp_attribute_list attributes = {0};
    if (!htp_view_is_own_domain(view, node->domain) || node->outputs.count == 0 ||
        d->is_redefined[node->op_type]) {
        return;
    }
    if (node->op_type == d->constant) {
        add_constant(d, node, view->operands.items[node->outputs.first]);
        return;
    }
    if (!htp_told_attributes_list(&d->told, node, &attributes)) {
        return;
    }
    HTP_PUSH(d->arena, &d->builder->nodes,
             (htp_onnx_node){.op_type = htp_view_text(view, node->op_type),
                             .domain = "",
                             .name = "",
                             .inputs = HTP_FROM(&view->operands, node->inputs.first),
                             .input_count = node->inputs.count,
                             .outputs = find_outputs(d, node),
                             .output_count = node->outputs.count,
                             .attributes = attributes.items,
                             .attribute_count = (uint32_t)attributes.count,
                             .graph = graph});
}

/* ---- graphs ---- */

/* @return false if a value has no name */
static bool copy_values(struct building *d, htp_view_range range, htp_nested_graph *graph,
                        bool are_inputs)
{
    for (uint32_t i = 0; i < range.count; i++) {
        htp_tensor_id value = d->view->operands.items[range.first + i];
        if (value == HTP_NONE) {
            return false;
        }
        if (are_inputs) {
            HTP_PUSH(d->arena, &graph->inputs, value);
        } else {
            HTP_PUSH(d->arena, &graph->outputs, value);
        }
    }
    return true;
}

/* By graph of the view: its number in the builder; 0: omitted. */
static const uint32_t *add_graphs(struct building *d)
{
    const htp_view *view = d->view;
    uint32_t *numbers = HTP_NEW_ARRAY(d->arena, uint32_t, view->graphs.count + 1);
    for (uint32_t g = 1; g < view->graphs.count; g++) {
        htp_nested_graph graph = {0};
        if (view->graphs.items[g].function == HTP_NONE &&
            copy_values(d, view->graphs.items[g].inputs, &graph, true) &&
            copy_values(d, view->graphs.items[g].outputs, &graph, false)) {
            HTP_PUSH(d->arena, &d->builder->graphs, graph);
            numbers[g] = (uint32_t)d->builder->graphs.count;
        }
    }
    return numbers;
}

static void add_nodes(struct building *d)
{
    const htp_view_order order = htp_view_inner_first(d->arena, d->view);
    for (size_t i = 0; i < order.own; i++) {
        uint32_t node = order.nodes[i];
        add_node(d, node, d->told.graphs[d->view->nodes.items[node].graph]);
    }
}

/* ---- the whole ---- */

static bool find_opset(const htp_view *view, int64_t *opset)
{
    *opset = 0;
    for (size_t i = 0; i < view->imports.count; i++) {
        const htp_view_import *import = &view->imports.items[i];
        if (htp_view_is_own_domain(view, import->domain)) {
            if (*opset != 0 && *opset != import->version) {
                return false;
            }
            *opset = import->version;
        }
    }
    return *opset >= FIRST_OPSET && *opset <= LAST_OPSET;
}

static void note_names(struct building *d)
{
    const htp_view *view = d->view;
    d->is_redefined = HTP_NEW_ARRAY(d->arena, bool, view->names.count);
    d->constant = htp_view_find_name(view, "Constant");
    for (size_t i = 0; i < view->functions.count; i++) {
        const htp_view_function *function = &view->functions.items[i];
        d->is_redefined[function->name] |= htp_view_is_own_domain(view, function->domain);
    }
}

htp_view_builder htp_view_builder_make(htp_arena *arena, const htp_view *view, bool believes_nodes,
                                       const htp_view_axes *axes)
{
    htp_view_builder made = {0};
    htp_graph *graph = HTP_NEW(arena, htp_graph);
    struct building d = {.arena = arena,
                         .view = view,
                         .axes = axes,
                         .builder = HTP_NEW(arena, htp_builder),
                         .symbols = HTP_NEW(arena, htp_symbols)};
    int64_t opset;
    htp_symbols_init(d.symbols, arena, NULL, 0, 1);
    *graph = (htp_graph){.arena = arena, .symbols = d.symbols};
    *d.builder = (htp_builder){.arena = arena, .graph = graph};
    read_types(&d);
    made.types = d.types;
    if (view->flaws.count > 0 || view->graphs.count == 0 || !find_opset(view, &opset)) {
        return made;
    }
    d.builder->opset = (int)opset;
    note_names(&d);
    add_tensors(&d, believes_nodes);
    made.graphs = add_graphs(&d);
    d.told = htp_told_attributes_of(arena, view, made.graphs);
    add_nodes(&d);
    made.builder = d.builder;
    return made;
}
