/*
 * Options as JSON.
 */
#include "base/json/json_tree.h"
#include "base/status.h"

#include <htp/json.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind {
    TEXT,
    FLAG,
    NUMBER,
    LARGE,
    REAL,
    STRINGS,
    EXTERNAL, /* from here on: words */
    MEASURE,
    PLACES, /* a set of them */
} kind;

/* A word of an enumeration or of a set. */
static const struct {
    kind of;
    int value;
    const char *text;
} words[] = {
    {EXTERNAL, HTP_EXTERNAL_AUTO, "auto"},      {EXTERNAL, HTP_EXTERNAL_ALWAYS, "always"},
    {EXTERNAL, HTP_EXTERNAL_NEVER, "never"},    {MEASURE, HTP_SPLIT_COST, "cost"},
    {MEASURE, HTP_SPLIT_WEIGHTS, "weights"},    {MEASURE, HTP_SPLIT_TIME, "time"},
    {PLACES, HTP_TAG_ATTRIBUTE, "attribute"},   {PLACES, HTP_TAG_METADATA, "metadata"},
    {PLACES, HTP_TAG_DOC_STRING, "doc_string"}, {PLACES, HTP_TAG_LAYER_ANN, "layer_ann"},
};

/* A field of a type of options. */
static const struct row {
    const char *type;
    const char *key;
    kind kind;
    size_t field;
    size_t count; /* of STRINGS */
} rows[] = {
#define FIELD(type, kind, name) {#type, #name, kind, offsetof(type, name), 0},
#define LIST(type, name, count)                                                                    \
    {#type, #name, STRINGS, offsetof(type, name), offsetof(type, count)},
#include "api/queries/json_options.def"
};

/* Options and the memory of their strings. */
typedef struct held {
    htp_arena arena;
    max_align_t options[];
} held;

/* What is wanted of a value, for messages. */
static const char *const wanted[] = {
    [TEXT] = "a string",
    [FLAG] = "true or false",
    [NUMBER] = "an int",
    [LARGE] = "an int",
    [REAL] = "a number",
    [STRINGS] = "a list of strings",
    [EXTERNAL] = "\"auto\", \"always\" or \"never\"",
    [MEASURE] = "\"cost\", \"weights\" or \"time\"",
    [PLACES] = "a list of \"attribute\", \"metadata\", \"doc_string\" and \"layer_ann\"",
};

/* ---- values ---- */

/* A string without a NUL; NULL: the node is none. */
static const char *read_text(htp_arena *arena, const htp_json_node *node)
{
    size_t bytes = 0;
    const char *text = node->kind == '"' ? htp_json_node_text(arena, node, &bytes) : NULL;
    return text && strlen(text) == bytes ? text : NULL;
}

static bool read_word(const htp_json_node *node, kind of, int *value)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (words[i].of == of && htp_json_node_is(node, words[i].text)) {
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

static bool read_places(const htp_json_node *list, unsigned *places)
{
    unsigned found = 0;
    if (list->kind != '[') {
        return false;
    }
    for (const htp_json_node *item = htp_json_first(list); item != htp_json_end_of(list);
         item = htp_json_end_of(item)) {
        int place = 0;
        if (!read_word(item, PLACES, &place)) {
            return false;
        }
        found |= (unsigned)place;
    }
    *places = found;
    return true;
}

static bool read_strings(htp_arena *arena, const htp_json_node *list, const char *const **strings,
                         size_t *count)
{
    if (list->kind != '[') {
        return false;
    }
    const char **read = HTP_NEW_ARRAY(arena, const char *, (size_t)list->count + 1);
    size_t done = 0;
    for (const htp_json_node *item = htp_json_first(list); item != htp_json_end_of(list);
         item = htp_json_end_of(item)) {
        read[done] = read_text(arena, item);
        if (!read[done++]) {
            return false;
        }
    }
    *strings = read;
    *count = done;
    return true;
}

/* Sets one field. @return false if the value is of another kind */
static bool set(htp_arena *arena, const struct row *row, const htp_json_node *value, char *options)
{
    void *field = options + row->field;
    int64_t number = 0;
    switch (row->kind) {
    case TEXT:
        return (*(const char **)field = read_text(arena, value)) != NULL;
    case FLAG:
        *(bool *)field = value->kind == 't';
        return value->kind == 't' || value->kind == 'f';
    case NUMBER:
        if (!htp_json_node_integer(value, &number) || number < INT_MIN || number > INT_MAX) {
            return false;
        }
        *(int *)field = (int)number;
        return true;
    case LARGE:
        return htp_json_node_integer(value, field);
    case REAL:
        return htp_json_node_real(value, field);
    case STRINGS:
        return read_strings(arena, value, field, (size_t *)(void *)(options + row->count));
    case PLACES:
        return read_places(value, field);
    default:
        return read_word(value, row->kind, field);
    }
}

/* ---- objects ---- */

static const struct row *find_row(const char *type, const htp_json_node *key)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (strcmp(rows[i].type, type) == 0 && htp_json_node_is(key, rows[i].key)) {
            return &rows[i];
        }
    }
    return NULL;
}

