/*
 * Bytes that need not stay in memory: they lie in a temporary file without a name.
 */
#ifndef HTP_BASE_SPILL_H
#define HTP_BASE_SPILL_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Bytes that are added one after the other, and read back from a mapping. All zeroes: none. */
typedef struct htp_spill {
    bool is_open;
    int fd;
    uint64_t bytes;
    const unsigned char *mapped; /* NULL: not yet */
} htp_spill;

/** Adds bytes; the file is made at the first ones. @param offset  receives where they begin, a
 * multiple of 64. @return HTP_CODE_CANNOT_WRITE; the message names TMPDIR */
HTP_MUST_USE htp_status htp_spill_add(htp_spill *spill, const void *bytes, size_t count,
                                      uint64_t *offset);

/** Maps all bytes; nothing can be added afterwards. Bytes at an offset are at `mapped` + offset. */
HTP_MUST_USE htp_status htp_spill_map(htp_spill *spill);

/** Frees everything. */
void htp_spill_close(htp_spill *spill);

#endif
