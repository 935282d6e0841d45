/*
 * Inputs from JSON: every entry becomes a specification as on the command line, so both share
 * grammar and checks.
 */
#include "source/inputs/inputs.h"

#include "base/json/json_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Specifications, each followed by a NUL. Memory is allocated before cJSON builds its tree, which
 * would leak if the arena jumped. */
struct writer {
    char *bytes;
    size_t length;
    size_t capacity;
    size_t count;
    bool is_full;
    bool may_name_files;
    char path[1024]; /* of the current entry: "past.0" */
    size_t path_length;
};

static void put_bytes(struct writer *writer, const char *bytes, size_t count)
{
    if (count > writer->capacity - writer->length) {
        writer->is_full = true;
        return;
    }
    memcpy(writer->bytes + writer->length, bytes, count);
    writer->length += count;
}

static void put(struct writer *writer, const char *string)
{
    put_bytes(writer, string, strlen(string));
}

static bool is_whole(double number)
{
    return floor(number) == number && fabs(number) < 1e15;
}

static void put_number(struct writer *writer, double number)
{
    char digits[40];
    (void)snprintf(digits, sizeof(digits), is_whole(number) ? "%.0f" : "%.17g", number);
    put(writer, digits);
}

/* {"key": ...} and [...] are containers; {"dtype": ..., "shape": ...} is an input. */
static bool is_nested(const cJSON *entry)
{
    return cJSON_IsArray(entry) ||
           (cJSON_IsObject(entry) && !cJSON_GetObjectItemCaseSensitive(entry, "dtype") &&
            !cJSON_GetObjectItemCaseSensitive(entry, "shape"));
}

/* Contents of a tensor: a number, true, "arange" or "@FILE.npy". */
static const char *put_value(struct writer *writer, const cJSON *value)
{
    put(writer, "=");
    if (cJSON_IsString(value)) {
        put(writer, value->valuestring);
    } else if (cJSON_IsBool(value)) {
        put(writer, cJSON_IsTrue(value) ? "true" : "false");
    } else if (cJSON_IsNumber(value)) {
        put_number(writer, value->valuedouble);
    } else {
        return "has a value that is neither a number nor \"arange\" nor \"@FILE.npy\"";
    }
    return NULL;
}

/* A dim: 8, {"batch": 2}, or "batch=2". */
static bool put_dim(struct writer *writer, const cJSON *dim)
{
    if (cJSON_IsString(dim)) {
        put(writer, dim->valuestring);
        return true;
    }
    if (cJSON_IsObject(dim) && cJSON_GetArraySize(dim) == 1) {
        put(writer, dim->child->string);
        put(writer, "=");
        dim = dim->child;
    }
    if (!cJSON_IsNumber(dim)) {
        return false;
    }
    put_number(writer, dim->valuedouble);
    return true;
}

static const char *put_tensor(struct writer *writer, const cJSON *entry)
{
    const cJSON *dtype = cJSON_GetObjectItemCaseSensitive(entry, "dtype");
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(entry, "shape");
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(entry, "value");
    if (!cJSON_IsString(dtype) || !cJSON_IsArray(shape) ||
        cJSON_GetArraySize(entry) != (value ? 3 : 2)) {
        return "is not {\"dtype\": \"...\", \"shape\": [...]}";
    }
    put(writer, dtype->valuestring);
    put(writer, "[");
    const cJSON *dim = NULL;
    cJSON_ArrayForEach(dim, shape)
    {
        put(writer, dim == shape->child ? "" : ",");
        if (!put_dim(writer, dim)) {
            return "has a dim that is neither a number nor {\"NAME\": NUMBER}";
        }
    }
    put(writer, "]");
    return value ? put_value(writer, value) : NULL;
}

/* Writes one input. @return its error, or NULL. */
static const char *put_input(struct writer *writer, const cJSON *entry)
{
    const char *problem = NULL;
    size_t begin = writer->length;
    put_bytes(writer, writer->path, writer->path_length);
    put(writer, ":");
    if (cJSON_IsString(entry)) {
        put(writer, entry->valuestring);
    } else if (cJSON_IsBool(entry)) {
        put(writer, cJSON_IsTrue(entry) ? "bool=true" : "bool=false");
    } else if (cJSON_IsNumber(entry)) {
        put(writer, is_whole(entry->valuedouble) ? "int=" : "float=");
        put_number(writer, entry->valuedouble);
    } else if (is_nested(entry)) {
        put(writer, "[]");
    } else {
        problem = put_tensor(writer, entry);
    }
    if (!writer->may_name_files && memchr(writer->bytes + begin, '@', writer->length - begin)) {
        problem = "names a file, which an archive must not";
    }
    put_bytes(writer, "", 1);
    writer->count++;
    return problem;
}

