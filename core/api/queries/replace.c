/*
 * Replaces modules of an ONNX model.
 */
#include "query/replace/replace.h"
#include "api/model.h"
#include "api/options.h"
#include "query/select/address.h"
#include "report/replace/replace.h"

#include <htp/replace.h>

void htp_replacing_init(htp_replacing *replacing)
{
    if (replacing) {
        *replacing = (htp_replacing){.struct_size = sizeof(*replacing), .call = -1};
    }
}

struct replacing {
    const char *path;
    htp_replacing options;
};

static htp_status take(const htp_replacing *given, htp_replacing *replacing)
{
    htp_replacing_init(replacing);
    HTP_TRY(htp_given_copy(replacing, sizeof(*replacing), given, "the replacing was",
                           "htp_replacing_init"));
    HTP_TRY(htp_addresses_check(replacing->modules, replacing->module_count));
    if (replacing->module_count == 0) {
        return htp_status_make(HTP_CODE_USAGE, "no module is to be replaced");
    }
    HTP_TRY(htp_call_check(replacing->call));
    if (!replacing->op == !replacing->by) {
        return htp_status_make(HTP_CODE_USAGE,
                               "either an operator or a model takes the place of the modules");
    }
    return HTP_OK;
}

static htp_status choose(htp_query *query, const htp_replacing *options, bool *is_chosen)
{
    const htp_tree *tree = &query->model->tree;
    for (size_t i = 0; i < options->module_count; i++) {
        htp_address_matches matches;
        HTP_TRY(
            htp_status_prefix(htp_address_find(&query->arena, tree, options->modules[i], &matches),
                              query->model->view.path));
        for (uint32_t m = 0; m < tree->module_count; m++) {
            is_chosen[m] = is_chosen[m] || matches.is_matched[m];
        }
    }
    return HTP_OK;
}

/* The note in the model's metadata. */
static const char *make_note(htp_query *query, const htp_replacement *r,
                             const htp_replacing *options)
{
    htp_json json = {.text.arena = &query->arena};
    uint32_t last = HTP_NONE;
    htp_json_begin(&json, NULL, '{');
    htp_json_begin(&json, "modules", '[');
    for (size_t i = 0; i < r->list.count; i++) {
        uint32_t module = r->list.items[i].module;
        htp_slice address = htp_tree_address(&r->tree->modules[module]);
        if (module != last) {
            htp_json_string_part(&json, NULL, address.at, address.length);
        }
        last = module;
    }
    htp_json_end(&json, ']');
    if (options->op) {
        htp_json_string(&json, "operator", options->op);
    }
    if (options->call >= 0) {
        htp_json_number(&json, "call", options->call);
    }
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}

static htp_status report(htp_query *query, const htp_reported_replacement *reported)
{
    if (query->text) {
        HTP_TRY(htp_query_hand_over(htp_report_replacement(&query->arena, reported), query->text));
    }
    return query->json ? htp_query_hand_over(htp_report_replacement_json(&query->arena, reported),
                                             query->json)
                       : HTP_OK;
}

static htp_status fill(htp_query *query, const htp_replacing *options, htp_replacement *r,
                       htp_replacing_operator *op)
{
    htp_arena *arena = &query->arena;
    htp_model *other = query->other;
    if (!other) {
        HTP_TRY(htp_replace_by_operator(arena, r, op));
        HTP_TRY(htp_replace_order(arena, r));
    } else {
        const htp_replacing_part part = {&other->view, &other->tree,
                                         htp_view_types_new(arena, &other->view)};
        HTP_TRY(htp_replace_fit_part(arena, r, &part));
        HTP_TRY(htp_replace_order(arena, r));
        HTP_TRY(htp_status_prefix(htp_input_file_check(&htp_model_file(other)->file),
                                  other->view.path));
        htp_replace_by_part(arena, r, &part);
    }
    r->note = make_note(query, r, options);
    return HTP_OK;
}

static htp_status replace(htp_query *query)
{
    const struct replacing *work = query->options;
    htp_view *view = &query->model->view;
    const htp_view *file = &query->model->file; /* all zeroes without functions */
    htp_arena *arena = &query->arena;
    htp_replacement r;
    htp_replacing_operator op = {.domain = NULL};
    htp_writer_result written;
    htp_edit_list edits = {0};
    htp_rewrite_options options = {
        .progress = work->options.progress, .user = work->options.user, .arena = arena};
    bool *is_chosen = HTP_NEW_ARRAY(arena, bool, query->model->tree.module_count + 1);
    HTP_TRY(htp_query_check_output(query, work->path));
    if (work->options.op) {
        HTP_TRY(htp_replace_read_operator(arena, work->options.op, &op));
    }
    HTP_TRY(choose(query, &work->options, is_chosen));
    uint32_t call = work->options.call < 0 ? HTP_NONE : (uint32_t)work->options.call;
    HTP_TRY(htp_replace_find(arena, view, file->functions.count > 0 ? file : NULL,
                             &query->model->tree, is_chosen, call, &r));
    HTP_TRY(fill(query, &work->options, &r, &op));
    HTP_TRY(htp_replace_recipe(arena, &r, &options, &edits));
    HTP_TRY(htp_rewrite(view, &edits, work->path, &options, &written));
    const htp_reported_replacement reported = {
        .replacement = &r,
        .op = work->options.op ? &op : NULL,
        .by = work->options.by,
        .file = work->path,
        .model_bytes = written.model_bytes,
        .data_file = written.external_path,
        .data_bytes = written.external_bytes,
    };
    return report(query, &reported);
}

htp_status htp_model_replace(htp_model *model, const htp_replacing *replacing,
                             const char *onnx_path, char **text, char **json)
{
    struct replacing work = {.path = onnx_path};
    htp_query query = {
        .model = model, .answer = replace, .options = &work, .text = text, .json = json};
    HTP_TRY(take(replacing, &work.options));
    if (work.options.by) {
        HTP_TRY(htp_model_open(work.options.by, &query.other));
    }
    htp_status status = htp_query_ask(&query);
    htp_model_free(query.other);
    return status;
}
