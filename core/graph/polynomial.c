/*
 * Sums and products.
 */
#include "base/checked.h"
#include "graph/polynomial_parts.h"

#include <string.h>

enum { MAX_TERMS = HTP_POLYNOMIAL_MAX_TERMS, MAX_DEGREE = HTP_POLYNOMIAL_MAX_DEGREE };

/* ---- lanes ---- */

static bool term_size(const htp_algebra *algebra, const htp_term *term, uint32_t lane,
                      int64_t *size)
{
    *size = term->coefficient;
    bool is_known = true;
    for (uint32_t i = 0; i < term->degree && is_known; i++) {
        const htp_lane_sizes *factor = &algebra->atoms.items[term->factors[i]].sizes;
        is_known = factor->are_known && !__builtin_mul_overflow(*size, factor->lane[lane], size);
    }
    return is_known;
}

static htp_lane_sizes sum_sizes(const htp_algebra *algebra, const htp_sum *s)
{
    htp_lane_sizes sizes = {.are_known = true};
    for (uint32_t lane = 0; lane < HTP_MAX_LANES; lane++) {
        for (uint32_t i = 0; i < s->count && sizes.are_known; i++) {
            int64_t size;
            sizes.are_known = term_size(algebra, &s->terms[i], lane, &size) &&
                              !__builtin_add_overflow(sizes.lane[lane], size, &sizes.lane[lane]);
        }
    }
    return sizes;
}

static uint32_t weight_of(const htp_algebra *algebra, const htp_sum *s)
{
    uint32_t weight = s->count;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = 0; k < s->terms[i].degree; k++) {
            const htp_atom *atom = &algebra->atoms.items[s->terms[i].factors[k]];
            weight += atom->symbol ? 1 : 1 + htp_polynomial_at(algebra, atom->inner)->weight;
        }
    }
    return weight;
}

static bool any_unknown(const htp_algebra *algebra, const htp_sum *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = 0; k < s->terms[i].degree; k++) {
            any = any || algebra->atoms.items[s->terms[i].factors[k]].is_unknown;
        }
    }
    return any;
}

/* ---- one of each ---- */

htp_polynomial_id htp_sum_end(htp_algebra *algebra, const htp_sum *s)
{
    if (s->is_broken) {
        return HTP_NONE;
    }
    uint32_t id;
    if (htp_map_get_bytes(&algebra->by_terms, s->terms, s->count * sizeof(*s->terms), &id)) {
        return id;
    }
    uint32_t weight = weight_of(algebra, s);
    if (weight > HTP_POLYNOMIAL_MAX_WEIGHT) {
        return HTP_NONE;
    }
    const htp_term *terms =
        htp_arena_grow(algebra->arena, s->terms, s->count, s->count, sizeof(*s->terms));
    id = (uint32_t)algebra->polynomials.count;
    htp_map_set_bytes(algebra->arena, &algebra->by_terms, terms, s->count * sizeof(*terms), id);
    HTP_PUSH(algebra->arena, &algebra->polynomials,
             (htp_polynomial){.terms = terms,
                              .count = s->count,
                              .weight = weight,
                              .least = HTP_POLYNOMIAL_UNBOUNDED,
                              .sizes = sum_sizes(algebra, s),
                              .has_unknown = any_unknown(algebra, s)});
    return id;
}

/* The sort order of factors. */
static bool is_before(const htp_algebra *algebra, htp_atom_id a, htp_atom_id b)
{
    htp_atom_id x = algebra->atoms.items[a].first;
    htp_atom_id y = algebra->atoms.items[b].first;
    return x != y ? x < y : a < b;
}

static htp_atom_id first_symbol(const htp_algebra *algebra, htp_polynomial_id id)
{
    const htp_polynomial *p = htp_polynomial_at(algebra, id);
    htp_atom_id first = UINT32_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t k = 0; k < p->terms[i].degree; k++) {
            htp_atom_id symbol = algebra->atoms.items[p->terms[i].factors[k]].first;
            first = symbol < first ? symbol : first;
        }
    }
    return first;
}

