/*
 * Copies of nodes and bodies of a part: with other names, and other tags.
 */
#include "onnx/builder/names.h"
#include "onnx/rewriter/strip.h"
#include "query/replace/replace_graft.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    GRAPH_INFO = 13,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_ATTRIBUTE = 5,
    NODE_DOC_STRING = 6,
    NODE_PROPERTY = 9,
    INFO_NAME = 1,
    TENSOR_NAME = 8,
};

const char *htp_graft_name(const htp_view *view, uint32_t value)
{
    return htp_view_text(view, view->values.items[value].name);
}

void htp_graft_add(const htp_grafter *g, htp_recipe *recipe, htp_span span)
{
    HTP_PUSH(g->arena, &recipe->items, (htp_recipe_item){.bytes = span});
}

void htp_graft_add_text(const htp_grafter *g, htp_recipe *recipe, uint32_t number, const char *text)
{
    htp_text field = {.arena = g->arena};
    htp_wire_add_text(&field, number, text);
    htp_graft_add(g, recipe, htp_wire_span(&field));
}

const char *htp_graft_move_name(const htp_grafter *g, const char *name)
{
    size_t length = g->scope.length;
    if (!g->scope.at || !*name || !*g->moved) {
        return name;
    }
    bool is_in_scope = strncmp(name, g->scope.at, length) == 0 && name[length] == '/';
    return is_in_scope ? htp_arena_printf(g->arena, "%s%s", g->moved, name + length) : name;
}

/* ---- tags ---- */

htp_slice htp_graft_tag_of(const htp_grafter *g, uint32_t node)
{
    htp_view_range tags = g->tree->places[node].tags;
    return tags.count == 0 ? (htp_slice){NULL, 0}
                           : g->tree->modules[g->tree->owners.items[tags.first]].tag;
}

bool htp_graft_is_below(htp_slice tag, htp_slice above)
{
    return tag.length >= above.length &&
           (above.length == 0 || memcmp(tag.at, above.at, above.length) == 0) &&
           (tag.length == above.length || tag.at[above.length] == '/');
}

/* The tag of a copied node. @return whether it is the one that the part has */
bool htp_graft_renew_tag(const htp_grafter *g, uint32_t node, htp_slice *tag)
{
    htp_slice had = htp_graft_tag_of(g, node);
    htp_slice above = g->r->tree->modules[g->replaced->module].tag;
    *tag = had;
    if (had.at && htp_graft_is_below(had, above)) {
        return true;
    }
    htp_slice rest = {had.at ? had.at + g->root.length : "", had.length - g->root.length};
    rest.length = had.at ? rest.length : 0;
    *tag = htp_slice_of(htp_arena_printf(g->arena, "%.*s%.*s", (int)above.length, above.at,
                                         (int)rest.length, rest.at));
    return false;
}

/* A node reads a weight of the part, or one of the model. */
static void note_reader(htp_grafter *g, uint32_t value, htp_slice tag, const htp_text *item)
{
    htp_text *list = &g->readers[value];
    uint32_t same = g->replaced->same[value];
    uint32_t tensor = same == HTP_NONE ? HTP_NONE : g->r->view->values.items[same].initializer;
    if (tensor != HTP_NONE) {
        const htp_replaced_reader reader = {tensor, tag};
        HTP_PUSH(g->arena, &g->r->readers, reader);
    } else if (g->weights[value] && !(list->length > 0 && memmem(list->bytes, list->length,
                                                                 item->bytes, item->length))) {
        list->arena = g->arena;
        htp_text_addf(list, "%s%s", list->length > 0 ? ", " : "", htp_text_string(item));
    }
}

static void note_readers(htp_grafter *g, uint32_t node, htp_slice tag)
{
    htp_view_range inputs = g->part->nodes.items[node].inputs;
    htp_text item = {.arena = g->arena};
    htp_text_add_json_part(&item, tag.at, tag.length);
    for (uint32_t i = inputs.first; i < inputs.first + inputs.count; i++) {
        uint32_t value = g->part->operands.items[i];
        if (value != HTP_NONE) {
            note_reader(g, value, tag, &item);
        }
    }
}

/* ---- nodes ---- */

static const htp_view_attribute *find_attribute(const htp_grafter *g, uint32_t node,
                                                const unsigned char *at)
{
    htp_view_range attributes = g->part->nodes.items[node].attributes;
    for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
        if (g->part->attributes.items[a].whole.at == at) {
            return &g->part->attributes.items[a];
        }
    }
    return NULL;
}

static void add_attribute(const htp_grafter *g, htp_recipe *node, const htp_wire_field *field,
                          const htp_view_attribute *attribute)
{
    htp_wire wire = htp_wire_begin(field->content);
    htp_wire_field inner;
    uint32_t body = attribute ? attribute->graphs.first : 0;
    if (!attribute || attribute->graphs.count == 0) {
        htp_graft_add(g, node, field->whole);
        return;
    }
    htp_recipe *made = HTP_NEW(g->arena, htp_recipe);
    made->number = field->number;
    while (htp_wire_next(&wire, &inner)) {
        bool is_body = body < attribute->graphs.first + attribute->graphs.count &&
                       g->part->graphs.items[body].whole.at == inner.whole.at;
        if (is_body) {
            g->bodies[body]->number = inner.number;
            HTP_PUSH(g->arena, &made->items, (htp_recipe_item){.message = g->bodies[body++]});
        } else {
            htp_graft_add(g, made, inner.whole);
        }
    }
    HTP_PUSH(g->arena, &node->items, (htp_recipe_item){.message = made});
}

