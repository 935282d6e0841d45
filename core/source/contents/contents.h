/*
 * Checks the records of a TorchScript archive before libtorch reads them. Private to core/source.
 */
#ifndef HTP_SOURCE_CONTENTS_H
#define HTP_SOURCE_CONTENTS_H

#include "source/archive/archive.h"

/**
 * Checks all pickles and all code of the archive that libtorch reads: see source/pickle/pickle.h,
 * and source/code/code.h, code_syntax.h, code_values.h and code_tuples.h. The file must be open.
 * Lists the objects of pickles (archive->made) and the code (archive->given) in @p arena.
 * @return HTP_CODE_BAD_INPUT, or HTP_CODE_UNSUPPORTED for values that run code
 */
HTP_MUST_USE htp_status htp_contents_check(htp_arena *arena, const char *path,
                                           htp_archive *archive);

/**
 * Reads a record of a checked archive.
 * @param file  a descriptor of the archive
 * @return its bytes in @p arena, followed by a NUL; NULL if there is no such record, or it cannot
 * be read completely
 */
const char *htp_archive_read(htp_arena *arena, const htp_archive *archive, int file,
                             const char *name, size_t *bytes);

#endif
