/*
 * An export killed between any two system calls: the model at the output is the complete old one or
 * the complete new one, with its weights, and the next export removes everything else.
 */
#include "writer_fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* After the headers of the C library, which define a part of it. */
#include <linux/ptrace.h>

static onnx_fixture f;

enum { WEIGHT = 2048, MAX_CALLS = 4096 };

static const int64_t weight_dims[] = {WEIGHT};
static const int64_t weight_strides[] = {1};
static unsigned char weights[2][WEIGHT];

static const char stale[] = "of another model";

/* A written model: its weights and where they are stored. */
typedef struct version {
    int weights;
    htp_external_data external;
} version;

static const version single_a = {0, HTP_EXTERNAL_NEVER};
static const version pair_a = {0, HTP_EXTERNAL_ALWAYS};
static const version single_b = {1, HTP_EXTERNAL_NEVER};
static const version pair_b = {1, HTP_EXTERNAL_ALWAYS};

typedef struct scenario {
    const char *name;
    const version *old; /* NULL: none */
    const version *new;
    const char *stale; /* a file that no model needs, or NULL */
} scenario;

static const scenario scenarios[] = {
    {"a pair where nothing was", NULL, &pair_b, NULL},
    {"a pair for a pair", &pair_a, &pair_b, NULL},
    {"the same pair again", &pair_a, &pair_a, NULL},
    {"a single file for a pair", &pair_a, &single_b, NULL},
    {"a pair for a single file", &single_a, &pair_b, NULL},
    {"a single file for another", &single_a, &single_b, NULL},
    {"a pair for a pair, over a stale file", &pair_a, &pair_b, "m.onnx.1.data"},
    {"a pair over a stale file", NULL, &pair_b, "m.onnx.data"},
};

static void begin(htp_arena *arena)
{
    fixture_begin(&f, arena);
    scratch_make_in(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"); /* faster than a disk */
    for (int i = 0; i < 2; i++) {
        memset(weights[i], 'a' + i, WEIGHT);
    }
}

static const char *model_path(void)
{
    return scratch_path(&f, "m.onnx");
}

static void build(const version *wanted)
{
    fixture_build(&f);
    set_view(&f, 0, "w", HTP_DTYPE_UINT8, 1, weight_dims, weight_strides, 0,
             weights[wanted->weights], WEIGHT);
    use_weight(&f, 0);
}

static void write_version(const version *wanted)
{
    build(wanted);
    (void)write_model(&f, NULL, model_path(), wanted->external);
}

static void set_up(const scenario *s)
{
    (void)scratch_clear();
    if (s->old) {
        write_version(s->old);
    }
    if (s->stale) {
        write_text(scratch_path(&f, s->stale), stale);
    }
}

/* A model and its weights on the disk. */
typedef struct whole {
    bool exists;
    file_contents model, data; /* empty if the weights are in the model */
} whole;

static const char *location_of(const Htp__Onnx__ModelProto *model)
{
    ck_assert_uint_eq(model->graph->n_initializer, 1);
    const Htp__Onnx__TensorProto *tensor = model->graph->initializer[0];
    for (size_t i = 0; i < tensor->n_external_data; i++) {
        if (strcmp(tensor->external_data[i]->key, "location") == 0) {
            return tensor->external_data[i]->value;
        }
    }
    return NULL;
}

/* onnx does not load a data file that has a second name. */
static file_contents read_named_once(const char *path)
{
    struct stat facts;
    ck_assert_int_eq(lstat(path, &facts), 0);
    ck_assert_uint_eq(facts.st_nlink, 1);
    return read_whole(&f, path);
}

static whole read_back(void)
{
    whole found = {.exists = access(model_path(), F_OK) == 0};
    if (found.exists) {
        found.model = read_whole(&f, model_path());
        const char *location = location_of(read_model(&f, model_path()));
        if (location) {
            found.data = read_named_once(scratch_path(&f, location));
        }
    }
    return found;
}

static bool are_contents_equal(const file_contents *a, const file_contents *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static bool are_equal(const whole *a, const whole *b)
{
    return a->exists == b->exists && are_contents_equal(&a->model, &b->model) &&
           are_contents_equal(&a->data, &b->data);
}

/* Only the model, its data file, and a stale file that was not touched. */
static void assert_nothing_else(const scenario *s)
{
    const char *location = location_of(read_model(&f, model_path()));
    size_t expected = location ? 2 : 1;
    if (s->stale && access(scratch_path(&f, s->stale), F_OK) == 0 &&
        (!location || strcmp(location, s->stale) != 0)) {
        assert_text(&f, scratch_path(&f, s->stale), stale);
        expected++;
    }
    ck_assert_uint_eq(scratch_clear(), expected);
}

/* ---- the process that is killed ---- */

static bool is_under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "vgpreload");
}

_Noreturn static void be_traced(const version *wanted)
{
    htp_writer_options options = {.external_data = wanted->external};
    htp_writer_result result;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0) {
        _exit(1);
    }
    _exit(htp_builder_write(f.model, NULL, model_path(), &options, &result) == HTP_OK ? 0 : 2);
}

static pid_t start(const version *wanted)
{
    int state;
    build(wanted);
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        be_traced(wanted);
    }
    ck_assert_int_eq(waitpid(process, &state, 0), process);
    ck_assert_msg(WIFSTOPPED(state), "a process cannot be traced here");
    ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, process, NULL,
                            (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD)),
                     0);
    return process;
}

