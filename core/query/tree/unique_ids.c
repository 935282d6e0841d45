#include "query/tree/unique_ids.h"

#include <inttypes.h>

/* An unused key; its name lives as long as the arena. */
static const char *take_key(htp_arena *arena, htp_map *taken, const char *name, uint32_t number)
{
    const char *key = name;
    if (*name == '\0' || htp_map_get(taken, name, NULL)) {
        key = htp_arena_printf(arena, "%s#%" PRIu32, name, number);
    }
    while (htp_map_get(taken, key, NULL)) {
        key = htp_arena_printf(arena, "%s#", key);
    }
    htp_map_set(arena, taken, key, number);
    return key;
}

bool htp_unique_ids_is_initializer(const htp_view *view, uint32_t tensor)
{
    const htp_view_tensor *read = &view->tensors.items[tensor];
    bool is_indices = read->sparse.at && tensor > 0 &&
                      view->tensors.items[tensor - 1].sparse.at == read->sparse.at;
    return read->attribute == HTP_NONE && !is_indices;
}

void htp_unique_ids_make(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                         htp_unique_ids *keys)
{
    htp_map operations = {0};
    htp_map values = {0};
    htp_map modules = {0};
    uint32_t module_count = tree ? tree->module_count : 0;
    *keys = (htp_unique_ids){
        .nodes = HTP_NEW_ARRAY(arena, const char *, view->nodes.count + 1),
        .initializers = HTP_NEW_ARRAY(arena, const char *, view->tensors.count + 1),
        .values = HTP_NEW_ARRAY(arena, const char *, view->values.count + 1),
        .modules = HTP_NEW_ARRAY(arena, const char *, module_count + 1U),
    };
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        keys->nodes[i] =
            take_key(arena, &operations, htp_view_text(view, view->nodes.items[i].name), i);
    }
    for (uint32_t i = 0; i < view->tensors.count; i++) {
        if (htp_unique_ids_is_initializer(view, i)) {
            keys->initializers[i] =
                take_key(arena, &operations, htp_view_text(view, view->tensors.items[i].name), i);
        }
    }
    for (uint32_t i = 0; i < view->values.count; i++) {
        keys->values[i] =
            take_key(arena, &values, htp_view_text(view, view->values.items[i].name), i);
    }
    for (uint32_t i = 0; i < module_count; i++) {
        htp_slice tag = tree->modules[i].full_tag;
        keys->modules[i] = take_key(arena, &modules, htp_arena_copy(arena, tag.at, tag.length), i);
    }
}
