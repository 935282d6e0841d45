/*
 * Models and their data files: which names they have, which of them go, who may read them, and what
 * is left of runs that died.
 */
#include "writer_fixture.h"

#include "onnx/leftovers.h"
#include "onnx/permissions.h"
#include "onnx/publication.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <sys/xattr.h>

static onnx_fixture f;

enum { WEIGHT = 6 << 20, NOBODY = 65534 };

static const int64_t dims[] = {WEIGHT};
static const int64_t strides[] = {0};
static const unsigned char letters[] = "abcdefgh";

static void begin(htp_arena *arena)
{
    fixture_begin(&f, arena);
    scratch_make();
}

static const char *at(const char *name)
{
    return scratch_path(&f, name);
}

/* A weight of one letter, many times. */
static void build(onnx_fixture *fixture, int letter)
{
    fixture_build(fixture);
    set_view(fixture, 0, "w", HTP_DTYPE_UINT8, 1, dims, strides, 0, &letters[letter], 1);
    use_weight(fixture, 0);
}

/* Exports to m.onnx. @return the data file's name; NULL without one */
static const char *publish(int letter, htp_external_data external)
{
    build(&f, letter);
    htp_writer_result result = write_model(&f, NULL, at("m.onnx"), external);
    return result.external_path ? strrchr(result.external_path, '/') + 1 : NULL;
}

static bool exists(const char *name)
{
    struct stat facts;
    return lstat(at(name), &facts) == 0;
}

static void assert_data(const char *name, int letter)
{
    file_contents data = read_whole(&f, at(name));
    ck_assert_uint_eq(data.size, WEIGHT);
    ck_assert_uint_eq(data.bytes[0], letters[letter]);
    ck_assert_uint_eq(data.bytes[WEIGHT - 1], letters[letter]);
}

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

/* A file that the model does not refer to is nobody's. */
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

/* ---- models of others ---- */

static void append_bytes(uint8_t *to, size_t *used, unsigned field, const void *bytes, size_t count)
{
    ck_assert_uint_lt(count, 128);
    if (field >= 16) {
        to[(*used)++] = (uint8_t)((field << 3 | 2) & 0x7f) | 0x80;
        to[(*used)++] = (uint8_t)(field >> 4);
    } else {
        to[(*used)++] = (uint8_t)(field << 3 | 2);
    }
    to[(*used)++] = (uint8_t)count;
    memcpy(to + *used, bytes, count);
    *used += count;
}

/* Wraps bytes into one field after another, from the inside out. */
static size_t wrap(uint8_t *bytes, size_t count, const unsigned *fields)
{
    for (; *fields; fields++) {
        uint8_t outer[128];
        size_t used = 0;
        append_bytes(outer, &used, *fields, bytes, count);
        memcpy(bytes, outer, used);
        count = used;
    }
    return count;
}

/* A model whose only tensor lies in @p fields and refers to @p location. */
static void write_foreign(const char *producer, const char *location, const unsigned *fields)
{
    uint8_t bytes[128], model[256];
    size_t count = 0, used = 0;
    append_bytes(bytes, &count, 2, location, strlen(location)); /* before its key */
    append_bytes(bytes, &count, 1, "location", 8);
    count = wrap(bytes, count, fields);
    append_bytes(model, &used, 2, producer, strlen(producer));
    append_bytes(model, &used, 7, "", 0); /* a graph */
    memcpy(model + used, bytes, count);
    FILE *file = fopen(at("m.onnx"), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(model, 1, used + count, file), used + count);
    ck_assert_int_eq(fclose(file), 0);
    write_text(at("m.onnx.data"), "of the foreign model");
}

/* From the tensor's external data outwards to the model. */
static const unsigned of_initializer[] = {13, 5, 7, 0};
static const unsigned of_attribute[] = {13, 5, 5, 1, 7, 0};
static const unsigned of_attributes[] = {13, 10, 5, 1, 7, 0};
static const unsigned of_branch[] = {13, 5, 6, 5, 1, 7, 0};
static const unsigned of_branches[] = {13, 5, 11, 5, 1, 7, 0};
static const unsigned of_sparse[] = {13, 1, 15, 7, 0};
static const unsigned of_sparse_indices[] = {13, 2, 22, 5, 1, 7, 0};
static const unsigned of_sparse_list[] = {13, 1, 23, 5, 1, 7, 0};
static const unsigned of_function[] = {13, 5, 5, 7, 25, 0};
static const unsigned of_default[] = {13, 5, 11, 25, 0};
static const unsigned of_training[] = {13, 5, 1, 20, 0};
static const unsigned of_training_step[] = {13, 5, 2, 20, 0};

