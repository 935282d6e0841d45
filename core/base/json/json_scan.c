#include "base/json/json_scan.h"

#include <stdint.h>
#include <string.h>

htp_json_scan htp_json_scan_of(htp_json_part part)
{
    return (htp_json_scan){.at = part.at, .end = part.at ? part.at + part.length : NULL};
}

static bool fail(htp_json_scan *scan, const char *what)
{
    scan->failure = scan->failure ? scan->failure : what;
    return false;
}

static void skip_space(htp_json_scan *scan)
{
    while (scan->at < scan->end &&
           (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' || *scan->at == '\t')) {
        scan->at++;
    }
}

/* The next byte that is no white space; NUL at the end. */
static char peek(htp_json_scan *scan)
{
    static const char end = '\0';
    skip_space(scan);
    const char *next = scan->at < scan->end ? scan->at : &end;
    return *next;
}

static bool take(htp_json_scan *scan, char expected)
{
    if (peek(scan) != expected) {
        return false;
    }
    scan->at++;
    return true;
}

/* ---- values that hold no others ---- */

static bool is_digit(const htp_json_scan *scan)
{
    return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
}

static bool skip_digits(htp_json_scan *scan)
{
    bool has_some = is_digit(scan);
    while (is_digit(scan)) {
        scan->at++;
    }
    return has_some || fail(scan, "no number");
}

static bool skip_number(htp_json_scan *scan)
{
    scan->at += *scan->at == '-';
    const char *first = scan->at;
    if (!skip_digits(scan)) {
        return false;
    }
    if (*first == '0' && scan->at - first > 1) {
        return fail(scan, "a number that begins with 0");
    }
    if (scan->at < scan->end && *scan->at == '.') {
        scan->at++;
        if (!skip_digits(scan)) {
            return false;
        }
    }
    if (scan->at == scan->end || (*scan->at != 'e' && *scan->at != 'E')) {
        return true;
    }
    scan->at++;
    scan->at += scan->at < scan->end && (*scan->at == '+' || *scan->at == '-');
    return skip_digits(scan);
}

/* The four digits of \u. */
static bool skip_code(htp_json_scan *scan, unsigned *code)
{
    enum { DIGITS = 4 };
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    *code = 0;
    for (int i = 0; i < DIGITS; i++, scan->at++) {
        const char *digit = scan->at < scan->end && *scan->at ? strchr(digits, *scan->at) : NULL;
        if (!digit) {
            return fail(scan, "an escape that there is not");
        }
        *code = *code * 16 + (unsigned)(digit - digits) % 16;
    }
    return true;
}

/* A character beyond 16 bits is a surrogate pair (RFC 8259, section 7). */
static bool skip_second_half(htp_json_scan *scan)
{
    unsigned code;
    if (scan->end - scan->at < 2 || scan->at[0] != '\\' || scan->at[1] != 'u') {
        return fail(scan, "half a character");
    }
    scan->at += 2;
    return skip_code(scan, &code) &&
           ((code >= 0xdc00 && code <= 0xdfff) || fail(scan, "half a character"));
}

static bool skip_escape(htp_json_scan *scan)
{
    unsigned code;
    if (scan->at == scan->end || !strchr("\"\\/bfnrtu", *scan->at) || *scan->at == '\0') {
        return fail(scan, "an escape that there is not");
    }
    if (*scan->at++ != 'u') {
        return true;
    }
    if (!skip_code(scan, &code)) {
        return false;
    }
    if (code == 0) {
        return fail(scan, "a NUL in a string");
    }
    if (code >= 0xdc00 && code <= 0xdfff) {
        return fail(scan, "half a character");
    }
    return code < 0xd800 || code > 0xdfff || skip_second_half(scan);
}

/* Whether one of eight bytes is a quote, a backslash or a control character; has false positives.
 */
static bool are_special(uint64_t bytes)
{
    const uint64_t ones = 0x0101010101010101U;
    uint64_t quotes = bytes ^ (ones * '"');
    uint64_t backslashes = bytes ^ (ones * '\\');
    return (((bytes - ones * 0x20) & ~bytes) | ((quotes - ones) & ~quotes) |
            ((backslashes - ones) & ~backslashes)) &
           (ones * 0x80);
}

/* Skips plain bytes of a string, eight at a time. */
static void skip_plain(htp_json_scan *scan)
{
    uint64_t bytes;
    while ((size_t)(scan->end - scan->at) >= sizeof(bytes)) {
        memcpy(&bytes, scan->at, sizeof(bytes));
        if (are_special(bytes)) {
            return;
        }
        scan->at += sizeof(bytes);
    }
}

static bool skip_string(htp_json_scan *scan)
{
    if (!take(scan, '"')) {
        return fail(scan, "no string where one must be");
    }
    skip_plain(scan);
    while (scan->at < scan->end) {
        unsigned char byte = (unsigned char)*scan->at++;
        if (byte == '"') {
            return true;
        }
        if (byte < 0x20) {
            scan->at--;
            return fail(scan, "a control character in a string");
        }
        if (byte == '\\') {
            if (!skip_escape(scan)) {
                return false;
            }
            skip_plain(scan);
        }
    }
    return fail(scan, "a string without an end");
}

static bool skip_word(htp_json_scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(scan->end - scan->at) >= length && memcmp(scan->at, words[i], length) == 0) {
            scan->at += length;
            return true;
        }
    }
    return fail(scan, "no value where one must be");
}

