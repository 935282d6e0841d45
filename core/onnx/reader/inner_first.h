/*
 * An order of nodes in which bodies precede their node.
 */
#ifndef HTP_ONNX_INNER_FIRST_H
#define HTP_ONNX_INNER_FIRST_H

#include "onnx/reader/view.h"

/** Nodes in that order; otherwise in the order of the file. */
typedef struct htp_view_order {
    const uint32_t *nodes;
    size_t count;
    size_t own; /* the number of first ones, in graph 0 and its bodies; functions follow */
} htp_view_order;

/** All nodes of a view. Linear in time and memory. */
htp_view_order htp_view_inner_first(htp_arena *arena, const htp_view *view);

#endif
