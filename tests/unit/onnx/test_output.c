/*
 * Output files: complete or not at all, whatever goes wrong.
 */
#include "output_fixture.h"

#include <signal.h>
#include <sys/resource.h>

enum { NOBODY = 65534 };

/* Runs without permission to rename in /dev, where a defect would replace the device by a file. */
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
    write_fails(&f, "/dev/null", HTP_EXTERNAL_ALWAYS, HTP_CODE_USAGE, "both must be files");
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
    as_nobody(write_to_full); /* found when the buffer is flushed */
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

/* A file size limit simulates a full disk: the space is refused beforehand. */
UNIT_TEST(an_old_pair_survives_a_full_disk)
{
    struct rlimit before, limited;
    begin(arena);
    write_old_pair();
    use_large_weight();
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
    assert_old_pair();
    end();
}

static void write_huge_to_null(void)
{
    write_fails(&f, "/dev/null", HTP_EXTERNAL_AUTO, HTP_CODE_USAGE, "both must be files");
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
    htp_writer_options options = {
        .external_data = HTP_EXTERNAL_ALWAYS, .progress = log_progress, .user = &log};
    htp_writer_result result;
    ck_assert_ptr_null(htp_builder_write(f.model, NULL, model_path(), &options, &result));
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
    htp_writer_options options = {
        .external_data = external, .progress = log_progress, .user = &log};
    htp_writer_result result;
    htp_status status = htp_builder_write(f.model, NULL, model_path(), &options, &result);
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

UNIT_TEST(a_dangling_link_is_followed)
{
    struct stat facts;
    begin(arena);
    const char *link_path = scratch_path(&f, "link.onnx");
    ck_assert_int_eq(symlink("m.onnx", link_path), 0);
    htp_writer_result result = write_model(&f, NULL, link_path, HTP_EXTERNAL_AUTO);
    ck_assert_int_eq(lstat(link_path, &facts), 0);
    ck_assert(S_ISLNK(facts.st_mode));
    ck_assert_uint_eq(read_whole(&f, model_path()).size, result.model_bytes);
    ck_assert_uint_eq(scratch_clear(), 2);
    ck_assert_int_eq(symlink("link.onnx", link_path), 0);
    write_fails(&f, link_path, HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE, "symbolic links");
    ck_assert_int_eq(unlink(link_path), 0);
    ck_assert_int_eq(symlink("none/m.onnx", link_path), 0);
    write_fails(&f, link_path, HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE, "No such file");
    ck_assert_uint_eq(scratch_clear(), 1);
    end();
}

/* Like /dev/stdout whose file was unlinked. */
UNIT_TEST(a_file_without_a_name_is_written_directly)
{
    begin(arena);
    int fd = open(model_path(), O_RDWR | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(unlink(model_path()), 0);
    const char *path = htp_arena_printf(arena, "/proc/self/fd/%d", fd);
    htp_writer_result result = write_model(&f, NULL, path, HTP_EXTERNAL_AUTO);
    ck_assert_uint_eq((uint64_t)lseek(fd, 0, SEEK_END), result.model_bytes);
    ck_assert_int_eq(close(fd), 0);
    ck_assert_uint_eq(scratch_clear(), 0);
    end();
}

/* These signals are not ignored here and would end the process; a pending one stays pending. */
UNIT_TEST(signals_of_writes_become_failures)
{
    struct rlimit before, limited;
    sigset_t waiting, pipe_signal;
    begin(arena);
    use_large_weight();
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limited = before;
    limited.rlim_cur = 1 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limited), 0);
    write_fails(&f, model_path(), HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE, "File too large");
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);

    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(close(ends[0]), 0);
    const char *path = htp_arena_printf(arena, "/proc/self/fd/%d", ends[1]);
    write_fails(&f, path, HTP_EXTERNAL_AUTO, HTP_CODE_CANNOT_WRITE, "/proc/self/fd/");

    ck_assert_int_eq(sigemptyset(&pipe_signal), 0);
    ck_assert_int_eq(sigaddset(&pipe_signal, SIGPIPE), 0);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &pipe_signal, NULL), 0);
    ck_assert_int_eq(raise(SIGPIPE), 0);
    (void)write_model(&f, NULL, model_path(), HTP_EXTERNAL_AUTO);
    ck_assert_int_eq(sigpending(&waiting), 0);
    ck_assert_int_eq(sigismember(&waiting, SIGPIPE), 1);
    int taken;
    ck_assert_int_eq(sigwait(&pipe_signal, &taken), 0);
    ck_assert_int_eq(pthread_sigmask(SIG_UNBLOCK, &pipe_signal, NULL), 0);
    ck_assert_int_eq(close(ends[1]), 0);
    end();
}

UNIT_MAIN("output", devices_are_written_directly, a_full_device_is_an_error,
          paths_that_cannot_be_written, an_old_pair_survives_a_bad_weight,
          an_old_pair_survives_a_full_disk, a_model_over_two_gibibytes_needs_a_second_file,
          weights_that_no_file_can_hold, progress_is_told, an_old_pair_survives_an_interruption,
          an_old_pair_is_replaced, mapped_pages_that_were_dropped_come_back,
          files_get_the_mode_of_the_umask, a_symbolic_link_stays_one, a_dangling_link_is_followed,
          a_file_without_a_name_is_written_directly, signals_of_writes_become_failures)
