/*
 * The storages that pickles may refer to.
 */
#ifndef HTP_TESTS_FUZZ_STORAGES_H
#define HTP_TESTS_FUZZ_STORAGES_H

#include "source/archive/archive.h"

/** A list of two records: "data/0" of 64 bytes, "data/1" of 6. */
static inline htp_archive fuzz_storages(htp_arena *arena)
{
    static const htp_archive_record records[] = {
        {.name = "data/0", .bytes = 64, .is_stored = true},
        {.name = "data/1", .bytes = 6, .is_stored = true},
    };
    htp_archive archive = {.records = records, .record_count = 2};
    for (uint32_t i = 0; i < archive.record_count; i++) {
        htp_map_set(arena, &archive.by_name, records[i].name, i);
    }
    return archive;
}

#endif
