#include "api/export/isolated.h"

#include "api/export/result.h"
#include "base/files/descriptor.h"
#include "onnx/files/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WAIT_MILLISECONDS = 50,
    MOST_TEXT = 1 << 28, /* bytes of one text, such as the JSON of a result */
};

/* What the child sends: a head, and `bytes` bytes of text. */
enum kind {
    SENT_PROGRESS,
    SENT_NOTE,
    SENT_STATUS, /* number[0]: the code; the last but details */
    SENT_DETAIL,
    SENT_JSON,
    SENT_TREE,
    SENT_EXTERNAL_PATH,
    SENT_END, /* number[0]: of nodes */
    SENT_KINDS,
};

struct head {
    uint32_t kind;
    uint32_t bytes;
    uint64_t number[4]; /* of progress: the stage, whether it is finished, done, total */
    double seconds;
};

/* ---- in the child ---- */

struct sender {
    int pipe;
    atomic_bool *is_stopped; /* in shared memory */
};

static void send_text(const struct sender *sender, struct head head, const char *text)
{
    head.bytes = text ? (uint32_t)strlen(text) : 0;
    if (!htp_descriptor_write_all(sender->pipe, &head, sizeof(head)) ||
        !htp_descriptor_write_all(sender->pipe, text ? text : "", head.bytes)) {
        _exit(HTP_CODE_INTERNAL); /* nobody listens */
    }
}

static bool send_progress(void *user, const htp_progress *progress)
{
    const struct sender *sender = user;
    const struct head head = {
        .kind = SENT_PROGRESS,
        .number = {(uint64_t)progress->stage, progress->finished, progress->done, progress->total},
        .seconds = progress->seconds};
    send_text(sender, head, progress->label);
    return !atomic_load(sender->is_stopped);
}

static void send_note(void *user, const char *line)
{
    send_text(user, (struct head){.kind = SENT_NOTE}, line);
}

static void send_status(const struct sender *sender, htp_status status)
{
    const struct head head = {.kind = SENT_STATUS, .number = {(uint64_t)htp_status_code(status)}};
    send_text(sender, head, htp_status_message(status));
    for (size_t i = 0; i < htp_status_detail_count(status); i++) {
        send_text(sender, (struct head){.kind = SENT_DETAIL}, htp_status_detail_line(status, i));
    }
}

static void send_result(const struct sender *sender, const htp_result *result)
{
    const struct head end = {.kind = SENT_END, .number = {htp_result_node_count(result)}};
    if (result) {
        send_text(sender, (struct head){.kind = SENT_JSON}, htp_result_json(result));
        send_text(sender, (struct head){.kind = SENT_TREE}, htp_result_tree(result));
        if (htp_result_external_path(result)) {
            send_text(sender, (struct head){.kind = SENT_EXTERNAL_PATH},
                      htp_result_external_path(result));
        }
    }
    send_text(sender, end, NULL);
}

/* The host's handlers know nothing of this process. */
static void reset_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        (void)signal(signals[i], SIG_DFL);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
}

struct task {
    const char *model_path;
    const char *onnx_path;
    const htp_options *options;
    htp_export_fn run;
};

_Noreturn static void work(const struct task *task, struct sender *sender)
{
    htp_result *result = NULL;
    htp_options options = *task->options;
    options.isolated = false;
    options.leaves_memory = true;
    options.progress = send_progress;
    options.note = send_note;
    options.user = sender;
    reset_signals();
    htp_status status = task->run(task->model_path, task->onnx_path, &options, &result);
    if (status) {
        send_status(sender, status);
    }
    send_result(sender, result);
    _exit(HTP_CODE_OK);
}

/* ---- in this process ---- */

struct receiver {
    const htp_options *options;
    int pipe;
    atomic_bool *is_stopped;
    htp_status status;
    char *json, *tree, *external_path; /* of the result */
    uint64_t node_count;
    bool is_complete;
    bool lacks_memory; /* for what it received */
};

static void pass_progress(const struct receiver *receiver, const struct head *head,
                          const char *label)
{
    const htp_progress progress = {.stage = (htp_stage)head->number[0],
                                   .finished = head->number[1] != 0,
                                   .done = head->number[2],
                                   .total = head->number[3],
                                   .seconds = head->seconds,
                                   .label = label};
    bool is_known = head->number[0] < HTP_STAGE_COUNT;
    if (is_known && receiver->options->progress &&
        !receiver->options->progress(receiver->options->user, &progress)) {
        atomic_store(receiver->is_stopped, true);
    }
}

static void take_status(struct receiver *receiver, uint64_t code, const char *message)
{
    bool is_known = code > HTP_CODE_OK && code <= HTP_CODE_INTERRUPTED;
    htp_status_free(receiver->status);
    receiver->status =
        htp_status_make(is_known ? (htp_code)code : HTP_CODE_INTERNAL, "%s", message);
}

static void keep(struct receiver *receiver, char **place, const char *text)
{
    free(*place);
    *place = strdup(text);
    receiver->lacks_memory = receiver->lacks_memory || !*place;
}