UNIT_TEST(a_foreign_model_keeps_its_data_until_it_is_replaced)
{
    static const unsigned *const places[] = {
        of_initializer,    of_attribute,   of_attributes, of_branch,  of_branches, of_sparse,
        of_sparse_indices, of_sparse_list, of_function,   of_default, of_training, of_training_step,
    };
    begin(arena);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        write_foreign("pytorch", i % 2 ? "./m.onnx.data" : "m.onnx.data", places[i]);
        ck_assert_str_eq(publish(0, HTP_EXTERNAL_ALWAYS), "m.onnx.1.data");
        assert_text(&f, at("m.onnx.data"), "of the foreign model"); /* not ours to remove */
        ck_assert_uint_eq(scratch_clear(), 3);
    }
    write_foreign("htp-trace", "m.onnx.data", of_initializer);
    (void)publish(0, HTP_EXTERNAL_NEVER);
    ck_assert_uint_eq(scratch_clear(), 1);
    scratch_remove();
}

/* What our model refers to is only ours to remove where it has our name. */
UNIT_TEST(other_files_stay)
{
    static const char *const locations[] = {"x.onnx.data",    "m.onnx.data.bak", "m.onnx.01.data",
                                            "m.onnx.64.data", "m.onnx.-1.data",  "m.onnx..data",
                                            "m.onnx.1x.data", "m.onnx.+1.data"};
    begin(arena);
    for (size_t i = 0; i < sizeof(locations) / sizeof(locations[0]); i++) {
        write_foreign("htp-trace", locations[i], of_initializer);
        write_text(at(locations[i]), "other");
        (void)publish(0, HTP_EXTERNAL_NEVER);
        assert_text(&f, at(locations[i]), "other");
        ck_assert_uint_eq(scratch_clear(), 3);
    }
    scratch_remove();
}

UNIT_TEST(damaged_models_refer_to_nothing)
{
    htp_external_use use;
    begin(arena);
    (void)publish(0, HTP_EXTERNAL_ALWAYS);
    file_contents model = read_whole(&f, at("m.onnx"));
    htp_external_find_use(at("m.onnx"), &use);
    ck_assert(use.is_ours && !use.is_unknown && use.numbers == 1);
    for (size_t size = 0; size < model.size; size++) { /* none of them may hang or crash */
        ck_assert_int_eq(truncate(at("m.onnx"), (off_t)size), 0);
        htp_external_find_use(at("m.onnx"), &use);
        ck_assert(!use.is_unknown);
        write_text(at("m.onnx"), "");
        FILE *file = fopen(at("m.onnx"), "wb");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fwrite(model.bytes, 1, model.size, file), model.size);
        ck_assert_int_eq(fclose(file), 0);
    }
    htp_external_find_use(at("none.onnx"), &use);
    ck_assert(!use.is_ours && !use.is_unknown && use.numbers == 0);
    ck_assert_uint_eq(scratch_clear(), 2);
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

    open_pair(&model, &data); /* the same, and nothing was there */
    ck_assert_int_eq(mkdir(at("m.onnx"), 0700), 0);
    commit_fails(&model, &data, "m.onnx'");
    ck_assert_int_eq(rmdir(at("m.onnx")), 0);
    ck_assert_uint_eq(scratch_clear(), 0);

    write_text(at("m.onnx"), "old model");
    write_text(at("m.onnx.data"), "old data");
    open_pair(&model, &data);
    htp_draft_write_abandon(); /* no file is left to be renamed */
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
    htp_draft_write_abandon();
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
    htp_draft_write_abandon(); /* what is complete stays */
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

/* ---- what dead runs left ---- */

static const char *const dead[] = {".htp-trace-1-0.tmp", ".htp-trace-4194304-17.tmp",
                                   ".htp-trace-0-0.tmp"};
static const char *const foreign[] = {
    ".htp-trace-1-0.tmp2", "x.htp-trace-1-0.tmp", ".htp-trace-1-.tmp", ".htp-trace--1.tmp",
    ".htp-trace-1.tmp",    ".htp-trace-a-1.tmp",  ".htp-trace-1-0",    "htp-trace-1-0.tmp",
};

enum { DEAD = sizeof(dead) / sizeof(dead[0]), FOREIGN = sizeof(foreign) / sizeof(foreign[0]) };

