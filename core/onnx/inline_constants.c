/*
 * Constants of functions: initializers of the flat model, each once.
 */
#include "onnx/inline_parts.h"

#include "base/json_scan.h"

/* Reference: onnx.proto. */
enum { TENSOR_NAME = 8, TENSOR_PROPERTY = 16, ENTRY_KEY = 1, ENTRY_VALUE = 2 };

/* The tensor that a node of a function makes; HTP_VIEW_NONE: it is no such constant. */
static uint32_t tensor_of(const htp_inliner *i, uint32_t n)
{
    const htp_view *view = i->view;
    const htp_view_node *node = &view->nodes.items[n];
    uint32_t tensor = HTP_VIEW_NONE;
    bool is_constant =
        view->graphs.items[node->graph].function != HTP_VIEW_NONE &&
        strcmp(htp_view_text(view, node->op_type), "Constant") == 0 &&
        (node->domain == 0 || strcmp(htp_view_text(view, node->domain), "ai.onnx") == 0) &&
        node->inputs.count == 0 && node->outputs.count == 1 &&
        view->operands.items[node->outputs.first] != HTP_VIEW_NONE &&
        i->plan.call_of[n] == HTP_VIEW_NONE;
    for (uint32_t k = 0; is_constant && k < node->attributes.count; k++) {
        const htp_view_attribute *attribute = &view->attributes.items[node->attributes.first + k];
        bool is_value = strcmp(htp_view_text(view, attribute->name), "value") == 0;
        if (is_value && attribute->kind == HTP_VIEW_TENSOR && attribute->tensors.count == 1 &&
            attribute->reference == 0) {
            tensor = attribute->tensors.first;
        }
    }
    return tensor;
}

static bool are_same_bytes(htp_span a, htp_span b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.at, b.at, a.bytes) == 0);
}

/* Whether two tensors hold the same in the same way. */
static bool are_same(const htp_view *view, uint32_t a, uint32_t b)
{
    const htp_view_tensor *x = &view->tensors.items[a];
    const htp_view_tensor *y = &view->tensors.items[b];
    bool is_same = x->data_type == y->data_type && x->dims.count == y->dims.count &&
                   !x->sparse.at && !y->sparse.at && x->bytes == y->bytes &&
                   x->location == y->location && x->offset == y->offset &&
                   x->data_field == y->data_field && are_same_bytes(x->data, y->data) &&
                   (x->data_field != 0 || x->bytes == 0 || x->location != 0);
    for (uint32_t k = 0; is_same && k < x->dims.count; k++) {
        is_same = view->dims.items[x->dims.first + k] == view->dims.items[y->dims.first + k];
    }
    return is_same;
}

static uint32_t add_constant(htp_inliner *i, const char *name, uint32_t tensor)
{
    HTP_PUSH(i->arena, &i->constants,
             (htp_inline_constant){.tensor = tensor, .name = name, .tags.arena = i->arena});
    return (uint32_t)i->constants.count - 1;
}

/* The initializer that a tensor of a function becomes under a name that it may share. */
static uint32_t find_shared(htp_inliner *i, const char *name, uint32_t tensor,
                            const htp_map *initializers)
{
    uint32_t number, same;
    if (htp_map_get(&i->constant_numbers, name, &number)) {
        const htp_inline_constant *known = &i->constants.items[number];
        bool is_own = known->tensor != HTP_VIEW_NONE;
        return is_own && are_same(i->view, known->tensor, tensor) ? number : HTP_VIEW_NONE;
    }
    if (htp_map_get(initializers, name, &same)) { /* the model's own one tells its users itself */
        return are_same(i->view, same, tensor) ? add_constant(i, name, HTP_VIEW_NONE)
                                               : HTP_VIEW_NONE;
    }
    if (htp_map_get(&i->value_names, name, NULL)) {
        return HTP_VIEW_NONE;
    }
    number = add_constant(i, name, tensor);
    htp_map_set(i->arena, &i->value_names, name, 1);
    htp_map_set(i->arena, &i->constant_numbers, name, number);
    return number;
}

static htp_map map_initializers(const htp_inliner *i)
{
    const htp_view *view = i->view;
    htp_map initializers = {0};
    htp_view_range own = view->graphs.items[0].initializers;
    for (uint32_t t = own.first; t < own.first + own.count; t++) {
        htp_map_set(i->arena, &initializers, htp_view_text(view, view->tensors.items[t].name), t);
    }
    return initializers;
}

