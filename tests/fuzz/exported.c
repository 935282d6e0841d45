/*
 * Programs of torch.export. The first byte of an input decides its kind: an archive; a pickle, read
 * as a state; after '#' a formula of sizes, after '?' a guard; anything else is the JSON of a
 * program, which is traced with the weights of read_program().
 */
#include "fuzz.h"

#include "exported/exported.h"
#include "exported/expression/expression.h"
#include "source/pickle/pickle.h"
#include "storages.h"
#include "zip_maker.h"

#include <string.h>

enum { SIZE = 7 };

/* ---- formulas ---- */

static htp_status read_formula(htp_arena *arena, const char *text, bool is_guard)
{
    htp_interned symbols = {.arena = arena};
    htp_exported_formula formula;
    HTP_TRY(is_guard ? htp_exported_guard_read(&symbols, text, &formula)
                     : htp_exported_formula_read(&symbols, text, &formula));
    const uint32_t count = (uint32_t)symbols.strings.count;
    htp_exported_number *numbers = HTP_NEW_ARRAY(arena, htp_exported_number, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = htp_exported_integer(SIZE + i);
    }
    const htp_exported_number value = htp_exported_formula_value(&formula, numbers, count);
    FUZZ_CHECK(value.kind != HTP_EXPORTED_RATIO || value.over > 0);
    return HTP_OK;
}

/* ---- states ---- */

static htp_status read_state(htp_arena *arena, const uint8_t *bytes, size_t size)
{
    const htp_archive archive = fuzz_storages(arena);
    const htp_pickle pickle = {.path = "state",
                               .name = "data.pkl",
                               .bytes = bytes,
                               .count = (uint32_t)size,
                               .archive = &archive,
                               .storages = "data/",
                               .role = HTP_PICKLE_OF_STATE,
                               .kept = arena};
    htp_pickle_contents contents = {.cost = 0};
    HTP_TRY(htp_pickle_check(arena, &pickle, &contents));
    for (size_t i = 0; i < contents.tensors.count; i++) {
        const htp_pickle_tensor *tensor = &contents.tensors.items[i];
        FUZZ_CHECK(tensor->name + (size_t)tensor->name_bytes <= size &&
                   tensor->rank <= HTP_MAX_RANK);
        for (uint32_t k = 0; k < tensor->rank; k++) {
            FUZZ_CHECK(tensor->sizes[k] >= 0 && tensor->strides[k] >= 0);
        }
    }
    return HTP_OK;
}

/* ---- programs ---- */

/* Traces a call with the sizes of the example, in several lanes if the data decides some. */
static htp_status trace(htp_source *source)
{
    const htp_named_operator *operators;
    const htp_input *inputs;
    uint32_t count;
    HTP_TRY(htp_source_choose_method(source, 0, "forward"));
    HTP_TRY(htp_source_find_operators(source, &operators, &count));
    HTP_TRY(htp_source_find_inputs(source, &inputs, &count));
    htp_trace_request request = {.inputs = inputs, .input_count = count, .lane_count = 1};
    htp_trace_result result;
    htp_status status = htp_source_trace(source, &request, &result);
    if (result.needs_lanes) {
        htp_status_free(status);
        request.lane_count = HTP_MAX_LANES;
        status = htp_source_trace(source, &request, &result);
    }
    return status;
}

static htp_status open_and_trace(htp_source *source, htp_arena *arena, const char *path)
{
    static const htp_reader *const readers[] = {&htp_exported_reader, NULL};
    static const htp_source_options options = {.model = NULL};
    HTP_TRY(htp_source_open(source, arena, path, readers, &options));
    return trace(source);
}

static void read_archive(const uint8_t *bytes, size_t size)
{
    htp_arena arena;
    htp_source source = {.path = NULL};
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        (void)fuzz_is_ok(open_and_trace(&source, &arena, fuzz_file(0, bytes, size)));
    }
    htp_source_close(&source, false);
    htp_arena_free(&arena);
}

/* The state has a float parameter w of size 2 and a float buffer b of 3 by 2. */
static void read_program(const uint8_t *text, size_t size)
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
    static const float numbers[6] = {1, 2, 3, 4, 5, 6};
    const fuzz_member inner[] = {{"archive/data.pkl", state, sizeof(state) - 1},
                                 {"archive/data/0", numbers, 2 * sizeof(numbers[0])},
                                 {"archive/data/1", numbers, sizeof(numbers)}};
    size_t inner_size;
    uint8_t *saved = fuzz_zip(inner, sizeof(inner) / sizeof(inner[0]), &inner_size);
    const fuzz_member members[] = {{"serialized_exported_program.json", text, size},
                                   {"serialized_state_dict.pt", saved, inner_size}};
    size_t archive_size;
    uint8_t *archive = fuzz_zip(members, sizeof(members) / sizeof(members[0]), &archive_size);
    read_archive(archive, archive_size);
    free(archive);
    free(saved);
}

/* ---- all of them ---- */

static void read_alone(const uint8_t *data, size_t size)
{
    htp_arena arena;
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        const uint8_t *copy = (const uint8_t *)htp_arena_copy(&arena, data, size);
        (void)fuzz_is_ok(*data == 0x80
                             ? read_state(&arena, copy, size)
                             : read_formula(&arena, (const char *)copy + 1, *data == '?'));
    }
    htp_arena_free(&arena);
}

void fuzz_exported(const uint8_t *data, size_t size)
{
    const uint8_t first = size > 0 ? *data : 0;
    if (first == '#' || first == '?' || first == 0x80) {
        read_alone(data, size);
    } else if (first == 'P') {
        read_archive(data, size);
    } else {
        read_program(data, size);
    }
}
