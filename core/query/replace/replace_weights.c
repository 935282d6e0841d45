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

/* What nodes that stay with their bytes have in their bodies is the file's. */
static void mark_verbatim(htp_arena *arena, const htp_replacement *r, bool *is_gone)
{
    const htp_view *view = r->view;
    bool *is_verbatim = HTP_NEW_ARRAY(arena, bool, view->graphs.count + 1); /* by graph */
    for (size_t g = 0; g < view->graphs.count; g++) {                       /* outer ones first */
        const htp_view_graph *graph = &view->graphs.items[g];
        is_verbatim[g] = graph->parent != HTP_NONE && graph->node != HTP_NONE &&
                         (is_verbatim[graph->parent] || r->verbatim[graph->node].at);
    }
    for (uint32_t t = 0; t < view->tensors.count; t++) {
        is_gone[t] = is_gone[t] || is_verbatim[view->tensors.items[t].graph];
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
    mark_verbatim(arena, r, is_gone);
    options->tensor_count = 0;
    for (uint32_t t = 0; t < view->tensors.count; t++) {
        if (!is_gone[t]) {
            tensors[options->tensor_count++] = t;
        }
    }
    options->tensors = tensors;
    return is_gone;
}

/* By node of the file: whether it is written with its bytes, bodies and all. */
static const bool *list_verbatim_nodes(htp_arena *arena, const htp_replacement *r)
{
    bool *is_verbatim = HTP_NEW_ARRAY(arena, bool, r->file->nodes.count + 1);
    for (size_t i = 0; i < r->places.list.count; i++) {
        const htp_inline_place *place = &r->places.list.items[i];
        if (place->function == HTP_NONE && place->first < place->last) {
            is_verbatim[place->node] = r->verbatim[r->at[place->first]].at != NULL;
        }
    }
    return is_verbatim;
}

void htp_replace_list_verbatim_data(htp_arena *arena, htp_replacement *r)
{
    const htp_view *file = r->file;
    const bool *is_verbatim = list_verbatim_nodes(arena, r);
    bool *stays = HTP_NEW_ARRAY(arena, bool, file->graphs.count + 1); /* by graph */
    uint32_t *tensors = HTP_NEW_ARRAY(arena, uint32_t, file->tensors.count + 1);
    r->verbatim_data = (htp_second_model){.view = file, .tensors = tensors};
    for (size_t g = 0; g < file->graphs.count; g++) { /* outer ones first */
        const htp_view_graph *graph = &file->graphs.items[g];
        stays[g] = graph->parent == HTP_NONE
                       ? graph->function != HTP_NONE && r->is_function_kept[graph->function]
                       : stays[graph->parent] || is_verbatim[graph->node];
    }
    for (uint32_t t = 0; t < file->tensors.count; t++) {
        if (file->tensors.items[t].location != 0 && stays[file->tensors.items[t].graph]) {
            tensors[r->verbatim_data.tensor_count++] = t;
        }
    }
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
    htp_map_set_bytes(arena, known, &tensor, sizeof(tensor), (uint32_t)edits->count);
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
