/*
 * Comparing two ONNX models.
 */
#include "query/diff/compare.h"
#include "api/model.h"
#include "report/compare/comparison.h"

static htp_status compare(htp_question *question)
{
    bool *is_different = (bool *)question->options;
    const htp_view *const views[] = {&question->model->view, &question->other->view};
    const htp_tree *const trees[] = {&question->model->tree, &question->other->tree};
    htp_comparison *comparison = HTP_NEW(&question->arena, htp_comparison);
    HTP_TRY(htp_compare(&question->arena, views, trees, comparison));
    *is_different = comparison->is_different;
    if (question->text) {
        HTP_TRY(htp_question_hand_over(htp_report_comparison(&question->arena, comparison),
                                       question->text));
    }
    if (question->json) {
        HTP_TRY(htp_question_hand_over(htp_report_comparison_json(&question->arena, comparison),
                                       question->json));
    }
    return HTP_OK;
}

htp_status htp_model_compare(htp_model *a, htp_model *b, char **text, char **json,
                             bool *is_different)
{
    bool found = false;
    htp_question question = {
        .model = a, .other = b, .answer = compare, .options = &found, .text = text, .json = json};
    if (!b) {
        return htp_status_make(HTP_CODE_USAGE, "there is no model to compare with");
    }
    htp_status status = htp_question_ask(&question);
    if (is_different) {
        *is_different = found;
    }
    return status;
}
