#include "quality/quality.h"

#include "quality/parts.h"
#include "quality/places.h"

#include <string.h>

/* Metrics counted per node, over the nodes that were judged. */
static const htp_metric by_node[] = {
    HTP_METRIC_CONTAMINATION_WEIGHTS,
    HTP_METRIC_CONTAMINATION_CALLS,
    HTP_METRIC_CONTAMINATION_STRUCTURE,
    HTP_METRIC_SPECIFICITY,
    HTP_METRIC_CONSISTENCY,
};

/* ---- sums ---- */

static void count_nodes(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    for (uint32_t n = 0; n < s->node_count; n++) {
        uint32_t module = s->module_of[n];
        for (size_t i = 0; i < sizeof(by_node) / sizeof(by_node[0]); i++) {
            unsigned bit = 1U << by_node[i];
            bool is_found = (m->problems[n] & bit) != 0;
            if (m->judged[n] & bit) {
                htp_count(m, by_node[i], module,
                          is_found == htp_metric_is_contamination(by_node[i]));
            }
        }
        if (module != HTP_NONE) {
            m->modules[module].nodes++;
            m->modules[module].good += m->problems[n] == 0;
        }
        if (s->tree->places[n].innermost != HTP_NONE) {
            m->modules[s->tree->places[n].innermost].ran++;
        }
    }
}

static void count_depths(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    for (uint32_t i = 0; i < s->module_count; i++) {
        if (s->tree->modules[i].has_tag) { /* others may be deeper than all of these */
            m->quality->depths[s->tree->modules[i].depth].modules++;
        }
    }
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (s->module_of[n] != HTP_NONE) {
            m->quality->depths[s->tree->modules[s->module_of[n]].depth].nodes++;
        }
    }
}

/* Adds counts of modules to their ancestors. */
static void add_up(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    for (uint32_t i = s->module_count; i-- > 1;) {
        uint32_t parent = s->tree->modules[i].parent;
        if (parent == HTP_NONE) {
            continue;
        }
        htp_quality_module *above = &m->modules[parent];
        above->nodes += m->modules[i].nodes;
        above->good += m->modules[i].good;
        for (int k = 0; k < HTP_METRICS; k++) {
            above->measures.of[k].count += m->modules[i].measures.of[k].count;
            above->measures.of[k].of += m->modules[i].measures.of[k].of;
        }
    }
}

/* Weights in the usual sense: no integers and bools, which are mostly sizes and masks. */
static uint64_t count_weights(const htp_measuring *m)
{
    enum { INT32 = 6, INT64 = 7, BOOL = 9 };
    const htp_view *view = m->subject->view;
    uint64_t count = 0;
    for (size_t t = 0; t < view->tensors.count; t++) {
        const htp_view_tensor *tensor = &view->tensors.items[t];
        count += tensor->attribute == HTP_NONE && tensor->data_type != INT32 &&
                 tensor->data_type != INT64 && tensor->data_type != BOOL;
    }
    return count;
}

/* ---- confusion ---- */

/* The number of the member that a module is, or lies below. */
static uint32_t find_member(const htp_subject *s, const uint32_t *number, uint32_t module,
                            const htp_quality_layer *layer)
{
    for (uint32_t at = module; at != HTP_NONE; at = s->tree->modules[at].parent) {
        uint32_t found = number[at];
        if (found < layer->count && layer->members[found] == at) {
            return found;
        }
    }
    return layer->count;
}

static void fill(htp_measuring *m, htp_quality_layer *layer, int oracle, uint32_t *number)
{
    const htp_subject *s = m->subject;
    htp_confusion *confusion = &layer->confusion[oracle];
    if (layer->count > HTP_CONFUSION_LARGEST) {
        return;
    }
    confusion->counts =
        HTP_NEW_ARRAY(m->arena, uint32_t, (size_t)layer->count * (layer->count + 1U));
    for (uint32_t i = 0; i < layer->count; i++) {
        number[layer->members[i]] = i;
    }
    for (uint32_t i = 0; i < layer->count; i++) {
        htp_view_range nodes = htp_subject_nodes(s, layer->members[i]);
        for (uint32_t k = nodes.first; k < nodes.first + nodes.count; k++) {
            uint32_t truth = m->truth[oracle][s->nodes[k]];
            if (truth != HTP_NONE) {
                uint32_t column = find_member(s, number, truth, layer);
                confusion->counts[(size_t)i * (layer->count + 1U) + column]++;
                confusion->is_known = true;
            }
        }
    }
}

void htp_fill_confusion(htp_measuring *m)
{
    uint32_t *number = HTP_NEW_ARRAY(m->arena, uint32_t, m->subject->module_count + 1U);
    memset(number, 0xff, (m->subject->module_count + 1U) * sizeof(*number));
    for (size_t i = 0; i < m->quality->layers.count; i++) {
        for (int oracle = 0; oracle < HTP_ORACLES; oracle++) {
            fill(m, &m->quality->layers.items[i], oracle, number);
        }
    }
}

/* ---- all of it ---- */

static uint32_t *new_numbers(htp_arena *arena, size_t count)
{
    uint32_t *numbers = HTP_NEW_ARRAY(arena, uint32_t, count + 1);
    memset(numbers, 0xff, (count + 1) * sizeof(*numbers));
    return numbers;
}

static void make_room(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < s->module_count; i++) {
        const htp_tree_module *module = &s->tree->modules[i];
        deepest = module->has_tag && module->depth > deepest ? module->depth : deepest;
    }
    m->quality->depth_count = deepest + 1;
    m->quality->depths = HTP_NEW_ARRAY(m->arena, htp_quality_depth, deepest + 1U);
    m->judged = HTP_NEW_ARRAY(m->arena, uint16_t, s->node_count + 1U);
    m->problems = HTP_NEW_ARRAY(m->arena, uint16_t, s->node_count + 1U);
    m->modules = HTP_NEW_ARRAY(m->arena, htp_quality_module, s->module_count + 1U);
    m->deepest = new_numbers(m->arena, s->node_count);
    m->expected = new_numbers(m->arena, s->node_count);
    m->is_deeper = HTP_NEW_ARRAY(m->arena, bool, s->node_count + 1U);
    for (uint32_t i = 0; i < s->module_count; i++) {
        m->modules[i].milliseconds = -1;
    }
    for (int oracle = 0; oracle < HTP_ORACLES; oracle++) {
        m->truth[oracle] = new_numbers(m->arena, s->node_count);
        m->quality->truth[oracle] = m->truth[oracle];
    }
    m->quality->judged = m->judged;
    m->quality->problems = m->problems;
    m->quality->modules = m->modules;
}

void htp_quality_measure(htp_arena *arena, const htp_subject *subject,
                         const htp_reference *reference, htp_quality *quality)
{
    *quality = (htp_quality){.subject = subject, .reference = reference};
    htp_measuring m = {
        .arena = arena, .subject = subject, .reference = reference, .quality = quality};
    make_room(&m);
    if (reference) {
        htp_places_make(&m);
    }
    htp_find_aliases(&m);
    htp_find_layers(&m);
    htp_judge_weights(&m);
    htp_judge_calls(&m);
    htp_judge_structure(&m);
    htp_judge_cohesion(&m);
    htp_judge_specificity(&m);
    htp_judge_scopes(&m);
    htp_judge_tensors(&m);
    htp_judge_injectivity(&m);
    htp_judge_consistency(&m);
    htp_fill_confusion(&m);
    count_nodes(&m);
    count_depths(&m);
    add_up(&m);
    quality->weights = count_weights(&m);
}
