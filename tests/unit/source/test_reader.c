/*
 * The reader's entry point with fake formats, such as a zip file of one member.
 */
#include "source/reader.h"
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

/* A zip archive with one empty, uncompressed member. */
static void write_zip(const char *path, const char *member)
{
    unsigned char header[30] = {'P', 'K', 3, 4, 20};
    unsigned char entry[46] = {'P', 'K', 1, 2, 20, 0, 20};
    unsigned char end[22] = {'P', 'K', 5, 6, [8] = 1, [10] = 1};
    unsigned char length = (unsigned char)strlen(member);
    header[26] = entry[28] = length;
    end[12] = (unsigned char)(sizeof(entry) + length);
    end[16] = (unsigned char)(sizeof(header) + length);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(header, sizeof(header), 1, file), 1);
    ck_assert_uint_eq(fwrite(member, length, 1, file), 1);
    ck_assert_uint_eq(fwrite(entry, sizeof(entry), 1, file), 1);
    ck_assert_uint_eq(fwrite(member, length, 1, file), 1);
    ck_assert_uint_eq(fwrite(end, sizeof(end), 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
}

/* ---- two formats ---- */

static bool has_data(const htp_archive *archive)
{
    return htp_archive_has(archive, "data.pkl");
}

static bool has_format(const htp_archive *archive)
{
    return htp_archive_has(archive, "archive_format");
}

static unsigned closed;

static htp_status open_module(htp_source *source, const htp_source_options *options)
{
    static const htp_instance root = {.name = "", .path = "", .qualified_class = "Net"};
    (void)options;
    htp_archive_close(&source->archive);
    source->modules = &root;
    source->module_count = 1;
    return HTP_OK;
}

static htp_status refuse(htp_source *source, const htp_source_options *options)
{
    (void)source;
    (void)options;
    return htp_status_make(HTP_CODE_BAD_INPUT, "not today");
}

static htp_status find_no_inputs(htp_source *source, const htp_input **inputs, uint32_t *count)
{
    (void)source;
    (void)inputs;
    (void)count;
    return htp_status_make(HTP_CODE_BAD_INPUT, "no inputs");
}

static void count_closed(htp_source *source)
{
    (void)source;
    closed++;
}

static const htp_reader of_data = {
    .name = "data", .detect = has_data, .open = refuse, .close = count_closed};
static const htp_reader of_formats = {.name = "formats",
                                      .detect = has_format,
                                      .open = open_module,
                                      .find_inputs = find_no_inputs,
                                      .close = count_closed};
static const htp_reader *const readers[] = {&of_data, &of_formats, NULL};

static char path[64];

static void begin(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/htp-test-reader-XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    (void)close(file);
    closed = 0;
}

static void end(void)
{
    (void)unlink(path);
}

static htp_status open_file(htp_arena *arena, htp_source *source)
{
    const htp_source_options options = {.library_count = 0};
    return htp_source_open(source, arena, path, readers, &options);
}

UNIT_TEST(the_row_that_knows_a_file_opens_it)
{
    htp_source source = {.reader = NULL};
    write_zip(path, "net/archive_format");
    expect_ok(open_file(arena, &source));
    ck_assert_ptr_eq(source.reader, &of_formats);
    ck_assert_uint_eq(source.module_count, 1);
    ck_assert_ptr_null(source.archive.file);
    htp_source_close(&source, true);
    ck_assert_uint_eq(closed, 0);
    htp_source_close(&source, false);
    htp_source_close(&source, false);
    ck_assert_uint_eq(closed, 1);
}

UNIT_TEST(what_cannot_be_opened_is_closed)
{
    htp_source source = {.reader = NULL};
    write_zip(path, "data.pkl");
    expect_failure(open_file(arena, &source), HTP_CODE_BAD_INPUT, "not today");
    ck_assert_ptr_eq(source.reader, &of_data);
    htp_source_close(&source, false);
    ck_assert_ptr_null(source.archive.file);
    ck_assert_uint_eq(closed, 1);
}

UNIT_TEST(what_no_row_knows_is_refused)
{
    htp_source source = {.reader = NULL};
    write_zip(path, "net/other");
    expect_failure(open_file(arena, &source), HTP_CODE_BAD_INPUT, "a zip archive, but not");
    ck_assert_ptr_null(source.reader);
    htp_source_close(&source, false);
    ck_assert_ptr_null(source.archive.file);
    ck_assert_uint_eq(closed, 0);
}

UNIT_TEST(what_a_row_does_not_do_is_none)
{
    htp_source source = {.reader = &of_formats, .path = "m.pt2"};
    const htp_hint *hints = NULL;
    uint32_t count = 1;
    htp_source_calls calls;
    htp_watch watch = {.label = "nodes"};
    expect_ok(htp_source_find_hints(&source, &hints, &count));
    ck_assert_uint_eq(count, 0);
    expect_failure(htp_source_find_calls(&source, arena, &watch, &calls), HTP_CODE_UNSUPPORTED,
                   "m.pt2: its calls cannot be followed");
}

UNIT_TEST(failures_name_the_file)
{
    htp_source source = {.reader = &of_formats, .path = "m.pt2"};
    const htp_input *inputs = NULL;
    uint32_t count = 1;
    expect_failure(htp_source_find_inputs(&source, &inputs, &count), HTP_CODE_BAD_INPUT,
                   "m.pt2: no inputs");
    ck_assert_uint_eq(count, 0);
}

UNIT_MAIN_WITH("reader", begin, end, the_row_that_knows_a_file_opens_it,
               what_cannot_be_opened_is_closed, what_no_row_knows_is_refused,
               what_a_row_does_not_do_is_none, failures_name_the_file)
