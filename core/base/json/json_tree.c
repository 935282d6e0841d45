#include "base/json/json_tree.h"

#include "base/json/json_scan.h"
#include "base/vector.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef HTP_VECTOR(htp_json_node) node_vector;

/* A tree under construction. */
typedef struct builder {
    htp_arena *arena;
    htp_json_scan scan;
    node_vector nodes;
    uint64_t most;                        /* nodes */
    uint32_t open[HTP_JSON_TREE_DEEPEST]; /* nodes whose brackets are open */
    int depth;
} builder;

static bool fail(builder *b, const char *what)
{
    b->scan.failure = b->scan.failure ? b->scan.failure : what;
    return false;
}

/* ---- reading ---- */

/* Only numbers of nodes are kept, so the former list can be freed when it has grown. */
static void add_node(builder *b, htp_json_node node)
{
    HTP_PUSH_FREEING(b->arena, &b->nodes, node);
}

static void add_scalar(builder *b, htp_json_part part)
{
    char first = *part.at;
    bool is_string = first == '"';
    bool is_word = first == 't' || first == 'f' || first == 'n';
    size_t length = part.length - (is_string ? 2 : 0);
    const char *at = part.at + is_string;
    add_node(b, (htp_json_node){.at = at,
                                .length = (uint32_t)length,
                                .span = 1,
                                .kind = first,
                                .is_plain = is_string && !memchr(at, '\\', length)});
    if (!is_string && !is_word) {
        b->nodes.items[b->nodes.count - 1].kind = '0';
    }
}

/* Begins a value: reads a scalar, or opens a container. */
static bool begin_value(builder *b)
{
    char first = htp_json_scan_peek(&b->scan);
    if (b->nodes.count >= b->most) {
        return fail(b, "too many values");
    }
    if (first != '{' && first != '[') {
        htp_json_part part;
        if (!htp_json_scan_value(&b->scan, &part)) {
            return false;
        }
        add_scalar(b, part);
        return true;
    }
    if (b->depth == HTP_JSON_TREE_DEEPEST) {
        return fail(b, "too many values in each other");
    }
    b->open[b->depth++] = (uint32_t)b->nodes.count;
    add_node(b, (htp_json_node){.at = b->scan.at, .kind = first});
    return htp_json_scan_enter(&b->scan, first);
}

/* Continues to the next item of the innermost container, or closes it. */
static bool go_on(builder *b)
{
    uint32_t index = b->open[b->depth - 1];
    htp_json_part name;
    bool is_object = b->nodes.items[index].kind == '{';
    bool has_next = is_object ? htp_json_scan_name(&b->scan, &name) : htp_json_scan_item(&b->scan);
    if (b->scan.failure) {
        return false;
    }
    if (!has_next) {
        b->nodes.items[index].span = (uint32_t)b->nodes.count - index;
        b->depth--;
        return true;
    }
    b->nodes.items[index].count++;
    if (is_object) {
        add_scalar(b, name);
    }
    return begin_value(b);
}

const htp_json_node *htp_json_tree_read(htp_arena *arena, const char *text, size_t bytes,
                                        htp_json_failure *failure)
{
    return htp_json_tree_read_most(arena, text, bytes, HTP_JSON_TREE_LARGEST, failure);
}

const htp_json_node *htp_json_tree_read_most(htp_arena *arena, const char *text, size_t bytes,
                                             uint64_t most, htp_json_failure *failure)
{
    builder b = {
        .arena = arena, .scan = htp_json_scan_of((htp_json_part){text, bytes}), .most = most};
    *failure = (htp_json_failure){.what = "too long"};
    if (bytes > HTP_JSON_TREE_LONGEST) {
        return NULL;
    }
    bool goes_on = begin_value(&b);
    while (goes_on && b.depth > 0) {
        goes_on = go_on(&b);
    }
    if (goes_on && htp_json_scan_end(&b.scan)) {
        return b.nodes.items;
    }
    failure->what = b.scan.failure ? b.scan.failure : "something behind the end";
    failure->at = (size_t)(b.scan.at - text);
    failure->is_too_large = b.nodes.count >= most;
    return NULL;
}

