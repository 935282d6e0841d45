/*
 * Statements and declarations of TorchScript's code, and its records.
 */
#include "source/code/code_syntax.h"

#include "source/code/code_parser.h"

#include <string.h>

static htp_status parse_statement(htp_parser *parser);
static htp_status parse_function(htp_parser *parser);

/* ---- statements on a line ---- */

/* The operator of an augmented assignment, by its token. */
static uint32_t augmented_operator(uint32_t kind)
{
    static const uint32_t operators[][2] = {
        {HTP_TOKEN_ADD_ASSIGN, '+'},
        {HTP_TOKEN_SUBTRACT_ASSIGN, '-'},
        {HTP_TOKEN_MULTIPLY_ASSIGN, '*'},
        {HTP_TOKEN_DIVIDE_ASSIGN, '/'},
        {HTP_TOKEN_REMAINDER_ASSIGN, '%'},
        {HTP_TOKEN_OR_ASSIGN, '|'},
        {HTP_TOKEN_AND_ASSIGN, '&'},
        {HTP_TOKEN_XOR_ASSIGN, '^'},
        {HTP_TOKEN_LEFT_SHIFT_ASSIGN, HTP_TOKEN_LEFT_SHIFT},
        {HTP_TOKEN_RIGHT_SHIFT_ASSIGN, HTP_TOKEN_RIGHT_SHIFT},
        {HTP_TOKEN_POWER_ASSIGN, HTP_TOKEN_POWER},
    };
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (operators[i][0] == kind) {
            return operators[i][1];
        }
    }
    return 0;
}

static htp_status fold_line(htp_parser *parser, htp_syntax_kind kind, const htp_code_token *token,
                            uint32_t count)
{
    HTP_TRY(htp_parser_expect(parser, HTP_TOKEN_NEWLINE));
    return htp_parser_fold(parser, kind, token, count);
}

/* ": type", or nothing. */
static htp_status parse_annotation(htp_parser *parser)
{
    if (!htp_parser_is_at(parser, ':')) {
        htp_parser_push_nothing(parser);
        return HTP_OK;
    }
    htp_parser_advance(parser);
    return htp_parse_expression(parser);
}

/* Further targets and the value. The first target and its type are on the stack. */
static htp_status parse_targets(htp_parser *parser, const htp_code_token *token)
{
    uint32_t count = 2;
    for (; htp_parser_is_at(parser, '='); count++) {
        htp_parser_advance(parser);
        HTP_TRY(htp_parse_expression_or_tuple(parser));
    }
    if (count == 2) {
        htp_parser_push_nothing(parser);
        count++;
    }
    return fold_line(parser, HTP_SYNTAX_ASSIGNMENT, token, count);
}

/* An expression statement, or an assignment. */
static htp_status parse_expression_line(htp_parser *parser)
{
    HTP_TRY(htp_parse_expression_or_tuple(parser));
    const htp_syntax_node *left = htp_parser_top(parser);
    const htp_code_token token = {0, left->start, left->end};
    if (htp_parser_is_at(parser, HTP_TOKEN_NEWLINE)) {
        return fold_line(parser, HTP_SYNTAX_EXPRESSION, &token, 1);
    }
    HTP_TRY(parse_annotation(parser));
    const uint32_t operation = augmented_operator(parser->current.kind);
    if (operation == 0) {
        return htp_parser_is_at(parser, '=') || htp_parser_top(parser)
                   ? parse_targets(parser, &token)
                   : htp_parser_expect(parser, HTP_TOKEN_NEWLINE);
    }
    parser->stack.count--; /* libtorch drops the type */
    htp_parser_advance(parser);
    HTP_TRY(htp_parse_expression_or_tuple(parser));
    HTP_TRY(fold_line(parser, HTP_SYNTAX_AUGMENTED_ASSIGNMENT, &token, 2));
    htp_parser_top(parser)->operation = operation;
    return HTP_OK;
}

static htp_status parse_return(htp_parser *parser, const htp_code_token *token)
{
    if (htp_parser_is_at(parser, HTP_TOKEN_NEWLINE)) {
        htp_parser_push_nothing(parser);
    } else {
        HTP_TRY(htp_parse_expression_or_tuple(parser));
    }
    return fold_line(parser, HTP_SYNTAX_RETURN, token, 1);
}

static htp_status parse_raise(htp_parser *parser, const htp_code_token *token)
{
    HTP_TRY(htp_parse_expression(parser));
    return fold_line(parser, HTP_SYNTAX_RAISE, token, 1);
}

