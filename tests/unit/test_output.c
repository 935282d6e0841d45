/*
 * Output files: complete or not at all, whatever goes wrong.
 */
#include "writer_fixture.h"

#include "onnx/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

static onnx_fixture f;

enum { LARGE = 9 << 20 }; /* bytes; progress is told each 4 MiB */

static unsigned char *large;

static const int64_t large_dims[] = {LARGE};
static const int64_t one[] = {1};
static const int64_t zero[] = {0};

static void use_large_weight(void)
{
    set_view(&f, 0, "large", HTP_DTYPE_UINT8, 1, large_dims, one, 0, large, LARGE);
    use_weight(&f, 0);
}

/* 3 GiB of zeros in one byte. */
static void use_huge_weight(void)
{
    static const int64_t dims[] = {INT64_C(3) << 30};
    set_view(&f, 0, "huge", HTP_DTYPE_UINT8, 1, dims, zero, 0, large, 1);
    use_weight(&f, 0);
}

static const char *model_path(void)
{
    return scratch_path(&f, "m.onnx");
}

static const char *data_path(void)
{
    return scratch_path(&f, "m.onnx.data");
}

static void begin(htp_arena *arena)
{
    fixture_begin(&f, arena);
    scratch_make();
    large = htp_arena_alloc(arena, LARGE);
    for (size_t i = 0; i < LARGE; i++) {
        large[i] = (unsigned char)(i * 2654435761U >> 24);
    }
}

static void end(void)
{
    scratch_remove();
}

static void write_old_pair(void)
{
    write_text(model_path(), "old model");
    write_text(data_path(), "old data");
}

/* The old pair is there, and nothing else. */
static void assert_old_pair(void)
{
    assert_text(&f, model_path(), "old model");
    assert_text(&f, data_path(), "old data");
    ck_assert_uint_eq(scratch_clear(), 2);
}

enum { NOBODY = 65534 };

/* Who may rename in /dev must not try this: a defect would put a file in the device's place. */
static void as_nobody(void (*body)(void))
{
    uid_t user = geteuid();
    ck_assert(user != 0 || seteuid(NOBODY) == 0);
    ck_assert_int_ne(faccessat(AT_FDCWD, "/dev", W_OK, AT_EACCESS), 0);
    body();
    ck_assert(user != 0 || seteuid(user) == 0);
}

static void write_to_null(void)
{
    htp_writer_result result = write_model(&f, NULL, "/dev/null", HTP_EXTERNAL_AUTO);
    ck_assert_uint_gt(result.model_bytes, LARGE);
    write_fails(&f, "/dev/null", HTP_EXTERNAL_ALWAYS, HTP_CODE_CANNOT_WRITE, "both must be files");
}

UNIT_TEST(devices_are_written_directly)
{
    begin(arena);
    use_large_weight();
    as_nobody(write_to_null);
    end();
}

static void write_to_full(void)
{
    write_fails(&f, "/dev/full", HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE,
                "'/dev/full': No space left on device");
}

UNIT_TEST(a_full_device_is_an_error)
{
    begin(arena);
    as_nobody(write_to_full); /* found when the buffer is written */
    use_large_weight();
    as_nobody(write_to_full);
    end();
}

UNIT_TEST(paths_that_cannot_be_written)
{
    begin(arena);
    write_fails(&f, scratch_folder, HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE, "Is a directory");
    write_fails(&f, scratch_path(&f, "none/m.onnx"), HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE,
                "none/m.onnx': No such file or directory: create the folder first");
    write_text(model_path(), "old model");
    write_fails(&f, scratch_path(&f, "m.onnx/m.onnx"), HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE,
                "Not a directory");
    char name[5000];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    write_fails(&f, scratch_path(&f, name), HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE,
                "name too long");
    use_large_weight(); /* the name of the second file is longer */
    write_fails(&f, scratch_path(&f, name + sizeof(name) - 1 - 255), HTP_EXTERNAL_ALWAYS,
                HTP_CODE_CANNOT_WRITE, "name too long");
    ck_assert_uint_eq(scratch_clear(), 1);
    end();
}

UNIT_TEST(an_old_pair_survives_a_bad_weight)
{
    begin(arena);
    write_old_pair();
    use_large_weight();
    set_view(&f, 1, "damaged", HTP_DTYPE_UINT8, 1, large_dims, one, 1, large, LARGE);
    use_weight(&f, 1);
    write_fails(&f, model_path(), HTP_EXTERNAL_ALWAYS, HTP_CODE_BAD_INPUT, "'damaged'");
    assert_old_pair();
    end();
}

