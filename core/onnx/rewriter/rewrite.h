/*
 * Writes a model that was read, with edits, or a model composed of its parts.
 *
 * Everything outside of edits keeps its bytes, including unknown fields. Only the lengths of
 * messages around an edit change. Without edits the new file equals the old one.
 *
 * External data go to one file beside the new model. If the old model has one such file and keeps
 * all of it, the new one is a copy with the same offsets. Otherwise tensors get new offsets,
 * multiples of 64, and shared bytes stay shared. Data that move between the model and the data file
 * are streamed like all others.
 */
#ifndef HTP_ONNX_REWRITE_H
#define HTP_ONNX_REWRITE_H

#include "onnx/reader/view.h"
#include "onnx/serialize/writer.h"

/** Bytes of a data file, and their position in a new one. */
typedef struct htp_moved_range {
    const htp_view *view; /* of the model that names the file */
    uint32_t data_file;   /* HTP_NONE: the model itself */
    uint64_t from;
    uint64_t bytes;
    uint64_t to;
} htp_moved_range;

/** A field of the file, with tag and length, and its replacement. */
typedef struct htp_edit {
    htp_span field;
    htp_span bytes;              /* in the arena or the file; empty: the field is dropped */
    const htp_moved_range *data; /* further bytes after these; or NULL */
} htp_edit;

typedef HTP_VECTOR(htp_edit) htp_edit_list;

/** A part of a composed message: fields in the file (with edits) or in memory, or another composed
 * message. */
typedef struct htp_recipe_item {
    htp_span bytes;
    const struct htp_recipe *message; /* or NULL */
} htp_recipe_item;

/** A composed message. */
typedef struct htp_recipe {
    uint32_t number; /* its field number; ignored for a model */
    HTP_VECTOR(htp_recipe_item) items;
} htp_recipe;

/** The least bytes of a tensor that may be stored beside a model. */
enum { HTP_REWRITE_SMALLEST_BESIDE = 1024 };

/** Where the data of tensors go. */
typedef enum htp_data_place {
    HTP_DATA_KEPT = 0, /* where they were: in the model, or beside it */
    HTP_DATA_CHOSEN,   /* by htp_external_data; data of nodes' attributes stay, or go inside */
    HTP_DATA_SHARED,   /* as HTP_EXTERNAL_ALWAYS, in a file that exists already */
} htp_data_place;

/** A data file that several models refer to. */
typedef struct htp_shared_data {
    const char *location;    /* its name */
    const uint64_t *offsets; /* by tensor of the view; UINT64_MAX: not in the file */
} htp_shared_data;

/** A second model that a recipe takes fields of. Its tensors keep their places: in the model, or
 * beside it. */
typedef struct htp_second_model {
    const htp_view *view;
    const uint32_t *tensors; /* those in the recipe, ascending; each may be in it several times */
    size_t tensor_count;
} htp_second_model;

/** All zeroes: the whole file with its edits. */
typedef struct htp_rewrite_options {
    htp_progress_fn progress; /* or NULL; as in htp_writer_options */
    void *user;
    htp_arena *arena;         /* scratch memory; NULL: the view's */
    const htp_recipe *recipe; /* the model's; NULL: the whole file */
    const uint32_t *tensors;  /* with a recipe: the tensors in it, ascending */
    size_t tensor_count;
    htp_data_place place;
    htp_external_data external_data;
    const htp_shared_data *shared;
    const htp_second_model *second;   /* or NULL */
    const htp_second_model *verbatim; /* of a flat view: its file, of which the recipe has functions
                                         and nodes with these tensors; or NULL */
} htp_rewrite_options;

/**
 * Writes the view's file to @p path with @p edits, in any order; fields do not overlap. The files
 * appear as htp_builder_write() describes.
 * @return as htp_builder_write().
 */
HTP_MUST_USE htp_status htp_rewrite(htp_view *view, const htp_edit_list *edits, const char *path,
                                    const htp_rewrite_options *options, htp_writer_result *result);

/**
 * Writes only the data of some tensors, as far as these may be stored beside a model, to the file
 * @p path.
 * @param options  tensors and progress; the rest is ignored.
 * @param offsets  receives, by tensor of the view, its offset; UINT64_MAX: none.
 * @param bytes    receives the size of the file; 0: no file.
 */
HTP_MUST_USE htp_status htp_rewrite_data(htp_view *view, const char *path,
                                         const htp_rewrite_options *options, uint64_t *offsets,
                                         uint64_t *bytes);

/**
 * Puts a model together in memory, for a runtime in this process. External data stay where they
 * are.
 * @param options   recipe and tensors; the rest is ignored.
 * @param own_name  the name of the view's file in its folder: large tensors refer to their bytes in
 *                  it, as external data, instead of being copied. For a view without external
 *                  data. NULL: all bytes are copied.
 * @param model     receives its bytes in @p arena; a large one can be released there.
 * @return HTP_CODE_BAD_INPUT where the file was changed.
 */
HTP_MUST_USE htp_status htp_rewrite_in_memory(const htp_view *view, htp_arena *arena,
                                              const htp_rewrite_options *options,
                                              const char *own_name, htp_span *model);

#endif
