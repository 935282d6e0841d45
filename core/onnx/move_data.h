/*
 * External data of a rewritten model: which bytes of which files its new data file consists of, and
 * what its tensors then say of it. Private to core/onnx.
 */
#ifndef HTP_ONNX_MOVE_DATA_H
#define HTP_ONNX_MOVE_DATA_H

#include "onnx/rewrite.h"

/** Bytes of an old data file, and their place in the new one. */
typedef struct htp_moved_range {
    uint32_t data_file;
    uint64_t from;
    uint64_t bytes;
    uint64_t to;
} htp_moved_range;

/** A tensor with external data that stays. */
typedef struct htp_moved_tensor {
    uint32_t tensor;
    uint64_t to;
} htp_moved_tensor;

typedef struct htp_moved_data {
    HTP_VECTOR(htp_moved_range) ranges; /* in the order of the new file */
    HTP_VECTOR(htp_moved_tensor) tensors;
    bool keeps_offsets;     /* the new file is a copy of the old one */
    uint64_t bytes;         /* of the new file */
    unsigned char *entries; /* by tensor: what it says of its data */
} htp_moved_data;

/** Plans the new data file for tensors that no edit drops, and appends to @p edits what the model
 * is to say of it, under a name that htp_moved_data_name() sets.
 * @param edits  sorted; is sorted again. */
void htp_moved_data_plan(htp_view *view, htp_edit_list *edits, htp_moved_data *moved);

/** Sets the name of the data file, of at most NAME_MAX bytes, in the edits. Allocates nothing. */
void htp_moved_data_name(const htp_view *view, htp_edit_list *edits, htp_moved_data *moved,
                         const char *location);

/** Sorts edits by their places. */
void htp_edits_sort(htp_edit_list *edits);

#endif
