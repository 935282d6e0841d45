/*
 * Reads graphs, nodes and attributes.
 */
#include "onnx/reader/view_read.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_INFO = 13,
    GRAPH_SPARSE = 15,
    GRAPH_PROPERTY = 16,

    FUNCTION_NODE = 7,
    FUNCTION_INFO = 12,

    INFO_NAME = 1,

    TENSOR_NAME = 8,
    TENSOR_PROPERTY = 16,

    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOC_STRING = 6,
    NODE_DOMAIN = 7,
    NODE_OVERLOAD = 8,
    NODE_PROPERTY = 9,

    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_TENSOR = 5,
    ATTRIBUTE_GRAPH = 6,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TENSORS = 10,
    ATTRIBUTE_GRAPHS = 11,
    ATTRIBUTE_TYPE_PROTO = 14,
    ATTRIBUTE_TYPE_PROTOS = 15,
    ATTRIBUTE_TYPE = 20,
    ATTRIBUTE_REFERENCE = 21,
    ATTRIBUTE_SPARSE = 22,
    ATTRIBUTE_SPARSES = 23,
};

/* ---- attributes ---- */

/* The kind of an attribute without a type, as in old files: by the field that is set. */
static const struct shape_of_kind {
    uint32_t field;
    htp_view_kind kind;
} kinds[] = {
    {ATTRIBUTE_F, HTP_VIEW_FLOAT},         {ATTRIBUTE_I, HTP_VIEW_INT},
    {ATTRIBUTE_S, HTP_VIEW_STRING},        {ATTRIBUTE_TENSOR, HTP_VIEW_TENSOR},
    {ATTRIBUTE_GRAPH, HTP_VIEW_GRAPH},     {ATTRIBUTE_FLOATS, HTP_VIEW_FLOATS},
    {ATTRIBUTE_INTS, HTP_VIEW_INTS},       {ATTRIBUTE_STRINGS, HTP_VIEW_STRINGS},
    {ATTRIBUTE_TENSORS, HTP_VIEW_TENSORS}, {ATTRIBUTE_GRAPHS, HTP_VIEW_GRAPHS},
    {ATTRIBUTE_SPARSE, HTP_VIEW_SPARSE},   {ATTRIBUTE_SPARSES, HTP_VIEW_SPARSES},
    {ATTRIBUTE_TYPE_PROTO, HTP_VIEW_TYPE}, {ATTRIBUTE_TYPE_PROTOS, HTP_VIEW_TYPES},
};

static uint32_t kind_of_field(uint32_t number)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (kinds[i].field == number) {
            return kinds[i].kind;
        }
    }
    return HTP_VIEW_UNDEFINED;
}

/* An attribute being read: its position, and which fields repeat. */
struct place {
    uint32_t graph, node, attribute;
};

static htp_status note_body(htp_view *view, const struct place *place, htp_span whole)
{
    uint32_t depth = view->graphs.items[place->graph].depth + 1;
    if (depth > HTP_VIEW_DEEPEST) {
        return htp_view_damaged(
            view, whole.at,
            htp_arena_printf(view->arena, "more than %d bodies in each other", HTP_VIEW_DEEPEST));
    }
    HTP_PUSH(view->arena, &view->graphs,
             (htp_view_graph){.whole = whole,
                              .parent = place->graph,
                              .attribute = place->attribute,
                              .node = place->node,
                              .depth = depth,
                              .function = HTP_NONE});
    return htp_view_check_costs(view);
}

static htp_status read_message(htp_view *view, const struct place *place,
                               const htp_wire_field *field)
{
    htp_view_tensor tensor = {.graph = place->graph, .attribute = place->attribute};
    switch (field->number) {
    case ATTRIBUTE_GRAPH:
    case ATTRIBUTE_GRAPHS:
        return note_body(view, place, field->whole);
    case ATTRIBUTE_TENSOR:
    case ATTRIBUTE_TENSORS:
        return htp_view_read_tensor(view, field->whole, &tensor);
    case ATTRIBUTE_SPARSE:
    case ATTRIBUTE_SPARSES:
        return htp_view_read_sparse(view, field->whole, tensor);
    default:
        return HTP_OK;
    }
}

/* Refuses a message that occurs twice, which protobuf would merge. */
static htp_status check_single(const htp_view *view, const htp_view_attribute *attribute,
                               htp_span whole)
{
    bool is_single = (attribute->kind != HTP_VIEW_GRAPH || attribute->graphs.count <= 1) &&
                     (attribute->kind != HTP_VIEW_TENSOR || attribute->tensors.count <= 1);
    return is_single ? HTP_OK
                     : htp_view_damaged(view, whole.at, "an attribute has its value twice");
}

