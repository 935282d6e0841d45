/*
 * Writing a model without its tags.
 */
#include "onnx/rewriter/strip.h"
#include "api/model.h"
#include "api/options.h"

#include <string.h>

struct stripping {
    const char *path;
    htp_write_options options;
};

static htp_status strip(htp_question *question)
{
    const struct stripping *work = question->options;
    htp_edit_list edits = {0};
    htp_writer_result result;
    const htp_rewrite_options options = {.progress = work->options.progress,
                                         .user = work->options.user};
    HTP_TRY(htp_question_check_output(question, work->path));
    htp_strip_edits(htp_model_file(question->model), &edits, work->options.keep_tags);
    return htp_rewrite(htp_model_file(question->model), &edits, work->path, &options, &result);
}

htp_status htp_model_strip(htp_model *model, const char *onnx_path,
                           const htp_write_options *options)
{
    struct stripping work = {.path = onnx_path};
    htp_question question = {.model = model, .answer = strip, .options = &work};
    htp_write_options_init(&work.options);
    if (options) {
        HTP_TRY(htp_given_take(&work.options, sizeof(work.options), options, "the options were",
                               "htp_write_options_init"));
    }
    return htp_question_ask(&question);
}
