#include "fuzz.h"
#include "zip_maker.h"

/* The state, an archive of its own. The caller frees it. */
static uint8_t *make_state(size_t *size)
{
#define TENSOR(key, elements, sizes, strides)                                                      \
    "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0" key \
    "X\x03\0\0\0cpuK" elements "tQK\0(" sizes "t(" strides "t\x89NtR"
    static const char state[] =
        "\x80\x02}(X\x01\0\0\0w"
        "ctorch._utils\n_rebuild_parameter\n" TENSOR(
            "0", "\x02", "K\x02", "K\x01") "\x88N\x87R"
                                           "X\x01\0\0\0b" TENSOR("1", "\x06", "K\x03K\x02",
                                                                 "K\x02K\x01") "u.";
#undef TENSOR
    static const float numbers[6] = {1, 2, 3, 4, 5, 6};
    const fuzz_member members[] = {{"archive/data.pkl", state, sizeof(state) - 1},
                                   {"archive/data/0", numbers, 2 * sizeof(numbers[0])},
                                   {"archive/data/1", numbers, sizeof(numbers)}};
    return fuzz_zip(members, sizeof(members) / sizeof(members[0]), size);
}

const char *fuzz_program_file(const uint8_t *text, size_t size)
{
    size_t state_size;
    uint8_t *state = make_state(&state_size);
    const fuzz_member members[] = {{"serialized_exported_program.json", text, size},
                                   {"serialized_state_dict.pt", state, state_size}};
    size_t archive_size;
    uint8_t *archive = fuzz_zip(members, sizeof(members) / sizeof(members[0]), &archive_size);
    const char *path = fuzz_file(0, archive, archive_size);
    free(archive);
    free(state);
    return path;
}
