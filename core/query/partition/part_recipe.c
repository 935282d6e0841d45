/*
 * Parts as models.
 */
#include "query/partition/part_maker.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    MODEL_GRAPH = 7,
    MODEL_IMPORT = 8,
    MODEL_PROPERTY = 14,
    MODEL_TRAINING = 20,
    MODEL_FUNCTION = 25,

    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_INFO = 13,
    GRAPH_ANNOTATION = 14,
    GRAPH_SPARSE = 15,

    TENSOR_NAME = 8,
    TENSOR_PROPERTY = 16,

    INFO_NAME = 1,
    INFO_TYPE = 2,

    TYPE_TENSOR = 1,
    TENSOR_ELEMENT = 1,
    TYPE_SEQUENCE = 4,
    SEQUENCE_ELEMENT = 1,

    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
};

/* ---- fields of every part ---- */

static void find_rest(htp_arena *arena, htp_span message, const uint32_t *left_out, size_t count,
                      htp_span but, htp_part_spans *rest)
{
    htp_wire wire = htp_wire_begin(message);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        bool is_kept = field.whole.at != but.at;
        for (size_t i = 0; i < count; i++) {
            is_kept = is_kept && !htp_wire_is_bytes(&field, left_out[i]);
        }
        if (is_kept) {
            HTP_PUSH(arena, rest, field.whole);
        }
    }
}

/* An inlined model has other imports than the file: they take the place of the file's. */
static void replace_imports(htp_part_maker *maker, htp_arena *arena)
{
    const htp_part_spans of_file = maker->model_rest;
    bool are_added = false;
    maker->model_rest = (htp_part_spans){0};
    for (size_t i = 0; i < of_file.count; i++) {
        htp_wire wire = htp_wire_begin(of_file.items[i]);
        htp_wire_field field;
        bool is_import = htp_wire_next(&wire, &field) && htp_wire_is_bytes(&field, MODEL_IMPORT);
        for (size_t k = 0; is_import && !are_added && k < maker->view->imports.count; k++) {
            HTP_PUSH(arena, &maker->model_rest, maker->view->imports.items[k].whole);
        }
        are_added = are_added || is_import;
        if (!is_import) {
            HTP_PUSH(arena, &maker->model_rest, of_file.items[i]);
        }
    }
    for (size_t k = 0; !are_added && k < maker->view->imports.count; k++) {
        HTP_PUSH(arena, &maker->model_rest, maker->view->imports.items[k].whole);
    }
}

void htp_part_find_rest(htp_part_maker *maker, htp_arena *arena)
{
    static const uint32_t of_model[] = {MODEL_GRAPH, MODEL_TRAINING, MODEL_FUNCTION};
    static const uint32_t of_graph[] = {GRAPH_NODE, GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_OUTPUT,
                                        GRAPH_INFO, GRAPH_ANNOTATION,  GRAPH_SPARSE};
    const htp_view *view = maker->view;
    uint32_t number = maker->division->graph == HTP_NONE ? 0 : maker->division->graph;
    htp_span graph = htp_wire_content(view->graphs.items[number].whole);
    find_rest(arena, view->bytes, of_model, sizeof(of_model) / sizeof(*of_model),
              maker->record_property, &maker->model_rest);
    if (view->flat) {
        replace_imports(maker, arena);
    }
    find_rest(arena, graph, of_graph, sizeof(of_graph) / sizeof(*of_graph), (htp_span){NULL, 0},
              &maker->graph_rest);
}

/* ---- the recipe ---- */

static void add(htp_arena *arena, htp_recipe *recipe, htp_span span)
{
    HTP_PUSH(arena, &recipe->items, (htp_recipe_item){.bytes = span});
}

static void add_all(htp_arena *arena, htp_recipe *recipe, const htp_part_spans *spans)
{
    for (size_t i = 0; i < spans->count; i++) {
        add(arena, recipe, spans->items[i]);
    }
}

