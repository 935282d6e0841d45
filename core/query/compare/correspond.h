/*
 * Correspondence: which node of one model is which node of another, by their labels and how they
 * are connected, never by their names.
 *
 * A node's counterpart is the node in its place. Counterparts are found in steps, each of which
 * takes the nodes that are left: those with equal digests of all that leads to them and all that
 * follows from them; those whose surroundings are found once in either model; their neighbours, as
 * far as these are single; all of this again without the numbers of constants, so that models of
 * one architecture meet; and neighbours that have nothing but the operator in common. What several
 * nodes share is given to them in the order of the file, if it is the same for all of them.
 *
 * Nodes correspond where they are counterparts, have the same operator, attributes and constants,
 * and take all that they take from counterparts, at the same places. So a weight that differs costs
 * one node, and an edge that leads elsewhere costs the node that it leads to.
 */
#ifndef HTP_QUERY_CORRESPOND_H
#define HTP_QUERY_CORRESPOND_H

#include "query/compare/fingerprint.h"

typedef struct htp_correspondence {
    const uint32_t *nodes;        /* by node of A: the node of B that corresponds; HTP_NONE:
                                     there is none */
    const uint32_t *back;         /* the same by node of B */
    const uint32_t *counterparts; /* by node of A, as above: also where something differs */
    const uint32_t *counterparts_back;
    uint32_t count; /* of pairs that correspond */
} htp_correspondence;

/** In what a node differs from its counterpart; a bit set. */
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

/** In what node @p n of A differs from its counterpart, which it has; 0: they correspond. */
unsigned htp_correspondence_compare(const htp_fingerprint *a, const htp_fingerprint *b,
                                    const htp_correspondence *correspondence, uint32_t n);

/** Whether link @p link of node @p n of A leads to the counterpart of what @p other leads to; nodes
 * HTP_NONE are outputs of the models. */
bool htp_correspondence_is_same_link(const htp_correspondence *correspondence, const htp_link *link,
                                     const htp_link *other);

#endif
