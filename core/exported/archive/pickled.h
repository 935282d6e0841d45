/*
 * Tensors that torch.save() wrote into a record of an archive, which is an archive of its own:
 * those of PyTorch 2.6 to 2.8. The pickle is checked and listed by the machine of
 * core/source/pickle; nothing in it runs, and the tensors stay where they lie in the mapped file.
 * Private to core/exported/archive.
 */
#ifndef HTP_EXPORTED_PICKLED_H
#define HTP_EXPORTED_PICKLED_H

#include "base/status.h"
#include "exported/archive/weights.h"

/**
 * Reads the tensors of a record.
 * @param scratch  with its recovery point
 * @param path     of the file: messages have it in front
 * @param file     its archive is open
 * @param record   there is one of that name; one without bytes has no tensors
 * @param inner    an empty archive, which stays as long as the weights do; the caller closes it
 * @return HTP_CODE_BAD_INPUT for what is damaged, HTP_CODE_UNSUPPORTED for objects that are no
 * plain tensors, by their names
 */
HTP_MUST_USE htp_status htp_exported_pickled_read(htp_arena *arena, htp_arena *scratch,
                                                  const char *path, const htp_exported_file *file,
                                                  const char *record, htp_archive *inner,
                                                  htp_exported_weights *weights);

#endif
