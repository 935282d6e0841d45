/*
 * The program with faults on purpose: tests/support/started.c runs it, and calls of the core and
 * the shim fail on order. Its first two arguments are report=FILE, to which each fault adds a line
 * (report.h), and the order:
 *
 *   fault=list               no fault; each place adds a line
 *   fault=once:ERROR:PLACE   the call at that place fails with that errno
 *   fault=from:ERROR:PLACE   and so does every later one of its kind
 *   fault=half:0:PLACE       the write at that place writes half of its bytes
 *   fault=at:... fault=after:...  something happens to the run: acts.h
 *   fault=limit:0:BYTES      no file may grow beyond that size; nothing is reported
 *
 * A file that is renamed before it is on disk adds a line, too: "unsynced" (synced.h); so does, if
 * no fault is ordered, a rename that is not on disk when the next step or the end of the process
 * comes.
 *
 * The programs "enter-sandbox MODEL..." and "host ..." are those of entering.h and hosting.h.
 *
 * A place of an allocation is a hash of the return addresses on the stack, so that a loop is one
 * place; a place of a call that reads or changes files is its number in its process, and 2^32 for
 * each process before it. Allocations of libraries count if the core or the shim called these:
 * protobuf-c, cJSON, the C library. libtorch's own do not, since they are beyond the shim.
 */
/* Libraries call these functions, too. */
#pragma GCC visibility push(default)

#include "acts.h"
#include "callers.h"
#include "entering.h"
#include "hosting.h"
#include "report.h"
#include "synced.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    MAX_PLACES = 1 << 17, /* a power of two */
    PROCESS_BITS = 32,    /* of a place, from which on it is the number of its process */
};

/* core/cli/main.c, under another name. */
int htp_faulty_main(int argc, char **argv);
int htp_trace_main(int argc, char **argv);

enum mode { NO_FAULT, LIST, ONCE, FROM, HALF, ACT };

static enum mode mode;
static int error_wanted;
static uint64_t place_wanted;
static const char *kind_failed; /* of calls, since the fault; NULL before it */
static uint64_t calls_made;     /* of this process; and 2^32 for each before it */
static uint32_t forks_made;
static uint64_t places_seen[MAX_PLACES];

/* ---- places ---- */

/* @return false if it was there already */
static bool add_place(uint64_t place)
{
    uint64_t i = place;
    while (places_seen[i % MAX_PLACES] != 0) {
        if (places_seen[i++ % MAX_PLACES] == place) {
            return false;
        }
    }
    places_seen[i % MAX_PLACES] = place;
    return true;
}

/* @return whether the call at a place fails. @param kind  of calls that "from" makes fail */
static bool does_fail(uint64_t place, const char *kind, const htp_callers *stack)
{
    const bool is_first = !kind_failed && place == place_wanted;
    if (is_first && mode != HALF) {
        htp_report_add(place, kind, stack);
    }
    if (is_first) {
        kind_failed = kind;
    }
    return is_first || (mode == FROM && kind_failed && strcmp(kind_failed, kind) == 0);
}

/* ---- allocations ---- */

#ifdef HTP_SANITIZED
#define REAL(name) __interceptor_##name
#else
#define REAL(name) __libc_##name
#endif

void *REAL(malloc)(size_t bytes);
void *REAL(calloc)(size_t count, size_t bytes);
void *REAL(realloc)(void *memory, size_t bytes);

