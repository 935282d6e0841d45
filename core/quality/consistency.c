/*
 * Consistency: whether attributes, metadata, names and records agree, by the rules of
 * query/validate/validate.h. Counts nodes, records of modules, and weights that list modules.
 */
#include "quality/parts.h"

#include "query/validate/validate.h"

#include <string.h>

/* In how many places the file names modules. */
static unsigned count_places(const htp_subject *s)
{
    static const char *const keys[] = {"source_module", "layer_ann", "namespace"};
    const htp_view *view = s->view;
    unsigned places = s->tree->source == HTP_TREE_ATTRIBUTES;
    places += s->tree->source == HTP_TREE_DOC_STRINGS;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        places += htp_view_find_name(view, keys[i]) != 0;
    }
    bool has_scopes = false;
    for (uint32_t n = 0; n < s->node_count && !has_scopes; n++) {
        const char *name = htp_view_text(view, view->nodes.items[n].name);
        has_scopes = *name == '/' && strrchr(name, '/') > name;
    }
    return places + has_scopes;
}

static void count_items(htp_measuring *m, const bool *is_wrong_module, const bool *is_wrong_tensor)
{
    const htp_subject *s = m->subject;
    htp_view_name key = htp_view_find_name(s->view, "hierarchy_tags");
    for (uint32_t i = 0; i < s->module_count; i++) {
        if (s->tree->modules[i].is_record) {
            htp_count(m, HTP_METRIC_CONSISTENCY, i, !is_wrong_module[i]);
        }
    }
    for (size_t t = 0; t < s->view->tensors.count; t++) {
        if (htp_view_find_property(s->view, s->view->tensors.items[t].properties, key)) {
            htp_count(m, HTP_METRIC_CONSISTENCY, HTP_NONE, !is_wrong_tensor[t]);
        }
    }
}

void htp_judge_consistency(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    htp_findings findings = {.arena = m->arena};
    if (s->tree->source < HTP_TREE_ATTRIBUTES || s->tree->source > HTP_TREE_LAYER_ANN) {
        htp_give_up(m, HTP_METRIC_CONSISTENCY,
                    s->tree->untagged == s->tree->nodes ? "no node has a tag"
                                                        : "modules are in one place alone");
        return;
    }
    if (count_places(s) < 2) {
        htp_give_up(m, HTP_METRIC_CONSISTENCY, "modules are in one place alone");
        return;
    }
    bool *is_wrong_module = HTP_NEW_ARRAY(m->arena, bool, s->module_count + 1U);
    bool *is_wrong_tensor = HTP_NEW_ARRAY(m->arena, bool, s->view->tensors.count + 1);
    htp_findings_turn_to(&findings, HTP_NONE, HTP_NONE, HTP_NONE);
    htp_validate_nodes(s->view, s->tree, &findings);
    htp_validate_records(s->view, s->tree, &findings);
    htp_validate_weights(s->view, s->tree, &findings);
    for (uint32_t n = 0; n < s->node_count; n++) {
        m->judged[n] |= (uint16_t)((s->module_of[n] != HTP_NONE) << HTP_METRIC_CONSISTENCY);
    }
    for (size_t i = 0; i < findings.subjects.count; i++) {
        htp_finding_subject about = findings.subjects.items[i];
        if (about.node != HTP_NONE && s->module_of[about.node] != HTP_NONE) {
            htp_judge(m, about.node, HTP_METRIC_CONSISTENCY, true);
        } else if (about.module != HTP_NONE) {
            is_wrong_module[about.module] = true;
        } else if (about.tensor != HTP_NONE) {
            is_wrong_tensor[about.tensor] = true;
        }
    }
    count_items(m, is_wrong_module, is_wrong_tensor);
}
