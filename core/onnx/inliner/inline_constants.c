/*
 * Turns constants of functions into initializers of the flat model, each once.
 */
#include "onnx/inliner/inline_parts.h"

#include "base/json/json_scan.h"

#include <stdlib.h>

/* Reference: onnx.proto. */
enum { TENSOR_NAME = 8, TENSOR_PROPERTY = 16, ENTRY_KEY = 1, ENTRY_VALUE = 2 };

/* The tensor of a Constant node in a function; HTP_NONE for other nodes. */
static uint32_t tensor_of(const htp_inliner *i, uint32_t n)
{
    const htp_view *view = i->view;
    const htp_view_node *node = &view->nodes.items[n];
    uint32_t tensor = HTP_NONE;
    bool is_constant = view->graphs.items[node->graph].function != HTP_NONE &&
                       strcmp(htp_view_text(view, node->op_type), "Constant") == 0 &&
                       htp_view_is_own_domain(view, node->domain) && node->inputs.count == 0 &&
                       node->outputs.count == 1 &&
                       view->operands.items[node->outputs.first] != HTP_NONE &&
                       i->plan.call_of[n] == HTP_NONE;
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

/* Whether two tensors have the same contents in the same encoding. */
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
    HTP_PUSH(i->arena, &i->constants, (htp_inline_constant){.tensor = tensor, .name = name});
    return (uint32_t)i->constants.count - 1;
}

