/*
 * The directory of a zip archive. Private to core/source.
 *
 * Reference: PKWARE APPNOTE.TXT, 4.3.7 to 4.3.16 and 4.5.3 (headers, zip64 and end records).
 */
#ifndef HTP_SOURCE_ZIP_H
#define HTP_SOURCE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** A member, as the directory tells of it. */
typedef struct htp_zip_entry {
    const char *name;
    bool is_encrypted;
    unsigned method; /* 0: stored */
    uint64_t bytes;  /* as they lie in the file */
    uint64_t header; /* offset of the local header */
} htp_zip_entry;

/** Called with every member; @p entry and its name are the reader's. False stops. */
typedef bool (*htp_zip_visit)(void *user, const htp_zip_entry *entry);

/** Whether the first bytes of a file are those of a zip archive with members. */
bool htp_zip_begins(const void *bytes, size_t count);

/** Reads the directory. @return false when it is damaged, or @p visit gave false. */
bool htp_zip_read(FILE *file, uint64_t file_bytes, htp_zip_visit visit, void *user);

/** Finds where the bytes of a member begin. @return false when they do not lie in the file. */
bool htp_zip_find(FILE *file, uint64_t file_bytes, const htp_zip_entry *entry, uint64_t *offset);

/** Reads @p count bytes at @p offset. */
bool htp_zip_read_at(FILE *file, uint64_t offset, void *bytes, size_t count);

#endif