htp_atom_id htp_atom_of(htp_algebra *algebra, htp_polynomial_id inner, int64_t divisor)
{
    const int64_t words[] = {inner, divisor};
    uint32_t id;
    if (htp_map_get_bytes(&algebra->by_inner, words, sizeof(words), &id)) {
        return id;
    }
    htp_atom atom = {.inner = inner,
                     .divisor = divisor,
                     .first = first_symbol(algebra, inner),
                     .meaning = HTP_NONE,
                     .least = HTP_POLYNOMIAL_UNBOUNDED,
                     .is_unknown = htp_polynomial_at(algebra, inner)->has_unknown,
                     .sizes = htp_polynomial_at(algebra, inner)->sizes};
    for (uint32_t lane = 0; divisor != 0 && lane < HTP_MAX_LANES; lane++) {
        int64_t *size = &atom.sizes.lane[lane];
        *size = divisor > 0 ? htp_floor_divide(*size, divisor) : *size > 0 ? *size : 0;
    }
    id = (uint32_t)algebra->atoms.count;
    htp_map_set_bytes(algebra->arena, &algebra->by_inner,
                      htp_arena_copy(algebra->arena, words, sizeof(words)), sizeof(words), id);
    HTP_PUSH(algebra->arena, &algebra->atoms, atom);
    return id;
}

static htp_polynomial_id of_term(htp_algebra *algebra, const htp_term *term)
{
    htp_sum s = {.count = 0};
    htp_sum_add(&s, term);
    return htp_sum_end(algebra, &s);
}

htp_polynomial_id htp_polynomial_of_atom(htp_algebra *algebra, htp_atom_id atom)
{
    return of_term(algebra, &(htp_term){.coefficient = 1, .degree = 1, .factors = {atom}});
}

htp_polynomial_id htp_polynomial_number(htp_algebra *algebra, int64_t number)
{
    return of_term(algebra, &(htp_term){.coefficient = number});
}

htp_polynomial_id htp_polynomial_symbol(htp_algebra *algebra, const char *symbol, int64_t least,
                                        const htp_lane_sizes *sizes)
{
    HTP_PUSH(algebra->arena, &algebra->atoms,
             (htp_atom){.symbol = symbol,
                        .inner = HTP_NONE,
                        .first = (htp_atom_id)algebra->atoms.count,
                        .meaning = HTP_NONE,
                        .least = least,
                        .sizes = sizes ? *sizes : (htp_lane_sizes){.are_known = false}});
    return htp_polynomial_of_atom(algebra, (htp_atom_id)algebra->atoms.count - 1);
}

bool htp_polynomial_is_number(const htp_algebra *algebra, htp_polynomial_id id, int64_t *number)
{
    const htp_polynomial *p = id == HTP_NONE ? NULL : htp_polynomial_at(algebra, id);
    *number = p && p->count == 1 ? p->terms[0].coefficient : 0;
    return p && (p->count == 0 || (p->count == 1 && p->terms[0].degree == 0));
}

/* The atom, if a term is nothing else; or NULL. */
const htp_atom *htp_term_atom(const htp_algebra *algebra, const htp_term *term)
{
    bool is_sole = term->degree == 1 && term->coefficient == 1;
    return is_sole ? &algebra->atoms.items[term->factors[0]] : NULL;
}

htp_atom *htp_polynomial_sole_symbol(const htp_algebra *algebra, htp_polynomial_id id)
{
    if (id == HTP_NONE) {
        return NULL;
    }
    const htp_polynomial *p = htp_polynomial_at(algebra, id);
    const htp_atom *atom = p->count == 1 ? htp_term_atom(algebra, p->terms) : NULL;
    return atom && atom->symbol ? &algebra->atoms.items[p->terms[0].factors[0]] : NULL;
}

/* ---- sums ---- */

