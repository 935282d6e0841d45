#include "onnx/metadata/complex_border.h"

#include "base/json/json_scan.h"
#include "base/text.h"

const char *htp_complex_border_json(htp_arena *arena, const htp_builder *model,
                                    const htp_tensor_id *ids, size_t count)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < count; i++) {
        const htp_tensor *tensor = &model->tensors.items[ids[i]];
        if (tensor->is_complex) {
            htp_text_add(&text, text.length ? ", " : "[");
            htp_text_add_json(&text, tensor->name);
        }
    }
    if (text.length == 0) {
        return NULL;
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

/* Names are compared in encoded form, with quotes and escapes. */
htp_map htp_complex_border_read(htp_arena *arena, const htp_view *view, const char *key)
{
    htp_map names = {0};
    const htp_view_property *property =
        htp_view_find_property(view, view->properties, htp_view_find_name(view, key));
    if (!property) {
        return names;
    }
    htp_json_scan scan =
        htp_json_scan_of((htp_json_part){(const char *)property->value.at, property->value.bytes});
    htp_json_part name;
    bool is_list = htp_json_scan_enter(&scan, '[');
    while (is_list && htp_json_scan_next(&scan, NULL, &name)) {
        htp_map_set_bytes(arena, &names, name.at, name.length, 1);
    }
    return names;
}

bool htp_complex_border_holds(htp_arena *arena, const htp_map *names, const char *name,
                              const htp_value_type *type)
{
    uint32_t known;
    htp_text text = {.arena = arena};
    if (names->count == 0 || !type->has_dims || type->rank == 0 ||
        type->dims[type->rank - 1].size != 2) {
        return false;
    }
    htp_text_add_json(&text, name);
    return htp_map_get_bytes(names, htp_text_string(&text), text.length, &known);
}
