/*
 * Default values of attributes.
 */
#include "query/compare/fingerprint.h"

#include <string.h>

/* A value of one of three kinds. */
struct row {
    const char *op_type;
    const char *attribute;
    int64_t since;
    htp_view_kind kind;
    int64_t i;
    float f;
    const char *s;
};

static const struct row rows[] = {
#define INT(op_type, attribute, since, value)                                                      \
    {op_type, attribute, since, HTP_VIEW_INT, value, 0, NULL},
#define FLOAT(op_type, attribute, since, value)                                                    \
    {op_type, attribute, since, HTP_VIEW_FLOAT, 0, value, NULL},
#define STRING(op_type, attribute, since, value)                                                   \
    {op_type, attribute, since, HTP_VIEW_STRING, 0, 0, value},
#include "query/compare/attribute_defaults.def"
#undef INT
#undef FLOAT
#undef STRING
};

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* The sort order of rows, and of keys, which are rows without values. */
static int compare_rows(const struct row *a, const struct row *b)
{
    int order = strcmp(a->op_type, b->op_type);
    order = order != 0 ? order : strcmp(a->attribute, b->attribute);
    return order != 0 ? order : (a->since > b->since) - (a->since < b->since);
}

/* The last row at or before @p key. */
static const struct row *find_row(const struct row *key)
{
    size_t low = 0;
    size_t high = sizeof(rows) / sizeof(rows[0]);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_rows(&rows[middle], key) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? &rows[low - 1] : NULL;
}

bool htp_fingerprint_is_default(const htp_view *view, int64_t opset, const htp_view_node *node,
                                const htp_view_attribute *attribute)
{
    const struct row key = {.op_type = htp_view_text(view, node->op_type),
                            .attribute = htp_view_text(view, attribute->name),
                            .since = opset};
    const struct row *row = find_row(&key);
    if (!htp_view_is_own_domain(view, node->domain) || attribute->reference != 0 || !row ||
        row->kind != attribute->kind || strcmp(row->op_type, key.op_type) != 0 ||
        strcmp(row->attribute, key.attribute) != 0) {
        return false;
    }
    switch (row->kind) {
    case HTP_VIEW_INT:
        return row->i == attribute->i;
    case HTP_VIEW_FLOAT:
        return bits_of(row->f) == bits_of(attribute->f);
    default:
        return strlen(row->s) == attribute->s.bytes &&
               memcmp(row->s, attribute->s.at, attribute->s.bytes) == 0;
    }
}
