/*
 * Pictures as text that other programs read.
 *
 * In both formats boxes are called b0, b1... and frames f0, f1... Whatever names hold, files are
 * valid: what XML cannot hold becomes U+FFFD.
 */
#ifndef HTP_REPORT_PICTURE_H
#define HTP_REPORT_PICTURE_H

#include "base/stream.h"
#include "query/picture/picture.h"

/**
 * For graphviz: frames are clusters in each other, called cluster_f0 and so on. Labels tell class
 * and instance, attribute path and operators; tooltips tell the tag or the node's name; arrows the
 * types of what flows.
 */
void htp_report_picture_dot(htp_stream *stream, const htp_picture *picture);

/**
 * GraphML, as flat as all its readers take it: frames are nodes, too, and `parent` of a node is the
 * frame that it lies in. An edge for each value that flows.
 *
 * Reference: http://graphml.graphdrawing.org/specification.html
 */
void htp_report_picture_graphml(htp_stream *stream, const htp_picture *picture);

/** What both tell of a box or a frame, in the stream's arena. */
typedef struct htp_picture_label {
    const char *title;  /* "BertLayer.0", "MatMul", "36 operators", "input_ids" */
    const char *path;   /* "encoder.layer.0"; "" where it is not known */
    const char *detail; /* "47 operators: MatMul 8, Add 6, ..."; a type */
    const char *name;   /* the tag, the node's or value's name */
} htp_picture_label;
htp_picture_label htp_picture_label_box(htp_arena *arena, const htp_picture *picture,
                                        uint32_t number);
htp_picture_label htp_picture_label_frame(htp_arena *arena, const htp_picture *picture,
                                          uint32_t number);

/** A text for XML, also within quotes. */
void htp_picture_add_xml(htp_text *text, const char *string);

/** The type of a value: "float32[batch,8]"; "" where it is not known. */
const char *htp_picture_type(htp_arena *arena, const htp_picture *picture, uint32_t value);

#endif
