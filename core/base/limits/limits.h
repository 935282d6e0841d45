/*
 * Limits of what one model may cost: a table of counts, each with a default that its user may
 * change. They hold on every machine; seconds and memory are limits of the program
 * (cli/terminal/budget.h).
 */
#ifndef HTP_BASE_LIMITS_H
#define HTP_BASE_LIMITS_H

#include "base/status.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum htp_limit {
#define LIMIT(id, name, value, counts) HTP_LIMIT_##id,
#include "base/limits/limits.def"
    HTP_LIMIT_COUNT,
} htp_limit;

/** The chosen values; 0: the default. */
typedef struct htp_limits {
    uint64_t values[HTP_LIMIT_COUNT];
} htp_limits;

/** The value of a limit. @param limits  NULL: all defaults */
uint64_t htp_limit_value(const htp_limits *limits, htp_limit limit);

/** How deep calls, branches and loops may be in each other: the limit of calls, and 200 more. */
uint64_t htp_limit_blocks(const htp_limits *limits);

/** Its name, and what it counts. */
const char *htp_limit_name(htp_limit limit);
const char *htp_limit_counts(htp_limit limit);

/** Sets a limit by "NAME=N", N from 1 on. @return HTP_CODE_USAGE for another text */
HTP_MUST_USE htp_status htp_limits_set(htp_limits *limits, const char *text);

/** "more than 1048576 elements of one list (--limit elements=N raises this limit)", as a part of a
 * format. */
#define HTP_LIMIT_FORMAT "more than %" PRIu64 " %s (--limit %s=N raises this limit)"
#define HTP_LIMIT_ARGUMENTS(limits, limit)                                                         \
    htp_limit_value((limits), (limit)), htp_limit_counts(limit), htp_limit_name(limit)

/* ---- the stack: threads of hosts have small ones, and sanitizers large frames ---- */

/** Whether the calling thread's stack is nearly used up: 1 MiB is left, or a quarter of a smaller
 * one. False if its size is unknown. The first call of a thread finds its stack, which the main
 * thread cannot do in a sandbox. */
bool htp_stack_is_low(void);

/** What is wrong, as a part of a format. */
#define HTP_STACK_FORMAT "too deep for a stack of %zu kB (ulimit -s raises this limit)"
/** Its argument: the size of the calling thread's stack in kB; 0: unknown */
size_t htp_stack_kilobytes(void);

#endif
