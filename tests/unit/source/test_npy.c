#include "arguments_fixture.h"
#include "source/inputs/npy.h"
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

enum { FILE_LIMIT = 4096 };

/* An array file of version @p major with @p header, and @p bytes of elements. @return its size. */
static size_t make(unsigned char *file, unsigned major, const char *header, size_t bytes)
{
    size_t length = strlen(header);
    size_t prefix = major == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)major;
    file[7] = 0;
    for (size_t i = 8; i < prefix; i++) {
        file[i] = (unsigned char)(i < 8 + sizeof(length) ? length >> 8 * (i - 8) : 0);
    }
    memcpy(file + prefix, header, length);
    memset(file + prefix + length, 0, bytes);
    return prefix + length + bytes;
}

static const char *parse(unsigned major, const char *header, size_t bytes, htp_npy *array)
{
    unsigned char file[FILE_LIMIT];
    size_t size = make(file, major, header, bytes);
    return htp_npy_parse(file, size, size, array);
}

#define HEADER(type, shape)                                                                        \
    "{'descr': '" type "', 'fortran_order': False, 'shape': " shape ", }          \n"

UNIT_TEST(headers)
{
    static const struct {
        const char *header;
        size_t bytes;
        htp_dtype dtype;
        uint32_t rank;
        int64_t first;
    } right[] = {
        {HEADER("<f4", "(2, 3)"), 24, HTP_DTYPE_FLOAT32, 2, 2},
        {HEADER("<f4", "(2,)"), 8, HTP_DTYPE_FLOAT32, 1, 2},
        {HEADER("<f4", "(2L,)"), 8, HTP_DTYPE_FLOAT32, 1, 2},
        {HEADER("<f4", "()"), 4, HTP_DTYPE_FLOAT32, 0, 0},
        {HEADER("<f4", "(0, 7)"), 0, HTP_DTYPE_FLOAT32, 2, 0},
        {HEADER("|b1", "(3,)"), 3, HTP_DTYPE_BOOL, 1, 3},
        {HEADER("|u1", "(3,)"), 3, HTP_DTYPE_UINT8, 1, 3},
        {HEADER(">i1", "(3,)"), 3, HTP_DTYPE_INT8, 1, 3},
        {HEADER("=i2", "(3,)"), 6, HTP_DTYPE_INT16, 1, 3},
        {HEADER("<i8", "(3,)"), 24, HTP_DTYPE_INT64, 1, 3},
        {HEADER("<f2", "(3,)"), 6, HTP_DTYPE_FLOAT16, 1, 3},
        {HEADER("<f8", "(3,)"), 24, HTP_DTYPE_FLOAT64, 1, 3},
        {HEADER("<c8", "(3,)"), 24, HTP_DTYPE_COMPLEX64, 1, 3},
        {HEADER("<c16", "(3,)"), 48, HTP_DTYPE_COMPLEX128, 1, 3},
        {"{\"shape\":(1,2),\"fortran_order\":True,\"descr\":\"<i4\"}", 8, HTP_DTYPE_INT32, 2, 1},
    };
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        for (unsigned major = 1; major <= 3; major++) {
            htp_npy array;
            const char *problem = parse(major, right[i].header, right[i].bytes, &array);
            ck_assert_msg(!problem, "%s: %s", right[i].header, problem ? problem : "");
            ck_assert_int_eq(array.dtype, right[i].dtype);
            ck_assert_uint_eq(array.rank, right[i].rank);
            ck_assert_int_eq(array.dims[0], right[i].first);
        }
    }
}

