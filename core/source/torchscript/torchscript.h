/*
 * TorchScript as a format: a htp_reader of source/reader.h.
 */
#ifndef HTP_SOURCE_TORCHSCRIPT_H
#define HTP_SOURCE_TORCHSCRIPT_H

#include "source/reader.h"

extern const htp_reader htp_torchscript_reader;

/** Checks an open archive before libtorch reads it: lists its records, and checks those that
 * libtorch uses. @return HTP_CODE_BAD_INPUT with the path */
HTP_MUST_USE htp_status htp_torchscript_check(htp_arena *arena, const char *path,
                                              htp_archive *archive);

#endif
