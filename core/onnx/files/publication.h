/*
 * Publishes finished files. At every instant, even if the process or the machine stops, the model
 * in place is complete, and so is its data file.
 *
 * The new data file has a name that the old model does not refer to. It is moved first, then the
 * new model replaces the old one by rename, then the old model's data files are removed, if this
 * program made them. After an interruption the next run in the folder removes leftovers
 * (onnx/files/leftovers.h). Data files never have hard links: onnx does not load those.
 */
#ifndef HTP_ONNX_PUBLICATION_H
#define HTP_ONNX_PUBLICATION_H

#include "onnx/files/external.h"
#include "onnx/files/output.h"

typedef struct htp_publication {
    htp_output *model;
    htp_output *data;     /* or NULL */
    htp_external_use use; /* data files of the model to be replaced */
    unsigned number;      /* of the new data file */
    bool has_same_data;   /* the old model's data file is equal, and stays */
    char data_path[PATH_MAX];
    htp_temporary *lock; /* NULL: none */
    int lock_fd;
    htp_temporary *kept; /* the file that was at the new data file's path */
} htp_publication;

/** Takes the folder's lock for @p model, and examines the existing files. @p data is the model's
 * data file, or NULL. */
void htp_publication_begin(htp_publication *publication, htp_output *model, htp_output *data);

/** Chooses the data file's name. It is the first of FILE.data, FILE.1.data and so on that the
 * existing model does not refer to and that is free or a writable regular file; or one that it
 * refers to and that is equal. Sets number and data_path. For a forecast, htp_publication_begin()
 * is not needed. */
HTP_MUST_USE htp_status htp_publication_choose(htp_publication *publication, const char *path);

/** Moves the finished files to their places, both or none, with the permissions of those that they
 * replace, and releases the lock. On failure the old files are restored. */
HTP_MUST_USE htp_status htp_publication_commit(htp_publication *publication);

/** Releases the lock, if it is still held. */
void htp_publication_end(htp_publication *publication);

#endif
