#include "api/session/choose_inputs.h"

#include "base/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A larger file is no list of inputs. */
enum { INPUTS_FILE_LIMIT = 1 << 20 };

/* Messages about arguments name the method, unless it is the root's forward(). */
static htp_status named(htp_session *session, htp_status status)
{
    const char *method = session->options.method;
    const char *module = session->options.module;
    if (strcmp(method, "forward") == 0 && !*module) {
        return htp_status_prefix(status, session->model_path);
    }
    htp_held_status held;
    htp_status_hold(&held, &session->arena, status);
    const char *prefix = htp_arena_printf(&session->arena, "%s: %s%s%s()", session->model_path,
                                          module, *module ? "." : "", method);
    return htp_status_prefix(htp_status_let_go(&held, &session->arena), prefix);
}

static htp_status parse_json(htp_session *session, const char *name, const char *text,
                             bool may_name_files)
{
    return htp_inputs_parse_json(&session->arena, name, text, may_name_files,
                                 session->source.arguments, session->source.argument_count,
                                 &session->inputs);
}

static htp_status parse(htp_session *session, const char *const *specifications, size_t count)
{
    return htp_inputs_parse(&session->arena, specifications, count, session->source.arguments,
                            session->source.argument_count, &session->inputs);
}

/* A NUL would hide the rest. */
static htp_status check_text(const char *name, const char *text, size_t bytes)
{
    return memchr(text, '\0', bytes)
               ? htp_status_make(HTP_CODE_USAGE, "%s: not valid JSON: it holds a NUL byte", name)
               : HTP_OK;
}

static htp_status read_opened(FILE *file, const char *path, char *bytes, size_t capacity)
{
    size_t count = fread(bytes, 1, capacity, file);
    if (ferror(file)) {
        return htp_status_make(htp_input_file_code(errno, HTP_CODE_USAGE), "%s: %s", path,
                               strerror(errno));
    }
    const char *placeholder = htp_input_file_placeholder(bytes, count);
    if (placeholder) {
        return htp_status_make(HTP_CODE_USAGE, "%s: %s", path, placeholder);
    }
    if (count == capacity) {
        return htp_status_make(HTP_CODE_USAGE, "%s: too large for a list of inputs", path);
    }
    bytes[count] = '\0';
    return check_text(path, bytes, count);
}

/* Allocates nothing in the arena while the file is open. */
static htp_status read_file(const char *path, char *bytes, size_t capacity)
{
    htp_input_file identity;
    FILE *file = NULL;
    int error = htp_input_file_stream(&identity, path, &file);
    if (error != 0) {
        return htp_status_make(htp_input_file_code(error, HTP_CODE_USAGE), "%s: %s", path,
                               strerror(error));
    }
    htp_status status = read_opened(file, path, bytes, capacity);
    status = htp_input_file_judge(&identity, path, status);
    (void)fclose(file);
    return status;
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path);
    size_t tail = strlen(suffix);
    return length >= tail && strcmp(path + length - tail, suffix) == 0;
}

static htp_status choose_given(htp_session *session)
{
    const htp_options *options = &session->options;
    const char *path = options->inputs_file;
    if (!path) {
        return named(session, parse(session, options->inputs, options->input_count));
    }
    if (has_suffix(path, ".npz")) {
        const char *const *specifications = NULL;
        size_t count = 0;
        HTP_TRY(htp_inputs_list_npz(&session->arena, path, &specifications, &count));
        return htp_status_prefix(parse(session, specifications, count), path);
    }
    char *text = htp_arena_alloc(&session->arena, INPUTS_FILE_LIMIT);
    HTP_TRY(read_file(path, text, INPUTS_FILE_LIMIT));
    return parse_json(session, path, text, true);
}

/* Inputs stored in the archive. @p found: there are any; @p are_chosen: a person chose their sizes.
 */