/* By descending degree, then by factors. */
static int compare_terms(const htp_term *a, const htp_term *b)
{
    if (a->degree != b->degree) {
        return a->degree > b->degree ? -1 : 1;
    }
    for (uint32_t i = 0; i < a->degree; i++) {
        if (a->factors[i] != b->factors[i]) {
            return a->factors[i] < b->factors[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Inserts a term in order. */
void htp_sum_add(htp_sum *s, const htp_term *term)
{
    uint32_t at = 0;
    s->is_broken |= term->coefficient == INT64_MIN;
    while (at < s->count && compare_terms(&s->terms[at], term) < 0) {
        at++;
    }
    if (at < s->count && compare_terms(&s->terms[at], term) == 0) {
        int64_t *to = &s->terms[at].coefficient;
        s->is_broken |= __builtin_add_overflow(*to, term->coefficient, to) || *to == INT64_MIN;
        if (*to == 0) {
            s->count--;
            memmove(&s->terms[at], &s->terms[at + 1], (s->count - at) * sizeof(*s->terms));
        }
    } else if (s->count == MAX_TERMS) {
        s->is_broken = true;
    } else if (term->coefficient != 0) {
        memmove(&s->terms[at + 1], &s->terms[at], (s->count - at) * sizeof(*s->terms));
        s->terms[at] = *term;
        s->count++;
    }
}

void htp_sum_add_number(htp_sum *s, int64_t number)
{
    htp_sum_add(s, &(htp_term){.coefficient = number});
}

void htp_sum_add_polynomial(const htp_algebra *algebra, htp_sum *s, htp_polynomial_id id,
                            int64_t factor)
{
    s->is_broken |= id == HTP_NONE;
    for (uint32_t i = 0; !s->is_broken && i < htp_polynomial_at(algebra, id)->count; i++) {
        htp_term term = htp_polynomial_at(algebra, id)->terms[i];
        s->is_broken |= __builtin_mul_overflow(term.coefficient, factor, &term.coefficient);
        htp_sum_add(s, &term);
    }
}

/* Finds the x of a @p term that is ⌊x / 2⌋. @return false if it is not, or x is not a single term
 */
static bool find_whole(const htp_algebra *algebra, const htp_term *term, htp_term *whole)
{
    const htp_atom *half = term->degree == 1 ? &algebra->atoms.items[term->factors[0]] : NULL;
    if (!half || half->divisor < 2 || half->divisor % 2 != 0) {
        return false;
    }
    const htp_polynomial *inner = htp_polynomial_at(algebra, half->inner);
    const int64_t words[] = {half->inner, half->divisor / 2};
    *whole = (htp_term){.coefficient = 1, .degree = 1};
    if (half->divisor == 2) {
        *whole = inner->terms[0];
        return inner->count == 1;
    }
    return htp_map_get_bytes(&algebra->by_inner, words, sizeof(words), &whole->factors[0]);
}

/* x - ⌊x / 2⌋ is ⌊(x + 1) / 2⌋. */
static htp_polynomial_id join_halves(htp_algebra *algebra, const htp_sum *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        htp_term x;
        if (!find_whole(algebra, &s->terms[i], &x) || x.coefficient != 1) {
            continue;
        }
        int64_t number = -s->terms[i].coefficient;
        for (uint32_t k = 0; k < s->count; k++) {
            if (s->terms[k].coefficient == number && compare_terms(&s->terms[k], &x) == 0) {
                htp_sum joined = *s;
                htp_sum above = {.count = 0};
                htp_sum_add(&above, &x);
                htp_sum_add_number(&above, 1);
                htp_polynomial_id upper =
                    htp_polynomial_floor(algebra, htp_sum_end(algebra, &above), 2);
                x.coefficient = -number;
                htp_sum_add(&joined, &x);
                x = s->terms[i];
                x.coefficient = number;
                htp_sum_add(&joined, &x);
                htp_sum_add_polynomial(algebra, &joined, upper, number);
                return htp_sum_end(algebra, &joined);
            }
        }
    }
    return htp_sum_end(algebra, s);
}

htp_polynomial_id htp_polynomial_add(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b,
                                     int64_t factor)
{
    htp_sum s = {.count = 0};
    htp_sum_add_polynomial(algebra, &s, a, 1);
    htp_sum_add_polynomial(algebra, &s, b, factor);
    return s.is_broken ? HTP_NONE : join_halves(algebra, &s);
}

/* ---- products ---- */

/* Divides @p term by @p divisor. @return false if a factor is missing */
static bool take_out(htp_term *term, const htp_term *divisor)
{
    htp_term rest = {.coefficient = term->coefficient / divisor->coefficient};
    uint32_t taken = 0;
    for (uint32_t i = 0; i < term->degree; i++) {
        if (taken < divisor->degree && term->factors[i] == divisor->factors[taken]) {
            taken++;
        } else {
            rest.factors[rest.degree++] = term->factors[i];
        }
    }
    bool divides = taken == divisor->degree && term->coefficient % divisor->coefficient == 0;
    *term = divides ? rest : *term;
    return divides;
}

/* The content: common coefficient and factors of all terms, with the sign of the first. */
static htp_term content_of(const htp_algebra *algebra, const htp_polynomial *p)
{
    htp_term content = p->terms[0];
    for (uint32_t i = 1; i < p->count; i++) {
        const htp_term *term = &p->terms[i];
        htp_term both = {.coefficient = htp_common_divisor(content.coefficient, term->coefficient)};
        uint32_t k = 0;
        for (uint32_t n = 0; n < content.degree; n++) {
            while (k < term->degree && is_before(algebra, term->factors[k], content.factors[n])) {
                k++;
            }
            if (k < term->degree && term->factors[k] == content.factors[n]) {
                both.factors[both.degree++] = term->factors[k++];
            }
        }
        content = both;
    }
    if ((p->terms[0].coefficient < 0) != (content.coefficient < 0)) {
        content.coefficient = -content.coefficient;
    }
    return content;
}

static void insert_factor(const htp_algebra *algebra, htp_term *term, htp_atom_id factor)
{
    uint32_t at = term->degree++;
    for (; at > 0 && is_before(algebra, factor, term->factors[at - 1]); at--) {
        term->factors[at] = term->factors[at - 1];
    }
    term->factors[at] = factor;
}

/* A nonzero polynomial as one term: a sum of several terms becomes a factor. */
static bool as_term(htp_algebra *algebra, htp_polynomial_id id, htp_term *term)
{
    const htp_polynomial p = *htp_polynomial_at(algebra, id);
    *term = content_of(algebra, &p);
    if (p.count == 1) {
        return true;
    }
    htp_sum rest = {.count = p.count};
    for (uint32_t i = 0; i < p.count; i++) {
        rest.terms[i] = p.terms[i];
        rest.is_broken |= !take_out(&rest.terms[i], term);
    }
    htp_polynomial_id inner = htp_sum_end(algebra, &rest);
    if (inner == HTP_NONE || term->degree == MAX_DEGREE) {
        return false;
    }
    insert_factor(algebra, term, htp_atom_of(algebra, inner, 0));
    return true;
}

/* The polynomial of a term; a lone sum factor becomes the sum itself. */
static htp_polynomial_id from_term(htp_algebra *algebra, const htp_term *term)
{
    if (term->degree == 1) {
        const htp_atom *atom = &algebra->atoms.items[term->factors[0]];
        if (!atom->symbol && atom->divisor == 0) {
            htp_sum s = {.count = 0};
            htp_sum_add_polynomial(algebra, &s, atom->inner, term->coefficient);
            return htp_sum_end(algebra, &s);
        }
    }
    return of_term(algebra, term);
}

htp_polynomial_id htp_polynomial_multiply(htp_algebra *algebra, htp_polynomial_id a,
                                          htp_polynomial_id b)
{
    int64_t number;
    if (a == HTP_NONE || b == HTP_NONE) {
        return HTP_NONE;
    }
    for (int turn = 0; turn < 2; turn++) {
        if (htp_polynomial_is_number(algebra, turn ? b : a, &number)) {
            htp_sum s = {.count = 0};
            htp_sum_add_polynomial(algebra, &s, turn ? a : b, number);
            return htp_sum_end(algebra, &s);
        }
    }
    htp_term product;
    htp_term other;
    if (!as_term(algebra, a, &product) || !as_term(algebra, b, &other) ||
        product.degree + other.degree > MAX_DEGREE ||
        __builtin_mul_overflow(product.coefficient, other.coefficient, &product.coefficient)) {
        return HTP_NONE;
    }
    for (uint32_t i = 0; i < other.degree; i++) {
        insert_factor(algebra, &product, other.factors[i]);
    }
    return from_term(algebra, &product);
}

htp_polynomial_id htp_polynomial_divide(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b)
{
    int64_t number;
    if (a == HTP_NONE || b == HTP_NONE ||
        (htp_polynomial_is_number(algebra, b, &number) && number <= 0)) {
        return HTP_NONE;
    }
    if (htp_polynomial_is_number(algebra, a, &number) && number == 0) {
        return a;
    }
    htp_term quotient;
    htp_term divisor;
    bool divides = as_term(algebra, a, &quotient) && as_term(algebra, b, &divisor) &&
                   take_out(&quotient, &divisor);
    return divides ? from_term(algebra, &quotient) : HTP_NONE;
}
