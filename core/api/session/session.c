#include "api/session/session.h"

#include "source/tracing/tracing.h"

#include <time.h>

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void htp_session_begin(htp_session *session, htp_stage stage)
{
    session->stage = stage;
    session->stage_start = now();
}

bool htp_session_progress(void *user, const htp_progress *progress)
{
    htp_session *session = user;
    if (!session->options.progress) {
        return true;
    }
    htp_progress timed = *progress;
    timed.seconds = now() - session->stage_start;
    return session->options.progress(session->options.user, &timed);
}

htp_status htp_session_end(htp_session *session, uint64_t done, const char *label)
{
    session->stage_seconds[session->stage] = now() - session->stage_start;
    const htp_progress progress = {
        .stage = session->stage, .finished = true, .done = done, .total = done, .label = label};
    return htp_session_progress(session, &progress)
               ? HTP_OK
               : htp_status_make(HTP_CODE_INTERRUPTED, "interrupted");
}

static void say(htp_session *session, const char *format, va_list arguments)
{
    const char *line = htp_arena_vprintf(&session->arena, format, arguments);
    HTP_PUSH(&session->arena, &session->notes, line);
    if (session->options.note) {
        session->options.note(session->options.user, line);
    }
}

void htp_session_note(htp_session *session, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(session, format, arguments);
    va_end(arguments);
}

void htp_session_detail(htp_session *session, const char *format, ...)
{
    if (!session->options.details) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    say(session, format, arguments);
    va_end(arguments);
}

const char *htp_session_describe_input(htp_session *session, uint32_t index)
{
    return htp_inputs_describe(&session->arena, &session->inputs, index);
}

/* Inputs that nobody gave. */
static void note_inputs(htp_session *session)
{
    static const char *const verbs[] = {
        [HTP_INPUTS_ARCHIVE] = "taken from the archive",
        [HTP_INPUTS_DERIVED] = "assumed",
    };
    if (session->inputs_origin == HTP_INPUTS_GIVEN) {
        return;
    }
    for (uint32_t i = 0; i < session->inputs.count; i++) {
        const char *input = htp_session_describe_input(session, i);
        if (input) {
            htp_session_note(session, "%s --input %s", verbs[session->inputs_origin], input);
            continue;
        }
        const htp_input_path *path = &session->inputs.paths[i];
        if (path->depth > 0 || !session->source.arguments[path->argument].has_default) {
            htp_session_note(session, "%s no %s: it is None", verbs[session->inputs_origin],
                             path->text);
        }
    }
}

void htp_session_note_inputs(htp_session *session)
{
    note_inputs(session);
    const char *sizes = htp_inputs_declared_sizes(&session->arena, &session->inputs);
    if (sizes) {
        htp_session_note(session, "the program takes %s", sizes);
    }
    if (session->inputs.failure_when_small) {
        long long largest = session->inputs.largest_failing;
        htp_session_note(session, "the dynamic axes are for sizes from %lld on; at %lld, %s",
                         largest + 1, largest, session->inputs.failure_when_small);
    }
}

htp_status htp_session_find_hints(htp_session *session)
{
    if (session->are_hints_found) {
        return HTP_OK;
    }
    HTP_TRY(htp_source_find_hints(&session->source, &session->hints, &session->hint_count));
    session->are_hints_found = true;
    return HTP_OK;
}

htp_status htp_session_trace_inputs(htp_session *session, htp_shape_conflict *conflict)
{
    return htp_graph_trace(&session->source, &session->inputs, session->options.freeze_state,
                           conflict, htp_session_progress, session, &session->arena,
                           &session->graph);
}

void htp_session_close(htp_session *session)
{
    bool leaves_memory = session->options.leaves_memory;
    htp_source_close(&session->source, leaves_memory);
    if (!leaves_memory) {
        htp_arena_free(&session->arena);
    }
}
