/*
 * Lists of strings as Python's repr() writes them, which PyTorch's exporter keeps in metadata.
 */
#ifndef HTP_QUERY_PYTHON_LIST_H
#define HTP_QUERY_PYTHON_LIST_H

#include "onnx/proto/wire.h"
#include "query/tree/tree.h"

/** Reads ['a', "b's"] into @p arena. @return the number of strings; 0 if it is empty, or not such a
 * list */
size_t htp_python_list_read(htp_arena *arena, htp_span text, const htp_slice **strings);

#endif
