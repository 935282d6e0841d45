/*
 * External data of a rewritten model: the byte ranges of its new data file, the new locations of
 * its tensors, and data that move into the model. Private to core/onnx.
 */
#ifndef HTP_ONNX_MOVE_DATA_H
#define HTP_ONNX_MOVE_DATA_H

#include "onnx/rewriter/rewrite.h"

/** A tensor whose data are in the new data file. */
typedef struct htp_moved_tensor {
    const htp_view *view;
    uint32_t tensor;
    uint64_t to;
} htp_moved_tensor;

typedef struct htp_moved_data {
    HTP_VECTOR(htp_moved_range) ranges; /* in the order of the new file */
    HTP_VECTOR(htp_moved_tensor) tensors;
    HTP_VECTOR(const htp_moved_range *) inlined; /* ranges that move into the model */
    bool keeps_offsets;                          /* the new file is a copy of the old one */
    uint64_t bytes;                              /* of the new file; 0: none */
    unsigned char *entries;                      /* by tensor: its location fields */
} htp_moved_data;

/** What to plan. */
typedef struct htp_move_request {
    const htp_view *view;
    htp_arena *arena;
    bool has_tensors;        /* `tensors` lists them; otherwise all that no edit drops */
    const uint32_t *tensors; /* ascending */
    size_t tensor_count;
    bool keeps_places; /* data stay in the model or beside it */
    bool is_beside; /* unless keeps_places: large ones go beside the model; otherwise all go inside
                     */
    const htp_shared_data *shared;             /* a file that already has them; or NULL */
    const htp_second_model *second, *verbatim; /* as in htp_rewrite_options */
} htp_move_request;

/**
 * Plans the new data file, and appends the new locations of tensors to @p edits;
 * htp_moved_data_name() sets its name in them.
 * @param edits  sorted, before and after.
 */
void htp_moved_data_plan(const htp_move_request *request, htp_edit_list *edits,
                         htp_moved_data *moved);

/** Sets the name of the data file, of at most NAME_MAX bytes, in the edits. Allocates nothing. */
void htp_moved_data_name(htp_edit_list *edits, htp_moved_data *moved, const char *location);

/** Whether data are in the view's file; those of constants in functions may be in memory. */
bool htp_moved_data_is_in_file(const htp_view *view, htp_span data);

/** Sorts edits by their places. */
void htp_edits_sort(htp_edit_list *edits);

#endif