UNIT_TEST(temporary_files_of_dead_runs_go)
{
    begin(arena);
    for (size_t i = 0; i < DEAD; i++) {
        write_text(at(dead[i]), "left");
    }
    for (size_t i = 0; i < FOREIGN; i++) {
        write_text(at(foreign[i]), "foreign");
    }
    (void)publish(0, HTP_EXTERNAL_AUTO);
    for (size_t i = 0; i < FOREIGN; i++) {
        assert_text(&f, at(foreign[i]), "foreign");
    }
    ck_assert_uint_eq(scratch_clear(), 1 + FOREIGN);
    scratch_remove();
}

UNIT_TEST(files_of_runs_that_live_stay)
{
    begin(arena);
    write_text(at(dead[0]), "alive");
    int fd = open(at(dead[0]), O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    (void)publish(0, HTP_EXTERNAL_AUTO);
    assert_text(&f, at(dead[0]), "alive");
    ck_assert_int_eq(close(fd), 0);
    (void)publish(0, HTP_EXTERNAL_AUTO);
    ck_assert_uint_eq(scratch_clear(), 1);
    scratch_remove();
}

/* Of the name of a temporary file, but none. */
UNIT_TEST(what_is_no_temporary_file_stays)
{
    begin(arena);
    write_text(at("victim"), "untouched");
    ck_assert_int_eq(symlink("victim", at(".htp-trace-1-0.tmp")), 0);
    ck_assert_int_eq(symlink("nothing", at(".htp-trace-1-1.tmp")), 0);
    ck_assert_int_eq(mkdir(at(".htp-trace-1-2.tmp"), 0700), 0);
    ck_assert_int_eq(mkfifo(at(".htp-trace-1-3.tmp"), 0600), 0);
    size_t expected = 6;
    if (geteuid() == 0) {
        write_text(at(".htp-trace-1-4.tmp"), "another user's");
        ck_assert_int_eq(chown(at(".htp-trace-1-4.tmp"), NOBODY, NOBODY), 0);
        expected++;
    }
    (void)publish(0, HTP_EXTERNAL_AUTO);
    assert_text(&f, at("victim"), "untouched");
    ck_assert_int_eq(rmdir(at(".htp-trace-1-2.tmp")), 0);
    ck_assert_uint_eq(scratch_clear(), expected - 1);
    scratch_remove();
}

/* As a run leaves it that dies between its steps. */
static void write_journal(const char *const *names, size_t count)
{
    static htp_journal journal;
    journal.used = 0;
    for (size_t i = 0; i < count; i++) {
        htp_journal_add(&journal, at(names[i]), -1);
    }
    int fd = open(at(".htp-trace-0-0.tmp"), O_RDWR | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(htp_journal_write(&journal, fd), 0);
    ck_assert_int_eq(close(fd), 0);
}

UNIT_TEST(data_files_of_dead_runs_go_unless_they_are_needed)
{
    static const char *const names[] = {"m.onnx.data", "m.onnx.1.data", "gone.onnx.data",
                                        "notes.txt",   "replaced.data", "link.data"};
    begin(arena);
    ck_assert_str_eq(publish(0, HTP_EXTERNAL_ALWAYS), "m.onnx.data"); /* needed */
    write_text(at("m.onnx.1.data"), "of no model");
    write_text(at("gone.onnx.data"), "of no model");
    write_text(at("notes.txt"), "no data file");
    write_text(at("replaced.data"), "the old one");
    ck_assert_int_eq(symlink("notes.txt", at("link.data")), 0);
    write_journal(names, sizeof(names) / sizeof(names[0]));
    write_text(at("other"), "the new one");
    ck_assert_int_eq(rename(at("other"), at("replaced.data")), 0);
    write_text(at("x.data"), "not written down");
    htp_leftovers_remove(at("other.onnx"), geteuid());
    assert_data("m.onnx.data", 0);
    assert_text(&f, at("notes.txt"), "no data file");
    assert_text(&f, at("replaced.data"), "the new one");
    assert_text(&f, at("x.data"), "not written down");
    ck_assert(exists("link.data"));
    ck_assert_uint_eq(scratch_clear(), 6);
    scratch_remove();
}

/* Whatever its bytes are, and whoever wrote it. */
UNIT_TEST(strange_journals_do_nothing)
{
    static const char strange[] = "1 m.onnx.data\0"
                                  "x\0"
                                  "\0"
                                  " \0"
                                  "7\0"
                                  "7 \0"
                                  "99999999999999999999999999 m.onnx.data\0"
                                  "1 ../m.onnx.data";
    begin(arena);
    write_text(at("m.onnx.data"), "untouched");
    int fd = open(at(".htp-trace-0-0.tmp"), O_RDWR | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, strange, sizeof(strange) - 1), sizeof(strange) - 1);
    ck_assert_int_eq(close(fd), 0);
    htp_leftovers_remove(at("m.onnx"), geteuid());
    assert_text(&f, at("m.onnx.data"), "untouched");
    if (geteuid() == 0) {
        static const char *const names[] = {"m.onnx.data"};
        write_journal(names, 1);
        ck_assert_int_eq(chown(at(".htp-trace-0-0.tmp"), NOBODY, NOBODY), 0);
        (void)publish(0, HTP_EXTERNAL_NEVER);
        assert_text(&f, at("m.onnx.data"), "untouched");
    }
    (void)scratch_clear();
    scratch_remove();
}

/* The data file of m.1.onnx has the form of one of m. */
UNIT_TEST(a_data_file_may_be_that_of_two_models)
{
    begin(arena);
    write_foreign("htp-trace", "m.onnx.1.data", of_initializer);
    write_text(at("m.onnx.1.data"), "needed");
    ck_assert(!htp_external_is_unused(at(""), "m.onnx.1.data"));
    ck_assert_int_eq(rename(at("m.onnx"), at("m.onnx.1")), 0);
    ck_assert(!htp_external_is_unused(at(""), "m.onnx.1.data"));
    ck_assert_int_eq(unlink(at("m.onnx.1")), 0);
    ck_assert(htp_external_is_unused(at(""), "m.onnx.1.data"));
    ck_assert(!htp_external_is_unused(at(""), "m.onnx.1.text"));
    ck_assert(!htp_external_is_unused(at(""), ".data"));
    (void)scratch_clear();
    scratch_remove();
}

/* ---- permissions ---- */

static struct stat facts_of(const char *name)
{
    struct stat facts;
    ck_assert_int_eq(stat(at(name), &facts), 0);
    return facts;
}

static unsigned mode_of(const char *name)
{
    return facts_of(name).st_mode & 07777;
}

UNIT_TEST(files_keep_their_modes)
{
    static const mode_t modes[] = {0600, 0640, 0644, 0664, 0666, 0755, 0620};
    begin(arena);
    mode_t before = umask(022);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        const char *data = publish(0, HTP_EXTERNAL_ALWAYS);
        ck_assert_uint_eq(mode_of("m.onnx"), 0644);
        ck_assert_uint_eq(mode_of(data), 0644);
        ck_assert_int_eq(chmod(at("m.onnx"), modes[i]), 0);
        ck_assert_int_eq(chmod(at(data), 0604), 0);
        data = publish(1, HTP_EXTERNAL_ALWAYS);
        ck_assert_uint_eq(mode_of("m.onnx"), modes[i]);
        ck_assert_uint_eq(mode_of(data), 0604);
        (void)publish(1, HTP_EXTERNAL_NEVER);
        ck_assert_uint_eq(mode_of("m.onnx"), modes[i]);
        data = publish(1, HTP_EXTERNAL_ALWAYS); /* that of the file which the weights were in */
        ck_assert_uint_eq(mode_of(data), modes[i]);
        (void)scratch_clear();
    }
    write_text(at("m.onnx.data"), "stale");
    ck_assert_int_eq(chmod(at("m.onnx.data"), 0600), 0);
    (void)publish(0, HTP_EXTERNAL_ALWAYS);
    ck_assert_uint_eq(mode_of("m.onnx"), 0644);
    ck_assert_uint_eq(mode_of("m.onnx.data"), 0600);
    (void)umask(before);
    (void)scratch_clear();
    scratch_remove();
}

