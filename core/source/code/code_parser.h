/*
 * The state of the parser (source/code/code_syntax.h): a stack of nodes, and the next token.
 * Private to core/source/code.
 *
 * A parser function pushes its node, or NULL if it is absent; htp_parser_fold() replaces the
 * uppermost nodes by one with these parts.
 */
#ifndef HTP_SOURCE_CODE_PARSER_H
#define HTP_SOURCE_CODE_PARSER_H

#include "base/vector.h"
#include "source/code/code_syntax.h"
#include "source/code/code_tokens.h"

typedef struct htp_parser {
    htp_arena *arena;
    const htp_code_record *code;
    const htp_code_token *next; /* behind the current one; END itself behind END */
    htp_code_token current;
    uint32_t depth; /* of calls that a file decides */
    HTP_VECTOR(htp_syntax_node *) stack;
} htp_parser;

/** Parses something. */
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

/** Goes on behind a token of a kind, which must be there. */
HTP_MUST_USE htp_status htp_parser_expect(htp_parser *parser, uint32_t kind);

/** The failure that follows where the current token is not @p wanted. */
HTP_MUST_USE htp_status htp_parser_fail(const htp_parser *parser, const char *wanted);

/** Counts one more level of calls; whoever enters leaves by parser->depth--. */
HTP_MUST_USE htp_status htp_parser_enter(htp_parser *parser);

/** Puts NULL onto the stack. */
void htp_parser_push_nothing(htp_parser *parser);

/** Makes the uppermost @p count nodes the parts of one that begins with @p token; it takes their
 * place. */
HTP_MUST_USE htp_status htp_parser_fold(htp_parser *parser, htp_syntax_kind kind,
                                        const htp_code_token *token, uint32_t count);

/** The uppermost node; NULL for an absent part. */
static inline htp_syntax_node *htp_parser_top(const htp_parser *parser)
{
    return parser->stack.items[parser->stack.count - 1];
}

/** Gives the uppermost node the name that a token is. */
void htp_parser_name(htp_parser *parser, const htp_code_token *token);

/** Goes on behind a name, which must be there, and tells where it was. */
HTP_MUST_USE htp_status htp_parser_take_name(htp_parser *parser, htp_code_token *name);

/**
 * Parses a comma-separated sequence, and the token @p end, which may follow a comma.
 * @param end    0: it ends where no comma follows.
 * @param count  of parsed items.
 */
HTP_MUST_USE htp_status htp_parser_list(htp_parser *parser, uint32_t end, htp_parse_fn parse,
                                        uint32_t *count);

/** An expression. */
HTP_MUST_USE htp_status htp_parse_expression(htp_parser *parser);

/** A possible target: an expression without comparisons and weaker operators. */
HTP_MUST_USE htp_status htp_parse_target(htp_parser *parser);

/** An expression, or a tuple of those that commas part. */
HTP_MUST_USE htp_status htp_parse_expression_or_tuple(htp_parser *parser);

#endif
