/*
 * Pictures as text that other programs read. formats.def lists the formats.
 *
 * Boxes are called b0, b1... and frames f0, f1... in all formats. Files are valid for any names:
 * U+FFFD replaces characters that a format cannot express.
 */
#ifndef HTP_REPORT_PICTURE_H
#define HTP_REPORT_PICTURE_H

#include "base/stream.h"
#include "query/picture/picture.h"

/** Writes a picture in one format: htp_report_picture_dot() and so on, one for each row. */
typedef void (*htp_report_picture_fn)(htp_stream *stream, const htp_picture *picture);
#define FORMAT(format, name)                                                                       \
    void htp_report_picture_##name(htp_stream *stream, const htp_picture *picture);
#include "report/picture/formats.def"
#undef FORMAT

/** The texts of a box or a frame, in the stream's arena. */
typedef struct htp_picture_label {
    const char *title;  /* "BertLayer.0", "MatMul", "36 operators", "input_ids" */
    const char *path;   /* "encoder.layer.0"; "": unknown */
    const char *detail; /* "47 operators: MatMul 8, Add 6, ..."; a type */
    const char *name;   /* the tag, the node's or value's name */
} htp_picture_label;
htp_picture_label htp_picture_label_box(htp_arena *arena, const htp_picture *picture,
                                        uint32_t number);
htp_picture_label htp_picture_label_frame(htp_arena *arena, const htp_picture *picture,
                                          uint32_t number);

/** How a format with nested frames writes them. */
typedef struct htp_picture_nesting {
    void (*begin_frame)(htp_text *text, const htp_picture *picture, uint32_t number, size_t depth);
    void (*add_box)(htp_text *text, const htp_picture *picture, uint32_t number);
    const char *end_frame;
} htp_picture_nesting;

/** Writes all frames and boxes, each inside its frame. */
void htp_picture_add_nested(htp_stream *stream, const htp_picture *picture,
                            const htp_picture_nesting *nesting);

/** The most types written on one arrow; further ones are counted. */
enum { HTP_PICTURE_SHOWN_VALUES = 3 };

/** Adds a text escaped for XML, also within quotes. */
void htp_picture_add_xml(htp_text *text, const char *string);

/** The type of a value: "float32[batch,8]"; "": unknown. */
const char *htp_picture_type(htp_arena *arena, const htp_picture *picture, uint32_t value);

#endif
