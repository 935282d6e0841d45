/*
 * Strips tags, and moves them from removed attributes to kept metadata.
 */
#include "onnx/rewriter/strip.h"

#include "base/text.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    NODE_PROPERTY = 9,
    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
};

static const char source_module[] = "source_module";
static const char hierarchy_tags[] = "hierarchy_tags";

/* Replaces a field by one with contents @p content. */
static void replace(htp_view *view, htp_edit_list *edits, htp_span field, uint32_t number,
                    const htp_text *content)
{
    htp_text whole = {.arena = view->arena};
    htp_wire_add_bytes(&whole, number, content->bytes, content->length);
    const htp_edit edit = {.field = field,
                           .bytes = {(const unsigned char *)whole.bytes, whole.length}};
    HTP_PUSH(view->arena, edits, edit);
}

static const htp_view_property *find_tag(const htp_view *view, const htp_view_node *node)
{
    return htp_view_find_property(view, node->properties, htp_view_find_name(view, source_module));
}

static const htp_view_attribute *find_attribute(const htp_view *view, const htp_view_node *node,
                                                htp_view_kind kind)
{
    for (uint32_t i = 0; i < node->attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[node->attributes.first + i];
        if (attribute->kind == (uint32_t)kind && htp_strip_is_tag(view, attribute)) {
            return attribute;
        }
    }
    return NULL;
}

static void put_tag_entry(htp_view *view, htp_edit_list *edits, const htp_view_attribute *tag)
{
    htp_text entry = {.arena = view->arena};
    htp_wire_add_bytes(&entry, ENTRY_KEY, source_module, strlen(source_module));
    htp_wire_add_bytes(&entry, ENTRY_VALUE, tag->s.at, tag->s.bytes);
    replace(view, edits, tag->whole, NODE_PROPERTY, &entry);
}

static void put_tags_entry(htp_view *view, htp_edit_list *edits, const htp_view_attribute *tags)
{
    const htp_span *strings;
    size_t count = htp_view_attribute_strings(tags, view->arena, &strings);
    htp_text list = {.arena = view->arena};
    htp_text entry = {.arena = view->arena};
    htp_text_add(&list, "[");
    for (size_t i = 0; i < count; i++) {
        htp_text_add(&list, i > 0 ? ", " : "");
        htp_text_add_json_part(&list, (const char *)strings[i].at, strings[i].bytes);
    }
    htp_text_add(&list, "]");
    htp_wire_add_bytes(&entry, ENTRY_KEY, hierarchy_tags, strlen(hierarchy_tags));
    htp_wire_add_bytes(&entry, ENTRY_VALUE, list.bytes, list.length);
    replace(view, edits, tags->whole, NODE_PROPERTY, &entry);
}

/* ---- the whole ---- */

/* Drops the removed fields, except one that was replaced. */
static void strip_node(htp_view *view, htp_edit_list *edits, const htp_view_node *node,
                       unsigned keep)
{
    size_t before = edits->count;
    const htp_view_attribute *tag = find_attribute(view, node, HTP_VIEW_STRING);
    const htp_view_attribute *tags = find_attribute(view, node, HTP_VIEW_STRINGS);
    const htp_view_property *entry = find_tag(view, node);
    bool to_metadata = (keep & HTP_TAG_METADATA) && !(keep & HTP_TAG_ATTRIBUTE) && tag && !entry;
    if (to_metadata) {
        put_tag_entry(view, edits, tag);
    }
    if (to_metadata && tags) {
        put_tags_entry(view, edits, tags);
    }
    size_t moved = edits->count;
    htp_strip_node(view, edits, node, keep);
    size_t left = moved;
    for (size_t i = moved; i < edits->count; i++) {
        bool is_moved = false;
        for (size_t k = before; k < moved; k++) {
            is_moved = is_moved || edits->items[k].field.at == edits->items[i].field.at;
        }
        if (!is_moved) {
            edits->items[left++] = edits->items[i];
        }
    }
    edits->count = left;
}

void htp_strip_edits(htp_view *view, htp_edit_list *edits, unsigned keep)
{
    for (size_t i = 0; i < view->nodes.count; i++) {
        strip_node(view, edits, &view->nodes.items[i], keep);
    }
    if (!(keep & HTP_TAG_METADATA)) {
        htp_strip_rest(view, edits);
    }
}
