/*
 * Digests of the surroundings of a node. Private to core/query.
 */
#ifndef HTP_QUERY_SURROUNDINGS_H
#define HTP_QUERY_SURROUNDINGS_H

#include "query/compare/fingerprint.h"

/** Rounds of refinement: after N rounds a digest covers all nodes within distance N. */
#define HTP_SURROUNDINGS_NEAR 2
#define HTP_SURROUNDINGS_FAR 8

/** By node. */
typedef struct htp_surroundings {
    htp_digest *before; /* everything upstream, including the node */
    htp_digest *behind; /* everything downstream, without the node */
    htp_digest *both;
    htp_digest *near, *far; /* a few steps in both directions */
} htp_surroundings;

/** Computes the digests of surroundings from labels of one kind. Linear. */
void htp_surroundings_find(htp_arena *arena, const htp_fingerprint *fingerprint, htp_label label,
                           htp_surroundings *surroundings);

#endif
