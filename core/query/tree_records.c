/*
 * Modules by htp.module_tree, the records that an export of ours writes.
 */
#include "query/tree_find.h"

#include "base/text.h"

#include <cjson/cJSON.h>
#include <string.h>

static htp_slice text_of(const cJSON *record, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, key);
    return cJSON_IsString(item) ? htp_slice_of(item->valuestring) : htp_slice_of("");
}

static uint64_t number_of(const cJSON *record, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(record, key);
    bool is_count = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e18;
    return is_count ? (uint64_t)item->valuedouble : 0;
}

static uint32_t calls_of(const cJSON *record)
{
    const cJSON *calls = cJSON_GetObjectItemCaseSensitive(record, "calls");
    return cJSON_IsNull(calls) ? HTP_TREE_CALLS_UNKNOWN : (uint32_t)number_of(record, "calls");
}

/* The module of the longest part of a path that is a module's; paths are walked name by name. */
static uint32_t find_parent(htp_tree_finder *finder, htp_slice path, htp_slice *rest)
{
    uint32_t at = 0;
    size_t begin = 0;
    for (;;) {
        const char *dot = memchr(path.at + begin, '.', path.length - begin);
        if (!dot) {
            break;
        }
        size_t end = (size_t)(dot - path.at);
        uint32_t child = htp_tree_find_child(finder, at, (htp_slice){path.at + begin, end - begin});
        if (child == HTP_VIEW_NONE) {
            break;
        }
        at = child;
        begin = end + 1;
    }
    *rest = (htp_slice){path.at + begin, path.length - begin};
    return at;
}

/* The module above one: sidecars say which it is, paths tell otherwise. */
static uint32_t find_above(htp_tree_finder *finder, const cJSON *record, htp_slice path,
                           htp_slice *name)
{
    const cJSON *parent = cJSON_GetObjectItemCaseSensitive(record, "parent");
    uint32_t module;
    *name = (htp_slice){NULL, 0};
    if (finder->modules.count == 0 || cJSON_IsNull(parent)) {
        return HTP_VIEW_NONE;
    }
    if (cJSON_IsString(parent)) {
        return htp_map_get(&finder->by_full_tag, parent->valuestring, &module) ? module : 0;
    }
    return find_parent(finder, path, name);
}

void htp_tree_add_record(htp_tree_finder *finder, const cJSON *record)
{
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(record, "parameters");
    const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(record, "nodes");
    htp_tree_module module = {
        .is_record = true,
        .told_own = number_of(nodes, "tagged"),
        .told_total = number_of(nodes, "total"),
        .tag = text_of(record, "tag"),
        .full_tag = text_of(record, "full_tag"),
        .path = text_of(record, "path"),
        .class_name = text_of(record, "class"),
        .qualified_class = text_of(record, "qualified_class"),
        .parent = HTP_VIEW_NONE,
        .calls = calls_of(record),
        .parameters = number_of(parameters, "total"),
        .bytes = number_of(parameters, "bytes"),
    };
    htp_slice name;
    module.has_path = cJSON_IsString(cJSON_GetObjectItemCaseSensitive(record, "path"));
    module.parent = find_above(finder, record, module.path, &name);
    module.has_tag = !htp_map_get_bytes(&finder->by_tag, module.tag.at, module.tag.length, NULL);
    uint32_t index = htp_tree_add_module(finder, module);
    if (name.at) {
        htp_tree_set_child(finder, module.parent, name, index);
    }
    if (module.has_tag) {
        htp_map_set_bytes(finder->arena, &finder->by_tag, module.tag.at, module.tag.length, index);
    }
    htp_map_set_bytes(finder->arena, &finder->by_full_tag, module.full_tag.at,
                      module.full_tag.length, index);
}

htp_status htp_tree_read_records(htp_tree_finder *finder)
{
    const htp_view *view = finder->view;
    const htp_view_property *property =
        htp_view_find_property(view, view->properties, htp_view_find_name(view, "htp.module_tree"));
    if (!property) {
        return HTP_OK;
    }
    if (!htp_text_is_utf8((const char *)property->value.at, property->value.bytes)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: the metadata htp.module_tree are not UTF-8",
                               view->path);
    }
    cJSON *json = cJSON_ParseWithLength((const char *)property->value.at, property->value.bytes);
    finder->tree->json = json; /* its texts are borrowed */
    const cJSON *modules = cJSON_GetObjectItemCaseSensitive(json, "modules");
    if (!cJSON_IsArray(modules)) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: the metadata htp.module_tree are no JSON with a list of "
                               "modules",
                               view->path);
    }
    const cJSON *record;
    finder->tree->records = modules->child;
    cJSON_ArrayForEach(record, modules)
    {
        htp_tree_add_record(finder, record);
    }
    finder->tree->has_records = finder->modules.count > 0;
    return HTP_OK;
}