static bool is_copy(const htp_part_maker *maker, uint32_t constant)
{
    return maker->division->is_shared && maker->division->is_shared[constant];
}

/* The nodes of a part, and its copies of shared ones, in the order of the file. */
static htp_numbers order_nodes(const htp_part_maker *maker, htp_arena *arena, const htp_part *part)
{
    htp_numbers ordered = {0};
    for (size_t i = 0; i < part->nodes.count; i++) {
        HTP_PUSH(arena, &ordered, part->nodes.items[i]);
    }
    for (size_t i = 0; i < part->constants.count; i++) {
        if (is_copy(maker, part->constants.items[i])) {
            HTP_PUSH(arena, &ordered, part->constants.items[i]);
        }
    }
    htp_numbers_sort_unique(&ordered);
    return ordered;
}

static void add_constants(const htp_part_maker *maker, htp_arena *arena, htp_recipe *graph,
                          const htp_numbers *constants)
{
    for (size_t i = 0; i < constants->count; i++) {
        if (!is_copy(maker, constants->items[i])) {
            add(arena, graph, maker->view->nodes.items[constants->items[i]].whole);
        }
    }
}

static void add_nodes(const htp_view *view, htp_arena *arena, htp_recipe *graph,
                      const htp_numbers *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        add(arena, graph, view->nodes.items[nodes->items[i]].whole);
    }
}

/* A constant of an inlined function: the file has only its data, without name and metadata. */
static void add_lifted(htp_arena *arena, htp_recipe *graph, const htp_view_tensor *tensor)
{
    htp_recipe *lifted = HTP_NEW(arena, htp_recipe);
    htp_wire wire = htp_wire_begin(htp_wire_content(tensor->whole));
    htp_wire added = htp_wire_begin(tensor->fields);
    htp_wire_field field;
    htp_wire_field name;
    bool has_name = htp_wire_next(&added, &name);
    lifted->number = GRAPH_INITIALIZER;
    while (htp_wire_next(&wire, &field)) {
        if (has_name && field.number > TENSOR_NAME) {
            add(arena, lifted, name.whole);
            has_name = false;
        }
        if (field.number != TENSOR_NAME && field.number != TENSOR_PROPERTY) {
            add(arena, lifted, field.whole);
        }
    }
    if (has_name) {
        add(arena, lifted, name.whole);
    }
    while (htp_wire_next(&added, &field)) {
        add(arena, lifted, field.whole);
    }
    HTP_PUSH(arena, &graph->items, (htp_recipe_item){.message = lifted});
}

static void add_initializers(const htp_view *view, htp_arena *arena, htp_recipe *graph,
                             const htp_numbers *values)
{
    for (size_t i = 0; i < values->count; i++) {
        const htp_view_tensor *tensor =
            &view->tensors.items[view->values.items[values->items[i]].initializer];
        if (tensor->fields.at) {
            add_lifted(arena, graph, tensor);
        } else {
            add(arena, graph, tensor->sparse.at ? tensor->sparse : tensor->whole);
        }
    }
}

/* Bytes as a field of a message. */
static htp_span make_field(htp_arena *arena, uint32_t number, htp_span content)
{
    unsigned char prefix[HTP_WIRE_PREFIX_SIZE];
    size_t length = htp_wire_put_prefix(number, content.bytes, prefix);
    unsigned char *field = htp_arena_alloc(arena, length + content.bytes + 1);
    memcpy(field, prefix, length);
    if (content.bytes > 0) {
        memcpy(field + length, content.at, content.bytes);
    }
    return (htp_span){field, length + content.bytes};
}

/* The file's ValueInfo of a value, as field @p number of the graph. */
static void add_info(const htp_view *view, htp_arena *arena, htp_recipe *graph, uint32_t value,
                     uint32_t number)
{
    htp_span whole = view->values.items[value].info;
    htp_wire wire = htp_wire_begin(whole);
    htp_wire_field field;
    if (whole.at && htp_wire_next(&wire, &field)) {
        bool is_same = field.number == number;
        add(arena, graph, is_same ? whole : make_field(arena, number, field.content));
    }
}