static htp_status parse_assert(htp_parser *parser, const htp_code_token *token)
{
    HTP_TRY(htp_parse_expression(parser));
    if (htp_parser_is_at(parser, ',')) {
        htp_parser_advance(parser);
        HTP_TRY(htp_parse_expression(parser));
    } else {
        htp_parser_push_nothing(parser);
    }
    return fold_line(parser, HTP_SYNTAX_ASSERT, token, 2);
}

static htp_status parse_delete(htp_parser *parser, const htp_code_token *token)
{
    uint32_t count = 0;
    HTP_TRY(htp_parser_list(parser, 0, htp_parse_expression, &count));
    return fold_line(parser, HTP_SYNTAX_DELETE, token, count);
}

static htp_status parse_name(htp_parser *parser)
{
    htp_code_token name;
    HTP_TRY(htp_parser_take_name(parser, &name));
    HTP_TRY(htp_parser_fold(parser, HTP_SYNTAX_NAME, &name, 0));
    htp_parser_name(parser, &name);
    return HTP_OK;
}

static htp_status parse_global(htp_parser *parser, const htp_code_token *token)
{
    uint32_t count = 0;
    HTP_TRY(htp_parser_list(parser, 0, parse_name, &count));
    return fold_line(parser, HTP_SYNTAX_GLOBAL, token, count);
}

static htp_status parse_pass(htp_parser *parser, const htp_code_token *token)
{
    return fold_line(parser, HTP_SYNTAX_PASS, token, 0);
}

static htp_status parse_break(htp_parser *parser, const htp_code_token *token)
{
    return fold_line(parser, HTP_SYNTAX_BREAK, token, 0);
}

static htp_status parse_continue(htp_parser *parser, const htp_code_token *token)
{
    return fold_line(parser, HTP_SYNTAX_CONTINUE, token, 0);
}

/* ---- statements with blocks ---- */

/* Statements up to the end of the current block. */
static htp_status parse_rest_of_block(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    uint32_t count = 0;
    do {
        HTP_TRY(parse_statement(parser));
        count++;
    } while (!htp_parser_is_at(parser, HTP_TOKEN_DEDENT));
    htp_parser_advance(parser);
    return htp_parser_fold(parser, HTP_SYNTAX_SEQUENCE, &token, count);
}

static htp_status parse_block(htp_parser *parser)
{
    HTP_TRY(htp_parser_expect(parser, HTP_TOKEN_INDENT));
    return parse_rest_of_block(parser);
}

static htp_status parse_colon_and_block(htp_parser *parser)
{
    HTP_TRY(htp_parser_expect(parser, ':'));
    return parse_block(parser);
}

/* "elif" is an "if" in the block of an "else". */
static htp_status parse_if(htp_parser *parser, const htp_code_token *token)
{
    HTP_TRY(htp_parser_enter(parser));
    HTP_TRY(htp_parse_expression(parser));
    HTP_TRY(parse_colon_and_block(parser));
    const htp_code_token other = parser->current;
    if (other.kind == HTP_TOKEN_ELSE) {
        htp_parser_advance(parser);
        HTP_TRY(parse_colon_and_block(parser));
    } else if (other.kind == HTP_TOKEN_ELIF) {
        htp_parser_advance(parser);
        HTP_TRY(parse_if(parser, &other));
        HTP_TRY(htp_parser_fold(parser, HTP_SYNTAX_SEQUENCE, &other, 1));
    } else {
        htp_parser_push_nothing(parser);
    }
    parser->depth--;
    return htp_parser_fold(parser, HTP_SYNTAX_IF, token, 3);
}

static htp_status parse_while(htp_parser *parser, const htp_code_token *token)
{
    HTP_TRY(htp_parse_expression(parser));
    HTP_TRY(parse_colon_and_block(parser));
    return htp_parser_fold(parser, HTP_SYNTAX_WHILE, token, 2);
}

/* A comma-separated sequence. */
static htp_status parse_sequence(htp_parser *parser, uint32_t end, htp_parse_fn parse)
{
    const htp_code_token token = parser->current;
    uint32_t count = 0;
    HTP_TRY(htp_parser_list(parser, end, parse, &count));
    return htp_parser_fold(parser, HTP_SYNTAX_SEQUENCE, &token, count);
}

static htp_status parse_for(htp_parser *parser, const htp_code_token *token)
{
    HTP_TRY(parse_sequence(parser, HTP_TOKEN_IN, htp_parse_target));
    HTP_TRY(parse_sequence(parser, ':', htp_parse_expression));
    HTP_TRY(parse_block(parser));
    return htp_parser_fold(parser, HTP_SYNTAX_FOR, token, 3);
}

