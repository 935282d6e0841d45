#include "report/retag_report.h"

#include "base/json/json.h"
#include "base/text.h"

#include <string.h>

enum { NUMBER_COLUMNS = 10 };

const char *htp_report_retagging(htp_arena *arena, const htp_retagging *retagging, const char *path)
{
    htp_text text = {.arena = arena};
    htp_text_addf(&text, "%s: %s nodes, with the modules of %s\n", path,
                  htp_text_grouped(arena, retagging->changed.view->nodes.count),
                  retagging->like.view->path);
    for (int i = 1; i <= HTP_RETAG_EVIDENCES; i++) { /* the first evidence, "nothing", is printed
                                                        last */
        int evidence = i % HTP_RETAG_EVIDENCES;
        if (retagging->counts[evidence] > 0) {
            htp_text_addf(&text, "%*s  by %s\n", NUMBER_COLUMNS,
                          htp_text_grouped(arena, retagging->counts[evidence]),
                          htp_retag_evidence_name((htp_retag_evidence)evidence));
        }
    }
    return htp_text_string(&text);
}

static void add_tag(htp_json *json, const htp_retagging *retagging, const char *key,
                    uint32_t module)
{
    htp_slice tag = retagging->like.tree->modules[module].tag;
    htp_json_string_part(json, key, tag.at, tag.length);
}

static void add_node(htp_json *json, const htp_retagging *retagging, uint32_t n)
{
    const htp_retag_place *place = &retagging->places[n];
    const htp_view *view = retagging->changed.view;
    htp_json_begin(json, NULL, '{');
    htp_json_string(json, "node", htp_view_call_node(view, n));
    htp_json_string(json, "op_type", htp_view_text(view, view->nodes.items[n].op_type));
    htp_json_begin(json, "tags", '[');
    add_tag(json, retagging, NULL, place->module);
    for (uint32_t i = 0; i < place->more.count; i++) {
        add_tag(json, retagging, NULL, retagging->more.items[place->more.first + i]);
    }
    htp_json_end(json, ']');
    htp_json_string(json, "found_by", htp_retag_evidence_name(place->evidence));
    htp_json_end(json, '}');
}

const char *htp_report_retagging_json(htp_arena *arena, const htp_retagging *retagging,
                                      const char *path)
{
    const htp_view *view = retagging->changed.view;
    htp_json json = {.text.arena = arena};
    htp_json_begin(&json, NULL, '{');
    htp_json_string(&json, "model", view->path);
    htp_json_string(&json, "status", "ok");
    htp_json_string(&json, "like", retagging->like.view->path);
    htp_json_string(&json, "output", path);
    htp_json_count(&json, "nodes", view->nodes.count);
    htp_json_begin(&json, "found_by", '{');
    for (int i = 0; i < HTP_RETAG_EVIDENCES; i++) {
        htp_json_count(&json, htp_retag_evidence_name((htp_retag_evidence)i), retagging->counts[i]);
    }
    htp_json_end(&json, '}');
    htp_json_begin(&json, "found", '[');
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (retagging->places[n].evidence != HTP_RETAG_BY_ATTRIBUTE) {
            add_node(&json, retagging, n);
        }
    }
    htp_json_end(&json, ']');
    htp_json_end(&json, '}');
    return htp_text_string(&json.text);
}
