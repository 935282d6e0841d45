#include "arguments_fixture.h"
#include "source/archive/archive.h"
#include "source/contents/contents.h"
#include "source/torchscript/torchscript.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ZIP_LIMIT = 1 << 16 };

/* A zip archive under construction: members, then their directory. */
struct zip {
    unsigned char bytes[ZIP_LIMIT];
    size_t size;
    unsigned char directory[ZIP_LIMIT];
    size_t directory_size;
    unsigned count;
};

/* A member, and its entry in the directory. */
struct member {
    const char *name;
    size_t name_bytes; /* 0: strlen(name) */
    unsigned flags;
    unsigned method;
    size_t contents; /* actual bytes */
    size_t bytes;    /* those in the directory */
    size_t unpacked;
    int shift; /* added to the offset in the directory */
};

static void put(unsigned char *bytes, size_t *size, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[(*size)++] = (unsigned char)(i < sizeof(value) ? value >> 8 * i : 0);
    }
}

static void put_name(unsigned char *bytes, size_t *size, const char *name, size_t count)
{
    memcpy(bytes + *size, name, count);
    *size += count;
}

/* A pickle of None. */
static const char pickle[] = "\x80\x02N.";

enum { PICKLE_BYTES = sizeof(pickle) - 1 };

static bool is_pickle(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".pkl") == 0;
}

static const char version[] = "3\n";

static bool is_version(const char *name)
{
    return strcmp(name, "net/version") == 0;
}

static void zip_add(struct zip *zip, const struct member *member)
{
    size_t offset = zip->size;
    size_t name_bytes = member->name_bytes ? member->name_bytes : strlen(member->name);
    put(zip->bytes, &zip->size, 0x04034b50, 4);
    put(zip->bytes, &zip->size, 0, 22);
    put(zip->bytes, &zip->size, name_bytes, 2);
    put(zip->bytes, &zip->size, 0, 2);
    put_name(zip->bytes, &zip->size, member->name, name_bytes);
    if (is_pickle(member->name) && member->contents == PICKLE_BYTES) {
        put_name(zip->bytes, &zip->size, pickle, PICKLE_BYTES);
    } else if (is_version(member->name) && member->contents == strlen(version)) {
        put_name(zip->bytes, &zip->size, version, strlen(version));
    } else {
        put(zip->bytes, &zip->size, 0, member->contents);
    }
    put(zip->directory, &zip->directory_size, 0x02014b50, 4);
    put(zip->directory, &zip->directory_size, 0, 4);
    put(zip->directory, &zip->directory_size, member->flags, 2);
    put(zip->directory, &zip->directory_size, member->method, 2);
    put(zip->directory, &zip->directory_size, 0, 8);
    put(zip->directory, &zip->directory_size, member->bytes, 4);
    put(zip->directory, &zip->directory_size, member->unpacked, 4);
    put(zip->directory, &zip->directory_size, name_bytes, 2);
    put(zip->directory, &zip->directory_size, 0, 12);
    put(zip->directory, &zip->directory_size, offset + (size_t)member->shift, 4);
    put_name(zip->directory, &zip->directory_size, member->name, name_bytes);
    zip->count++;
}

static void zip_end(struct zip *zip, bool zip64, const char *comment)
{
    size_t offset = zip->size;
    memcpy(zip->bytes + zip->size, zip->directory, zip->directory_size);
    zip->size += zip->directory_size;
    if (zip64) {
        size_t end = zip->size;
        put(zip->bytes, &zip->size, 0x06064b50, 4);
        put(zip->bytes, &zip->size, 44, 8);
        put(zip->bytes, &zip->size, 0, 12);
        put(zip->bytes, &zip->size, zip->count, 8);
        put(zip->bytes, &zip->size, zip->count, 8);
        put(zip->bytes, &zip->size, zip->directory_size, 8);
        put(zip->bytes, &zip->size, offset, 8);
        put(zip->bytes, &zip->size, 0x07064b50, 4);
        put(zip->bytes, &zip->size, 0, 4);
        put(zip->bytes, &zip->size, end, 8);
        put(zip->bytes, &zip->size, 1, 4);
    }
    put(zip->bytes, &zip->size, 0x06054b50, 4);
    put(zip->bytes, &zip->size, 0, 4);
    put(zip->bytes, &zip->size, zip->count, 2);
    put(zip->bytes, &zip->size, zip->count, 2);
    put(zip->bytes, &zip->size, zip64 ? UINT32_MAX : zip->directory_size, 4);
    put(zip->bytes, &zip->size, zip64 ? UINT32_MAX : offset, 4);
    put(zip->bytes, &zip->size, strlen(comment), 2);
    put_name(zip->bytes, &zip->size, comment, strlen(comment));
}

