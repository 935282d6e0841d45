#include "query/retag/retag_write.h"

#include "base/json/json.h"
#include "base/text.h"
#include "onnx/metadata/annotate.h"
#include "onnx/rewriter/strip.h"

#include <string.h>

/* Reference: onnx.proto. */
enum {
    MODEL_IMPORT = 8,
    MODEL_PROPERTY = 14,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_PROPERTY = 9,
    TENSOR_NAME = 8,
    TENSOR_PROPERTY = 16,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_STRINGS = 9,
};

static const char source_module[] = "source_module";
static const char hierarchy_tags[] = "hierarchy_tags";
static const char name_scopes[] = "name_scopes";

/* The writer's state. */
struct writer {
    htp_arena *arena;
    const htp_retagging *r;
    htp_edit_list *edits;
    const char *attribute, *more_attribute; /* names; NULL: there are none */
    bool has_metadata;
};

/* ---- fields ---- */

/* Appends to a field of the file. */
static void put_behind(const struct writer *w, htp_span host, const htp_text *more)
{
    htp_text bytes = {.arena = w->arena};
    htp_text_add_bytes(&bytes, (const char *)host.at, host.bytes);
    htp_text_add_bytes(&bytes, more->bytes, more->length);
    const htp_edit edit = {.field = host,
                           .bytes = {(const unsigned char *)bytes.bytes, bytes.length}};
    HTP_PUSH(w->arena, w->edits, edit);
}

/* The first field of a message with this number, or empty. */
static htp_span find_field(htp_span message, uint32_t number)
{
    htp_wire wire = htp_wire_begin(message);
    htp_wire_field field;
    while (htp_wire_next(&wire, &field)) {
        if (htp_wire_is_bytes(&field, number)) {
            return field.whole;
        }
    }
    return (htp_span){NULL, 0};
}

/* ---- tags ---- */

static htp_slice tag_of(const struct writer *w, uint32_t module)
{
    return w->r->like.tree->modules[module].tag;
}

static uint32_t module_of(const struct writer *w, const htp_retag_place *place, uint32_t index)
{
    return index == 0 ? place->module : w->r->more.items[place->more.first + index - 1];
}

static void put_attribute(const struct writer *w, const htp_retag_place *place, htp_text *out)
{
    enum { STRING = 3, STRINGS = 8 };
    static const char kinds[][3] = {{'\xa0', 1, STRING}, {'\xa0', 1, STRINGS}}; /* field 20 */
    bool has_more = place->more.count > 0;
    for (int k = 0; k <= has_more; k++) {
        htp_text attribute = {.arena = w->arena};
        htp_wire_add_text(&attribute, ATTRIBUTE_NAME, k == 0 ? w->attribute : w->more_attribute);
        for (uint32_t i = 0; i <= (k == 0 ? 0 : place->more.count); i++) {
            htp_slice tag = tag_of(w, module_of(w, place, i));
            htp_wire_add_bytes(&attribute, k == 0 ? ATTRIBUTE_S : ATTRIBUTE_STRINGS, tag.at,
                               tag.length);
        }
        htp_text_add_bytes(&attribute, kinds[k], sizeof(kinds[k]));
        htp_wire_add_bytes(out, NODE_ATTRIBUTE, attribute.bytes, attribute.length);
    }
}

static void add_tag(htp_text *list, htp_slice tag)
{
    htp_text_add(list, list->length > 0 ? ", " : "[");
    htp_text_add_json_part(list, tag.at, tag.length);
}

static void put_tags(const struct writer *w, const htp_retag_place *place, htp_text *out)
{
    htp_slice tag = tag_of(w, place->module);
    htp_wire_add_entry(out, NODE_PROPERTY, source_module, tag.at, tag.length);
    if (place->more.count > 0) {
        htp_text list = {.arena = w->arena};
        for (uint32_t i = 0; i <= place->more.count; i++) {
            add_tag(&list, tag_of(w, module_of(w, place, i)));
        }
        htp_text_add(&list, "]");
        htp_wire_add_entry(out, NODE_PROPERTY, hierarchy_tags, list.bytes, list.length);
    }
}

/* Whether a metadata entry is copied to the node that stands for its node. */
static bool is_copied(const char *key)
{
    return htp_strip_is_node_key(key) && strcmp(key, source_module) != 0 &&
           strcmp(key, hierarchy_tags) != 0 && strcmp(key, HTP_RETAGGED_KEY) != 0;
}

static void put_copied(const struct writer *w, uint32_t node, htp_text *out)
{
    const htp_view *like = w->r->like.view;
    htp_view_range properties = like->nodes.items[node].properties;
    for (uint32_t i = properties.first; i < properties.first + properties.count; i++) {
        const htp_view_property *property = &like->property_list.items[i];
        if (is_copied(htp_view_text(like, property->key))) {
            htp_text_add_bytes(out, (const char *)property->whole.at, property->whole.bytes);
        }
    }
}