static htp_status read_scalar(htp_view *view, const htp_wire_field *field,
                              htp_view_attribute *attribute)
{
    if (htp_wire_is_bytes(field, ATTRIBUTE_NAME)) {
        return htp_view_intern(view, field->content, &attribute->name);
    }
    if (htp_wire_is_bytes(field, ATTRIBUTE_REFERENCE)) {
        return htp_view_intern(view, field->content, &attribute->reference);
    }
    if (htp_wire_is_varint(field, ATTRIBUTE_I)) {
        attribute->i = (int64_t)field->value;
    } else if (htp_wire_is_bytes(field, ATTRIBUTE_S)) {
        attribute->s = field->content;
    } else if (field->number == ATTRIBUTE_F && field->type == HTP_WIRE_FIXED32) {
        uint32_t bits = (uint32_t)field->value;
        memcpy(&attribute->f, &bits, sizeof(bits));
    }
    return HTP_OK;
}

static htp_status read_attribute(htp_view *view, htp_span whole, const struct place *place)
{
    htp_view_attribute attribute = {
        .whole = whole,
        .graphs.first = (uint32_t)view->graphs.count,
        .tensors.first = (uint32_t)view->tensors.count,
    };
    uint32_t kind_by_field = HTP_VIEW_UNDEFINED;
    bool has_type = false;
    htp_wire wire = htp_wire_begin(htp_wire_content(whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_varint(&field, ATTRIBUTE_TYPE)) {
            attribute.kind = (uint32_t)field.value;
            has_type = true;
        } else if (kind_of_field(field.number) != HTP_VIEW_UNDEFINED) {
            kind_by_field = kind_of_field(field.number);
        }
        HTP_TRY(read_scalar(view, &field, &attribute));
        if (field.type == HTP_WIRE_BYTES) {
            HTP_TRY(read_message(view, place, &field));
        }
    }
    HTP_TRY(htp_view_end(view, &wire, "an attribute"));
    attribute.kind = has_type ? attribute.kind : kind_by_field;
    attribute.graphs.count = (uint32_t)view->graphs.count - attribute.graphs.first;
    attribute.tensors.count = (uint32_t)view->tensors.count - attribute.tensors.first;
    HTP_PUSH(view->arena, &view->attributes, attribute);
    HTP_TRY(htp_view_check_costs(view));
    return check_single(view, &attribute, whole);
}

static htp_status read_attributes(htp_view *view, htp_span run, uint32_t graph, uint32_t node,
                                  htp_view_range *range)
{
    htp_wire wire = htp_wire_begin(run);
    htp_wire_field field;
    range->first = (uint32_t)view->attributes.count;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, NODE_ATTRIBUTE)) {
            const struct place place = {graph, node, (uint32_t)view->attributes.count};
            HTP_TRY(read_attribute(view, field.whole, &place));
        }
    }
    range->count = (uint32_t)view->attributes.count - range->first;
    return HTP_OK;
}

/* ---- nodes ---- */

static htp_view_name *name_of_field(htp_view_node *node, uint32_t number)
{
    switch (number) {
    case NODE_NAME:
        return &node->name;
    case NODE_OP_TYPE:
        return &node->op_type;
    case NODE_DOMAIN:
        return &node->domain;
    case NODE_OVERLOAD:
        return &node->overload;
    default:
        return NULL;
    }
}

static htp_status read_node(htp_view *view, htp_span whole, uint32_t graph)
{
    htp_view_node node = {.whole = whole, .graph = graph};
    htp_wire_runs runs = {0};
    htp_wire wire = htp_wire_begin(htp_wire_content(whole));
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        htp_wire_runs_add(&runs, &field);
        htp_view_name *name =
            field.type == HTP_WIRE_BYTES ? name_of_field(&node, field.number) : NULL;
        if (name) {
            HTP_TRY(htp_view_intern(view, field.content, name));
        } else if (htp_wire_is_bytes(&field, NODE_DOC_STRING)) {
            node.doc_string = field.content;
        }
    }
    HTP_TRY(htp_view_end(view, &wire, "a node"));
    if (node.op_type == 0) {
        return htp_view_damaged(view, whole.at, "a node has no operator");
    }
    uint32_t index = (uint32_t)view->nodes.count;
    HTP_TRY(htp_view_read_operands(view, &runs, NODE_INPUT, &node.inputs));
    HTP_TRY(htp_view_read_operands(view, &runs, NODE_OUTPUT, &node.outputs));
    HTP_TRY(read_attributes(view, runs.of[NODE_ATTRIBUTE], graph, index, &node.attributes));
    HTP_TRY(htp_view_read_properties(view, &runs, NODE_PROPERTY, &node.properties));
    HTP_PUSH(view->arena, &view->nodes, node);
    return HTP_OK;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Reserves memory for typical nodes, limited by the file's size. */
