/*
 * Writes fields of nodes, attributes and bodies in place of a call: names and tags change, unknown
 * fields stay.
 */
#include "onnx/inliner/inline_parts.h"

#include "onnx/rewriter/strip.h"

/* Reference: onnx.proto. */
enum {
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_ATTRIBUTE = 5,
    NODE_DOC_STRING = 6,
    NODE_PROPERTY = 9,

    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_GRAPH = 6,
    ATTRIBUTE_GRAPHS = 11,
    ATTRIBUTE_DOC_STRING = 13,
    ATTRIBUTE_REFERENCE = 21,

    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_INFO = 13,
    GRAPH_SPARSE = 15,

    FUNCTION_INFO = 12,

    INFO_NAME = 1,
    TENSOR_NAME = 8,
    SPARSE_VALUES = 1,

    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
};

/* ---- attributes ---- */

/* The value of an attribute reference: from the call, which may itself refer to its caller's, or a
 * default. Empty if there is none. */
static htp_span find_given(const htp_inliner *i, const htp_inline_frame *frame, htp_view_name name)
{
    const htp_view *view = i->view;
    for (; frame; frame = frame->caller) {
        htp_span value = {NULL, 0};
        uint32_t index;
        if (!htp_map_get_bytes(&frame->attributes, &name, sizeof(name), &index)) {
            (void)htp_inline_find_parameter(&i->plan, frame->function, name, &value);
            return value;
        }
        const htp_view_attribute *given = &view->attributes.items[index];
        if (given->reference == 0 || !frame->caller) {
            return given->reference == 0 ? given->whole : value;
        }
        name = given->reference;
    }
    return (htp_span){NULL, 0};
}

/* Writes an attribute under the node's name with the call's value. */
static void put_given(htp_inliner *i, const htp_inline_level *level,
                      const htp_view_attribute *attribute)
{
    htp_span given = find_given(i, level->frame, attribute->reference);
    htp_wire wire = htp_wire_begin(given.at ? htp_wire_content(given) : given);
    htp_wire_field field;
    if (!given.at) {
        return;
    }
    size_t begin = htp_inline_begin(&i->out, NODE_ATTRIBUTE, given.bytes);
    htp_inline_put_text(&i->out, ATTRIBUTE_NAME, htp_view_text(i->view, attribute->name));
    while (htp_wire_next(&wire, &field)) {
        if (field.number != ATTRIBUTE_NAME && field.number != ATTRIBUTE_DOC_STRING &&
            field.number != ATTRIBUTE_REFERENCE) {
            htp_inline_copy(&i->out, field.whole);
        }
    }
    htp_inline_end(&i->out, begin);
}

static void put_attribute(htp_inliner *i, htp_inline_level *level, const htp_wire_field *field)
{
    const htp_inline_frame *frame = level->frame;
    uint32_t number = i->view->nodes.items[level->item].attributes.first + level->next++;
    const htp_view_attribute *attribute = &i->view->attributes.items[number];
    if (attribute->graphs.count > 0) {
        size_t begin = htp_inline_begin(&i->out, NODE_ATTRIBUTE, field->content.bytes);
        HTP_PUSH(i->arena, &i->stack,
                 (htp_inline_level){.kind = HTP_INLINE_ATTRIBUTE,
                                    .frame = frame,
                                    .item = number,
                                    .wire = htp_wire_begin(field->content),
                                    .begin = begin});
    } else if (frame && attribute->reference != 0) {
        put_given(i, level, attribute);
    } else if (frame && level->is_relative && htp_strip_is_tag(i->view, attribute)) {
        htp_inline_put_tags(&i->out, &frame->texts, true, attribute);
    } else {
        htp_inline_copy(&i->out, field->whole);
    }
}

bool htp_inline_attribute_field(htp_inliner *i, htp_inline_level *level)
{
    htp_wire_field field;
    if (!htp_wire_next(&level->wire, &field)) {
        return false;
    }
    if (!htp_wire_is_bytes(&field, ATTRIBUTE_GRAPH) &&
        !htp_wire_is_bytes(&field, ATTRIBUTE_GRAPHS)) {
        htp_inline_copy(&i->out, field.whole);
        return true;
    }
    uint32_t graph = i->view->attributes.items[level->item].graphs.first + level->next++;
    size_t begin = htp_inline_begin(&i->out, field.number, field.content.bytes);
    HTP_PUSH(i->arena, &i->stack,
             (htp_inline_level){.kind = HTP_INLINE_GRAPH,
                                .frame = level->frame,
                                .item = graph,
                                .wire = htp_wire_begin(field.content),
                                .begin = begin});
    return true;
}