static htp_status read_object(held *holder, const char *type, const char *json)
{
    htp_arena *arena = &holder->arena;
    htp_json_failure failure = {.what = NULL};
    if (htp_arena_recover(arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    size_t bytes = strlen(json);
    const htp_json_node *root =
        htp_json_tree_read(arena, htp_arena_copy(arena, json, bytes), bytes, &failure);
    if (!root) {
        return htp_status_make(HTP_CODE_USAGE, "options: not valid JSON at byte %zu: %s",
                               failure.at, failure.what);
    }
    if (root->kind != '{') {
        return htp_status_make(HTP_CODE_USAGE, "options: not a JSON object");
    }
    for (const htp_json_node *key = htp_json_first(root); key != htp_json_end_of(root);
         key = htp_json_end_of(htp_json_end_of(key))) {
        const htp_json_node *value = htp_json_end_of(key);
        const struct row *row = find_row(type, key);
        if (!row) {
            return htp_status_make(HTP_CODE_USAGE, "options: %s has no field \"%.*s\"", type,
                                   key->length > 64 ? 64 : (int)key->length, key->at);
        }
        if (value->kind != 'n' && !set(arena, row, value, (char *)holder->options)) {
            return htp_status_make(HTP_CODE_USAGE, "options: %s must be %s", row->key,
                                   wanted[row->kind]);
        }
    }
    return HTP_OK;
}

void htp_options_free(void *options)
{
    if (options) {
        held *holder = (held *)(void *)((char *)options - offsetof(held, options));
        htp_arena_free(&holder->arena);
        free(holder);
    }
}

/* Makes room for options of @p size bytes. */
static void *hold(size_t size)
{
    held *holder = calloc(1, sizeof(*holder) + size);
    if (!holder) {
        return NULL;
    }
    htp_arena_init(&holder->arena);
    return holder->options;
}

static htp_status fill(const char *type, const char *json, void *options)
{
    held *holder = (held *)(void *)((char *)options - offsetof(held, options));
    return json ? read_object(holder, type, json) : HTP_OK;
}

#define READER(type, function, init)                                                               \
    htp_status function(const char *json, type **options) /* NOLINT(bugprone-macro-parentheses) */ \
    {                                                                                              \
        if (!options) {                                                                            \
            return htp_status_make(HTP_CODE_USAGE, "there is no place for the options");           \
        }                                                                                          \
        *options = hold(sizeof(**options));                                                        \
        if (!*options) {                                                                           \
            return htp_status_make(HTP_CODE_INTERNAL, "out of memory");                            \
        }                                                                                          \
        init(*options);                                                                            \
        htp_status status = fill(#type, json, *options);                                           \
        if (status) {                                                                              \
            htp_options_free(*options);                                                            \
            *options = NULL;                                                                       \
        }                                                                                          \
        return status;                                                                             \
    }

READER(htp_options, htp_options_from_json, htp_options_init)
READER(htp_inspect_options, htp_inspect_options_from_json, htp_inspect_options_init)
READER(htp_selection, htp_selection_from_json, htp_selection_init)
READER(htp_validate_options, htp_validate_options_from_json, htp_validate_options_init)
READER(htp_verify_options, htp_verify_options_from_json, htp_verify_options_init)
READER(htp_quality_options, htp_quality_options_from_json, htp_quality_options_init)
READER(htp_extraction, htp_extraction_from_json, htp_extraction_init)
READER(htp_splitting, htp_splitting_from_json, htp_splitting_init)
READER(htp_replacing, htp_replacing_from_json, htp_replacing_init)
