#include "base/json/json_parse.h"
#include "query/replace/replace_parts.h"

#include "onnx/rewriter/strip.h"
#include "query/tree/python_list.h"

#include <cjson/cJSON.h>
#include <string.h>

/* Reference: onnx.proto. */
enum {
    NODE_ATTRIBUTE = 5,
    NODE_DOC_STRING = 6,
    NODE_PROPERTY = 9,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_TYPE = 20,
};

/* A node that is being written. */
struct tagging {
    const htp_replacement *r;
    uint32_t module;
    htp_slice tag;
    uint32_t like;
    const char *const *what;
    htp_text *out;
};

static void add_attributes(const struct tagging *t)
{
    const htp_view *view = t->r->view;
    htp_slice tag = t->tag;
    htp_view_range attributes = view->nodes.items[t->like].attributes;
    for (uint32_t i = attributes.first; i < attributes.first + attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[i];
        htp_text made = {.arena = t->out->arena};
        if (attribute->kind == HTP_VIEW_STRING && htp_strip_is_tag(view, attribute)) {
            htp_wire_add_text(&made, ATTRIBUTE_NAME, htp_view_text(view, attribute->name));
            htp_wire_add_bytes(&made, ATTRIBUTE_S, tag.at, tag.length);
            htp_wire_add_varint(&made, ATTRIBUTE_TYPE, HTP_VIEW_STRING);
            htp_wire_add_bytes(t->out, NODE_ATTRIBUTE, made.bytes, made.length);
        }
    }
}

static void add_doc_string(const struct tagging *t)
{
    static const char begin[] = "source_module: ";
    htp_slice tag = t->tag;
    htp_span doc = t->r->view->nodes.items[t->like].doc_string;
    if (doc.bytes >= strlen(begin) && memcmp(doc.at, begin, strlen(begin)) == 0) {
        const char *text =
            htp_arena_printf(t->out->arena, "%s%.*s", begin, (int)tag.length, tag.at);
        htp_wire_add_text(t->out, NODE_DOC_STRING, text);
    }
}

/* ---- metadata ---- */

static void add_tag(const struct tagging *t, const char *key, htp_span value)
{
    htp_slice tag = t->tag;
    (void)value;
    htp_wire_add_entry(t->out, NODE_PROPERTY, key, tag.at, tag.length);
}

static void add_full_tag(const struct tagging *t, const char *key, htp_span value)
{
    htp_slice full = t->r->tree->modules[t->module].full_tag;
    (void)value;
    htp_wire_add_entry(t->out, NODE_PROPERTY, key, full.at, full.length);
}

/* "path: Class/path: Class/operation: target" up to the module, and then the node. */
static void add_chain(const struct tagging *t, const char *key, htp_span value)
{
    htp_slice path = t->r->tree->modules[t->module].path;
    const char *at = (const char *)value.at;
    const char *end = at + value.bytes;
    while (at < end) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        const char *colon = memmem(at, (size_t)(end - at), ": ", 2);
        if (!slash || !colon || colon > slash) {
            return;
        }
        if (htp_slice_equals((htp_slice){at, (size_t)(colon - at)}, path)) {
            const char *begin = (const char *)value.at;
            const char *chain = htp_arena_printf(t->out->arena, "%.*s/%s: %s", (int)(slash - begin),
                                                 begin, t->what[0], t->what[1]);
            htp_wire_add_entry(t->out, NODE_PROPERTY, key, chain, strlen(chain));
            return;
        }
        at = slash + 1;
    }
}

/* Lists of PyTorch's exporter: one of paths, one of classes, of equal lengths. */
static void add_list(const struct tagging *t, const char *key, htp_span value)
{
    static const char scopes_key[] = "pkg.torch.onnx.name_scopes";
    const htp_view *view = t->r->view;
    htp_arena *arena = t->out->arena;
    const htp_view_property *scopes = htp_view_find_property(
        view, view->nodes.items[t->like].properties, htp_view_find_name(view, scopes_key));
    const htp_slice *paths;
    const htp_slice *items;
    size_t path_count = scopes ? htp_python_list_read(arena, scopes->value, &paths) : 0;
    size_t count = htp_python_list_read(arena, value, &items);
    size_t last = 0;
    while (last < path_count &&
           !htp_slice_equals(paths[last], t->r->tree->modules[t->module].path)) {
        last++;
    }
    if (last >= path_count || last >= count) {
        return;
    }
    htp_text list = {.arena = arena};
    for (size_t i = 0; i <= last; i++) {
        htp_text_add(&list, i ? ", " : "[");
        htp_text_add_repr(&list,
                          htp_arena_printf(arena, "%.*s", (int)items[i].length, items[i].at));
    }
    htp_text_add(&list, ", ");
    htp_text_add_repr(&list, t->what[strcmp(key, scopes_key) != 0]);
    htp_text_add(&list, "]");
    htp_wire_add_entry(t->out, NODE_PROPERTY, key, list.bytes, list.length);
}

