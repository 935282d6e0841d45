/*
 * A source that changes while its weights are written.
 */
#include "output_fixture.h"

static int source_fd;
static void *source_mapped;

static htp_input_file map_source(void)
{
    htp_input_file source;
    const char *path = scratch_path(&f, "archive");
    source_fd = open(path, O_RDWR | O_CREAT, 0600);
    ck_assert_int_ge(source_fd, 0);
    ck_assert_int_eq(write(source_fd, large, LARGE), LARGE);
    source_mapped = mmap(NULL, LARGE, PROT_READ, MAP_PRIVATE, source_fd, 0);
    ck_assert_ptr_ne(source_mapped, MAP_FAILED);
    ck_assert_ptr_null(htp_input_file_open(&source, path));
    return source;
}

static void unmap_source(htp_input_file *source)
{
    htp_input_file_close(source);
    ck_assert_int_eq(munmap(source_mapped, LARGE), 0);
    ck_assert_int_eq(close(source_fd), 0);
    ck_assert_int_eq(unlink(scratch_path(&f, "archive")), 0);
}

static bool cut_source(void *user, const htp_progress *progress)
{
    (void)user;
    (void)progress;
    ck_assert_int_eq(ftruncate(source_fd, 1 << 20), 0);
    return true;
}

static bool change_source(void *user, const htp_progress *progress)
{
    static const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    (void)user;
    (void)progress;
    ck_assert_int_eq(pwrite(source_fd, "changed", 7, LARGE - 7), 7);
    ck_assert_int_eq(futimens(source_fd, long_ago), 0); /* however coarse the clock is */
    return true;
}

static void source_fails(htp_progress_fn change, const int64_t *dims, const int64_t *strides,
                         uint32_t rank, const char *part)
{
    static const htp_external_data choices[] = {HTP_EXTERNAL_ALWAYS, HTP_EXTERNAL_NEVER};
    for (size_t i = 0; i < 2; i++) {
        htp_input_file source = map_source();
        fixture_build(&f);
        set_view(&f, 0, "mapped", HTP_DTYPE_UINT8, rank, dims, strides, 0, source_mapped, LARGE);
        f.weights[0].is_mapped = true;
        use_weight(&f, 0);
        write_old_pair();
        htp_writer_options options = {
            .external_data = choices[i], .progress = change, .source = &source};
        htp_writer_result result;
        htp_status status = htp_builder_write(f.model, NULL, model_path(), &options, &result);
        ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
        ck_assert_msg(strstr(htp_status_message(status), part) != NULL, "no '%s' in: %s", part,
                      htp_status_message(status));
        htp_status_free(status);
        unmap_source(&source);
        assert_old_pair();
    }
}

/* Both as stored in the file, and in an order that must be gathered. */
UNIT_TEST(a_source_that_is_cut_is_bad_input)
{
    static const int64_t columns[] = {1 << 10, 9 << 10};
    static const int64_t column_strides[] = {1, 1 << 10};
    begin(arena);
    source_fails(cut_source, large_dims, one, 1, "was cut short while it was read");
    source_fails(cut_source, columns, column_strides, 2, "was cut short while it was read");
    end();
}

UNIT_TEST(a_source_that_is_changed_is_bad_input)
{
    begin(arena);
    source_fails(change_source, large_dims, one, 1, "was changed while it was read");
    end();
}

/* There is no watch on it here. */
UNIT_TEST(bytes_that_are_gone_are_bad_input)
{
    begin(arena);
    htp_input_file source = map_source();
    set_view(&f, 0, "mapped", HTP_DTYPE_UINT8, 1, large_dims, one, 0, source_mapped, LARGE);
    f.weights[0].is_mapped = true;
    use_weight(&f, 0);
    ck_assert_int_eq(ftruncate(source_fd, 1 << 20), 0);
    write_fails(&f, model_path(), HTP_EXTERNAL_AUTO, HTP_CODE_BAD_INPUT, "cut short");
    unmap_source(&source);
    ck_assert_uint_eq(scratch_clear(), 0);
    end();
}

UNIT_TEST(a_source_that_is_replaced_is_no_change)
{
    begin(arena);
    const char *path = scratch_path(&f, "archive");
    const char *other = scratch_path(&f, "other");
    htp_input_file source = map_source();
    ck_assert_ptr_null(htp_input_file_check_path(&source, path));
    write_text(other, "another model");
    ck_assert_int_eq(rename(other, path), 0);
    ck_assert_ptr_null(htp_input_file_check(&source));
    htp_status status = htp_input_file_check_path(&source, path);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    htp_status_free(status);
    unmap_source(&source);
    status = htp_input_file_open(&source, path);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_BAD_INPUT);
    htp_status_free(status);
    htp_input_file_close(&source);
    end();
}

UNIT_MAIN("output_source", a_source_that_is_cut_is_bad_input, a_source_that_is_changed_is_bad_input,
          bytes_that_are_gone_are_bad_input, a_source_that_is_replaced_is_no_change)
