/*
 * The pipeline from a model's file to an ONNX file.
 */
#include "api/export/isolated.h"
#include "api/export/pipeline.h"
#include "api/export/result.h"
#include "api/export/sidecar.h"
#include "api/export/trace.h"
#include "api/options.h"
#include "api/paths.h"
#include "api/session/session.h"
#include "graph/passes.h"
#include "onnx/files/output.h"
#include "onnx/serialize/npz.h"

#include <stdlib.h>
#include <string.h>

/* State of one API call. It lives in the frame of the call, below the one that sets the arena's
 * recovery point, so a jump leaves it intact. */
struct job {
    htp_session session;
    const char *onnx_path;
    htp_custom_operators customs;
    htp_result **result;
    char **text;
};

/* The data file must be copied together with the model. */
static void note_data_file(htp_session *session, const htp_finished *finished)
{
    const char *data = finished->sizes.external_path;
    if (data && finished->sizes.external_number > 0) {
        htp_session_note(session, "the weights are in '%s', as '%s.data' was in use", data,
                         finished->onnx_path);
    }
}

static htp_status write_model(htp_session *session, htp_finished *finished)
{
    htp_session_begin(session, HTP_STAGE_WRITTEN);
    const htp_writer_options options = {.external_data = session->options.external_data,
                                        .progress = htp_session_progress,
                                        .user = session,
                                        .source = &session->source.file};
    HTP_TRY(htp_status_prefix(htp_builder_write(finished->written, finished->annotations,
                                                finished->onnx_path, &options, &finished->sizes),
                              session->model_path));
    note_data_file(session, finished);
    /* The file is published: no more interruptions. */
    htp_status_free(htp_session_end(
        session, finished->sizes.model_bytes + finished->sizes.external_bytes, "bytes"));
    return HTP_OK;
}

/* The sidecar describes the file on disk, like one made later. */
static htp_status write_sidecar(htp_session *session, const htp_finished *finished)
{
    const htp_sidecar_run run = {.libtorch = session->source.libtorch_version,
                                 .seconds = session->stage_seconds};
    return finished->sidecar_path
               ? htp_sidecar_write_file(finished->onnx_path, finished->sidecar_path, &run, NULL)
               : HTP_OK;
}

/* The file of initial state must not replace other files. */
static htp_status check_state_file(htp_session *session, const htp_finished *finished,
                                   const char *const *inputs, size_t input_count)
{
    const char *path = session->options.state_file;
    const char *sidecar = finished->sidecar_path;
    const char *model = finished->onnx_path;
    const char *taken = htp_output_are_one(path, model)                ? model
                        : sidecar && htp_output_are_one(path, sidecar) ? sidecar
                                                                       : NULL;
    if (taken) {
        return htp_status_make(
            HTP_CODE_USAGE,
            "%s: the initial state would be written to '%s', too; choose another "
            "name",
            session->model_path, taken);
    }
    return htp_status_prefix(htp_paths_check(&session->arena, inputs, input_count, path, false),
                             session->model_path);
}

static htp_status write_initial_states(htp_session *session, const htp_finished *finished)
{
    const char *path = session->options.state_file;
    return path ? htp_status_prefix(
                      htp_npz_write_states(finished->model, &session->source.file, path),
                      session->model_path)
                : HTP_OK;
}

static htp_status run_export(struct job *job)
{
    htp_session *session = &job->session;
    htp_finished finished = {.onnx_path = job->onnx_path};
    htp_builder *model = NULL;
    const char *const inputs[] = {session->model_path, session->options.inputs_file};
    HTP_TRY(htp_custom_read(&session->arena, session->options.custom_operators,
                            session->options.custom_operator_count, &job->customs));
    HTP_TRY(htp_status_prefix(htp_paths_check(&session->arena, inputs, inputs[1] ? 2 : 1,
                                              job->onnx_path,
                                              session->options.external_data != HTP_EXTERNAL_NEVER),
                              session->model_path));
    if (session->options.sidecar) {
        HTP_TRY(htp_status_prefix(htp_sidecar_find_path(&session->arena, session->options.sidecar,
                                                        inputs, inputs[1] ? 2 : 1, job->onnx_path,
                                                        &finished.sidecar_path),
                                  session->model_path));
    }
    if (session->options.state_file) {
        HTP_TRY(check_state_file(session, &finished, inputs, inputs[1] ? 2 : 1));
    }
    HTP_TRY(htp_session_trace(session));
    HTP_TRY(htp_pipeline_lower(session, &job->customs, &model));
    finished.model = model;
    HTP_TRY(htp_pipeline_tag(session, &finished));
    HTP_TRY(write_model(session, &finished));
    HTP_TRY(write_initial_states(session, &finished));
    HTP_TRY(write_sidecar(session, &finished));
    return job->result ? htp_result_make(session, &finished, job->result) : HTP_OK;
}

static htp_status run_dump(struct job *job)
{
    htp_session *session = &job->session;
    HTP_TRY(htp_session_trace(session));
    htp_session_note_inputs(session);
    const char *last = session->options.dump_after;
    HTP_TRY(htp_passes_run(session->graph, last ? last : htp_pass_name(0)));
    htp_text text = {.arena = &session->arena};
    htp_graph_dump(session->graph, &text);
    *job->text = strdup(htp_text_string(&text));
    return *job->text ? HTP_OK : htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

/* Runs a job with the arena's recovery point set. */
static htp_status run_guarded(struct job *job, htp_status (*run)(struct job *job))
{
    if (htp_arena_recover(&job->session.arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", job->session.model_path);
    }
    return run(job);
}

static htp_status take_options(struct job *job, const char *model_path, const htp_options *options)
{
    HTP_TRY(htp_paths_check_model(model_path));
    return htp_options_copy(options, &job->session.options);
}

static htp_status run_job(struct job *job, const char *model_path,
                          htp_status (*run)(struct job *job))
{
    job->session.model_path = model_path;
    htp_arena_init(&job->session.arena);
    htp_status status = run_guarded(job, run);
    htp_session_close(&job->session);
    return status;
}

htp_status htp_export(const char *model_path, const char *onnx_path, const htp_options *options,
                      htp_result **result)
{
    struct job job = {.onnx_path = onnx_path, .result = result};
    if (result) {
        *result = NULL;
    }
    HTP_TRY(take_options(&job, model_path, options));
    return job.session.options.isolated
               ? htp_export_isolated(model_path, onnx_path, &job.session.options, result,
                                     htp_export)
               : run_job(&job, model_path, run_export);
}

htp_status htp_dump_graph(const char *model_path, const htp_options *options, char **text)
{
    struct job job = {.text = text};
    if (!text) {
        return htp_status_make(HTP_CODE_USAGE, "there is no place for the text");
    }
    *text = NULL;
    HTP_TRY(take_options(&job, model_path, options));
    return run_job(&job, model_path, run_dump);
}

void htp_string_free(char *string)
{
    free(string);
}
