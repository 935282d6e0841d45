/*
 * An archive: what kind of file it is, and its records, as its directory tells of them. Private to
 * the core.
 */
#ifndef HTP_SOURCE_ARCHIVE_H
#define HTP_SOURCE_ARCHIVE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/status.h"
#include "base/vector.h"
#include "interpret/machine/devices.h"

#include <htp/shim.h>

#include <stdio.h>

/** What an archive says of devices (source/contents/devices.h). All lies in the arena. */
typedef struct htp_archive_devices {
    const char **locations; /* of the storages that are records, by record; NULL: not told */
    htp_map types;          /* of devices that storages lie on */
    const char *of_weights; /* the first that is not the CPU, or the CPU; NULL: there are none */
    const char *of_others;  /* the same of other storages, and of devices that are objects */
    const char *of_code;    /* the first on which the code makes tensors, but for the CPU */
    const char *renamed;    /* a type that HTP_DEVICE_ALIAS stands for; NULL */
    const char *renamed_in; /* the record that has it first */
    const char *other_type; /* what it stands for where nothing was renamed; NULL */
    bool has_alias;         /* that name is used for what it is */
} htp_archive_devices;

/** Lives in the frame that sets the arena's recovery point; an empty one is all zeroes. */
typedef struct htp_archive {
    FILE *file; /* open while the archive is checked; NULL otherwise */
    uint64_t file_bytes;
    unsigned members;                  /* that tell its kind: see htp_archive_has() */
    const htp_archive_record *records; /* in the arena, in the order of the directory */
    const uint64_t *packed;            /* bytes of each record as they lie in the file */
    uint32_t record_count;
    htp_map by_name;                   /* index in records */
    HTP_VECTOR(htp_archive_made) made; /* by its pickles */
    HTP_VECTOR(htp_archive_given)
    given;                       /* records that libtorch need not read, or reads otherwise */
    htp_archive_devices devices; /* that its pickles and its code name */
    htp_arena scratch;           /* of the list, then of the pickle that is being checked */
    htp_arena code;              /* all of it, while the archive is checked */
} htp_archive;

/**
 * Opens what lies at @p path and notes which members tell its kind.
 *
 * Refuses with HTP_CODE_BAD_INPUT, and says what it is: what is no regular file, no zip archive, or
 * cut short.
 * @param archive  an empty one; who has it closes it where the arena's recovery point is
 */
HTP_MUST_USE htp_status htp_archive_open(const char *path, htp_archive *archive);

/** Whether the archive has a member of that name, in a folder of its own or in none: one of those
 * that tell kinds of files apart ("data.pkl", "archive_format", ...). */
bool htp_archive_has(const htp_archive *archive, const char *name);

/** The refusal of an archive that nothing reads: says what else it is. */
HTP_MUST_USE htp_status htp_archive_refuse(const char *path, const htp_archive *archive);

/** Closes the file, and frees what checking it held. The records stay. */
void htp_archive_close(htp_archive *archive);

/**
 * Lists the records of the open file. They are those in the folder of the first member, which is
 * the one that libtorch looks into.
 *
 * Refuses with HTP_CODE_BAD_INPUT what two readers may read differently, or what lies outside of
 * the file: records of one name (libtorch does not tell cases apart), members that overlap, sizes
 * that no compression gives.
 */
HTP_MUST_USE htp_status htp_archive_list(htp_arena *arena, const char *path, htp_archive *archive);

/** The record with that name; NULL where there is none. */
const htp_archive_record *htp_archive_find(const htp_archive *archive, const char *name,
                                           size_t name_bytes);

/** A name of the archive for a message: on one line, cut where it is long. */
const char *htp_archive_printable(htp_arena *arena, const char *name, size_t bytes);

#endif