UNIT_TEST(files_keep_their_owners)
{
    begin(arena);
    if (geteuid() == 0) {
        const char *data = publish(0, HTP_EXTERNAL_ALWAYS);
        ck_assert_int_eq(chown(at("m.onnx"), NOBODY, 7), 0);
        ck_assert_int_eq(chown(at(data), 8, NOBODY), 0);
        ck_assert_int_eq(chmod(at("m.onnx"), 0640), 0);
        data = publish(1, HTP_EXTERNAL_ALWAYS);
        ck_assert_uint_eq(facts_of("m.onnx").st_uid, NOBODY);
        ck_assert_uint_eq(facts_of("m.onnx").st_gid, 7);
        ck_assert_uint_eq(mode_of("m.onnx"), 0640);
        ck_assert_uint_eq(facts_of(data).st_uid, 8);
        ck_assert_uint_eq(facts_of(data).st_gid, NOBODY);
    }
    (void)scratch_clear();
    scratch_remove();
}

/* Who may not give a file to its group does not give it to another one. */
UNIT_TEST(another_group_gets_nothing)
{
    begin(arena);
    if (geteuid() == 0) {
        write_text(at("old"), "");
        ck_assert_int_eq(chown(at("old"), 7, 7), 0);
        ck_assert_int_eq(chmod(at("old"), 0664), 0);
        ck_assert_int_eq(chmod(scratch_folder, 0755), 0);
        int fd = open(at("new"), O_RDWR | O_CREAT, 0600);
        ck_assert_int_ge(fd, 0);
        ck_assert_int_eq(fchown(fd, NOBODY, NOBODY), 0);
        ck_assert_int_eq(seteuid(NOBODY), 0);
        htp_permissions_copy(at("old"), fd);
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_uint_eq(mode_of("new"), 0644);
        ck_assert_uint_eq(facts_of("new").st_uid, NOBODY);
        ck_assert_int_eq(close(fd), 0);
    }
    (void)scratch_clear();
    scratch_remove();
}

