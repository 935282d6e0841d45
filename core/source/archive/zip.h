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
    size_t name_bytes; /* more than strlen(name) where there are NULs in it */
    bool is_encrypted;
    unsigned method;   /* HTP_ZIP_STORED, HTP_ZIP_DEFLATED, or another one */
    uint64_t bytes;    /* as they lie in the file */
    uint64_t unpacked; /* bytes when they are inflated */
    uint64_t header;   /* offset of the local header in the archive */
    uint64_t limit;    /* of the directory, which no member reaches into */
} htp_zip_entry;

/** Where an archive lies: the whole of a file, or a part of it, as of an archive that is a member
 * of another one. */
typedef struct htp_zip_range {
    FILE *file;
    uint64_t begin; /* of its first byte in the file */
    uint64_t bytes;
} htp_zip_range;

/** Called with every member; @p entry and its name are the reader's. False stops. */
typedef bool (*htp_zip_visit)(void *user, const htp_zip_entry *entry);

/** Whether the first bytes of a file are those of a zip archive with members. */
bool htp_zip_begins(const void *bytes, size_t count);

/**
 * Reads the directory. A directory that readers may see differently counts as damaged: the end
 * records of a zip64 archive disagree, or the number of members is wrong.
 * @return false if it is damaged, or @p visit returned false.
 */
bool htp_zip_read(const htp_zip_range *range, htp_zip_visit visit, void *user);

/** Finds where the bytes of a member begin in the file. @return false when they do not lie in front
 * of the directory. */
bool htp_zip_find(const htp_zip_range *range, const htp_zip_entry *entry, uint64_t *offset);

/** Reads @p count bytes at @p offset of an open file, whatever its position is, which stays. */
bool htp_zip_read_at(int file, uint64_t offset, void *bytes, size_t count);

#endif
