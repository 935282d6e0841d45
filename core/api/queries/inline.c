/*
 * Writes the flat model of a model with functions.
 */
#include "api/model.h"
#include "api/options.h"
#include "onnx/inliner/flat_recipe.h"

#include <string.h>

struct inlining {
    const char *path;
    htp_write_options options;
};

static htp_status write_flat(htp_query *query)
{
    const struct inlining *work = query->options;
    htp_view *view = &query->model->view;
    htp_writer_result result;
    htp_edit_list edits = {0};
    htp_rewrite_options options = {
        .progress = work->options.progress, .user = work->options.user, .arena = &query->arena};
    HTP_TRY(htp_query_check_output(query, work->path));
    HTP_TRY(htp_flat_recipe_make(&query->arena, view, &options, &edits));
    return htp_rewrite(view, &edits, work->path, &options, &result);
}

htp_status htp_model_inline(htp_model *model, const char *onnx_path,
                            const htp_write_options *options)
{
    struct inlining work = {.path = onnx_path};
    htp_query query = {.model = model, .answer = write_flat, .options = &work};
    htp_write_options_init(&work.options);
    if (options) {
        HTP_TRY(htp_given_copy(&work.options, sizeof(work.options), options, "the options were",
                               "htp_write_options_init"));
    }
    return htp_query_ask(&query);
}
