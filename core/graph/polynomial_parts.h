/*
 * Shared parts of the algebra. Private to core/graph.
 */
#ifndef HTP_GRAPH_POLYNOMIAL_PARTS_H
#define HTP_GRAPH_POLYNOMIAL_PARTS_H

#include "graph/polynomial.h"

/** A polynomial under construction; is_broken after an overflow, or beyond a limit. */
typedef struct htp_sum {
    htp_term terms[HTP_POLYNOMIAL_MAX_TERMS];
    uint32_t count;
    bool is_broken;
} htp_sum;

/** The polynomial @p id. The pointer is valid until the next one is made. */
static inline const htp_polynomial *htp_polynomial_at(const htp_algebra *algebra,
                                                      htp_polynomial_id id)
{
    return &algebra->polynomials.items[id];
}

/** The unique polynomial with the terms of a sum; HTP_NONE for a broken one. */
htp_polynomial_id htp_sum_end(htp_algebra *algebra, const htp_sum *sum);

/** The unique atom ⌊inner / divisor⌋; for divisor 0 the sum @p inner as a factor, for
 * HTP_ATOM_POSITIVE its positive part. */
htp_atom_id htp_atom_of(htp_algebra *algebra, htp_polynomial_id inner, int64_t divisor);

/** The polynomial of a single atom. */
htp_polynomial_id htp_polynomial_of_atom(htp_algebra *algebra, htp_atom_id atom);

/** The atom, if a term is nothing else; or NULL. */
const htp_atom *htp_term_atom(const htp_algebra *algebra, const htp_term *term);

/** Adds a term, a number, or a polynomial times @p factor. */
void htp_sum_add(htp_sum *sum, const htp_term *term);
void htp_sum_add_number(htp_sum *sum, int64_t number);
void htp_sum_add_polynomial(const htp_algebra *algebra, htp_sum *sum, htp_polynomial_id id,
                            int64_t factor);

#endif