/* Appends a part to the path. */
static bool enter(struct writer *writer, const char *part, size_t *before)
{
    *before = writer->path_length;
    int length = snprintf(writer->path + *before, sizeof(writer->path) - *before, "%s%s",
                          *before ? "." : "", part);
    writer->is_full =
        writer->is_full || length < 0 || (size_t)length >= sizeof(writer->path) - *before;
    writer->path_length += writer->is_full ? 0 : (size_t)length;
    return !writer->is_full;
}

/* Writes an entry and nested ones; short paths bound the depth. */
static const char *put_entry(struct writer *writer, const cJSON *entry, const char *name)
{
    size_t before = 0;
    if (!enter(writer, name, &before)) {
        return NULL;
    }
    const char *problem = NULL;
    if (is_nested(entry) && entry->child) {
        size_t index = 0;
        for (const cJSON *part = entry->child; part && !problem; part = part->next, index++) {
            char number[24];
            (void)snprintf(number, sizeof(number), "%zu", index);
            problem = put_entry(writer, part, part->string ? part->string : number);
        }
    } else {
        problem = put_input(writer, entry);
    }
    writer->path_length = before;
    return problem;
}

static htp_status put_entries(struct writer *writer, const char *name, const cJSON *root)
{
    if (!cJSON_IsObject(root)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: an object is expected, for example {\"ids\": "
                               "\"int64[batch=2,8]\"}",
                               name);
    }
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, root)
    {
        const char *problem = put_entry(writer, entry, entry->string);
        if (problem) {
            return htp_status_make(HTP_CODE_USAGE, "%s: input \"%s\" %s", name, entry->string,
                                   problem);
        }
    }
    return writer->is_full ? htp_status_make(HTP_CODE_USAGE, "%s: too large", name) : HTP_OK;
}

static htp_status not_json(const char *name, const char *text, const char *where)
{
    unsigned line = 1;
    for (; where && text < where && *text; text++) {
        line += *text == '\n';
    }
    return htp_status_make(HTP_CODE_USAGE, "%s: line %u: not valid JSON", name, line);
}

/* An escaped NUL, which would end a string early; NULL if there is none. */
static const char *find_nul(const char *text)
{
    for (; *text; text++) {
        if (text[0] == '\\' && strncmp(text + 1, "u0000", 5) == 0) {
            return text;
        }
        text += text[0] == '\\' && text[1];
    }
    return NULL;
}

static htp_status convert(htp_arena *arena, struct writer *writer, const char *name,
                          const char *text)
{
    const char *nul = find_nul(text);
    if (nul) {
        return not_json(name, text, nul);
    }
    const char *end = NULL;
    cJSON *root = htp_json_parse_first(arena, text, strlen(text), &end);
    bool is_whole = root && end[strspn(end, " \t\r\n")] == '\0';
    htp_status status = is_whole ? put_entries(writer, name, root) : not_json(name, text, end);
    cJSON_Delete(root);
    return status;
}

htp_status htp_inputs_parse_json(htp_arena *arena, const char *name, const char *text,
                                 bool may_name_files, const htp_argument *arguments,
                                 uint32_t argument_count, htp_inputs *inputs)
{
    /* A one-digit number with its comma takes two characters: "8,". */
    struct writer writer = {.capacity = 64 + 16 * strlen(text), .may_name_files = may_name_files};
    writer.bytes = htp_arena_alloc(arena, writer.capacity);
    HTP_TRY(convert(arena, &writer, name, text));
    const char **specifications = HTP_NEW_ARRAY(arena, const char *, writer.count);
    const char *next = writer.bytes;
    for (size_t i = 0; i < writer.count; i++) {
        specifications[i] = next;
        next += strlen(next) + 1;
    }
    return htp_status_prefix(
        htp_inputs_parse(arena, specifications, writer.count, arguments, argument_count, inputs),
        name);
}