static void expect_nodes(htp_view *view, size_t nodes, size_t bytes)
{
    HTP_EXPECT(view->arena, &view->nodes, nodes);
    HTP_EXPECT(view->arena, &view->operands, smaller(4 * nodes, bytes / 16));
    HTP_EXPECT(view->arena, &view->attributes, smaller(3 * nodes, bytes / 32));
    HTP_EXPECT(view->arena, &view->property_list, smaller(8 * nodes, bytes / 32));
    HTP_EXPECT(view->arena, &view->names, smaller(3 * nodes, bytes / 16));
    htp_map_reserve(view->arena, &view->name_numbers, smaller(3 * nodes, bytes / 64));
}

/* Reads the nodes among consecutive fields. */
static htp_status read_run(htp_view *view, uint32_t graph, htp_span run, uint32_t number)
{
    htp_wire wire = htp_wire_begin(run);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, number)) {
            HTP_TRY(read_node(view, field.whole, graph));
        }
    }
    return HTP_OK;
}

static htp_status read_nodes(htp_view *view, uint32_t graph, const htp_wire_runs *runs,
                             uint32_t number)
{
    const htp_view_spans own = {(htp_span *)(uintptr_t)&runs->of[number], 1, 1};
    const htp_view_spans *spans = view->flat && graph == 0 ? &view->flat->nodes : &own;
    uint32_t first = (uint32_t)view->nodes.count;
    size_t bytes = 0;
    for (size_t i = 0; i < spans->count; i++) {
        bytes += spans->items[i].bytes;
    }
    size_t nodes = spans == &own ? runs->counts[number] : view->flat->node_count;
    HTP_TRY(htp_view_check_nodes(view, nodes));
    expect_nodes(view, nodes, bytes);
    for (size_t i = 0; i < spans->count; i++) {
        HTP_TRY(read_run(view, graph, spans->items[i], number));
    }
    view->graphs.items[graph].nodes = (htp_view_range){first, (uint32_t)view->nodes.count - first};
    return HTP_OK;
}

/* ---- graphs ---- */

/* Records the ValueInfoProtos of field @p number; with a @p range, their names become operands. */
static htp_status read_infos(htp_view *view, htp_span run, uint32_t number, htp_view_range *range)
{
    htp_wire wire = htp_wire_begin(run);
    htp_wire_field field;
    uint32_t first = (uint32_t)view->operands.count;
    while (htp_wire_next(&wire, &field)) {
        if (!htp_wire_is_bytes(&field, number)) {
            continue;
        }
        htp_view_info info = {.whole = field.whole};
        htp_wire inner = htp_wire_begin(field.content);
        while (htp_wire_next(&inner, &field)) {
            if (htp_wire_is_bytes(&field, INFO_NAME)) {
                HTP_TRY(htp_view_intern(view, field.content, &info.name));
            }
        }
        HTP_TRY(htp_view_end(view, &inner, "the type of a value"));
        HTP_PUSH(view->arena, &view->infos, info);
        if (range) {
            HTP_PUSH(view->arena, &view->operands, info.name);
        }
        HTP_TRY(htp_view_check_costs(view));
    }
    if (range) {
        *range = (htp_view_range){first, (uint32_t)view->operands.count - first};
    }
    return HTP_OK;
}

/* The name and metadata of a function's constant in the flat model. */
static htp_status read_new_fields(htp_view *view, htp_span fields)
{
    htp_view_tensor *tensor = &view->tensors.items[view->tensors.count - 1];
    htp_wire_runs runs = {0};
    htp_wire wire = htp_wire_begin(fields);
    htp_wire_field field;
    tensor->fields = fields;
    while (htp_wire_next(&wire, &field)) {
        htp_wire_runs_add(&runs, &field);
        if (htp_wire_is_bytes(&field, TENSOR_NAME)) {
            HTP_TRY(htp_view_intern(view, field.content, &tensor->name));
        }
    }
    return htp_view_read_properties(view, &runs, TENSOR_PROPERTY, &tensor->properties);
}