void htp_inline_find_constants(htp_inliner *i)
{
    const htp_view *view = i->view;
    htp_map initializers = map_initializers(i);
    i->constant_of = HTP_NEW_ARRAY(i->arena, uint32_t, view->nodes.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t function = i->plan.function_of[view->nodes.items[n].graph];
        bool is_inlined =
            function != HTP_VIEW_NONE && i->plan.is_reached[function] && !i->plan.is_kept[function];
        uint32_t tensor = is_inlined ? tensor_of(i, n) : HTP_VIEW_NONE;
        i->constant_of[n] = HTP_VIEW_NONE;
        if (tensor == HTP_VIEW_NONE) {
            continue;
        }
        uint32_t value = view->operands.items[view->nodes.items[n].outputs.first];
        const char *name = htp_view_text(view, view->values.items[value].name);
        i->constant_of[n] =
            *name == '/' ? find_shared(i, name, tensor, &initializers) : HTP_VIEW_NONE;
        if (i->constant_of[n] == HTP_VIEW_NONE) {
            name = htp_inline_new_name(i, &i->value_names, "", name);
            i->constant_of[n] = add_constant(i, name, tensor);
        }
    }
}

/* ---- users ---- */

static void add_tag(htp_inliner *i, htp_inline_constant *constant, const char *json, size_t length)
{
    if (htp_map_get_bytes(&constant->known, json, length, NULL)) {
        return;
    }
    const char *copy = htp_arena_copy(i->arena, json, length);
    htp_map_set_bytes(i->arena, &constant->known, copy, length, 0);
    htp_text_add(&constant->tags, constant->tags.length ? ", " : "[");
    htp_text_add_bytes(&constant->tags, copy, length);
    i->spent += 2 * length;
}

void htp_inline_use_constant(htp_inliner *i, const htp_inline_frame *frame, uint32_t node)
{
    htp_inline_constant *constant = &i->constants.items[i->constant_of[node]];
    htp_json_part key, tag;
    i->names[i->view->operands.items[i->view->nodes.items[node].outputs.first]] = constant->name;
    if (constant->tensor == HTP_VIEW_NONE) {
        return;
    }
    const htp_inline_texts *texts = htp_inline_texts_now(i, frame, node);
    htp_span list = texts->of[HTP_INLINE_TAGS];
    htp_json_scan scan = htp_json_scan_of((htp_json_part){(const char *)list.at, list.bytes});
    if (list.at && htp_json_scan_enter(&scan, '[')) {
        while (htp_json_scan_next(&scan, &key, &tag)) {
            add_tag(i, constant, tag.at, tag.length);
        }
    } else if (texts->of[HTP_INLINE_TAG].at) {
        htp_text json = {.arena = i->arena};
        htp_text_add_json_part(&json, (const char *)texts->of[HTP_INLINE_TAG].at,
                               texts->of[HTP_INLINE_TAG].bytes);
        add_tag(i, constant, json.bytes, json.length);
    }
    i->now_node = HTP_VIEW_NONE; /* see htp_inline_finish_node() */
}

void htp_inline_list_constants(htp_inliner *i)
{
    for (size_t k = 0; k < i->constants.count; k++) {
        htp_inline_constant *constant = &i->constants.items[k];
        htp_text fields = {.arena = i->arena};
        if (constant->tensor == HTP_VIEW_NONE) {
            continue;
        }
        htp_inline_put_text(&fields, TENSOR_NAME, constant->name);
        if (constant->tags.length > 0) {
            htp_text_add(&constant->tags, "]");
            size_t entry = htp_inline_begin(&fields, TENSOR_PROPERTY, constant->tags.length + 24);
            htp_inline_put_text(&fields, ENTRY_KEY, htp_inline_key_text(HTP_INLINE_TAGS));
            htp_inline_put(&fields, ENTRY_VALUE, constant->tags.bytes, constant->tags.length);
            htp_inline_end(&fields, entry);
        }
        HTP_PUSH(i->arena, &i->flat->initializers,
                 (htp_view_lifted){.whole = i->view->tensors.items[constant->tensor].whole,
                                   .fields = {(const unsigned char *)fields.bytes, fields.length}});
    }
}
