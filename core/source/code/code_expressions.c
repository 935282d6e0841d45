/*
 * Expressions of TorchScript's code. Precedences are libtorch's, which differ from Python's: "and"
 * and "or" bind equally.
 */
#include "source/code/code_parser.h"

enum {
    TARGET_BINDING = 4, /* targets have stronger operators only */
};

static const struct binding {
    uint32_t kind;
    uint32_t binding; /* precedence, from 1 */
} binary_operators[] = {
    {HTP_TOKEN_IF, 1},
    {HTP_TOKEN_FOR, 1},
    {HTP_TOKEN_AND, 2},
    {HTP_TOKEN_OR, 2},
    {HTP_TOKEN_IN, 4},
    {HTP_TOKEN_NOT_IN, 4},
    {'<', 4},
    {'>', 4},
    {HTP_TOKEN_IS, 4},
    {HTP_TOKEN_IS_NOT, 4},
    {HTP_TOKEN_EQUAL, 4},
    {HTP_TOKEN_LESS_EQUAL, 4},
    {HTP_TOKEN_GREATER_EQUAL, 4},
    {HTP_TOKEN_NOT_EQUAL, 4},
    {'|', 5},
    {'^', 6},
    {'&', 7},
    {HTP_TOKEN_LEFT_SHIFT, 8},
    {HTP_TOKEN_RIGHT_SHIFT, 8},
    {'+', 9},
    {'-', 9},
    {'*', 10},
    {'/', 10},
    {HTP_TOKEN_FLOOR_DIVIDE, 10},
    {'%', 10},
    {'@', 10},
    {HTP_TOKEN_POWER, 11},
};

static const struct binding unary_operators[] = {
    {HTP_TOKEN_NOT, 3}, {'~', 3}, {'-', 10}, {'*', 10}};

/* Tokens that are values. */
static const struct literal {
    uint32_t kind;
    htp_syntax_kind node;
} literals[] = {
    {HTP_TOKEN_NUMBER, HTP_SYNTAX_NUMBER},  {HTP_TOKEN_TRUE, HTP_SYNTAX_TRUE},
    {HTP_TOKEN_FALSE, HTP_SYNTAX_FALSE},    {HTP_TOKEN_NONE, HTP_SYNTAX_NONE},
    {HTP_TOKEN_NONE_TYPE, HTP_SYNTAX_NONE}, {HTP_TOKEN_ELLIPSIS, HTP_SYNTAX_ELLIPSIS},
    {HTP_TOKEN_DOTS, HTP_SYNTAX_ELLIPSIS},
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* The precedence of an operator; 0 for other tokens. */
static uint32_t binding_of(const struct binding *rows, size_t count, uint32_t kind)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].kind == kind) {
            return rows[i].binding;
        }
    }
    return 0;
}

static htp_status parse_above(htp_parser *parser, uint32_t binding);

/* ---- brackets ---- */

/* Tokens that may follow the comma of a one-element tuple. */
static bool follows_tuple(uint32_t kind)
{
    static const uint32_t kinds[] = {
        HTP_TOKEN_ADD_ASSIGN,
        HTP_TOKEN_SUBTRACT_ASSIGN,
        HTP_TOKEN_MULTIPLY_ASSIGN,
        HTP_TOKEN_DIVIDE_ASSIGN,
        HTP_TOKEN_REMAINDER_ASSIGN,
        HTP_TOKEN_OR_ASSIGN,
        HTP_TOKEN_AND_ASSIGN,
        HTP_TOKEN_XOR_ASSIGN,
        HTP_TOKEN_LEFT_SHIFT_ASSIGN,
        HTP_TOKEN_RIGHT_SHIFT_ASSIGN,
        HTP_TOKEN_POWER_ASSIGN,
        HTP_TOKEN_NEWLINE,
        '=',
        ')',
    };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i] == kind) {
            return true;
        }
    }
    return false;
}

htp_status htp_parse_expression_or_tuple(htp_parser *parser)
{
    HTP_TRY(htp_parse_expression(parser));
    if (!htp_parser_is_at(parser, ',')) {
        return HTP_OK;
    }
    const htp_syntax_node *first = htp_parser_top(parser);
    const htp_code_token token = {0, first->start, first->end};
    uint32_t count = 1;
    while (htp_parser_is_at(parser, ',')) {
        htp_parser_advance(parser);
        if (follows_tuple(parser->current.kind)) {
            break;
        }
        HTP_TRY(htp_parse_expression(parser));
        count++;
    }
    return htp_parser_fold(parser, HTP_SYNTAX_TUPLE, &token, count);
}

static htp_status parse_parentheses(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    htp_parser_advance(parser);
    if (htp_parser_is_at(parser, ')')) {
        htp_parser_advance(parser);
        return htp_parser_fold(parser, HTP_SYNTAX_TUPLE, &token, 0);
    }
    HTP_TRY(htp_parse_expression_or_tuple(parser));
    return htp_parser_expect(parser, ')');
}

