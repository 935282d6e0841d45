#include "source/specification.h"

#include "graph/dtype.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXAMPLE "for example ids:int64[batch=2,8]"

/* The largest whole number up to which a double holds every one. */
static const long long exact_limit = 1LL << 53;

static htp_status fail(const htp_specification *specification, const char *what)
{
    return htp_status_make(HTP_CODE_USAGE, "input \"%s\": %s", specification->text, what);
}

/* ---- numbers: NAME:int=3 ---- */

static bool parse_int(const char *text, double *value)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    *value = (double)number;
    return end != text && *end == '\0' && errno == 0 && number <= exact_limit &&
           number >= -exact_limit;
}

static bool parse_float(const char *text, double *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0;
}

static bool parse_bool(const char *text, double *value)
{
    *value = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *value != 0 || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
}

static const struct scalar_type {
    const char *name;
    htp_dtype dtype;
    bool (*parse)(const char *text, double *value);
    const char *complaint;
} scalar_types[] = {
    {"int", HTP_DTYPE_INT64, parse_int, "the value is no whole number below 2^53"},
    {"float", HTP_DTYPE_FLOAT64, parse_float, "the value is no number"},
    {"bool", HTP_DTYPE_BOOL, parse_bool, "the value is neither true nor false"},
};

static htp_status parse_scalar(const char *type, const char *value, htp_specification *result)
{
    for (size_t i = 0; i < sizeof(scalar_types) / sizeof(scalar_types[0]); i++) {
        if (strcmp(type, scalar_types[i].name) == 0) {
            result->is_scalar = true;
            result->dtype = scalar_types[i].dtype;
            return scalar_types[i].parse(value, &result->scalar)
                       ? HTP_OK
                       : fail(result, scalar_types[i].complaint);
        }
    }
    return fail(result, "a number has type int, float or bool, for example steps:int=3");
}

/* ---- tensors: NAME:float32[batch=2,8] ---- */

static bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_') {
        return false;
    }
    while (isalnum((unsigned char)*text) || *text == '_') {
        text++;
    }
    return *text == '\0';
}

static bool parse_size(const char *text, int64_t least, int64_t *size)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    *size = number;
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && number >= least &&
           number <= INT32_MAX;
}

/* Parses one dim; @p text is the caller's to change. */
static htp_status parse_dim(char *text, const htp_specification *result, htp_dim *dim)
{
    text += strspn(text, " ");
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--) {
        text[length - 1] = '\0';
    }
    char *equals = strchr(text, '=');
    const char *size = text;
    if (equals) {
        *equals = '\0';
        size = equals + 1;
        dim->symbol = text;
    }
    if ((equals && !is_identifier(text)) || !parse_size(size, equals ? 1 : 0, &dim->size)) {
        return fail(result, "a dim is a number up to 2147483647, or NAME=NUMBER with a number from "
                            "1 on; " EXAMPLE);
    }
    return HTP_OK;
}

static htp_status parse_dims(htp_arena *arena, char *text, htp_specification *result)
{
    size_t count = *text != '\0';
    for (const char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ',')) {
        count++;
    }
    if (count > HTP_SHIM_MAX_RANK) {
        return fail(result, "more dims than a tensor may have");
    }
    result->dims = HTP_NEW_ARRAY(arena, htp_dim, count);
    result->rank = (uint32_t)count;
    for (uint32_t i = 0; i < result->rank; i++) {
        char *comma = strchr(text, ',');
        if (comma) {
            *comma = '\0';
        }
        HTP_TRY(parse_dim(text, result, &result->dims[i]));
        text = comma ? comma + 1 : text;
    }
    return HTP_OK;
}

static htp_status parse_tensor(htp_arena *arena, const char *type, char *dims,
                               htp_specification *result)
{
    if (!htp_dtype_parse(type, &result->dtype) || result->dtype == HTP_DTYPE_OTHER ||
        htp_dtype_is_complex(result->dtype)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "input \"%s\": unknown dtype \"%s\"; float32, float16, bfloat16, "
                               "float64, int64, int32, int16, int8, uint8 and bool are known",
                               result->text, type);
    }
    size_t length = strlen(dims);
    if (length == 0 || dims[length - 1] != ']') {
        return fail(result, strchr(dims, ']') ? "nothing may follow the ]; " EXAMPLE
                                              : "the ] is missing; " EXAMPLE);
    }
    dims[length - 1] = '\0';
    return parse_dims(arena, dims, result);
}

htp_status htp_specification_parse(htp_arena *arena, const char *text,
                                   htp_specification *specification)
{
    *specification = (htp_specification){.text = text};
    char *copy = htp_arena_strdup(arena, text);
    char *colon = strchr(copy, ':');
    char *value = colon ? strpbrk(colon, "[=") : NULL;
    if (!value) {
        return fail(specification, "NAME:DTYPE[DIMS] is expected, " EXAMPLE);
    }
    char separator = *value;
    *colon = '\0';
    *value = '\0';
    specification->name = copy;
    return separator == '=' ? parse_scalar(colon + 1, value + 1, specification)
                            : parse_tensor(arena, colon + 1, value + 1, specification);
}
