/*
 * The program for the tests, started once, since opening libtorch takes longer than most runs. It
 * opens the shim and then runs the program's main() for each request, in a process forked from this
 * one. Used by tests/support/started.py.
 *
 * A request on standard input, a socket: its length as uint32_t, and that many bytes: the working
 * folder of the run and its arguments, each terminated by NUL. Two file descriptors come with it,
 * for standard output and standard error. The answers are int32_t: the process, and at its end its
 * status from waitpid().
 */
#include <htp/htp.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 4096, STREAMS = 2 };

/* core/cli/main.c, under another name. */
int htp_trace_main(int argc, char **argv);

typedef struct request {
    uint32_t bytes;
    char *text;
    int streams[STREAMS];
} request;

/* Receives the length, together with the streams. @return false after the last request */
static bool receive_head(request *r)
{
    char control[CMSG_SPACE(sizeof(r->streams))];
    struct iovec data = {.iov_base = &r->bytes, .iov_len = sizeof(r->bytes)};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    if (recvmsg(STDIN_FILENO, &message, MSG_WAITALL) != (ssize_t)sizeof(r->bytes)) {
        return false;
    }
    const struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    if (!first || first->cmsg_type != SCM_RIGHTS) {
        return false;
    }
    memcpy(r->streams, CMSG_DATA(first), sizeof(r->streams));
    return true;
}

static bool receive(request *r)
{
    if (!receive_head(r)) {
        return false;
    }
    r->text = malloc((size_t)r->bytes + 1);
    return r->text && recv(STDIN_FILENO, r->text, r->bytes, MSG_WAITALL) == (ssize_t)r->bytes;
}

static bool answer(int32_t number)
{
    return send(STDIN_FILENO, &number, sizeof(number), MSG_NOSIGNAL) == (ssize_t)sizeof(number);
}

_Noreturn static void run(const request *r)
{
    static char *arguments[MAX_ARGUMENTS + 1];
    int count = 0;
    const char *folder = r->text;
    for (char *text = r->text + strlen(folder) + 1;
         text < r->text + r->bytes && count < MAX_ARGUMENTS; text += strlen(text) + 1) {
        arguments[count++] = text;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(r->streams[0], STDOUT_FILENO) < 0 ||
        dup2(r->streams[1], STDERR_FILENO) < 0 || chdir(folder) != 0) {
        _exit(HTP_CODE_INTERNAL);
    }
    (void)close(nothing);
    (void)close(r->streams[0]);
    (void)close(r->streams[1]);
    exit(htp_trace_main(count, arguments));
}

/* Waits for a process, and for those that it leaves behind. @return false without its end */
static bool wait_for(pid_t process, int *state)
{
    int ignored = 0;
    while (waitpid(process, state, 0) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    while (waitpid(-1, &ignored, 0) > 0 || errno == EINTR) {
    }
    return true;
}

/* @return false if nobody listens any more */
static bool serve(request *r)
{
    const pid_t process = fork();
    if (process == 0) {
        run(r);
    }
    (void)close(r->streams[0]);
    (void)close(r->streams[1]);
    free(r->text);
    int state = 0;
    if (process < 0 || !answer((int32_t)process)) {
        return false;
    }
    return wait_for(process, &state) && answer(state);
}

int main(void)
{
    const char *version = NULL;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    htp_status_free(htp_libtorch_version(&version)); /* a failure is reported by the runs */
    request r;
    while (receive(&r)) {
        if (!serve(&r)) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