/* A list of a single comprehension is the comprehension. */
static htp_status parse_list(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    uint32_t count = 0;
    htp_parser_advance(parser);
    HTP_TRY(htp_parser_list(parser, ']', htp_parse_expression, &count));
    if (count == 1 && htp_parser_top(parser)->kind == HTP_SYNTAX_LIST_COMPREHENSION) {
        return HTP_OK;
    }
    return htp_parser_fold(parser, HTP_SYNTAX_LIST, &token, count);
}

/* Folds a dict of a single "key: value for ...": the key, and the parts of the rest. */
static htp_status fold_comprehension(htp_parser *parser, const htp_code_token *token)
{
    const htp_syntax_node *rest = htp_parser_top(parser);
    parser->stack.count--;
    for (uint32_t i = 0; i < rest->count; i++) {
        HTP_PUSH(parser->arena, &parser->stack, (htp_syntax_node *)rest->parts[i]);
    }
    return htp_parser_fold(parser, HTP_SYNTAX_DICT_COMPREHENSION, token, 1 + rest->count);
}

/* No comma may follow the last value. */
static htp_status parse_dict(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    uint32_t count = 0;
    htp_parser_advance(parser);
    for (bool goes_on = !htp_parser_is_at(parser, '}'); goes_on; count += 2) {
        HTP_TRY(htp_parse_expression(parser));
        HTP_TRY(htp_parser_expect(parser, ':'));
        HTP_TRY(htp_parse_expression(parser));
        goes_on = htp_parser_is_at(parser, ',');
        if (goes_on) {
            htp_parser_advance(parser);
        }
    }
    HTP_TRY(htp_parser_expect(parser, '}'));
    if (count == 2 && htp_parser_top(parser)->kind == HTP_SYNTAX_LIST_COMPREHENSION) {
        return fold_comprehension(parser, &token);
    }
    return htp_parser_fold(parser, HTP_SYNTAX_DICT, &token, count);
}

/* ---- attributes, subscripts and calls ---- */

static htp_status parse_attribute(htp_parser *parser)
{
    htp_code_token name;
    htp_parser_advance(parser);
    HTP_TRY(htp_parser_take_name(parser, &name));
    HTP_TRY(htp_parser_fold(parser, HTP_SYNTAX_ATTRIBUTE, &name, 1));
    htp_parser_name(parser, &name);
    return HTP_OK;
}

static htp_status parse_argument(htp_parser *parser)
{
    const htp_code_token name = parser->current;
    if (name.kind != HTP_TOKEN_NAME || parser->next->kind != '=') {
        return htp_parse_expression(parser);
    }
    htp_parser_advance(parser);
    htp_parser_advance(parser);
    HTP_TRY(htp_parse_expression(parser));
    HTP_TRY(htp_parser_fold(parser, HTP_SYNTAX_KEYWORD, &name, 1));
    htp_parser_name(parser, &name);
    return HTP_OK;
}

static htp_status parse_call(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    uint32_t count = 0;
    htp_parser_advance(parser);
    HTP_TRY(htp_parser_list(parser, ')', parse_argument, &count));
    return htp_parser_fold(parser, HTP_SYNTAX_CALL, &token, 1 + count);
}

/* The end or step of a slice; absent if the next token already follows it. */
static htp_status parse_bound(htp_parser *parser, bool may_colon_follow)
{
    if (htp_parser_is_at(parser, ',') || htp_parser_is_at(parser, ']') ||
        (may_colon_follow && htp_parser_is_at(parser, ':'))) {
        htp_parser_push_nothing(parser);
        return HTP_OK;
    }
    return htp_parse_expression(parser);
}

static htp_status parse_subscript(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    if (token.kind == ':') {
        htp_parser_push_nothing(parser);
    } else {
        HTP_TRY(htp_parse_expression(parser));
    }
    if (!htp_parser_is_at(parser, ':')) {
        return HTP_OK;
    }
    htp_parser_advance(parser);
    HTP_TRY(parse_bound(parser, true));
    if (htp_parser_is_at(parser, ':')) {
        htp_parser_advance(parser);
        HTP_TRY(parse_bound(parser, false));
    } else {
        htp_parser_push_nothing(parser);
    }
    return htp_parser_fold(parser, HTP_SYNTAX_SLICE, &token, 3);
}

static htp_status parse_subscripts(htp_parser *parser)
{
    htp_code_token token = parser->current;
    uint32_t count = 0;
    htp_parser_advance(parser);
    if (htp_parser_is_at(parser, ']')) { /* libtorch looks for the first one without a check */
        return htp_parser_fail(parser, "a subscript");
    }
    HTP_TRY(htp_parser_list(parser, ']', parse_subscript, &count));
    token.end = parser->current.start;
    return htp_parser_fold(parser, HTP_SYNTAX_SUBSCRIPT, &token, 1 + count);
}

/* ---- values ---- */

static htp_status parse_strings(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    while (htp_parser_is_at(parser, HTP_TOKEN_STRING)) {
        htp_parser_advance(parser);
    }
    return htp_parser_fold(parser, HTP_SYNTAX_STRING, &token, 0);
}

