/*
 * The order of nodes in which bodies come before their node.
 */
#ifndef HTP_ONNX_INNER_FIRST_H
#define HTP_ONNX_INNER_FIRST_H

#include "onnx/reader/view.h"

/** Nodes: those of a body before the node that has it, otherwise in the order of the file. */
typedef struct htp_view_order {
    const uint32_t *nodes;
    size_t count;
    size_t own; /* the first ones: of graph 0 and of the bodies in it; functions follow */
} htp_view_order;

/** All nodes of a view, in time and memory that grow with them. */
htp_view_order htp_view_inner_first(htp_arena *arena, const htp_view *view);

#endif