UNIT_TEST(wrong_headers)
{
    static const struct {
        const char *header;
        size_t bytes;
        const char *words;
    } wrong[] = {
        {HEADER("<f4", "(2,)"), 7, "cut short"},
        {HEADER("<f4", "(2,)"), 9, "longer"},
        {HEADER("<f4", "(2147483647, 2147483647, 2147483647)"), 0, "cut short"},
        {HEADER("<f4", "(2147483648,)"), 0, "too large"},
        {HEADER("<f4", "(99999999999999999999999,)"), 0, "too large"},
        {HEADER("<f4", "(-1,)"), 0, "damaged"},
        {HEADER("<f4", "(2"), 0, "damaged"},
        {HEADER("<f4", "(2 3)"), 0, "damaged"},
        {HEADER("<f4", "(,)"), 0, "damaged"},
        {HEADER("<f4", "2"), 0, "damaged"},
        {HEADER(">f4", "(2,)"), 8, "big-endian"},
        {HEADER("<c32", "(2,)"), 64, "dtype"},
        {HEADER("<U3", "(2,)"), 24, "dtype"},
        {HEADER("|O", "(2,)"), 16, "dtype"},
        {HEADER("", "(2,)"), 16, "dtype"},
        {HEADER("<", "(2,)"), 16, "dtype"},
        {HEADER("<f4444444444444444444", "(2,)"), 8, "header"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8, "records"},
        {"{'descr': '<f4', 'shape': (2,)}", 8, "damaged"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8, "damaged"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", 8, "damaged"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} 3", 8, "damaged"},
        {"{'descr': '<f4', 'other': False, 'shape': (2,)}", 8, "damaged"},
        {"{'descr' '<f4'}", 8, "damaged"},
        {"{", 0, "damaged"},
        {"", 0, "damaged"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        htp_npy array;
        const char *problem = parse(1, wrong[i].header, wrong[i].bytes, &array);
        ck_assert_msg(problem && strstr(problem, wrong[i].words), "%s: %s", wrong[i].header,
                      problem ? problem : "no problem");
    }
    htp_npy array;
    ck_assert_ptr_nonnull(parse(4, HEADER("<f4", "(2,)"), 8, &array));
    ck_assert_ptr_nonnull(parse(0, HEADER("<f4", "(2,)"), 8, &array));
    htp_text many = {.arena = arena};
    for (int i = 0; i < 65; i++) {
        htp_text_add(&many, "1,");
    }
    const char *header = htp_arena_printf(
        arena, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s)}", htp_text_string(&many));
    ck_assert_ptr_nonnull(strstr(parse(1, header, 4, &array), "more dims"));
}

/* A copy of exactly that size, so that checkers see reads beyond the end. */
static const char *parse_copy(const unsigned char *file, size_t count, uint64_t total)
{
    htp_npy array;
    unsigned char *copy = malloc(count ? count : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, file, count);
    const char *problem = htp_npy_parse(copy, count, total, &array);
    free(copy);
    return problem;
}

UNIT_TEST(every_truncation)
{
    unsigned char file[FILE_LIMIT];
    for (unsigned major = 1; major <= 3; major++) {
        size_t size = make(file, major, HEADER("<f4", "(2, 3)"), 24);
        UNIT_CHECK(!parse_copy(file, size, size));
        for (size_t count = 0; count < size; count++) {
            UNIT_CHECK(parse_copy(file, count, count));
        }
    }
}

UNIT_TEST(every_byte_changed)
{
    unsigned char file[FILE_LIMIT];
    for (unsigned major = 1; major <= 2; major++) {
        size_t size = make(file, major, HEADER("<f4", "(2, 3)"), 24);
        for (size_t place = 0; place < size - 24; place++) {
            unsigned char kept = file[place];
            for (unsigned value = 0; value < 256; value++) {
                file[place] = (unsigned char)value;
                (void)parse_copy(file, size, size);
            }
            file[place] = kept;
        }
    }
}

UNIT_TEST(a_long_header_is_not_read)
{
    unsigned char file[12] = "\x93NUMPY\x02\x00\xff\xff\xff\x7f";
    htp_npy array;
    ck_assert_ptr_nonnull(
        strstr(htp_npy_parse(file, sizeof(file), UINT64_MAX, &array), "too large"));
}

/* ---- files of several arrays ---- */

struct zip {
    unsigned char bytes[FILE_LIMIT];
    size_t size;
    unsigned char directory[FILE_LIMIT];
    size_t directory_size;
    unsigned count;
};

static void put(unsigned char *bytes, size_t *size, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[(*size)++] = (unsigned char)(i < sizeof(value) ? value >> 8 * i : 0);
    }
}

static void put_bytes(unsigned char *bytes, size_t *size, const void *from, size_t count)
{
    memcpy(bytes + *size, from, count);
    *size += count;
}

static void zip_add(struct zip *zip, const char *name, unsigned method, const char *header,
                    size_t elements)
{
    unsigned char array[FILE_LIMIT];
    size_t offset = zip->size;
    size_t bytes = make(array, 1, header, elements);
    put(zip->bytes, &zip->size, 0x04034b50, 4);
    put(zip->bytes, &zip->size, 0, 22);
    put(zip->bytes, &zip->size, strlen(name), 2);
    put(zip->bytes, &zip->size, 0, 2);
    put_bytes(zip->bytes, &zip->size, name, strlen(name));
    put_bytes(zip->bytes, &zip->size, array, bytes);
    put(zip->directory, &zip->directory_size, 0x02014b50, 4);
    put(zip->directory, &zip->directory_size, 0, 6);
    put(zip->directory, &zip->directory_size, method, 2);
    put(zip->directory, &zip->directory_size, 0, 8);
    put(zip->directory, &zip->directory_size, bytes, 4);
    put(zip->directory, &zip->directory_size, bytes, 4);
    put(zip->directory, &zip->directory_size, strlen(name), 2);
    put(zip->directory, &zip->directory_size, 0, 12);
    put(zip->directory, &zip->directory_size, offset, 4);
    put_bytes(zip->directory, &zip->directory_size, name, strlen(name));
    zip->count++;
}

