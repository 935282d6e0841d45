/*
 * Zip archives in memory, uncompressed as PyTorch writes them.
 */
#ifndef HTP_TESTS_FUZZ_ZIP_MAKER_H
#define HTP_TESTS_FUZZ_ZIP_MAKER_H

#include <stddef.h>
#include <stdint.h>

/** A member. */
typedef struct fuzz_member {
    const char *name;
    const void *bytes;
    size_t count;
} fuzz_member;

/** An archive of these members. The caller frees it. @param size  receives its bytes */
uint8_t *fuzz_zip(const fuzz_member *members, size_t count, size_t *size);

#endif
