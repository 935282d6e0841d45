#include "source/code/code_tokens.h"

#include <string.h>

static const struct kind {
    const char *name;
    const char *text;
    uint32_t bytes; /* of the text */
} kinds[] = {
#define TOKEN(id, name, text) {name, text, sizeof(text) - 1},
#include "source/code/code_tokens.def"
#undef TOKEN
};

enum {
    KINDS = sizeof(kinds) / sizeof(kinds[0]),
    LONGEST_WORD = 8, /* of keywords */
};

static const char characters[] = "+-*/%@()[]:,={}><.?!&^|~";

/* ---- characters, in any locale ---- */

static char peek(const htp_code_tokens *t, uint32_t ahead)
{
    const size_t at = (size_t)t->at + ahead;
    return (char)(at < t->code->count ? t->code->text[at] : '\0');
}

static bool is_end(const htp_code_tokens *t)
{
    return t->at >= t->code->count;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_text(const htp_code_tokens *t, const struct kind *kind)
{
    const char *here = t->code->text + t->at;
    return t->code->count - t->at >= kind->bytes && *here == *kind->text &&
           memcmp(here, kind->text, kind->bytes) == 0;
}

static const struct kind *row_of(uint32_t kind)
{
    return &kinds[kind - HTP_TOKEN_FIRST - 1];
}

/* ---- numbers ---- */

/* The number of digits from @p ahead on. */
static uint32_t count_digits(const htp_code_tokens *t, uint32_t ahead, bool (*is_one)(char c))
{
    uint32_t count = 0;
    while (is_one(peek(t, ahead + count))) {
        count++;
    }
    return count;
}

/* The length of digits with an optional point before or in them; 0 without a digit. */
static uint32_t measure_digits(const htp_code_tokens *t, uint32_t ahead, bool (*is_one)(char c))
{
    const uint32_t whole = count_digits(t, ahead, is_one);
    if (peek(t, ahead + whole) != '.') {
        return whole;
    }
    const uint32_t rest = count_digits(t, ahead + whole + 1, is_one);
    return whole + rest > 0 ? whole + 1 + rest : 0;
}

/* The length of an exponent, which begins with a letter (in lower case). */
static uint32_t measure_exponent(const htp_code_tokens *t, uint32_t ahead, char letter)
{
    if ((peek(t, ahead) | 0x20) != letter) {
        return 0;
    }
    const char sign = peek(t, ahead + 1);
    const uint32_t front = sign == '+' || sign == '-' ? 2 : 1;
    const uint32_t digits = count_digits(t, ahead + front, is_digit);
    return digits > 0 ? front + digits : 0;
}

/* The length of a number as for strtod(), with an optional "j"; 0: none. */
static uint32_t measure_number(const htp_code_tokens *t)
{
    uint32_t count = 0;
    if (peek(t, 0) == '0' && (peek(t, 1) | 0x20) == 'x') {
        count = measure_digits(t, 2, is_hex_digit);
        count = count > 0 ? 2 + count : 0;
        count += count > 0 ? measure_exponent(t, count, 'p') : 0;
    }
    if (count == 0) {
        count = measure_digits(t, 0, is_digit);
        count += count > 0 ? measure_exponent(t, count, 'e') : 0;
    }
    return count > 0 && peek(t, count) == 'j' ? count + 1 : count;
}

/* ---- strings, words and operators ---- */

static bool are_quotes(const htp_code_tokens *t, size_t at, char quote, size_t quotes)
{
    for (size_t i = 0; i < quotes; i++) {
        if (at + i >= t->code->count || t->code->text[at + i] != quote) {
            return false;
        }
    }
    return true;
}

/* The length of a string with its quotes; 0 if it is unterminated on its line. */
static uint32_t measure_string(const htp_code_tokens *t)
{
    const char quote = peek(t, 0);
    if (quote != '"' && quote != '\'') {
        return 0;
    }
    const size_t quotes = are_quotes(t, t->at, quote, 3) ? 3 : 1;
    size_t at = t->at + quotes;
    while (at < t->code->count && !are_quotes(t, at, quote, quotes)) {
        if (t->code->text[at] == '\n' && quotes == 1) {
            return 0;
        }
        at += t->code->text[at] == '\\' ? 2 : 1;
    }
    return at < t->code->count ? (uint32_t)(at + quotes - t->at) : 0;
}

/* A name or keyword; keywords of two words begin like one. */
static uint32_t read_word(const htp_code_tokens *t, uint32_t *kind)
{
    uint32_t count = 0;
    while (begins_name(peek(t, count)) || is_digit(peek(t, count))) {
        count++;
    }
    *kind = HTP_TOKEN_NAME;
    for (uint32_t i = HTP_TOKEN_DEF; i <= HTP_TOKEN_IN && count <= LONGEST_WORD; i++) {
        if (row_of(i)->bytes == count && is_text(t, row_of(i))) {
            *kind = i;
        }
    }
    const uint32_t longer = *kind == HTP_TOKEN_IS    ? HTP_TOKEN_IS_NOT
                            : *kind == HTP_TOKEN_NOT ? HTP_TOKEN_NOT_IN
                                                     : *kind;
    if (longer != *kind && is_text(t, row_of(longer))) {
        *kind = longer;
        return row_of(longer)->bytes;
    }
    return count;
}

/* Whether a character may be the second of an operator; most have only one. */
static bool continues_operator(char c)
{
    return c == '=' || c == '<' || c == '>' || c == '*' || c == '.' || c == '/';
}

/* The longest operator here; rows are sorted by length. 0: none. */
static uint32_t read_operator(const htp_code_tokens *t, uint32_t *kind)
{
    for (uint32_t i = HTP_TOKEN_EQUIVALENT; i <= HTP_TOKEN_ARROW && continues_operator(peek(t, 1));
         i++) {
        if (is_text(t, row_of(i))) {
            *kind = i;
            return row_of(i)->bytes;
        }
    }
    const char c = peek(t, 0);
    if (c == '\0' || !strchr(characters, c)) {
        return 0;
    }
    *kind = (unsigned char)c;
    return 1;
}

static uint32_t read_plain(const htp_code_tokens *t, uint32_t *kind)
{
    if (begins_name(peek(t, 0))) {
        return read_word(t, kind);
    }
    uint32_t count = measure_number(t);
    *kind = HTP_TOKEN_NUMBER;
    if (count == 0) {
        count = measure_string(t);
        *kind = HTP_TOKEN_STRING;
    }
    if (count > 0) {
        return count;
    }
    if (is_text(t, row_of(HTP_TOKEN_TYPE_COMMENT))) {
        *kind = HTP_TOKEN_TYPE_COMMENT;
        return row_of(HTP_TOKEN_TYPE_COMMENT)->bytes;
    }
    return read_operator(t, kind);
}

/* ---- lines ---- */

/* Skips to the next token. @return whether it begins a line; its indentation begins at
 * t->blanks. */
static bool skip_blanks(htp_code_tokens *t, bool begins_line)
{
    for (t->blanks = t->at;;) {
        while (is_blank(peek(t, 0))) {
            t->at++;
        }
        const char c = peek(t, 0);
        if (c == '#' && !is_text(t, row_of(HTP_TOKEN_TYPE_COMMENT))) {
            while (!is_end(t) && peek(t, 0) != '\n') {
                t->at++;
            }
        } else if (c == '\\' && peek(t, 1) == '\n' && !begins_line) {
            t->at += 2;
        } else if (c == '\n') {
            t->at++;
            begins_line = t->nesting == 0;
        } else {
            return begins_line;
        }
        t->blanks = t->at;
    }
}

static htp_status refuse_indent(const htp_code_tokens *t, uint32_t depth)
{
    return htp_status_make(HTP_CODE_BAD_INPUT, "%s: invalid indent level %u, in %s, line %zu",
                           t->code->path, depth, t->code->name, htp_code_line(t->code, t->blanks));
}

/* The token before a line, NEWLINE or INDENT, and how many DEDENTs follow. The end of the code has
 * the indentation of its first line. */
static htp_status begin_line(htp_code_tokens *t, uint32_t *kind)
{
    const uint32_t depth = is_end(t) ? t->indents[0] : t->at - t->blanks;
    *kind = HTP_TOKEN_NEWLINE;
    if (depth > t->indents[t->blocks]) {
        if (t->blocks == HTP_TOKEN_BLOCK_LIMIT) {
            return htp_code_refuse(t->code, t->at, "blocks are nested", HTP_TOKEN_BLOCK_LIMIT);
        }
        t->indents[++t->blocks] = depth;
        *kind = HTP_TOKEN_INDENT;
        return HTP_OK;
    }
    while (depth != t->indents[t->blocks]) {
        if (t->blocks == 0) {
            return refuse_indent(t, depth);
        }
        t->blocks--;
        t->dedents++;
    }
    return HTP_OK;
}

static htp_status refuse_character(const htp_code_tokens *t)
{
    const char c = peek(t, 0);
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: expected a valid token but found '%c' here, in %s, line %zu",
                           t->code->path, c >= ' ' && c <= '~' ? c : '?', t->code->name,
                           htp_code_line(t->code, t->at));
}

