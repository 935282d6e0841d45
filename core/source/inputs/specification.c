#include "source/inputs/specification.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "source/inputs/npy.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXAMPLE "for example ids:int64[batch=2,8]"

enum { NESTING_LIMIT = 32 };

/* Doubles hold all integers up to here exactly. */
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

static const struct scalar_type *find_scalar_type(const char *name)
{
    for (size_t i = 0; i < sizeof(scalar_types) / sizeof(scalar_types[0]); i++) {
        if (strcmp(name, scalar_types[i].name) == 0) {
            return &scalar_types[i];
        }
    }
    return NULL;
}

/* @param value  NULL: it becomes an input of the model */
static htp_status parse_scalar(const char *name, const char *value, htp_specification *result)
{
    const struct scalar_type *type = find_scalar_type(name);
    if (type) {
        result->is_scalar = true;
        result->is_open = value == NULL;
        result->dtype = type->dtype;
        return !value || type->parse(value, &result->scalar) ? HTP_OK
                                                             : fail(result, type->complaint);
    }
    return fail(result, "a number has type int, float or bool, for example steps:int=3");
}

/* ---- tensors: NAME:float32[batch=2,8] ---- */

static bool parse_size(const char *text, int64_t least, int64_t *size)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    *size = number;
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && number >= least &&
           number <= INT32_MAX;
}

/* Whether a text looks like a formula: names, numbers and operators. */
static bool is_formula(const char *text)
{
    bool has_letter = false;
    for (const char *at = text; *at; at++) {
        has_letter = has_letter || isalpha((unsigned char)*at) || *at == '_';
    }
    bool begins = isalnum((unsigned char)*text) || *text == '_' || *text == '(';
    return has_letter && begins && strpbrk(text, "+-*/()");
}

static void trim(char **text)
{
    *text += strspn(*text, " ");
    for (size_t length = strlen(*text); length > 0 && (*text)[length - 1] == ' '; length--) {
        (*text)[length - 1] = '\0';
    }
}

/* Parses one dim; @p text is modified. */
static htp_status parse_dim(char *text, const htp_specification *result, htp_dim *dim)
{
    trim(&text);
    char *equals = strchr(text, '=');
    char *size = equals ? equals + 1 : text;
    if (equals) {
        *equals = '\0';
        trim(&text);
        size += strspn(size, " ");
    }
    bool has_name = htp_size_formula_is_name(text) || is_formula(text);
    dim->symbol = has_name ? text : NULL;
    bool is_right = equals ? has_name && parse_size(size, 1, &dim->size)
                           : has_name || parse_size(size, 0, &dim->size);
    if (!is_right) {
        return fail(result, "a dim is a number up to 2147483647, NAME=NUMBER with a number from "
                            "1 on, or a formula of such names; " EXAMPLE);
    }
    return HTP_OK;
}

/* The comma after a dim, outside of brackets; NULL after the last dim. */
static char *find_comma(char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (*text == ',' && depth <= 0) {
            return text;
        }
    }
    return NULL;
}

static htp_status parse_dims(htp_arena *arena, char *text, htp_specification *result)
{
    size_t count = *text != '\0';
    for (char *comma = find_comma(text); comma; comma = find_comma(comma + 1)) {
        count++;
    }
    if (count > HTP_MAX_RANK) {
        return fail(result, "more dims than a tensor may have");
    }
    result->dims = HTP_NEW_ARRAY(arena, htp_dim, count);
    result->rank = (uint32_t)count;
    for (uint32_t i = 0; i < result->rank; i++) {
        char *comma = find_comma(text);
        if (comma) {
            *comma = '\0';
        }
        HTP_TRY(parse_dim(text, result, &result->dims[i]));
        text = comma ? comma + 1 : text;
    }
    return HTP_OK;
}

/* ---- contents of tensors: =VALUE ---- */

/* The range of integers of a dtype. */
static const struct range {
    htp_dtype dtype;
    int64_t least;
    int64_t most;
} ranges[] = {
    {HTP_DTYPE_UINT8, 0, UINT8_MAX},         {HTP_DTYPE_INT8, INT8_MIN, INT8_MAX},
    {HTP_DTYPE_INT16, INT16_MIN, INT16_MAX}, {HTP_DTYPE_INT32, INT32_MIN, INT32_MAX},
    {HTP_DTYPE_INT64, INT64_MIN, INT64_MAX},
};

static const struct range *find_range(htp_dtype dtype)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (ranges[i].dtype == dtype) {
            return &ranges[i];
        }
    }
    return NULL;
}

static bool is_in_range(const struct range *range, const char *text)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && number >= range->least &&
           number <= range->most;
}

/* 0, 1, 2, ... up to the number of elements. */
static htp_status check_arange(const htp_specification *result)
{
    const struct range *range = find_range(result->dtype);
    uint64_t count = 1;
    bool fits = result->dtype != HTP_DTYPE_BOOL;
    for (uint32_t i = 0; i < result->rank && fits; i++) {
        fits = htp_checked_mul(count, (uint64_t)result->dims[i].size, &count);
    }
    fits = fits && (!range || count == 0 || count - 1 <= (uint64_t)range->most);
    return fits ? HTP_OK : fail(result, "the dtype cannot count that far");
}

