/*
 * The types of a file's values, those that it does not declare included.
 */
#ifndef HTP_ONNX_INFER_VIEW_H
#define HTP_ONNX_INFER_VIEW_H

#include "onnx/reader/value_type.h"

/** Types of one view's values. What the file does not declare is inferred at the first query for
 * it, of all values at once, in time and memory that grow with the structure of the file. */
typedef struct htp_view_types htp_view_types;

/** @param arena  that inference takes its memory of, also at later queries. */
htp_view_types *htp_view_types_new(htp_arena *arena, const htp_view *view);

/** The type that the file declares; where it declares none, or none with dims, the one that follows
 * from its operators. So do single dims that it leaves open, as a function does where its calls
 * differ. A dim that cannot be told is not known. A type whose rank cannot be told is not known at
 * all. Texts are in @p arena, or live as long as @p types. */
htp_value_type htp_view_types_find(htp_view_types *types, htp_arena *arena, uint32_t value);

/** Infers now, unless the file declares all of these types, or it is done. */
void htp_view_types_need(htp_view_types *types, const uint32_t *values, size_t count);

/** Lets nothing be inferred any more: queries take no memory of the types' own arena. */
void htp_view_types_settle(htp_view_types *types);

/** The contents of a ValueInfoProto with the inferred type of a value, in @p arena; empty where the
 * file declares it, or it is not known. */
htp_span htp_view_types_info(htp_view_types *types, htp_arena *arena, uint32_t value);

#endif