static bool has_type(const htp_view *view, uint32_t value)
{
    htp_span whole = view->values.items[value].info;
    htp_wire wire = htp_wire_begin(whole.at ? htp_wire_content(whole) : (htp_span){NULL, 0});
    htp_wire_field field;
    while (whole.at && htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, INFO_TYPE)) {
            return true;
        }
    }
    return false;
}

/* The producer of a value, for messages. */
static const char *call_maker(htp_arena *arena, const htp_view *view, uint32_t value)
{
    const htp_view_value *made = &view->values.items[value];
    return made->maker == HTP_VIEW_BY_NODE
               ? htp_arena_printf(arena, "node '%s' (%s)", htp_view_call_node(view, made->node),
                                  htp_view_text(view, view->nodes.items[made->node].op_type))
               : "an input";
}

static htp_span span_of(const char *text)
{
    return (htp_span){(const unsigned char *)text, strlen(text)};
}

/* A TypeProto with a dtype alone. @param type  see htp_part_maker_open() */
static htp_span make_open_type(htp_arena *arena, int32_t type)
{
    unsigned char *element = htp_arena_alloc(arena, 2); /* a varint of one byte */
    element[0] = TENSOR_ELEMENT << 3 | HTP_WIRE_VARINT;
    element[1] = (unsigned char)(type & 0x7f);
    htp_span tensor = make_field(arena, TYPE_TENSOR, (htp_span){element, 2});
    return type & HTP_PART_LIST
               ? make_field(arena, TYPE_SEQUENCE, make_field(arena, SEQUENCE_ELEMENT, tensor))
               : tensor;
}

/* Adds a value at the border with a dtype alone, or without a type. */
static void add_open(const htp_part_maker *maker, htp_arena *arena, htp_recipe *graph,
                     uint32_t value, uint32_t number)
{
    const htp_view *view = maker->view;
    htp_recipe *info = HTP_NEW(arena, htp_recipe);
    info->number = number;
    add(arena, info,
        make_field(arena, INFO_NAME, span_of(htp_view_text(view, view->values.items[value].name))));
    if (number == GRAPH_INPUT) {
        add(arena, info,
            make_field(arena, INFO_TYPE, make_open_type(arena, maker->border_types[value])));
    }
    HTP_PUSH(arena, &graph->items, (htp_recipe_item){.message = info});
}

static htp_status add_border(const htp_part_maker *maker, htp_arena *arena, htp_recipe *graph,
                             const htp_numbers *values, uint32_t number)
{
    const htp_view *view = maker->view;
    for (size_t i = 0; i < values->count; i++) {
        uint32_t value = values->items[i];
        bool is_own = number == GRAPH_INPUT && view->values.items[value].maker == HTP_VIEW_BY_INPUT;
        if (maker->border_types && !is_own) {
            add_open(maker, arena, graph, value, number);
            continue;
        }
        htp_span inferred = htp_view_types_info(maker->types, arena, value);
        if (inferred.at) {
            add(arena, graph, make_field(arena, number, inferred));
        } else if (has_type(view, value)) {
            add_info(view, arena, graph, value, number);
        } else {
            return htp_status_make(
                HTP_CODE_BAD_INPUT,
                "%s: the file does not say the type of '%s', which crosses the border, and it does "
                "not follow from %s; let types be inferred first, for example by "
                "onnx.shape_inference.infer_shapes_path",
                view->path, htp_view_text(view, view->values.items[value].name),
                call_maker(arena, view, value));
        }
    }
    return HTP_OK;
}

static void add_infos_of_values(const htp_view *view, htp_arena *arena, htp_recipe *graph,
                                const htp_numbers *values, uint32_t number)
{
    for (size_t i = 0; i < values->count; i++) {
        add_info(view, arena, graph, values->items[i], number);
    }
}

