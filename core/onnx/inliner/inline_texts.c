#include "onnx/inliner/inline_texts.h"

#include "onnx/inliner/inline_parts.h"
#include "onnx/rewriter/strip.h"

/* Reference: onnx.proto. */
enum { NODE_ATTRIBUTE = 5, ATTRIBUTE_S = 4, ATTRIBUTE_STRINGS = 9 };

static const char doc_line[] = "source_module: ";
static const char doc_more[] = "hierarchy_tags: ";

static const char *const key_texts[HTP_INLINE_KEYS] = {
    [HTP_INLINE_TAG] = "source_module",
    [HTP_INLINE_TAGS] = "hierarchy_tags",
    [HTP_INLINE_FULL_TAG] = "full_tag",
    [HTP_INLINE_FULL_TAGS] = "full_tags",
    [HTP_INLINE_NUMBER] = "call",
    [HTP_INLINE_NUMBERS] = "calls",
    [HTP_INLINE_NAMESPACE] = "namespace",
    [HTP_INLINE_CLASSES] = "pkg.torch.onnx.class_hierarchy",
    [HTP_INLINE_SCOPES] = "pkg.torch.onnx.name_scopes",
    [HTP_INLINE_STACK] = "pkg.torch.onnx.stack_trace",
    [HTP_INLINE_LAYER] = "layer_ann",
    [HTP_INLINE_FIRST] = "first_calls",
};

/* The metadata keys that identify a node's module. */
static const htp_inline_key telling[] = {HTP_INLINE_TAG,     HTP_INLINE_TAGS,
                                         HTP_INLINE_LAYER,   HTP_INLINE_NAMESPACE,
                                         HTP_INLINE_CLASSES, HTP_INLINE_SCOPES};

/* Parts without a key: the tag, wherever stored, and the doc string. */
enum { PART_TAG = HTP_INLINE_KEYS, PART_DOC, PARTS };

/* Texts under construction, as offsets into the maker's buffer, which may move. */
struct composing {
    htp_inline_text_maker *maker;
    const htp_inline_texts *call;
    htp_inline_texts *texts;
    bool is_made[PARTS];
    size_t begin[PARTS], end[PARTS];
};

htp_inline_text_maker htp_inline_text_maker_of(htp_arena *arena, const htp_view *view, size_t limit)
{
    htp_inline_text_maker maker = {.arena = arena,
                                   .view = view,
                                   .scratch.arena = arena,
                                   .chain.arena = arena,
                                   .path.arena = arena,
                                   .limit = limit};
    for (int k = 0; k < HTP_INLINE_KEYS; k++) {
        maker.keys[k] = htp_view_find_name(view, key_texts[k]);
    }
    return maker;
}

htp_inline_key htp_inline_key_of(const htp_inline_text_maker *maker, htp_view_name key)
{
    int k = 0;
    while (k < HTP_INLINE_KEYS && (key == 0 || maker->keys[k] != key)) {
        k++;
    }
    return (htp_inline_key)k;
}

const char *htp_inline_key_text(htp_inline_key key)
{
    return key_texts[key];
}

/* ---- what a node says by itself ---- */

static bool is_there(htp_span span)
{
    return span.at != NULL;
}

static bool is_absolute(htp_span tag)
{
    return tag.bytes > 0 && tag.at[0] == '/';
}

/* The tag in a doc string. */
static htp_span doc_tag(htp_span doc)
{
    size_t length = strlen(doc_line);
    if (doc.bytes < length || memcmp(doc.at, doc_line, length) != 0) {
        return (htp_span){NULL, 0};
    }
    const unsigned char *line = memchr(doc.at, '\n', doc.bytes);
    size_t end = line ? (size_t)(line - doc.at) : doc.bytes;
    return (htp_span){doc.at + length, end - length};
}

