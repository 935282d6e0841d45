/*
 * The main graph of a model as consecutive parts.
 */
#ifndef HTP_QUERY_SPLIT_H
#define HTP_QUERY_SPLIT_H

#include "query/partition/part.h"
#include "query/tree/tree.h"

/** The nodes of a part. */
typedef struct htp_split_part {
    uint32_t module; /* HTP_NONE: nodes between modules */
    uint32_t call;   /* HTP_NONE: all of them, or the only one */
} htp_split_part;

/** Parts, in an order in which they can run. */
typedef struct htp_split {
    HTP_VECTOR(htp_split_part) parts;
    uint32_t *part_of; /* by node of the view; set for nodes of graph 0. Constants and shared nodes
                          are in no part unless they are outputs, since parts copy them */
} htp_split;

/**
 * Splits at the chosen modules, each with all modules below it.
 * @param is_chosen  by module; changed.
 * @return HTP_CODE_USAGE if a chosen module lies in another one, or if parts cannot be ordered;
 * with
 *         @p is_strict, also if a module has no nodes outside of bodies.
 */
HTP_MUST_USE htp_status htp_split_find(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                       const bool *is_chosen, bool is_strict, htp_split *split);

#endif
