/*
 * Positive parts, and bounds of polynomials by their form.
 */
#include "base/checked.h"
#include "graph/polynomial_parts.h"

/* ---- least values ---- */

/* Limit of nested case distinctions; each may double the work. */
enum { DEEPEST = 6 };

static bool find_least(const htp_algebra *algebra, const htp_sum *s, int depth, int64_t *least);

static bool polynomial_least(const htp_algebra *algebra, htp_polynomial_id id, int depth,
                             int64_t *least)
{
    const htp_polynomial *p = htp_polynomial_at(algebra, id);
    htp_sum s = {.count = 0};
    htp_sum_add_polynomial(algebra, &s, id, 1);
    bool is_known = !s.is_broken && find_least(algebra, &s, depth, least);
    if (p->least != HTP_POLYNOMIAL_UNBOUNDED && (!is_known || *least < p->least)) {
        *least = p->least;
        is_known = true;
    }
    return is_known;
}

static bool atom_least(const htp_algebra *algebra, const htp_atom *atom, int depth, int64_t *least)
{
    *least = atom->least;
    if (atom->symbol) {
        return atom->least != HTP_POLYNOMIAL_UNBOUNDED;
    }
    int64_t inner;
    bool is_known = depth > 0 && polynomial_least(algebra, atom->inner, depth - 1, &inner);
    if (is_known && atom->divisor > 0) {
        inner = htp_floor_divide(inner, atom->divisor);
    }
    if (atom->divisor == HTP_ATOM_POSITIVE) {
        inner = is_known && inner > 0 ? inner : 0;
        is_known = true;
    }
    *least = is_known && inner > *least ? inner : *least;
    return *least != HTP_POLYNOMIAL_UNBOUNDED;
}

/* The lower bound of a term: a product of nonnegative factors. */
static bool term_least(const htp_algebra *algebra, const htp_term *term, int depth, int64_t *least)
{
    *least = term->coefficient;
    bool is_known = term->degree == 0 || term->coefficient >= 0;
    for (uint32_t i = 0; i < term->degree && is_known; i++) {
        int64_t factor;
        is_known = atom_least(algebra, &algebra->atoms.items[term->factors[i]], depth, &factor) &&
                   (factor >= 0 || (term->degree == 1 && term->coefficient > 0)) &&
                   !__builtin_mul_overflow(*least, factor, least);
    }
    return is_known;
}

/* The lower bound of a sum, term by term. */
static bool plain_least(const htp_algebra *algebra, const htp_sum *s, int depth, int64_t *least)
{
    bool is_known = true;
    *least = 0;
    for (uint32_t i = 0; i < s->count && is_known; i++) {
        int64_t size;
        is_known = term_least(algebra, &s->terms[i], depth, &size) &&
                   !__builtin_add_overflow(*least, size, least);
    }
    return is_known;
}

/* s without term @p at, times @p factor. */
static htp_sum without(const htp_sum *s, uint32_t at, int64_t factor)
{
    htp_sum rest = {.is_broken = s->is_broken};
    for (uint32_t i = 0; i < s->count; i++) {
        htp_term term = s->terms[i];
        rest.is_broken |= __builtin_mul_overflow(term.coefficient, factor, &term.coefficient);
        if (i != at) {
            htp_sum_add(&rest, &term);
        }
    }
    return rest;
}

/* The lower bound of c ⌊q / n⌋: c q / n for a negative c, otherwise c (q - n + 1) / n. */
static bool least_by_quotient(const htp_algebra *algebra, const htp_sum *s, uint32_t at, int depth,
                              int64_t *least)
{
    const htp_atom *atom = &algebra->atoms.items[s->terms[at].factors[0]];
    int64_t coefficient = s->terms[at].coefficient;
    htp_sum rest = without(s, at, atom->divisor);
    htp_sum_add_polynomial(algebra, &rest, atom->inner, coefficient);
    int64_t less;
    if (coefficient > 0) {
        rest.is_broken |= __builtin_mul_overflow(coefficient, 1 - atom->divisor, &less);
        htp_sum_add_number(&rest, rest.is_broken ? 0 : less);
    }
    if (rest.is_broken || !find_least(algebra, &rest, depth - 1, least) || *least == INT64_MIN) {
        return false;
    }
    *least = -htp_floor_divide(-*least, atom->divisor);
    return true;
}

