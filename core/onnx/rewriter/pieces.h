/*
 * The bytes of a rewritten model as pieces of the old file and of memory. Private to core/onnx.
 */
#ifndef HTP_ONNX_PIECES_H
#define HTP_ONNX_PIECES_H

#include "onnx/rewriter/rewrite.h"

/** Bytes that follow each other. */
typedef struct htp_piece {
    const unsigned char *at;
    uint64_t bytes;
    const htp_view *of;          /* in its mapped file; NULL: in an arena */
    const htp_moved_range *data; /* these bytes instead; or NULL */
} htp_piece;

/** A message with an edit somewhere below, or a composed one. */
typedef struct htp_piece_frame {
    htp_wire wire;
    const htp_recipe *recipe; /* in place of the wire; or NULL */
    size_t next_item;         /* of it */
    uint32_t number;          /* its field number */
    size_t prefix;            /* the piece reserved for its tag and length */
    uint64_t bytes;           /* so far */
} htp_piece_frame;

/** All zeroes at first. */
typedef struct htp_pieces {
    HTP_VECTOR(htp_piece) list;
    HTP_VECTOR(htp_piece_frame) stack;
    HTP_VECTOR(unsigned char *) prefixes; /* memory for tags and lengths */
    size_t prefixes_used;
    HTP_VECTOR(bool) is_applied; /* by edit; the same field may be copied twice */
    uint64_t bytes;              /* of all */
} htp_pieces;

/**
 * Cuts the view's file, or the contents of @p recipe, into pieces. Linear in the edited messages.
 * Replaces earlier pieces; if only the bytes of edits have changed since, nothing is allocated.
 * @param edits   sorted by their places, apart from each other.
 * @param second  a model that the recipe takes fields of, too; or NULL
 * @param recipe  or NULL: all of the file. It takes no field of the view twice.
 */
HTP_MUST_USE htp_status htp_pieces_cut(const htp_view *view, const htp_view *second,
                                       htp_arena *arena, const htp_edit_list *edits,
                                       const htp_recipe *recipe, htp_pieces *pieces);

#endif
