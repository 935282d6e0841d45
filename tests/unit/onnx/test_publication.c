/*
 * Models and their data files: names, and publication of pairs.
 */
#include "publication_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

/* ---- names ---- */

UNIT_TEST(data_files_take_turns)
{
    begin(arena);
    ck_assert_str_eq(publish(0, HTP_EXTERNAL_ALWAYS), "m.onnx.data");
    ck_assert_str_eq(publish(1, HTP_EXTERNAL_ALWAYS), "m.onnx.1.data");
    assert_data("m.onnx.1.data", 1);
    ck_assert(!exists("m.onnx.data"));
    ck_assert_str_eq(publish(1, HTP_EXTERNAL_ALWAYS), "m.onnx.1.data"); /* the same again */
    ck_assert_str_eq(publish(2, HTP_EXTERNAL_ALWAYS), "m.onnx.data");
    assert_data("m.onnx.data", 2);
    ck_assert(!exists("m.onnx.1.data"));
    ck_assert_ptr_null(publish(2, HTP_EXTERNAL_NEVER));
    ck_assert_uint_eq(scratch_clear(), 1);
    scratch_remove();
}

/* A file without a model that refers to it is stale. */
UNIT_TEST(a_stale_data_file_is_replaced)
{
    begin(arena);
    write_text(at("m.onnx.data"), "stale");
    ck_assert_str_eq(publish(0, HTP_EXTERNAL_ALWAYS), "m.onnx.data");
    assert_data("m.onnx.data", 0);
    (void)publish(0, HTP_EXTERNAL_NEVER);
    write_text(at("m.onnx.data"), "stale");
    ck_assert_str_eq(publish(0, HTP_EXTERNAL_ALWAYS), "m.onnx.data");
    (void)publish(1, HTP_EXTERNAL_NEVER);
    write_text(at("m.onnx.data"), "stale");
    (void)publish(2, HTP_EXTERNAL_NEVER);
    assert_text(&f, at("m.onnx.data"), "stale"); /* it was not in the way */
    ck_assert_uint_eq(scratch_clear(), 2);
    scratch_remove();
}

UNIT_TEST(what_is_no_plain_file_is_not_in_the_way)
{
    begin(arena);
    ck_assert_int_eq(mkdir(at("m.onnx.data"), 0700), 0);
    write_text(at("target"), "untouched");
    ck_assert_int_eq(symlink("target", at("m.onnx.1.data")), 0);
    ck_assert_int_eq(symlink("nothing", at("m.onnx.2.data")), 0);
    ck_assert_str_eq(publish(0, HTP_EXTERNAL_ALWAYS), "m.onnx.3.data");
    assert_text(&f, at("target"), "untouched");
    ck_assert(!exists("nothing"));
    ck_assert_int_eq(rmdir(at("m.onnx.data")), 0);
    ck_assert_uint_eq(scratch_clear(), 5);
    scratch_remove();
}

UNIT_TEST(names_need_not_be_long_for_a_model_alone)
{
    char name[256];
    begin(arena);
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    build(&f, 0);
    (void)write_model(&f, NULL, at(name), HTP_EXTERNAL_AUTO);
    write_fails(&f, at(name), HTP_EXTERNAL_ALWAYS, HTP_CODE_CANNOT_WRITE, "name too long");
    ck_assert_uint_eq(scratch_clear(), 1);
    scratch_remove();
}

/* ---- failures ---- */

static void open_pair(htp_output *model, htp_output *data)
{
    ck_assert_ptr_null(htp_output_find(model, at("m.onnx")));
    ck_assert_ptr_null(htp_output_find_beside(data, model, at("m.onnx.data")));
    ck_assert_ptr_null(htp_output_open(model, 3));
    ck_assert_ptr_null(htp_output_open(data, 4));
    htp_output_append(model, "new", 3);
    htp_output_append(data, "data", 4);
    ck_assert_ptr_null(htp_output_finish(model));
    ck_assert_ptr_null(htp_output_finish(data));
}

static void commit_fails(htp_output *model, htp_output *data, const char *path)
{
    static htp_publication publication;
    htp_publication_begin(&publication, model, data);
    ck_assert_ptr_null(htp_publication_choose(&publication, model->path));
    htp_status status = htp_publication_commit(&publication);
    htp_publication_end(&publication);
    ck_assert_int_eq(htp_status_code(status), HTP_CODE_CANNOT_WRITE);
    ck_assert_ptr_nonnull(strstr(htp_status_message(status), path));
    htp_status_free(status);
    htp_output_discard(model);
    htp_output_discard(data);
}

UNIT_TEST(a_pair_is_published_whole_or_not)
{
    static htp_output model, data;
    begin(arena);
    write_text(at("m.onnx.data"), "old data");
    open_pair(&model, &data);
    ck_assert_int_eq(mkdir(at("m.onnx"), 0700), 0); /* the second rename fails */
    commit_fails(&model, &data, "m.onnx'");
    ck_assert_int_eq(rmdir(at("m.onnx")), 0);
    assert_text(&f, at("m.onnx.data"), "old data");
    ck_assert_uint_eq(scratch_clear(), 1);

    open_pair(&model, &data); /* the same without old files */
    ck_assert_int_eq(mkdir(at("m.onnx"), 0700), 0);
    commit_fails(&model, &data, "m.onnx'");
    ck_assert_int_eq(rmdir(at("m.onnx")), 0);
    ck_assert_uint_eq(scratch_clear(), 0);

    write_text(at("m.onnx"), "old model");
    write_text(at("m.onnx.data"), "old data");
    open_pair(&model, &data);
    htp_builder_write_abandon(); /* no file is left to rename */
    commit_fails(&model, &data, "m.onnx.data'");
    assert_text(&f, at("m.onnx"), "old model");
    assert_text(&f, at("m.onnx.data"), "old data");
    ck_assert_uint_eq(scratch_clear(), 2);
    scratch_remove();
}

