#include "exported/document/document_reading.h"

#include <stdarg.h>
#include <string.h>

void htp_document_fail(htp_document *d, const char *format, ...)
{
    if (d->failure) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    const char *what = htp_arena_vprintf(d->arena, format, arguments);
    va_end(arguments);
    d->failure = d->where ? htp_arena_join(d->arena, d->where, ": ", what) : what;
}

htp_status htp_document_status(const htp_document *d)
{
    return d->failure ? htp_status_make(HTP_CODE_BAD_INPUT, "damaged program: %s; export it again",
                                        d->failure)
                      : HTP_OK;
}

/* Stands for a missing value. */
static const htp_json_node missing[] = {{.at = "null", .length = 4, .span = 1, .kind = 'n'}};

const htp_json_node *htp_document_optional(const htp_json_node *object, const char *name)
{
    const htp_json_node *member = htp_json_member(object, name);
    return member && member->kind != 'n' ? member : NULL;
}

const htp_json_node *htp_document_member(htp_document *d, const htp_json_node *object,
                                         const char *name)
{
    const htp_json_node *member = htp_json_member(object, name);
    if (!member) {
        htp_document_fail(d, "\"%s\" is not there", name);
    }
    return member ? member : missing;
}

static const htp_json_node *items_of(htp_document *d, const htp_json_node *node, char kind,
                                     uint32_t *count)
{
    bool is_one = node->kind == kind;
    if (!is_one) {
        htp_document_fail(d, "%s is missing", kind == '[' ? "a list" : "an object");
    }
    *count = is_one ? node->count : 0;
    return htp_json_first(node);
}

const htp_json_node *htp_document_list(htp_document *d, const htp_json_node *node, uint32_t *count)
{
    return items_of(d, node, '[', count);
}

const htp_json_node *htp_document_object(htp_document *d, const htp_json_node *node,
                                         uint32_t *count)
{
    return items_of(d, node, '{', count);
}

const htp_json_node *htp_document_union(htp_document *d, const htp_json_node *node)
{
    if (node->kind == '{' && node->count == 1) {
        return htp_json_first(node);
    }
    htp_document_fail(d, "a value of one kind is missing");
    return NULL;
}

const void *htp_document_row(const htp_json_node *which, const void *rows, size_t size,
                             size_t count)
{
    for (size_t i = 0; which && i < count; i++) {
        const char *row = (const char *)rows + i * size;
        const char *name = NULL;
        memcpy(&name, row, sizeof(name));
        if (htp_json_node_is(which, name)) {
            return row;
        }
    }
    return NULL;
}

const char *htp_document_text(htp_document *d, const htp_json_node *node)
{
    if (node->kind != '"') {
        htp_document_fail(d, "a text is missing");
        return "";
    }
    if (node->is_plain) {
        return htp_intern(&d->texts, node->at, node->length);
    }
    size_t bytes;
    const char *text = htp_json_node_text(d->scratch, node, &bytes);
    return htp_intern(&d->texts, text, bytes);
}

int64_t htp_document_integer(htp_document *d, const htp_json_node *node)
{
    int64_t number = 0;
    if (!htp_json_node_integer(node, &number)) {
        htp_document_fail(d, "an integer of 64 bits is missing");
        return 0;
    }
    return number;
}

double htp_document_real(htp_document *d, const htp_json_node *node)
{
    double number = 0;
    if (!htp_json_node_real(node, &number)) {
        htp_document_fail(d, "a number is missing");
    }
    return number;
}

bool htp_document_truth(htp_document *d, const htp_json_node *node)
{
    if (node->kind != 't' && node->kind != 'f') {
        htp_document_fail(d, "true or false is missing");
    }
    return node->kind == 't';
}

const char *const *htp_document_texts(htp_document *d, const htp_json_node *node, uint32_t *count)
{
    const htp_json_node *item = htp_document_list(d, node, count);
    const char **texts = HTP_NEW_ARRAY(d->arena, const char *, (size_t)*count + 1);
    for (uint32_t i = 0; i < *count; i++, item = htp_json_end_of(item)) {
        texts[i] = htp_document_text(d, item);
    }
    return texts;
}
