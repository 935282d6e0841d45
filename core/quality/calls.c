/*
 * The oracle of calls: a reference knows the module that ran a node. The tag must name that module,
 * or an ancestor of it.
 */
#include "quality/parts.h"

#include "quality/places.h"

static void judge_node(htp_measuring *m, uint32_t node, uint32_t ran)
{
    if (m->places->first[m->places->instance[ran]] == HTP_NONE || htp_places_are_many(m, ran)) {
        return;
    }
    htp_place place;
    bool is_right = htp_places_find_node(m, node, ran, &place);
    if (place.module != HTP_NONE) {
        uint32_t module = m->subject->eligible[place.module];
        m->truth[HTP_ORACLE_CALLS][node] = module;
        m->deepest[node] = module;
        m->is_deeper[node] = !place.is_exact;
    }
    htp_judge(m, node, HTP_METRIC_CONTAMINATION_CALLS, !is_right);
}

void htp_judge_calls(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    bool has_judged = false;
    if (!m->reference) {
        htp_give_up(m, HTP_METRIC_CONTAMINATION_CALLS, "there is no reference");
        return;
    }
    for (uint32_t n = 0; n < s->node_count; n++) {
        uint32_t ran = m->reference->modules[n];
        if (ran != HTP_NONE && s->module_of[n] != HTP_NONE) {
            judge_node(m, n, ran);
            has_judged = true;
        }
    }
    if (!has_judged) {
        htp_give_up(m, HTP_METRIC_CONTAMINATION_CALLS,
                    s->tree->untagged == s->tree->nodes
                        ? "no node has a tag"
                        : "the reference has no node that has a tag");
    }
}
