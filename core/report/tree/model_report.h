/*
 * Reports on an ONNX model or some of its modules, as text and JSON.
 */
#ifndef HTP_REPORT_MODEL_REPORT_H
#define HTP_REPORT_MODEL_REPORT_H

#include "base/json/json.h"
#include "query/select/region.h"
#include "query/validate/validate.h"

/** Whether a module has a tag and is at most @p depth levels below the root; negative: any. */
bool htp_report_is_shown(const htp_tree_module *module, int depth);

/** Begins the object of an answer on a model: its path, status and kind. */
void htp_report_begin_model(htp_json *json, const htp_view *view);

/** The operator sets that a model imports, as the member "opsets" of the current object. */
void htp_report_opsets(htp_json *json, const htp_view *view);

/** The module tree down to @p depth levels below the root; negative: all. */
const char *htp_report_model(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                             int depth);
const char *htp_report_model_json(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                  int depth);

/** The border, nodes and weights of the region of @p address, which must have nodes. */
const char *htp_report_region(htp_arena *arena, const htp_region *region, const char *address);
const char *htp_report_region_json(htp_arena *arena, const htp_region *region, const char *address);

/** The borders of all tagged modules down to @p depth levels below the root; negative: all. */
const char *htp_report_borders(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                               int depth);
const char *htp_report_borders_json(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                    int depth);

/** Findings, one per line, and a line that counts them. */
const char *htp_report_findings(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                const htp_findings *findings);
const char *htp_report_findings_json(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                     const htp_findings *findings);

#endif
