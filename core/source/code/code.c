#include "source/code/code.h"

#include "base/vector.h"
#include "source/code/code_tokens.h"

enum {
    BRACKET_LIMIT = 500,
    ELIF_LIMIT = 500,
    CHAIN_LIMIT = 2000, /* tokens without a comma or a line end between them */
};

typedef struct counter {
    const htp_code_record *code;
    uint32_t brackets;
    uint32_t chains[BRACKET_LIMIT + 1]; /* tokens of the current chain, by depth of brackets */
    uint32_t elifs;
} counter;

static htp_status count_link(counter *c, const htp_code_token *token)
{
    return ++c->chains[c->brackets] > CHAIN_LIMIT
               ? htp_code_refuse(c->code, token->start, "operators in a row are", CHAIN_LIMIT)
               : HTP_OK;
}

static htp_status count_token(counter *c, const htp_code_token *token)
{
    switch (token->kind) {
    case HTP_TOKEN_NEWLINE:
    case HTP_TOKEN_INDENT:
    case HTP_TOKEN_DEDENT:
    case ',':
    case ':':
        c->chains[c->brackets] = 0;
        return HTP_OK;
    case '(':
    case '[':
    case '{':
        HTP_TRY(count_link(c, token));
        if (++c->brackets > BRACKET_LIMIT) {
            return htp_code_refuse(c->code, token->start, "brackets are nested", BRACKET_LIMIT);
        }
        c->chains[c->brackets] = 0;
        return HTP_OK;
    case ')':
    case ']':
    case '}':
        c->brackets -= c->brackets > 0;
        return HTP_OK;
    case HTP_TOKEN_ELIF:
        if (++c->elifs > ELIF_LIMIT) {
            return htp_code_refuse(c->code, token->start, "\"elif\" stands there", ELIF_LIMIT);
        }
        return count_link(c, token);
    default:
        return count_link(c, token);
    }
}

htp_status htp_code_check(htp_arena *arena, const htp_code_record *code,
                          htp_code_token_list *tokens)
{
    counter c = {.code = code};
    htp_code_tokens reader;
    htp_code_token token = {0};
    tokens->count = 0;
    htp_code_tokens_begin(&reader, code);
    while (token.kind != HTP_TOKEN_END) {
        HTP_TRY(htp_code_tokens_next(&reader, &token));
        HTP_TRY(count_token(&c, &token));
        HTP_PUSH(arena, tokens, token);
    }
    return HTP_OK;
}
