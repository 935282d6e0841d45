/*
 * Writing a model that was read, with parts left out or replaced.
 *
 * What no edit names keeps its bytes, whoever wrote them: they go from file to file, fields that
 * nobody here knows included. Only the lengths of messages around an edit are written anew. Without
 * edits the new file equals the old one.
 *
 * External data go to one file beside the new model. Where the old model has one such file and all
 * of it is kept, the new one is its copy and offsets stay; otherwise tensors are laid out anew, at
 * multiples of 64, those that shared their bytes sharing them still.
 */
#ifndef HTP_ONNX_REWRITE_H
#define HTP_ONNX_REWRITE_H

#include "onnx/view.h"
#include "onnx/writer.h"

/** A field of the file, tag and length included, and what stands in its place. */
typedef struct htp_edit {
    htp_span field;
    htp_span bytes; /* in the arena, or of the file; empty: nothing */
} htp_edit;

typedef HTP_VECTOR(htp_edit) htp_edit_list;

typedef struct htp_rewrite_options {
    htp_progress_fn progress; /* or NULL; as in htp_writer_options */
    void *user;
} htp_rewrite_options;

/**
 * Writes the view's file to @p path with @p edits, in any order; fields do not overlap. The files
 * appear as htp_draft_write() describes.
 * @return as htp_draft_write().
 */
HTP_MUST_USE htp_status htp_rewrite(htp_view *view, const htp_edit_list *edits, const char *path,
                                    const htp_rewrite_options *options, htp_writer_result *result);

#endif
