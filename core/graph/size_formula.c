#include "graph/size_formula.h"

#include "graph/graph.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST_NESTING = 16 };

/* ---- parsing ---- */

struct parser {
    htp_arena *arena;
    const char *at;
    const htp_map *names;
    htp_size_formula *formula;
    const char *problem; /* the first one */
    uint32_t depth;
};

static void parse_sum(struct parser *p);

static void fail(struct parser *p, const char *problem)
{
    p->problem = p->problem ? p->problem : problem;
}

static void push(struct parser *p, htp_size_formula_kind kind, int64_t number)
{
    if (!htp_size_formula_push(p->formula, kind, number)) {
        fail(p, "the formula is too long");
    }
}

/* Consumes @p token if it comes next. @return whether it did */
static bool take(struct parser *p, const char *token)
{
    p->at += strspn(p->at, " ");
    size_t length = strlen(token);
    bool is_next = !p->problem && strncmp(p->at, token, length) == 0;
    p->at += is_next ? length : 0;
    return is_next;
}

static void expect(struct parser *p, const char *token)
{
    if (!take(p, token)) {
        fail(p, "a formula is made of names, numbers, +, -, *, //, max(a, b) and min(a, b)");
    }
}

static int64_t parse_number(struct parser *p)
{
    char *end = NULL;
    p->at += strspn(p->at, " ");
    errno = 0;
    long long number = isdigit((unsigned char)*p->at) ? strtoll(p->at, &end, 10) : 0;
    if (!end) {
        expect(p, "a number"); /* unexpected end */
        return 1;
    }
    if (errno != 0 || number > INT32_MAX) {
        fail(p, "a number in the formula is above 2147483647");
    }
    p->at = end;
    return number;
}

/* The two arguments of max() and min(). */
static void parse_pair(struct parser *p, htp_size_formula_kind kind)
{
    parse_sum(p);
    expect(p, ",");
    parse_sum(p);
    expect(p, ")");
    push(p, kind, 0);
}

static void parse_name(struct parser *p)
{
    size_t length = htp_size_formula_name_length(p->at);
    const char *name = htp_arena_printf(p->arena, "%.*s", (int)length, p->at);
    uint32_t axis = 0;
    if (!htp_map_get(p->names, name, &axis)) {
        fail(p, htp_size_formula_no_size(p->arena, name));
    }
    p->at += length;
    push(p, HTP_SIZE_AXIS, axis);
}

static void parse_factor(struct parser *p)
{
    if (++p->depth > DEEPEST_NESTING) {
        fail(p, "the formula is nested too deep");
    }
    if (take(p, "(")) {
        parse_sum(p);
        expect(p, ")");
    } else if (take(p, "max(")) {
        parse_pair(p, HTP_SIZE_LARGER);
    } else if (take(p, "min(")) {
        parse_pair(p, HTP_SIZE_SMALLER);
    } else if (!p->problem && (isalpha((unsigned char)*p->at) || *p->at == '_')) {
        parse_name(p);
    } else if (!p->problem) {
        push(p, HTP_SIZE_NUMBER, parse_number(p));
    }
    p->depth--;
}

static void parse_term(struct parser *p)
{
    parse_factor(p);
    while (!p->problem) {
        if (take(p, "//")) {
            int64_t divisor = parse_number(p);
            if (divisor == 0) {
                fail(p, "a formula divides by numbers from 1 on");
            }
            push(p, HTP_SIZE_NUMBER, divisor);
            push(p, HTP_SIZE_FLOOR, 0);
        } else if (take(p, "*")) {
            parse_factor(p);
            push(p, HTP_SIZE_MULTIPLY, 0);
        } else {
            break;
        }
    }
}

static void parse_sum(struct parser *p)
{
    parse_term(p);
    while (!p->problem) {
        bool is_sum = take(p, "+");
        if (!is_sum && !take(p, "-")) {
            break;
        }
        parse_term(p);
        push(p, is_sum ? HTP_SIZE_ADD : HTP_SIZE_SUBTRACT, 0);
    }
}

const char *htp_size_formula_parse(htp_arena *arena, const char *text, const htp_map *names,
                                   htp_size_formula *formula)
{
    struct parser p = {.arena = arena, .at = text, .names = names, .formula = formula};
    formula->count = 0;
    parse_sum(&p);
    p.at += strspn(p.at, " ");
    if (*p.at) {
        expect(&p, "the end"); /* unexpected text */
    }
    return p.problem;
}