UNIT_TEST(abandoned_files_are_removed)
{
    static htp_output model, data;
    static htp_publication publication;
    begin(arena);
    open_pair(&model, &data);
    htp_builder_write_abandon();
    ck_assert_uint_eq(scratch_clear(), 0);
    htp_output_discard(&model);
    htp_output_discard(&data);
    open_pair(&model, &data);
    htp_publication_begin(&publication, &model, &data);
    ck_assert_ptr_null(htp_publication_choose(&publication, model.path));
    ck_assert_ptr_null(htp_publication_commit(&publication));
    htp_publication_end(&publication);
    htp_output_discard(&model);
    htp_output_discard(&data);
    htp_builder_write_abandon(); /* complete files stay */
    assert_text(&f, at("m.onnx"), "new");
    assert_text(&f, at("m.onnx.data"), "data");
    ck_assert_uint_eq(scratch_clear(), 2);
    scratch_remove();
}

UNIT_TEST(a_folder_that_vanishes_is_an_error)
{
    static htp_output model, data;
    begin(arena);
    ck_assert_int_eq(mkdir(at("d"), 0700), 0);
    ck_assert_ptr_null(htp_output_find(&model, at("d/m.onnx")));
    ck_assert_ptr_null(htp_output_find_beside(&data, &model, at("d/m.onnx.data")));
    ck_assert_ptr_null(htp_output_open(&model, 3));
    ck_assert_ptr_null(htp_output_open(&data, 4));
    ck_assert_ptr_null(htp_output_finish(&model));
    ck_assert_ptr_null(htp_output_finish(&data));
    ck_assert_int_eq(unlink(htp_temporary_path(model.temporary)), 0);
    ck_assert_int_eq(unlink(htp_temporary_path(data.temporary)), 0);
    ck_assert_int_eq(rmdir(at("d")), 0);
    commit_fails(&model, &data, "No such file or directory");
    scratch_remove();
}

/* ---- at the same time ---- */

enum { EXPORTERS = 3, ROUNDS = 6 };

static const char *shared_path;

/* With a separate arena. */
static void publish_often(int first)
{
    htp_arena own;
    onnx_fixture fixture;
    htp_arena_init(&own);
    if (htp_arena_recover(&own)) {
        abort();
    }
    fixture_begin(&fixture, &own);
    for (int i = 0; i < ROUNDS; i++) {
        htp_writer_options options = {.external_data = (first + i) % 3 ? HTP_EXTERNAL_ALWAYS
                                                                       : HTP_EXTERNAL_NEVER};
        htp_writer_result result;
        build(&fixture, first + i % 2);
        htp_status status = htp_builder_write(fixture.model, NULL, shared_path, &options, &result);
        if (status) {
            (void)fprintf(stderr, "%s\n", htp_status_message(status));
            abort();
        }
    }
    htp_arena_free(&own);
}

static void *publish_in_thread(void *first)
{
    publish_often(*(const int *)first);
    return NULL;
}

/* One model, with its data file or without, and nothing else. */
static void assert_one_model(void)
{
    htp_external_use use;
    htp_external_find_use(at("m.onnx"), &use);
    ck_assert_str_eq(read_model(&f, at("m.onnx"))->producer_name, "htp-trace");
    ck_assert(use.is_ours || use.numbers == 0);
    ck_assert(use.numbers == 0 || use.numbers == 1 || use.numbers == 2);
    if (use.numbers) {
        ck_assert_uint_eq(facts_of(use.numbers == 1 ? "m.onnx.data" : "m.onnx.1.data").st_size,
                          WEIGHT);
    }
    ck_assert_uint_eq(scratch_clear(), use.numbers ? 2 : 1);
}

UNIT_TEST(threads_take_turns)
{
    pthread_t threads[EXPORTERS];
    int firsts[EXPORTERS];
    begin(arena);
    shared_path = at("m.onnx");
    for (int i = 0; i < EXPORTERS; i++) {
        firsts[i] = i * 2;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, publish_in_thread, &firsts[i]), 0);
    }
    for (int i = 0; i < EXPORTERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    }
    assert_one_model();
    scratch_remove();
}

UNIT_TEST(processes_take_turns)
{
    pid_t processes[EXPORTERS];
    begin(arena);
    shared_path = at("m.onnx");
    for (int i = 0; i < EXPORTERS; i++) {
        processes[i] = fork();
        ck_assert_int_ge(processes[i], 0);
        if (processes[i] == 0) {
            publish_often(i * 2);
            _exit(0);
        }
    }
    for (int i = 0; i < EXPORTERS; i++) {
        int state;
        ck_assert_int_eq(waitpid(processes[i], &state, 0), processes[i]);
        ck_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    }
    assert_one_model();
    scratch_remove();
}

UNIT_MAIN("publication", data_files_take_turns, a_stale_data_file_is_replaced,
          what_is_no_plain_file_is_not_in_the_way, names_need_not_be_long_for_a_model_alone,
          a_pair_is_published_whole_or_not, abandoned_files_are_removed,
          a_folder_that_vanishes_is_an_error, threads_take_turns, processes_take_turns)
