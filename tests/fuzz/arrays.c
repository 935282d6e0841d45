/*
 * A .npz file: its directory, the header of each array, and their elements; and one .npy file.
 */
#include "fuzz.h"

#include "source/inputs/arrays_npz.h"
#include "source/inputs/inputs.h"
#include "source/inputs/npy.h"

/* Elements beyond this size are only listed. */
enum { MOST_BYTES = 1 << 20 };

static htp_status read_all(htp_arena *arena, const char *path, uint64_t size, htp_npz_file *opened)
{
    const char *const *specifications;
    size_t count;
    HTP_TRY(htp_npz_open(arena, path, opened));
    for (size_t i = 0; i < opened->entries.count; i++) {
        const htp_npz_entry *entry = &opened->entries.items[i];
        FUZZ_CHECK(entry->offset <= size && entry->bytes <= size - entry->offset);
        if (entry->bytes <= MOST_BYTES) {
            FUZZ_CHECK(htp_npz_read(opened, i, htp_arena_alloc(arena, entry->bytes)));
        }
    }
    return htp_inputs_list_npz(arena, path, &specifications, &count);
}

void fuzz_arrays(const uint8_t *data, size_t size)
{
    htp_arena arena;
    htp_npz_file opened = {.file = NULL};
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        const char *path = fuzz_file(0, data, size);
        htp_npy array;
        (void)fuzz_is_ok(read_all(&arena, path, size, &opened));
        if (fuzz_is_ok(htp_npy_read(path, &array))) {
            FUZZ_CHECK(array.rank <= HTP_MAX_RANK);
        }
    }
    htp_npz_close(&opened);
    htp_arena_free(&arena);
}