/* c max(q, 0) is the larger of 0 and c q, or the smaller for a negative c: so is the bound. */
static bool least_by_positive(const htp_algebra *algebra, const htp_sum *s, uint32_t at, int depth,
                              int64_t *least)
{
    int64_t coefficient = s->terms[at].coefficient;
    htp_sum zero = without(s, at, 1);
    htp_sum with = zero;
    htp_sum_add_polynomial(algebra, &with, algebra->atoms.items[s->terms[at].factors[0]].inner,
                           coefficient);
    int64_t more;
    bool is_known = !with.is_broken && find_least(algebra, &with, depth - 1, &more);
    bool zero_known = find_least(algebra, &zero, depth - 1, least);
    if (coefficient < 0) {
        *least = zero_known && is_known && more < *least ? more : *least;
        return zero_known && is_known;
    }
    *least = is_known && (!zero_known || more > *least) ? more : *least;
    return zero_known || is_known;
}

static bool find_least(const htp_algebra *algebra, const htp_sum *s, int depth, int64_t *least)
{
    bool is_known = plain_least(algebra, s, depth, least);
    for (uint32_t i = 0; i < s->count && depth > 0; i++) {
        const htp_term *term = &s->terms[i];
        const htp_atom *atom = term->degree == 1 ? &algebra->atoms.items[term->factors[0]] : NULL;
        if (!atom || atom->symbol || atom->divisor == 0) {
            continue;
        }
        int64_t other;
        bool found = atom->divisor > 0 ? least_by_quotient(algebra, s, i, depth, &other)
                                       : least_by_positive(algebra, s, i, depth, &other);
        *least = found && (!is_known || other > *least) ? other : *least;
        is_known = is_known || found;
    }
    return is_known;
}

bool htp_polynomial_is_at_least(const htp_algebra *algebra, htp_polynomial_id id, int64_t least)
{
    int64_t found;
    return id != HTP_NONE && polynomial_least(algebra, id, DEEPEST, &found) && found >= least;
}

bool htp_polynomial_is_above(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b)
{
    return htp_polynomial_is_at_least(algebra, htp_polynomial_add(algebra, a, b, -1), 0);
}

void htp_polynomial_set_least(htp_algebra *algebra, htp_polynomial_id id, int64_t least)
{
    htp_polynomial *p = &algebra->polynomials.items[id];
    p->least = least > p->least ? least : p->least;
    if (p->count == 1 && htp_term_atom(algebra, p->terms)) {
        htp_atom *atom = &algebra->atoms.items[p->terms[0].factors[0]];
        atom->least = !atom->symbol && least > atom->least ? least : atom->least;
    }
}

/* If max(q, 0) is positive, a exceeds b by c q: a is at least 3 and b at least 2, so neither is
 * broadcast. */
static void note_excess(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b)
{
    htp_polynomial_id more = htp_polynomial_add(algebra, a, b, -1);
    if (more == HTP_NONE || htp_polynomial_at(algebra, more)->count != 1) {
        return;
    }
    const htp_term term = htp_polynomial_at(algebra, more)->terms[0];
    htp_atom *atom = term.degree == 1 ? &algebra->atoms.items[term.factors[0]] : NULL;
    if (term.coefficient > 0 && atom && atom->divisor == HTP_ATOM_POSITIVE) {
        htp_polynomial_id least = htp_polynomial_add(algebra, a, atom->inner, -term.coefficient);
        atom = &algebra->atoms.items[term.factors[0]];
        atom->is_zero = atom->is_zero || htp_polynomial_is_at_least(algebra, least, 2);
    }
}

void htp_polynomial_note_broadcast(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b)
{
    note_excess(algebra, a, b);
    note_excess(algebra, b, a);
}

