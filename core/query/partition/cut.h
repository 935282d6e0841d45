/*
 * Whether the nodes of a region can be a model of their own, and which around it could.
 */
#ifndef HTP_QUERY_CUT_H
#define HTP_QUERY_CUT_H

#include "query/dataflow/flow.h"
#include "query/select/region.h"

/** A region as nodes of one graph. */
typedef struct htp_cut {
    uint32_t graph;        /* that its nodes lie in */
    uint32_t *part_of;     /* by node of the view: 0 inside of it, HTP_NONE elsewhere; set for the
                              nodes of the graph. Of shared ones none is inside: the part takes
                              those along that it reads */
    const bool *is_shared; /* by node of the view: such a one; NULL: none is */
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

/** The body of a node, or the function, that a graph is: "body 'then_branch' of node 'If'". */
const char *htp_cut_graph_text(htp_arena *arena, const htp_view *view, uint32_t graph);

#endif
