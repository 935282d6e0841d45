#include "base/json_scan.h"

#include <string.h>

htp_json_scan htp_json_scan_of(htp_json_part part)
{
    return (htp_json_scan){.at = part.at, .end = part.at + part.length};
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

/* The next byte that is no space; NUL at the end. */
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

static bool skip_escape(htp_json_scan *scan)
{
    enum { DIGITS = 4 };
    if (scan->at == scan->end || !strchr("\"\\/bfnrtu", *scan->at) || *scan->at == '\0') {
        return fail(scan, "an escape that there is not");
    }
    if (*scan->at++ != 'u') {
        return true;
    }
    bool is_nul = true;
    for (int i = 0; i < DIGITS; i++, scan->at++) {
        if (scan->at == scan->end || *scan->at == '\0' ||
            !strchr("0123456789abcdefABCDEF", *scan->at)) {
            return fail(scan, "an escape that there is not");
        }
        is_nul = is_nul && *scan->at == '0';
    }
    return !is_nul || fail(scan, "a NUL in a string");
}

static bool skip_string(htp_json_scan *scan)
{
    if (!take(scan, '"')) {
        return fail(scan, "no string where one must be");
    }
    while (scan->at < scan->end) {
        unsigned char byte = (unsigned char)*scan->at++;
        if (byte == '"') {
            return true;
        }
        if (byte < 0x20) {
            scan->at--;
            return fail(scan, "a control character in a string");
        }
        if (byte == '\\' && !skip_escape(scan)) {
            return false;
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
    return first == '-' || (first >= '0' && first <= '9') ? skip_number(scan) : skip_word(scan);
}

/* ---- values in values ---- */

/* The brackets that are open. */
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

/* Goes to the next place of a value. @return false where all brackets are closed, or on failure */
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

bool htp_json_scan_next(htp_json_scan *scan, htp_json_part *key, htp_json_part *value)
{
    char end = key ? '}' : ']';
    if (scan->failure || take(scan, end)) {
        return false;
    }
    if (scan->is_begun && !take(scan, ',')) {
        return fail(scan, "no comma and no bracket where one must be");
    }
    scan->is_begun = true;
    if (key) {
        (void)peek(scan);
        key->at = scan->at;
        if (!skip_string(scan)) {
            return false;
        }
        key->length = (size_t)(scan->at - key->at);
        if (!take(scan, ':')) {
            return fail(scan, "a name without a value");
        }
    }
    return htp_json_scan_value(scan, value);
}

bool htp_json_scan_end(htp_json_scan *scan)
{
    return !scan->failure && (peek(scan) == '\0' && scan->at == scan->end);
}
