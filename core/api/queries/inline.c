/*
 * Writing the flat model that a model with functions means.
 */
#include "api/model.h"
#include "api/options.h"
#include "onnx/inliner/flat_recipe.h"

#include <string.h>

struct inlining {
    const char *path;
    htp_write_options options;
};

static htp_status write_flat(htp_question *question)
{
    static const htp_edit_list no_edits = {0};
    const struct inlining *work = question->options;
    htp_view *view = &question->model->view;
    htp_writer_result result;
    htp_rewrite_options options = {
        .progress = work->options.progress, .user = work->options.user, .arena = &question->arena};
    HTP_TRY(htp_question_check_output(question, work->path));
    HTP_TRY(htp_flat_recipe_make(&question->arena, view, &options));
    return htp_rewrite(view, &no_edits, work->path, &options, &result);
}

htp_status htp_model_inline(htp_model *model, const char *onnx_path,
                            const htp_write_options *options)
{
    struct inlining work = {.path = onnx_path};
    htp_question question = {.model = model, .answer = write_flat, .options = &work};
    htp_write_options_init(&work.options);
    if (options) {
        HTP_TRY(htp_given_take(&work.options, sizeof(work.options), options, "the options were",
                               "htp_write_options_init"));
    }
    return htp_question_ask(&question);
}