static htp_status check_array(const htp_specification *result, const htp_npy *array)
{
    bool is_equal = array->dtype == result->dtype && array->rank == result->rank;
    for (uint32_t i = 0; i < result->rank && is_equal; i++) {
        is_equal = array->dims[i] == result->dims[i].size ||
                   (result->dims[i].symbol && result->dims[i].size == 0);
    }
    return is_equal ? HTP_OK : fail(result, "the array in the file has another dtype or shape");
}

static htp_status check_value(const char *value, const htp_specification *result)
{
    double number = 0;
    const struct range *range = find_range(result->dtype);
    if (*value == '@') {
        htp_npy array;
        HTP_TRY(htp_npy_read(value + 1, &array));
        return check_array(result, &array);
    }
    if (strcmp(value, "arange") == 0) {
        return check_arange(result);
    }
    if (result->dtype == HTP_DTYPE_BOOL) {
        return parse_bool(value, &number) ? HTP_OK
                                          : fail(result, "the value is neither true nor false");
    }
    if (range ? is_in_range(range, value) : parse_float(value, &number)) {
        return HTP_OK;
    }
    return fail(result, range ? "the value is no whole number of the dtype; 0, 1, arange and "
                                "@FILE.npy are values, too"
                              : "the value is no number; arange and @FILE.npy are values, too");
}

/* ---- one input ---- */

/* Parses "DIMS]" or "DIMS]=VALUE". */
static htp_status parse_tensor(htp_arena *arena, const char *type, char *dims,
                               htp_specification *result)
{
    if (!htp_dtype_parse(type, &result->dtype) || result->dtype == HTP_DTYPE_OTHER) {
        return htp_status_make(HTP_CODE_USAGE,
                               "input \"%s\": unknown dtype \"%s\"; float32, float16, bfloat16, "
                               "float64, complex64, complex128, int64, int32, int16, int8, uint8 "
                               "and bool are known",
                               result->text, type);
    }
    if (result->dtype == HTP_DTYPE_COMPLEX32) {
        return fail(result, "PyTorch computes next to nothing with complex32; pass complex64");
    }
    char *end = strchr(dims, ']');
    if (!end || (end[1] != '\0' && end[1] != '=')) {
        return fail(result, end ? "nothing but =VALUE may follow the ]; " EXAMPLE
                                : "the ] is missing; " EXAMPLE);
    }
    const char *value = end[1] == '=' ? end + 2 : NULL;
    *end = '\0';
    HTP_TRY(parse_dims(arena, dims, result));
    return value ? check_value(value, result) : HTP_OK;
}

static htp_status parse_file(htp_arena *arena, const char *path, htp_specification *result)
{
    htp_npy array;
    HTP_TRY(htp_npy_read(path, &array));
    result->dtype = array.dtype;
    result->rank = array.rank;
    result->dims = HTP_NEW_ARRAY(arena, htp_dim, array.rank);
    for (uint32_t i = 0; i < array.rank; i++) {
        result->dims[i].size = array.dims[i];
    }
    return HTP_OK;
}

/* Cuts "past.0.key" into the argument and the parts. */
static htp_status parse_name(htp_arena *arena, char *name, htp_specification *result)
{
    const char **parts = HTP_NEW_ARRAY(arena, const char *, NESTING_LIMIT);
    result->name = name;
    result->parts = parts;
    for (char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        if (result->part_count == NESTING_LIMIT) {
            return fail(result, "the name has too many parts");
        }
        *dot = '\0';
        parts[result->part_count++] = dot + 1;
    }
    for (uint32_t i = 0; i < result->part_count; i++) {
        if (*name == '\0' || *parts[i] == '\0') {
            return fail(result, "a part of the name is missing, for example past.0.key");
        }
    }
    return HTP_OK;
}

htp_status htp_specification_parse(htp_arena *arena, const char *text,
                                   htp_specification *specification)
{
    *specification = (htp_specification){.text = text};
    char *copy = htp_arena_strdup(arena, text);
    char *colon = strchr(copy, ':');
    char *value = colon ? strpbrk(colon + 1, "[=") : NULL;
    bool is_file = colon && colon[1] == '@';
    bool is_open = colon && find_scalar_type(colon + 1);
    if (!value && !is_file && !is_open) {
        return fail(specification, "NAME:DTYPE[DIMS] is expected, " EXAMPLE);
    }
    *colon = '\0';
    HTP_TRY(parse_name(arena, copy, specification));
    if (is_file) {
        return parse_file(arena, colon + 2, specification);
    }
    if (strcmp(colon + 1, "[]") == 0) {
        specification->is_empty = true;
        return HTP_OK;
    }
    if (is_open) {
        return parse_scalar(colon + 1, NULL, specification);
    }
    char separator = *value;
    *value = '\0';
    return separator == '=' ? parse_scalar(colon + 1, value + 1, specification)
                            : parse_tensor(arena, colon + 1, value + 1, specification);
}
