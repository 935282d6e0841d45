#include "onnx/reader/schema.h"

#include <stdlib.h>
#include <string.h>

static const htp_type_set sets[] = {
#define TYPES(tensor, sequence, optional, optional_sequence)                                       \
    {{tensor, sequence, optional, optional_sequence}},
#define SCHEMA(op_type, since, is_deprecated, inputs, outputs, types, attributes)
#include "onnx/reader/schemas.def"
#undef TYPES
#undef SCHEMA
};

static const struct row {
    const char *op_type;
    int64_t since;
    bool is_deprecated;
    const char *inputs, *outputs, *types, *attributes;
} rows[] = {
#define TYPES(tensor, sequence, optional, optional_sequence)
#define SCHEMA(op_type, since, is_deprecated, inputs, outputs, types, attributes)                  \
    {op_type, since, is_deprecated, inputs, outputs, types, attributes},
#include "onnx/reader/schemas.def"
#undef TYPES
#undef SCHEMA
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

struct htp_schemas {
    htp_arena *arena;
    htp_map first_rows;            /* by operator */
    htp_schema *parsed[ROW_COUNT]; /* by row; NULL: not parsed yet */
};

htp_schemas *htp_schemas_new(htp_arena *arena)
{
    htp_schemas *schemas = HTP_NEW(arena, htp_schemas);
    schemas->arena = arena;
    for (uint32_t i = ROW_COUNT; i-- > 0;) {
        htp_map_set(arena, &schemas->first_rows, rows[i].op_type, i);
    }
    return schemas;
}

/* ---- the texts of a row ---- */

/* A copy of the next word of a text; NULL after the last one. */
static char *next_word(htp_arena *arena, const char **text)
{
    size_t length = strcspn(*text, " ");
    char *word = length > 0 ? htp_arena_copy(arena, *text, length) : NULL;
    *text += length + ((*text)[length] == ' ');
    return word;
}

/* Cuts a word at @p mark. @return the part after it */
static char *cut(char *word, char mark)
{
    char *at = strchr(word, mark);
    *at = '\0';
    return at + 1;
}

static uint32_t number_of(const char *digits)
{
    return (uint32_t)strtoul(digits, NULL, 10);
}

static void parse_types(htp_arena *arena, const char *text, htp_schema *schema)
{
    for (char *word; (word = next_word(arena, &text));) {
        uint32_t set = number_of(cut(word, ':'));
        HTP_PUSH(arena, &schema->types, (htp_schema_type){word, &sets[set]});
    }
}

static uint32_t find_type(htp_arena *arena, htp_schema *schema, const char *name)
{
    for (uint32_t i = 0; i < schema->types.count && *name != '#'; i++) {
        const char *known = schema->types.items[i].name;
        if (known && strcmp(known, name) == 0) {
            return i;
        }
    }
    HTP_PUSH(arena, &schema->types, (htp_schema_type){NULL, &sets[number_of(name + 1)]});
    return (uint32_t)schema->types.count - 1;
}

static htp_schema_parameter parse_parameter(htp_arena *arena, htp_schema *schema, char *word)
{
    htp_schema_parameter parameter = {.option = HTP_SCHEMA_SINGLE};
    size_t length = strcspn(word, "?*~");
    char mark = word[length];
    if (mark) {
        parameter.option = mark == '?' ? HTP_SCHEMA_OPTIONAL : HTP_SCHEMA_VARIADIC;
        parameter.may_differ = mark == '~';
        parameter.least = number_of(cut(word, mark));
    }
    parameter.type = find_type(arena, schema, word);
    return parameter;
}

static void parse_attributes(htp_arena *arena, const char *text, htp_schema *schema)
{
    static const char letters[] = "_fistgFISTGxXpP"; /* in the order of htp_view_kind */
    for (char *word; (word = next_word(arena, &text));) {
        if (*word == '*') {
            schema->takes_any_attribute = true;
            return;
        }
        const char *kind = cut(word, ':');
        HTP_PUSH(arena, &schema->attributes,
                 (htp_schema_attribute){.name = word,
                                        .kind = (htp_view_kind)(strchr(letters, *kind) - letters),
                                        .is_required = kind[1] == '!'});
    }
}

static htp_schema *parse(htp_arena *arena, const struct row *row)
{
    htp_schema *schema = HTP_NEW(arena, htp_schema);
    *schema = (htp_schema){
        .op_type = row->op_type, .since = row->since, .is_deprecated = row->is_deprecated};
    const char *inputs = row->inputs;
    const char *outputs = row->outputs;
    parse_types(arena, row->types, schema);
    for (char *word; (word = next_word(arena, &inputs));) {
        HTP_PUSH(arena, &schema->inputs, parse_parameter(arena, schema, word));
    }
    for (char *word; (word = next_word(arena, &outputs));) {
        HTP_PUSH(arena, &schema->outputs, parse_parameter(arena, schema, word));
    }
    parse_attributes(arena, row->attributes, schema);
    return schema;
}

/* ---- queries ---- */

const htp_schema *htp_schemas_find(htp_schemas *schemas, const char *op_type, int64_t opset)
{
    uint32_t row;
    if (!htp_map_get(&schemas->first_rows, op_type, &row) || rows[row].since > opset) {
        return NULL;
    }
    while (row + 1 < ROW_COUNT && strcmp(rows[row + 1].op_type, op_type) == 0 &&
           rows[row + 1].since <= opset) {
        row++;
    }
    if (!schemas->parsed[row]) {
        schemas->parsed[row] = parse(schemas->arena, &rows[row]);
    }
    return schemas->parsed[row];
}

int64_t htp_schemas_first_opset(const htp_schemas *schemas, const char *op_type)
{
    uint32_t row;
    return htp_map_get(&schemas->first_rows, op_type, &row) ? rows[row].since : 0;
}

const htp_schema_attribute *htp_schema_find_attribute(const htp_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->attributes.count; i++) {
        if (strcmp(schema->attributes.items[i].name, name) == 0) {
            return &schema->attributes.items[i];
        }
    }
    return NULL;
}

const htp_schema_parameter *htp_schema_parameter_at(const htp_schema_parameter *parameters,
                                                    size_t count, uint32_t index)
{
    if (index < count) {
        return &parameters[index];
    }
    bool goes_on = count > 0 && parameters[count - 1].option == HTP_SCHEMA_VARIADIC;
    return goes_on ? &parameters[count - 1] : NULL;
}
