/*
 * The door: archives of torch.export, whichever version of PyTorch wrote them, and what they have
 * of one model. Private to core/exported.
 *
 * 2.6 and 2.7 wrote one program, and its tensors as torch.save() writes them; 2.8 wrote programs
 * with names, and their tensors alike; from 2.9 on tensors are records. All of them are mapped.
 */
#ifndef HTP_EXPORTED_ARCHIVE_H
#define HTP_EXPORTED_ARCHIVE_H

#include "base/input_file.h"
#include "base/status.h"
#include "exported/archive/weights.h"

/** A text in the mapping. */
typedef struct htp_exported_text {
    const char *name; /**< of its record */
    const char *at;   /**< NULL: it is not there */
    size_t bytes;
} htp_exported_text;

/** An archive that is open, and a model in it. All zeroes: none is. */
typedef struct htp_exported_archive {
    const char *path;
    htp_exported_file file; /**< bytes NULL: not mapped */
    const struct htp_exported_layout *layout;
    const char *model;         /**< its name; "" of the only one of an old archive */
    htp_exported_text program; /**< its JSON */
    htp_exported_text classes; /**< of modules in which nothing runs, too: {"path": "class"} */
    htp_archive inner[2];      /**< that hold its tensors; empty where it does itself */
} htp_exported_archive;

/** Whether an archive may be one of torch.export. */
bool htp_exported_archive_is_one(const htp_archive *archive);

/**
 * Lists and maps an archive, and finds a model in it.
 * @param listed  open; stays so, and as long as the result
 * @param file    receives the file, open, which stays so
 * @param model   the one that is asked for; NULL: the only one
 * @param opened  all zeroes; to be closed in any case
 * @return HTP_CODE_BAD_INPUT for what is damaged, HTP_CODE_UNSUPPORTED for what is no program of
 *         torch.export, HTP_CODE_USAGE for models that there are not. Messages have the path in
 *         front.
 */
HTP_MUST_USE htp_status htp_exported_archive_open(htp_arena *arena, const char *path,
                                                  htp_archive *listed, htp_input_file *file,
                                                  const char *model, htp_exported_archive *opened);

/**
 * Reads the tensors of the model: its state, and its constants. The archive is open.
 * @param scratch  with its recovery point
 * @return as above; HTP_CODE_UNSUPPORTED for what is no plain tensor
 */
HTP_MUST_USE htp_status htp_exported_archive_weights(htp_arena *arena, htp_arena *scratch,
                                                     htp_exported_archive *archive,
                                                     htp_exported_weights *weights);

/** Unmaps it; nothing of it may be used any more. */
void htp_exported_archive_close(htp_exported_archive *archive);

#endif