static void read_own(const htp_inline_text_maker *maker, uint32_t node, htp_inline_texts *texts)
{
    const htp_view *view = maker->view;
    const htp_view_node *read = &view->nodes.items[node];
    for (uint32_t i = 0; i < read->properties.count; i++) {
        const htp_view_property *property = &view->property_list.items[read->properties.first + i];
        htp_inline_key key = htp_inline_key_of(maker, property->key);
        if (key != HTP_INLINE_KEYS) {
            texts->of[key] = property->value;
        }
    }
    texts->doc_string =
        is_there(doc_tag(read->doc_string)) ? read->doc_string : (htp_span){NULL, 0};
    texts->is_silent = !is_there(texts->doc_string);
    for (uint32_t i = 0; i < read->attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[read->attributes.first + i];
        if (htp_strip_is_tag(view, attribute)) {
            texts->is_silent = false;
            texts->tag = attribute->kind == HTP_VIEW_STRING ? attribute->s : texts->tag;
        }
    }
    for (size_t k = 0; k < sizeof(telling) / sizeof(*telling); k++) {
        texts->is_silent = texts->is_silent && !is_there(texts->of[telling[k]]);
    }
    const htp_span tags[] = {texts->of[HTP_INLINE_TAG], texts->of[HTP_INLINE_LAYER],
                             doc_tag(texts->doc_string)};
    for (size_t k = 0; k < 3; k++) {
        texts->tag = is_there(texts->tag) ? texts->tag : tags[k];
    }
}

/* ---- in a call ---- */

static htp_text *begin_part(struct composing *c, int part)
{
    c->is_made[part] = true;
    c->begin[part] = c->maker->scratch.length;
    return &c->maker->scratch;
}

static void end_part(struct composing *c, int part)
{
    c->end[part] = c->maker->scratch.length;
}

static void join_tag_of(struct composing *c, int part, htp_span above, htp_span own)
{
    if (is_there(own)) {
        htp_inline_join_tag(begin_part(c, part), above, own);
        end_part(c, part);
    }
}

static void join_tags_of(struct composing *c, htp_inline_key key, htp_span above)
{
    htp_span own = c->texts->of[key];
    if (is_there(own)) {
        htp_inline_join_tags(begin_part(c, (int)key), above, own, c->maker->limit);
        end_part(c, (int)key);
    }
}

static void join_tags(struct composing *c)
{
    const htp_inline_texts *call = c->call;
    const htp_inline_texts *own = c->texts;
    htp_span full = call->of[HTP_INLINE_FULL_TAG];
    full = is_there(full) ? full : call->tag;
    join_tag_of(c, HTP_INLINE_TAG, call->tag, own->of[HTP_INLINE_TAG]);
    join_tag_of(c, HTP_INLINE_LAYER, call->tag, own->of[HTP_INLINE_LAYER]);
    join_tag_of(c, HTP_INLINE_FULL_TAG, full, own->of[HTP_INLINE_FULL_TAG]);
    join_tag_of(c, PART_TAG, call->tag, own->tag);
    join_tags_of(c, HTP_INLINE_TAGS, call->tag);
    join_tags_of(c, HTP_INLINE_FULL_TAGS, full);
}

static void join_doc_string(struct composing *c)
{
    htp_span doc = c->texts->doc_string;
    htp_span tag = doc_tag(doc);
    if (!is_there(doc)) {
        return;
    }
    htp_text *text = begin_part(c, PART_DOC);
    htp_text_add(text, doc_line);
    htp_inline_join_tag(text, c->call->tag, tag);
    size_t behind = strlen(doc_line) + tag.bytes;
    htp_span rest = {doc.at + behind, doc.bytes - behind};
    size_t more = 1 + strlen(doc_more);
    if (rest.bytes > more && memcmp(rest.at + 1, doc_more, more - 1) == 0) {
        htp_text_add_bytes(text, (const char *)rest.at, more);
        htp_inline_join_tags(text, c->call->tag, (htp_span){rest.at + more, rest.bytes - more},
                             c->maker->limit);
    } else {
        htp_text_add_bytes(text, (const char *)rest.at, rest.bytes);
    }
    end_part(c, PART_DOC);
}