/* ---- nodes ---- */

static void put_operand(htp_inliner *i, uint32_t number, htp_view_range operands, uint32_t index)
{
    uint32_t value = i->view->operands.items[operands.first + index];
    htp_inline_put_text(&i->out, number, htp_inline_value_name(i, value));
}

static void put_name(htp_inliner *i, const char *name)
{
    if (*name) {
        htp_inline_put_text(&i->out, NODE_NAME, name);
    }
}

/* Whether a field of a node is replaced by the call's annotation. */
static bool is_told_by_call(uint32_t number)
{
    return number == NODE_DOC_STRING || number == NODE_PROPERTY;
}

bool htp_inline_node_field(htp_inliner *i, htp_inline_level *level)
{
    const htp_view_node *node = &i->view->nodes.items[level->item];
    htp_wire_field field;
    if (!htp_wire_next(&level->wire, &field)) {
        return false;
    }
    bool is_written_anew = level->frame && field.type == HTP_WIRE_BYTES;
    if (htp_wire_is_bytes(&field, NODE_ATTRIBUTE)) {
        put_attribute(i, level, &field);
    } else if (is_written_anew && field.number == NODE_INPUT) {
        put_operand(i, NODE_INPUT, node->inputs, level->inputs++);
    } else if (is_written_anew && field.number == NODE_OUTPUT) {
        put_operand(i, NODE_OUTPUT, node->outputs, level->outputs++);
    } else if (is_written_anew && field.number == NODE_NAME) {
        put_name(i, level->name);
    } else if (!is_written_anew || !is_told_by_call(field.number)) {
        htp_inline_copy(&i->out, field.whole);
    }
    return true;
}

static void put_property(htp_text *out, const char *key, htp_span value)
{
    size_t begin = htp_inline_begin(out, NODE_PROPERTY, value.bytes + strlen(key) + 6);
    htp_inline_put_text(out, ENTRY_KEY, key);
    htp_inline_put(out, ENTRY_VALUE, value.at, value.bytes);
    htp_inline_end(out, begin);
}

/* Writes the metadata about modules, in an export's order. */
static void put_told(htp_inliner *i, const htp_inline_texts *texts)
{
    for (int key = 0; key < HTP_INLINE_FIRST; key++) {
        if (texts->of[key].at) {
            put_property(&i->out, htp_inline_key_text((htp_inline_key)key), texts->of[key]);
        }
    }
}

/* Writes all metadata in place of the first. */
static void put_properties(htp_inliner *i, uint32_t node, const htp_inline_texts *texts)
{
    const htp_view *view = i->view;
    htp_view_range properties = view->nodes.items[node].properties;
    bool is_told = false;
    for (uint32_t k = 0; k < properties.count; k++) {
        const htp_view_property *property = &view->property_list.items[properties.first + k];
        if (htp_inline_key_of(&i->texts, property->key) == HTP_INLINE_KEYS) {
            htp_inline_copy(&i->out, property->whole);
        } else if (!is_told) {
            put_told(i, texts);
            is_told = true;
        }
    }
    if (!is_told) {
        put_told(i, texts);
    }
}

const htp_inline_texts *htp_inline_texts_now(htp_inliner *i, const htp_inline_frame *frame,
                                             uint32_t node)
{
    if (i->now_node != node) {
        htp_inline_texts_of(&i->texts, &frame->texts, node, &i->now);
        i->now_node = node;
    }
    return &i->now;
}

void htp_inline_finish_node(htp_inliner *i, const htp_inline_level *level)
{
    if (!level->frame) {
        return;
    }
    const htp_inline_texts *texts = htp_inline_texts_now(i, level->frame, level->item);
    htp_span own = i->view->nodes.items[level->item].doc_string;
    htp_span doc = texts->doc_string.at ? texts->doc_string : own;
    if (doc.bytes > 0) {
        htp_inline_put(&i->out, NODE_DOC_STRING, doc.at, doc.bytes);
    }
    if (texts->is_silent) {
        htp_inline_copy(&i->out, level->frame->texts.attributes);
    }
    put_properties(i, level->item, texts);
    i->now_node = HTP_NONE; /* the function's next call may differ */
}

void htp_inline_put_call(htp_inliner *i, const htp_inline_frame *frame)
{
    const htp_inline_texts *texts = &frame->texts;
    if (texts->doc_string.bytes > 0) {
        htp_inline_put(&i->out, NODE_DOC_STRING, texts->doc_string.at, texts->doc_string.bytes);
    }
    htp_inline_copy(&i->out, texts->attributes);
    put_told(i, texts);
}

/* ---- bodies ---- */

