/*
 * The lexer of TorchScript's code, which splits exactly like libtorch's: the checked code must be
 * the compiled code. Private to core/source.
 *
 * Tokens are Python's, with these exceptions: strings have no prefix; "is not" and "not in" are one
 * token if a single blank separates the words, whatever follows ("not int" begins with "not in");
 * numbers are C's, and complex ones end with "j"; "# type:" is a token. Line ends within brackets
 * are not tokens.
 *
 * Reference: libtorch's csrc/jit/frontend/lexer.h.
 */
#ifndef HTP_SOURCE_CODE_TOKENS_H
#define HTP_SOURCE_CODE_TOKENS_H

#include "source/code/code.h"

#include <stdbool.h>
#include <stdint.h>

enum { HTP_TOKEN_BLOCK_LIMIT = 500 };

/** Single characters are kinds of their own. */
enum {
    HTP_TOKEN_FIRST = 256,
#define TOKEN(id, name, text) HTP_TOKEN_##id,
#include "source/code/code_tokens.def"
#undef TOKEN
};

typedef struct htp_code_token {
    uint32_t kind;
    uint32_t start; /* in the text; for line ends and indents, that of the next line's blanks */
    uint32_t end;
} htp_code_token;

/** The tokens of a record, up to END. */
typedef struct htp_code_token_list {
    htp_code_token *items;
    size_t count;
    size_t capacity;
} htp_code_token_list;

/** The state of the lexer. */
typedef struct htp_code_tokens {
    const htp_code_record *code;
    uint32_t at;
    uint32_t blanks;  /* start of the blanks before the next token */
    uint32_t nesting; /* open brackets; wraps around after a closing bracket too many */
    uint32_t blocks;
    uint32_t indents[HTP_TOKEN_BLOCK_LIMIT + 1]; /* blanks before lines, by block */
    uint32_t dedents;                            /* DEDENT tokens that are still to come */
} htp_code_tokens;

/** Begins with the first token of a record of less than 4 GiB. */
void htp_code_tokens_begin(htp_code_tokens *tokens, const htp_code_record *code);

/**
 * Reads the next token; after the last one, always END. Refuses with HTP_CODE_BAD_INPUT invalid
 * tokens, inconsistent indents, and blocks nested too deep.
 */
HTP_MUST_USE htp_status htp_code_tokens_next(htp_code_tokens *tokens, htp_code_token *token);

/** The name of a kind in messages. @p buffer holds the name of a single character. */
const char *htp_code_token_name(uint32_t kind, char buffer[2]);

/** The line, from 1, of an offset in the text. Linear in the text, so only for messages. */
size_t htp_code_line(const htp_code_record *code, size_t offset);

/** Makes the failure of code with more than @p limit of something ("blocks are nested"), the last
 * of which begins at @p offset. */
HTP_MUST_USE htp_status htp_code_refuse(const htp_code_record *code, size_t offset,
                                        const char *what, int limit);

#endif
