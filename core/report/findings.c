/*
 * Findings, one per line.
 */
#include "report/tree/model_report.h"

#include "base/json/json.h"
#include "base/text.h"

const char *htp_report_findings(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                const htp_findings *findings)
{
    htp_text text = {.arena = arena};
    size_t count = findings->list.count;
    for (size_t i = 0; i < count; i++) {
        htp_text_add(&text, htp_text_printable(arena, findings->list.items[i]));
        htp_text_add(&text, "\n");
    }
    htp_text_addf(&text, "%s: %s finding%s in %s nodes; modules by %s\n",
                  htp_text_printable(arena, view->path), htp_text_grouped(arena, count),
                  count == 1 ? "" : "s", htp_text_grouped(arena, tree->nodes), tree->source_text);
    return htp_text_string(&text);
}

const char *htp_report_findings_json(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                                     const htp_findings *findings)
{
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", view->path);
    htp_json_string(&json, "status", findings->list.count > 0 ? "findings" : "ok");
    htp_json_string(&json, "hierarchy", tree->source_text);
    htp_json_count(&json, "nodes", tree->nodes);
    htp_json_begin(&json, "findings", '[');
    for (size_t i = 0; i < findings->list.count; i++) {
        htp_json_string(&json, NULL, findings->list.items[i]);
    }
    htp_json_end(&json, ']');
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
