/*
 * Whether the nodes of a region can be a model of their own; if not, which module around it can.
 */
#ifndef HTP_QUERY_CUT_H
#define HTP_QUERY_CUT_H

#include "query/dataflow/flow.h"
#include "query/select/region.h"

/** A region as nodes of one graph. */
typedef struct htp_cut {
    uint32_t graph;        /* that its nodes lie in */
    uint32_t *part_of;     /* by node of the view, set for nodes of the graph: 0 inside, HTP_NONE
                              outside. Shared nodes are outside: those that the part reads are
                              copied */
    const bool *is_shared; /* by node of the view; NULL: none is */
} htp_cut;

/**
 * Cuts a region out. Bodies belong to their nodes.
 * @param name  the name of the region in messages.
 * @return HTP_CODE_USAGE if there are no nodes, if they lie in several graphs or in a function, or
 *         if a path leaves the region and returns. The message names the path, and the smallest
 *         module around the region that can be cut out.
 */
HTP_MUST_USE htp_status htp_cut_region(htp_arena *arena, const htp_region *region, const char *name,
                                       htp_cut *cut);

/** A graph in words, a body or a function: "body 'then_branch' of node 'If'". */
const char *htp_cut_graph_text(htp_arena *arena, const htp_view *view, uint32_t graph);

#endif