static bool is_allocation_refused(const char *call, const void *caller)
{
    htp_callers stack;
    if (mode == NO_FAULT || mode == ACT || !htp_callers_find(caller, &stack)) {
        return false;
    }
    const uint64_t place = htp_callers_hash(&stack);
    if (mode == LIST) {
        if (add_place(place)) {
            htp_report_add(place, call, &stack);
        }
        return false;
    }
    if (!does_fail(place, "allocation", &stack)) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return is_allocation_refused("malloc", __builtin_return_address(0)) ? NULL
                                                                        : REAL(malloc)(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return is_allocation_refused("calloc", __builtin_return_address(0))
               ? NULL
               : REAL(calloc)(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return is_allocation_refused("realloc", __builtin_return_address(0))
               ? NULL
               : REAL(realloc)(memory, bytes);
}

/* C++'s operators new and new[]. */
void *htp_faulty_new(size_t bytes) __asm__("_Znwm");
void *htp_faulty_new_array(size_t bytes) __asm__("_Znam");
_Noreturn void htp_faulty_throw(void) __asm__("_ZSt17__throw_bad_allocv");

static void *make_new(size_t bytes, const void *caller)
{
    void *made = is_allocation_refused("new", caller) ? NULL : REAL(malloc)(bytes > 0 ? bytes : 1);
    if (!made) {
        htp_faulty_throw();
    }
    return made;
}

void *htp_faulty_new(size_t bytes)
{
    return make_new(bytes, __builtin_return_address(0));
}

void *htp_faulty_new_array(size_t bytes)
{
    return make_new(bytes, __builtin_return_address(0));
}

/* ---- calls that read or change files ---- */

/* @return whether this call fails; errno is set */
static bool is_call_refused(const char *call, const void *caller)
{
    if (mode == NO_FAULT || !htp_callers_are_ours(caller)) {
        return false;
    }
    const uint64_t place = ++calls_made;
    if (mode == LIST) {
        htp_report_add(place, call, NULL);
        return false;
    }
    if (mode == ACT) {
        htp_acts_before(place);
        return false;
    }
    if (!does_fail(place, call, NULL) || mode == HALF) {
        return false;
    }
    errno = error_wanted;
    return true;
}

/* Half of the bytes if the latest call is to do half of its work; a single byte has no half. */
static size_t part_of(size_t bytes)
{
    if (mode != HALF || calls_made != place_wanted) {
        return bytes;
    }
    htp_report_add(place_wanted, "half", NULL);
    return bytes < 2 ? bytes : bytes / 2;
}

static void *next_of(const char *call)
{
    return dlsym(RTLD_NEXT, call);
}

/* @param failed  what the call returns on failure */
#define HOOK_AS(type, failed, name, parameters, arguments)                                         \
    type name parameters                                                                           \
    {                                                                                              \
        type(*next) parameters;                                                                    \
        *(void **)&next = next_of(#name);                                                          \
        return is_call_refused(#name, __builtin_return_address(0)) ? (failed) : next arguments;    \
    }

#define HOOK(type, name, parameters, arguments) HOOK_AS(type, -1, name, parameters, arguments)

/* A call that changes the file open as @p output. */
#define HOOK_OUTPUT(type, output, name, parameters, arguments)                                     \
    type name parameters                                                                           \
    {                                                                                              \
        type(*next) parameters;                                                                    \
        *(void **)&next = next_of(#name);                                                          \
        if (is_call_refused(#name, __builtin_return_address(0))) {                                 \
            return -1;                                                                             \
        }                                                                                          \
        if (mode != NO_FAULT) {                                                                    \
            htp_synced_change(output);                                                             \
        }                                                                                          \
        return next arguments;                                                                     \
    }

/* A call after which a file is on disk. */
#define HOOK_SYNC(name)                                                                            \
    int name(int file)                                                                             \
    {                                                                                              \
        int (*next)(int);                                                                          \
        *(void **)&next = next_of(#name);                                                          \
        const bool is_done =                                                                       \
            !is_call_refused(#name, __builtin_return_address(0)) && next(file) == 0;               \
        if (is_done) {                                                                             \
            htp_synced_done(file);                                                                 \
        }                                                                                          \
        return is_done ? 0 : -1;                                                                   \
    }

HOOK(ssize_t, read, (int file, void *into, size_t bytes), (file, into, bytes))
HOOK(ssize_t, pread, (int file, void *into, size_t bytes, off_t at), (file, into, bytes, at))
HOOK(ssize_t, __pread_chk, (int file, void *into, size_t bytes, off_t at, size_t size),
     (file, into, bytes, at, size))
HOOK(int, fstat, (int file, struct stat *facts), (file, facts))
HOOK(int, stat, (const char *path, struct stat *facts), (path, facts))
HOOK_AS(FILE *, NULL, fopen, (const char *path, const char *how), (path, how))
HOOK_AS(size_t, 0, fread, (void *into, size_t bytes, size_t count, FILE *file),
        (into, bytes, count, file))
HOOK(int, fseeko, (FILE * file, off_t at, int from), (file, at, from))
HOOK(int, fclose, (FILE * file), (file))

/* Of a file: right behind it, the file is mapped and nothing of it read. */
void *mmap(void *address, size_t bytes, int access, int flags, int file, off_t offset)
{
    const void *caller = __builtin_return_address(0);
    if (htp_callers_are_ours(caller) && is_allocation_refused("mmap", caller)) {
        return MAP_FAILED;
    }
    void *mapped = (void *)syscall(SYS_mmap, address, bytes, access, flags, file, offset);
    (void)(file >= 0 && is_call_refused("mapped", caller));
    return mapped;
}

HOOK_OUTPUT(ssize_t, file, write, (int file, const void *from, size_t bytes),
            (file, from, part_of(bytes)))
HOOK_OUTPUT(ssize_t, file, pwrite, (int file, const void *from, size_t bytes, off_t at),
            (file, from, part_of(bytes), at))
HOOK_OUTPUT(ssize_t, file, writev, (int file, const struct iovec *parts, int count),
            (file, parts, count))
HOOK_OUTPUT(ssize_t, out, copy_file_range,
            (int in, off_t *in_at, int out, off_t *out_at, size_t bytes, unsigned int flags),
            (in, in_at, out, out_at, part_of(bytes), flags))
HOOK_OUTPUT(ssize_t, out, sendfile, (int out, int in, off_t *at, size_t bytes),
            (out, in, at, part_of(bytes)))
HOOK_OUTPUT(int, file, ftruncate, (int file, off_t bytes), (file, bytes))
HOOK_OUTPUT(int, file, fallocate, (int file, int flags, off_t at, off_t bytes),
            (file, flags, at, bytes))
HOOK(int, msync, (void *memory, size_t bytes, int flags), (memory, bytes, flags))
HOOK(int, sync_file_range, (int file, off_t at, off_t bytes, unsigned int flags),
     (file, at, bytes, flags))
HOOK(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
HOOK(int, renameat2, (int a, const char *from, int b, const char *to, unsigned int flags),
     (a, from, b, to, flags))
HOOK(int, link, (const char *from, const char *to), (from, to))
HOOK(int, linkat, (int a, const char *from, int b, const char *to, int flags),
     (a, from, b, to, flags))
HOOK(int, unlinkat, (int folder, const char *name, int flags), (folder, name, flags))
HOOK(int, flock, (int file, int operation), (file, operation))
HOOK(int, fchmod, (int file, mode_t rights), (file, rights))
HOOK(int, memfd_create, (const char *name, unsigned int flags), (name, flags))

HOOK_SYNC(fsync)
HOOK_SYNC(fdatasync)

/* With a fault, names may be taken back before they are on disk. */
static void expect_on_disk(bool are_names)
{
    if (mode == LIST && !are_names) {
        htp_report_add(calls_made, "unsynced", NULL);
    }
}

/* The result of a call that gives a file or folder its name, which then waits for its folder. */
static int note_name(int failed, const char *path)
{
    if (failed == 0 && mode != NO_FAULT) {
        htp_synced_name(path);
    }
    return failed;
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    *(void **)&next = next_of("rename");
    if (is_call_refused("rename", __builtin_return_address(0))) {
        return -1;
    }
    if (mode != NO_FAULT && !htp_synced_is(from)) {
        htp_report_add(calls_made, "unsynced", NULL);
    }
    expect_on_disk(htp_synced_are_names(to));
    return note_name(next(from, to), to);
}

int mkdir(const char *path, mode_t rights)
{
    int (*next)(const char *, mode_t);
    *(void **)&next = next_of("mkdir");
    if (is_call_refused("mkdir", __builtin_return_address(0))) {
        return -1;
    }
    return note_name(next(path, rights), path);
}

int unlink(const char *path)
{
    int (*next)(const char *);
    *(void **)&next = next_of("unlink");
    if (is_call_refused("unlink", __builtin_return_address(0))) {
        return -1;
    }
    expect_on_disk(htp_synced_are_names(path));
    return next(path);
}

/* Also behind exit(): htp_trace_main(). */
static void end_process(void)
{
    expect_on_disk(htp_synced_are_all_names());
}

void _exit(int code)
{
    end_process();
    for (;;) {
        (void)syscall(SYS_exit_group, code);
    }
}

/* The file is closed in any case, as Linux does. */
int close(int file)
{
    const bool is_refused = is_call_refused("close", __builtin_return_address(0));
    const int error = errno;
    const long done = syscall(SYS_close, file);
    if (is_refused) {
        errno = error;
    }
    return is_refused ? -1 : (int)done;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t rights = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    const char *call = (flags & O_ACCMODE) == O_RDONLY ? "open_to_read" : "open";
    return is_call_refused(call, __builtin_return_address(0))
               ? -1
               : (int)syscall(SYS_openat, AT_FDCWD, path, flags, rights);
}

/* The program works on models in a process of its own. */
pid_t fork(void)
{
    pid_t (*next)(void);
    *(void **)&next = next_of("fork");
    const uint32_t number = ++forks_made;
    const pid_t process = next();
    if (process == 0) {
        calls_made = ((calls_made >> PROCESS_BITS) + number) << PROCESS_BITS;
        forks_made = 0;
    }
    return process;
}

/* ---- orders ---- */

static bool take_order(const char *order)
{
    static const struct {
        const char *word;
        enum mode mode;
    } modes[] = {{"once", ONCE}, {"from", FROM}, {"half", HALF}};
    char word[8] = "";
    unsigned long long place = 0;
    if (strcmp(order, "list") == 0) {
        mode = LIST;
        return true;
    }
    if (htp_acts_take(order)) {
        mode = ACT;
        return true;
    }
    if (sscanf(order, "limit:0:%llu", &place) == 1) {
        const struct rlimit limit = {place, place};
        return setrlimit(RLIMIT_FSIZE, &limit) == 0;
    }
    if (sscanf(order, "%4[a-z]:%d:%llx", word, &error_wanted, &place) != 3) {
        return false;
    }
    place_wanted = place;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        mode = strcmp(word, modes[i].word) == 0 ? modes[i].mode : mode;
    }
    return mode != NO_FAULT;
}

int htp_trace_main(int argc, char **argv)
{
    static const char report[] = "report=";
    static const char fault[] = "fault=";
    enum { ORDERS = 2 };
    if (argc <= ORDERS || strncmp(argv[1], report, strlen(report)) != 0) {
        return htp_faulty_main(argc, argv);
    }
    htp_callers_init();
    calls_made = 0; /* those of the process that starts the runs are none of this one's */
    forks_made = 0;
    const bool is_taken = htp_report_open(argv[1] + strlen(report)) &&
                          strncmp(argv[2], fault, strlen(fault)) == 0 &&
                          take_order(argv[2] + strlen(fault));
    for (int i = 1; i + ORDERS <= argc; i++) {
        argv[i] = argv[i + ORDERS];
    }
    if (!is_taken || atexit(end_process) != 0) {
        return EXIT_FAILURE;
    }
    const int count = argc - ORDERS;
    const char *program = count > 1 ? argv[1] : "";
    return strcmp(program, "enter-sandbox") == 0 ? htp_entering_run(count - 2, argv + 2)
           : strcmp(program, "host") == 0        ? htp_hosting_run(count - 2, argv + 2)
                                                 : htp_faulty_main(count, argv);
}
