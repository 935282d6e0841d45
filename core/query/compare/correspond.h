/*
 * Correspondence of the nodes of two models, by labels and edges, never by names.
 *
 * A node's counterpart is the node in its place. Counterparts are found in steps; each takes the
 * nodes that are left:
 * - equal digests of everything upstream and downstream;
 * - surroundings that are unique in each model;
 * - neighbours of counterparts, if they are unique;
 * - all of this without the contents of constants, so that models of one architecture match;
 * - neighbours that have only the operator in common.
 * Among equal candidates the order of the file decides.
 *
 * Counterparts correspond if they have the same operator, attributes and constants, and if their
 * operands come from counterparts, slot by slot. So a different weight costs one node, and a
 * different edge costs its reader.
 */
#ifndef HTP_QUERY_CORRESPOND_H
#define HTP_QUERY_CORRESPOND_H

#include "query/compare/fingerprint.h"

typedef struct htp_correspondence {
    const uint32_t *nodes;        /* by node of A: the corresponding node of B, or HTP_NONE */
    const uint32_t *back;         /* the same by node of B */
    const uint32_t *counterparts; /* by node of A, as above: also where something differs */
    const uint32_t *counterparts_back;
    uint32_t count; /* of pairs that correspond */
} htp_correspondence;

/** How a node differs from its counterpart: a set of bits. */
typedef enum htp_difference {
    HTP_DIFFERENT_ATTRIBUTES = 1 << 0,
    HTP_DIFFERENT_CONSTANTS = 1 << 1,
    HTP_DIFFERENT_EDGES = 1 << 2,
} htp_difference;

/**
 * Finds the correspondence of two fingerprints that were made with one seed and one pairing. Linear
 * in both. Nodes of type Constant have no counterparts: their values are compared.
 */
void htp_correspondence_find(htp_arena *arena, const htp_fingerprint *a, const htp_fingerprint *b,
                             htp_correspondence *correspondence);

/** How node @p n of A differs from its counterpart, which must exist; 0: they correspond. */
unsigned htp_correspondence_compare(const htp_fingerprint *a, const htp_fingerprint *b,
                                    const htp_correspondence *correspondence, uint32_t n);

/** Whether @p link of a node of A and @p other of its counterpart in B come from counterparts, and
 * from the same result. */
bool htp_correspondence_is_same_link(const htp_correspondence *correspondence, const htp_link *link,
                                     const htp_link *other);

#endif
