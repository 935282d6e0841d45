/*
 * Operations and values of code, and members of classes.
 */
#include "source/code/code_syntax.h"
#include "source/code/code_tokens.h"

/* What a node costs libtorch: an operation, or a value that it names or writes. */
enum cost { NOTHING, OPERATION, VALUE };

static enum cost cost_of(const htp_syntax_node *node)
{
    static const enum cost costs[] = {
        [HTP_SYNTAX_NAME] = VALUE,
        [HTP_SYNTAX_NUMBER] = VALUE,
        [HTP_SYNTAX_STRING] = VALUE,
        [HTP_SYNTAX_TRUE] = VALUE,
        [HTP_SYNTAX_FALSE] = VALUE,
        [HTP_SYNTAX_NONE] = VALUE,
        [HTP_SYNTAX_ASSIGNMENT] = VALUE,
        [HTP_SYNTAX_EXPRESSION] = VALUE,
        [HTP_SYNTAX_TUPLE] = OPERATION,
        [HTP_SYNTAX_LIST] = OPERATION,
        [HTP_SYNTAX_DICT] = OPERATION,
        [HTP_SYNTAX_LIST_COMPREHENSION] = OPERATION,
        [HTP_SYNTAX_DICT_COMPREHENSION] = OPERATION,
        [HTP_SYNTAX_SUBSCRIPT] = OPERATION,
        [HTP_SYNTAX_CALL] = OPERATION,
        [HTP_SYNTAX_UNARY] = OPERATION,
        [HTP_SYNTAX_BINARY] = OPERATION,
        [HTP_SYNTAX_CONDITIONAL] = OPERATION,
        [HTP_SYNTAX_AUGMENTED_ASSIGNMENT] = OPERATION,
        [HTP_SYNTAX_RAISE] = OPERATION,
        [HTP_SYNTAX_ASSERT] = OPERATION,
        [HTP_SYNTAX_IF] = OPERATION,
        [HTP_SYNTAX_WHILE] = OPERATION,
        [HTP_SYNTAX_FOR] = OPERATION,
        [HTP_SYNTAX_CLASS] = NOTHING, /* the last kind */
    };
    return costs[node->kind];
}

/* What the elements of a tuple cost beside themselves: libtorch goes through its type for each. */
static uint64_t tuple_operations(const htp_syntax_node *node)
{
    return node->kind == HTP_SYNTAX_TUPLE ? (uint64_t)node->count * node->count >> 16 : 0;
}

/* Of values, those of functions count: a class declares attributes. */
static void count(const htp_syntax_node *node, bool is_in_function, htp_code_counts *counts)
{
    enum cost cost = cost_of(node);
    counts->operations += (cost == OPERATION) + tuple_operations(node);
    counts->values += cost == VALUE && is_in_function;
    is_in_function = is_in_function || node->kind == HTP_SYNTAX_FUNCTION;
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->parts[i]) {
            count(node->parts[i], is_in_function, counts);
        }
    }
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

static htp_status check_count(const htp_syntax_module *module, const htp_limits *limits,
                              uint64_t count, htp_limit limit)
{
    return count <= htp_limit_value(limits, limit)
               ? HTP_OK
               : htp_status_make(HTP_CODE_UNSUPPORTED, "%s: it has " HTP_LIMIT_FORMAT,
                                 module->code.path, HTP_LIMIT_ARGUMENTS(limits, limit));
}

htp_status htp_code_count(const htp_syntax_module *module, const htp_limits *limits,
                          htp_code_counts *counts)
{
    const htp_syntax_node *all = module->declarations;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->parts[i]->kind == HTP_SYNTAX_CLASS) {
            HTP_TRY(check_class(module, limits, all->parts[i]));
        }
    }
    count(all, false, counts);
    HTP_TRY(check_count(module, limits, counts->operations, HTP_LIMIT_OPERATIONS));
    return check_count(module, limits, counts->values, HTP_LIMIT_CODE_VALUES);
}