static void join_chains(struct composing *c)
{
    const htp_inline_texts *call = c->call;
    const htp_span *own = c->texts->of;
    size_t limit = c->maker->limit;
    if (is_there(own[HTP_INLINE_NAMESPACE]) && is_there(call->chain)) {
        htp_inline_join_chain(begin_part(c, HTP_INLINE_NAMESPACE), call, own[HTP_INLINE_NAMESPACE],
                              limit);
        end_part(c, HTP_INLINE_NAMESPACE);
    }
    if (is_there(own[HTP_INLINE_CLASSES]) && is_there(call->classes)) {
        htp_inline_join_list(begin_part(c, HTP_INLINE_CLASSES), call->classes, (htp_span){NULL, 0},
                             own[HTP_INLINE_CLASSES], limit);
        end_part(c, HTP_INLINE_CLASSES);
    }
    if (is_there(own[HTP_INLINE_SCOPES]) && is_there(call->scopes)) {
        htp_inline_join_list(begin_part(c, HTP_INLINE_SCOPES), call->scopes, call->path,
                             own[HTP_INLINE_SCOPES], limit);
        end_part(c, HTP_INLINE_SCOPES);
    }
    if (is_there(own[HTP_INLINE_STACK]) && is_there(call->of[HTP_INLINE_STACK])) {
        htp_text *text = begin_part(c, HTP_INLINE_STACK);
        htp_span above = call->of[HTP_INLINE_STACK];
        htp_text_add_bytes(text, (const char *)above.at, above.bytes);
        htp_text_add(text, own[HTP_INLINE_STACK].bytes > 0 ? "\n  " : "");
        htp_text_add_bytes(text, (const char *)own[HTP_INLINE_STACK].at,
                           own[HTP_INLINE_STACK].bytes);
        end_part(c, HTP_INLINE_STACK);
    }
}

/* Whether the chain continues the call's. A node without a tag has an absolute chain. */
static bool has_relative_chain(const htp_inline_texts *texts)
{
    htp_span chain = texts->of[HTP_INLINE_NAMESPACE];
    htp_span scopes = texts->of[HTP_INLINE_SCOPES];
    if (texts->tag.bytes == 0) {
        return false;
    }
    if (is_there(chain)) {
        return !htp_inline_is_whole_chain(chain);
    }
    bool is_whole = scopes.bytes > 3 && memcmp(scopes.at, "['',", 4) == 0;
    return is_there(scopes) ? !is_whole : texts->is_relative;
}

static bool is_callee(const htp_inline_texts *call, htp_span tag)
{
    bool is_dot = tag.bytes == 1 && tag.at[0] == '.';
    return is_dot || (tag.bytes == call->tag.bytes && tag.bytes > 0 &&
                      memcmp(tag.at, call->tag.at, tag.bytes) == 0);
}

/* The absolute chain. */
static htp_span whole_chain(struct composing *c)
{
    htp_inline_text_maker *maker = c->maker;
    htp_span own = c->texts->of[HTP_INLINE_NAMESPACE];
    if (!c->is_made[HTP_INLINE_NAMESPACE]) {
        return own;
    }
    size_t begin = c->begin[HTP_INLINE_NAMESPACE];
    size_t length = c->end[HTP_INLINE_NAMESPACE] - begin;
    maker->chain.length = 0;
    htp_text_add_bytes(&maker->chain, maker->scratch.bytes + begin, length);
    return (htp_span){(const unsigned char *)maker->chain.bytes, length};
}

/* The absolute path of the module whose tag is below the call's. */
static htp_span tagged_path(struct composing *c)
{
    const htp_inline_texts *call = c->call;
    htp_text *text = &c->maker->path;
    htp_span path = htp_inline_tagged_path(call, c->texts->tag, c->texts->of[HTP_INLINE_NAMESPACE]);
    if (!path.at) {
        return htp_inline_elsewhere_path(c->texts->tag, c->texts->of[HTP_INLINE_NAMESPACE]);
    }
    text->length = 0;
    htp_text_add(text, "");
    if (call->path.bytes > 2) {
        htp_text_add_bytes(text, (const char *)call->path.at + 1, call->path.bytes - 2);
        htp_text_add(text, ".");
    }
    htp_text_add_bytes(text, (const char *)path.at, path.bytes);
    return (htp_span){(const unsigned char *)text->bytes, text->length};
}

