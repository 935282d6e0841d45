/*
 * The types of a file's values, including undeclared ones.
 */
#ifndef HTP_ONNX_INFER_VIEW_H
#define HTP_ONNX_INFER_VIEW_H

#include "onnx/reader/value_type.h"

/** Types of a view's values. The first query infers all undeclared types, in time and memory linear
 * in the structure of the file. */
typedef struct htp_view_types htp_view_types;

/** @param arena  memory for inference, also at later queries. */
htp_view_types *htp_view_types_new(htp_arena *arena, const htp_view *view);

/** The declared type; if there is none, or none with dims, the inferred one. Single dims that the
 * file does not declare are inferred, too. A type of unknown rank is unknown. Texts are in @p
 * arena, or live as long as @p types. */
htp_value_type htp_view_types_find(htp_view_types *types, htp_arena *arena, uint32_t value);

/** Runs inference now, unless the file declares all of these types, or it already ran. */
void htp_view_types_need(htp_view_types *types, const uint32_t *values, size_t count);

/** Ends inference: later queries take no memory from the types' own arena. */
void htp_view_types_settle(htp_view_types *types);

/** The contents of a ValueInfoProto with the inferred type of a value, in @p arena; empty if the
 * file declares it, or it is unknown. */
htp_span htp_view_types_info(htp_view_types *types, htp_arena *arena, uint32_t value);

#endif
