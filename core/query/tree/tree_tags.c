/*
 * Modules by tags in attributes, metadata or doc strings.
 */
#include "base/json/json_parse.h"
#include "query/tree/tree_find.h"

#include "base/text.h"

#include <cjson/cJSON.h>
#include <string.h>

static const char source_module[] = "source_module";
static const char hierarchy_tags[] = "hierarchy_tags";
static const char doc_line[] = "source_module: ";

/* Where this file has its tags. */
struct tag_place {
    htp_view_name attribute, more_attribute; /* 0: there is none */
    htp_view_name key, more_key;
    bool is_doc_string;
    htp_view_name full_tag; /* a metadata key, wherever the tags are */
};

/* ---- finding the place ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* The name of the first attribute that may hold a tag; 0: there is none. */
static htp_view_name find_attribute_name(const htp_view *view)
{
    for (size_t i = 0; i < view->attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[i];
        if (attribute->kind == HTP_VIEW_STRING &&
            ends_with(htp_view_text(view, attribute->name), source_module)) {
            return attribute->name;
        }
    }
    return 0;
}

static bool has_property(const htp_view *view, htp_view_name key)
{
    for (size_t i = 0; key != 0 && i < view->nodes.count; i++) {
        if (htp_view_find_property(view, view->nodes.items[i].properties, key)) {
            return true;
        }
    }
    return false;
}

/* The tag in a doc string, or empty. */
static htp_span doc_string_tag(htp_span doc)
{
    size_t length = strlen(doc_line);
    if (doc.bytes < length || memcmp(doc.at, doc_line, length) != 0) {
        return (htp_span){NULL, 0};
    }
    const unsigned char *end = memchr(doc.at, '\n', doc.bytes);
    size_t bytes = end ? (size_t)(end - doc.at) : doc.bytes;
    return (htp_span){doc.at + length, bytes - length};
}

static bool has_doc_string(const htp_view *view)
{
    for (size_t i = 0; i < view->nodes.count; i++) {
        if (doc_string_tag(view->nodes.items[i].doc_string).at) {
            return true;
        }
    }
    return false;
}

static void choose_place(htp_tree_finder *finder, struct tag_place *place)
{
    const htp_view *view = finder->view;
    htp_tree *tree = finder->tree;
    htp_view_name key = htp_view_find_name(view, source_module);
    htp_view_name layer = htp_view_find_name(view, "layer_ann");
    place->attribute = find_attribute_name(view);
    if (place->attribute) {
        const char *name = htp_view_text(view, place->attribute);
        int prefix = (int)(strlen(name) - strlen(source_module));
        place->more_attribute = htp_view_find_name(
            view, htp_arena_printf(finder->arena, "%.*s%s", prefix, name, hierarchy_tags));
        tree->source = HTP_TREE_ATTRIBUTES;
        tree->source_text = htp_arena_printf(finder->arena, "attribute %s of nodes", name);
    } else if (has_property(view, key)) {
        place->key = key;
        place->more_key = htp_view_find_name(view, hierarchy_tags);
        tree->source = HTP_TREE_METADATA;
        tree->source_text = "metadata source_module of nodes";
    } else if (has_doc_string(view)) {
        place->is_doc_string = true;
        tree->source = HTP_TREE_DOC_STRINGS;
        tree->source_text = "doc strings of nodes";
    } else if (has_property(view, layer)) {
        place->key = layer;
        tree->source = HTP_TREE_LAYER_ANN;
        tree->source_text = "metadata layer_ann of nodes";
    }
    place->full_tag = htp_view_find_name(view, "full_tag");
}

/* ---- one node ---- */

static bool is_last(const htp_tree_last *last, htp_span text)
{
    return last->text.at && last->text.bytes == text.bytes &&
           memcmp(last->text.at, text.at, text.bytes) == 0;
}

/* The module of a tag, built from segments if there is no record of it. A relative tag has none. */
static htp_status find_module(htp_tree_finder *finder, uint32_t node, htp_span tag,
                              uint32_t *module)
{
    htp_tree_last *last = &finder->last_tag;
    *module = HTP_NONE;
    if (tag.bytes == 0 || tag.at[0] != '/') {
        return HTP_OK;
    }
    if (is_last(last, tag)) {
        *module = last->module;
        return HTP_OK;
    }
    if (htp_map_get_bytes(&finder->by_tag, tag.at, tag.bytes, module)) {
        *last = (htp_tree_last){tag, *module};
        return HTP_OK;
    }
    const char *text;
    HTP_TRY(htp_tree_take_text(finder, node, tag, &text));
    if (!htp_tree_is_shallow((htp_slice){text, tag.bytes}, '/')) {
        return htp_tree_too_deep(finder, node);
    }
    *module = htp_tree_walk_segments(finder, (htp_slice){text, tag.bytes}, false);
    htp_map_set_bytes(finder->arena, &finder->by_tag, text, tag.bytes, *module);
    return HTP_OK;
}

