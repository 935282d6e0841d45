#include "source/code.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    BRACKET_LIMIT = 500,
    BLOCK_LIMIT = 500,
    ELIF_LIMIT = 500,
    CHAIN_LIMIT = 2000, /* tokens that neither a comma nor a line's end parts */
};

typedef struct reader {
    const htp_code_record *code;
    size_t at;
    size_t line; /* from 1 */
    uint32_t brackets;
    uint32_t chains[BRACKET_LIMIT + 1]; /* tokens, by brackets around them */
    uint32_t blocks;
    uint32_t indents[BLOCK_LIMIT + 1]; /* of the blocks */
    uint32_t elifs;
} reader;

static htp_status refuse(const reader *r, const char *what, int limit)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: cannot be read: %s, line %zu: %s more than %d, which PyTorch does "
                           "not write; save the model again",
                           r->code->path, r->code->name, r->line, what, limit);
}

static char peek(const reader *r, size_t ahead)
{
    if (r->at + ahead >= r->code->count) {
        return '\0';
    }
    return r->code->text[r->at + ahead];
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Lines that hold nothing begin no block. */
static htp_status begin_line(reader *r)
{
    uint32_t indent = 0;
    while (peek(r, 0) == ' ' || peek(r, 0) == '\t') {
        indent++;
        r->at++;
    }
    r->chains[0] = 0;
    if (peek(r, 0) == '\n' || peek(r, 0) == '\r' || peek(r, 0) == '#') {
        return HTP_OK;
    }
    while (r->blocks > 0 && r->indents[r->blocks] >= indent) {
        r->blocks--;
    }
    if (indent > 0 && ++r->blocks > BLOCK_LIMIT) {
        return refuse(r, "blocks are nested", BLOCK_LIMIT);
    }
    r->indents[r->blocks] = indent;
    return HTP_OK;
}

/* To behind the quotes that end a string; one that nothing ends ends with the code. */
static void skip_string(reader *r)
{
    const char quote = peek(r, 0);
    const size_t quotes = peek(r, 1) == quote && peek(r, 2) == quote ? 3 : 1;
    r->at += quotes;
    while (r->at < r->code->count) {
        const char c = peek(r, 0);
        if (c == '\n') {
            r->line++;
        }
        if (c == '\\') {
            r->line += peek(r, 1) == '\n';
            r->at += 2;
        } else if (c == quote && (quotes == 1 || (peek(r, 1) == quote && peek(r, 2) == quote))) {
            r->at += quotes;
            return;
        } else {
            r->at++;
        }
    }
    r->at = r->code->count;
}

/* libtorch reads types in comments. */
static void skip_comment(reader *r)
{
    static const char types[] = "# type:";
    const size_t left = r->code->count - r->at;
    if (left >= sizeof(types) - 1 && memcmp(r->code->text + r->at, types, sizeof(types) - 1) == 0) {
        r->at += sizeof(types) - 1;
        return;
    }
    while (r->at < r->code->count && peek(r, 0) != '\n') {
        r->at++;
    }
}

static htp_status read_word(reader *r)
{
    static const char elif[] = "elif";
    const char *word = r->code->text + r->at;
    size_t count = 0;
    while (is_word(peek(r, count))) {
        count++;
    }
    r->at += count;
    if (count == sizeof(elif) - 1 && memcmp(word, elif, count) == 0 && ++r->elifs > ELIF_LIMIT) {
        return refuse(r, "\"elif\" stands there", ELIF_LIMIT);
    }
    return HTP_OK;
}

static htp_status count_token(reader *r)
{
    return ++r->chains[r->brackets] > CHAIN_LIMIT ? refuse(r, "operators in a row are", CHAIN_LIMIT)
                                                  : HTP_OK;
}

static htp_status read_mark(reader *r)
{
    switch (r->code->text[r->at++]) {
    case '(':
    case '[':
    case '{':
        HTP_TRY(count_token(r));
        if (++r->brackets > BRACKET_LIMIT) {
            return refuse(r, "brackets are nested", BRACKET_LIMIT);
        }
        r->chains[r->brackets] = 0;
        return HTP_OK;
    case ')':
    case ']':
    case '}':
        r->brackets -= r->brackets > 0;
        return HTP_OK;
    case ',':
    case ':':
    case ';':
        r->chains[r->brackets] = 0;
        return HTP_OK;
    default:
        return count_token(r);
    }
}

static htp_status read_token(reader *r)
{
    const char c = peek(r, 0);
    if (c == '\n') {
        r->at++;
        r->line++;
        return r->brackets == 0 ? begin_line(r) : HTP_OK;
    }
    if (c == '\\' && peek(r, 1) == '\n') { /* the line goes on */
        r->at += 2;
        r->line++;
        return HTP_OK;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
        r->at++;
        return HTP_OK;
    }
    if (c == '#') {
        skip_comment(r);
        return HTP_OK;
    }
    if (c == '"' || c == '\'') {
        skip_string(r);
        return count_token(r);
    }
    if (is_word(c)) {
        HTP_TRY(read_word(r));
        return count_token(r);
    }
    return read_mark(r);
}

htp_status htp_code_check(const htp_code_record *code)
{
    reader r = {.code = code, .line = 1};
    HTP_TRY(begin_line(&r));
    while (r.at < code->count) {
        HTP_TRY(read_token(&r));
    }
    return HTP_OK;
}