static void make_zip(struct zip *zip, const char *const *names, bool zip64, const char *comment)
{
    memset(zip, 0, sizeof(*zip));
    for (; *names; names++) {
        size_t bytes = is_pickle(*names) ? PICKLE_BYTES : is_version(*names) ? strlen(version) : 0;
        zip_add(zip, &(struct member){
                         .name = *names, .contents = bytes, .bytes = bytes, .unpacked = bytes});
    }
    zip_end(zip, zip64, comment);
}

static const char *const torchscript_names[] = {
    "net/data/0",        "net/data.pkl", "net/code/__torch__.py",
    "net/constants.pkl", "net/version",  NULL};

static char folder[64];
static char path[sizeof(folder) + 16];

static void make_folder(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/htp-test-archive-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/model.pt", folder);
}

static void remove_folder(void)
{
    (void)unlink(path);
    (void)rmdir(path);
    (void)rmdir(folder);
}

/* Lists the records of @p file in @p archive. */
static htp_status check_file(htp_arena *arena, const char *file, htp_archive *archive)
{
    static const htp_reader *const readers[] = {&htp_torchscript_reader, NULL};
    const htp_reader *reader = NULL;
    htp_status status = htp_reader_find(readers, file, archive, &reader);
    if (!status) {
        ck_assert_ptr_eq(reader, &htp_torchscript_reader);
        status = htp_torchscript_check(arena, file, archive);
    }
    htp_archive_close(archive);
    return status;
}

static htp_status check_path(const char *file)
{
    htp_arena arena;
    htp_archive archive = {.file = NULL};
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena)) {
        ck_abort_msg("out of memory");
    }
    htp_status status = check_file(&arena, file, &archive);
    htp_arena_free(&arena);
    return status;
}

static void write_file(const void *bytes, size_t count)
{
    /* Without O_TRUNC, since some file systems flush a truncated file when it is closed. */
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(pwrite(file, bytes, count, 0), (ssize_t)count);
    ck_assert_int_eq(ftruncate(file, (off_t)count), 0);
    ck_assert_int_eq(close(file), 0);
}

static htp_status check_bytes(const void *bytes, size_t count)
{
    write_file(bytes, count);
    return check_path(path);
}

static htp_status check_names(const char *const *names)
{
    static struct zip zip;
    make_zip(&zip, names, false, "");
    return check_bytes(zip.bytes, zip.size);
}

START_TEST(records_of_a_checked_archive_are_read)
{
    static const char *const names[] = {"net/data.pkl", "net/constants.pkl", "net/extra/a.pkl",
                                        "net/version", NULL};
    static struct zip zip;
    htp_arena arena;
    htp_archive archive = {.file = NULL};
    htp_arena_init(&arena);
    ck_assert_int_eq(htp_arena_recover(&arena), 0);
    make_zip(&zip, names, false, "");
    write_file(zip.bytes, zip.size);
    expect_ok(check_file(&arena, path, &archive));
    int file = open(path, O_RDWR | O_CLOEXEC);
    size_t bytes = 1;
    const char *read = htp_archive_read(&arena, &archive, file, "extra/a.pkl", &bytes);
    ck_assert_uint_eq(bytes, PICKLE_BYTES);
    ck_assert_mem_eq(read, pickle, PICKLE_BYTES + 1);
    ck_assert_str_eq(htp_archive_read(&arena, &archive, file, "version", &bytes), version);
    ck_assert_uint_eq(bytes, strlen(version));
    ck_assert_ptr_null(htp_archive_read(&arena, &archive, file, "extra/b.pkl", &bytes));
    ck_assert_int_eq(ftruncate(file, 0), 0);
    ck_assert_ptr_null(htp_archive_read(&arena, &archive, file, "extra/a.pkl", &bytes));
    ck_assert_int_eq(close(file), 0);
    ck_assert_ptr_null(htp_archive_read(&arena, &archive, file, "extra/a.pkl", &bytes));
    ck_assert_uint_eq(bytes, 0);
    ck_assert_ptr_null(archive.file);
    htp_arena_free(&arena);
}
END_TEST

