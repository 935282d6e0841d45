/*
 * Checks what the records of a TorchScript archive hold before libtorch reads them. Private to
 * core/source.
 */
#ifndef HTP_SOURCE_CONTENTS_H
#define HTP_SOURCE_CONTENTS_H

#include "source/archive.h"

/**
 * Checks all pickles and all code of the archive that libtorch reads: see source/pickle.h, and
 * source/code.h, code_syntax.h, code_values.h and code_tuples.h. The file must be open. Lists in @p
 * arena what the pickles make (archive->made).
 */
HTP_MUST_USE htp_status htp_contents_check(htp_arena *arena, const char *path,
                                           htp_archive *archive);

/** A record that was read. */
typedef struct htp_contents_record {
    const char *name; /* as messages show it */
    const unsigned char *bytes;
    uint32_t count;
} htp_contents_record;

/** Reads record @p index of the archive, whose file must be open, into @p arena; inflates it.
 * Refuses with HTP_CODE_BAD_INPUT what has more bytes than are read of any, or is cut short. */
HTP_MUST_USE htp_status htp_contents_read_record(htp_arena *arena, const char *path,
                                                 const htp_archive *archive, uint32_t index,
                                                 htp_contents_record *read);
/**
 * Reads a record of an archive that was checked.
 * @param file  a descriptor of the file that it was found in
 * @return its bytes in @p arena, with a NUL behind them; NULL where there is none of that name, or
 *         it cannot be read to its end
 */
const char *htp_archive_read(htp_arena *arena, htp_archive *archive, int file, const char *name,
                             size_t *bytes);

#endif
