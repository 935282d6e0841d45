#include "api/session.h"

#include "api/choose_inputs.h"
#include "api/choose_method.h"
#include "api/dynamic_axes.h"
#include "interpret/interpret.h"
#include "interpret/operators/message.h"
#include "source/arguments.h"
#include "source/contents.h"
#include "source/devices.h"
#include "source/modules.h"
#include "source/torchscript.h"

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
        if (path->depth > 0 || !session->arguments[path->argument].has_default) {
            htp_session_note(session, "%s no %s: it is None", verbs[session->inputs_origin],
                             path->text);
        }
    }
}

void htp_session_note_inputs(htp_session *session)
{
    note_inputs(session);
    if (session->inputs.failure_when_small) {
        long long largest = session->inputs.largest_failing;
        htp_session_note(session, "the dynamic axes are for sizes from %lld on; at %lld, %s",
                         largest + 1, largest, session->inputs.failure_when_small);
    }
}

static htp_status find_modules(htp_session *session)
{
    session->program = session->shim->program(session->model);
    HTP_TRY(
        htp_status_prefix(htp_modules_find(&session->arena, session->program, &session->instances),
                          session->model_path));
    session->modules = session->instances.modules.items;
    session->module_count = (uint32_t)session->instances.modules.count;
    return HTP_OK;
}

/* As eval() does; what was traced is the interpreter's business. */
static htp_status evaluate(htp_session *session)
{
    htp_shim_error error = {{0}};
    if (!session->options.eval) {
        return HTP_OK;
    }
    htp_shim_code code = session->shim->evaluate(session->model, &error);
    return htp_torchscript_status(session->model_path, code, &error);
}

htp_status htp_session_load(htp_session *session)
{
    htp_session_begin(session, HTP_STAGE_LOADED);
    HTP_TRY(htp_torchscript_check(&session->arena, session->model_path, &session->archive));
    HTP_TRY(htp_input_file_open(&session->file, session->model_path));
    HTP_TRY(htp_torchscript_shim(&session->shim));
    for (size_t i = 0; i < session->options.library_count; i++) {
        HTP_TRY(htp_torchscript_load_library(session->shim, session->options.libraries[i]));
    }
    HTP_TRY(htp_torchscript_open(session->shim, session->model_path, &session->archive,
                                 htp_session_progress, session, &session->model));
    HTP_TRY(evaluate(session));
    HTP_TRY(htp_status_prefix(htp_input_file_check_path(&session->file, session->model_path),
                              session->model_path));
    HTP_TRY(find_modules(session));
    HTP_TRY(htp_method_choose(session));
    session->arguments = htp_arguments_list(&session->arena, session->program,
                                            session->program->method, &session->argument_count);
    return htp_session_end(session, session->module_count, "modules");
}

htp_status htp_session_open_interpreter(htp_session *session)
{
    htp_shim_error error = {{0}};
    if (session->interpreter) {
        return HTP_OK;
    }
    htp_shim_code code = session->shim->runner(session->model, &session->runner, &error);
    if (code != HTP_SHIM_OK) {
        htp_message_shorten(&error);
        return htp_torchscript_status(session->model_path, code, &error);
    }
    const htp_placed placed = {session->program, &session->archive, session->model_path,
                               &session->file};
    session->places = htp_source_places_open(&placed);
    if (!session->places) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", session->model_path);
    }
    const htp_interpreted of = {.program = session->program,
                                .runner = session->runner,
                                .places = htp_source_places_finder(session->places),
                                .instances = &session->instances,
                                .method = session->options.method,
                                .devices = htp_devices_of(&session->archive),
                                .is_inference = session->options.eval};
    session->interpreter = htp_interpreter_open(&of);
    return session->interpreter
               ? HTP_OK
               : htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", session->model_path);
}

const char *htp_session_read_record(htp_session *session, const char *name, size_t *bytes)
{
    size_t ignored = 0;
    return htp_archive_read(&session->arena, &session->archive, session->file.fd, name,
                            bytes ? bytes : &ignored);
}

htp_status htp_session_find_hints(htp_session *session)
{
    if (session->are_hints_found) {
        return HTP_OK;
    }
    HTP_TRY(
        htp_status_prefix(htp_hints_find(&session->arena, session->program, session->argument_count,
                                         &session->hints, &session->hint_count),
                          session->model_path));
    session->are_hints_found = true;
    return HTP_OK;
}

htp_status htp_session_trace_inputs(htp_session *session, htp_obstacle *obstacle)
{
    HTP_TRY(htp_session_open_interpreter(session));
    const htp_traced of = {.path = session->model_path,
                           .interpreter = session->interpreter,
                           .run = htp_interpreter_run,
                           .modules = session->modules,
                           .module_count = session->module_count,
                           .arguments = session->arguments,
                           .argument_count = session->argument_count};
    return htp_torchscript_trace(&of, &session->inputs, session->options.freeze_state, obstacle,
                                 htp_session_progress, session, &session->arena, &session->graph);
}

/* forward() refused all that was derived. */
static htp_status refused(htp_session *session, htp_status refusal)
{
    htp_text text = {.arena = &session->arena};
    for (uint32_t i = 0; i < session->inputs.count; i++) {
        const char *input = htp_session_describe_input(session, i);
        if (input) {
            htp_text_addf(&text, " --input %s", input);
        }
    }
    const htp_input_derivation *derived = &session->derivation;
    const char *suspect = derived->suspect ? htp_arena_printf(&session->arena,
                                                              "argument \"%s\" cannot be "
                                                              "derived, ",
                                                              derived->suspect)
                                           : "";
    htp_status status = htp_status_make(
        HTP_CODE_USAGE,
        "%s (inputs were assumed: %snone of %u guesses ran, and this one came furthest; pass those "
        "that forward() takes, in this form:%s)",
        htp_status_message(refusal), suspect, derived->tried, htp_text_string(&text));
    htp_status_free(refusal);
    return status;
}

/* Sizes that nobody chose may move as far as the program lets them. */
static htp_status trace(htp_session *session)
{
    bool is_derived = session->inputs_origin == HTP_INPUTS_DERIVED;
    if (!session->are_sizes_chosen && !session->options.static_shapes &&
        (!is_derived || session->derivation.are_taken)) {
        return htp_session_trace_dynamic(session);
    }
    htp_status status = htp_session_trace_inputs(session, NULL);
    return is_derived && htp_status_code(status) == HTP_CODE_USAGE ? refused(session, status)
                                                                   : status;
}

htp_status htp_session_trace(htp_session *session)
{
    HTP_TRY(htp_session_load(session));
    htp_session_begin(session, HTP_STAGE_INPUTS);
    HTP_TRY(htp_inputs_choose(session));
    HTP_TRY(htp_session_end(session, session->inputs.count, "inputs"));
    htp_session_begin(session, HTP_STAGE_TRACED);
    HTP_TRY(trace(session));
    return htp_session_end(session, session->graph->trace->node_count, "nodes");
}

static void free_memory(htp_session *session)
{
    htp_interpreter_close(session->interpreter);
    session->interpreter = NULL;
    htp_source_places_close(session->places);
    session->places = NULL;
    if (session->model) {
        session->shim->close(session->model);
        session->model = NULL;
    }
    htp_arena_free(&session->arena);
}

void htp_session_close(htp_session *session)
{
    htp_archive_close(&session->archive);
    htp_input_file_close(&session->file);
    if (!session->options.leaves_memory) {
        free_memory(session);
    }
}
