/*
 * Roots of module trees that stand for one another: a model, and the same in a wrapper class.
 */
#ifndef HTP_QUERY_ROOTS_H
#define HTP_QUERY_ROOTS_H

#include "query/compare/correspond.h"
#include "query/tree/tree.h"

typedef struct htp_compared_roots {
    bool are_aligned;
    htp_slice tags[2]; /* of A and of B: the root of one, and a module below that of the other */
    const htp_slice *names[2]; /* by module: its tag as it would be without the wrapper */
} htp_compared_roots;

/** Aligns the roots if more corresponding nodes then have the same tag than without. Linear in
 * nodes, and in the bytes of tags. */
void htp_compared_roots_find(htp_arena *arena, const htp_tree *const trees[2],
                             const htp_fingerprint fingerprints[2],
                             const htp_correspondence *correspondence, htp_compared_roots *roots);

#endif
