/*
 * Arguments of a forward(), and what a refusal must look like.
 */
#ifndef HTP_TESTS_ARGUMENTS_FIXTURE_H
#define HTP_TESTS_ARGUMENTS_FIXTURE_H

#include "base/status.h"
#include "source/inputs.h"

#include <check.h>
#include <string.h>

/** Parses one list of specifications for one list of arguments. */
#define PARSE(arena, inputs, arguments, ...)                                                       \
    htp_inputs_parse((arena), (const char *const[]){__VA_ARGS__},                                  \
                     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *),            \
                     (arguments), sizeof(arguments) / sizeof((arguments)[0]), (inputs))

static inline htp_argument argument_tensor(const char *name)
{
    return (htp_argument){.name = name, .kind = HTP_TRACE_TENSOR, .type = "Tensor"};
}

static inline htp_argument argument_optional(const char *name)
{
    return (htp_argument){
        .name = name, .kind = HTP_TRACE_TENSOR, .type = "Optional[Tensor]", .is_optional = true};
}

static inline htp_argument argument_other(const char *name, htp_trace_kind kind, const char *type)
{
    return (htp_argument){.name = name, .kind = kind, .type = type};
}

/** Success; the message of a failure is shown. */
static inline void expect_ok(htp_status status)
{
    ck_assert_msg(status == HTP_OK, "%s", htp_status_message(status));
}

/** A failure with this code, and these words in its message. Frees it. */
static inline void expect_failure(htp_status status, htp_code code, const char *words)
{
    ck_assert_ptr_nonnull(status);
    ck_assert_msg(strstr(htp_status_message(status), words) != NULL, "\"%s\" is not in: %s", words,
                  htp_status_message(status));
    ck_assert_int_eq(htp_status_code(status), code);
    htp_status_free(status);
}

#endif
