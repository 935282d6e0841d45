/*
 * Arguments of a forward().
 */
#ifndef HTP_TESTS_ARGUMENTS_FIXTURE_H
#define HTP_TESTS_ARGUMENTS_FIXTURE_H

#include "source/inputs/inputs.h"

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

#endif
