/*
 * A pickle in a TorchScript archive. The first byte decides its role: after 'l' it is a debug
 * record, else a part of the program, whose devices are renamed, too.
 */
#include "fuzz.h"

#include "source/pickle/pickle.h"
#include "storages.h"

#include <string.h>

static bool lies_in(const htp_pickle *pickle, uint32_t begin, uint32_t bytes)
{
    return (size_t)begin + bytes <= pickle->count;
}

static void check_spans(const htp_pickle *pickle, const htp_pickle_contents *contents)
{
    for (size_t i = 0; i < contents->made.count; i++) {
        const htp_pickle_made *made = &contents->made.items[i];
        FUZZ_CHECK(lies_in(pickle, made->module, made->module_bytes));
        FUZZ_CHECK(lies_in(pickle, made->name, made->name_bytes));
        FUZZ_CHECK(lies_in(pickle, made->text, made->text_bytes));
    }
    for (size_t i = 0; i < contents->devices.count; i++) {
        FUZZ_CHECK(
            lies_in(pickle, contents->devices.items[i].key, contents->devices.items[i].key_bytes));
        FUZZ_CHECK(lies_in(pickle, contents->devices.items[i].text,
                           contents->devices.items[i].text_bytes));
    }
}

/* A renamed pickle must pass, too, and name the same number of devices. */
static htp_status rename_devices(htp_arena *arena, const htp_pickle *pickle,
                                 const htp_pickle_contents *contents)
{
    const size_t count = contents->devices.count;
    const char **texts = HTP_NEW_ARRAY(arena, const char *, count + 1);
    htp_pickle renamed = *pickle;
    htp_pickle_contents after = {.cost = 0};
    for (size_t i = 0; i < count; i++) {
        texts[i] = i % 2 == 0 ? "cpu" : NULL;
    }
    HTP_TRY(
        htp_pickle_rename_devices(arena, pickle, contents, texts, &renamed.bytes, &renamed.count));
    if (renamed.bytes) {
        FUZZ_CHECK(htp_pickle_check(arena, &renamed, &after) == HTP_OK);
        FUZZ_CHECK(after.devices.count == count && after.made.count == contents->made.count);
    }
    return HTP_OK;
}

static htp_status check(htp_arena *arena, const uint8_t *bytes, size_t size, bool is_of_lines)
{
    const htp_archive archive = fuzz_storages(arena);
    const htp_pickle pickle = {.path = "model.pt",
                               .name = "data.pkl",
                               .bytes = bytes,
                               .count = (uint32_t)size,
                               .archive = &archive,
                               .storages = is_of_lines ? NULL : "data/",
                               .role = is_of_lines ? HTP_PICKLE_OF_LINES : HTP_PICKLE_OF_PROGRAM,
                               .kept = arena};
    htp_pickle_contents contents = {.cost = 0};
    HTP_TRY(htp_pickle_check(arena, &pickle, &contents));
    check_spans(&pickle, &contents);
    return rename_devices(arena, &pickle, &contents);
}

void fuzz_pickle(const uint8_t *data, size_t size)
{
    const bool is_of_lines = size > 0 && *data == 'l';
    htp_arena arena;
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        const uint8_t *copy = (const uint8_t *)htp_arena_copy(&arena, data, size);
        (void)fuzz_is_ok(check(&arena, copy + is_of_lines, size - is_of_lines, is_of_lines));
    }
    htp_arena_free(&arena);
}