/* user::rw-, user:7:rw-, group::---, mask::rw-, other::---: as group bits the mask says more. */
UNIT_TEST(files_keep_their_access_lists)
{
    static const unsigned char list[] = {2,   0,   0,   0,   1,   0,   6,  0,   255, 255, 255,
                                         255, 2,   0,   6,   0,   7,   0,  0,   0,   4,   0,
                                         0,   0,   255, 255, 255, 255, 16, 0,   6,   0,   255,
                                         255, 255, 255, 32,  0,   0,   0,  255, 255, 255, 255};
    unsigned char found[sizeof(list) + 1];
    begin(arena);
    (void)publish(0, HTP_EXTERNAL_AUTO);
    if (setxattr(at("m.onnx"), "system.posix_acl_access", list, sizeof(list), 0) == 0) {
        (void)publish(1, HTP_EXTERNAL_AUTO);
        ck_assert_uint_eq(mode_of("m.onnx"), 0660);
        ssize_t bytes = getxattr(at("m.onnx"), "system.posix_acl_access", found, sizeof(found));
        ck_assert_int_eq(bytes, sizeof(list));
        ck_assert_mem_eq(found, list, sizeof(list));
    } else {
        ck_assert_int_eq(errno, ENOTSUP);
    }
    (void)scratch_clear();
    scratch_remove();
}

/* No file in the folder is more open than the one it becomes. */
static bool check_modes(void *user, const htp_progress *progress)
{
    DIR *folder = opendir(scratch_folder);
    (void)progress;
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        struct stat facts;
        ck_assert_int_eq(fstatat(dirfd(folder), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW), 0);
        if (S_ISREG(facts.st_mode)) {
            ck_assert_uint_eq(facts.st_mode & 0777 & ~*(const unsigned *)user, 0);
        }
    }
    (void)closedir(folder);
    return true;
}

UNIT_TEST(temporary_files_are_not_more_open)
{
    unsigned mode;
    begin(arena);
    mode_t before = umask(0);
    htp_writer_options options = {
        .external_data = HTP_EXTERNAL_ALWAYS, .progress = check_modes, .user = &mode};
    htp_writer_result result;
    for (int i = 0; i < 4; i++) {
        mode = i < 2 ? 0640 : 0600;
        const char *data = publish(2 * i, HTP_EXTERNAL_ALWAYS);
        ck_assert_int_eq(chmod(at("m.onnx"), mode), 0);
        ck_assert_int_eq(chmod(at(data), mode), 0);
        build(&f, 2 * i + 1);
        options.external_data = i % 2 ? HTP_EXTERNAL_NEVER : HTP_EXTERNAL_ALWAYS;
        ck_assert_ptr_null(htp_draft_write(f.model, NULL, at("m.onnx"), &options, &result));
        (void)scratch_clear();
    }
    (void)umask(before);
    scratch_remove();
}

/* ---- at the same time ---- */

enum { EXPORTERS = 3, ROUNDS = 6 };

static const char *shared_path;

/* With an arena of its own. */
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
        htp_status status = htp_draft_write(fixture.model, NULL, shared_path, &options, &result);
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
    ck_assert(use.is_ours);
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
          a_foreign_model_keeps_its_data_until_it_is_replaced, other_files_stay,
          damaged_models_refer_to_nothing, a_pair_is_published_whole_or_not,
          abandoned_files_are_removed, a_folder_that_vanishes_is_an_error,
          temporary_files_of_dead_runs_go, files_of_runs_that_live_stay,
          what_is_no_temporary_file_stays, data_files_of_dead_runs_go_unless_they_are_needed,
          strange_journals_do_nothing, a_data_file_may_be_that_of_two_models,
          files_keep_their_modes, files_keep_their_owners, another_group_gets_nothing,
          files_keep_their_access_lists, temporary_files_are_not_more_open, threads_take_turns,
          processes_take_turns)
