/*
 * An archive: the kind of file, and its records by the directory. Private to the core.
 */
#ifndef HTP_SOURCE_ARCHIVE_H
#define HTP_SOURCE_ARCHIVE_H

#include "base/arena.h"
#include "base/limits/limits.h"
#include "base/map.h"
#include "base/status.h"
#include "base/vector.h"
#include "interpret/machine/devices.h"

#include <htp/shim.h>

#include <stdio.h>

/** Devices in an archive (source/contents/devices.h). Everything is in the arena. */
typedef struct htp_archive_devices {
    const char **locations; /* of storages, by record; NULL: unknown */
    htp_map types;          /* of devices that storages lie on */
    const char *of_weights; /* the first that is not the CPU, else the CPU; NULL: none */
    const char *of_others;  /* likewise of other storages, and of device objects */
    const char *of_code;    /* the first one, except the CPU, that the code makes tensors on */
    const char *renamed;    /* a type that HTP_DEVICE_ALIAS stands for; NULL */
    const char *renamed_in; /* the record that has it first */
    const char *other_type; /* meaning of the alias if nothing was renamed; or NULL */
    bool has_alias;         /* the name is used literally */
} htp_archive_devices;

/** Lives in the frame that sets the arena's recovery point; an empty one is all zeroes. */
typedef struct htp_archive {
    const htp_limits *limits; /* set before the archive is checked; NULL: all defaults */
    FILE *file;               /* open while the archive is checked; NULL otherwise */
    uint64_t begin;   /* where it begins in the file: 0 unless it is a member of another archive */
    uint64_t bytes;   /* all of the archive */
    bool is_flat;     /* its records lie in no folder; set before they are listed */
    unsigned members; /* that identify its kind, as bits: see htp_archive_has() */
    const htp_archive_record *records; /* in the arena, in the order of the directory */
    const uint64_t *packed;            /* by record: its bytes in the file */
    const uint32_t *checksums;         /* by record: CRC-32 of its contents; 0: none */
    uint32_t record_count;
    htp_map by_name;                   /* from names to indices in records */
    HTP_VECTOR(htp_archive_made) made; /* by its pickles */
    HTP_VECTOR(htp_archive_given)
    given;                       /* records that libtorch need not read, or reads otherwise */
    htp_archive_devices devices; /* named in its pickles and its code */
    htp_arena scratch;           /* of the list, then of the pickle under check */
    htp_arena code;              /* texts and trees of all code, while the archive is checked */
} htp_archive;

/**
 * Opens the file at @p path and notes the members that identify its kind.
 *
 * Refuses with HTP_CODE_BAD_INPUT a file that is not regular, not a zip archive, or truncated, and
 * names its kind.
 * @param archive  an empty one, in the frame that sets the arena's recovery point and closes it
 */
HTP_MUST_USE htp_status htp_archive_open(const char *path, htp_archive *archive);

/** Whether the archive has a member of that name, at the top or in its folder: one of those that
 * identify kinds of files ("data.pkl", "archive_format", ...). */
bool htp_archive_has(const htp_archive *archive, const char *name);

/** The refusal of an archive that no reader supports; names its kind. */
HTP_MUST_USE htp_status htp_archive_refuse(const char *path, const htp_archive *archive);

/** Closes the file, and frees memory of the checks. The records stay. */
void htp_archive_close(htp_archive *archive);

/**
 * Lists the records of the open file: those in the folder of the first member, as in libtorch;
 * all members of a flat archive.
 *
 * Refuses with HTP_CODE_BAD_INPUT an ambiguous or truncated archive: duplicate names (libtorch
 * ignores case), overlapping members, impossible compression ratios.
 */
HTP_MUST_USE htp_status htp_archive_list(htp_arena *arena, const char *path, htp_archive *archive);

/**
 * Lists the records of an archive in a record of another, open one. Their offsets are those in the
 * file.
 * @param record  one that is stored
 * @param inner   an empty one
 * Refuses what htp_archive_list() refuses.
 */
HTP_MUST_USE htp_status htp_archive_list_inner(htp_arena *arena, const char *path,
                                               const htp_archive *outer,
                                               const htp_archive_record *record,
                                               htp_archive *inner);

/** The record with that name, or NULL. */
const htp_archive_record *htp_archive_find(const htp_archive *archive, const char *name,
                                           size_t name_bytes);

/** A name of the archive for a message: on one line, and cut if it is long. */
const char *htp_archive_printable(htp_arena *arena, const char *name, size_t bytes);

#endif
