#include "api/queries/graphviz.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
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

/* Reads error output until the end. @return false if it was told to stop */
static bool listen_to(int errors, struct words *words, htp_progress_fn progress, void *user)
{
    const htp_progress report = {.stage = HTP_STAGE_WRITTEN, .label = "bytes"};
    for (;;) {
        struct pollfd wait = {.fd = errors, .events = POLLIN};
        int ready = poll(&wait, 1, WAIT_MILLISECONDS);
        if (progress && !progress(user, &report)) {
            return false;
        }
        char buffer[512];
        ssize_t got = ready > 0 ? read(errors, buffer, sizeof(buffer)) : -1;
        if (got == 0 || (got < 0 && ready > 0 && errno != EINTR)) {
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

htp_status htp_graphviz_draw(int input, int output, htp_progress_fn progress, void *user)
{
    int ends[2];
    pid_t process = -1;
    if (lseek(input, 0, SEEK_SET) != 0 || pipe2(ends, O_CLOEXEC) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "cannot run graphviz: %s", strerror(errno));
    }
    int error = spawn(&process, input, output, ends[1]);
    (void)close(ends[1]);
    if (error != 0) {
        (void)close(ends[0]);
        return htp_status_make(HTP_CODE_INTERNAL,
                               "cannot run graphviz's program '%s', which draws SVG: %s; install "
                               "graphviz, or pass --format dot",
                               program, strerror(error));
    }
    struct words words = {{0}, 0};
    bool is_done = listen_to(ends[0], &words, progress, user);
    (void)close(ends[0]);
    if (!is_done) {
        (void)kill(process, SIGKILL);
    }
    int state = 0;
    while (waitpid(process, &state, 0) < 0 && errno == EINTR) {
    }
    return is_done ? judge(state, &words)
                   : htp_status_make(HTP_CODE_INTERRUPTED, "stopped while graphviz was drawing");
}