static htp_status parse_with_item(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    HTP_TRY(htp_parse_expression(parser));
    if (htp_parser_is_at(parser, HTP_TOKEN_AS)) {
        htp_parser_advance(parser);
        HTP_TRY(parse_name(parser));
    } else {
        htp_parser_push_nothing(parser);
    }
    return htp_parser_fold(parser, HTP_SYNTAX_WITH_ITEM, &token, 2);
}

static htp_status parse_with(htp_parser *parser, const htp_code_token *token)
{
    HTP_TRY(parse_sequence(parser, ':', parse_with_item));
    HTP_TRY(parse_block(parser));
    return htp_parser_fold(parser, HTP_SYNTAX_WITH, token, 2);
}

/* ---- all statements ---- */

/* Statements by their first word, and parsers of the rest. */
static const struct statement {
    uint32_t token;
    htp_status (*parse)(htp_parser *parser, const htp_code_token *token);
} statements[] = {
    {HTP_TOKEN_IF, parse_if},         {HTP_TOKEN_WHILE, parse_while},
    {HTP_TOKEN_FOR, parse_for},       {HTP_TOKEN_WITH, parse_with},
    {HTP_TOKEN_RETURN, parse_return}, {HTP_TOKEN_RAISE, parse_raise},
    {HTP_TOKEN_ASSERT, parse_assert}, {HTP_TOKEN_DELETE, parse_delete},
    {HTP_TOKEN_GLOBAL, parse_global}, {HTP_TOKEN_PASS, parse_pass},
    {HTP_TOKEN_BREAK, parse_break},   {HTP_TOKEN_CONTINUE, parse_continue},
};

static htp_status parse_begun(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
        if (statements[i].token == token.kind) {
            htp_parser_advance(parser);
            return statements[i].parse(parser, &token);
        }
    }
    return token.kind == HTP_TOKEN_DEF ? parse_function(parser) : parse_expression_line(parser);
}

static htp_status parse_statement(htp_parser *parser)
{
    HTP_TRY(htp_parser_enter(parser));
    HTP_TRY(parse_begun(parser));
    parser->depth--;
    return HTP_OK;
}

/* ---- functions ---- */

static htp_status parse_parameter(htp_parser *parser)
{
    htp_code_token name;
    HTP_TRY(htp_parser_take_name(parser, &name));
    HTP_TRY(parse_annotation(parser));
    if (htp_parser_is_at(parser, '=')) {
        htp_parser_advance(parser);
        HTP_TRY(htp_parse_expression(parser));
    } else {
        htp_parser_push_nothing(parser);
    }
    HTP_TRY(htp_parser_fold(parser, HTP_SYNTAX_PARAMETER, &name, 2));
    htp_parser_name(parser, &name);
    return HTP_OK;
}

/* A single "*" may separate parameters. */
static htp_status parse_parameters(htp_parser *parser)
{
    const htp_code_token token = parser->current;
    uint32_t count = 0;
    bool is_starred = false;
    HTP_TRY(htp_parser_expect(parser, '('));
    while (!htp_parser_is_at(parser, ')')) {
        if (!is_starred && htp_parser_is_at(parser, '*')) {
            is_starred = true;
            htp_parser_advance(parser);
        } else {
            HTP_TRY(parse_parameter(parser));
            count++;
        }
        if (!htp_parser_is_at(parser, ',')) {
            break;
        }
        htp_parser_advance(parser);
    }
    HTP_TRY(htp_parser_expect(parser, ')'));
    return htp_parser_fold(parser, HTP_SYNTAX_SEQUENCE, &token, count);
}

static htp_status parse_result_type(htp_parser *parser)
{
    if (!htp_parser_is_at(parser, HTP_TOKEN_ARROW)) {
        htp_parser_push_nothing(parser);
        return HTP_OK;
    }
    htp_parser_advance(parser);
    return htp_parse_expression(parser);
}

/* "# type: (types) -> type". The result type replaces the one on the stack, even an empty one: only
 * it says that the result is declared. */
static htp_status parse_type_comment(htp_parser *parser, bool is_line)
{
    parser->stack.count--;
    htp_parser_advance(parser);
    HTP_TRY(htp_parser_expect(parser, '('));
    HTP_TRY(parse_sequence(parser, ')', htp_parse_expression));
    HTP_TRY(parse_result_type(parser));
    htp_syntax_node **two = parser->stack.items + parser->stack.count - 2;
    htp_syntax_node *types = two[0];
    two[0] = two[1];
    two[1] = types;
    return is_line ? htp_parser_expect(parser, HTP_TOKEN_NEWLINE) : HTP_OK;
}

