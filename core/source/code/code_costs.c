/*
 * Operations and values of code, and members of classes.
 */
#include "source/code/code_syntax.h"
#include "source/code/code_tokens.h"

/* How a node is counted: as a value, unless a row says otherwise. */
enum cost { VALUE, OPERATION, NOTHING };

static enum cost cost_of(const htp_syntax_node *node)
{
    static const enum cost costs[] = {
        [HTP_SYNTAX_SEQUENCE] = NOTHING,
        [HTP_SYNTAX_ATTRIBUTE] = OPERATION,
        [HTP_SYNTAX_TUPLE] = OPERATION,
        [HTP_SYNTAX_LIST] = OPERATION,
        [HTP_SYNTAX_DICT] = OPERATION,
        [HTP_SYNTAX_LIST_COMPREHENSION] = OPERATION,
        [HTP_SYNTAX_DICT_COMPREHENSION] = OPERATION,
        [HTP_SYNTAX_SUBSCRIPT] = OPERATION,
        [HTP_SYNTAX_SLICE] = OPERATION,
        [HTP_SYNTAX_CALL] = OPERATION,
        [HTP_SYNTAX_KEYWORD] = NOTHING, /* its value counts */
        [HTP_SYNTAX_UNARY] = OPERATION,
        [HTP_SYNTAX_BINARY] = OPERATION,
        [HTP_SYNTAX_CONDITIONAL] = OPERATION,
        [HTP_SYNTAX_AUGMENTED_ASSIGNMENT] = OPERATION,
        [HTP_SYNTAX_RAISE] = OPERATION,
        [HTP_SYNTAX_ASSERT] = OPERATION,
        [HTP_SYNTAX_IF] = OPERATION,
        [HTP_SYNTAX_WHILE] = OPERATION,
        [HTP_SYNTAX_FOR] = OPERATION,
        [HTP_SYNTAX_FUNCTION] = NOTHING,
        [HTP_SYNTAX_CLASS] = NOTHING, /* the last kind */
    };
    return costs[node->kind];
}

/* Types make no nodes, however long their names are. */
static bool is_type(const htp_syntax_node *node, uint32_t part)
{
    return (node->kind == HTP_SYNTAX_ASSIGNMENT && part == 1) ||
           (node->kind == HTP_SYNTAX_PARAMETER && part == 0) ||
           (node->kind == HTP_SYNTAX_FUNCTION && (part == 1 || part == 2));
}

/* What the elements of a tuple cost beside themselves: libtorch goes through its type for each. */
static uint64_t tuple_operations(const htp_syntax_node *node)
{
    return node->kind == HTP_SYNTAX_TUPLE ? (uint64_t)node->count * node->count >> 16 : 0;
}

/* What the escapes of a string cost: libtorch moves all that follows for each. */
static uint64_t string_operations(const htp_code_record *code, const htp_syntax_node *node)
{
    uint64_t escapes = 0;
    for (uint32_t at = node->start; node->kind == HTP_SYNTAX_STRING && at < node->end; at++) {
        const bool is_escape = code->text[at] == '\\';
        escapes += is_escape;
        at += is_escape;
    }
    return escapes * (node->end - node->start) >> 20;
}

/* Of values, those of functions count: a class declares attributes.
 * @param is_callee  its attribute belongs to the call */
static void count(const htp_code_record *code, const htp_syntax_node *node, bool is_in_function,
                  bool is_callee, htp_code_counts *counts)
{
    enum cost cost = cost_of(node);
    bool is_free = is_callee && node->kind == HTP_SYNTAX_ATTRIBUTE;
    counts->operations += (cost == OPERATION && !is_free) + tuple_operations(node);
    counts->operations += string_operations(code, node);
    counts->values += cost == VALUE && is_in_function;
    is_in_function = is_in_function || node->kind == HTP_SYNTAX_FUNCTION;
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->parts[i] && !is_type(node, i)) {
            count(code, node->parts[i], is_in_function, node->kind == HTP_SYNTAX_CALL && i == 0,
                  counts);
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

/* libtorch looks for the name of each attribute among all methods of its class, and, which is
 * faster, for each method. */
static htp_status check_pairs(const htp_syntax_module *module, const htp_syntax_node *declared,
                              htp_code_counts *counts)
{
    enum { MOST_PAIRS = 1 << 24 };
    const htp_code_record *code = &module->code;
    const htp_syntax_node *members = declared->parts[1];
    uint64_t methods = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        methods += members->parts[i]->kind == HTP_SYNTAX_FUNCTION;
    }
    counts->pairs += methods * (members->count - methods) + (methods * methods >> 6);
    return counts->pairs <= MOST_PAIRS
               ? HTP_OK
               : htp_status_make(HTP_CODE_UNSUPPORTED,
                                 "%s: %s, line %zu: with class %.*s, there are more than %d pairs "
                                 "of a method and a member of one class, which libtorch compares; "
                                 "move methods or attributes to other classes",
                                 code->path, code->name, htp_code_line(code, declared->start),
                                 (int)declared->name_bytes, code->text + declared->name,
                                 MOST_PAIRS);
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
            HTP_TRY(check_pairs(module, all->parts[i], counts));
        }
    }
    count(&module->code, all, false, false, counts);
    HTP_TRY(check_count(module, limits, counts->operations, HTP_LIMIT_OPERATIONS));
    return check_count(module, limits, counts->values, HTP_LIMIT_CODE_VALUES);
}
