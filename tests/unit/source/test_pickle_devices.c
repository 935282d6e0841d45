/*
 * Devices in pickles, and pickles with other devices.
 */
#include "arguments_fixture.h"
#include "source/contents/devices.h"
#include "unit.h"

/* A storage of a record of four floats; @p location pushes its location onto the stack. */
#define STORAGE(key, location)                                                                     \
    "(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0" key location "K\x04tQ"
#define TEXT(length, text) "X" length "\0\0\0" text
#define PICKLE(body) "\x80\x02" body "."

typedef struct fixture {
    htp_archive archive;
    htp_pickle pickle;
    htp_pickle_contents contents;
} fixture;

static htp_status take(htp_arena *arena, fixture *f, const char *bytes, size_t count)
{
    static const htp_archive_record records[] = {
        {.name = "data.pkl", .bytes = 16, .is_stored = true},
        {.name = "data/0", .bytes = 16, .is_stored = true},
        {.name = "data/1", .bytes = 16, .is_stored = true},
    };
    *f = (fixture){.archive = {.records = records, .record_count = 3}};
    htp_arena_init(&f->archive.scratch);
    for (uint32_t i = 0; i < 3; i++) {
        htp_map_set(arena, &f->archive.by_name, records[i].name, i);
    }
    f->pickle = (htp_pickle){.path = "model.pt",
                             .name = "data.pkl",
                             .record = &records[0],
                             .bytes = (const unsigned char *)bytes,
                             .count = (uint32_t)count,
                             .archive = &f->archive,
                             .storages = "data/"};
    htp_status status = htp_pickle_check(arena, &f->pickle, &f->contents);
    if (!status) {
        status = htp_devices_take_pickle(arena, &f->archive, &f->pickle, &f->contents, true);
    }
    if (!status) {
        status = htp_devices_check("model.pt", &f->archive);
    }
    htp_arena_free(&f->archive.scratch);
    return status;
}

#define TAKE(f, body) take(arena, (f), PICKLE(body), sizeof(PICKLE(body)) - 1)

/* The pickle that libtorch reads instead. */
static void expect_read(const fixture *f, const char *bytes, size_t count)
{
    ck_assert_uint_eq(f->archive.given.count, 1);
    const htp_archive_given *given = &f->archive.given.items[0];
    ck_assert_str_eq(given->name, "data.pkl");
    ck_assert_uint_eq(given->count, count);
    ck_assert(memcmp(given->bytes, bytes, count) == 0);
}

#define READ_AS(f, body) expect_read((f), PICKLE(body), sizeof(PICKLE(body)) - 1)

UNIT_TEST(storages_are_the_cpus)
{
    fixture f;
    expect_ok(TAKE(&f, STORAGE("0", TEXT("\x06", "cuda:0"))));
    READ_AS(&f, STORAGE("0", TEXT("\x03", "cpu")));
    const htp_devices devices = htp_devices_of(&f.archive);
    ck_assert_str_eq(devices.home, "cuda:0");
    ck_assert_ptr_null(htp_devices_of_record(&devices, "data/0"));
    expect_ok(TAKE(&f, STORAGE("0", TEXT("\x03", "cpu"))));
    ck_assert_uint_eq(f.archive.given.count, 0);
    ck_assert_str_eq(htp_devices_of(&f.archive).home, "cpu");
}

UNIT_TEST(storages_may_be_anywhere)
{
    fixture f;
    expect_ok(TAKE(&f, STORAGE("0", TEXT("\0", ""))));
    READ_AS(&f, STORAGE("0", TEXT("\x03", "cpu")));
    ck_assert_ptr_null(htp_devices_of(&f.archive).home);
    expect_ok(TAKE(&f, STORAGE("0", TEXT("\x07", "cuda:-1"))));
    expect_ok(TAKE(&f, STORAGE("0", TEXT("\x05", "own:1"))));
    ck_assert_str_eq(htp_devices_of(&f.archive).home, "own:1");
}

UNIT_TEST(a_text_that_is_written_once)
{
    fixture f;
    expect_ok(TAKE(&f, "(" STORAGE("0", TEXT("\x06", "cuda:0") "q\0") STORAGE("1", "h\0") "t"));
    READ_AS(&f, "(" STORAGE("0", TEXT("\x03", "cpu") "q\0") STORAGE("1", TEXT("\x03", "cpu")) "t");
}

UNIT_TEST(plain_texts_stay)
{
    fixture f;
    expect_ok(TAKE(&f, "(" STORAGE("0", TEXT("\x06", "cuda:0") "q\0") "h\0t"));
    READ_AS(&f, "(" STORAGE("0", TEXT("\x03", "cpu") "q\0") TEXT("\x06", "cuda:0") "t");
    expect_ok(TAKE(&f, "(" TEXT("\x06", "cuda:0") "q\0" STORAGE("0", "h\0") "h\0t"));
    READ_AS(&f, "(" TEXT("\x06", "cuda:0") "q\0" STORAGE("0", TEXT("\x03", "cpu")) "h\0t");
}

UNIT_TEST(the_first_accelerator_tells)
{
    fixture f;
    expect_ok(
        TAKE(&f, "(" STORAGE("0", TEXT("\x03", "cpu")) STORAGE("1", TEXT("\x06", "cuda:1")) "t"));
    const htp_devices devices = htp_devices_of(&f.archive);
    ck_assert_str_eq(devices.home, "cuda:1");
    ck_assert_str_eq(htp_devices_of_record(&devices, "data/0"), "cpu");
}

#define DEVICE(length, text) "ctorch\ndevice\n(" TEXT(length, text) "tR"

UNIT_TEST(devices_that_are_objects)
{
    fixture f;
    expect_ok(TAKE(&f, DEVICE("\x06", "cuda:0")));
    ck_assert_uint_eq(f.archive.given.count, 0);
    ck_assert_str_eq(htp_devices_of(&f.archive).home, "cuda:0");
    expect_ok(TAKE(&f, DEVICE("\x05", "npu:1")));
    READ_AS(&f, DEVICE("\x04", "ve:1"));
    ck_assert_str_eq(htp_devices_of(&f.archive).renamed, "npu");
    expect_ok(TAKE(&f, "(" DEVICE("\x05", "own:1") STORAGE("0", TEXT("\x05", "own:1")) "t"));
}

UNIT_TEST(what_is_no_device)
{
    fixture f;
    expect_failure(TAKE(&f, DEVICE("\0", "")), HTP_CODE_BAD_INPUT, "the invalid device \"\"");
    expect_failure(TAKE(&f, DEVICE("\x07", "cuda:-1")), HTP_CODE_BAD_INPUT, "the invalid device");
    expect_failure(TAKE(&f, DEVICE("\x08", "nosuch:3")), HTP_CODE_BAD_INPUT,
                   "which PyTorch does not know");
    expect_failure(TAKE(&f, "(" DEVICE("\x05", "npu:1") DEVICE("\x05", "mlu:1") "t"),
                   HTP_CODE_UNSUPPORTED, "devices of two backends");
    expect_failure(TAKE(&f, "(" DEVICE("\x05", "npu:1") DEVICE("\x04", "ve:1") "t"),
                   HTP_CODE_UNSUPPORTED, "devices of two backends");
}

UNIT_MAIN("pickle: devices", storages_are_the_cpus, storages_may_be_anywhere,
          a_text_that_is_written_once, plain_texts_stay, the_first_accelerator_tells,
          devices_that_are_objects, what_is_no_device)
