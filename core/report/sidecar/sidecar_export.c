/*
 * The sidecar's part about the model as a whole and its export.
 */
#include "report/sidecar/sidecar_facts.h"

#include "report/tree/model_report.h"

static void put_imports(htp_json *json, const htp_view *view)
{
    int64_t opset = 0;
    for (size_t i = 0; i < view->imports.count; i++) {
        const htp_view_import *import = &view->imports.items[i];
        opset = htp_view_is_own_domain(view, import->domain) ? import->version : opset;
    }
    htp_json_number(json, "opset", opset);
    htp_report_opsets(json, view);
}

static void put_run(htp_json *json, const htp_sidecar_run *run)
{
    htp_json_string(json, "libtorch", run->libtorch);
    htp_json_begin(json, "seconds", '{');
    for (int stage = 0; stage < HTP_STAGE_COUNT; stage++) {
        double microseconds = run->seconds[stage] * 1e6;
        htp_json_double(json, htp_stage_name((htp_stage)stage),
                        (double)(uint64_t)microseconds / 1e6);
    }
    htp_json_end(json, '}');
    htp_json_line(json);
}

void htp_sidecar_put_export(htp_sidecar *sidecar, htp_json *json, const char *key,
                            const htp_sidecar_run *run)
{
    const htp_view *view = sidecar->view;
    const htp_tree *tree = sidecar->tree;
    const htp_view_property *rules =
        htp_view_find_property(view, view->properties, htp_view_find_name(view, "htp.tag_rules"));
    htp_json_begin(json, key, '{');
    htp_json_line(json);
    if (run) {
        put_run(json, run);
    }
    htp_json_string(json, "tool", htp_view_text(view, view->producer_name));
    htp_json_string(json, "tool_version", htp_view_text(view, view->producer_version));
    htp_json_number(json, "ir_version", view->ir_version);
    put_imports(json, view);
    htp_json_raw(json, "inputs", sidecar->inputs);
    htp_json_raw(json, "outputs", sidecar->outputs);
    htp_json_string(json, "hierarchy", tree->source_text);
    htp_json_string(json, "tags", tree->are_paths_in_tags ? "paths" : "classes");
    if (rules) {
        htp_json_string_part(json, "tag_rules", (const char *)rules->value.at, rules->value.bytes);
    } else {
        htp_json_null(json, "tag_rules");
    }
    htp_json_count(json, "nodes", tree->nodes);
    htp_json_count(json, "untagged", tree->untagged);
    htp_json_line(json);
    htp_json_end(json, '}');
}
