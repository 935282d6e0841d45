/*
 * Operations of code, and members of classes.
 */
#include "source/code/code_syntax.h"
#include "source/code/code_tokens.h"

/* What libtorch makes nodes of, beside names and constants. */
static bool is_operation(const htp_syntax_node *node)
{
    static const bool are_operations[] = {
        [HTP_SYNTAX_TUPLE] = true,
        [HTP_SYNTAX_LIST] = true,
        [HTP_SYNTAX_DICT] = true,
        [HTP_SYNTAX_LIST_COMPREHENSION] = true,
        [HTP_SYNTAX_DICT_COMPREHENSION] = true,
        [HTP_SYNTAX_SUBSCRIPT] = true,
        [HTP_SYNTAX_CALL] = true,
        [HTP_SYNTAX_UNARY] = true,
        [HTP_SYNTAX_BINARY] = true,
        [HTP_SYNTAX_CONDITIONAL] = true,
        [HTP_SYNTAX_AUGMENTED_ASSIGNMENT] = true,
        [HTP_SYNTAX_RAISE] = true,
        [HTP_SYNTAX_ASSERT] = true,
        [HTP_SYNTAX_IF] = true,
        [HTP_SYNTAX_WHILE] = true,
        [HTP_SYNTAX_FOR] = true,
        [HTP_SYNTAX_CLASS] = false, /* the last kind */
    };
    return are_operations[node->kind];
}

static uint64_t count_operations(const htp_syntax_node *node)
{
    uint64_t count = is_operation(node);
    for (uint32_t i = 0; i < node->count; i++) {
        count += node->parts[i] ? count_operations(node->parts[i]) : 0;
    }
    return count;
}

static htp_status check_class(const htp_syntax_module *module, const htp_limits *limits,
                              const htp_syntax_node *declared)
{
    const htp_code_record *code = &module->code;
    return declared->parts[1]->count <= htp_limit_value(limits, HTP_LIMIT_MEMBERS)
               ? HTP_OK
               : htp_status_make(HTP_CODE_UNSUPPORTED,
                                 "%s: %s, line %zu: class %.*s has " HTP_LIMIT_FORMAT, code->path,
                                 code->name, htp_code_line(code, declared->start),
                                 (int)declared->name_bytes, code->text + declared->name,
                                 HTP_LIMIT_ARGUMENTS(limits, HTP_LIMIT_MEMBERS));
}

htp_status htp_code_count(const htp_syntax_module *module, const htp_limits *limits,
                          uint64_t *operations)
{
    const htp_syntax_node *all = module->declarations;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->parts[i]->kind == HTP_SYNTAX_CLASS) {
            HTP_TRY(check_class(module, limits, all->parts[i]));
        }
    }
    *operations += count_operations(all);
    return *operations <= htp_limit_value(limits, HTP_LIMIT_OPERATIONS)
               ? HTP_OK
               : htp_status_make(HTP_CODE_UNSUPPORTED, "%s: it has " HTP_LIMIT_FORMAT,
                                 module->code.path,
                                 HTP_LIMIT_ARGUMENTS(limits, HTP_LIMIT_OPERATIONS));
}
