/*
 * Values that cross the border of modules, as text and JSON. Private to core/report/parts.
 */
#ifndef HTP_REPORT_BORDER_REPORT_H
#define HTP_REPORT_BORDER_REPORT_H

#include "base/json/json.h"
#include "onnx/shape_inference/infer_view.h"
#include "query/select/region.h"

/** What describes a crossing value. */
typedef struct htp_border_facts {
    const htp_view *view;
    const htp_tree *tree;
    htp_view_types *types;
} htp_border_facts;

/** The tag of a module. */
const char *htp_report_tag(htp_arena *arena, const htp_tree *tree, uint32_t module);

/** The tag of a module as a member; null for HTP_NONE. */
void htp_report_tag_json(htp_json *json, const char *key, const htp_tree *tree, uint32_t module);

/** Adds the inputs or outputs of modules under a title: types, and the modules outside. */
void htp_report_border(htp_text *text, const htp_border_facts *facts, const char *title,
                       const htp_region_values *values, bool is_output);

/** The same as the member "inputs" or "outputs". */
void htp_report_crossing_json(htp_json *json, const htp_border_facts *facts,
                              const htp_region_values *values, bool is_output);

#endif