/* A ValueInfoProto under another name. */
static void put_info(htp_text *out, uint32_t number, htp_span content, const char *name)
{
    htp_wire wire = htp_wire_begin(content);
    htp_wire_field field;
    size_t begin = htp_inline_begin(out, number, content.bytes);
    htp_inline_put_text(out, INFO_NAME, name);
    while (htp_wire_next(&wire, &field)) {
        if (field.number != INFO_NAME) {
            htp_inline_copy(out, field.whole);
        }
    }
    htp_inline_end(out, begin);
}

static void put_tensor(htp_text *out, uint32_t number, htp_span content, const char *name)
{
    htp_wire wire = htp_wire_begin(content);
    htp_wire_field field;
    size_t begin = htp_inline_begin(out, number, content.bytes);
    while (htp_wire_next(&wire, &field)) {
        if (number == GRAPH_SPARSE && htp_wire_is_bytes(&field, SPARSE_VALUES)) {
            put_tensor(out, SPARSE_VALUES, field.content, name);
        } else if (number == GRAPH_SPARSE || field.number != TENSOR_NAME) {
            htp_inline_copy(out, field.whole);
        }
    }
    if (number != GRAPH_SPARSE) {
        htp_inline_put_text(out, TENSOR_NAME, name);
    }
    htp_inline_end(out, begin);
}

static void put_initializer(htp_inliner *i, htp_inline_level *level, const htp_wire_field *field)
{
    htp_view_range tensors = i->view->graphs.items[level->item].initializers;
    bool is_sparse = field->number == GRAPH_SPARSE; /* two tensors, written after all others */
    uint32_t index = is_sparse ? level->sparse : level->initializers++;
    uint32_t tensor = tensors.first + index;
    level->sparse += is_sparse ? 2 : 0;
    uint32_t value = index < tensors.count ? i->value_of[tensor] : HTP_NONE;
    put_tensor(&i->out, field->number, field->content, htp_inline_value_name(i, value));
}

bool htp_inline_graph_field(htp_inliner *i, htp_inline_level *level)
{
    const htp_view_graph *graph = &i->view->graphs.items[level->item];
    htp_wire_field field;
    if (!htp_wire_next(&level->wire, &field)) {
        return false;
    }
    if (htp_wire_is_bytes(&field, GRAPH_NODE)) {
        return true; /* written first */
    }
    if (!level->frame || field.type != HTP_WIRE_BYTES) {
        htp_inline_copy(&i->out, field.whole);
        return true;
    }
    switch (field.number) {
    case GRAPH_NAME:
        htp_inline_put_text(&i->out, GRAPH_NAME,
                            htp_inline_body_name(i, level->item, htp_inline_owner_name(i)));
        break;
    case GRAPH_INPUT:
        put_info(&i->out, GRAPH_INPUT, field.content,
                 htp_inline_value_name(
                     i, i->view->operands.items[graph->inputs.first + level->inputs++]));
        break;
    case GRAPH_OUTPUT:
        put_info(&i->out, GRAPH_OUTPUT, field.content,
                 htp_inline_value_name(
                     i, i->view->operands.items[graph->outputs.first + level->outputs++]));
        break;
    case GRAPH_INITIALIZER:
    case GRAPH_SPARSE:
        put_initializer(i, level, &field);
        break;
    case GRAPH_INFO:
        break; /* see htp_inline_put_infos() */
    default:
        htp_inline_copy(&i->out, field.whole);
    }
    return true;
}

/* Whether a caller's value that this one becomes has a type in the file. */
static bool is_told_above(const htp_inliner *i, uint32_t value)
{
    for (value = i->up[value]; value != HTP_NONE; value = i->up[value]) {
        if (i->view->values.items[value].info.at) {
            return true;
        }
    }
    return false;
}

void htp_inline_put_infos(htp_inliner *i, uint32_t graph)
{
    const htp_view *view = i->view;
    bool is_function = view->graphs.items[graph].function != HTP_NONE;
    uint32_t told_by = is_function ? FUNCTION_INFO : GRAPH_INFO; /* outputs of bodies stay */
    for (uint32_t v = i->first_value[graph]; v < i->first_value[graph + 1]; v++) {
        const htp_view_value *value = &view->values.items[v];
        htp_wire wire = htp_wire_begin(value->info);
        htp_wire_field field;
        bool is_made = value->maker == HTP_VIEW_BY_NODE && i->constant_of[value->node] == HTP_NONE;
        if (is_made && i->names[v] && htp_wire_next(&wire, &field) && field.number == told_by &&
            !is_told_above(i, v)) {
            put_info(&i->infos, GRAPH_INFO, field.content, i->names[v]);
        }
    }
}
