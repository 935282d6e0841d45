/*
 * Builds a tree for all its sources: modules, their parents, and the places of nodes.
 */
#include "query/tree/tree_find.h"

#include "base/text.h"

#include <string.h>

bool htp_slice_equals(htp_slice a, htp_slice b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

htp_slice htp_slice_of(const char *text)
{
    return (htp_slice){text, strlen(text)};
}

htp_slice htp_tree_segment(const htp_tree_module *module)
{
    htp_slice tag = module->has_tag ? module->tag : module->full_tag;
    const char *slash = tag.length > 0 ? memrchr(tag.at, '/', tag.length) : NULL;
    return slash ? (htp_slice){slash, tag.length - (size_t)(slash - tag.at)} : tag;
}

uint32_t htp_tree_add_module(htp_tree_finder *finder, htp_tree_module module)
{
    HTP_PUSH(finder->arena, &finder->modules, module);
    return (uint32_t)finder->modules.count - 1;
}

void htp_tree_place_node(htp_tree_finder *finder, uint32_t node, uint32_t innermost)
{
    finder->places[node] = (htp_tree_place){.innermost = innermost,
                                            .tags.first = (uint32_t)finder->tree->owners.count};
}

void htp_tree_add_owner(htp_tree_finder *finder, uint32_t node, uint32_t module)
{
    HTP_PUSH(finder->arena, &finder->tree->owners, module);
    finder->places[node].tags.count++;
}

htp_status htp_tree_take_text(const htp_tree_finder *finder, uint32_t node, htp_span span,
                              const char **text)
{
    *text = htp_arena_copy(finder->arena, span.at, span.bytes);
    return htp_text_is_utf8(*text, span.bytes)
               ? HTP_OK
               : htp_status_make(HTP_CODE_BAD_INPUT, "%s: node '%s': the tag is not UTF-8",
                                 finder->view->path, htp_view_call_node(finder->view, node));
}

bool htp_tree_is_shallow(htp_slice address, char separator)
{
    size_t count = 0;
    for (size_t i = 0; i < address.length && count <= HTP_TREE_DEEPEST; i++) {
        count += address.at[i] == separator;
    }
    return count <= HTP_TREE_DEEPEST;
}

htp_status htp_tree_too_deep(const htp_tree_finder *finder, uint32_t node)
{
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: node '%s': more than %d modules in each other",
                           finder->view->path, htp_view_call_node(finder->view, node),
                           HTP_TREE_DEEPEST);
}

/* Makes the key of a parent's number and a child's name. The next key overwrites it. */
static size_t make_key(htp_tree_finder *finder, uint32_t parent, htp_slice name)
{
    size_t bytes = sizeof(parent) + name.length;
    if (bytes > finder->key_room) {
        finder->key_room = 2 * bytes;
        finder->key = htp_arena_alloc(finder->arena, finder->key_room);
    }
    memcpy(finder->key, &parent, sizeof(parent));
    if (name.length > 0) {
        memcpy(finder->key + sizeof(parent), name.at, name.length);
    }
    return bytes;
}

uint32_t htp_tree_find_child(htp_tree_finder *finder, uint32_t parent, htp_slice name)
{
    uint32_t child;
    size_t bytes = make_key(finder, parent, name);
    return htp_map_get_bytes(&finder->children, finder->key, bytes, &child) ? child : HTP_NONE;
}

void htp_tree_set_child(htp_tree_finder *finder, uint32_t parent, htp_slice name, uint32_t child)
{
    size_t bytes = make_key(finder, parent, name);
    const char *key = htp_arena_copy(finder->arena, finder->key, bytes);
    htp_map_set_bytes(finder->arena, &finder->children, key, bytes, child);
}

/* The child of @p parent by the last segment of @p tag, created on first use. */
static uint32_t find_or_add_child(htp_tree_finder *finder, uint32_t parent, htp_slice tag,
                                  htp_slice segment)
{
    uint32_t child = htp_tree_find_child(finder, parent, segment);
    if (child != HTP_NONE) {
        return child;
    }
    const char *dot = segment.length > 0 ? memchr(segment.at, '.', segment.length) : NULL;
    size_t class_length = dot ? (size_t)(dot - segment.at) : segment.length;
    htp_slice class_name = {segment.at, finder->tree->are_paths_in_tags ? 0 : class_length};
    child = htp_tree_add_module(finder, (htp_tree_module){.tag = tag,
                                                          .full_tag = tag,
                                                          .class_name = class_name,
                                                          .parent = parent,
                                                          .has_tag = true,
                                                          .calls = HTP_TREE_CALLS_UNKNOWN});
    htp_tree_set_child(finder, parent, segment, child);
    return child;
}

uint32_t htp_tree_walk_segments(htp_tree_finder *finder, htp_slice address, bool has_bare_root)
{
    uint32_t at = has_bare_root ? 0 : HTP_NONE;
    size_t begin = 0;
    while (begin < address.length) {
        begin += address.at[begin] == '/';
        const char *slash = memchr(address.at + begin, '/', address.length - begin);
        size_t end = slash ? (size_t)(slash - address.at) : address.length;
        at = find_or_add_child(finder, at, (htp_slice){address.at, end},
                               (htp_slice){address.at + begin, end - begin});
        begin = end;
    }
    return at;
}
