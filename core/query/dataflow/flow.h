/*
 * Data flow between the nodes of one graph; bodies count as parts of their nodes.
 */
#ifndef HTP_QUERY_FLOW_H
#define HTP_QUERY_FLOW_H

#include "onnx/reader/view.h"

/** Called for each value that a node reads, including outputs of its bodies. Nodes in bodies have
 * calls of their own. */
typedef void htp_flow_reader(void *user, uint32_t node, uint32_t value);
void htp_flow_each_read(const htp_view *view, uint32_t node, htp_flow_reader *read, void *user);

/** Whether a node is a Constant, or an Identity of a constant. Such nodes are treated like weights:
 * their outputs never cross a border, and they are copied to their readers. */
bool htp_flow_is_constant(const htp_view *view, uint32_t node);

/** Whether a node is copied to its readers: it is a constant, or shared by several modules.
 * @param is_shared  by node, as in a htp_tree; or NULL */
bool htp_flow_is_carried(const htp_view *view, const bool *is_shared, uint32_t node);

/** The edges between the nodes of one graph, from makers to readers. */
typedef struct htp_flow {
    const htp_view *view;
    const bool *is_shared; /* by node of the view; or NULL: none is */
    uint32_t graph;
    uint32_t first_node, node_count; /* of the graph */
    uint32_t *top;     /* by node of the view: the node of the graph that it is, or whose body it
                          lies in; HTP_NONE */
    uint32_t *first;   /* by node of the graph, counted from 0, and one more: into `sources` */
    uint32_t *from;    /* by node of the graph: scratch memory of htp_flow_find_detour() */
    uint32_t *inner;   /* likewise */
    uint32_t *sources; /* nodes of the view that a node reads, without constants; one may occur
                          several times */
} htp_flow;

/** Finds the edges. Linear in the view. @param is_shared  must outlive the flow; or NULL */
htp_flow htp_flow_find(htp_arena *arena, const htp_view *view, const bool *is_shared,
                       uint32_t graph);

/** Nodes along a path. */
typedef HTP_VECTOR(uint32_t) htp_flow_path;

/**
 * Finds a path that leaves part @p part and returns to it: such a part cannot run as one model. A
 * shared node belongs to the parts of its readers. Linear in the edges.
 * @param part_of  by node of the view.
 * @param path     receives the first such path, including its ends in the part; empty: none.
 */
void htp_flow_find_detour(htp_arena *arena, const htp_flow *flow, const uint32_t *part_of,
                          uint32_t part, htp_flow_path *path);

/** "A -> B -> ... (7 more) -> C" with the names of nodes. */
const char *htp_flow_path_text(htp_arena *arena, const htp_view *view, const htp_flow_path *path);

#endif