/* The initializer of a function's tensor, under a name that equal tensors share. */
static uint32_t find_shared(htp_inliner *i, const char *name, uint32_t tensor,
                            const htp_map *initializers)
{
    uint32_t number, same;
    if (htp_map_get(&i->constant_numbers, name, &number)) {
        const htp_inline_constant *known = &i->constants.items[number];
        bool is_own = known->tensor != HTP_NONE;
        return is_own && are_same(i->view, known->tensor, tensor) ? number : HTP_NONE;
    }
    if (htp_map_get(initializers, name,
                    &same)) { /* the model's own initializer already lists its users */
        return are_same(i->view, same, tensor) ? add_constant(i, name, HTP_NONE) : HTP_NONE;
    }
    if (htp_map_get(&i->value_names, name, NULL)) {
        return HTP_NONE;
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
            function != HTP_NONE && i->plan.is_reached[function] && !i->plan.is_kept[function];
        uint32_t tensor = is_inlined ? tensor_of(i, n) : HTP_NONE;
        i->constant_of[n] = HTP_NONE;
        if (tensor == HTP_NONE) {
            continue;
        }
        uint32_t value = view->operands.items[view->nodes.items[n].outputs.first];
        const char *name = htp_view_text(view, view->values.items[value].name);
        i->constant_of[n] = *name == '/' ? find_shared(i, name, tensor, &initializers) : HTP_NONE;
        if (i->constant_of[n] == HTP_NONE) {
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
    const htp_span tag = {(const unsigned char *)copy, length};
    htp_map_set_bytes(i->arena, &constant->known, copy, length, 0);
    HTP_PUSH(i->arena, &constant->tags, (htp_inline_user){.tag = tag});
    i->spent += 2 * length + sizeof(htp_inline_user);
}

void htp_inline_use_constant(htp_inliner *i, const htp_inline_frame *frame, uint32_t node)
{
    htp_inline_constant *constant = &i->constants.items[i->constant_of[node]];
    htp_json_part tag;
    i->names[i->view->operands.items[i->view->nodes.items[node].outputs.first]] = constant->name;
    if (constant->tensor == HTP_NONE) {
        return;
    }
    const htp_inline_texts *texts = htp_inline_texts_now(i, frame, node);
    htp_span list = texts->of[HTP_INLINE_TAGS];
    const htp_json_part json_list = {list.at ? (const char *)list.at : "", list.bytes};
    htp_json_scan scan = htp_json_scan_of(json_list);
    if (htp_json_scan_enter(&scan, '[')) {
        while (htp_json_scan_next(&scan, NULL, &tag)) {
            add_tag(i, constant, tag.at, tag.length);
        }
    } else if (texts->of[HTP_INLINE_TAG].at) {
        htp_text json = {.arena = i->arena};
        htp_text_add_json_part(&json, (const char *)texts->of[HTP_INLINE_TAG].at,
                               texts->of[HTP_INLINE_TAG].bytes);
        add_tag(i, constant, json.bytes, json.length);
    }
    i->now_node = HTP_NONE; /* see htp_inline_finish_node() */
}

/* ---- the order of users ---- */

/* The quoted tag of a record; advances past its members. */
static htp_json_part tag_of_record(htp_json_scan *scan)
{
    htp_json_part key, value;
    htp_json_part tag = {NULL, 0};
    if (!htp_json_scan_enter(scan, '{')) {
        return tag;
    }
    while (htp_json_scan_next(scan, &key, &value)) {
        tag = htp_json_part_is(key, "tag") ? value : tag;
    }
    return tag;
}

/* Maps tags, as JSON, to modules of htp.module_tree, counted from 1. */
static htp_map number_modules(const htp_inliner *i)
{
    const htp_view *view = i->view;
    const htp_view_property *property =
        htp_view_find_property(view, view->properties, htp_view_find_name(view, "htp.module_tree"));
    htp_span text = property ? property->value : htp_inline_span("");
    htp_json_scan scan = htp_json_scan_of((htp_json_part){(const char *)text.at, text.bytes});
    htp_json_part key, value;
    htp_map numbers = {0};
    bool is_object = htp_json_scan_enter(&scan, '{');
    while (is_object && htp_json_scan_name(&scan, &key)) {
        if (!htp_json_part_is(key, "modules") || htp_json_scan_peek(&scan) != '[') {
            (void)htp_json_scan_value(&scan, &value);
            continue;
        }
        (void)htp_json_scan_enter(&scan, '[');
        for (uint32_t number = 1; htp_json_scan_item(&scan); number++) {
            bool is_record = htp_json_scan_peek(&scan) == '{';
            htp_json_part tag = is_record ? tag_of_record(&scan) : (htp_json_part){NULL, 0};
            if (!is_record) {
                (void)htp_json_scan_value(&scan, &value);
            } else if (tag.at && !htp_map_get_bytes(&numbers, tag.at, tag.length, NULL)) {
                htp_map_set_bytes(i->arena, &numbers, tag.at, tag.length, number);
            }
        }
    }
    return numbers;
}

static int compare_users(const void *a, const void *b)
{
    const htp_inline_user *x = a;
    const htp_inline_user *y = b;
    int by_module = (x->module > y->module) - (x->module < y->module);
    return by_module ? by_module : (x->tag.at > y->tag.at) - (x->tag.at < y->tag.at);
}

/* Sorts users in the order of modules, as an export does; unknown ones come last. */
static void sort_users(htp_inliner *i)
{
    htp_map modules = {0};
    bool is_read = false;
    for (size_t k = 0; k < i->constants.count; k++) {
        htp_inline_constant *constant = &i->constants.items[k];
        if (constant->tags.count < 2) {
            continue;
        }
        modules = is_read ? modules : number_modules(i);
        is_read = true;
        for (size_t t = 0; t < constant->tags.count; t++) {
            htp_inline_user *user = &constant->tags.items[t];
            user->module = UINT32_MAX;
            (void)htp_map_get_bytes(&modules, user->tag.at, user->tag.bytes, &user->module);
        }
        qsort(constant->tags.items, constant->tags.count, sizeof(*constant->tags.items),
              compare_users);
    }
}

/* ---- the initializers of the flat model ---- */

/* The sort key of an initializer: constants with default names come last, by number. */
struct place {
    uint32_t base;   /* number of the name's stem, from 1; 0: another name */
    uint32_t number; /* number at the end of the name */
    size_t before;   /* its index before sorting */
    htp_view_lifted lifted;
};

typedef HTP_VECTOR(struct place) place_list;

/* Splits "/Constant_12" into the stem and the number. */
static size_t split_name(const char *name, uint32_t *number)
{
    size_t length = strlen(name);
    size_t end = length;
    *number = 0;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') {
        end--;
    }
    if (end == length || end < 2 || name[end - 1] != '_' || length - end > 9) {
        return length;
    }
    for (size_t k = end; k < length; k++) {
        *number = *number * 10 + (uint32_t)(name[k] - '0');
    }
    return end - 1;
}

static htp_span make_fields(htp_inliner *i, const htp_inline_constant *constant)
{
    htp_text fields = {.arena = i->arena};
    htp_inline_put_text(&fields, TENSOR_NAME, constant->name);
    if (constant->tags.count > 0) {
        size_t entry = htp_inline_begin(&fields, TENSOR_PROPERTY, 127);
        htp_inline_put_text(&fields, ENTRY_KEY, htp_inline_key_text(HTP_INLINE_TAGS));
        size_t value = htp_inline_begin(&fields, ENTRY_VALUE, 100);
        for (size_t t = 0; t < constant->tags.count; t++) {
            htp_text_add(&fields, t ? ", " : "[");
            htp_inline_copy(&fields, constant->tags.items[t].tag);
        }
        htp_text_add(&fields, "]");
        htp_inline_end(&fields, value);
        htp_inline_end(&fields, entry);
    }
    return (htp_span){(const unsigned char *)fields.bytes, fields.length};
}

static void add_place(htp_inliner *i, place_list *places, const htp_map *bases, const char *name,
                      htp_view_lifted lifted)
{
    struct place place = {.before = places->count, .lifted = lifted};
    size_t length = split_name(name, &place.number);
    if (!htp_map_get_bytes(bases, name, length, &place.base)) {
        place.base = lifted.fields.at ? UINT32_MAX : 0;
        place.number = 0;
    }
    HTP_PUSH(i->arena, places, place);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    int by_base = (x->base > y->base) - (x->base < y->base);
    int by_number = (x->number > y->number) - (x->number < y->number);
    return by_base     ? by_base
           : by_number ? by_number
                       : (x->before > y->before) - (x->before < y->before);
}

/* Numbers the stems of names that functions share. */
static htp_map number_bases(const htp_inliner *i)
{
    htp_map bases = {0};
    for (size_t k = 0; k < i->constants.count; k++) {
        const char *name = i->constants.items[k].name;
        uint32_t number;
        size_t length = split_name(name, &number);
        if (*name == '/' && !htp_map_get_bytes(&bases, name, length, NULL)) {
            htp_map_set_bytes(i->arena, &bases, name, length, (uint32_t)bases.count + 1);
        }
    }
    return bases;
}

void htp_inline_list_constants(htp_inliner *i)
{
    const htp_view *view = i->view;
    htp_view_range own = view->graphs.items[0].initializers;
    const htp_map bases = number_bases(i);
    place_list places = {0};
    for (uint32_t t = own.first; t < own.first + own.count; t++) {
        const htp_view_tensor *tensor = &view->tensors.items[t];
        if (!tensor->sparse.at) {
            add_place(i, &places, &bases, htp_view_text(view, tensor->name),
                      (htp_view_lifted){.whole = tensor->whole});
        }
    }
    sort_users(i);
    for (size_t k = 0; k < i->constants.count; k++) {
        const htp_inline_constant *constant = &i->constants.items[k];
        if (constant->tensor != HTP_NONE) {
            add_place(i, &places, &bases, constant->name,
                      (htp_view_lifted){.whole = view->tensors.items[constant->tensor].whole,
                                        .fields = make_fields(i, constant)});
        }
    }
    if (places.count > 0) {
        qsort(places.items, places.count, sizeof(*places.items), compare_places);
    }
    for (size_t k = 0; k < places.count; k++) {
        HTP_PUSH(i->arena, &i->flat->initializers, places.items[k].lifted);
    }
}
