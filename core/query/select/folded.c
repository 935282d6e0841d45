#include "query/select/folded.h"

#include "base/json/json_items.h"
#include "base/map.h"

#include <cjson/cJSON.h>
#include <string.h>

/* The region's modules, by their full tags. */
static htp_map tags_of(htp_arena *arena, const htp_region *region)
{
    htp_map tags = {0};
    for (uint32_t m = 0; m < region->tree->module_count; m++) {
        htp_slice tag = region->tree->modules[m].full_tag;
        if (region->has_tag[m] || region->has_inside[m]) {
            htp_map_set_bytes(arena, &tags, tag.at, tag.length, m);
        }
    }
    return tags;
}

static bool names_one(htp_arena *arena, const htp_map *tags, htp_span list)
{
    uint32_t module;
    bool is_named = false;
    htp_json_items items;
    htp_json_items_begin(&items, arena, (const char *)list.at, list.bytes);
    while (!is_named && htp_json_items_next(&items)) {
        const char *tag = cJSON_GetStringValue(items.item);
        is_named = tag && htp_map_get_bytes(tags, tag, strlen(tag), &module);
    }
    htp_json_items_end(&items);
    return is_named;
}

/* Whether the further tags of a node name a module of the region; torch.nn's have no tags. */
static bool is_tagged(const htp_region *region, uint32_t node)
{
    htp_view_range tags = region->tree->places[node].tags;
    bool is_named = false;
    for (uint32_t i = tags.first + 1; tags.count > 0 && i < tags.first + tags.count; i++) {
        is_named = is_named || region->has_tag[region->tree->owners.items[i]];
    }
    return is_named;
}

static const htp_view_property *full_tag_of(const htp_view *view, uint32_t node)
{
    return htp_view_find_property(view, view->nodes.items[node].properties,
                                  htp_view_find_name(view, "full_tag"));
}

/* A file may list further tags of a node that has none of its own. */
static bool has_tag(const htp_region *region, uint32_t node)
{
    return region->tree->places[node].tags.count > 0 || full_tag_of(region->view, node);
}

uint32_t htp_folded_node(htp_arena *arena, const htp_region *region)
{
    const htp_view *view = region->view;
    htp_view_name lists = htp_view_find_name(view, "full_tags");
    const htp_map tags = tags_of(arena, region);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_property *list =
            lists == 0 ? NULL
                       : htp_view_find_property(view, view->nodes.items[n].properties, lists);
        if (is_tagged(region, n) ||
            (list && has_tag(region, n) && names_one(arena, &tags, list->value))) {
            return n;
        }
    }
    return HTP_NONE;
}

htp_slice htp_folded_tag(const htp_region *region, uint32_t node)
{
    const htp_view_property *tag = full_tag_of(region->view, node);
    htp_view_range tags = region->tree->places[node].tags;
    return tag ? (htp_slice){(const char *)tag->value.at, tag->value.bytes}
               : htp_tree_address(&region->tree->modules[region->tree->owners.items[tags.first]]);
}
