/*
 * Compares two ONNX models.
 */
#include "query/compare/compare.h"
#include "api/model.h"
#include "report/compare/compare.h"

static htp_status compare(htp_query *query)
{
    bool *is_different = (bool *)query->options;
    const htp_view *const views[] = {&query->model->view, &query->other->view};
    const htp_tree *const trees[] = {&query->model->tree, &query->other->tree};
    htp_comparison *comparison = HTP_NEW(&query->arena, htp_comparison);
    HTP_TRY(htp_compare(&query->arena, views, trees, comparison));
    *is_different = comparison->is_different;
    if (query->text) {
        HTP_TRY(htp_query_hand_over(htp_report_comparison(&query->arena, comparison), query->text));
    }
    if (query->json) {
        HTP_TRY(htp_query_hand_over(htp_report_comparison_json(&query->arena, comparison),
                                    query->json));
    }
    return HTP_OK;
}

htp_status htp_model_compare(htp_model *a, htp_model *b, char **text, char **json,
                             bool *is_different)
{
    bool found = false;
    htp_query query = {
        .model = a, .other = b, .answer = compare, .options = &found, .text = text, .json = json};
    if (!b) {
        return htp_status_make(HTP_CODE_USAGE, "there is no model to compare with");
    }
    htp_status status = htp_query_ask(&query);
    if (is_different) {
        *is_different = found;
    }
    return status;
}