/* ---- nodes ---- */

static bool is_equal(htp_span a, htp_span b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.at, b.at, a.bytes) == 0);
}

/* Whether a tagged node has all other entries of the tagged model, too. */
static bool is_whole(const struct writer *w, const htp_view_node *node,
                     const htp_retag_place *place)
{
    const htp_view *changed = w->r->changed.view;
    const htp_view *like = w->r->like.view;
    htp_view_range range = place->node == HTP_NONE ? (htp_view_range){0, 0}
                                                   : like->nodes.items[place->node].properties;
    if (w->has_metadata && !htp_view_find_property(changed, node->properties,
                                                   htp_view_find_name(changed, source_module))) {
        return false;
    }
    for (uint32_t i = range.first; i < range.first + range.count; i++) {
        const htp_view_property *property = &like->property_list.items[i];
        const char *key = htp_view_text(like, property->key);
        const htp_view_property *has =
            htp_view_find_property(changed, node->properties, htp_view_find_name(changed, key));
        if (htp_strip_is_node_key(key) && (!has || !is_equal(has->value, property->value))) {
            return false;
        }
    }
    return true;
}

static htp_status write_node(const struct writer *w, uint32_t n)
{
    htp_view *changed = w->r->changed.view;
    const htp_view_node *node = &changed->nodes.items[n];
    const htp_retag_place *place = &w->r->places[n];
    htp_text fields = {.arena = w->arena};
    if (place->evidence == HTP_RETAG_BY_ATTRIBUTE && is_whole(w, node, place)) {
        return HTP_OK;
    }
    htp_span host = find_field(htp_wire_content(node->whole), NODE_OP_TYPE);
    if (!host.at) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: node '%s' has no operator", changed->path,
                               htp_view_call_node(changed, n));
    }
    if (w->attribute) {
        put_attribute(w, place, &fields);
    }
    if (w->has_metadata) {
        put_tags(w, place, &fields);
    }
    if (place->node != HTP_NONE) {
        put_copied(w, place->node, &fields);
    }
    if (place->evidence != HTP_RETAG_BY_ATTRIBUTE) {
        const char *name = htp_retag_evidence_name(place->evidence);
        htp_wire_add_entry(&fields, NODE_PROPERTY, HTP_RETAGGED_KEY, name, strlen(name));
    }
    htp_strip_node(changed, w->edits, node, 0);
    put_behind(w, host, &fields);
    return HTP_OK;
}

/* ---- initializers ---- */

static const htp_view_property *find_entry(const htp_view *view, htp_view_range properties,
                                           const char *key)
{
    return htp_view_find_property(view, properties, htp_view_find_name(view, key));
}

/* The modules that read each initializer, as JSON. */
struct readers {
    htp_text *lists;   /* by tensor */
    bool *are_missing; /* by tensor: its own list lacks one of them */
    htp_map known;     /* pairs of tensor and module */
};

static void note_reader(const struct writer *w, struct readers *readers, uint32_t tensor,
                        uint32_t module)
{
    const uint32_t pair[] = {tensor, module};
    if (htp_map_add_bytes(w->arena, &readers->known, pair, sizeof(pair), NULL)) {
        htp_text *list = &readers->lists[tensor];
        htp_text item = {.arena = w->arena};
        list->arena = w->arena;
        add_tag(list, tag_of(w, module));
        htp_text_add_json_part(&item, tag_of(w, module).at, tag_of(w, module).length);
        const htp_view *changed = w->r->changed.view;
        const htp_view_property *has =
            find_entry(changed, changed->tensors.items[tensor].properties, hierarchy_tags);
        bool lists_it = has && memmem(has->value.at, has->value.bytes, item.bytes, item.length);
        readers->are_missing[tensor] = readers->are_missing[tensor] || !lists_it;
    }
}

static void list_readers(const struct writer *w, struct readers *readers)
{
    const htp_view *changed = w->r->changed.view;
    readers->lists = HTP_NEW_ARRAY(w->arena, htp_text, changed->tensors.count + 1);
    readers->are_missing = HTP_NEW_ARRAY(w->arena, bool, changed->tensors.count + 1);
    for (uint32_t n = 0; n < changed->nodes.count; n++) {
        htp_view_range read = changed->nodes.items[n].inputs;
        for (uint32_t i = read.first; i < read.first + read.count; i++) {
            uint32_t value = changed->operands.items[i];
            uint32_t tensor =
                value == HTP_NONE ? HTP_NONE : changed->values.items[value].initializer;
            const htp_retag_place *place = &w->r->places[n];
            for (uint32_t k = 0; tensor != HTP_NONE && k <= place->more.count; k++) {
                note_reader(w, readers, tensor, module_of(w, place, k));
            }
        }
    }
}

