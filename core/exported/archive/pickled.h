/*
 * Tensors that torch.save() wrote into a record, which is an archive of its own, as PyTorch 2.6 to
 * 2.8 do. The machine of core/source/pickle checks and lists the pickle; nothing in it runs, and
 * the tensors stay in the mapped file. Private to core/exported/archive.
 */
#ifndef HTP_EXPORTED_PICKLED_H
#define HTP_EXPORTED_PICKLED_H

#include "base/status.h"
#include "exported/archive/weights.h"

/**
 * Reads the tensors of a record.
 * @param scratch  its recovery point is set
 * @param path     of the file: messages begin with it
 * @param file     its archive is open
 * @param record   name of an existing record; one without bytes has no tensors
 * @param inner    an empty archive, which must outlive the weights; the caller closes it
 * @return HTP_CODE_BAD_INPUT if it is damaged, HTP_CODE_UNSUPPORTED for objects that are not plain
 *         tensors, by name
 */
HTP_MUST_USE htp_status htp_exported_pickled_read(htp_arena *arena, htp_arena *scratch,
                                                  const char *path, const htp_exported_file *file,
                                                  const char *record, htp_archive *inner,
                                                  htp_exported_weights *weights);

#endif
