/*
 * Small values in the file: lists in attributes, and contents of tensors.
 */
#ifndef HTP_ONNX_LITERALS_H
#define HTP_ONNX_LITERALS_H

#include "onnx/reader/view.h"

/** The numbers of an attribute of kind INTS, in @p arena. @return their number */
size_t htp_view_attribute_ints(const htp_view_attribute *attribute, htp_arena *arena,
                               const int64_t **ints);

/** The number of numbers in an attribute of kind FLOATS. */
size_t htp_view_count_floats(const htp_view_attribute *attribute);

/** The elements of an int64, float32 or float64 tensor, or bytes of bool (0 or not); in the file or
 * in @p arena; may be unaligned. NULL if the tensor has another type, more than one axis, more than
 * HTP_VIEW_MAX_LITERALS elements, or data outside of the file. */
const void *htp_view_literals(htp_arena *arena, const htp_view *view, uint32_t tensor);

enum { HTP_VIEW_MAX_LITERALS = 128 };

#endif
