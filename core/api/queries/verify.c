/*
 * Runs two ONNX models side by side.
 */
#include "verify/verify.h"
#include "api/model.h"
#include "api/options.h"
#include "report/verify/verify.h"

#include <math.h>

#define MEBIBYTE ((uint64_t)1 << 20)

enum { USUAL_MEBIBYTES = 1024 };

void htp_verify_options_init(htp_verify_options *options)
{
    if (options) {
        *options = (htp_verify_options){.struct_size = sizeof(*options),
                                        .depth = -1,
                                        .tolerance = 1e-4,
                                        .memory = USUAL_MEBIBYTES};
    }
}

/* Resources of the query. */
struct work {
    htp_verify_options options;
    htp_runtime *runtime;
    htp_arena scratch;
    bool is_beyond;
};

static htp_status answer(htp_query *query)
{
    struct work *work = query->work;
    htp_arena *arena = &query->arena;
    HTP_TRY(htp_runtime_open(htp_runtime_find(arena, work->options.onnxruntime), &work->runtime));
    const htp_verify_request request = {
        .views = {&query->model->view, &query->other->view},
        .trees = {&query->model->tree, &query->other->tree},
        .runtime = work->runtime,
        .scratch = &work->scratch,
        .tolerance = work->options.tolerance,
        .memory = (uint64_t)work->options.memory * MEBIBYTE,
    };
    htp_verification *verification = HTP_NEW(arena, htp_verification);
    HTP_TRY(htp_verify(arena, &request, verification));
    work->is_beyond = verification->is_beyond;
    if (query->text) {
        HTP_TRY(htp_query_hand_over(
            htp_report_verification(arena, verification, work->options.depth), query->text));
    }
    return query->json
               ? htp_query_hand_over(htp_report_verification_json(arena, verification), query->json)
               : HTP_OK;
}

static htp_status take(const htp_verify_options *given, htp_verify_options *options)
{
    htp_verify_options_init(options);
    HTP_TRY(htp_given_copy(options, sizeof(*options), given, "the options of a verification were",
                           "htp_verify_options_init"));
    if (!(options->tolerance >= 0) || !isfinite(options->tolerance)) {
        return htp_status_make(HTP_CODE_USAGE, "a tolerance is a number from 0 on");
    }
    if (options->memory < 1) {
        return htp_status_make(HTP_CODE_USAGE, "the memory of a verification is 1 MiB or more");
    }
    return HTP_OK;
}

htp_status htp_model_verify(htp_model *a, htp_model *b, const htp_verify_options *options,
                            char **text, char **json, bool *is_beyond)
{
    struct work work = {.runtime = NULL};
    htp_query query = {
        .model = a, .other = b, .answer = answer, .work = &work, .text = text, .json = json};
    if (!b) {
        return htp_status_make(HTP_CODE_USAGE, "there is no model to verify");
    }
    HTP_TRY(take(options, &work.options));
    htp_arena_init(&work.scratch);
    htp_status status = htp_query_ask(&query);
    htp_runtime_close(work.runtime);
    htp_arena_free(&work.scratch);
    if (is_beyond) {
        *is_beyond = work.is_beyond;
    }
    return status;
}