const char *htp_size_formula_no_size(htp_arena *arena, const char *axis)
{
    return htp_arena_printf(arena, "axis \"%s\" has no size; write %s=NUMBER at one place", axis,
                            axis);
}

size_t htp_size_formula_name_length(const char *text)
{
    size_t length = 0;
    while (text[length] == '_' || (length > 0 ? isalnum((unsigned char)text[length])
                                              : isalpha((unsigned char)text[length]))) {
        length++;
    }
    return length;
}

bool htp_size_formula_is_name(const char *text)
{
    size_t length = htp_size_formula_name_length(text);
    return length > 0 && text[length] == '\0';
}

bool htp_size_formula_push(htp_size_formula *formula, htp_size_formula_kind kind, int64_t number)
{
    if (formula->count == HTP_SIZE_MAX_STEPS) {
        return false;
    }
    formula->steps[formula->count++] = (htp_size_formula_step){kind, number};
    return true;
}

/* ---- computing ---- */

static int64_t floor_of(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* @return false on overflow */
static bool compute(htp_size_formula_kind kind, int64_t a, int64_t b, int64_t *value)
{
    switch (kind) {
    case HTP_SIZE_ADD:
        return !__builtin_add_overflow(a, b, value);
    case HTP_SIZE_SUBTRACT:
        return !__builtin_sub_overflow(a, b, value);
    case HTP_SIZE_MULTIPLY:
        return !__builtin_mul_overflow(a, b, value);
    case HTP_SIZE_FLOOR:
        *value = b > 0 ? floor_of(a, b) : 0;
        return b > 0;
    case HTP_SIZE_LARGER:
        *value = a > b ? a : b;
        return true;
    default:
        *value = a < b ? a : b;
        return true;
    }
}

int64_t htp_size_formula_value(const htp_size_formula *formula, const htp_axis *axes, uint32_t lane)
{
    int64_t stack[HTP_SIZE_MAX_STEPS] = {0};
    uint32_t top = 0;
    bool is_known = true;
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_size_formula_step *step = &formula->steps[i];
        if (step->kind <= HTP_SIZE_AXIS) {
            stack[top++] =
                step->kind == HTP_SIZE_AXIS ? axes[step->number].sizes[lane] : step->number;
        } else {
            top--;
            is_known = compute(step->kind, stack[top - 1], stack[top], &stack[top - 1]) && is_known;
        }
    }
    return is_known ? stack[0] : 0;
}

static htp_polynomial_id combine(htp_algebra *algebra, htp_size_formula_kind kind,
                                 htp_polynomial_id a, htp_polynomial_id b)
{
    int64_t divisor = 0;
    if (a == HTP_NONE || b == HTP_NONE) {
        return HTP_NONE;
    }
    switch (kind) {
    case HTP_SIZE_ADD:
        return htp_polynomial_add(algebra, a, b, 1);
    case HTP_SIZE_SUBTRACT:
        return htp_polynomial_add(algebra, a, b, -1);
    case HTP_SIZE_MULTIPLY:
        return htp_polynomial_multiply(algebra, a, b);
    case HTP_SIZE_FLOOR:
        return htp_polynomial_is_number(algebra, b, &divisor)
                   ? htp_polynomial_floor(algebra, a, divisor)
                   : HTP_NONE;
    case HTP_SIZE_LARGER:
        return htp_polynomial_larger(algebra, a, b);
    default:
        return htp_polynomial_smaller(algebra, a, b);
    }
}

htp_polynomial_id htp_size_formula_polynomial(htp_algebra *algebra, const htp_size_formula *formula,
                                              const htp_polynomial_id *axes)
{
    htp_polynomial_id stack[HTP_SIZE_MAX_STEPS] = {0};
    uint32_t top = 0;
    for (uint32_t i = 0; i < formula->count; i++) {
        const htp_size_formula_step *step = &formula->steps[i];
        if (step->kind <= HTP_SIZE_AXIS) {
            stack[top++] = step->kind == HTP_SIZE_AXIS
                               ? axes[step->number]
                               : htp_polynomial_number(algebra, step->number);
        } else {
            top--;
            stack[top - 1] = combine(algebra, step->kind, stack[top - 1], stack[top]);
        }
    }
    return stack[0];
}
