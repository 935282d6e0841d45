/*
 * Nodes in order: some tools append what they make, and leave it to ONNX Runtime to sort.
 */
#ifndef HTP_ONNX_SORT_H
#define HTP_ONNX_SORT_H

#include "onnx/reader/view.h"

/** Whether all that is wrong with a view is that nodes of graph 0 stand before those that make what
 * they read. */
bool htp_view_is_unsorted(const htp_view *view);

/**
 * Makes a view of @p file in its arena in which the nodes of graph 0 stand behind those that make
 * what they read, and otherwise in the order of the file. Linear.
 * @param sorted  to be closed in any case, before @p file, which must stay as it is for so long.
 * @return HTP_CODE_BAD_INPUT where there is a cycle.
 */
HTP_MUST_USE htp_status htp_view_sort(htp_view *sorted, const htp_view *file);

#endif
