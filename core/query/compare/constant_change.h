/*
 * How far the constants of two nodes are apart.
 */
#ifndef HTP_QUERY_CONSTANT_CHANGE_H
#define HTP_QUERY_CONSTANT_CHANGE_H

#include "query/compare/fingerprint.h"

/** The worst of the constant operands that differ. Not a number differs from every number. */
typedef struct htp_constant_change {
    bool is_known;   /* numbers of equal types and dims */
    double largest;  /* difference of two elements; infinity, where one is no number */
    double relative; /* by the largest element of A's constant; infinity, if that is 0 */
} htp_constant_change;

/** What was measured: a pair of tensors is read once. All zeroes: nothing yet. */
typedef struct htp_constant_changes {
    htp_map known;
    HTP_VECTOR(htp_constant_change) items;
} htp_constant_changes;

/** Measures the operands of node @p a of A and node @p b of B that are initializers, or made by
 * Constant nodes, and differ. Unknown if data files cannot be read any more. */
htp_constant_change htp_constant_change_find(htp_arena *arena, htp_constant_changes *changes,
                                             const htp_fingerprint fingerprints[2], uint32_t a,
                                             uint32_t b);

#endif
