/*
 * Weights of a model with replaced modules: which stay, and what they say about their readers.
 */
#include "query/replace/replace_parts.h"

#include <string.h>

enum { TENSOR_PROPERTY = 16, ENTRY_VALUE = 2 }; /* Reference: onnx.proto. */

/* ---- tensors ---- */

static void mark(bool *is_gone, htp_view_range tensors)
{
    for (uint32_t i = tensors.first; i < tensors.first + tensors.count; i++) {
        is_gone[i] = true;
    }
}

const bool *htp_replace_list_tensors(htp_arena *arena, const htp_replacement *r,
                                     htp_rewrite_options *options)
{
    const htp_view *view = r->view;
    bool *is_gone = HTP_NEW_ARRAY(arena, bool, view->tensors.count + 1);
    uint32_t *tensors = HTP_NEW_ARRAY(arena, uint32_t, view->tensors.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_view_range attributes = view->nodes.items[n].attributes;
        for (uint32_t a = 0; a < attributes.count && !htp_replace_is_written(r, n); a++) {
            const htp_view_attribute *of = &view->attributes.items[attributes.first + a];
            mark(is_gone, of->tensors);
            for (uint32_t g = of->graphs.first; g < of->graphs.first + of->graphs.count; g++) {
                mark(is_gone, view->graphs.items[g].initializers);
            }
        }
    }
    for (uint32_t v = 0; v < view->values.count; v++) {
        if (r->is_unread_weight[v]) {
            uint32_t first = view->values.items[v].initializer;
            mark(is_gone, (htp_view_range){first, view->tensors.items[first].sparse.at ? 2 : 1});
        }
    }
    options->tensor_count = 0;
    for (uint32_t t = 0; t < view->tensors.count; t++) {
        if (!is_gone[t]) {
            tensors[options->tensor_count++] = t;
        }
    }
    options->tensors = tensors;
    return is_gone;
}

/* ---- readers of weights ---- */

/* Adds a module to the list of those that use a weight. */
static void add_reader(htp_arena *arena, const htp_replacement *r, uint32_t tensor, htp_slice tag,
                       htp_edit_list *edits, htp_map *known)
{
    const htp_view *view = r->view;
    const htp_view_property *property = htp_view_find_property(
        view, view->tensors.items[tensor].properties, htp_view_find_name(view, "hierarchy_tags"));
    htp_text item = {.arena = arena};
    htp_text list = {.arena = arena};
    htp_text field = {.arena = arena};
    uint32_t edit = HTP_NONE;
    htp_span value = property ? property->value : (htp_span){NULL, 0};
    if (htp_map_get_bytes(known, &tensor, sizeof(tensor), &edit)) {
        value = htp_replace_text_of(htp_wire_content(edits->items[edit].bytes), ENTRY_VALUE);
    }
    htp_text_add_json_part(&item, tag.at, tag.length);
    if (!property || value.bytes < 2 || memmem(value.at, value.bytes, item.bytes, item.length)) {
        return;
    }
    htp_text_add_bytes(&list, (const char *)value.at, value.bytes - 1);
    htp_text_addf(&list, "%s%s]", value.bytes > 2 ? ", " : "", htp_text_string(&item));
    htp_wire_add_entry(&field, TENSOR_PROPERTY, "hierarchy_tags", list.bytes, list.length);
    const htp_edit made = {.field = property->whole, .bytes = htp_wire_span(&field)};
    if (edit != HTP_NONE) {
        edits->items[edit] = made;
        return;
    }
    htp_map_set_bytes(arena, known, htp_arena_copy(arena, &tensor, sizeof(tensor)), sizeof(tensor),
                      (uint32_t)edits->count);
    HTP_PUSH(arena, edits, made);
}

void htp_replace_add_readers(htp_arena *arena, const htp_replacement *r, htp_edit_list *edits)
{
    htp_map known = {0};
    for (size_t i = 0; i < r->readers.count; i++) {
        const htp_replaced_reader *reader = &r->readers.items[i];
        add_reader(arena, r, reader->tensor, reader->tag, edits, &known);
    }
}
