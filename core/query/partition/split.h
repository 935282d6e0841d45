/*
 * The main graph of a model as consecutive parts.
 */
#ifndef HTP_QUERY_SPLIT_H
#define HTP_QUERY_SPLIT_H

#include "query/partition/part.h"
#include "query/tree/tree.h"

/** The nodes of a part. */
typedef struct htp_split_part {
    uint32_t module;  /* HTP_NONE: nodes between modules */
    uint32_t call;    /* HTP_NONE: all of them, or the only one */
    bool is_balanced; /* it is one of several of similar size, see htp_split_balance() */
    uint32_t from,
        to; /* of such a part: the modules of its first and its last node; HTP_NONE: none */
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

/** What is balanced. */
typedef struct htp_balancing {
    uint32_t parts;        /* at least 1 */
    const uint64_t *costs; /* by node of the view: what it adds to a part. NULL: the bytes of the
                              tensors that a part has, each once */
    const bool *is_border; /* by module: a cut may lie where one of these begins or ends. NULL:
                              where any module does */
} htp_balancing;

/**
 * Cuts the nodes of graph 0, in the order of the file, where the module changes that they ran in,
 * or its call. No other such cuts have a smaller largest part; among those that are as good, parts
 * are made as equal as one pass makes them. What parts copy (constants and shared nodes) counts in
 * each. Time: the nodes, and what parts copy, for each bit of the sum.
 * @param sizes  by part: receives its cost
 * @return HTP_CODE_USAGE if there are fewer pieces between borders than parts, or if the sum of
 *         costs overflows.
 */
HTP_MUST_USE htp_status htp_split_balance(htp_arena *arena, const htp_view *view,
                                          const htp_tree *tree, const htp_balancing *balancing,
                                          htp_split *split, uint64_t *sizes);

#endif