/* ---- all of them ---- */

void htp_code_tokens_begin(htp_code_tokens *tokens, const htp_code_record *code)
{
    *tokens = (htp_code_tokens){.code = code};
    (void)skip_blanks(tokens, true);
    tokens->indents[0] = tokens->at - tokens->blanks;
}

static void count_brackets(htp_code_tokens *t, uint32_t kind)
{
    t->nesting += kind == '(' || kind == '[' || kind == '{';
    t->nesting -= kind == ')' || kind == ']' || kind == '}';
}

htp_status htp_code_tokens_next(htp_code_tokens *tokens, htp_code_token *token)
{
    if (tokens->dedents > 0) {
        tokens->dedents--;
        *token = (htp_code_token){HTP_TOKEN_DEDENT, tokens->blanks, tokens->at};
        return HTP_OK;
    }
    if (skip_blanks(tokens, false)) {
        *token = (htp_code_token){HTP_TOKEN_NEWLINE, tokens->blanks, tokens->at};
        return begin_line(tokens, &token->kind);
    }
    *token = (htp_code_token){HTP_TOKEN_END, tokens->at, tokens->at};
    if (is_end(tokens)) {
        return HTP_OK;
    }
    const uint32_t bytes = read_plain(tokens, &token->kind);
    if (bytes == 0) {
        return refuse_character(tokens);
    }
    count_brackets(tokens, token->kind);
    tokens->at += bytes;
    token->end = tokens->at;
    return HTP_OK;
}

const char *htp_code_token_name(uint32_t kind, char buffer[2])
{
    if (kind > HTP_TOKEN_FIRST && kind <= HTP_TOKEN_FIRST + KINDS) {
        return row_of(kind)->name;
    }
    buffer[0] = (char)kind;
    buffer[1] = '\0';
    return buffer;
}

size_t htp_code_line(const htp_code_record *code, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset && i < code->count; i++) {
        line += code->text[i] == '\n';
    }
    return line;
}

htp_status htp_code_refuse(const htp_code_record *code, size_t offset, const char *what, int limit)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: cannot be read: %s, line %zu: %s more than %d, which PyTorch does "
                           "not write; save the model again",
                           code->path, code->name, htp_code_line(code, offset), what, limit);
}