void htp_polynomial_forget(htp_algebra *algebra)
{
    for (size_t i = 0; i < algebra->polynomials.count; i++) {
        algebra->polynomials.items[i].least = HTP_POLYNOMIAL_UNBOUNDED;
    }
    for (size_t i = 0; i < algebra->atoms.count; i++) {
        htp_atom *atom = &algebra->atoms.items[i];
        atom->least = atom->symbol ? atom->least : HTP_POLYNOMIAL_UNBOUNDED;
        atom->is_zero = false;
    }
}

/* ---- positive parts ---- */

/* The common divisor of all coefficients. */
static int64_t common_factor(const htp_polynomial *p)
{
    int64_t common = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        common = htp_common_divisor(p->terms[i].coefficient, common);
    }
    return common;
}

/* max(a, 0) for an a with a positive leading coefficient: max(2 q, 0) is 2 max(q, 0). */
static htp_polynomial_id positive_atom(htp_algebra *algebra, htp_polynomial_id a)
{
    const htp_polynomial p = *htp_polynomial_at(algebra, a);
    int64_t common = common_factor(&p);
    htp_sum s = {.count = 0};
    for (uint32_t i = 0; i < p.count; i++) {
        htp_term term = p.terms[i];
        term.coefficient /= common;
        htp_sum_add(&s, &term);
    }
    htp_polynomial_id inner = htp_sum_end(algebra, &s);
    htp_sum result = {.count = 0};
    if (inner != HTP_NONE) {
        inner = htp_polynomial_of_atom(algebra, htp_atom_of(algebra, inner, HTP_ATOM_POSITIVE));
    }
    htp_sum_add_polynomial(algebra, &result, inner, common);
    return htp_sum_end(algebra, &result);
}

/* The q in @p a = max(q, 0) - number: then max(a, 0) is max(q - number, 0). NONE if it has another
 * form. */
static htp_polynomial_id nested_part(htp_algebra *algebra, htp_polynomial_id a)
{
    const htp_polynomial *p = htp_polynomial_at(algebra, a);
    const htp_atom *atom = p->count == 2 ? htp_term_atom(algebra, p->terms) : NULL;
    if (!atom || atom->divisor != HTP_ATOM_POSITIVE || p->terms[1].degree > 0 ||
        p->terms[1].coefficient > 0) {
        return HTP_NONE;
    }
    htp_sum s = {.count = 0};
    int64_t number = p->terms[1].coefficient;
    htp_sum_add_polynomial(algebra, &s, atom->inner, 1);
    htp_sum_add_number(&s, number);
    return htp_sum_end(algebra, &s);
}

htp_polynomial_id htp_polynomial_positive(htp_algebra *algebra, htp_polynomial_id a)
{
    htp_polynomial_id zero = htp_polynomial_number(algebra, 0);
    htp_polynomial_id negative = htp_polynomial_add(algebra, zero, a, -1);
    if (a == HTP_NONE || negative == HTP_NONE) {
        return HTP_NONE;
    }
    if (htp_polynomial_is_at_least(algebra, a, 0)) {
        return a;
    }
    if (htp_polynomial_is_at_least(algebra, negative, 0)) {
        return zero;
    }
    htp_polynomial_id nested = nested_part(algebra, a);
    if (nested != HTP_NONE) {
        return htp_polynomial_positive(algebra, nested);
    }
    if (htp_polynomial_at(algebra, a)->terms[0].coefficient < 0) {
        return htp_polynomial_add(algebra, a, positive_atom(algebra, negative), 1);
    }
    return positive_atom(algebra, a);
}

htp_polynomial_id htp_polynomial_larger(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b)
{
    htp_polynomial_id more = htp_polynomial_add(algebra, a, b, -1);
    return htp_polynomial_add(algebra, b, htp_polynomial_positive(algebra, more), 1);
}

htp_polynomial_id htp_polynomial_smaller(htp_algebra *algebra, htp_polynomial_id a,
                                         htp_polynomial_id b)
{
    htp_polynomial_id more = htp_polynomial_add(algebra, a, b, -1);
    return htp_polynomial_add(algebra, a, htp_polynomial_positive(algebra, more), -1);
}