/* Types from a comment, then statements: a block, or those on the same line. */
static htp_status parse_body(htp_parser *parser)
{
    const bool is_block = htp_parser_is_at(parser, HTP_TOKEN_INDENT);
    if (is_block) {
        htp_parser_advance(parser);
    }
    if (htp_parser_is_at(parser, HTP_TOKEN_TYPE_COMMENT)) {
        HTP_TRY(parse_type_comment(parser, is_block));
    } else {
        htp_parser_push_nothing(parser);
    }
    if (is_block) {
        return parse_rest_of_block(parser);
    }
    const htp_code_token token = parser->current;
    HTP_TRY(parse_statement(parser));
    return htp_parser_fold(parser, HTP_SYNTAX_SEQUENCE, &token, 1);
}

static htp_status parse_function(htp_parser *parser)
{
    htp_code_token name;
    htp_parser_advance(parser);
    HTP_TRY(htp_parser_take_name(parser, &name));
    HTP_TRY(parse_parameters(parser));
    HTP_TRY(parse_result_type(parser));
    HTP_TRY(htp_parser_expect(parser, ':'));
    HTP_TRY(parse_body(parser));
    HTP_TRY(htp_parser_fold(parser, HTP_SYNTAX_FUNCTION, &name, 4));
    htp_parser_name(parser, &name);
    return HTP_OK;
}

/* ---- records ---- */

static htp_status parse_class(htp_parser *parser)
{
    htp_code_token name;
    htp_parser_advance(parser);
    HTP_TRY(htp_parser_take_name(parser, &name));
    if (htp_parser_is_at(parser, '(')) {
        htp_parser_advance(parser);
        HTP_TRY(htp_parse_expression(parser));
        HTP_TRY(htp_parser_expect(parser, ')'));
    } else {
        htp_parser_push_nothing(parser);
    }
    HTP_TRY(parse_colon_and_block(parser));
    HTP_TRY(htp_parser_fold(parser, HTP_SYNTAX_CLASS, &name, 2));
    htp_parser_name(parser, &name);
    return HTP_OK;
}

/* "op_version_set = 1" at the beginning of older files. */
static htp_status skip_version(htp_parser *parser)
{
    static const char version[] = "op_version_set";
    const htp_code_token *token = &parser->current;
    if (token->kind != HTP_TOKEN_NAME || token->end - token->start != sizeof(version) - 1 ||
        memcmp(parser->code->text + token->start, version, sizeof(version) - 1) != 0) {
        return HTP_OK;
    }
    htp_parser_advance(parser);
    HTP_TRY(htp_parser_expect(parser, '='));
    HTP_TRY(htp_parser_expect(parser, HTP_TOKEN_NUMBER));
    return htp_parser_expect(parser, HTP_TOKEN_NEWLINE);
}

/* Older files have imports that are not needed; libtorch skips to the end of the line. */
static htp_status skip_import(htp_parser *parser)
{
    while (!htp_parser_is_at(parser, HTP_TOKEN_NEWLINE) &&
           !htp_parser_is_at(parser, HTP_TOKEN_END)) {
        htp_parser_advance(parser);
    }
    return htp_parser_expect(parser, HTP_TOKEN_NEWLINE);
}

static htp_status refuse_declaration(const htp_parser *parser)
{
    const htp_code_record *code = parser->code;
    char buffer[2];
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: Unexpected token in code import: %s, in %s, line %zu", code->path,
                           htp_code_token_name(parser->current.kind, buffer), code->name,
                           htp_code_line(code, parser->current.start));
}

static htp_status parse_declarations(htp_parser *parser, uint32_t *count)
{
    HTP_TRY(skip_version(parser));
    while (!htp_parser_is_at(parser, HTP_TOKEN_END)) {
        switch (parser->current.kind) {
        case HTP_TOKEN_IMPORT:
            HTP_TRY(skip_import(parser));
            break;
        case HTP_TOKEN_CLASS:
            HTP_TRY(parse_class(parser));
            ++*count;
            break;
        case HTP_TOKEN_DEF:
            HTP_TRY(parse_function(parser));
            ++*count;
            break;
        default:
            return refuse_declaration(parser);
        }
    }
    return HTP_OK;
}

htp_status htp_syntax_read(htp_arena *arena, const htp_code_record *code,
                           const htp_code_token_list *tokens, htp_syntax_module *module)
{
    htp_parser parser;
    uint32_t count = 0;
    *module = (htp_syntax_module){.code = *code};
    htp_parser_begin(&parser, arena, &module->code, tokens);
    const htp_code_token token = parser.current;
    HTP_TRY(parse_declarations(&parser, &count));
    HTP_TRY(htp_parser_fold(&parser, HTP_SYNTAX_SEQUENCE, &token, count));
    module->declarations = htp_parser_top(&parser);
    return HTP_OK;
}
