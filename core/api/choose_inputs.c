#include "api/choose_inputs.h"

#include "source/torchscript.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* No list of inputs is that long; a file that is was given by mistake. */
enum { INPUTS_FILE_LIMIT = 1 << 20 };

static htp_status named(const htp_session *session, htp_status status)
{
    return htp_status_prefix(status, session->model_path);
}

static htp_status parse_json(htp_session *session, const char *name, const char *text)
{
    return htp_inputs_parse_json(&session->arena, name, text, session->arguments,
                                 session->argument_count, &session->inputs);
}

/* Nothing is allocated in the arena while the file is open. */
static htp_status read_file(const char *path, char *bytes, size_t capacity)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        return htp_status_make(HTP_CODE_USAGE, "%s: %s", path, strerror(errno));
    }
    errno = 0;
    size_t count = fread(bytes, 1, capacity, file);
    int error = ferror(file) ? errno : 0;
    (void)fclose(file);
    if (error != 0) {
        return htp_status_make(HTP_CODE_USAGE, "%s: %s", path, strerror(error));
    }
    if (count == capacity) {
        return htp_status_make(HTP_CODE_USAGE, "%s: too large for a list of inputs", path);
    }
    bytes[count] = '\0';
    return HTP_OK;
}

static htp_status choose_given(htp_session *session)
{
    const htp_options *options = &session->options;
    if (!options->inputs_file) {
        return named(session, htp_inputs_parse(&session->arena, options->inputs,
                                               options->input_count, session->arguments,
                                               session->argument_count, &session->inputs));
    }
    char *text = htp_arena_alloc(&session->arena, INPUTS_FILE_LIMIT);
    HTP_TRY(read_file(options->inputs_file, text, INPUTS_FILE_LIMIT));
    return parse_json(session, options->inputs_file, text);
}

/* Inputs that lie in the archive; @p found tells whether there are any, @p are_chosen whether it
 * was a person who wrote down their sizes. */
static htp_status choose_archived(htp_session *session, bool *found, bool *are_chosen)
{
    size_t bytes = 0;
    const char *extra = session->shim->extra_file(session->model, HTP_INPUTS_EXTRA_FILE, &bytes);
    *found = extra != NULL;
    *are_chosen = extra != NULL;
    if (extra) {
        return named(session, parse_json(session, HTP_INPUTS_EXTRA_FILE,
                                         htp_arena_copy(&session->arena, extra, bytes)));
    }
    const htp_shim_input *archived = NULL;
    uint32_t count = 0;
    htp_shim_error error = {{0}};
    htp_shim_code code = session->shim->archived_inputs(session->model, &archived, &count, &error);
    HTP_TRY(htp_torchscript_status(session->model_path, code, &error));
    *found = count > 0;
    if (count == 0) {
        return HTP_OK;
    }
    return named(session, htp_inputs_archived(&session->arena, archived, count, session->arguments,
                                              session->argument_count, &session->inputs));
}

htp_status htp_inputs_choose_derived(htp_session *session, uint32_t candidate, bool *more)
{
    const htp_shim_hint *hints = NULL;
    uint32_t count = 0;
    htp_shim_error error = {{0}};
    htp_shim_code code = session->shim->hints(session->model, &hints, &count, &error);
    HTP_TRY(htp_torchscript_status(session->model_path, code, &error));
    session->inputs_origin = HTP_INPUTS_DERIVED;
    return named(session,
                 htp_inputs_derive(&session->arena, hints, count, session->arguments,
                                   session->argument_count, candidate, &session->inputs, more));
}

htp_status htp_inputs_choose(htp_session *session, bool *more)
{
    *more = false;
    session->inputs_origin = HTP_INPUTS_GIVEN;
    session->are_sizes_chosen = true;
    if (session->options.input_count > 0 || session->options.inputs_file) {
        return choose_given(session);
    }
    bool found = false;
    session->inputs_origin = HTP_INPUTS_ARCHIVE;
    HTP_TRY(choose_archived(session, &found, &session->are_sizes_chosen));
    return found ? HTP_OK : htp_inputs_choose_derived(session, 0, more);
}