/* ---- asking ---- */

bool htp_json_node_is(const htp_json_node *node, const char *text)
{
    size_t length = strlen(text);
    return node->kind == '"' && node->length == length && memcmp(node->at, text, length) == 0;
}

const htp_json_node *htp_json_member(const htp_json_node *object, const char *name)
{
    if (object->kind != '{') {
        return NULL;
    }
    const htp_json_node *end = htp_json_end_of(object);
    for (const htp_json_node *key = htp_json_first(object); key < end;
         key = htp_json_end_of(key + 1)) {
        if (htp_json_node_is(key, name)) {
            return key + 1;
        }
    }
    return NULL;
}

static unsigned hexadecimal(const char *digits)
{
    char text[5] = {digits[0], digits[1], digits[2], digits[3], '\0'};
    return (unsigned)strtoul(text, NULL, 16);
}

/* Writes a code point as UTF-8. @return its end */
static char *write_code(char *to, uint32_t code)
{
    static const struct {
        uint32_t below;
        unsigned lead, more;
    } forms[] = {{0x80, 0, 0}, {0x800, 0xc0, 1}, {0x10000, 0xe0, 2}, {0x110000, 0xf0, 3}};
    size_t form = 0;
    while (code >= forms[form].below) {
        form++;
    }
    unsigned more = forms[form].more;
    *to++ = (char)(forms[form].lead | (code >> (6 * more)));
    while (more-- > 0) {
        *to++ = (char)(0x80 | ((code >> (6 * more)) & 0x3f));
    }
    return to;
}

/* Decodes a valid escape; @p at is after its backslash. @return its end */
static const char *decode_escape(const char *at, char **to)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (*at != 'u') {
        *(*to)++ = meanings[strchr(letters, *at) - letters];
        return at + 1;
    }
    uint32_t code = hexadecimal(at + 1);
    at += 5;
    if (code >= 0xd800 && code <= 0xdbff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (hexadecimal(at + 2) - 0xdc00);
        at += 6;
    }
    *to = write_code(*to, code);
    return at;
}

char *htp_json_node_text(htp_arena *arena, const htp_json_node *node, size_t *bytes)
{
    if (node->is_plain) {
        *bytes = node->length;
        return htp_arena_copy(arena, node->at, node->length);
    }
    char *text = htp_arena_alloc(arena, (size_t)node->length + 1);
    char *to = text;
    const char *at = node->at;
    const char *end = at + node->length;
    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((escape ? escape : end) - at);
        memcpy(to, at, plain);
        to += plain;
        at = escape ? decode_escape(escape + 1, &to) : end;
    }
    *to = '\0';
    *bytes = (size_t)(to - text);
    return text;
}

/* The text of a number; longer ones are cut. */
static void copy_number(const htp_json_node *node, char text[HTP_JSON_LONGEST_NUMBER + 1])
{
    memcpy(text, node->at, node->length);
    text[node->length] = '\0';
}

bool htp_json_node_integer(const htp_json_node *node, int64_t *number)
{
    char text[HTP_JSON_LONGEST_NUMBER + 1];
    char *end;
    if (node->kind != '0') {
        return false;
    }
    copy_number(node, text);
    errno = 0;
    *number = strtoll(text, &end, 10);
    return *end == '\0' && errno == 0;
}

bool htp_json_node_real(const htp_json_node *node, double *number)
{
    static const struct {
        const char *text;
        double number;
    } words[] = {{"Infinity", HUGE_VAL}, {"-Infinity", -HUGE_VAL}, {"NaN", NAN}};
    char text[HTP_JSON_LONGEST_NUMBER + 1];
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (htp_json_node_is(node, words[i].text)) {
            *number = words[i].number;
            return true;
        }
    }
    if (node->kind != '0') {
        return false;
    }
    copy_number(node, text);
    *number = strtod(text, NULL);
    return true;
}
