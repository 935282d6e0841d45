/*
 * Sizes as polynomials of symbols and floored quotients, in normal form.
 *
 * A polynomial is a sum of terms: integers times atoms. An atom is a symbol, ⌊p / n⌋ for a
 * polynomial p and a number n, max(p, 0), or a sum that is a factor: products are not expanded.
 * Equal sums, nested quotients and their constants have one form: ⌊(⌊(a - 1) / 2⌋ + 2) / 3⌋ is
 * ⌊(a + 3) / 6⌋, and min(a, 3) is a - max(a - 3, 0). Equal forms are equal sizes; different forms
 * may be equal, too.
 *
 * Operations return HTP_NONE if a number overflows, if a form grows too large, or if an operand is
 * HTP_NONE.
 */
#ifndef HTP_GRAPH_POLYNOMIAL_H
#define HTP_GRAPH_POLYNOMIAL_H

#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"

#include <htp/types.h>

/** Indices into the algebra's polynomials and atoms. */
typedef uint32_t htp_polynomial_id;
typedef uint32_t htp_atom_id;

/** In place of the lower bound of an unbounded value. */
#define HTP_POLYNOMIAL_UNBOUNDED INT64_MIN

/** Limits of one sum, one product, and of all numbers and symbols in a form. */
enum {
    HTP_POLYNOMIAL_MAX_TERMS = 12,
    HTP_POLYNOMIAL_MAX_DEGREE = 7,
    HTP_POLYNOMIAL_MAX_WEIGHT = 64
};

/** A number times atoms, which are sorted by the first symbol in each. */
typedef struct htp_term {
    int64_t coefficient;
    uint32_t degree;
    htp_atom_id factors[HTP_POLYNOMIAL_MAX_DEGREE]; /* 0 from degree on */
} htp_term;

/** Sizes of a polynomial or atom in the lanes of a trace, if known. */
typedef struct htp_lane_sizes {
    bool are_known;
    int64_t lane[HTP_MAX_LANES];
} htp_lane_sizes;

/** Terms of the highest degree first, the number last; none is 0. */
typedef struct htp_polynomial {
    const htp_term *terms;
    uint32_t count;
    uint32_t weight;  /* how many terms and atoms it has, nested ones included */
    bool has_unknown; /* at any depth */
    int64_t least;    /* known lower bound, besides that of the form */
    htp_lane_sizes sizes;
} htp_polynomial;

/** In place of the divisor of a quotient. */
#define HTP_ATOM_POSITIVE INT64_C(-1)

typedef struct htp_atom {
    const char *symbol;        /* or NULL */
    htp_polynomial_id inner;   /* of a quotient, a sum or a positive part */
    int64_t divisor;           /* 0 for a sum, HTP_ATOM_POSITIVE for max(inner, 0) */
    htp_atom_id first;         /* the first symbol in it; itself for a symbol */
    htp_polynomial_id meaning; /* of a symbol: what it was found to equal; HTP_NONE: not found */
    bool is_busy;              /* the meaning is being resolved */
    bool is_unknown;           /* an unknown symbol, or one inside */
    int64_t least;             /* known lower bound */
    bool is_data;              /* a symbol of a data-dependent size */
    bool is_fresh;             /* a symbol invented for sizes by lane */
    bool is_taken;             /* a fresh one that names an unknown symbol now */
    bool is_ambiguous;         /* contradicting meanings were found */
    bool is_zero;              /* a positive part that is 0 in every run */
    htp_lane_sizes sizes;
} htp_atom;

typedef struct htp_algebra {
    htp_arena *arena;
    HTP_VECTOR(htp_polynomial) polynomials;
    HTP_VECTOR(htp_atom) atoms;
    htp_map by_terms; /* -> polynomial */
    htp_map by_inner; /* quotients, sums and positive parts -> atom */
} htp_algebra;

/**
 * Creates a symbol for a size.
 * @return the polynomial of this symbol alone. @p least is its smallest value; @p sizes may be
 *         NULL.
 */
htp_polynomial_id htp_polynomial_symbol(htp_algebra *algebra, const char *symbol, int64_t least,
                                        const htp_lane_sizes *sizes);

/** HTP_NONE for INT64_MIN, so that all numbers can be negated. */
htp_polynomial_id htp_polynomial_number(htp_algebra *algebra, int64_t number);

/** Whether a polynomial is a number; @p number receives it. HTP_NONE is none. */
bool htp_polynomial_is_number(const htp_algebra *algebra, htp_polynomial_id id, int64_t *number);

/** The symbol, if a polynomial is nothing else; or NULL, also for HTP_NONE. */
htp_atom *htp_polynomial_sole_symbol(const htp_algebra *algebra, htp_polynomial_id id);

/** a + factor b. */
htp_polynomial_id htp_polynomial_add(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b,
                                     int64_t factor);

/** a b. */
htp_polynomial_id htp_polynomial_multiply(htp_algebra *algebra, htp_polynomial_id a,
                                          htp_polynomial_id b);

/** a / b; HTP_NONE unless the forms show that b divides a. */
htp_polynomial_id htp_polynomial_divide(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b);

/** ⌊a / divisor⌋ for a divisor above 0. */
htp_polynomial_id htp_polynomial_floor(htp_algebra *algebra, htp_polynomial_id a, int64_t divisor);

/** max(a, 0), simplified to a or 0 if the form shows its sign. */
htp_polynomial_id htp_polynomial_positive(htp_algebra *algebra, htp_polynomial_id a);

/** The larger and the smaller of two. */
htp_polynomial_id htp_polynomial_larger(htp_algebra *algebra, htp_polynomial_id a,
                                        htp_polynomial_id b);
htp_polynomial_id htp_polynomial_smaller(htp_algebra *algebra, htp_polynomial_id a,
                                         htp_polynomial_id b);

/** Whether a polynomial is at least @p least for all sizes, by its form or by noted bounds. False
 * for HTP_NONE. */
bool htp_polynomial_is_at_least(const htp_algebra *algebra, htp_polynomial_id id, int64_t least);

/** Whether @p a is at least @p b for all sizes. */
bool htp_polynomial_is_above(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b);

/** Notes a lower bound of a polynomial. */
void htp_polynomial_set_least(htp_algebra *algebra, htp_polynomial_id id, int64_t least);

/** Notes that every run broadcasts two sizes, and so fails if they differ and neither is 1. From n
 * and min(n, 512) follows that n is at most 512. Only htp_polynomial_resolve() uses it. */
void htp_polynomial_note_broadcast(htp_algebra *algebra, htp_polynomial_id a, htp_polynomial_id b);

/** Drops the noted bounds, except those of symbols. */
void htp_polynomial_forget(htp_algebra *algebra);

/** Substitutes the meanings of symbols, and applies facts about positive parts. */
htp_polynomial_id htp_polynomial_resolve(htp_algebra *algebra, htp_polynomial_id id);

/** Appends a polynomial as an expression of Python: "(height//16)*(width//16) + 1". */
void htp_polynomial_write(const htp_algebra *algebra, htp_polynomial_id id, htp_text *text);

/** Appends a sum of any number of terms in the same writing: positive terms first, then negative
 * ones, in their order; "0" for none. */
void htp_polynomial_write_terms(const htp_algebra *algebra, const htp_term *terms, size_t count,
                                htp_text *text);

#endif