static void join_numbers(struct composing *c)
{
    const htp_inline_texts *call = c->call;
    htp_inline_texts *texts = c->texts;
    size_t limit = c->maker->limit;
    htp_inline_own own = {.is_relative = texts->is_relative};
    if (is_there(texts->of[HTP_INLINE_NUMBERS])) {
        htp_inline_read_calls(c->maker->arena, &own, (htp_span){NULL, 0},
                              texts->of[HTP_INLINE_NUMBERS]);
    }
    if (is_callee(call, texts->tag)) {
        texts->of[HTP_INLINE_NUMBER] = call->of[HTP_INLINE_NUMBER];
    } else {
        htp_span path = tagged_path(c);
        htp_text *text = begin_part(c, HTP_INLINE_NUMBER);
        c->is_made[HTP_INLINE_NUMBER] =
            is_there(path) && htp_inline_add_calls(text, call, &own, path, limit);
        end_part(c, HTP_INLINE_NUMBER);
        texts->of[HTP_INLINE_NUMBER] = (htp_span){NULL, 0};
    }
    if (is_there(texts->of[HTP_INLINE_NAMESPACE])) {
        htp_span chain = whole_chain(c);
        htp_text *text = begin_part(c, HTP_INLINE_NUMBERS);
        c->is_made[HTP_INLINE_NUMBERS] =
            htp_inline_join_calls(text, &c->maker->path, call, &own, chain, limit);
        end_part(c, HTP_INLINE_NUMBERS);
        texts->of[HTP_INLINE_NUMBERS] = (htp_span){NULL, 0};
    }
}

/* Turns offsets into pointers, once the buffer is final. */
static void settle(struct composing *c)
{
    htp_inline_texts *texts = c->texts;
    for (int part = 0; part < PARTS; part++) {
        htp_span *span = part == PART_TAG   ? &texts->tag
                         : part == PART_DOC ? &texts->doc_string
                                            : &texts->of[part];
        if (c->is_made[part]) {
            *span = (htp_span){(const unsigned char *)c->maker->scratch.bytes + c->begin[part],
                               c->end[part] - c->begin[part]};
        }
    }
}

static void take_callers(const htp_inline_texts *call, htp_inline_texts *texts, bool has_doc)
{
    for (int k = 0; k < HTP_INLINE_FIRST; k++) {
        texts->of[k] = is_there(texts->of[k]) ? texts->of[k] : call->of[k];
    }
    texts->tag = call->tag;
    texts->doc_string = has_doc ? texts->doc_string : call->doc_string;
}

void htp_inline_texts_of(htp_inline_text_maker *maker, const htp_inline_texts *call, uint32_t node,
                         htp_inline_texts *texts)
{
    *texts = (htp_inline_texts){.caller = call};
    read_own(maker, node, texts);
    if (!call) {
        return;
    }
    if (texts->is_silent) {
        take_callers(call, texts, maker->view->nodes.items[node].doc_string.bytes > 0);
        return;
    }
    struct composing c = {.maker = maker, .call = call, .texts = texts};
    maker->scratch.length = 0;
    htp_text_add(&maker->scratch, "");
    texts->is_relative = texts->tag.bytes > 0 && !is_absolute(texts->tag) && is_absolute(call->tag);
    texts->has_relative_chain = has_relative_chain(texts);
    if (texts->has_relative_chain) {
        join_chains(&c);
    }
    join_numbers(&c); /* uses the node's own texts */
    if (texts->is_relative) {
        join_tags(&c);
        join_doc_string(&c);
    }
    settle(&c);
}

/* ---- calls ---- */

/* Copies a text out of the reused buffer. */
static void keep(const htp_inline_text_maker *maker, htp_span *span)
{
    const unsigned char *begin = (const unsigned char *)maker->scratch.bytes;
    if (begin && span->at >= begin && span->at < begin + maker->scratch.capacity) {
        span->at = (const unsigned char *)htp_arena_copy(maker->arena, span->at, span->bytes);
    }
}