/* Whether a field says where the node ran. */
static bool is_tag(const htp_grafter *g, const htp_wire_field *field,
                   const htp_view_attribute *attribute)
{
    static const char begin[] = "source_module: ";
    if (htp_wire_is_bytes(field, NODE_PROPERTY)) {
        htp_span key = htp_replace_text_of(field->content, 1);
        return htp_strip_is_node_key(
            htp_arena_printf(g->arena, "%.*s", (int)key.bytes, (const char *)key.at));
    }
    if (htp_wire_is_bytes(field, NODE_DOC_STRING)) {
        return field->content.bytes >= strlen(begin) &&
               memcmp(field->content.at, begin, strlen(begin)) == 0;
    }
    return attribute && htp_strip_is_tag(g->part, attribute);
}

static const char *operand_name(const htp_grafter *g, htp_view_range operands, uint32_t index)
{
    uint32_t value =
        index < operands.count ? g->part->operands.items[operands.first + index] : HTP_NONE;
    return value == HTP_NONE ? "" : g->names[value];
}

static void add_field(htp_grafter *g, htp_recipe *made, uint32_t node, const htp_wire_field *field,
                      uint32_t counts[2])
{
    const htp_view_node *copied = &g->part->nodes.items[node];
    const char *name = htp_view_text(g->part, copied->name);
    switch (field->type == HTP_WIRE_BYTES ? field->number : 0) {
    case NODE_INPUT:
        htp_graft_add_text(g, made, NODE_INPUT, operand_name(g, copied->inputs, counts[0]++));
        break;
    case NODE_OUTPUT:
        htp_graft_add_text(g, made, NODE_OUTPUT, operand_name(g, copied->outputs, counts[1]++));
        break;
    case NODE_NAME:
        name =
            *name ? htp_name_unique(g->arena, &g->node_names, htp_graft_move_name(g, name)) : name;
        htp_graft_add_text(g, made, NODE_NAME, name);
        break;
    case NODE_ATTRIBUTE:
        add_attribute(g, made, field, find_attribute(g, node, field->whole.at));
        break;
    default:
        htp_graft_add(g, made, field->whole);
    }
}

htp_recipe *htp_graft_copy_node(htp_grafter *g, uint32_t node)
{
    htp_recipe *made = HTP_NEW(g->arena, htp_recipe);
    htp_wire wire = htp_wire_begin(htp_wire_content(g->part->nodes.items[node].whole));
    htp_wire_field field;
    htp_slice tag;
    uint32_t counts[2] = {0, 0};
    bool keeps_tag = htp_graft_renew_tag(g, node, &tag);
    made->number = GRAPH_NODE;
    while (htp_wire_next(&wire, &field)) {
        const htp_view_attribute *attribute = htp_wire_is_bytes(&field, NODE_ATTRIBUTE)
                                                  ? find_attribute(g, node, field.whole.at)
                                                  : NULL;
        if (keeps_tag || !is_tag(g, &field, attribute)) {
            add_field(g, made, node, &field, counts);
        }
    }
    if (!keeps_tag) {
        htp_text tags = {.arena = g->arena};
        htp_replace_add_tag(g->r, tag, g->replaced->first, &tags);
        if (tags.length > 0) {
            htp_graft_add(g, made, htp_wire_span(&tags));
        }
        g->has_new_tags = true;
    }
    note_readers(g, node, tag);
    g->replaced->node_count++;
    return made;
}

/* ---- graphs ---- */

/* A message with another name. */
htp_recipe_item htp_graft_rename(const htp_grafter *g, const htp_wire_field *field,
                                 uint32_t name_number, const char *name)
{
    htp_recipe *made = HTP_NEW(g->arena, htp_recipe);
    htp_wire wire = htp_wire_begin(field->content);
    htp_wire_field inner;
    made->number = field->number;
    while (htp_wire_next(&wire, &inner)) {
        if (htp_wire_is_bytes(&inner, name_number)) {
            htp_graft_add_text(g, made, name_number, name);
        } else {
            htp_graft_add(g, made, inner.whole);
        }
    }
    return (htp_recipe_item){.message = made};
}

uint32_t htp_graft_find_value(const htp_map *values, htp_span message, uint32_t number)
{
    htp_span name = htp_replace_text_of(message, number);
    uint32_t value = HTP_NONE;
    if (name.at) {
        (void)htp_map_get_bytes(values, name.at, name.bytes, &value);
    }
    return value;
}

htp_recipe *htp_graft_copy_body(htp_grafter *g, uint32_t graph)
{
    htp_recipe *made = HTP_NEW(g->arena, htp_recipe);
    const htp_map values = htp_replace_list_values(g->arena, g->part, graph);
    htp_wire wire = htp_wire_begin(htp_wire_content(g->part->graphs.items[graph].whole));
    htp_wire_field field;
    uint32_t node = g->part->graphs.items[graph].nodes.first;
    while (htp_wire_next(&wire, &field)) {
        bool is_info = field.number == GRAPH_INPUT || field.number == GRAPH_OUTPUT ||
                       field.number == GRAPH_INFO;
        uint32_t number = is_info ? INFO_NAME : TENSOR_NAME;
        uint32_t value = is_info || field.number == GRAPH_INITIALIZER
                             ? htp_graft_find_value(&values, field.content, number)
                             : HTP_NONE;
        if (htp_wire_is_bytes(&field, GRAPH_NODE)) {
            HTP_PUSH(g->arena, &made->items,
                     (htp_recipe_item){.message = htp_graft_copy_node(g, node++)});
        } else if (value != HTP_NONE) {
            HTP_PUSH(g->arena, &made->items, htp_graft_rename(g, &field, number, g->names[value]));
        } else {
            htp_graft_add(g, made, field.whole);
        }
    }
    return made;
}
