#include "api/queries/graphviz.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[] = "dot";

enum { WAIT_MILLISECONDS = 50 };

/* The first line of the program's error message. */
struct words {
    char text[160];
    size_t length;
};

/* Resets signals in the child, whatever this process did with them. */
static int spawn(pid_t *process, int input, int output, int errors)
{
    static char svg[] = "-Tsvg";
    char *const arguments[] = {program, svg, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t all;
    sigset_t none;
    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        const int places[] = {input, output, errors};
        for (int i = 0; i < 3 && error == 0; i++) {
            error = posix_spawn_file_actions_adddup2(&files, places[i], i);
        }
        (void)posix_spawnattr_setsigdefault(&attributes, &all);
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        error =
            error ? error : posix_spawnp(process, program, &files, &attributes, arguments, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return error;
}

/* A running dot. */
struct running {
    int error; /* errno of its start; 0: it runs, or nobody started it */
    pid_t process;
    int input;  /* a socket, since writing to one whose reader is gone can be kept from raising a
                   signal */
    int output; /* a file in memory */
    int errors; /* a pipe */
};

static struct running started; /* by htp_graphviz_start() */
static bool is_started;

static void close_all(const int *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i] >= 0) {
            (void)close(files[i]);
        }
    }
}

static struct running start(void)
{
    struct running dot = {.error = 0};
    int input[2] = {-1, -1};
    int errors[2] = {-1, -1};
    dot.output = memfd_create("svg", MFD_CLOEXEC);
    bool is_ready = dot.output >= 0 &&
                    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) == 0 &&
                    pipe2(errors, O_CLOEXEC) == 0;
    dot.error = is_ready ? spawn(&dot.process, input[0], dot.output, errors[1]) : errno;
    dot.input = input[1];
    dot.errors = errors[0];
    const int theirs[] = {input[0], errors[1]};
    const int ours[] = {dot.input, dot.errors, dot.output};
    close_all(theirs, 2);
    if (dot.error != 0) {
        close_all(ours, 3);
    }
    return dot;
}

void htp_graphviz_start(void)
{
    if (!is_started) {
        started = start();
        is_started = true;
    }
}

/* The one that waits, or a new one. */
static struct running take(void)
{
    if (!is_started) {
        return start();
    }
    is_started = false;
    return started;
}

/* ---- the graph goes in, error messages come out ---- */

/* Sends the next part of the graph; at its end, or if dot takes no more, closes its input. */
static void feed(struct running *dot, int graph, off_t *at)
{
    char block[1 << 14];
    ssize_t got = pread(graph, block, sizeof(block), *at);
    ssize_t sent = got > 0 ? send(dot->input, block, (size_t)got, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
    if (sent > 0) {
        *at += sent;
    } else if (got <= 0 || (errno != EAGAIN && errno != EINTR)) {
        (void)close(dot->input);
        dot->input = -1;
    }
}

/* Until dot closes its error output. @return false if it was told to stop */
static bool attend(struct running *dot, int graph, struct words *words, htp_progress_fn progress,
                   void *user)
{
    const htp_progress report = {.stage = HTP_STAGE_WRITTEN, .label = "bytes"};
    off_t at = 0;
    for (;;) {
        struct pollfd waits[] = {{.fd = dot->errors, .events = POLLIN},
                                 {.fd = dot->input, .events = POLLOUT}};
        int ready = poll(waits, 2, WAIT_MILLISECONDS);
        if (progress && !progress(user, &report)) {
            return false;
        }
        if (ready > 0 && waits[1].revents) {
            feed(dot, graph, &at);
        }
        if (ready <= 0 || !waits[0].revents) {
            continue;
        }
        char buffer[512];
        ssize_t got = read(dot->errors, buffer, sizeof(buffer));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return true;
        }
        for (ssize_t i = 0; i < got && words->length + 1 < sizeof(words->text); i++) {
            words->text[words->length++] = buffer[i];
        }
    }
}

static htp_status judge(int state, struct words *words)
{
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) {
        return HTP_OK;
    }
    words->text[strcspn(words->text, "\n")] = '\0';
    const char *reason = words->text;
    if (WIFSIGNALED(state)) {
        reason = strsignal(WTERMSIG(state));
    }
    return htp_status_make(HTP_CODE_INTERNAL,
                           "graphviz cannot draw it (%s); draw less of it with --depth or "
                           "--module, or write it with --format dot",
                           *reason ? reason : "it does not say why");
}

static htp_status cannot_run(int error)
{
    return htp_status_make(HTP_CODE_INTERNAL,
                           "cannot run graphviz's program '%s', which draws SVG: %s; install "
                           "graphviz, or pass --format dot",
                           program, strerror(error));
}

/* Where posix_spawn() cannot see that no program was found, as below valgrind, its child ends with
 * this code. */
static bool was_missing(int state)
{
    enum { NOT_FOUND = 127 };
    return WIFEXITED(state) && WEXITSTATUS(state) == NOT_FOUND;
}

htp_status htp_graphviz_draw(int graph, int *svg, htp_progress_fn progress, void *user)
{
    struct words words = {{0}, 0};
    struct running dot = take();
    *svg = -1;
    if (dot.error != 0) {
        return cannot_run(dot.error);
    }
    *svg = dot.output;
    bool is_done = attend(&dot, graph, &words, progress, user);
    const int ends[] = {dot.input, dot.errors};
    close_all(ends, 2);
    if (!is_done) {
        (void)kill(dot.process, SIGKILL);
    }
    int state = 0;
    while (waitpid(dot.process, &state, 0) < 0 && errno == EINTR) {
    }
    if (was_missing(state)) {
        (void)close(dot.output);
        *svg = -1;
        return cannot_run(ENOENT);
    }
    return is_done ? judge(state, &words)
                   : htp_status_make(HTP_CODE_INTERRUPTED, "stopped while graphviz was drawing");
}