/* Replaces all entries of a key by one. */
static void replace_entry(const struct writer *w, htp_view_range properties, const char *key,
                          htp_span value, htp_text *fields)
{
    const htp_view *changed = w->r->changed.view;
    for (uint32_t i = properties.first; i < properties.first + properties.count; i++) {
        const htp_view_property *property = &changed->property_list.items[i];
        if (strcmp(htp_view_text(changed, property->key), key) == 0) {
            HTP_PUSH(w->arena, w->edits, (htp_edit){.field = property->whole});
        }
    }
    htp_wire_add_entry(fields, TENSOR_PROPERTY, key, value.at, value.bytes);
}

/* An entry of an initializer to restore. */
struct entry {
    const char *key;
    htp_span value;
};

enum { ENTRIES = 3 };

/* Lists the entries of the tagged model's initializer with the same numbers, except tags. The
 * layout is given if the dims are equal; the parameter, if the name does not say it. */
static size_t list_entries(const struct writer *w, uint32_t t, struct entry *entries)
{
    static const char *const keys[ENTRIES] = {name_scopes, HTP_LAYOUT_KEY, HTP_PARAMETER_KEY};
    const htp_view *like = w->r->like.view;
    const htp_view *changed = w->r->changed.view;
    uint32_t was = w->r->held[t];
    size_t count = 0;
    for (int k = 0; k < ENTRIES && was != HTP_NONE; k++) {
        const char *name = htp_view_text(like, like->tensors.items[was].name);
        const htp_view_property *entry =
            find_entry(like, like->tensors.items[was].properties, keys[k]);
        bool is_layout = strcmp(keys[k], HTP_LAYOUT_KEY) == 0;
        bool is_renamed = strcmp(name, htp_view_text(changed, changed->tensors.items[t].name)) != 0;
        bool is_weight = k + 1 == ENTRIES && count > 0; /* it has scopes */
        if (entry && (!is_layout || htp_retag_has_dims(w->r, t, was))) {
            entries[count++] = (struct entry){keys[k], entry->value};
        } else if (!entry && is_weight && is_renamed) {
            const htp_span value = {(const unsigned char *)name, strlen(name)};
            entries[count++] = (struct entry){keys[k], value};
        }
    }
    return count;
}

/* Whether an initializer has all these entries already. */
static bool has_entries(const struct writer *w, uint32_t t, const struct entry *entries,
                        size_t count)
{
    const htp_view *changed = w->r->changed.view;
    bool has_all = true;
    for (size_t k = 0; k < count; k++) {
        const htp_view_property *has =
            find_entry(changed, changed->tensors.items[t].properties, entries[k].key);
        has_all = has_all && has && is_equal(has->value, entries[k].value);
    }
    return has_all;
}

/* Whether the modules that an initializer lists read it, or were listed before. */
static bool has_tags(const struct writer *w, uint32_t t, htp_span readers)
{
    const htp_view *like = w->r->like.view;
    uint32_t was = w->r->held[t];
    const htp_view_property *has = find_entry(
        w->r->changed.view, w->r->changed.view->tensors.items[t].properties, hierarchy_tags);
    const htp_view_property *before =
        was == HTP_NONE ? NULL
                        : find_entry(like, like->tensors.items[was].properties, hierarchy_tags);
    return has &&
           (is_equal(readers, has->value) || (before && is_equal(before->value, has->value)));
}

/* Entries about modules are kept if both files have them. */
static void write_tensor(const struct writer *w, uint32_t t, const struct readers *readers)
{
    const htp_view_tensor *tensor = &w->r->changed.view->tensors.items[t];
    htp_span host = find_field(htp_wire_content(tensor->whole), TENSOR_NAME);
    htp_text *list = &readers->lists[t];
    htp_text fields = {.arena = w->arena};
    struct entry entries[ENTRIES];
    size_t count = list_entries(w, t, entries);
    htp_text_add(list, list->length > 0 ? "]" : "[]");
    htp_span value = {(const unsigned char *)list->bytes, list->length};
    bool is_tagged = !readers->are_missing[t] && has_tags(w, t, value);
    if (!host.at || (is_tagged && has_entries(w, t, entries, count))) {
        return;
    }
    if (!is_tagged) {
        replace_entry(w, tensor->properties, hierarchy_tags, value, &fields);
    }
    for (size_t k = 0; k < count; k++) {
        replace_entry(w, tensor->properties, entries[k].key, entries[k].value, &fields);
    }
    put_behind(w, host, &fields);
}