static void zip_end(struct zip *zip)
{
    size_t offset = zip->size;
    put_bytes(zip->bytes, &zip->size, zip->directory, zip->directory_size);
    put(zip->bytes, &zip->size, 0x06054b50, 4);
    put(zip->bytes, &zip->size, 0, 4);
    put(zip->bytes, &zip->size, zip->count, 2);
    put(zip->bytes, &zip->size, zip->count, 2);
    put(zip->bytes, &zip->size, zip->directory_size, 4);
    put(zip->bytes, &zip->size, offset, 4);
    put(zip->bytes, &zip->size, 0, 2);
}

static htp_status list(htp_arena *arena, const void *bytes, size_t count, const char *const **texts,
                       size_t *text_count)
{
    char path[] = "/tmp/htp-npz-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, bytes, count), (ssize_t)count);
    (void)close(file);
    htp_status status = htp_inputs_list_npz(arena, path, texts, text_count);
    (void)unlink(path);
    return status;
}

UNIT_TEST(arrays_of_a_file)
{
    struct zip zip = {.size = 0};
    const char *const *texts = NULL;
    size_t count = 0;
    zip_add(&zip, "ids.npy", 0, HEADER("<i8", "(2, 8)"), 128);
    zip_add(&zip, "past.0.k.npy", 0, HEADER("<f4", "()"), 4);
    zip_end(&zip);
    expect_ok(list(arena, zip.bytes, zip.size, &texts, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(texts[0], "ids:int64[2,8]");
    ck_assert_str_eq(texts[1], "past.0.k:float32[]");
    for (size_t size = 0; size < zip.size; size++) {
        htp_status status = list(arena, zip.bytes, size, &texts, &count);
        UNIT_CHECK(status && htp_status_code(status) == HTP_CODE_USAGE);
        htp_status_free(status);
    }
}

UNIT_TEST(arrays_without_names_go_by_position)
{
    struct zip zip = {.size = 0};
    const char *const *texts = NULL;
    size_t count = 0;
    zip_add(&zip, "arr_0.npy", 0, HEADER("<i8", "(2,)"), 16);
    zip_add(&zip, "arr_1.npy", 0, HEADER("|b1", "(2,)"), 2);
    zip_end(&zip);
    expect_ok(list(arena, zip.bytes, zip.size, &texts, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(texts[0], ":int64[2]");
    ck_assert_str_eq(texts[1], ":bool[2]");
}

UNIT_TEST(wrong_members)
{
    static const struct {
        const char *name;
        unsigned method;
        const char *words;
    } wrong[] = {
        {"ids.npy", 8, "ids.npy: compressed; save the arrays with numpy.savez()"},
        {"ids.txt", 0, "not an array"},
        {".npy", 0, "not an array"},
        {"ids:@x.npy", 0, "not named as an argument is"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct zip zip = {.size = 0};
        const char *const *texts = NULL;
        size_t count = 0;
        zip_add(&zip, wrong[i].name, wrong[i].method, HEADER("<i8", "(2,)"), 16);
        zip_end(&zip);
        expect_failure(list(arena, zip.bytes, zip.size, &texts, &count), HTP_CODE_USAGE,
                       wrong[i].words);
    }
}

UNIT_TEST(bytes_of_a_directory_changed)
{
    struct zip zip = {.size = 0};
    zip_add(&zip, "ids.npy", 0, HEADER("<i8", "(2, 8)"), 128);
    size_t begin = zip.size;
    zip_end(&zip);
    for (size_t place = begin; place < zip.size; place++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            const char *const *texts = NULL;
            size_t count = 0;
            zip.bytes[place] ^= (unsigned char)(1u << bit);
            htp_status_free(list(arena, zip.bytes, zip.size, &texts, &count));
            zip.bytes[place] ^= (unsigned char)(1u << bit);
        }
    }
}

UNIT_MAIN("npy", headers, wrong_headers, every_truncation, every_byte_changed,
          a_long_header_is_not_read, arrays_of_a_file, arrays_without_names_go_by_position,
          wrong_members, bytes_of_a_directory_changed)