static htp_status parse_word(htp_parser *parser)
{
    htp_code_token token = parser->current;
    for (size_t i = 0; i < COUNT(literals); i++) {
        if (literals[i].kind == token.kind) {
            htp_parser_advance(parser);
            return htp_parser_fold(parser, literals[i].node, &token, 0);
        }
    }
    HTP_TRY(htp_parser_take_name(parser, &token));
    HTP_TRY(htp_parser_fold(parser, HTP_SYNTAX_NAME, &token, 0));
    htp_parser_name(parser, &token);
    return HTP_OK;
}

/* A value, its attributes, subscripts and calls. */
static htp_status parse_value(htp_parser *parser)
{
    switch (parser->current.kind) {
    case '(':
        HTP_TRY(parse_parentheses(parser));
        break;
    case '[':
        HTP_TRY(parse_list(parser));
        break;
    case '{':
        HTP_TRY(parse_dict(parser));
        break;
    case HTP_TOKEN_STRING:
        HTP_TRY(parse_strings(parser));
        break;
    default:
        HTP_TRY(parse_word(parser));
    }
    for (;;) {
        switch (parser->current.kind) {
        case '.':
            HTP_TRY(parse_attribute(parser));
            break;
        case '(':
            HTP_TRY(parse_call(parser));
            break;
        case '[':
            HTP_TRY(parse_subscripts(parser));
            break;
        default:
            return HTP_OK;
        }
    }
}

/* ---- operators ---- */

static htp_status fold_operator(htp_parser *parser, htp_syntax_kind kind,
                                const htp_code_token *token, uint32_t operation, uint32_t count)
{
    HTP_TRY(htp_parser_fold(parser, kind, token, count));
    htp_parser_top(parser)->operation = operation;
    return HTP_OK;
}

/* The value is on the stack; the condition and the other value follow. */
static htp_status parse_conditional(htp_parser *parser, const htp_code_token *token)
{
    HTP_TRY(htp_parse_expression(parser));
    htp_syntax_node **two = parser->stack.items + parser->stack.count - 2;
    htp_syntax_node *condition = two[1];
    two[1] = two[0];
    two[0] = condition;
    HTP_TRY(htp_parser_expect(parser, HTP_TOKEN_ELSE));
    HTP_TRY(parse_above(parser, 0));
    return htp_parser_fold(parser, HTP_SYNTAX_CONDITIONAL, token, 3);
}

static htp_status parse_comprehension(htp_parser *parser, const htp_code_token *token)
{
    HTP_TRY(htp_parse_target(parser));
    HTP_TRY(htp_parser_expect(parser, HTP_TOKEN_IN));
    HTP_TRY(htp_parse_expression(parser));
    return htp_parser_fold(parser, HTP_SYNTAX_LIST_COMPREHENSION, token, 3);
}

/* The right side of an operator whose left side is on the stack. */
static htp_status parse_right(htp_parser *parser, const htp_code_token *token, uint32_t binding)
{
    switch (token->kind) {
    case HTP_TOKEN_IF:
        return parse_conditional(parser, token);
    case HTP_TOKEN_FOR:
        return parse_comprehension(parser, token);
    case HTP_TOKEN_NOT_IN:
        HTP_TRY(parse_above(parser, binding));
        HTP_TRY(fold_operator(parser, HTP_SYNTAX_BINARY, token, HTP_TOKEN_IN, 2));
        return fold_operator(parser, HTP_SYNTAX_UNARY, token, HTP_TOKEN_NOT, 1);
    case HTP_TOKEN_POWER: /* right-associative */
        HTP_TRY(parse_above(parser, binding - 1));
        return fold_operator(parser, HTP_SYNTAX_BINARY, token, token->kind, 2);
    default:
        HTP_TRY(parse_above(parser, binding));
        return fold_operator(parser, HTP_SYNTAX_BINARY, token, token->kind, 2);
    }
}

static htp_status parse_left(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    const uint32_t binding = binding_of(unary_operators, COUNT(unary_operators), token.kind);
    if (binding == 0) {
        return parse_value(parser);
    }
    htp_parser_advance(parser);
    HTP_TRY(parse_above(parser, binding));
    return fold_operator(parser, token.kind == '*' ? HTP_SYNTAX_STARRED : HTP_SYNTAX_UNARY, &token,
                         token.kind, 1);
}

/* The longest expression whose operators bind stronger than @p binding. */
static htp_status parse_above(htp_parser *parser, uint32_t binding)
{
    HTP_TRY(htp_parser_enter(parser));
    HTP_TRY(parse_left(parser));
    for (;;) {
        const htp_code_token token = parser->current;
        const uint32_t next = binding_of(binary_operators, COUNT(binary_operators), token.kind);
        if (next <= binding) {
            parser->depth--;
            return HTP_OK;
        }
        htp_parser_advance(parser);
        HTP_TRY(parse_right(parser, &token, next));
    }
}

htp_status htp_parse_expression(htp_parser *parser)
{
    return parse_above(parser, 0);
}

htp_status htp_parse_target(htp_parser *parser)
{
    return parse_above(parser, TARGET_BINDING);
}