static htp_status choose_archived(htp_session *session, bool *found, bool *are_chosen)
{
    size_t bytes = 0;
    const char *extra = NULL;
    if (strcmp(session->options.method, "forward") == 0 && !*session->options.module) {
        extra = htp_source_read(&session->source, "extra/" HTP_INPUTS_EXTRA_FILE, &bytes);
    }
    *found = extra != NULL;
    *are_chosen = extra != NULL;
    if (extra) {
        HTP_TRY(named(session, check_text(HTP_INPUTS_EXTRA_FILE, extra, bytes)));
        return named(session, parse_json(session, HTP_INPUTS_EXTRA_FILE, extra, false));
    }
    const htp_input *archived = NULL;
    uint32_t count = 0;
    HTP_TRY(htp_source_find_inputs(&session->source, &archived, &count));
    *found = count > 0;
    if (count == 0) {
        return HTP_OK;
    }
    HTP_TRY(named(session,
                  htp_inputs_archived(&session->arena, archived, count, session->source.arguments,
                                      session->source.argument_count, &session->inputs)));
    for (uint32_t i = 0; i < session->inputs.count; i++) {
        htp_input *input = &session->inputs.items[i];
        input->is_open = input->is_open && !session->options.static_shapes;
    }
    return HTP_OK;
}

static bool tick(void *user, uint64_t done, uint64_t total)
{
    const htp_progress progress = {
        .stage = HTP_STAGE_INPUTS, .done = done, .total = total, .label = "nodes"};
    htp_session *session = user;
    session->is_stopped = session->is_stopped || !htp_session_progress(session, &progress);
    return !session->is_stopped;
}

/* An unsupported construct, or memory that runs out, says nothing about the inputs. */
static htp_trial attempt(void *user, const htp_inputs *inputs, const htp_trace **trace)
{
    htp_session *session = user;
    *trace = NULL;
    if (session->is_untraced) {
        return HTP_TRIAL_STOPPED;
    }
    htp_trace_request request = {.inputs = htp_inputs_nest(&session->arena, inputs, NULL),
                                 .input_count = inputs->argument_count,
                                 .lane_count = 1,
                                 .tick = tick,
                                 .user = session};
    htp_trace_result result;
    htp_status status = htp_source_trace(&session->source, &request, &result);
    if (result.needs_lanes) {
        htp_status_free(status);
        request.lane_count = HTP_INPUTS_LANES;
        status = htp_source_trace(&session->source, &request, &result);
    }
    htp_code code = htp_status_code(status);
    htp_status_free(status);
    *trace = result.trace;
    session->lacks_memory = result.lacks_memory && !session->is_stopped;
    if (session->is_stopped || session->lacks_memory) {
        return HTP_TRIAL_STOPPED;
    }
    bool is_refused = code == HTP_CODE_USAGE || code == HTP_CODE_INTERNAL;
    return is_refused ? HTP_TRIAL_REFUSED : HTP_TRIAL_TAKEN;
}

static htp_status choose_derived(htp_session *session)
{
    HTP_TRY(htp_session_find_hints(session));
    session->inputs_origin = HTP_INPUTS_DERIVED;
    htp_status status =
        named(session, htp_inputs_derive(&session->arena, session->hints, session->hint_count,
                                         session->source.arguments, session->source.argument_count,
                                         attempt, session, &session->inputs, &session->derivation));
    if (session->lacks_memory) {
        htp_status_free(status);
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", session->model_path);
    }
    return status;
}

htp_status htp_inputs_choose(htp_session *session)
{
    session->inputs_origin = HTP_INPUTS_GIVEN;
    session->are_sizes_chosen = true;
    if (session->options.input_count > 0 || session->options.inputs_file) {
        return choose_given(session);
    }
    bool found = false;
    session->inputs_origin = HTP_INPUTS_ARCHIVE;
    HTP_TRY(choose_archived(session, &found, &session->are_sizes_chosen));
    return found ? HTP_OK : choose_derived(session);
}
