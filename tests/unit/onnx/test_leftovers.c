/*
 * Removal of other models' data files, and of leftovers of killed runs.
 */
#include "publication_fixture.h"

#include "onnx/files/folder.h"
#include "onnx/files/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

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

/* A model whose only tensor is nested in @p fields and refers to @p location. */
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

/* Our model's data file is only removed if it has our name. */
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
    for (size_t size = 0; size < model.size; size++) { /* no length may hang or crash */
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

/* ---- leftovers of dead runs ---- */

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

/* Files with the names of temporary files that are none. */
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

/* The journal of a run that died between its steps. */
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

/* Whatever its bytes or owner are. */
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

/* The name of m.1.onnx's data file has the form of m's. */
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

/* Makes folders beside those of other processes. @return whether each stays until it is published
 */
static bool make_folders(int process)
{
    enum { FOLDERS = 300 };
    bool are_made = true;
    for (int i = 0; i < FOLDERS && are_made; i++) {
        htp_folder folder;
        char path[PATH_MAX];
        char file[PATH_MAX];
        (void)snprintf(path, sizeof(path), "%s/%d-%d", at(""), process, i);
        htp_status status = htp_folder_begin(&folder, path);
        FILE *made = !status && htp_folder_file(&folder, "part", file) ? fopen(file, "wb") : NULL;
        are_made = made && fclose(made) == 0;
        if (!status) {
            htp_folder_discard(&folder);
        }
        htp_status_free(status);
    }
    return are_made;
}

/* Another run may see a folder between its creation and its lock. */
UNIT_TEST(new_folders_are_not_taken_for_those_of_dead_runs)
{
    enum { PROCESSES = 4 };
    pid_t children[PROCESSES];
    begin(arena);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            _exit(make_folders(i) ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int ended = 0;
        ck_assert_int_eq(waitpid(children[i], &ended, 0), children[i]);
        ck_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    }
    (void)scratch_clear();
    scratch_remove();
}

UNIT_MAIN("leftovers", a_foreign_model_keeps_its_data_until_it_is_replaced, other_files_stay,
          damaged_models_refer_to_nothing, temporary_files_of_dead_runs_go,
          files_of_runs_that_live_stay, what_is_no_temporary_file_stays,
          data_files_of_dead_runs_go_unless_they_are_needed, strange_journals_do_nothing,
          a_data_file_may_be_that_of_two_models, new_folders_are_not_taken_for_those_of_dead_runs)
