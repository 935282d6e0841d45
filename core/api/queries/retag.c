/*
 * Giving what another tool made of a model the model's tags.
 */
#include "api/model.h"
#include "api/options.h"
#include "onnx/inliner/flat_recipe.h"
#include "query/retag/retag_write.h"
#include "report/retag_report.h"

#include <string.h>

struct retagging {
    const char *path;
    htp_write_options options;
};

static htp_status report(htp_question *question, const htp_retagging *retagging, const char *path)
{
    htp_arena *arena = &question->arena;
    if (question->text) {
        HTP_TRY(
            htp_question_hand_over(htp_report_retagging(arena, retagging, path), question->text));
    }
    return question->json ? htp_question_hand_over(
                                htp_report_retagging_json(arena, retagging, path), question->json)
                          : HTP_OK;
}

static htp_status check_outputs(htp_question *question, const char *path)
{
    htp_model *changed = question->model;
    HTP_TRY(htp_question_check_output(question, path));
    question->model = question->other;
    htp_status status = htp_question_check_output(question, path);
    question->model = changed;
    return status;
}

static htp_status retag(htp_question *question)
{
    const struct retagging *work = question->options;
    htp_model *changed = question->model;
    htp_model *like = question->other;
    const htp_retag_side models[] = {{&changed->view, &changed->tree}, {&like->view, &like->tree}};
    htp_retagging retagging;
    htp_edit_list edits = {0};
    htp_writer_result result;
    htp_rewrite_options options = {.progress = work->options.progress, .user = work->options.user};
    HTP_TRY(check_outputs(question, work->path));
    if (changed->file.functions.count > 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: it has functions, whose nodes stand for those of several "
                               "modules; write the flat file first: htp-trace inline",
                               changed->view.path);
    }
    HTP_TRY(htp_retag_find(&question->arena, &models[0], &models[1], &retagging));
    HTP_TRY(htp_retag_edits(&question->arena, &retagging, &edits));
    HTP_TRY(htp_flat_recipe_make(&question->arena, &changed->view, &options));
    HTP_TRY(htp_rewrite(&changed->view, &edits, work->path, &options, &result));
    return report(question, &retagging, work->path);
}

htp_status htp_retag_model(const char *changed, htp_model *like, const char *onnx_path,
                           const htp_write_options *options, char **text, char **json)
{
    struct retagging work = {.path = onnx_path};
    htp_question question = {
        .other = like, .answer = retag, .options = &work, .text = text, .json = json};
    htp_write_options_init(&work.options);
    if (!like) {
        return htp_status_make(HTP_CODE_USAGE, "there is no model whose tags are taken");
    }
    if (options) {
        HTP_TRY(htp_given_take(&work.options, sizeof(work.options), options, "the options were",
                               "htp_write_options_init"));
    }
    HTP_TRY(htp_model_open_sorted(changed, &question.model));
    htp_status status = htp_question_ask(&question);
    htp_model_free(question.model);
    return status;
}
