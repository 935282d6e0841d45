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

static bool names_one(const htp_map *tags, htp_span list)
{
    uint32_t module;
    bool is_named = false;
    htp_json_items items = htp_json_items_begin((const char *)list.at, list.bytes);
    while (!is_named && htp_json_items_next(&items)) {
        const char *tag = cJSON_GetStringValue(items.item);
        is_named = tag && htp_map_get_bytes(tags, tag, strlen(tag), &module);
    }
    htp_json_items_end(&items);
    return is_named;
}

htp_slice htp_folded_into(htp_arena *arena, const htp_region *region)
{
    const htp_view *view = region->view;
    htp_view_name lists = htp_view_find_name(view, "full_tags");
    htp_view_name own = htp_view_find_name(view, "full_tag");
    const htp_map tags = tags_of(arena, region);
    for (uint32_t n = 0; lists != 0 && own != 0 && n < view->nodes.count; n++) {
        htp_view_range properties = view->nodes.items[n].properties;
        const htp_view_property *list = htp_view_find_property(view, properties, lists);
        const htp_view_property *tag = htp_view_find_property(view, properties, own);
        if (list && tag && names_one(&tags, list->value)) {
            return (htp_slice){(const char *)tag->value.at, tag->value.bytes};
        }
    }
    return (htp_slice){NULL, 0};
}