static bool skip_scalar(htp_json_scan *scan)
{
    char first = peek(scan);
    if (first == '"') {
        return skip_string(scan);
    }
    if (first != '-' && (first < '0' || first > '9')) {
        return skip_word(scan);
    }
    const char *number = scan->at;
    return skip_number(scan) && (scan->at - number <= HTP_JSON_LONGEST_NUMBER ||
                                 fail(scan, "a number of too many digits"));
}

/* ---- values in values ---- */

/* Open brackets. */
struct open {
    char brackets[HTP_JSON_DEEPEST];
    int depth;
};

static char closing(char bracket)
{
    return bracket == '{' ? '}' : ']';
}

static bool skip_name(htp_json_scan *scan)
{
    return skip_string(scan) && (take(scan, ':') || fail(scan, "a name without a value"));
}

/* Continues to the next position of a value. @return false if all brackets are closed, or on
 * failure */
static bool go_on(htp_json_scan *scan, struct open *open)
{
    while (open->depth > 0) {
        char bracket = open->brackets[open->depth - 1];
        if (take(scan, ',')) {
            return bracket == '[' || skip_name(scan);
        }
        if (!take(scan, closing(bracket))) {
            return fail(scan, "no comma and no bracket where one must be");
        }
        open->depth--;
    }
    return false;
}

/* Opens a bracket. @return whether a value must follow; else go_on() */
static bool enter(htp_json_scan *scan, struct open *open)
{
    char bracket = *scan->at++;
    if (open->depth == HTP_JSON_DEEPEST) {
        return fail(scan, "too many values in each other");
    }
    if (take(scan, closing(bracket))) {
        return go_on(scan, open);
    }
    open->brackets[open->depth++] = bracket;
    return bracket == '[' || skip_name(scan);
}

bool htp_json_scan_value(htp_json_scan *scan, htp_json_part *value)
{
    struct open open = {.depth = 0};
    bool needs_value = !scan->failure;
    (void)peek(scan);
    const char *begin = scan->at;
    while (needs_value) {
        char first = peek(scan);
        if (first == '{' || first == '[') {
            needs_value = enter(scan, &open);
        } else {
            needs_value = skip_scalar(scan) && go_on(scan, &open);
        }
    }
    *value = (htp_json_part){begin, (size_t)(scan->at - begin)};
    return !scan->failure;
}

bool htp_json_scan_enter(htp_json_scan *scan, char bracket)
{
    scan->is_begun = false;
    return (!scan->failure && take(scan, bracket)) || fail(scan, "no object or list");
}

/* Continues to the next member or item of the container, unless its end follows. */
static bool go_to_next(htp_json_scan *scan, char end)
{
    bool is_first = !scan->is_begun;
    scan->is_begun = true; /* the outer container has begun in any case */
    if (scan->failure || take(scan, end)) {
        return false;
    }
    return is_first || take(scan, ',') || fail(scan, "no comma and no bracket where one must be");
}

bool htp_json_scan_item(htp_json_scan *scan)
{
    return go_to_next(scan, ']');
}

bool htp_json_scan_name(htp_json_scan *scan, htp_json_part *key)
{
    if (!go_to_next(scan, '}')) {
        return false;
    }
    (void)peek(scan);
    key->at = scan->at;
    if (!skip_string(scan)) {
        return false;
    }
    key->length = (size_t)(scan->at - key->at);
    return take(scan, ':') || fail(scan, "a name without a value");
}

bool htp_json_scan_next(htp_json_scan *scan, htp_json_part *key, htp_json_part *value)
{
    bool is_there = key ? htp_json_scan_name(scan, key) : htp_json_scan_item(scan);
    return is_there && htp_json_scan_value(scan, value);
}

char htp_json_scan_peek(htp_json_scan *scan)
{
    return peek(scan);
}

bool htp_json_part_is(htp_json_part key, const char *text)
{
    size_t length = strlen(text);
    return key.length == length + 2 && memcmp(key.at + 1, text, length) == 0;
}

bool htp_json_scan_end(htp_json_scan *scan)
{
    return !scan->failure && (peek(scan) == '\0' && scan->at == scan->end);
}
