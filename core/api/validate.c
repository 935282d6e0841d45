/*
 * Looking for what is wrong with an ONNX model.
 */
#include "api/model.h"
#include "api/paths.h"
#include "report/model_report.h"

#include <stdlib.h>

struct validating {
    const char *path;
    uint64_t *count;
};

static htp_status validate(htp_question *question)
{
    const struct validating *work = question->options;
    htp_model *model = question->model;
    htp_findings findings = {.arena = &question->arena};
    HTP_TRY(htp_view_open(&model->view, &model->arena, work->path));
    HTP_TRY(htp_tree_find(&model->view, &model->tree));
    htp_validate(&model->view, &model->tree, &findings);
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

htp_status htp_validate_model(const char *path, char **text, char **json, uint64_t *count)
{
    uint64_t found = 0;
    const struct validating work = {path, &found};
    htp_question question = {.answer = validate, .options = &work, .text = text, .json = json};
    HTP_TRY(htp_paths_check_model(path));
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
