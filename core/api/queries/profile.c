/*
 * Maps a profile of ONNX Runtime to the modules of a model.
 */
#include "api/options.h"
#include "api/queries/measures.h"
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
    htp_timing timing;
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

/* NULL where the model's axes have no sizes, or it has nodes whose multiply-adds are not known. */
static htp_status find_cost(htp_query *query, const char *sizes, const htp_cost **cost)
{
    htp_costs costs = {.numbers = NULL};
    htp_status status =
        htp_costs_find(&query->arena, &query->model->view, &query->model->tree, sizes, &costs);
    *cost = !status && costs.numbers && costs.numbers->uncounted.count == 0 ? costs.numbers : NULL;
    if (sizes) {
        return status;
    }
    htp_status_free(status); /* nobody asked */
    return HTP_OK;
}

static htp_status tell(htp_query *query)
{
    struct work *work = query->work;
    const htp_profiling *profiling = &work->profiling;
    htp_model *model = query->model;
    htp_region region;
    HTP_TRY(htp_timing_read(&work->timing, query));
    if (profiling->module) {
        region = htp_region_new(&query->arena, &model->view, &model->tree);
        HTP_TRY(htp_status_prefix(
            htp_region_add(&query->arena, &region, profiling->module, profiling->own),
            model->view.path));
    }
    const htp_cost *cost;
    const htp_node_data data = {
        .view = &model->view,
        .name = "microseconds",
        .values = htp_profile_by_node(&work->timing.profile, &model->view, &model->tree),
    };
    HTP_TRY(htp_node_data_write(query, &data, profiling->node_data));
    HTP_TRY(find_cost(query, profiling->sizes, &cost));
    const htp_profile_query asked = {
        .profile = &work->timing.profile,
        .model = {&model->view, &model->tree},
        .optimized = profiling->optimized,
        .region = profiling->module ? &region : NULL,
        .address = profiling->module,
        .depth = profiling->depth,
        .cost = cost,
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
    struct work work = {.timing = {.path = NULL}};
    htp_query query = {.model = model, .answer = tell, .work = &work, .text = text, .json = json};
    HTP_TRY(take(profiling, &work.profiling));
    HTP_TRY(htp_timing_open(&work.timing, work.profiling.profile, work.profiling.optimized));
    htp_status status = htp_query_ask(&query);
    htp_timing_close(&work.timing);
    return status;
}
