/*
 * Whether records of modules fit the model that has them.
 */
#include "base/json/json_parse.h"
#include "query/tree/tree_find.h"

#include <cjson/cJSON.h>
#include <string.h>

/* The element size of all parameters of a leaf module; 0: they differ, or there are none. */
static uint64_t element_bytes(const htp_tree_module *module)
{
    bool is_even = module->parameters > 0 && module->bytes % module->parameters == 0;
    return is_even ? module->bytes / module->parameters : 0;
}

static uint64_t elements_of(const htp_view *view, const htp_view_tensor *tensor)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->dims.count; i++) {
        elements *= (uint64_t)view->dims.items[tensor->dims.first + i];
    }
    return elements;
}

/* Leaf modules, by path. */
static htp_map list_leaves(const htp_tree_finder *finder)
{
    htp_map leaves = {0};
    size_t count = finder->modules.count;
    bool *has_child = HTP_NEW_ARRAY(finder->arena, bool, count + 1);
    for (size_t i = count; i-- > 0;) {
        const htp_tree_module *module = &finder->modules.items[i];
        if (module->parent != HTP_NONE) {
            has_child[module->parent] = true;
        }
        if (!has_child[i] && module->path.length > 0 && element_bytes(module) > 0) {
            htp_map_set_bytes(finder->arena, &leaves, module->path.at, module->path.length,
                              (uint32_t)i);
        }
    }
    return leaves;
}

/* Whether a record lists a parameter; buffers are not listed. */
static bool has_parameter(htp_arena *arena, const htp_tree_module *module, const char *name)
{
    cJSON *record = htp_json_parse(arena, module->record.at, module->record.length);
    const cJSON *shapes = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(record, "parameters"), "shapes");
    bool is_there = cJSON_GetObjectItemCaseSensitive(shapes, name) != NULL;
    cJSON_Delete(record);
    return is_there;
}

/* A weight named like a module's parameter, PATH.NAME, should be stored as its record says. */
static bool has_other_elements(const htp_tree_finder *finder)
{
    const htp_view *view = finder->view;
    const htp_map leaves = list_leaves(finder);
    for (size_t t = 0; t < view->tensors.count; t++) {
        const htp_view_tensor *tensor = &view->tensors.items[t];
        const char *name = htp_view_text(view, tensor->name);
        const char *dot = strrchr(name, '.');
        uint32_t module;
        if (tensor->attribute != HTP_NONE || !dot ||
            !htp_map_get_bytes(&leaves, name, (size_t)(dot - name), &module)) {
            continue;
        }
        uint64_t elements = elements_of(view, tensor);
        uint64_t recorded = element_bytes(&finder->modules.items[module]);
        if (elements > 0 && elements <= finder->modules.items[module].parameters &&
            tensor->bytes != elements * recorded &&
            has_parameter(finder->arena, &finder->modules.items[module], dot + 1)) {
            return true;
        }
    }
    return false;
}

bool htp_tree_is_stale(const htp_tree_finder *finder)
{
    const htp_view *view = finder->view;
    const htp_tree_module *root = &finder->modules.items[0];
    bool is_part = htp_view_find_property(view, view->properties,
                                          htp_view_find_name(view, HTP_PART_KEY)) != NULL;
    return !is_part && root->recorded_total > 0 &&
           (root->recorded_total != view->nodes.count || has_other_elements(finder));
}
