/*
 * Selects nodes and weights of an ONNX model.
 */
#include "api/model.h"
#include "api/options.h"
#include "query/select/error_report.h"
#include "report/parts/selection.h"

#include <math.h>

void htp_selection_init(htp_selection *selection)
{
    if (selection) {
        *selection = (htp_selection){
            .struct_size = sizeof(*selection), .precision = "fp32", .worse_than = -1};
    }
}

static htp_status take(const htp_selection *given, htp_selection *selection)
{
    htp_selection_init(selection);
    HTP_TRY(htp_given_copy(selection, sizeof(*selection), given, "the selection was",
                           "htp_selection_init"));
    HTP_TRY(htp_addresses_check(selection->modules, selection->module_count));
    HTP_TRY(htp_addresses_check(selection->except, selection->except_count));
    if (selection->module_count == 0 && !selection->verify) {
        return htp_status_make(HTP_CODE_USAGE, "no module is selected");
    }
    bool has_limit = selection->worse_than >= 0 || selection->worst != 0;
    if (isnan(selection->worse_than) || selection->worst < 0 || (has_limit && !selection->verify)) {
        return htp_status_make(HTP_CODE_USAGE, "a limit of errors, and a number of modules from 1 "
                                               "on, are for a report of verify");
    }
    if ((unsigned)selection->format > HTP_SELECT_TRTEXEC) {
        return htp_status_make(HTP_CODE_USAGE, "unknown format of selections: %d",
                               (int)selection->format);
    }
    selection->precision = selection->precision ? selection->precision : "fp32";
    return HTP_OK;
}

static htp_status find_region(htp_query *query, const char *const *addresses, size_t count,
                              bool own, htp_region *region)
{
    htp_model *model = query->model;
    *region = htp_region_new(&query->arena, &model->view, &model->tree);
    for (size_t i = 0; i < count; i++) {
        HTP_TRY(htp_status_prefix(htp_region_add(&query->arena, region, addresses[i], own),
                                  model->view.path));
    }
    return HTP_OK;
}

/* Adds the modules that a report of verify says are worse than wanted. */
static htp_status add_worse(htp_query *query, const htp_selection *selection, htp_region *region)
{
    htp_model *model = query->model;
    htp_arena *arena = &query->arena;
    htp_error_report report;
    HTP_TRY(htp_error_report_read(arena, &model->view, &model->tree, selection->verify, &report));
    double limit = selection->worse_than < 0 ? report.tolerance : selection->worse_than;
    htp_region_add_modules(
        arena, region,
        htp_error_report_worse(arena, &model->tree, &report, limit, (uint32_t)selection->worst),
        false);
    return HTP_OK;
}

/* Removes nodes of other op types. */
static void keep_op_types(htp_region *region, const char *pattern)
{
    const htp_view *view = region->view;
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        htp_slice op_type = htp_slice_of(htp_view_text(view, view->nodes.items[i].op_type));
        if (region->has_node[i] && !htp_address_glob(pattern, op_type)) {
            region->has_node[i] = false;
            region->node_count--;
        }
    }
}

static htp_status select_nodes(htp_query *query)
{
    const htp_selection *selection = query->options;
    htp_region region, other;
    const char *text;
    HTP_TRY(
        find_region(query, selection->modules, selection->module_count, selection->own, &region));
    if (selection->verify) {
        HTP_TRY(add_worse(query, selection, &region));
    }
    HTP_TRY(find_region(query, selection->except, selection->except_count, false, &other));
    htp_region_subtract(&region, &other);
    if (selection->op) {
        keep_op_types(&region, selection->op);
    }
    const htp_selected selected = {
        .region = &region,
        .lists_weights = selection->weights,
        .has_weight = selection->weights ? htp_region_find_weights(&query->arena, &region) : NULL,
        .format = selection->format,
        .precision = selection->precision,
    };
    HTP_TRY(htp_report_selection(&query->arena, &selected, &text));
    return htp_query_hand_over(text, query->text);
}

htp_status htp_model_select(htp_model *model, const htp_selection *selection, char **text)
{
    htp_selection taken;
    htp_query query = {.model = model, .answer = select_nodes, .options = &taken, .text = text};
    if (!text) {
        return htp_status_make(HTP_CODE_USAGE, "there is no place for the list");
    }
    *text = NULL;
    HTP_TRY(take(selection, &taken));
    return htp_query_ask(&query);
}
