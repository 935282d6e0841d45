/*
 * Topological sort: some tools append nodes and rely on ONNX Runtime to sort.
 */
#ifndef HTP_ONNX_SORT_H
#define HTP_ONNX_SORT_H

#include "onnx/reader/view.h"

/** Whether the only flaws of a view are nodes of graph 0 before their sources. */
bool htp_view_is_unsorted(const htp_view *view);

/**
 * Makes a view of @p file in its arena with the nodes of graph 0 sorted: sources first, otherwise
 * in the order of the file. Linear.
 * @param sorted  to be closed in any case, before @p file, which must not change until then.
 * @return HTP_CODE_BAD_INPUT if there is a cycle.
 */
HTP_MUST_USE htp_status htp_view_sort(htp_view *sorted, const htp_view *file);

#endif
