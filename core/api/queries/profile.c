/*
 * Maps a profile of ONNX Runtime to the modules of a model.
 */
#include "query/profile/profile.h"
#include "api/model.h"
#include "api/options.h"
#include "report/profile_report.h"

void htp_profiling_init(htp_profiling *profiling)
{
    if (profiling) {
        *profiling = (htp_profiling){.struct_size = sizeof(*profiling), .depth = -1};
    }
}

/* Resources of the query. */
struct work {
    htp_profiling profiling;
    htp_profile profile;
    htp_model *optimized;
};

static htp_status hand_over(htp_query *query, const htp_profile_query *asked)
{
    htp_arena *arena = &query->arena;
    if (query->text) {
        HTP_TRY(htp_query_hand_over(htp_report_profile(arena, asked), query->text));
    }
    if (query->json) {
        HTP_TRY(htp_query_hand_over(htp_report_profile_json(arena, asked), query->json));
    }
    return HTP_OK;
}

static htp_status tell(htp_query *query)
{
    struct work *work = query->work;
    const htp_profiling *profiling = &work->profiling;
    htp_model *model = query->model;
    htp_region region;
    const htp_profile_model whole = {&model->view, &model->tree};
    htp_profile_model optimized = {NULL, NULL};
    HTP_TRY(htp_profile_read(&work->profile, &query->arena, profiling->profile));
    if (work->optimized) {
        optimized = (htp_profile_model){&work->optimized->view, &work->optimized->tree};
    }
    htp_profile_place(&work->profile, &whole, work->optimized ? &optimized : NULL);
    if (profiling->module) {
        region = htp_region_new(&query->arena, &model->view, &model->tree);
        HTP_TRY(htp_status_prefix(
            htp_region_add(&query->arena, &region, profiling->module, profiling->own),
            model->view.path));
    }
    const htp_profile_query asked = {
        .profile = &work->profile,
        .model = whole,
        .optimized = profiling->optimized,
        .region = profiling->module ? &region : NULL,
        .address = profiling->module,
        .depth = profiling->depth,
    };
    return hand_over(query, &asked);
}

static htp_status take(const htp_profiling *given, htp_profiling *profiling)
{
    htp_profiling_init(profiling);
    HTP_TRY(htp_given_copy(profiling, sizeof(*profiling), given, "the profiling was",
                           "htp_profiling_init"));
    return profiling->profile ? HTP_OK : htp_status_make(HTP_CODE_USAGE, "the profile has no name");
}

htp_status htp_model_profile(htp_model *model, const htp_profiling *profiling, char **text,
                             char **json)
{
    struct work work = {.optimized = NULL};
    htp_query query = {.model = model, .answer = tell, .work = &work, .text = text, .json = json};
    HTP_TRY(take(profiling, &work.profiling));
    if (work.profiling.optimized) {
        HTP_TRY(htp_model_open(work.profiling.optimized, &work.optimized));
    }
    htp_status status = htp_query_ask(&query);
    htp_profile_close(&work.profile);
    htp_model_free(work.optimized);
    return status;
}
