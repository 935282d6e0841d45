/*
 * The model with its modules replaced, around its graph.
 */
#include "query/replace/replace_parts.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    MODEL_GRAPH = 7,
    MODEL_IMPORT = 8,
    MODEL_PROPERTY = 14,
    MODEL_FUNCTION = 25,
};

static void add(htp_arena *arena, htp_recipe *model, htp_span span)
{
    HTP_PUSH(arena, &model->items, (htp_recipe_item){.bytes = span});
}

static void add_imports(htp_arena *arena, const htp_replacement *r, htp_recipe *model)
{
    for (size_t i = 0; i < r->imports.count; i++) {
        add(arena, model, r->imports.items[i]);
    }
}

const htp_recipe *htp_replace_make_model(htp_arena *arena, htp_replacement *r,
                                         const htp_recipe *graph)
{
    htp_recipe *model = HTP_NEW(arena, htp_recipe);
    htp_text note = {.arena = arena};
    htp_wire wire = htp_wire_begin(r->view->bytes);
    htp_wire_field field;
    bool has_import = false;
    size_t function = 0;
    if (r->file) {
        htp_replace_add_inlined_imports(arena, r);
    }
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, MODEL_GRAPH)) {
            HTP_PUSH(arena, &model->items, (htp_recipe_item){.message = graph});
        } else if (!htp_wire_is_bytes(&field, MODEL_FUNCTION) || r->is_function_kept[function++]) {
            add(arena, model, field.whole);
        }
        if (htp_wire_is_bytes(&field, MODEL_IMPORT) && !has_import) {
            add_imports(arena, r, model);
            has_import = true;
        }
    }
    if (!has_import) {
        add_imports(arena, r, model);
    }
    for (size_t i = 0; i < r->functions.count; i++) {
        add(arena, model, r->functions.items[i]);
    }
    htp_wire_add_entry(&note, MODEL_PROPERTY, HTP_REPLACED_KEY, r->note, strlen(r->note));
    add(arena, model, htp_wire_span(&note));
    return model;
}