static htp_span make_attributes(const htp_inline_text_maker *maker, const htp_inline_texts *caller,
                                const htp_inline_texts *texts, uint32_t node)
{
    const htp_view *view = maker->view;
    htp_view_range attributes = view->nodes.items[node].attributes;
    htp_text made = {.arena = maker->arena};
    for (uint32_t i = 0; i < attributes.count; i++) {
        const htp_view_attribute *attribute = &view->attributes.items[attributes.first + i];
        if (htp_strip_is_tag(view, attribute)) {
            htp_inline_put_tags(&made, caller, texts->is_relative, attribute);
        }
    }
    return texts->is_silent && caller ? caller->attributes
                                      : (htp_span){(unsigned char *)made.bytes, made.length};
}

/* Makes the lists of a call that has only a chain. */
static void make_lists(htp_arena *arena, htp_inline_texts *texts)
{
    htp_text classes = {.arena = arena};
    htp_text scopes = {.arena = arena};
    htp_inline_lists_of_chain(&classes, &scopes, texts->chain);
    texts->classes = (htp_span){(unsigned char *)classes.bytes, classes.length};
    texts->scopes = (htp_span){(unsigned char *)scopes.bytes, scopes.length};
    htp_inline_last_of_list(texts->scopes, &texts->path);
}

void htp_inline_texts_of_call(htp_inline_text_maker *maker, const htp_inline_texts *caller,
                              uint32_t node, htp_inline_texts *texts)
{
    htp_span ignored;
    htp_inline_texts_of(maker, caller, node, texts);
    if (texts->has_relative_chain && !is_there(texts->of[HTP_INLINE_STACK])) { /* no outer frames */
        texts->of[HTP_INLINE_STACK] = caller->of[HTP_INLINE_STACK];
    }
    for (int k = 0; k < HTP_INLINE_KEYS; k++) {
        keep(maker, &texts->of[k]);
    }
    keep(maker, &texts->tag);
    keep(maker, &texts->doc_string);
    texts->attributes = make_attributes(maker, caller, texts, node);
    htp_inline_split_chain(texts->of[HTP_INLINE_NAMESPACE], &texts->chain, &texts->chain_path);
    htp_inline_split_list(texts->of[HTP_INLINE_CLASSES], &texts->classes, &ignored);
    htp_inline_split_list(texts->of[HTP_INLINE_SCOPES], &texts->scopes, &texts->path);
    if (is_there(texts->chain) && !is_there(texts->classes) && !is_there(texts->scopes)) {
        make_lists(maker->arena, texts);
    }
    const htp_view_property *own = htp_view_find_property(
        maker->view, maker->view->nodes.items[node].properties, maker->keys[HTP_INLINE_NUMBERS]);
    if (own) {
        htp_inline_own calls = {.is_relative = false};
        htp_inline_read_calls(maker->arena, &calls,
                              texts->is_relative ? caller->path : (htp_span){NULL, 0}, own->value);
        texts->calls = calls.calls;
        texts->lists.items = calls.lists.items;
        texts->lists.count = calls.lists.count;
    }
    if (is_there(texts->of[HTP_INLINE_FIRST])) {
        htp_inline_read_first(maker->arena, texts, texts->of[HTP_INLINE_FIRST]);
    }
}

void htp_inline_put_tags(htp_text *out, const htp_inline_texts *call, bool is_relative,
                         const htp_view_attribute *attribute)
{
    htp_wire wire = htp_wire_begin(htp_wire_content(attribute->whole));
    htp_wire_field field;
    size_t begin = htp_inline_begin(out, NODE_ATTRIBUTE, attribute->whole.bytes);
    while (htp_wire_next(&wire, &field)) {
        bool is_tag =
            htp_wire_is_bytes(&field, ATTRIBUTE_S) || htp_wire_is_bytes(&field, ATTRIBUTE_STRINGS);
        if (is_tag && is_relative) {
            size_t inner = htp_inline_begin(out, field.number, field.content.bytes);
            htp_inline_join_tag(out, call->tag, field.content);
            htp_inline_end(out, inner);
        } else {
            htp_inline_copy(out, field.whole);
        }
    }
    htp_inline_end(out, begin);
}
