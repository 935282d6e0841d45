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

/* The most work; libtorch takes about 4 seconds for it. */
static const double most_work = 1 << 27;
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

/* The work for all functions: that for one grows with the cube of its jumps. */
static double find_work(const htp_syntax_module *module, const htp_syntax_node *declarations)
{
    double work = 0;
    for (uint32_t i = 0; i < declarations->count; i++) {
        const htp_syntax_node *declared = declarations->parts[i];
        exits found = {0};
        if (declared->kind == HTP_SYNTAX_CLASS) {
            work += find_work(module, declared->parts[1]);
        } else if (declared->kind == HTP_SYNTAX_FUNCTION) {
            count_exits(module, declared, &found);
            work += pow(found.jumps, 3) + WORK_OF_EXCEPTIONS * pow(found.exceptions, 2);
        }
    }
    return work;
}

htp_status htp_code_check_exits(const htp_syntax_module *module, double *work)
{
    *work += find_work(module, module->declarations);
    return *work <= most_work
               ? HTP_OK
               : htp_status_make(HTP_CODE_UNSUPPORTED,
                                 "%s: %s: its functions have more returns, breaks and exceptions "
                                 "than PyTorch writes; save the model again",
                                 module->code.path, module->code.name);
}