static htp_status read_flat_initializers(htp_view *view)
{
    for (size_t i = 0; i < view->flat->initializers.count; i++) {
        const htp_view_lifted *lifted = &view->flat->initializers.items[i];
        htp_view_tensor tensor = {.attribute = HTP_NONE};
        HTP_TRY(htp_view_read_tensor(view, lifted->whole, &tensor));
        if (lifted->fields.at) {
            HTP_TRY(read_new_fields(view, lifted->fields));
        }
    }
    return HTP_OK;
}

static htp_status read_tensors(htp_view *view, uint32_t graph, htp_span run, uint32_t number)
{
    htp_wire wire = htp_wire_begin(run);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        htp_view_tensor tensor = {.graph = graph, .attribute = HTP_NONE};
        if (!htp_wire_is_bytes(&field, number)) {
            continue;
        }
        if (number == GRAPH_SPARSE) {
            HTP_TRY(htp_view_read_sparse(view, field.whole, tensor));
        } else {
            HTP_TRY(htp_view_read_tensor(view, field.whole, &tensor));
        }
    }
    return HTP_OK;
}

static htp_status read_initializers(htp_view *view, uint32_t graph, const htp_wire_runs *runs)
{
    uint32_t first = (uint32_t)view->tensors.count;
    HTP_TRY(view->flat && graph == 0
                ? read_flat_initializers(view)
                : read_tensors(view, graph, runs->of[GRAPH_INITIALIZER], GRAPH_INITIALIZER));
    HTP_TRY(read_tensors(view, graph, runs->of[GRAPH_SPARSE], GRAPH_SPARSE));
    view->graphs.items[graph].initializers =
        (htp_view_range){first, (uint32_t)view->tensors.count - first};
    return HTP_OK;
}

/* The graph's name and the positions of its lists. */
static htp_status read_lists(htp_view *view, uint32_t graph, htp_wire_runs *runs)
{
    bool is_function = view->graphs.items[graph].function != HTP_NONE;
    htp_wire wire = htp_wire_begin(htp_wire_content(view->graphs.items[graph].whole));
    htp_wire_field field;
    *runs = (htp_wire_runs){0};
    while (htp_wire_next(&wire, &field)) {
        htp_wire_runs_add(runs, &field);
        if (!is_function && htp_wire_is_bytes(&field, GRAPH_NAME)) {
            HTP_TRY(htp_view_intern(view, field.content, &view->graphs.items[graph].name));
        }
    }
    return htp_view_end(view, &wire, is_function ? "a function" : "a graph");
}

/* A function has no initializers; its inputs are names, read before. */
static htp_status read_function_graph(htp_view *view, uint32_t index, const htp_wire_runs *runs)
{
    htp_view_range infos = {.first = (uint32_t)view->infos.count};
    HTP_TRY(read_nodes(view, index, runs, FUNCTION_NODE));
    HTP_TRY(read_infos(view, runs->of[FUNCTION_INFO], FUNCTION_INFO, NULL));
    infos.count = (uint32_t)view->infos.count - infos.first;
    view->graphs.items[index].infos = infos;
    return HTP_OK;
}

htp_status htp_view_read_graph(htp_view *view, uint32_t index)
{
    htp_view_range inputs, outputs, properties;
    htp_view_range infos = {.first = (uint32_t)view->infos.count};
    htp_wire_runs runs;
    HTP_TRY(read_lists(view, index, &runs));
    if (view->graphs.items[index].function != HTP_NONE) {
        return read_function_graph(view, index, &runs);
    }
    HTP_TRY(read_nodes(view, index, &runs, GRAPH_NODE));
    HTP_TRY(read_initializers(view, index, &runs));
    HTP_TRY(read_infos(view, runs.of[GRAPH_INPUT], GRAPH_INPUT, &inputs));
    HTP_TRY(read_infos(view, runs.of[GRAPH_OUTPUT], GRAPH_OUTPUT, &outputs));
    HTP_TRY(read_infos(view, runs.of[GRAPH_INFO], GRAPH_INFO, NULL));
    for (size_t i = 0; view->flat && index == 0 && i < view->flat->infos.count; i++) {
        HTP_TRY(read_infos(view, view->flat->infos.items[i], GRAPH_INFO, NULL));
    }
    HTP_TRY(htp_view_read_properties(view, &runs, GRAPH_PROPERTY, &properties));
    infos.count = (uint32_t)view->infos.count - infos.first;
    htp_view_graph *graph = &view->graphs.items[index]; /* pointers into the list may be stale */
    graph->inputs = inputs;
    graph->outputs = outputs;
    graph->infos = infos;
    graph->properties = properties;
    return HTP_OK;
}
