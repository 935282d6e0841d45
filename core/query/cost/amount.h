/*
 * Amounts: sums of any number of products of sizes, such as what all nodes of a model compute.
 *
 * A polynomial (graph/polynomial.h) is one size and stays short. An amount adds up many of them:
 * terms with the same factors become one. Terms keep the order in which their factors came.
 */
#ifndef HTP_QUERY_AMOUNT_H
#define HTP_QUERY_AMOUNT_H

#include "graph/symbols.h"

/** The longest amount that is told; adding stays linear. */
#define HTP_AMOUNT_MAX_TERMS 64

/** An amount; 0 is all zeroes. */
typedef struct htp_amount {
    HTP_VECTOR(htp_term) terms;
    bool is_broken; /* a number overflows, or there are too many terms */
} htp_amount;

/** sum + factor * a polynomial; one that is HTP_NONE breaks the amount. */
void htp_amount_add_polynomial(const htp_algebra *algebra, htp_amount *sum, htp_polynomial_id id,
                               int64_t factor);

/** sum + factor * more. */
void htp_amount_add(const htp_algebra *algebra, htp_amount *sum, const htp_amount *more,
                    int64_t factor);

/** An amount that may change apart from this one. */
htp_amount htp_amount_copy(const htp_algebra *algebra, const htp_amount *amount);

/** Whether an amount is a number; the number. */
bool htp_amount_is_number(const htp_amount *amount, int64_t *number);

/** Whether @p a is at least @p b where all axes are 1 and more, as their terms show: each term of
 * the difference that is negative is covered by positive ones with its factors and perhaps further
 * axes. */
bool htp_amount_is_above(const htp_algebra *algebra, const htp_amount *a, const htp_amount *b);

/** A formula as Python would compute it: "batch*sequence*sequence*256 + batch*16384"; the highest
 * degree first. NULL where the amount is broken. */
const char *htp_amount_text(htp_arena *arena, const htp_algebra *algebra, const htp_amount *amount);

#endif