/* A limit on the size of files stands for a full disk: the space is refused beforehand. */
UNIT_TEST(an_old_pair_survives_a_full_disk)
{
    struct rlimit before, limited;
    begin(arena);
    write_old_pair();
    use_large_weight();
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limited = before;
    limited.rlim_cur = 1 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limited), 0);
    write_fails(&f, model_path(), HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE, "m.onnx'");
    write_fails(&f, model_path(), HTP_EXTERNAL_ALWAYS, HTP_CODE_CANNOT_WRITE, "m.onnx.data'");
    fixture_build(&f);
    use_huge_weight();
    write_fails(&f, model_path(), HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE, "m.onnx.data'");
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
    assert_old_pair();
    end();
}

static void write_huge_to_null(void)
{
    write_fails(&f, "/dev/null", HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE, "both must be files");
}

UNIT_TEST(a_model_over_two_gibibytes_needs_a_second_file)
{
    static const int64_t limit[] = {INT32_MAX - 100};
    begin(arena);
    use_huge_weight();
    write_fails(&f, model_path(), HTP_EXTERNAL_NEVER, HTP_CODE_CANNOT_WRITE,
                "an ONNX file may have 2147483647: allow weights in an external file");
    as_nobody(write_huge_to_null);
    fixture_build(&f);
    set_view(&f, 0, "below", HTP_DTYPE_UINT8, 1, limit, zero, 0, large, 1);
    use_weight(&f, 0); /* with its node the model is above */
    write_fails(&f, model_path(), HTP_EXTERNAL_NEVER, HTP_CODE_CANNOT_WRITE, "may have");
    ck_assert_uint_eq(scratch_clear(), 0);
    end();
}

UNIT_TEST(weights_that_no_file_can_hold)
{
    static const int64_t dims[] = {INT64_C(1) << 61};
    begin(arena);
    for (uint32_t i = 0; i < 4; i++) {
        set_view(&f, i, "expanded", HTP_DTYPE_UINT8, 1, dims, zero, 0, large, 1);
        use_weight(&f, i);
    }
    write_fails(&f, model_path(), HTP_EXTERNAL_AUTO, HTP_CODE_BAD_INPUT, "larger than any file");
    end();
}

typedef struct progress_log {
    int calls;
    int stop_at; /* this call asks to stop; 0: none */
    uint64_t done;
    uint64_t total;
} progress_log;

static bool log_progress(void *user, const htp_progress *progress)
{
    progress_log *log = user;
    log->calls++;
    ck_assert_int_eq(progress->stage, HTP_STAGE_WRITTEN);
    ck_assert(!progress->finished);
    ck_assert_str_eq(progress->label, "bytes");
    ck_assert_uint_gt(progress->done, log->done);
    ck_assert_uint_le(progress->done, progress->total);
    log->done = progress->done;
    log->total = progress->total;
    return log->calls != log->stop_at;
}

UNIT_TEST(progress_is_told)
{
    begin(arena);
    use_large_weight();
    progress_log log = {0};
    htp_writer_options options = {HTP_EXTERNAL_ALWAYS, log_progress, &log};
    htp_writer_result result;
    ck_assert_ptr_null(htp_model_write(f.model, NULL, model_path(), &options, &result));
    ck_assert_int_eq(log.calls, 2);
    ck_assert_uint_eq(log.total, result.model_bytes + result.external_bytes);
    ck_assert_uint_eq(result.external_bytes, LARGE);
    file_contents data = read_whole(&f, data_path());
    ck_assert_uint_eq(data.size, LARGE);
    ck_assert_mem_eq(data.bytes, large, LARGE);
    ck_assert_uint_eq(scratch_clear(), 2);
    end();
}

static void interrupt(htp_external_data external)
{
    write_old_pair();
    progress_log log = {.stop_at = 2};
    htp_writer_options options = {external, log_progress, &log};
    htp_writer_result result;
    htp_status status = htp_model_write(f.model, NULL, model_path(), &options, &result);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_INTERRUPTED);
    htp_status_free(status);
    ck_assert_int_eq(log.calls, 2);
    assert_old_pair();
}

UNIT_TEST(an_old_pair_survives_an_interruption)
{
    begin(arena);
    use_large_weight();
    interrupt(HTP_EXTERNAL_ALWAYS);
    interrupt(HTP_EXTERNAL_NEVER);
    end();
}

UNIT_TEST(an_old_pair_is_replaced)
{
    begin(arena);
    write_old_pair();
    use_large_weight();
    (void)write_model(&f, NULL, model_path(), HTP_EXTERNAL_ALWAYS);
    ck_assert_uint_eq(read_whole(&f, data_path()).size, LARGE);
    ck_assert_uint_eq(read_model(&f, model_path())->graph->n_initializer, 1);
    ck_assert_uint_eq(scratch_clear(), 2);
    end();
}

