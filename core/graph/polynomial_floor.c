/*
 * Floor division, and meanings of symbols.
 */
#include "base/checked.h"
#include "graph/polynomial_parts.h"

/* ---- quotients ---- */

/*
 * Moves multiples of @p divisor out of @p rest, whose constant ends up in 0 to divisor - 1.
 * @return their quotient
 */
static htp_sum take_multiples(htp_sum *rest, int64_t divisor)
{
    htp_sum whole = {.count = 0};
    const htp_sum all = *rest;
    *rest = (htp_sum){.count = 0};
    for (uint32_t i = 0; i < all.count; i++) {
        htp_term term = all.terms[i];
        int64_t quotient = term.degree > 0 ? term.coefficient / divisor
                                           : htp_floor_divide(term.coefficient, divisor);
        htp_term left = term;
        left.coefficient -= quotient * divisor;
        term.coefficient = quotient;
        htp_sum_add(&whole, &term);
        htp_sum_add(rest, &left);
    }
    return whole;
}

/* ⌊s / divisor⌋ in lowest terms: ⌊(2 a + 3) / 4⌋ is ⌊(a + 1) / 2⌋. */
static int64_t reduce(htp_sum *s, int64_t divisor)
{
    int64_t common = divisor;
    for (uint32_t i = 0; i < s->count; i++) {
        common =
            s->terms[i].degree > 0 ? htp_common_divisor(common, s->terms[i].coefficient) : common;
    }
    const htp_sum all = *s;
    *s = (htp_sum){.count = 0};
    for (uint32_t i = 0; i < all.count; i++) {
        htp_term term = all.terms[i];
        term.coefficient = htp_floor_divide(term.coefficient, common);
        htp_sum_add(s, &term);
    }
    return divisor / common;
}

/* ⌊(⌊p / n⌋ + number) / divisor⌋ is ⌊(p + number n) / (n divisor)⌋. */
static bool is_nested(const htp_algebra *algebra, const htp_sum *s)
{
    const htp_atom *atom = s->count > 0 ? htp_term_atom(algebra, &s->terms[0]) : NULL;
    return atom && atom->divisor > 0 &&
           (s->count == 1 || (s->count == 2 && s->terms[1].degree == 0));
}

static htp_polynomial_id unnest(htp_algebra *algebra, const htp_sum *s, int64_t divisor)
{
    const htp_atom inner = algebra->atoms.items[s->terms[0].factors[0]];
    int64_t number = s->count == 2 ? s->terms[1].coefficient : 0;
    if (__builtin_mul_overflow(number, inner.divisor, &number) ||
        __builtin_mul_overflow(divisor, inner.divisor, &divisor)) {
        return HTP_NONE;
    }
    htp_sum above = {.count = 0};
    htp_sum_add_polynomial(algebra, &above, inner.inner, 1);
    htp_sum_add_number(&above, number);
    return htp_polynomial_floor(algebra, htp_sum_end(algebra, &above), divisor);
}

static htp_polynomial_id plain_quotient(htp_algebra *algebra, const htp_sum *s, int64_t divisor)
{
    htp_polynomial_id above = htp_sum_end(algebra, s);
    return above == HTP_NONE
               ? above
               : htp_polynomial_of_atom(algebra, htp_atom_of(algebra, above, divisor));
}

/* -⌊(divisor - 1 - a) / divisor⌋, for an a with a negative leading coefficient. */
static htp_polynomial_id mirrored(htp_algebra *algebra, htp_polynomial_id a, int64_t divisor)
{
    htp_sum s = {.count = 0};
    htp_sum_add_polynomial(algebra, &s, a, -1);
    htp_sum_add_number(&s, divisor - 1);
    htp_sum negative = {.count = 0};
    htp_sum_add_polynomial(algebra, &negative,
                           htp_polynomial_floor(algebra, htp_sum_end(algebra, &s), divisor), -1);
    return htp_sum_end(algebra, &negative);
}

htp_polynomial_id htp_polynomial_floor(htp_algebra *algebra, htp_polynomial_id a, int64_t divisor)
{
    if (a == HTP_NONE || divisor < 1) {
        return HTP_NONE;
    }
    const htp_polynomial *p = htp_polynomial_at(algebra, a);
    if (p->count > 0 && p->terms[0].degree > 0 && p->terms[0].coefficient < 0) {
        return mirrored(algebra, a, divisor);
    }
    htp_sum rest = {.count = 0};
    htp_sum_add_polynomial(algebra, &rest, a, 1);
    htp_sum whole = take_multiples(&rest, divisor);
    if (rest.count > 0 && rest.terms[0].degree > 0) {
        divisor = reduce(&rest, divisor);
        htp_polynomial_id quotient = is_nested(algebra, &rest)
                                         ? unnest(algebra, &rest, divisor)
                                         : plain_quotient(algebra, &rest, divisor);
        htp_sum_add_polynomial(algebra, &whole, quotient, 1);
    }
    return htp_sum_end(algebra, &whole);
}

/* ---- meanings ---- */

static htp_polynomial_id resolve_atom(htp_algebra *algebra, htp_atom_id id)
{
    const htp_atom atom = algebra->atoms.items[id];
    if (atom.is_zero) {
        return htp_polynomial_number(algebra, 0);
    }
    if (atom.is_busy || (atom.symbol && atom.meaning == HTP_NONE)) {
        return htp_polynomial_of_atom(algebra, id);
    }
    algebra->atoms.items[id].is_busy = true;
    htp_polynomial_id inner =
        htp_polynomial_resolve(algebra, atom.symbol ? atom.meaning : atom.inner);
    algebra->atoms.items[id].is_busy = false;
    if (atom.divisor == HTP_ATOM_POSITIVE) {
        return htp_polynomial_positive(algebra, inner);
    }
    return atom.divisor > 0 ? htp_polynomial_floor(algebra, inner, atom.divisor) : inner;
}

htp_polynomial_id htp_polynomial_resolve(htp_algebra *algebra, htp_polynomial_id id)
{
    if (id == HTP_NONE) {
        return id;
    }
    const htp_polynomial p = *htp_polynomial_at(algebra, id);
    htp_sum result = {.count = 0};
    for (uint32_t i = 0; i < p.count; i++) {
        htp_polynomial_id product = htp_polynomial_number(algebra, p.terms[i].coefficient);
        for (uint32_t k = 0; k < p.terms[i].degree; k++) {
            product = htp_polynomial_multiply(algebra, product,
                                              resolve_atom(algebra, p.terms[i].factors[k]));
        }
        htp_sum_add_polynomial(algebra, &result, product, 1);
    }
    return htp_sum_end(algebra, &result);
}
