/*
 * Exits of functions: returns, breaks, assertions, exceptions.
 *
 * libtorch's compiler rewrites all of a function for each of its exits. PyTorch writes one return
 * for each function, and exceptions as calls.
 */
#include "source/code/code_syntax.h"
#include "source/code/code_tokens.h"

#include <math.h>
#include <string.h>

/* The work for a raised exception, in that for three jumps. */
enum { WORK_OF_EXCEPTIONS = 6 };

typedef struct exits {
    double jumps;
    double exceptions;
} exits;

static bool is_exception(const htp_syntax_module *module, const htp_syntax_node *node)
{
    static const char name[] = "RaiseException";
    const htp_syntax_node *callee = node->kind == HTP_SYNTAX_CALL ? node->parts[0] : NULL;
    bool is_call = callee && callee->kind == HTP_SYNTAX_ATTRIBUTE &&
                   callee->name_bytes == sizeof(name) - 1 &&
                   memcmp(module->code.text + callee->name, name, sizeof(name) - 1) == 0;
    return is_call || node->kind == HTP_SYNTAX_RAISE || node->kind == HTP_SYNTAX_ASSERT;
}

static void count_exits(const htp_syntax_module *module, const htp_syntax_node *node, exits *found)
{
    bool is_jump = node->kind == HTP_SYNTAX_RETURN || node->kind == HTP_SYNTAX_BREAK ||
                   node->kind == HTP_SYNTAX_CONTINUE;
    found->jumps += is_jump;
    found->exceptions += is_exception(module, node);
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->parts[i]) {
            count_exits(module, node->parts[i], found);
        }
    }
}

static htp_status too_much(const htp_syntax_module *module, const htp_limits *limits,
                           const htp_syntax_node *function)
{
    const htp_code_record *code = &module->code;
    return htp_status_make(
        HTP_CODE_UNSUPPORTED, "%s: %s, line %zu: with function %.*s, it has " HTP_LIMIT_FORMAT,
        code->path, code->name, htp_code_line(code, function->start), (int)function->name_bytes,
        code->text + function->name, HTP_LIMIT_ARGUMENTS(limits, HTP_LIMIT_EXITS));
}

/* Adds the work for all functions: that for one grows with the cube of its jumps. */
static htp_status add_work(const htp_syntax_module *module, const htp_limits *limits,
                           const htp_syntax_node *declarations, double *work)
{
    for (uint32_t i = 0; i < declarations->count; i++) {
        const htp_syntax_node *declared = declarations->parts[i];
        exits found = {0};
        if (declared->kind == HTP_SYNTAX_CLASS) {
            HTP_TRY(add_work(module, limits, declared->parts[1], work));
        } else if (declared->kind == HTP_SYNTAX_FUNCTION) {
            count_exits(module, declared, &found);
            *work += pow(found.jumps, 3) + WORK_OF_EXCEPTIONS * pow(found.exceptions, 2);
            if (*work > (double)htp_limit_value(limits, HTP_LIMIT_EXITS)) {
                return too_much(module, limits, declared);
            }
        }
    }
    return HTP_OK;
}

htp_status htp_code_check_exits(const htp_syntax_module *module, const htp_limits *limits,
                                double *work)
{
    return add_work(module, limits, module->declarations, work);
}