/* Continues to the entry of a system call. @return its number; -1 if the process has ended */
static long next_call(pid_t process)
{
    for (;;) {
        int state;
        struct __ptrace_syscall_info call;
        ck_assert_int_eq(ptrace(PTRACE_SYSCALL, process, NULL, NULL), 0);
        ck_assert_int_eq(waitpid(process, &state, 0), process);
        if (WIFEXITED(state)) {
            ck_assert_int_eq(WEXITSTATUS(state), 0);
            return -1;
        }
        ck_assert_int_eq(WSTOPSIG(state), SIGTRAP | 0x80);
        ck_assert_int_gt(ptrace(PTRACE_GET_SYSCALL_INFO, process, (void *)sizeof(call), &call), 0);
        if (call.op == PTRACE_SYSCALL_INFO_ENTRY) {
            return (long)call.entry.nr;
        }
    }
}

/* Kills an export before its system call @p number. @return whether it came that far */
static bool kill_at(const version *wanted, int number)
{
    int state;
    pid_t process = start(wanted);
    for (int i = 0; i <= number; i++) {
        if (next_call(process) < 0) {
            return false;
        }
    }
    ck_assert_int_eq(kill(process, SIGKILL), 0);
    ck_assert_int_eq(waitpid(process, &state, 0), process);
    ck_assert(WIFSIGNALED(state));
    return true;
}

/* Kills exports before every system call; then @p next is exported. */
static void kill_everywhere(const scenario *s, const version *next)
{
    set_up(s);
    whole before = read_back();
    write_version(s->new);
    whole after = read_back();
    assert_nothing_else(s);
    bool was_old = false, was_new = false;
    int number = 0;
    for (bool is_killed = true; is_killed; number++) {
        ck_assert_int_lt(number, MAX_CALLS);
        set_up(s);
        is_killed = kill_at(s->new, number);
        whole found = read_back();
        bool is_old = are_equal(&found, &before), is_new = are_equal(&found, &after);
        ck_assert_msg(is_old || is_new, "%s: killed before call %d: neither of both", s->name,
                      number);
        was_old = was_old || is_old;
        was_new = was_new || is_new;
        write_version(next);
        assert_nothing_else(s);
    }
    ck_assert(was_old && was_new);
    ck_assert_int_gt(number, 20);
}

static void kill_scenario(size_t index)
{
    if (!is_under_valgrind()) { /* whose own system calls are thousands */
        kill_everywhere(&scenarios[index], &pair_b);
        kill_everywhere(&scenarios[index], &single_a);
    }
}

#define KILLED_TEST(name, index)                                                                   \
    UNIT_TEST(name)                                                                                \
    {                                                                                              \
        begin(arena);                                                                              \
        kill_scenario(index);                                                                      \
        scratch_remove();                                                                          \
    }

KILLED_TEST(a_pair_where_nothing_was, 0)
KILLED_TEST(a_pair_for_a_pair, 1)
KILLED_TEST(the_same_pair_again, 2)
KILLED_TEST(a_single_file_for_a_pair, 3)
KILLED_TEST(a_pair_for_a_single_file, 4)
KILLED_TEST(a_single_file_for_another, 5)
KILLED_TEST(a_pair_for_a_pair_over_a_stale_file, 6)
KILLED_TEST(a_pair_over_a_stale_file, 7)

/* ---- after a loss of power ---- */

/* A letter for each relevant system call. */
static char letter_of(long call)
{
    static const struct {
        long call;
        char letter;
    } letters[] = {
        {SYS_write, 'w'},     {SYS_pwrite64, 'w'}, {SYS_fsync, 's'},
        {SYS_renameat2, 'r'}, {SYS_unlinkat, 'u'},
#ifdef SYS_rename
        {SYS_rename, 'r'},
#endif
#ifdef SYS_unlink
        {SYS_unlink, 'u'},
#endif
    };
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
        if (letters[i].call == call) {
            return letters[i].letter;
        }
    }
    return '\0';
}

/* Both files are synced before the data file gets its name, the data file before the model does,
 * and the model before the old data file is removed. */
UNIT_TEST(names_come_behind_what_they_name)
{
    if (is_under_valgrind()) { /* ptrace fills it in, unknown to the checker */
        return;
    }
    char calls[MAX_CALLS];
    size_t count = 0;
    begin(arena);
    set_up(&scenarios[1]);
    pid_t process = start(&pair_b);
    for (long call = next_call(process); call >= 0; call = next_call(process)) {
        char letter = letter_of(call);
        ck_assert_uint_lt(count, MAX_CALLS - 1);
        if (letter && !(letter == 'w' && count > 0 && calls[count - 1] == 'w')) {
            calls[count++] = letter;
        }
    }
    calls[count] = '\0';
    /* data; model; both again for their permissions; the journal; the check of the data file's
     * name, which is free, and its rename; the folder; the model; the folder; the old data, and the
     * lock */
    const char *expected = "wswssswsrrsrsuu";
    ck_assert_str_eq(calls, expected);
    scratch_remove();
}

UNIT_MAIN("killed", a_pair_where_nothing_was, a_pair_for_a_pair, the_same_pair_again,
          a_single_file_for_a_pair, a_pair_for_a_single_file, a_single_file_for_another,
          a_pair_for_a_pair_over_a_stale_file, a_pair_over_a_stale_file,
          names_come_behind_what_they_name)
