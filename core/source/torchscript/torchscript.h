/*
 * TorchScript as a format: a row of source/reader.h.
 */
#ifndef HTP_SOURCE_TORCHSCRIPT_H
#define HTP_SOURCE_TORCHSCRIPT_H

#include "source/reader.h"

extern const htp_reader htp_torchscript_reader;

/** Checks an archive that is open before libtorch is asked: lists its records, and looks at those
 * that libtorch reads. @return HTP_CODE_BAD_INPUT with the path */
HTP_MUST_USE htp_status htp_torchscript_check(htp_arena *arena, const char *path,
                                              htp_archive *archive);

#endif
