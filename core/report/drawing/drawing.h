/*
 * Drawings as text that other programs read. formats.def lists the formats.
 *
 * Boxes are called b0, b1... and frames f0, f1... in all formats. Files are valid for any names:
 * U+FFFD replaces characters that a format cannot express.
 */
#ifndef HTP_REPORT_DRAWING_H
#define HTP_REPORT_DRAWING_H

#include "base/stream.h"
#include "query/drawing/drawing.h"

/** Writes a drawing in one format: htp_report_drawing_dot() and so on, one for each row. */
typedef void (*htp_report_drawing_fn)(htp_stream *stream, const htp_drawing_graph *drawing);
#define FORMAT(format, name)                                                                       \
    void htp_report_drawing_##name(htp_stream *stream, const htp_drawing_graph *drawing);
#include "report/drawing/formats.def"
#undef FORMAT

/** The texts of a box or a frame, in the stream's arena. With costs, the detail of a box ends in
 * its share of them all. */
typedef struct htp_drawing_label {
    const char *title;  /* "BertLayer.0", "MatMul", "36 operators", "input_ids" */
    const char *path;   /* "encoder.layer.0"; "": unknown */
    const char *detail; /* "47 operators: MatMul 8, Add 6, ..."; a type */
    const char *name;   /* the tag, the node's or value's name */
} htp_drawing_label;
htp_drawing_label htp_drawing_label_box(htp_arena *arena, const htp_drawing_graph *drawing,
                                        uint32_t number);
htp_drawing_label htp_drawing_label_frame(htp_arena *arena, const htp_drawing_graph *drawing,
                                          uint32_t number);

/** The colour of a box by its share of the most that a box costs, "#rrggbb"; NULL: it has no cost.
 */
const char *htp_drawing_fill(htp_arena *arena, const htp_drawing_graph *drawing, uint32_t number);

/** How a format with nested frames writes them. */
typedef struct htp_drawing_nesting {
    void (*begin_frame)(htp_text *text, const htp_drawing_graph *drawing, uint32_t number,
                        size_t depth);
    void (*add_box)(htp_text *text, const htp_drawing_graph *drawing, uint32_t number);
    const char *end_frame;
} htp_drawing_nesting;

/** Writes all frames and boxes, each inside its frame. */
void htp_drawing_add_nested(htp_stream *stream, const htp_drawing_graph *drawing,
                            const htp_drawing_nesting *nesting);

/** The most types written on one arrow; further ones are counted. */
enum { HTP_DRAWING_SHOWN_VALUES = 3 };

/** Adds a text escaped for XML, also within quotes. */
void htp_drawing_add_xml(htp_text *text, const char *string);

/** The type of a value: "float32[batch,8]"; "": unknown. */
const char *htp_drawing_type(htp_arena *arena, const htp_drawing_graph *drawing, uint32_t value);

#endif
