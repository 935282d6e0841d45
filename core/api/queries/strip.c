/*
 * Writes a model without its tags.
 */
#include "onnx/rewriter/strip.h"
#include "api/model.h"
#include "api/options.h"

#include <string.h>

struct stripping {
    const char *path;
    htp_write_options options;
};

static htp_status strip(htp_query *query)
{
    const struct stripping *work = query->options;
    htp_edit_list edits = {0};
    htp_writer_result result;
    const htp_rewrite_options options = {.progress = work->options.progress,
                                         .user = work->options.user};
    HTP_TRY(htp_query_check_output(query, work->path));
    htp_strip_edits(htp_model_file(query->model), &edits, work->options.keep_tags);
    return htp_rewrite(htp_model_file(query->model), &edits, work->path, &options, &result);
}

htp_status htp_model_strip(htp_model *model, const char *onnx_path,
                           const htp_write_options *options)
{
    struct stripping work = {.path = onnx_path};
    htp_query query = {.model = model, .answer = strip, .options = &work};
    htp_write_options_init(&work.options);
    if (options) {
        HTP_TRY(htp_given_copy(&work.options, sizeof(work.options), options, "the options were",
                               "htp_write_options_init"));
    }
    return htp_query_ask(&query);
}