static void take(struct receiver *receiver, const struct head *head, const char *text)
{
    switch (head->kind) {
    case SENT_PROGRESS:
        pass_progress(receiver, head, text);
        break;
    case SENT_NOTE:
        if (receiver->options->note) {
            receiver->options->note(receiver->options->user, text);
        }
        break;
    case SENT_STATUS:
        take_status(receiver, head->number[0], text);
        break;
    case SENT_DETAIL:
        htp_status_add_detail(receiver->status, "%s", text);
        break;
    case SENT_END:
        receiver->node_count = head->number[0];
        receiver->is_complete = true;
        break;
    case SENT_JSON:
        keep(receiver, &receiver->json, text);
        break;
    case SENT_TREE:
        keep(receiver, &receiver->tree, text);
        break;
    default:
        keep(receiver, &receiver->external_path, text);
        break;
    }
}

/* @return false after the last message */
static bool receive(struct receiver *receiver)
{
    struct head head;
    if (!htp_descriptor_read_all(receiver->pipe, &head, sizeof(head)) || head.kind >= SENT_KINDS ||
        head.bytes > MOST_TEXT) {
        return false;
    }
    char *text = calloc(1, (size_t)head.bytes + 1);
    bool is_read = text && htp_descriptor_read_all(receiver->pipe, text, head.bytes);
    if (is_read) {
        take(receiver, &head, text);
    }
    free(text);
    receiver->lacks_memory = receiver->lacks_memory || !text;
    return is_read && !receiver->is_complete;
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Until the child has sent its last message. @return false if it takes too long */
static bool listen_to(struct receiver *receiver)
{
    int most = receiver->options->isolated_seconds;
    double end = now() + most;
    bool goes_on = true;
    bool is_late = false;
    while (goes_on && !is_late) {
        struct pollfd waits = {.fd = receiver->pipe, .events = POLLIN};
        goes_on = poll(&waits, 1, WAIT_MILLISECONDS) <= 0 || receive(receiver);
        is_late = goes_on && most > 0 && now() > end;
    }
    return !is_late;
}

/* The result or the status, once the child has ended. */
static htp_status judge(struct receiver *receiver, const struct task *task, bool is_in_time,
                        int state, htp_result **result)
{
    if (receiver->lacks_memory) {
        htp_status_free(receiver->status);
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", task->model_path);
    }
    if (!is_in_time) {
        htp_status_free(receiver->status);
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "%s: takes more than %d seconds; isolated_seconds of the options "
                               "raises this limit",
                               task->model_path, receiver->options->isolated_seconds);
    }
    if (!receiver->is_complete) {
        htp_status_free(receiver->status);
        return htp_status_make(HTP_CODE_INTERNAL, "%s: the process that exported it was ended (%s)",
                               task->model_path,
                               WIFSIGNALED(state) ? strsignal(WTERMSIG(state)) : "it exited");
    }
    if (receiver->status || !result) {
        return receiver->status;
    }
    htp_status status = htp_result_assemble(receiver->json, receiver->tree, receiver->external_path,
                                            receiver->node_count, result);
    receiver->json = receiver->tree = receiver->external_path = NULL;
    return status;
}

static htp_status attend(struct receiver *receiver, const struct task *task, pid_t child,
                         htp_result **result)
{
    int state = 0;
    bool is_in_time = listen_to(receiver);
    if (!receiver->is_complete) {
        (void)kill(child, SIGKILL);
    }
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    if (!receiver->is_complete && task->onnx_path) {
        htp_leftovers_remove(task->onnx_path, getuid());
    }
    htp_status status = judge(receiver, task, is_in_time, state, result);
    free(receiver->json);
    free(receiver->tree);
    free(receiver->external_path);
    return status;
}

static htp_status cannot_start(const char *model_path)
{
    return htp_status_make(HTP_CODE_INTERNAL, "%s: cannot start a process: %s", model_path,
                           strerror(errno));
}

htp_status htp_export_isolated(const char *model_path, const char *onnx_path,
                               const htp_options *options, htp_result **result, htp_export_fn run)
{
    const struct task task = {model_path, onnx_path, options, run};
    int ends[2] = {-1, -1};
    atomic_bool *is_stopped =
        mmap(NULL, sizeof(*is_stopped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (is_stopped == MAP_FAILED) {
        return cannot_start(model_path);
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        htp_status status = cannot_start(model_path);
        (void)munmap(is_stopped, sizeof(*is_stopped));
        return status;
    }
    atomic_store(is_stopped, false);
    pid_t child = fork();
    if (child == 0) {
        struct sender sender = {ends[1], is_stopped};
        (void)close(ends[0]);
        work(&task, &sender);
    }
    (void)close(ends[1]);
    struct receiver receiver = {.options = options, .pipe = ends[0], .is_stopped = is_stopped};
    htp_status status =
        child > 0 ? attend(&receiver, &task, child, result) : cannot_start(model_path);
    (void)close(ends[0]);
    (void)munmap(is_stopped, sizeof(*is_stopped));
    return status;
}
