/*
 * Polynomials as text.
 */
#include "graph/polynomial_parts.h"

#include <ctype.h>
#include <inttypes.h>

static void write_sum(const htp_algebra *algebra, const htp_polynomial *p, int64_t more,
                      htp_text *text);

/* A name in a formula; in brackets if it is a formula itself. */
static void write_symbol(const char *symbol, bool is_alone, htp_text *text)
{
    bool is_plain = true;
    for (const char *at = symbol; *at; at++) {
        is_plain = is_plain && (isalnum((unsigned char)*at) || *at == '_' || *at == '.');
    }
    htp_text_addf(text, is_plain || is_alone ? "%s" : "(%s)", symbol);
}

/* max(inner, 0) */
static void write_positive(const htp_algebra *algebra, const htp_atom *atom, htp_text *text)
{
    htp_text_add(text, "max(");
    htp_polynomial_write(algebra, atom->inner, text);
    htp_text_add(text, ", 0)");
}

/* ⌊(inner + more) / divisor⌋: "height//2", "(height + 1)//2". */
static void write_quotient(const htp_algebra *algebra, const htp_atom *atom, int64_t more,
                           htp_text *text)
{
    const htp_polynomial *inner = htp_polynomial_at(algebra, atom->inner);
    const htp_atom *only = inner->count == 1 ? htp_term_atom(algebra, inner->terms) : NULL;
    if (only && only->symbol && more == 0) {
        write_symbol(only->symbol, false, text);
    } else if (only && only->divisor == HTP_ATOM_POSITIVE && more == 0) {
        write_positive(algebra, only, text);
    } else {
        htp_text_add(text, "(");
        write_sum(algebra, inner, more, text);
        htp_text_add(text, ")");
    }
    htp_text_addf(text, "//%" PRId64, atom->divisor);
}

static void write_factor(const htp_algebra *algebra, const htp_atom *atom, bool is_alone,
                         htp_text *text)
{
    if (atom->symbol) {
        write_symbol(atom->symbol, false, text);
        return;
    }
    if (atom->divisor == HTP_ATOM_POSITIVE) {
        write_positive(algebra, atom, text);
        return;
    }
    htp_text_add(text, is_alone ? "" : "(");
    if (atom->divisor > 0) {
        write_quotient(algebra, atom, 0, text);
    } else {
        htp_polynomial_write(algebra, atom->inner, text);
    }
    htp_text_add(text, is_alone ? "" : ")");
}

/* The absolute value of a term. */
static void write_term(const htp_algebra *algebra, const htp_term *term, htp_text *text)
{
    const uint64_t coefficient = (uint64_t)term->coefficient;
    const uint64_t number = term->coefficient < 0 ? 0 - coefficient : coefficient;
    bool is_alone = term->degree == 1 && number == 1;
    for (uint32_t i = 0; i < term->degree; i++) {
        htp_text_add(text, i > 0 ? "*" : "");
        write_factor(algebra, &algebra->atoms.items[term->factors[i]], is_alone, text);
    }
    if (term->degree == 0 || number != 1) {
        htp_text_addf(text, term->degree == 0 ? "%" PRIu64 : "*%" PRIu64, number);
    }
}

void htp_polynomial_write_terms(const htp_algebra *algebra, const htp_term *terms, size_t count,
                                htp_text *text)
{
    const char *before = "";
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < count; i++) {
            if ((terms[i].coefficient < 0) == (turn == 1)) {
                const char *sign = turn == 1 ? " - " : before;
                htp_text_add(text, turn == 1 && !*before ? "-" : sign);
                write_term(algebra, &terms[i], text);
                before = " + ";
            }
        }
    }
    htp_text_add(text, count == 0 ? "0" : "");
}

static void write_terms(const htp_algebra *algebra, const htp_sum *s, htp_text *text)
{
    htp_polynomial_write_terms(algebra, s->terms, s->count, text);
}

/* A polynomial plus a number. */
static void write_sum(const htp_algebra *algebra, const htp_polynomial *p, int64_t more,
                      htp_text *text)
{
    htp_sum s = {.count = 0};
    for (uint32_t i = 0; i < p->count; i++) {
        htp_sum_add(&s, &p->terms[i]);
    }
    htp_sum_add_number(&s, more);
    write_terms(algebra, &s, text);
}

/* Writes b + max(a - b, 0) as max(a, b), and a - max(a - b, 0) as min(a, b). */
static bool write_extreme(const htp_algebra *algebra, const htp_polynomial *p, htp_text *text)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const htp_term *term = &p->terms[i];
        const htp_atom *atom = term->degree == 1 ? &algebra->atoms.items[term->factors[0]] : NULL;
        if (!atom || atom->divisor != HTP_ATOM_POSITIVE || p->count == 1 ||
            (term->coefficient != 1 && term->coefficient != -1)) {
            continue;
        }
        htp_sum rest = {.count = 0};
        for (uint32_t k = 0; k < p->count; k++) {
            if (k != i) {
                htp_sum_add(&rest, &p->terms[k]);
            }
        }
        htp_sum other = rest;
        htp_sum_add_polynomial(algebra, &other, atom->inner, term->coefficient);
        if (rest.is_broken || other.is_broken || other.count > rest.count) {
            continue;
        }
        htp_text_add(text, term->coefficient > 0 ? "max(" : "min(");
        write_terms(algebra, &rest, text);
        htp_text_add(text, ", ");
        write_terms(algebra, &other, text);
        htp_text_add(text, ")");
        return true;
    }
    return false;
}

void htp_polynomial_write(const htp_algebra *algebra, htp_polynomial_id id, htp_text *text)
{
    const htp_polynomial *p = htp_polynomial_at(algebra, id);
    const htp_atom *first = p->count > 0 ? htp_term_atom(algebra, &p->terms[0]) : NULL;
    int64_t more;
    if (p->count == 1 && first && first->symbol) {
        write_symbol(first->symbol, true, text);
    } else if (p->count == 2 && first && first->divisor > 0 && p->terms[1].degree == 0 &&
               htp_polynomial_at(algebra, first->inner)->count > 1 &&
               !__builtin_mul_overflow(first->divisor, p->terms[1].coefficient, &more)) {
        write_quotient(algebra, first, more, text); /* "(a - 1)//2" rather than "(a + 1)//2 - 1" */
    } else if (!write_extreme(algebra, p, text)) {
        write_sum(algebra, p, 0, text);
    }
}
