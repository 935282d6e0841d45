/*
 * The state of the parser (source/code/code_syntax.h): a stack of nodes, and the next token.
 * Private to core/source/code.
 *
 * A parser function pushes its node, or NULL if it is absent. htp_parser_fold() replaces the
 * uppermost nodes by one that has them as parts.
 */
#ifndef HTP_SOURCE_CODE_PARSER_H
#define HTP_SOURCE_CODE_PARSER_H

#include "base/vector.h"
#include "source/code/code_syntax.h"
#include "source/code/code_tokens.h"

typedef struct htp_parser {
    htp_arena *arena;
    const htp_code_record *code;
    const htp_code_token *next; /* after the current one; at the end, END itself */
    htp_code_token current;
    uint32_t depth; /* of recursive calls, which the file controls */
    HTP_VECTOR(htp_syntax_node *) stack;
} htp_parser;

/** Parses an item, and pushes it. */
typedef htp_status (*htp_parse_fn)(htp_parser *parser);

/** Begins with the first token. */
void htp_parser_begin(htp_parser *parser, htp_arena *arena, const htp_code_record *code,
                      const htp_code_token_list *tokens);

/** Goes on to the next token. */
static inline void htp_parser_advance(htp_parser *parser)
{
    parser->current = *parser->next;
    parser->next += parser->current.kind != HTP_TOKEN_END;
}

/** Whether the current token is of a kind. */
static inline bool htp_parser_is_at(const htp_parser *parser, uint32_t kind)
{
    return parser->current.kind == kind;
}

/** Consumes a token of a kind, which must come next. */
HTP_MUST_USE htp_status htp_parser_expect(htp_parser *parser, uint32_t kind);

/** Makes the failure that the current token is not @p wanted. */
HTP_MUST_USE htp_status htp_parser_fail(const htp_parser *parser, const char *wanted);

/** Enters a level of recursive calls. The caller leaves it by parser->depth--. */
HTP_MUST_USE htp_status htp_parser_enter(htp_parser *parser);

/** Pushes NULL. */
void htp_parser_push_nothing(htp_parser *parser);

/** Replaces the uppermost @p count nodes by one that has them as parts and begins with @p token. */
HTP_MUST_USE htp_status htp_parser_fold(htp_parser *parser, htp_syntax_kind kind,
                                        const htp_code_token *token, uint32_t count);

/** The uppermost node; NULL for an absent part. */
static inline htp_syntax_node *htp_parser_top(const htp_parser *parser)
{
    return parser->stack.items[parser->stack.count - 1];
}

/** Sets the name of the uppermost node to a token. */
void htp_parser_name(htp_parser *parser, const htp_code_token *token);

/** Consumes a name, which must come next. @param name  receives its token */
HTP_MUST_USE htp_status htp_parser_take_name(htp_parser *parser, htp_code_token *name);

/**
 * Parses a comma-separated sequence, and the token @p end, which may follow a comma.
 * @param end    0: the sequence ends at an item that no comma follows.
 * @param count  receives the number of items.
 */
HTP_MUST_USE htp_status htp_parser_list(htp_parser *parser, uint32_t end, htp_parse_fn parse,
                                        uint32_t *count);

/** An expression. */
HTP_MUST_USE htp_status htp_parse_expression(htp_parser *parser);

/** A possible target: an expression without comparisons and weaker operators. */
HTP_MUST_USE htp_status htp_parse_target(htp_parser *parser);

/** An expression, or a tuple of comma-separated ones. */
HTP_MUST_USE htp_status htp_parse_expression_or_tuple(htp_parser *parser);

#endif
