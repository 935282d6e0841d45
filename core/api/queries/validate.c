/*
 * Looking for what is wrong with an ONNX model.
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

/* A graph that is broken is told of already: nothing can be written of it. */
static htp_status check_sidecar(htp_question *question, htp_findings *findings)
{
    htp_model *model = question->model;
    if (model->view.flaws.count > 0) {
        return HTP_OK;
    }
    HTP_TRY(
        htp_sidecar_check(&question->arena, &model->view, &model->tree, &model->sidecar, findings));
    return htp_sidecar_check_quality(&model->view, &model->tree, &model->sidecar, findings);
}

static htp_status validate(htp_question *question)
{
    const struct validating *work = question->options;
    htp_model *model = question->model;
    htp_findings findings = {.arena = &question->arena};
    HTP_TRY(htp_model_open_views(model, work->path));
    const char *sidecar = work->options.sidecar;
    if (sidecar) {
        sidecar = *sidecar ? sidecar : htp_sidecar_default_path(&model->arena, work->path);
        HTP_TRY(htp_sidecar_file_open(&model->sidecar, &model->arena, sidecar));
    }
    HTP_TRY(htp_tree_find_with(&model->view, &model->tree, sidecar ? &model->sidecar : NULL));
    htp_validate(htp_model_file(model), &model->view, &model->tree, &findings);
    if (sidecar) {
        HTP_TRY(check_sidecar(question, &findings));
    }
    *work->count = findings.list.count;
    if (question->text) {
        HTP_TRY(htp_question_hand_over(
            htp_report_findings(&question->arena, &model->view, &model->tree, &findings),
            question->text));
    }
    if (question->json) {
        HTP_TRY(htp_question_hand_over(
            htp_report_findings_json(&question->arena, &model->view, &model->tree, &findings),
            question->json));
    }
    return HTP_OK;
}

htp_status htp_validate_model(const char *path, const htp_validate_options *options, char **text,
                              char **json, uint64_t *count)
{
    uint64_t found = 0;
    struct validating work = {.path = path, .count = &found};
    htp_question question = {.answer = validate, .options = &work, .text = text, .json = json};
    HTP_TRY(htp_paths_check_model(path));
    htp_validate_options_init(&work.options);
    if (options) {
        HTP_TRY(htp_given_take(&work.options, sizeof(work.options), options, "the options were",
                               "htp_validate_options_init"));
    }
    question.model = calloc(1, sizeof(*question.model));
    if (!question.model) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", path);
    }
    htp_arena_init(&question.model->arena);
    htp_status status = htp_question_ask(&question);
    htp_model_free(question.model);
    if (count) {
        *count = found;
    }
    return status;
}