/* Whether a module is, or lies around, the one of @p path. */
static bool is_around(htp_slice path, const char *above)
{
    size_t length = strlen(above);
    return length <= path.length && memcmp(path.at, above, length) == 0 &&
           (length == path.length || path.at[length] == '.');
}

/* The calls of the module and of those around it; texts are copied before JSON is freed. */
static void add_calls(const struct tagging *t, const char *key, htp_span value)
{
    htp_slice path = t->r->tree->modules[t->module].path;
    htp_arena *arena = t->out->arena;
    htp_text kept = {.arena = arena};
    htp_text own = {.arena = arena};
    htp_text_expect(&kept, 2 * value.bytes + 2);
    htp_text_expect(&own, value.bytes + 1);
    cJSON *object = htp_json_parse(arena, (const char *)value.at, value.bytes);
    for (const cJSON *item = object ? object->child : NULL; item; item = item->next) {
        if (!item->string || !cJSON_IsArray(item) || !is_around(path, item->string)) {
            continue;
        }
        htp_text_add(&kept, kept.length > 0 ? ", " : "{");
        htp_text_add_json(&kept, item->string);
        htp_text_add(&kept, ": [");
        bool is_own = strlen(item->string) == path.length;
        for (const cJSON *call = item->child; call; call = call->next) {
            uint64_t number = call->valuedouble >= 0 ? (uint64_t)call->valuedouble : 0;
            const char *comma = call == item->child ? "" : ", ";
            htp_text_addf(&kept, "%s%llu", comma, (unsigned long long)number);
            if (is_own) {
                htp_text_addf(&own, "%s%llu", comma, (unsigned long long)number);
            }
        }
        htp_text_add(&kept, "]");
    }
    cJSON_Delete(object);
    if (own.length > 0) {
        htp_wire_add_entry(t->out, NODE_PROPERTY, "call", own.bytes, own.length);
    }
    if (kept.length > 0) {
        htp_text_add(&kept, "}");
        htp_wire_add_entry(t->out, NODE_PROPERTY, key, kept.bytes, kept.length);
    }
}

/* Entries of metadata, and what the node's own is made of. Stack traces are of one operation: there
 * is none for a whole module. */
static const struct entry {
    const char *key;
    void (*add)(const struct tagging *t, const char *key, htp_span value);
} entries[] = {
    {"source_module", add_tag},
    {"layer_ann", add_tag},
    {"full_tag", add_full_tag},
    {"calls", add_calls},
    {"namespace", add_chain},
    {"pkg.torch.onnx.class_hierarchy", add_list},
    {"pkg.torch.onnx.name_scopes", add_list},
};

/* @param count  of the entries that are written: only the first are of a tag alone */
static void add_all(const struct tagging *t, size_t count)
{
    const htp_view *view = t->r->view;
    add_attributes(t);
    add_doc_string(t);
    for (size_t i = 0; i < count; i++) {
        const htp_view_property *property = htp_view_find_property(
            view, view->nodes.items[t->like].properties, htp_view_find_name(view, entries[i].key));
        if (property) {
            entries[i].add(t, entries[i].key, property->value);
        }
    }
}

void htp_replace_add_tags(const htp_replacement *r, uint32_t module, uint32_t like,
                          const char *const what[2], htp_text *out)
{
    const struct tagging t = {r, module, r->tree->modules[module].tag, like, what, out};
    add_all(&t, sizeof(entries) / sizeof(*entries));
}

void htp_replace_add_tag(const htp_replacement *r, htp_slice tag, uint32_t like, htp_text *out)
{
    enum { OF_TAGS = 2 };
    const struct tagging t = {.r = r, .tag = tag, .like = like, .out = out};
    add_all(&t, OF_TAGS);
}
