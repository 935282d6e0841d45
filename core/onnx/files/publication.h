/*
 * Putting finished files in their places, so that at every instant, whatever ends the process or
 * the machine, the model that lies there is whole, together with the data file that it refers to.
 *
 * A model's data file has a name that the model which is there does not refer to: it goes to its
 * place first, then the model takes the other one's place by rename, then the data files of the
 * model that was there go, if this program made it. Where that is cut off, the next run in the
 * folder removes what is not needed (onnx/files/leftovers.h). Data files get no second names on the
 * way: onnx does not load those.
 */
#ifndef HTP_ONNX_PUBLICATION_H
#define HTP_ONNX_PUBLICATION_H

#include "onnx/files/external.h"
#include "onnx/files/output.h"

typedef struct htp_publication {
    htp_output *model;
    htp_output *data;     /* or NULL */
    htp_external_use use; /* of the model that is to be replaced */
    unsigned number;      /* of the new data file */
    bool has_same_data;   /* the old model's data file is the same, and stays */
    char data_path[PATH_MAX];
    htp_temporary *lock; /* NULL: there is none */
    int lock_fd;
    htp_temporary *kept; /* a file that lay at the new data file's place */
} htp_publication;

/** Begins: keeps other processes and threads from publishing in the folder of @p model, and finds
 * what is there. @p data is the model's data file, or NULL. */
void htp_publication_begin(htp_publication *publication, htp_output *model, htp_output *data);

/** Chooses the data file's name: the first of FILE.data, FILE.1.data and so on that the model which
 * is there does not refer to, and that is free, or a regular file that may be written; or one that
 * it does refer to and that holds the same bytes. Sets number and data_path. Needs no
 * htp_publication_begin() where only a forecast is wanted. */
HTP_MUST_USE htp_status htp_publication_choose(htp_publication *publication, const char *path);

/** Puts the finished files in their places, both or none, with the permissions of those that they
 * replace. On failure what was there before is there again. */
HTP_MUST_USE htp_status htp_publication_commit(htp_publication *publication);

/** Ends. */
void htp_publication_end(htp_publication *publication);

#endif
