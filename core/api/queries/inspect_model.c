/*
 * Facts about an ONNX model: its modules, their borders, or what they cost.
 */
#include "api/options.h"
#include "api/queries/measures.h"
#include "report/cost/cost.h"
#include "report/tree/model_report.h"

void htp_inspect_options_init(htp_inspect_options *options)
{
    if (options) {
        *options = (htp_inspect_options){.struct_size = sizeof(*options), .depth = -1};
    }
}

static htp_status inspect_region(htp_query *query, const htp_inspect_options *options)
{
    htp_model *model = query->model;
    const char *address = options->module;
    htp_region region = htp_region_new(&query->arena, &model->view, &model->tree);
    HTP_TRY(htp_status_prefix(htp_region_add(&query->arena, &region, address, options->own),
                              model->view.path));
    if (query->text) {
        HTP_TRY(
            htp_query_hand_over(htp_report_region(&query->arena, &region, address), query->text));
    }
    if (query->json) {
        HTP_TRY(htp_query_hand_over(htp_report_region_json(&query->arena, &region, address),
                                    query->json));
    }
    return HTP_OK;
}

static htp_status inspect_borders(htp_query *query, int depth)
{
    htp_arena *arena = &query->arena;
    const htp_view *view = &query->model->view;
    const htp_tree *tree = &query->model->tree;
    if (query->text) {
        HTP_TRY(htp_query_hand_over(htp_report_borders(arena, view, tree, depth), query->text));
    }
    if (query->json) {
        HTP_TRY(
            htp_query_hand_over(htp_report_borders_json(arena, view, tree, depth), query->json));
    }
    return HTP_OK;
}

static htp_status inspect_cost(htp_query *query, const htp_inspect_options *options)
{
    htp_model *model = query->model;
    htp_arena *arena = &query->arena;
    htp_costs costs;
    htp_region region = htp_region_new(arena, &model->view, &model->tree);
    if (options->module) {
        HTP_TRY(htp_status_prefix(htp_region_add(arena, &region, options->module, options->own),
                                  model->view.path));
    }
    HTP_TRY(htp_costs_find(arena, &model->view, &model->tree, options->sizes, &costs));
    if (options->node_data) {
        htp_node_data data = {.view = &model->view, .name = "multiply-adds"};
        HTP_TRY(htp_measure_found(query, &costs, false, &data.values));
        HTP_TRY(htp_node_data_write(query, &data, options->node_data));
    }
    const htp_cost_query asked = {
        .costs = &costs,
        .region = options->module ? &region : NULL,
        .address = options->module,
        .depth = options->depth,
    };
    if (query->text) {
        HTP_TRY(htp_query_hand_over(htp_report_cost(arena, &asked), query->text));
    }
    if (query->json) {
        HTP_TRY(htp_query_hand_over(htp_report_cost_json(arena, &asked), query->json));
    }
    return HTP_OK;
}

static htp_status inspect(htp_query *query)
{
    const htp_inspect_options *options = query->options;
    htp_model *model = query->model;
    htp_arena *arena = &query->arena;
    if (options->cost) {
        return inspect_cost(query, options);
    }
    if (options->borders) {
        return inspect_borders(query, options->depth);
    }
    if (options->module) {
        return inspect_region(query, options);
    }
    if (query->text) {
        HTP_TRY(htp_query_hand_over(
            htp_report_model(arena, &model->view, &model->tree, options->depth), query->text));
    }
    if (query->json) {
        HTP_TRY(htp_query_hand_over(
            htp_report_model_json(arena, &model->view, &model->tree, options->depth), query->json));
    }
    return HTP_OK;
}

htp_status htp_model_inspect(htp_model *model, const htp_inspect_options *given, char **text,
                             char **json)
{
    htp_inspect_options options;
    htp_inspect_options_init(&options);
    if (given) {
        HTP_TRY(htp_given_copy(&options, sizeof(options), given, "the options were",
                               "htp_inspect_options_init"));
    }
    if ((options.sizes || options.node_data) && !options.cost) {
        return htp_status_make(HTP_CODE_USAGE, "sizes and node data are for the cost");
    }
    if (options.borders && (options.cost || options.module)) {
        return htp_status_make(HTP_CODE_USAGE,
                               "borders are those of all modules, without the cost");
    }
    htp_query query = {
        .model = model, .answer = inspect, .options = &options, .text = text, .json = json};
    return htp_query_ask(&query);
}