UNIT_TEST(mapped_pages_that_were_dropped_come_back)
{
    begin(arena);
    const char *archive = scratch_path(&f, "archive");
    int fd = open(archive, O_RDWR | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, large, LARGE), LARGE);
    void *mapped = mmap(NULL, LARGE, PROT_READ, MAP_PRIVATE, fd, 0);
    ck_assert_ptr_ne(mapped, MAP_FAILED);
    set_view(&f, 0, "mapped", HTP_DTYPE_UINT8, 1, large_dims, one, 0, mapped, LARGE);
    f.weights[0].is_mapped = true;
    use_weight(&f, 0);
    for (int i = 0; i < 2; i++) {
        (void)write_model(&f, NULL, model_path(), HTP_EXTERNAL_ALWAYS);
        ck_assert_mem_eq(read_whole(&f, data_path()).bytes, large, LARGE);
    }
    ck_assert_int_eq(munmap(mapped, LARGE), 0);
    ck_assert_int_eq(close(fd), 0);
    end();
}

UNIT_TEST(files_get_the_mode_of_the_umask)
{
    struct stat facts;
    begin(arena);
    mode_t before = umask(027);
    (void)write_model(&f, NULL, model_path(), HTP_EXTERNAL_AUTO);
    (void)umask(before);
    ck_assert_int_eq(stat(model_path(), &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 0777, 0640);
    end();
}

UNIT_TEST(a_symbolic_link_stays_one)
{
    struct stat facts;
    begin(arena);
    const char *link_path = scratch_path(&f, "link.onnx");
    write_text(model_path(), "old model");
    ck_assert_int_eq(symlink("m.onnx", link_path), 0);
    htp_writer_result result = write_model(&f, NULL, link_path, HTP_EXTERNAL_AUTO);
    ck_assert_int_eq(lstat(link_path, &facts), 0);
    ck_assert(S_ISLNK(facts.st_mode));
    ck_assert_uint_eq(read_whole(&f, model_path()).size, result.model_bytes);
    end();
}

/* Two finished files, ready to be published. */
static void open_pair(htp_output *output, htp_output *beside)
{
    ck_assert_ptr_null(htp_output_find(output, model_path()));
    ck_assert_ptr_null(htp_output_find(beside, data_path()));
    ck_assert_ptr_null(htp_output_open(output, 3));
    ck_assert_ptr_null(htp_output_open(beside, 4));
    htp_output_append(output, "new", 3);
    htp_output_append(beside, "data", 4);
    ck_assert_ptr_null(htp_output_finish(output));
    ck_assert_ptr_null(htp_output_finish(beside));
}

static void publish_fails(htp_output *output, htp_output *beside, const char *path)
{
    htp_status status = htp_output_publish(output, beside);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_CANNOT_WRITE);
    ck_assert_ptr_nonnull(strstr(htp_status_message(status), path));
    htp_status_free(status);
    htp_output_discard(output);
    htp_output_discard(beside);
}

UNIT_TEST(a_pair_is_published_whole_or_not)
{
    static htp_output output, beside;
    begin(arena);
    write_text(data_path(), "old data");
    open_pair(&output, &beside);
    ck_assert_int_eq(mkdir(model_path(), 0700), 0); /* the second rename fails */
    publish_fails(&output, &beside, "m.onnx'");
    ck_assert_int_eq(rmdir(model_path()), 0);
    assert_text(&f, data_path(), "old data");
    ck_assert_uint_eq(scratch_clear(), 1);

    open_pair(&output, &beside); /* the same, and nothing was there */
    ck_assert_int_eq(mkdir(model_path(), 0700), 0);
    publish_fails(&output, &beside, "m.onnx'");
    ck_assert_int_eq(rmdir(model_path()), 0);
    ck_assert_uint_eq(scratch_clear(), 0);

    write_old_pair();
    open_pair(&output, &beside);
    htp_model_write_abandon(); /* no file is left to be renamed */
    publish_fails(&output, &beside, "m.onnx.data'");
    assert_old_pair();
    end();
}

UNIT_TEST(abandoned_files_are_removed)
{
    static htp_output output, beside;
    begin(arena);
    open_pair(&output, &beside);
    htp_model_write_abandon();
    ck_assert_uint_eq(scratch_clear(), 0);
    htp_output_discard(&output);
    htp_output_discard(&beside);
    open_pair(&output, &beside);
    ck_assert_ptr_null(htp_output_publish(&output, &beside));
    htp_output_discard(&output);
    htp_output_discard(&beside);
    htp_model_write_abandon(); /* what is complete stays */
    assert_text(&f, model_path(), "new");
    assert_text(&f, data_path(), "data");
    ck_assert_uint_eq(scratch_clear(), 2);
    end();
}

UNIT_MAIN("output", devices_are_written_directly, a_full_device_is_an_error,
          paths_that_cannot_be_written, an_old_pair_survives_a_bad_weight,
          an_old_pair_survives_a_full_disk, a_model_over_two_gibibytes_needs_a_second_file,
          weights_that_no_file_can_hold, progress_is_told, an_old_pair_survives_an_interruption,
          an_old_pair_is_replaced, mapped_pages_that_were_dropped_come_back,
          files_get_the_mode_of_the_umask, a_symbolic_link_stays_one,
          a_pair_is_published_whole_or_not, abandoned_files_are_removed)