static htp_span first_tag(const htp_view *view, const struct tag_place *place, uint32_t node)
{
    const htp_view_node *tagged = &view->nodes.items[node];
    if (place->is_doc_string) {
        return doc_string_tag(tagged->doc_string);
    }
    if (place->attribute) {
        const htp_view_attribute *attribute = htp_view_find_attribute(view, node, place->attribute);
        return attribute ? attribute->s : (htp_span){NULL, 0};
    }
    const htp_view_property *property =
        htp_view_find_property(view, tagged->properties, place->key);
    return property ? property->value : (htp_span){NULL, 0};
}

static htp_status add_owner(htp_tree_finder *finder, uint32_t node, htp_span tag)
{
    uint32_t module;
    HTP_TRY(find_module(finder, node, tag, &module));
    const htp_tree_place *place = &finder->places[node];
    const uint32_t *owners = finder->tree->owners.items;
    bool is_first = place->tags.count > 0 && owners[place->tags.first] == module;
    if (module != HTP_NONE && !is_first) {
        htp_tree_add_owner(finder, node, module);
    }
    return HTP_OK;
}

/* A JSON array of tags in metadata. It is copied first, since adding may move the text. */
static htp_status add_json_owners(htp_tree_finder *finder, uint32_t node, htp_span json)
{
    HTP_VECTOR(htp_span) tags = {0};
    size_t room = 2; /* tags are never longer than their JSON */
    char *texts = htp_arena_alloc(finder->arena, json.bytes + room);
    size_t most = json.bytes / room + 1;
    tags.items = HTP_NEW_ARRAY(finder->arena, htp_span, most);
    cJSON *list = htp_json_parse(finder->arena, (const char *)json.at, json.bytes);
    size_t used = 0;
    for (const cJSON *item = list ? list->child : NULL; item && tags.count < most;
         item = item->next) {
        if (cJSON_IsString(item)) {
            size_t length = strlen(item->valuestring);
            memcpy(texts + used, item->valuestring, length);
            tags.items[tags.count++] = (htp_span){(unsigned char *)texts + used, length};
            used += length;
        }
    }
    bool is_list = cJSON_IsArray(list);
    cJSON_Delete(list);
    if (!is_list) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: node '%s': hierarchy_tags are no JSON array",
                               finder->view->path, htp_view_call_node(finder->view, node));
    }
    for (size_t i = 0; i < tags.count; i++) {
        HTP_TRY(add_owner(finder, node, tags.items[i]));
    }
    return HTP_OK;
}

static htp_status add_more_owners(htp_tree_finder *finder, const struct tag_place *place,
                                  uint32_t node)
{
    const htp_view *view = finder->view;
    const htp_view_attribute *attribute =
        htp_view_find_attribute(view, node, place->more_attribute);
    const htp_view_property *property =
        htp_view_find_property(view, view->nodes.items[node].properties, place->more_key);
    if (attribute && attribute->kind == HTP_VIEW_STRINGS) {
        const htp_span *tags;
        size_t count = htp_view_attribute_strings(attribute, finder->arena, &tags);
        for (size_t i = 0; i < count; i++) {
            HTP_TRY(add_owner(finder, node, tags[i]));
        }
    }
    return property ? add_json_owners(finder, node, property->value) : HTP_OK;
}

static void place_innermost(htp_tree_finder *finder, uint32_t node, htp_span full_tag)
{
    htp_tree_last *last = &finder->last_full_tag;
    if (!is_last(last, full_tag)) {
        last->text = full_tag;
        if (!htp_map_get_bytes(&finder->by_full_tag, full_tag.at, full_tag.bytes, &last->module)) {
            last->module = HTP_NONE;
        }
    }
    if (last->module != HTP_NONE) {
        finder->places[node].innermost = last->module;
    }
}

static void note_relative(htp_tree_finder *finder, uint32_t node, htp_span tag)
{
    htp_tree *tree = finder->tree;
    if (!tree->relative) {
        tree->relative = HTP_NEW_ARRAY(finder->arena, htp_slice, finder->view->nodes.count);
    }
    tree->relative[node] = (htp_slice){(const char *)tag.at, tag.bytes};
}

static htp_status place_node(htp_tree_finder *finder, const struct tag_place *place, uint32_t node)
{
    const htp_view *view = finder->view;
    htp_span tag = first_tag(view, place, node);
    uint32_t module;
    HTP_TRY(find_module(finder, node, tag, &module));
    if (module == HTP_NONE) {
        if (tag.bytes > 0) {
            note_relative(finder, node, tag);
        }
        return HTP_OK;
    }
    htp_tree_place_node(finder, node, module);
    htp_tree_add_owner(finder, node, module);
    HTP_TRY(add_more_owners(finder, place, node));
    const htp_view_property *full =
        htp_view_find_property(view, view->nodes.items[node].properties, place->full_tag);
    if (full && finder->tree->has_records) {
        place_innermost(finder, node, full->value);
    }
    return HTP_OK;
}

htp_status htp_tree_from_tags(htp_tree_finder *finder)
{
    struct tag_place place = {0};
    choose_place(finder, &place);
    if (finder->tree->source == HTP_TREE_NOWHERE) {
        return HTP_OK;
    }
    for (uint32_t i = 0; i < finder->view->nodes.count; i++) {
        HTP_TRY(place_node(finder, &place, i));
    }
    return HTP_OK;
}
