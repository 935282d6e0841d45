/*
 * Cuts modules out of an ONNX model.
 */
#include "api/model.h"
#include "api/options.h"
#include "query/partition/cut.h"
#include "query/select/calls.h"
#include "report/parts/part_report.h"

#include <string.h>

void htp_extraction_init(htp_extraction *extraction)
{
    if (extraction) {
        *extraction = (htp_extraction){.struct_size = sizeof(*extraction), .call = -1};
    }
}

struct extracting {
    const char *path;
    htp_extraction options;
};

static htp_status take(const htp_extraction *given, htp_extraction *extraction)
{
    htp_extraction_init(extraction);
    HTP_TRY(htp_given_copy(extraction, sizeof(*extraction), given, "the extraction was",
                           "htp_extraction_init"));
    HTP_TRY(htp_addresses_check(extraction->modules, extraction->module_count));
    HTP_TRY(htp_addresses_check(extraction->except, extraction->except_count));
    if (extraction->module_count == 0) {
        return htp_status_make(HTP_CODE_USAGE, "no module is to be extracted");
    }
    if ((unsigned)extraction->external_data > HTP_EXTERNAL_NEVER) {
        return htp_status_make(HTP_CODE_USAGE, "unknown choice of external data: %d",
                               (int)extraction->external_data);
    }
    return htp_call_check(extraction->call);
}

/* ---- what is cut out ---- */

static htp_status find_nodes(htp_query *query, const char *const *addresses, size_t count, bool own,
                             htp_region *region)
{
    htp_model *model = query->model;
    *region = htp_region_new(&query->arena, &model->view, &model->tree);
    region->takes_first_tag = true;
    for (size_t i = 0; i < count; i++) {
        HTP_TRY(htp_status_prefix(htp_region_add(&query->arena, region, addresses[i], own),
                                  model->view.path));
    }
    return HTP_OK;
}

static htp_status choose_call(htp_query *query, const htp_extraction *options, const char *name,
                              htp_region *region)
{
    htp_address_matches matches;
    if (options->call < 0) {
        return HTP_OK;
    }
    HTP_TRY(htp_address_find(&query->arena, region->tree, options->modules[0], &matches));
    HTP_TRY(
        htp_calls_check_module(region->view->path, name,
                               options->module_count > 1 ? options->module_count : matches.count));
    return htp_calls_restrict(&query->arena, region, matches.first, (uint32_t)options->call, name);
}

static const char *join(htp_arena *arena, const htp_extraction *options)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < options->module_count; i++) {
        htp_text_addf(&text, "%s%s", i ? "', '" : "", options->modules[i]);
    }
    return htp_text_string(&text);
}

static htp_status find_cut(htp_query *query, const htp_extraction *options, htp_cut *cut)
{
    htp_region region, other;
    const char *name = join(&query->arena, options);
    HTP_TRY(find_nodes(query, options->modules, options->module_count, options->own, &region));
    HTP_TRY(choose_call(query, options, name, &region));
    HTP_TRY(find_nodes(query, options->except, options->except_count, false, &other));
    htp_region_subtract(&region, &other);
    return htp_cut_region(&query->arena, &region, name, cut);
}

/* ---- writing ---- */

/* The note in a part's metadata: its records count the nodes of the whole. */
static const char *make_note(htp_query *query, const htp_extraction *options)
{
    htp_json json = {.text.arena = &query->arena};
    if (!query->model->tree.has_records) {
        return NULL;
    }
    htp_json_begin(&json, NULL, '{');
    htp_json_begin(&json, "modules", '[');
    for (size_t i = 0; i < options->module_count; i++) {
        htp_json_string(&json, NULL, options->modules[i]);
    }
    htp_json_end(&json, ']');
    if (options->call >= 0) {
        htp_json_number(&json, "call", options->call);
    }
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}

static const char *report_json(htp_query *query, const htp_reported_part *reported)
{
    htp_json json = {.text.arena = &query->arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", query->model->view.path);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "output", reported->file);
    htp_report_part_json(&json, &query->model->view, reported);
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}

static htp_status report(htp_query *query, const htp_reported_part *reported)
{
    const htp_view *view = &query->model->view;
    if (query->text) {
        HTP_TRY(htp_query_hand_over(htp_report_part(&query->arena, view, reported), query->text));
    }
    return query->json ? htp_query_hand_over(report_json(query, reported), query->json) : HTP_OK;
}

static htp_status extract(htp_query *query)
{
    static const htp_edit_list no_edits = {0};
    const struct extracting *work = query->options;
    htp_view *view = &query->model->view;
    htp_arena *arena = &query->arena;
    htp_cut cut;
    htp_part part;
    htp_writer_result written;
    htp_rewrite_options options = {
        .progress = work->options.progress,
        .user = work->options.user,
        .arena = arena,
        .place = HTP_DATA_CHOSEN,
        .external_data = work->options.external_data,
    };
    HTP_TRY(htp_query_check_output(query, work->path));
    HTP_TRY(find_cut(query, &work->options, &cut));
    const htp_division division =
        htp_division_make(arena, view, cut.is_shared, cut.graph, 1, cut.part_of);
    htp_view_types *types = htp_view_types_new(arena, view);
    htp_part_maker *maker = htp_part_maker_new(arena, &division, &query->model->tree, types);
    htp_part_find(maker, arena, 0, NULL, &part);
    HTP_TRY(
        htp_part_recipe(maker, arena, &part, make_note(query, &work->options), &options.recipe));
    options.tensors = part.tensors.items;
    options.tensor_count = part.tensors.count;
    HTP_TRY(htp_rewrite(view, &no_edits, work->path, &options, &written));
    const htp_reported_part reported = {
        .part = &part,
        .types = types,
        .file = work->path,
        .model_bytes = written.model_bytes,
        .data_file = written.external_path,
        .data_bytes = written.external_bytes,
    };
    return report(query, &reported);
}

htp_status htp_model_extract(htp_model *model, const htp_extraction *extraction,
                             const char *onnx_path, char **text, char **json)
{
    struct extracting work = {.path = onnx_path};
    htp_query query = {
        .model = model, .answer = extract, .options = &work, .text = text, .json = json};
    HTP_TRY(take(extraction, &work.options));
    return htp_query_ask(&query);
}
