#include "query/cost/amount.h"

#include <stdlib.h>
#include <string.h>

static bool has_factors_of(const htp_term *a, const htp_term *b)
{
    return a->degree == b->degree && memcmp(a->factors, b->factors, sizeof(a->factors)) == 0;
}

/* Adds a term; one that becomes 0 stays, so that sums that go up and down keep their order. */
static void add_term(const htp_algebra *algebra, htp_amount *sum, const htp_term *term,
                     int64_t factor)
{
    int64_t more;
    size_t at = 0;
    if (__builtin_mul_overflow(term->coefficient, factor, &more)) {
        sum->is_broken = true;
        return;
    }
    while (at < sum->terms.count && !has_factors_of(&sum->terms.items[at], term)) {
        at++;
    }
    if (at < sum->terms.count) {
        int64_t *coefficient = &sum->terms.items[at].coefficient;
        sum->is_broken = __builtin_add_overflow(*coefficient, more, coefficient) || sum->is_broken;
    } else if (at == HTP_AMOUNT_MAX_TERMS) {
        sum->is_broken = true;
    } else {
        htp_term added = *term;
        added.coefficient = more;
        HTP_PUSH(algebra->arena, &sum->terms, added);
    }
}

void htp_amount_add_polynomial(const htp_algebra *algebra, htp_amount *sum, htp_polynomial_id id,
                               int64_t factor)
{
    if (id == HTP_NONE) {
        sum->is_broken = true;
        return;
    }
    const htp_polynomial *p = &algebra->polynomials.items[id];
    for (uint32_t i = 0; i < p->count && !sum->is_broken; i++) {
        add_term(algebra, sum, &p->terms[i], factor);
    }
}

void htp_amount_add(const htp_algebra *algebra, htp_amount *sum, const htp_amount *more,
                    int64_t factor)
{
    sum->is_broken = sum->is_broken || more->is_broken;
    for (size_t i = 0; i < more->terms.count && !sum->is_broken; i++) {
        add_term(algebra, sum, &more->terms.items[i], factor);
    }
}

htp_amount htp_amount_copy(const htp_algebra *algebra, const htp_amount *amount)
{
    htp_amount copy = {.is_broken = false};
    htp_amount_add(algebra, &copy, amount, 1);
    return copy;
}

bool htp_amount_is_number(const htp_amount *amount, int64_t *number)
{
    bool is_number = !amount->is_broken;
    *number = 0;
    for (size_t i = 0; i < amount->terms.count; i++) {
        const htp_term *term = &amount->terms.items[i];
        is_number = is_number && (term->degree == 0 || term->coefficient == 0);
        *number = term->degree == 0 ? term->coefficient : *number;
    }
    return is_number;
}

/* Whether a term is at least another one with the same coefficient: it has its factors, and beyond
 * them nothing but axes. */
static bool covers(const htp_algebra *algebra, const htp_term *large, const htp_term *small)
{
    uint32_t taken = 0; /* factors of the large one, as bits */
    for (uint32_t i = 0; i < small->degree; i++) {
        uint32_t k = 0;
        while (k < large->degree && (taken >> k & 1 || large->factors[k] != small->factors[i])) {
            k++;
        }
        if (k == large->degree) {
            return false;
        }
        taken |= UINT32_C(1) << k;
    }
    bool are_axes = true;
    for (uint32_t k = 0; k < large->degree; k++) {
        are_axes =
            are_axes && (taken >> k & 1 || algebra->atoms.items[large->factors[k]].symbol != NULL);
    }
    return are_axes;
}

/* Takes as much of positive terms as a negative one needs. @return whether there is enough */
static bool cover(const htp_algebra *algebra, htp_amount *amount, const htp_term *negative)
{
    int64_t missing = negative->coefficient;
    for (size_t i = 0; i < amount->terms.count && missing < 0; i++) {
        htp_term *term = &amount->terms.items[i];
        if (term->coefficient > 0 && covers(algebra, term, negative)) {
            int64_t taken = term->coefficient + missing >= 0 ? -missing : term->coefficient;
            term->coefficient -= taken;
            missing += taken;
        }
    }
    return missing >= 0;
}

bool htp_amount_is_above(const htp_algebra *algebra, const htp_amount *a, const htp_amount *b)
{
    htp_amount difference = htp_amount_copy(algebra, a);
    htp_amount_add(algebra, &difference, b, -1);
    bool is_above = !difference.is_broken;
    for (size_t i = 0; i < difference.terms.count && is_above; i++) {
        const htp_term *term = &difference.terms.items[i];
        is_above = term->coefficient >= 0 || cover(algebra, &difference, term);
    }
    return is_above;
}

/* The highest degree first, and of one degree the larger number. */
static int compare_terms(const void *a, const void *b)
{
    const htp_term *x = a;
    const htp_term *y = b;
    if (x->degree != y->degree) {
        return x->degree > y->degree ? -1 : 1;
    }
    if (x->coefficient != y->coefficient) {
        return x->coefficient > y->coefficient ? -1 : 1;
    }
    return memcmp(x->factors, y->factors, sizeof(x->factors));
}

const char *htp_amount_text(htp_arena *arena, const htp_algebra *algebra, const htp_amount *amount)
{
    htp_text text = {.arena = arena};
    htp_term *terms = HTP_NEW_ARRAY(arena, htp_term, amount->terms.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < amount->terms.count; i++) {
        if (amount->terms.items[i].coefficient != 0) {
            terms[count++] = amount->terms.items[i];
        }
    }
    qsort(terms, count, sizeof(*terms), compare_terms);
    htp_polynomial_write_terms(algebra, terms, count, &text);
    return amount->is_broken ? NULL : htp_text_string(&text);
}
