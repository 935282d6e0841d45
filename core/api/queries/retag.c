/*
 * Restores the tags of a model that another tool changed.
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

static htp_status report(htp_query *query, const htp_retagging *retagging, const char *path)
{
    htp_arena *arena = &query->arena;
    if (query->text) {
        HTP_TRY(htp_query_hand_over(htp_report_retagging(arena, retagging, path), query->text));
    }
    return query->json
               ? htp_query_hand_over(htp_report_retagging_json(arena, retagging, path), query->json)
               : HTP_OK;
}

static htp_status retag(htp_query *query)
{
    const struct retagging *work = query->options;
    htp_model *changed = query->model;
    htp_model *like = query->other;
    const htp_retag_side models[] = {{&changed->view, &changed->tree}, {&like->view, &like->tree}};
    htp_retagging retagging;
    htp_edit_list edits = {0};
    htp_writer_result result;
    htp_rewrite_options options = {.progress = work->options.progress, .user = work->options.user};
    HTP_TRY(htp_query_check_output(query, work->path));
    if (changed->file.functions.count > 0) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: it has functions, whose nodes serve several modules; write "
                               "the flat file first: htp-trace inline",
                               changed->view.path);
    }
    HTP_TRY(htp_retag_find(&query->arena, &models[0], &models[1], &retagging));
    HTP_TRY(htp_retag_edits(&query->arena, &retagging, &edits));
    HTP_TRY(htp_flat_recipe_make(&query->arena, &changed->view, &options, NULL));
    HTP_TRY(htp_rewrite(&changed->view, &edits, work->path, &options, &result));
    return report(query, &retagging, work->path);
}

htp_status htp_retag_model(const char *changed, htp_model *like, const char *onnx_path,
                           const htp_write_options *options, char **text, char **json)
{
    struct retagging work = {.path = onnx_path};
    htp_query query = {
        .other = like, .answer = retag, .options = &work, .text = text, .json = json};
    htp_write_options_init(&work.options);
    if (!like) {
        return htp_status_make(HTP_CODE_USAGE, "there is no tagged model to take tags from");
    }
    if (options) {
        HTP_TRY(htp_given_copy(&work.options, sizeof(work.options), options, "the options were",
                               "htp_write_options_init"));
    }
    HTP_TRY(htp_model_open_sorted(changed, &query.model));
    htp_status status = htp_query_ask(&query);
    htp_model_free(query.model);
    return status;
}
