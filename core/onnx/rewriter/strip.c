#include "onnx/rewriter/strip.h"

#include "base/text.h"
#include "onnx/metadata/annotate.h"

#include <string.h>

enum { NODE_DOC_STRING = 6 };

static const char source_module[] = "source_module";
static const char hierarchy_tags[] = "hierarchy_tags";

static const char layer_ann[] = "layer_ann";

/* Metadata keys of nodes with tags. */
static const char *const node_keys[] = {
    source_module,
    hierarchy_tags,
    layer_ann,
    "namespace",
    "pkg.torch.onnx.class_hierarchy",
    "pkg.torch.onnx.name_scopes",
    "pkg.torch.onnx.stack_trace",
    "htp.retagged",
};

/* Keys removed only beside a tag, since the words are common. */
static const char *const node_companions[] = {"full_tag", "full_tags", "call", "calls",
                                              "first_calls"};
static const char *const tensor_keys[] = {hierarchy_tags, HTP_LAYOUT_KEY, HTP_PARAMETER_KEY};
static const char *const tensor_companions[] = {"name_scopes"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void drop(htp_view *view, htp_edit_list *edits, htp_span field)
{
    HTP_PUSH(view->arena, edits, (htp_edit){.field = field});
}

static bool has_tag(const htp_view *view, htp_view_range properties, const char *const *keys,
                    size_t count)
{
    for (uint32_t i = 0; i < properties.count; i++) {
        htp_view_name key = view->property_list.items[properties.first + i].key;
        if (htp_text_is_one_of(htp_view_text(view, key), keys, count)) {
            return true;
        }
    }
    return false;
}

/* The kind of tag that a metadata entry of a tagged node belongs to. */
static unsigned place_of(const char *key)
{
    return strcmp(key, layer_ann) == 0 ? HTP_TAG_LAYER_ANN : HTP_TAG_METADATA;
}

/* Drops properties with @p keys; if there is one, also those with @p companions. */
static void drop_properties(htp_view *view, htp_edit_list *edits, unsigned keep,
                            htp_view_range properties, const char *const *keys, size_t key_count,
                            const char *const *companions, size_t companion_count)
{
    bool is_tagged = has_tag(view, properties, keys, key_count);
    for (uint32_t i = 0; is_tagged && i < properties.count; i++) {
        const htp_view_property *property = &view->property_list.items[properties.first + i];
        const char *key = htp_view_text(view, property->key);
        bool is_one = htp_text_is_one_of(key, keys, key_count) ||
                      htp_text_is_one_of(key, companions, companion_count);
        if (is_one && !(keep & place_of(key))) {
            drop(view, edits, property->whole);
        }
    }
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

bool htp_strip_is_tag(const htp_view *view, const htp_view_attribute *attribute)
{
    const char *name = htp_view_text(view, attribute->name);
    return (attribute->kind == HTP_VIEW_STRING && ends_with(name, source_module)) ||
           (attribute->kind == HTP_VIEW_STRINGS && ends_with(name, hierarchy_tags));
}

bool htp_strip_is_model_key(const char *key)
{
    static const char prefix[] = "htp.";
    return strncmp(key, prefix, strlen(prefix)) == 0;
}

static void drop_attributes(htp_view *view, htp_edit_list *edits, htp_view_range attributes)
{
    for (uint32_t i = 0; i < attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[attributes.first + i];
        if (htp_strip_is_tag(view, attribute)) {
            drop(view, edits, attribute->whole);
        }
    }
}

/* Whether a doc string consists of tags alone. */
static bool is_tag_text(htp_span doc)
{
    static const char first[] = "source_module: ";
    static const char second[] = "\nhierarchy_tags: ";
    size_t length = strlen(first);
    if (doc.bytes < length || memcmp(doc.at, first, length) != 0) {
        return false;
    }
    const unsigned char *line = memchr(doc.at, '\n', doc.bytes);
    size_t left = line ? doc.bytes - (size_t)(line - doc.at) : 0;
    return !line || (left >= strlen(second) && memcmp(line, second, strlen(second)) == 0 &&
                     !memchr(line + 1, '\n', left - 1));
}

static void drop_doc_string(htp_view *view, htp_edit_list *edits, const htp_view_node *node)
{
    htp_wire wire = htp_wire_begin(htp_wire_content(node->whole));
    htp_wire_field field;
    while (is_tag_text(node->doc_string) && htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, NODE_DOC_STRING)) {
            drop(view, edits, field.whole);
        }
    }
}

bool htp_strip_is_node_key(const char *key)
{
    return htp_text_is_one_of(key, node_keys, COUNT(node_keys)) ||
           htp_text_is_one_of(key, node_companions, COUNT(node_companions));
}

void htp_strip_node(htp_view *view, htp_edit_list *edits, const htp_view_node *node, unsigned keep)
{
    drop_properties(view, edits, keep, node->properties, node_keys, COUNT(node_keys),
                    node_companions, COUNT(node_companions));
    if (!(keep & HTP_TAG_ATTRIBUTE)) {
        drop_attributes(view, edits, node->attributes);
    }
    if (!(keep & HTP_TAG_DOC_STRING)) {
        drop_doc_string(view, edits, node);
    }
}

void htp_strip_rest(htp_view *view, htp_edit_list *edits)
{
    for (size_t i = 0; i < view->tensors.count; i++) {
        drop_properties(view, edits, 0, view->tensors.items[i].properties, tensor_keys,
                        COUNT(tensor_keys), tensor_companions, COUNT(tensor_companions));
    }
    for (uint32_t i = 0; i < view->properties.count; i++) {
        const htp_view_property *property = &view->property_list.items[view->properties.first + i];
        if (htp_strip_is_model_key(htp_view_text(view, property->key))) {
            drop(view, edits, property->whole);
        }
    }
}
