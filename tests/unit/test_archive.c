#include "arguments_fixture.h"
#include "source/torchscript.h"
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ZIP_LIMIT = 1 << 16 };

/* A zip archive under construction: members without contents, then their directory. */
struct zip {
    unsigned char bytes[ZIP_LIMIT];
    size_t size;
    unsigned char directory[ZIP_LIMIT];
    size_t directory_size;
    unsigned count;
};

static void put(unsigned char *bytes, size_t *size, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[(*size)++] = (unsigned char)(i < sizeof(value) ? value >> 8 * i : 0);
    }
}

static void put_name(unsigned char *bytes, size_t *size, const char *name)
{
    while (*name) {
        bytes[(*size)++] = (unsigned char)*name++;
    }
}

static void zip_add(struct zip *zip, const char *name)
{
    size_t offset = zip->size;
    put(zip->bytes, &zip->size, 0x04034b50, 4);
    put(zip->bytes, &zip->size, 0, 22);
    put(zip->bytes, &zip->size, strlen(name), 2);
    put(zip->bytes, &zip->size, 0, 2);
    put_name(zip->bytes, &zip->size, name);
    put(zip->directory, &zip->directory_size, 0x02014b50, 4);
    put(zip->directory, &zip->directory_size, 0, 24);
    put(zip->directory, &zip->directory_size, strlen(name), 2);
    put(zip->directory, &zip->directory_size, 0, 12);
    put(zip->directory, &zip->directory_size, offset, 4);
    put_name(zip->directory, &zip->directory_size, name);
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
    put_name(zip->bytes, &zip->size, comment);
}

static void make_zip(struct zip *zip, const char *const *names, bool zip64, const char *comment)
{
    memset(zip, 0, sizeof(*zip));
    for (; *names; names++) {
        zip_add(zip, *names);
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

static htp_status check_bytes(const void *bytes, size_t count)
{
    /* Without O_TRUNC: some file systems flush a file that was emptied when it is closed. */
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(pwrite(file, bytes, count, 0), (ssize_t)count);
    ck_assert_int_eq(ftruncate(file, (off_t)count), 0);
    ck_assert_int_eq(close(file), 0);
    return htp_torchscript_check(path);
}

static htp_status check_names(const char *const *names)
{
    static struct zip zip;
    make_zip(&zip, names, false, "");
    return check_bytes(zip.bytes, zip.size);
}

START_TEST(torchscript_is_accepted)
{
    static struct zip zip;
    for (int zip64 = 0; zip64 <= 1; zip64++) {
        make_zip(&zip, torchscript_names, zip64, "");
        expect_ok(check_bytes(zip.bytes, zip.size));
        make_zip(&zip, torchscript_names, zip64, "a comment");
        expect_ok(check_bytes(zip.bytes, zip.size));
    }
    expect_ok(check_names((const char *const[]){"net/model.json", "net/code/net.py", NULL}));
}
END_TEST

START_TEST(other_archives_are_named)
{
    expect_failure(check_names((const char *const[]){"x/data.pkl", "x/version", "x/data/0", NULL}),
                   HTP_CODE_BAD_INPUT, "made by torch.save");
    expect_failure(check_names((const char *const[]){"x/archive_format", "x/models/model.json",
                                                     "x/data/sample_inputs/model.pt", NULL}),
                   HTP_CODE_BAD_INPUT, "torch.export");
    expect_failure(check_names((const char *const[]){"serialized_exported_program.json",
                                                     "serialized_state_dict.pt", "version", NULL}),
                   HTP_CODE_BAD_INPUT, "torch.export");
    expect_failure(check_names((const char *const[]){"p/m.pkl", "p/.data/extern_modules", NULL}),
                   HTP_CODE_BAD_INPUT, "torch.package");
    expect_failure(check_names((const char *const[]){"word/document.xml", NULL}),
                   HTP_CODE_BAD_INPUT, "a zip archive, but not TorchScript");
    expect_failure(check_names((const char *const[]){"a/b/constants.pkl", "a/b/data.pkl", NULL}),
                   HTP_CODE_BAD_INPUT, "a zip archive, but not TorchScript");
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
    expect_failure(htp_torchscript_check(path), HTP_CODE_BAD_INPUT, "No such file");
    expect_failure(check_bytes("", 0), HTP_CODE_BAD_INPUT, "the file is empty");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    expect_failure(htp_torchscript_check(path), HTP_CODE_BAD_INPUT, "a directory");
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    expect_failure(htp_torchscript_check(path), HTP_CODE_BAD_INPUT, "not a regular file");
    expect_failure(htp_torchscript_check("/dev/null"), HTP_CODE_BAD_INPUT, "not a regular file");
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

/* Whatever a byte is changed to, reading stays within the file and ends. */
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

UNIT_MAIN_WITH("archive", make_folder, remove_folder, torchscript_is_accepted,
               other_archives_are_named, other_files_are_named, what_is_no_file, truncated_anywhere,
               damaged_anywhere)