static void write_tensors(const struct writer *w)
{
    const htp_view *changed = w->r->changed.view;
    const htp_view *like = w->r->like.view;
    struct readers readers = {0};
    bool are_tagged = false;
    for (uint32_t t = 0; t < like->tensors.count && !are_tagged; t++) {
        are_tagged = find_entry(like, like->tensors.items[t].properties, hierarchy_tags);
    }
    if (!are_tagged) {
        return;
    }
    list_readers(w, &readers);
    for (uint32_t t = 0; t < changed->tensors.count; t++) {
        const htp_view_tensor *tensor = &changed->tensors.items[t];
        if (tensor->attribute == HTP_NONE && tensor->name != 0) {
            readers.lists[t].arena = w->arena;
            write_tensor(w, t, &readers);
        }
    }
}

/* ---- the model ---- */

static bool has_same_records(const htp_retagging *r)
{
    const htp_view *like = r->like.view;
    for (uint32_t i = 0; i < like->properties.count; i++) {
        const htp_view_property *property = &like->property_list.items[like->properties.first + i];
        const char *key = htp_view_text(like, property->key);
        const htp_view_property *has =
            find_entry(r->changed.view, r->changed.view->properties, key);
        if (htp_strip_is_model_key(key) && (!has || !is_equal(has->value, property->value))) {
            return false;
        }
    }
    return true;
}

static const char *make_note(const struct writer *w)
{
    htp_json json = {.text.arena = w->arena};
    htp_json_begin(&json, NULL, '{');
    for (int i = 0; i < HTP_RETAG_EVIDENCES; i++) {
        if (w->r->counts[i] > 0) {
            htp_json_count(&json, htp_retag_evidence_name((htp_retag_evidence)i), w->r->counts[i]);
        }
    }
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}

static htp_status write_model(const struct writer *w)
{
    const htp_view *changed = w->r->changed.view;
    const htp_view *like = w->r->like.view;
    const char *note = make_note(w);
    htp_text fields = {.arena = w->arena};
    if (changed->imports.count == 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "%s: it imports no operators", changed->path);
    }
    for (uint32_t i = 0; i < changed->properties.count; i++) {
        const htp_view_property *property =
            &changed->property_list.items[changed->properties.first + i];
        if (htp_strip_is_model_key(htp_view_text(changed, property->key))) {
            HTP_PUSH(w->arena, w->edits, (htp_edit){.field = property->whole});
        }
    }
    for (uint32_t i = 0; i < like->properties.count; i++) {
        const htp_view_property *property = &like->property_list.items[like->properties.first + i];
        const char *key = htp_view_text(like, property->key);
        if (htp_strip_is_model_key(key) && strcmp(key, HTP_RETAGGED_KEY) != 0) {
            htp_text_add_bytes(&fields, (const char *)property->whole.at, property->whole.bytes);
        }
    }
    htp_wire_add_entry(&fields, MODEL_PROPERTY, HTP_RETAGGED_KEY, note, strlen(note));
    put_behind(w, changed->imports.items[0].whole, &fields);
    return HTP_OK;
}

/* ---- the whole ---- */

/* Tags are written where the tagged model has them; if it has none of ours, where exports do. */
static void choose_places(struct writer *w)
{
    const htp_view *like = w->r->like.view;
    htp_view_name key = htp_view_find_name(like, source_module);
    for (size_t i = 0; i < like->attributes.count && !w->attribute; i++) {
        const htp_view_attribute *attribute = &like->attributes.items[i];
        if (attribute->kind == HTP_VIEW_STRING && htp_strip_is_tag(like, attribute)) {
            w->attribute = htp_view_text(like, attribute->name);
        }
    }
    for (size_t n = 0; n < like->nodes.count && key != 0 && !w->has_metadata; n++) {
        w->has_metadata = htp_view_find_property(like, like->nodes.items[n].properties, key);
    }
    if (!w->attribute && !w->has_metadata) {
        w->attribute = "__source_module";
        w->has_metadata = true;
    }
    if (w->attribute) {
        int prefix = (int)(strlen(w->attribute) - strlen(source_module));
        w->more_attribute =
            htp_arena_printf(w->arena, "%.*s%s", prefix, w->attribute, hierarchy_tags);
    }
}

htp_status htp_retag_edits(htp_arena *arena, const htp_retagging *retagging, htp_edit_list *edits)
{
    struct writer w = {.arena = arena, .r = retagging, .edits = edits};
    choose_places(&w);
    for (uint32_t n = 0; n < retagging->changed.view->nodes.count; n++) {
        HTP_TRY(write_node(&w, n));
    }
    write_tensors(&w);
    bool is_other =
        retagging->changed.tree->are_records_stale &&
        !find_entry(retagging->changed.view, retagging->changed.view->properties, HTP_RETAGGED_KEY);
    return edits->count > 0 || is_other || !has_same_records(retagging) ? write_model(&w) : HTP_OK;
}