START_TEST(torchscript_is_accepted)
{
    static struct zip zip;
    for (int zip64 = 0; zip64 <= 1; zip64++) {
        make_zip(&zip, torchscript_names, zip64, "");
        expect_ok(check_bytes(zip.bytes, zip.size));
        make_zip(&zip, torchscript_names, zip64, "a comment");
        expect_ok(check_bytes(zip.bytes, zip.size));
    }
}
END_TEST

START_TEST(other_archives_are_named)
{
    expect_failure(check_names((const char *const[]){"x/data.pkl", "x/version", "x/data/0", NULL}),
                   HTP_CODE_BAD_INPUT, "made by torch.save");
    expect_failure(check_names((const char *const[]){"p/m.pkl", "p/.data/extern_modules", NULL}),
                   HTP_CODE_BAD_INPUT, "torch.package");
    expect_failure(check_names((const char *const[]){"word/document.xml", NULL}),
                   HTP_CODE_BAD_INPUT, "a zip archive, but not TorchScript");
    expect_failure(check_names((const char *const[]){"a/b/constants.pkl", "a/b/data.pkl", NULL}),
                   HTP_CODE_BAD_INPUT, "a zip archive, but not TorchScript");
}
END_TEST

START_TEST(old_archives_are_named)
{
    static const char *const words = "very old PyTorch";
    expect_failure(check_names((const char *const[]){"net/model.json", "net/code/net.py", NULL}),
                   HTP_CODE_BAD_INPUT, words);
    /* The loader of old archives takes precedence. */
    expect_failure(check_names((const char *const[]){"net/data.pkl", "net/constants.pkl",
                                                     "net/model.json", NULL}),
                   HTP_CODE_BAD_INPUT, words);
}
END_TEST

START_TEST(other_files_are_named)
{
    static const struct {
        const char *bytes;
        const char *words;
    } files[] = {
        {"\x80\x02\x8a\nl\xfc\x9c", "old torch.save"},
        {"\x80\x04 pickle", "a Python pickle"},
        {"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"},
        {"hello", "not a TorchScript archive"},
        {"PK", "not a TorchScript archive"},
        {"x", "not a TorchScript archive"},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        expect_failure(check_bytes(files[i].bytes, strlen(files[i].bytes)), HTP_CODE_BAD_INPUT,
                       files[i].words);
    }
}
END_TEST

START_TEST(what_is_no_file)
{
    expect_failure(check_path(path), HTP_CODE_BAD_INPUT, "No such file");
    expect_failure(check_bytes("", 0), HTP_CODE_BAD_INPUT, "the file is empty");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    expect_failure(check_path(path), HTP_CODE_BAD_INPUT, "a directory");
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    expect_failure(check_path(path), HTP_CODE_BAD_INPUT, "not a regular file");
    expect_failure(check_path("/dev/null"), HTP_CODE_BAD_INPUT, "not a regular file");
}
END_TEST

START_TEST(truncated_anywhere)
{
    static struct zip zip;
    for (int zip64 = 0; zip64 <= 1; zip64++) {
        make_zip(&zip, torchscript_names, zip64, "");
        for (size_t size = 4; size < zip.size; size++) {
            expect_failure(check_bytes(zip.bytes, size), HTP_CODE_BAD_INPUT, "damaged archive");
        }
    }
}
END_TEST

