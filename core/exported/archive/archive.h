/*
 * The door: archives of torch.export, of any version of PyTorch, and one model in them. Private to
 * core/exported.
 *
 * PyTorch 2.6 and 2.7 write one program, and its tensors by torch.save(); 2.8 writes named
 * programs, and tensors likewise; since 2.9 tensors are records. All of them are mapped.
 */
#ifndef HTP_EXPORTED_ARCHIVE_H
#define HTP_EXPORTED_ARCHIVE_H

#include "base/input_file.h"
#include "base/status.h"
#include "exported/archive/weights.h"

/** A text in the mapping. */
typedef struct htp_exported_text {
    const char *name; /**< of its record */
    const char *at;   /**< NULL: missing */
    size_t bytes;
} htp_exported_text;

/** An open archive, and a model in it. All zeroes: none. */
typedef struct htp_exported_archive {
    const char *path;
    htp_exported_file file; /**< bytes NULL: not mapped */
    const struct htp_exported_layout *layout;
    const char *model;         /**< its name; "" for the only one of an old archive */
    htp_exported_text program; /**< its JSON */
    htp_exported_text classes; /**< of all modules, called or not: {"path": "class"} */
    htp_archive inner[2];      /**< archives of tensors; empty if the archive itself has them */
} htp_exported_archive;

/** Whether an archive may be one of torch.export. */
bool htp_exported_archive_is_one(const htp_archive *archive);

/**
 * Lists and maps an archive, and finds a model in it.
 * @param listed  open; must stay open, and outlive the result
 * @param file    receives the open file, which must stay open
 * @param model   the requested model; NULL: the only one
 * @param opened  all zeroes; to be closed in any case
 * @return HTP_CODE_BAD_INPUT if it is damaged, HTP_CODE_UNSUPPORTED if it has no program of
 *         torch.export, HTP_CODE_USAGE if it does not have this model. Messages begin with the
 * path.
 */
HTP_MUST_USE htp_status htp_exported_archive_open(htp_arena *arena, const char *path,
                                                  htp_archive *listed, htp_input_file *file,
                                                  const char *model, htp_exported_archive *opened);

/**
 * Reads the tensors of the model: its state, and its constants. The archive must be open.
 * @param scratch  its recovery point is set
 * @return as htp_exported_archive_open(); HTP_CODE_UNSUPPORTED for objects that are not plain
 * tensors
 */
HTP_MUST_USE htp_status htp_exported_archive_weights(htp_arena *arena, htp_arena *scratch,
                                                     htp_exported_archive *archive,
                                                     htp_exported_weights *weights);

/** Unmaps the archive: nothing of it may be used any more. */
void htp_exported_archive_close(htp_exported_archive *archive);

#endif
