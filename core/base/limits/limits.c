#include "base/limits/limits.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BRANCHES = 200 };

static const char all_names[] = ""
#define LIMIT(id, name, value, counts) name ", "
#include "base/limits/limits.def"
    ;

static const struct row {
    const char *name;
    uint64_t value;
    const char *counts;
} rows[HTP_LIMIT_COUNT] = {
#define LIMIT(id, name, value, counts) [HTP_LIMIT_##id] = {name, value, counts},
#include "base/limits/limits.def"
};

uint64_t htp_limit_value(const htp_limits *limits, htp_limit limit)
{
    uint64_t chosen = limits ? limits->values[limit] : 0;
    return chosen > 0 ? chosen : rows[limit].value;
}

uint64_t htp_limit_blocks(const htp_limits *limits)
{
    uint64_t calls = htp_limit_value(limits, HTP_LIMIT_CALLS);
    return calls < UINT64_MAX - BRANCHES ? calls + BRANCHES : UINT64_MAX;
}

const char *htp_limit_name(htp_limit limit)
{
    return rows[limit].name;
}

const char *htp_limit_counts(htp_limit limit)
{
    return rows[limit].counts;
}

htp_status htp_limits_set(htp_limits *limits, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    for (size_t i = 0; i < HTP_LIMIT_COUNT; i++) {
        if (length == 0 || strlen(rows[i].name) != length ||
            memcmp(rows[i].name, text, length) != 0) {
            continue;
        }
        char *end = NULL;
        errno = 0;
        unsigned long long value =
            isdigit((unsigned char)equals[1]) ? strtoull(equals + 1, &end, 10) : 0;
        if (value == 0 || errno != 0 || *end) {
            return htp_status_make(HTP_CODE_USAGE, "limit \"%s\": a number from 1 on is expected",
                                   text);
        }
        limits->values[i] = value;
        return HTP_OK;
    }
    const int names_length = (int)strlen(all_names) - 2; /* without the last comma */
    return htp_status_make(HTP_CODE_USAGE, "limit \"%s\": expected NAME=N; names are %.*s", text,
                           names_length, all_names);
}