/* Whatever byte is changed, reading stays within the file and ends. */
START_TEST(damaged_anywhere)
{
    static struct zip zip;
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
    make_zip(&zip, torchscript_names, true, "");
    size_t refused = 0;
    for (size_t i = 0; i < zip.size; i++) {
        unsigned char before = zip.bytes[i];
        for (size_t v = 0; v < sizeof(values); v++) {
            zip.bytes[i] = values[v];
            htp_status status = check_bytes(zip.bytes, zip.size);
            refused += status != HTP_OK;
            htp_status_free(status);
        }
        zip.bytes[i] = before;
    }
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* ---- records ---- */

/* A model, @p count members more, and an end. */
static void make_model(struct zip *zip, const struct member *members, size_t count, bool zip64)
{
    memset(zip, 0, sizeof(*zip));
    static const char *const pickles[] = {"net/data.pkl", "net/constants.pkl"};
    for (size_t i = 0; i < 2; i++) {
        zip_add(zip, &(struct member){.name = pickles[i],
                                      .contents = PICKLE_BYTES,
                                      .bytes = PICKLE_BYTES,
                                      .unpacked = PICKLE_BYTES});
    }
    for (size_t i = 0; i < count; i++) {
        zip_add(zip, &members[i]);
    }
    zip_end(zip, zip64, "");
}

UNIT_TEST(records_are_listed)
{
    static struct zip zip;
    static const struct member members[] = {
        {.name = "net/data/"},
        {.name = "net/data/0", .contents = 64, .bytes = 64, .unpacked = 64},
        {.name = "net/extra/a", .method = 8, .contents = 10, .bytes = 10, .unpacked = 10320},
        {.name = "net/extra/A"},
        {.name = "nets/data/1"},
        {.name = "other/data/0", .flags = 1},
    };
    make_model(&zip, members, sizeof(members) / sizeof(members[0]), false);
    write_file(zip.bytes, zip.size);
    htp_archive archive = {.file = NULL};
    expect_ok(check_file(arena, path, &archive));
    ck_assert_uint_eq(archive.record_count, 5);
    const htp_archive_record *record = htp_archive_find(&archive, "data/0", 6);
    ck_assert_ptr_nonnull(record);
    ck_assert_str_eq(record->name, "data/0");
    ck_assert_uint_eq(record->bytes, 64);
    ck_assert(record->is_stored);
    ck_assert_int_eq(memcmp(zip.bytes + record->offset - 6, "data/0", 6), 0);
    record = htp_archive_find(&archive, "extra/a", 7);
    ck_assert_ptr_nonnull(record);
    ck_assert_uint_eq(record->bytes, 10320);
    ck_assert_uint_eq(archive.packed[record - archive.records], 10);
    ck_assert(!record->is_stored);
    ck_assert_ptr_null(htp_archive_find(&archive, "data/1", 6));
    ck_assert_ptr_null(htp_archive_find(&archive, "data/0\0", 7));
}

START_TEST(records_that_are_refused)
{
    static struct zip zip;
    static const struct {
        struct member member;
        const char *words;
    } cases[] = {
        {{.name = "net/data.pkl"}, "net/data.pkl is there twice"},
        {{.name = "net/DATA.pkl"}, "net/DATA.pkl is there twice"},
        {{.name = "net/data/0", .bytes = 64, .unpacked = 64}, "does not lie in the file"},
        {{.name = "net/data/0", .contents = 64, .bytes = 64, .unpacked = 250000}, "two sizes"},
        {{.name = "net/data/0", .method = 8, .contents = 64, .bytes = 64, .unpacked = 250000},
         "more than it can hold"},
        {{.name = "net/data/0", .method = 93}, "compressed in another way"},
        {{.name = "net/data/0", .flags = 1}, "is encrypted"},
        {{.name = "net/data/0\0x", .name_bytes = 12}, "net/data/0?x has a NUL"},
        {{.name = "net/d\x1b[2J", .flags = 1}, "net/d?[2J is encrypted"},
        {{.name = "net/data/0", .shift = 1}, "does not lie in the file"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        make_model(&zip, &cases[i].member, 1, false);
        expect_failure(check_bytes(zip.bytes, zip.size), HTP_CODE_BAD_INPUT, cases[i].words);
    }
}
END_TEST

/* The second member is inside the first one's contents. */
START_TEST(overlapping_records_are_refused)
{
    static struct zip zip;
    static const struct member members[] = {
        {.name = "net/data/0", .contents = 64, .bytes = 64, .unpacked = 64},
        {.name = "net/data/1", .shift = -64},
    };
    make_model(&zip, members, 2, false);
    size_t inner = zip.size - zip.directory_size - 22 - 30 - strlen(members[1].name);
    memcpy(zip.bytes + inner - 64, zip.bytes + inner, 30 + strlen(members[1].name));
    expect_failure(check_bytes(zip.bytes, zip.size), HTP_CODE_BAD_INPUT,
                   "net/data/1 overlaps another one");
}
END_TEST

/* Readers that each trust another of the two end records would see different archives. */
START_TEST(end_records_agree)
{
    static struct zip zip;
    static const char *const words = "its directory is overwritten";
    make_model(&zip, NULL, 0, true);
    for (size_t at = 8; at < 20; at += 4) {
        unsigned char *end = zip.bytes + zip.size - 22 + at;
        unsigned char before[4];
        memcpy(before, end, 4);
        memset(end, 1, 4);
        expect_failure(check_bytes(zip.bytes, zip.size), HTP_CODE_BAD_INPUT, words);
        memcpy(end, before, 4);
    }
    expect_ok(check_bytes(zip.bytes, zip.size));
    make_model(&zip, NULL, 0, false);
    for (int step = -1; step <= 1; step++) {
        unsigned char count = (unsigned char)(2 + step);
        zip.bytes[zip.size - 14] = count;
        zip.bytes[zip.size - 12] = count;
        htp_status status = check_bytes(zip.bytes, zip.size);
        if (step) {
            expect_failure(status, HTP_CODE_BAD_INPUT, words);
        } else {
            expect_ok(status);
        }
    }
}
END_TEST

/* The directory says deflated, but this is no deflate stream. */
START_TEST(pickles_that_do_not_inflate)
{
    static struct zip zip;
    memset(&zip, 0, sizeof(zip));
    zip_add(&zip, &(struct member){.name = "net/data.pkl",
                                   .method = 8,
                                   .contents = PICKLE_BYTES,
                                   .bytes = PICKLE_BYTES,
                                   .unpacked = PICKLE_BYTES});
    zip_add(&zip, &(struct member){.name = "net/constants.pkl"});
    zip_end(&zip, false, "");
    expect_failure(check_bytes(zip.bytes, zip.size), HTP_CODE_BAD_INPUT,
                   "data.pkl cannot be read to its end");
}
END_TEST

START_TEST(models_lie_in_the_first_folder)
{
    expect_failure(
        check_names((const char *const[]){"a/version", "b/data.pkl", "b/constants.pkl", NULL}),
        HTP_CODE_BAD_INPUT, "data.pkl is not in the folder");
    expect_failure(check_names((const char *const[]){"a/data.pkl", "b/constants.pkl", NULL}),
                   HTP_CODE_BAD_INPUT, "constants.pkl is not in the folder");
    expect_failure(check_names((const char *const[]){"data.pkl", "constants.pkl", NULL}),
                   HTP_CODE_BAD_INPUT, "data.pkl, its first record, is in no folder");
}
END_TEST

UNIT_MAIN_WITH("archive", make_folder, remove_folder, records_of_a_checked_archive_are_read,
               torchscript_is_accepted, other_archives_are_named, old_archives_are_named,
               other_files_are_named, what_is_no_file, truncated_anywhere, damaged_anywhere,
               records_are_listed, records_that_are_refused, overlapping_records_are_refused,
               end_records_agree, pickles_that_do_not_inflate, models_lie_in_the_first_folder)
