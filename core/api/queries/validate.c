/*
 * Checks an ONNX model.
 */
#include "api/export/sidecar.h"
#include "api/model.h"
#include "api/options.h"
#include "api/paths.h"
#include "report/sidecar/sidecar_check.h"
#include "report/tree/model_report.h"

#include <stdlib.h>

void htp_validate_options_init(htp_validate_options *options)
{
    if (options) {
        *options = (htp_validate_options){.struct_size = sizeof(*options)};
    }
}

struct validating {
    const char *path;
    htp_validate_options options;
    uint64_t *count;
};

/* A broken graph is reported already, and cannot be compared. */
static htp_status check_sidecar(htp_query *query, htp_findings *findings)
{
    htp_model *model = query->model;
    if (model->view.flaws.count > 0) {
        return HTP_OK;
    }
    HTP_TRY(
        htp_sidecar_check(&query->arena, &model->view, &model->tree, &model->sidecar, findings));
    return htp_sidecar_check_quality(&model->view, &model->tree, &model->sidecar, findings);
}

static htp_status validate(htp_query *query)
{
    const struct validating *work = query->options;
    htp_model *model = query->model;
    htp_findings findings = {.arena = &query->arena};
    HTP_TRY(htp_model_open_views(model, work->path));
    const char *sidecar = work->options.sidecar;
    if (sidecar) {
        sidecar = *sidecar ? sidecar : htp_sidecar_default_path(&model->arena, work->path);
        HTP_TRY(htp_sidecar_file_open(&model->sidecar, &model->arena, sidecar));
    }
    HTP_TRY(htp_tree_find_with(&model->view, &model->tree, sidecar ? &model->sidecar : NULL));
    htp_validate(htp_model_file(model), &model->view, &model->tree, &findings);
    if (sidecar) {
        HTP_TRY(check_sidecar(query, &findings));
        HTP_TRY(htp_sidecar_file_check(&model->sidecar));
    }
    *work->count = findings.list.count;
    if (query->text) {
        HTP_TRY(htp_query_hand_over(
            htp_report_findings(&query->arena, &model->view, &model->tree, &findings),
            query->text));
    }
    if (query->json) {
        HTP_TRY(htp_query_hand_over(
            htp_report_findings_json(&query->arena, &model->view, &model->tree, &findings),
            query->json));
    }
    return HTP_OK;
}

htp_status htp_validate_model(const char *path, const htp_validate_options *options, char **text,
                              char **json, uint64_t *count)
{
    uint64_t found = 0;
    struct validating work = {.path = path, .count = &found};
    htp_query query = {.answer = validate, .options = &work, .text = text, .json = json};
    HTP_TRY(htp_paths_check_model(path));
    htp_validate_options_init(&work.options);
    if (options) {
        HTP_TRY(htp_given_copy(&work.options, sizeof(work.options), options, "the options were",
                               "htp_validate_options_init"));
    }
    query.model = calloc(1, sizeof(*query.model));
    if (!query.model) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", path);
    }
    htp_arena_init(&query.model->arena);
    htp_status status = htp_query_ask(&query);
    htp_model_free(query.model);
    if (count) {
        *count = found;
    }
    return status;
}
