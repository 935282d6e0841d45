/*
 * A TorchScript archive before libtorch gets it: its directory, its records, its pickles and its
 * code.
 */
#include "fuzz.h"

#include "source/torchscript/torchscript.h"

#include <string.h>

static htp_status check(htp_arena *arena, const char *path, htp_archive *archive)
{
    HTP_TRY(htp_archive_open(path, archive));
    HTP_TRY(htp_torchscript_check(arena, path, archive));
    for (uint32_t i = 0; i < archive->record_count; i++) {
        const htp_archive_record *record = &archive->records[i];
        FUZZ_CHECK(record->offset + archive->packed[i] <= archive->bytes);
        FUZZ_CHECK(htp_archive_find(archive, record->name, strlen(record->name)) == record);
    }
    return HTP_OK;
}

void fuzz_archive(const uint8_t *data, size_t size)
{
    htp_arena arena;
    htp_archive archive = {.file = NULL};
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        (void)fuzz_is_ok(check(&arena, fuzz_file(0, data, size), &archive));
    }
    htp_archive_close(&archive);
    htp_arena_free(&arena);
}
