#include "exported/call/schemas.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* A row, sorted by its first member. */
static const struct schema_row {
    const char *kind;
    const char *text;
} schema_rows[] = {
#define SCHEMA(kind, text) {kind, text},
#include "exported/call/schemas.def"
#undef SCHEMA
};

enum { ROW_COUNT = sizeof(schema_rows) / sizeof(schema_rows[0]) };

/* The end of an argument: a comma, or the closing bracket, outside of inner brackets and texts. */
static const char *end_of_argument(const char *at)
{
    int depth = 0;
    bool is_quoted = false;
    for (; *at && (depth > 0 || is_quoted || (*at != ',' && *at != ')')); at++) {
        is_quoted = is_quoted != (*at == '"');
        depth += !is_quoted && (*at == '(' || *at == '[');
        depth -= !is_quoted && (*at == ')' || *at == ']');
    }
    return at;
}

/* A type without alias annotations: "Tensor(a!)[]" is "Tensor[]". */
static const char *plain_type(htp_arena *arena, const char *type, size_t length)
{
    char *plain = htp_arena_copy(arena, type, length);
    char *open = strchr(plain, '(');
    char *close = open ? strchr(open, ')') : NULL;
    if (close) {
        memmove(open, close + 1, strlen(close + 1) + 1);
    }
    return plain;
}

/* Parses "Tensor(a!) self=None", which ends at @p end. */
static htp_exported_parameter read_parameter(htp_arena *arena, const char *at, const char *end)
{
    htp_exported_parameter parameter = {.name = ""};
    const char *equals = memchr(at, '=', (size_t)(end - at));
    const char *behind = equals ? equals : end;
    const char *space = behind;
    while (space > at && *space != ' ') {
        space--;
    }
    for (const char *c = at; c < space; c++) {
        parameter.is_changed = parameter.is_changed || *c == '!';
    }
    parameter.type = plain_type(arena, at, (size_t)(space - at));
    parameter.name = htp_arena_copy(arena, space + 1, (size_t)(behind - space - 1));
    parameter.default_value =
        equals ? htp_arena_copy(arena, equals + 1, (size_t)(end - equals - 1)) : NULL;
    return parameter;
}

/* Parses "-> Tensor", "-> (Tensor(a!) values, Tensor indices)" or "-> ()". */
static void read_returns(htp_arena *arena, const char *text, htp_exported_schema *schema)
{
    const char *at = text + strlen("-> ");
    const bool are_many = *at == '(';
    size_t most = 1;
    for (const char *c = at; *c; c++) {
        most += *c == ',';
    }
    const char **types = HTP_NEW_ARRAY(arena, const char *, most);
    at += are_many;
    while (*at && *at != ')') {
        const char *end = end_of_argument(at);
        const char *space = memchr(at, ' ', (size_t)(end - at)); /* a name follows */
        types[schema->return_count++] = plain_type(arena, at, (size_t)((space ? space : end) - at));
        at = end + (*end == ',');
        at += *at == ' ';
    }
    schema->returns = types;
}

static htp_exported_schema *parse(htp_arena *arena, const struct schema_row *row)
{
    htp_exported_schema *schema = HTP_NEW(arena, htp_exported_schema);
    const char *at = row->text + strlen(row->kind) + 1;
    size_t most = 1;
    for (const char *c = at; *c; c++) {
        most += *c == ',';
    }
    htp_exported_parameter *parameters = HTP_NEW_ARRAY(arena, htp_exported_parameter, most);
    while (*at && *at != ')') {
        const char *end = end_of_argument(at);
        if (*at != '*') { /* keyword-only arguments follow it */
            parameters[schema->count++] = read_parameter(arena, at, end);
        }
        at = end + (*end == ',');
        at += *at == ' ';
    }
    const char *returned = strstr(at, "->");
    schema->kind = row->kind;
    schema->parameters = parameters;
    if (returned) {
        read_returns(arena, returned, schema);
    }
    schema->is_view = returned && strstr(returned, "Tensor(a)") != NULL;
    return schema;
}

const htp_exported_schema *htp_exported_schema_find(htp_arena *arena, const char *kind)
{
    const struct schema_row *row =
        bsearch(kind, schema_rows, ROW_COUNT, sizeof(*schema_rows), htp_row_compare);
    return row ? parse(arena, row) : NULL;
}

size_t htp_exported_schema_count(void)
{
    return ROW_COUNT;
}

const char *htp_exported_schema_text(size_t index)
{
    return index < ROW_COUNT ? schema_rows[index].text : NULL;
}
