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

enum { HTP_ZIP_STORED = 0, HTP_ZIP_DEFLATED = 8 };

/** A member, by its entry in the directory. */
typedef struct htp_zip_entry {
    const char *name;
    size_t name_bytes; /* more than strlen(name) if there are NULs in it */
    bool is_encrypted;
    unsigned method;   /* HTP_ZIP_STORED, HTP_ZIP_DEFLATED, or another one */
    uint64_t bytes;    /* in the file */
    uint64_t unpacked; /* bytes after inflation */
    uint32_t checksum; /* CRC-32 of these; 0: none */
    uint64_t header;   /* offset of the local header in the archive */
    uint64_t limit;    /* offset of the directory, which no member reaches into */
} htp_zip_entry;

/** The range of an archive: a whole file, or a part of one, if it is a member of another archive.
 */
typedef struct htp_zip_range {
    FILE *file;
    uint64_t begin; /* offset in the file */
    uint64_t bytes;
} htp_zip_range;

/** Called with every member. @p entry and its name are valid during the call. @return false to stop
 */
typedef bool (*htp_zip_visit)(void *user, const htp_zip_entry *entry);

/** Whether the first bytes of a file are those of a zip archive with members. */
bool htp_zip_begins(const void *bytes, size_t count);

/**
 * Reads the directory. A directory that readers may see differently counts as damaged: the end
 * records of a zip64 archive disagree, or the number of members is wrong.
 * @return false if it is damaged, or @p visit returned false.
 */
bool htp_zip_read(const htp_zip_range *range, htp_zip_visit visit, void *user);

/** Finds the offset of a member's bytes in the file. @return false if they do not end before the
 * directory */
bool htp_zip_find(const htp_zip_range *range, const htp_zip_entry *entry, uint64_t *offset);

/** Reads @p count bytes at @p offset of an open file, whose position does not change. */
bool htp_zip_read_at(int file, uint64_t offset, void *bytes, size_t count);

#endif