/* Types of inner values. Outputs have theirs already. */
static void add_inner_infos(const htp_part_maker *maker, htp_arena *arena, htp_recipe *graph,
                            const htp_part *part, const htp_numbers *nodes)
{
    const htp_view *view = maker->view;
    for (size_t i = 0; i < nodes->count; i++) {
        htp_view_range made = view->nodes.items[nodes->items[i]].outputs;
        for (uint32_t k = 0; k < made.count; k++) {
            uint32_t value = view->operands.items[made.first + k];
            if (value == HTP_NONE || maker->output_mark[value] == part->mark) {
                continue;
            }
            bool is_open = view->flat && view->values.items[value].info.at; /* possibly */
            htp_span whole =
                is_open ? htp_view_types_info(maker->types, arena, value) : (htp_span){NULL, 0};
            if (whole.at) {
                add(arena, graph, make_field(arena, GRAPH_INFO, whole));
            } else {
                add_info(view, arena, graph, value, GRAPH_INFO);
            }
        }
    }
}

static htp_status make_graph(const htp_part_maker *maker, htp_arena *arena, const htp_part *part,
                             htp_recipe *graph)
{
    const htp_view *view = maker->view;
    add_all(arena, graph, &maker->graph_rest);
    const htp_numbers nodes = order_nodes(maker, arena, part);
    add_constants(maker, arena, graph, &part->constants);
    add_nodes(view, arena, graph, &nodes);
    add_initializers(view, arena, graph, &part->weights);
    add_initializers(view, arena, graph, &part->defaults);
    HTP_TRY(add_border(maker, arena, graph, &part->inputs, GRAPH_INPUT));
    add_infos_of_values(view, arena, graph, &part->defaults, GRAPH_INPUT);
    HTP_TRY(add_border(maker, arena, graph, &part->outputs, GRAPH_OUTPUT));
    add_inner_infos(maker, arena, graph, part, &nodes);
    return HTP_OK;
}

static void add_entry(htp_arena *arena, htp_recipe *model, htp_part_entry added)
{
    htp_recipe *entry = HTP_NEW(arena, htp_recipe);
    entry->number = MODEL_PROPERTY;
    add(arena, entry, make_field(arena, ENTRY_KEY, span_of(added.key)));
    add(arena, entry, make_field(arena, ENTRY_VALUE, span_of(added.value)));
    HTP_PUSH(arena, &model->items, (htp_recipe_item){.message = entry});
}

static void add_metadata(htp_part_maker *maker, htp_arena *arena, htp_recipe *model,
                         const htp_part *part, const char *note)
{
    const htp_view *view = maker->view;
    htp_view_name key = htp_view_find_name(view, HTP_PART_KEY);
    if (maker->record_property.at) {
        add_entry(arena, model, htp_part_records(maker, arena, part));
    }
    if (note && !htp_view_find_property(view, view->properties, key)) {
        add_entry(arena, model, (htp_part_entry){HTP_PART_KEY, note});
    }
}

htp_status htp_part_recipe(htp_part_maker *maker, htp_arena *arena, const htp_part *part,
                           const char *note, const htp_recipe **recipe)
{
    const htp_view *view = maker->view;
    htp_recipe *model = HTP_NEW(arena, htp_recipe);
    htp_recipe *graph = HTP_NEW(arena, htp_recipe);
    graph->number = MODEL_GRAPH;
    HTP_TRY(make_graph(maker, arena, part, graph));
    add_all(arena, model, &maker->model_rest);
    add_metadata(maker, arena, model, part, note);
    HTP_PUSH(arena, &model->items, (htp_recipe_item){.message = graph});
    for (size_t i = 0; i < part->functions.count; i++) {
        uint32_t function = view->functions.items[part->functions.items[i]].graph;
        add(arena, model, view->graphs.items[function].whole);
    }
    *recipe = model;
    return HTP_OK;
}
