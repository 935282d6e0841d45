/*
 * Inputs from JSON: every entry becomes a specification as the command line has it, so that both
 * have one grammar and the same checks.
 */
#include "source/inputs.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Specifications one behind the other, each with its NUL. All memory is taken before cJSON
 * builds its tree: an arena that runs out jumps, and the tree would be lost. */
struct writer {
    char *bytes;
    size_t length;
    size_t capacity;
    size_t count;
    bool is_full;
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
    if (!cJSON_IsString(dtype) || !cJSON_IsArray(shape) || cJSON_GetArraySize(entry) != 2) {
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
    return NULL;
}

/* Writes one entry. @return what is wrong with it, or NULL. */
static const char *put_entry(struct writer *writer, const cJSON *entry)
{
    const char *problem = NULL;
    put(writer, entry->string);
    put(writer, ":");
    if (cJSON_IsString(entry)) {
        put(writer, entry->valuestring);
    } else if (cJSON_IsBool(entry)) {
        put(writer, cJSON_IsTrue(entry) ? "bool=true" : "bool=false");
    } else if (cJSON_IsNumber(entry)) {
        put(writer, is_whole(entry->valuedouble) ? "int=" : "float=");
        put_number(writer, entry->valuedouble);
    } else {
        problem = put_tensor(writer, entry);
    }
    put_bytes(writer, "", 1);
    writer->count++;
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
        const char *problem = put_entry(writer, entry);
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

static htp_status convert(struct writer *writer, const char *name, const char *text)
{
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithOpts(text, &end, true);
    if (!root) {
        return not_json(name, text, end);
    }
    htp_status status = put_entries(writer, name, root);
    cJSON_Delete(root);
    return status;
}

htp_status htp_inputs_parse_json(htp_arena *arena, const char *name, const char *text,
                                 const htp_shim_argument *arguments, uint32_t argument_count,
                                 htp_inputs *inputs)
{
    /* A number of one digit may take the place of two characters: "8,". */
    struct writer writer = {.capacity = 64 + 16 * strlen(text)};
    writer.bytes = htp_arena_alloc(arena, writer.capacity);
    HTP_TRY(convert(&writer, name, text));
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
