/*
 * Metrics that need no oracle: coverage, scopes, tensors, specificity.
 */
#include "quality/parts.h"

#include "query/dataflow/flow.h"

#include <string.h>

/* ---- scopes ---- */

/* The deepest module around most nodes. */
static uint32_t find_root(const htp_subject *s)
{
    uint32_t root = 0;
    for (uint32_t i = 0; i < s->module_count; i++) {
        const htp_tree_module *module = &s->tree->modules[i];
        if (module->parent == HTP_NONE &&
            module->nodes_total > s->tree->modules[root].nodes_total) {
            root = i;
        }
    }
    return root;
}

static htp_scope_quality scope_of(const htp_subject *s, uint32_t top, uint32_t tagged)
{
    bool is_below = htp_subject_is_above(s, top, tagged);
    return s->tree->are_paths_in_tags         ? HTP_SCOPE_NAME
           : is_below || s->tree->has_records ? HTP_SCOPE_FULL
                                              : HTP_SCOPE_CLASS;
}

void htp_judge_scopes(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    uint8_t *scopes = HTP_NEW_ARRAY(m->arena, uint8_t, s->node_count + 1U);
    uint32_t root = find_root(s);
    for (uint32_t n = 0; n < s->node_count; n++) {
        uint32_t module = s->module_of[n];
        scopes[n] = module == HTP_NONE ? HTP_SCOPE_NONE : (uint8_t)scope_of(s, root, module);
        m->quality->scopes[scopes[n]]++;
        htp_count(m, HTP_METRIC_SCOPE, module, scopes[n] == HTP_SCOPE_FULL);
        htp_count(m, HTP_METRIC_COVERAGE, module, module != HTP_NONE);
        m->problems[n] |= (uint16_t)((module == HTP_NONE) << HTP_METRIC_COVERAGE);
    }
    m->quality->scope = scopes;
    if (s->node_count == 0) {
        htp_give_up(m, HTP_METRIC_COVERAGE, "there are no nodes");
    }
    if (s->tree->untagged == s->tree->nodes) {
        htp_give_up(m, HTP_METRIC_SCOPE, "no node has a tag");
    }
}

/* ---- tensors ---- */

enum { IS_USED = 1, LACKS_TAG = 2 };

struct tensors {
    const htp_subject *subject;
    uint8_t *facts; /* by value */
};

static void note(void *user, uint32_t node, uint32_t value)
{
    const struct tensors *tensors = user;
    bool has_tag = tensors->subject->module_of[node] != HTP_NONE;
    tensors->facts[value] |= (uint8_t)(IS_USED | (has_tag ? 0 : LACKS_TAG));
}

/* A tensor counts for its producer's module. */
void htp_judge_tensors(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    const htp_view *view = s->view;
    struct tensors tensors = {s, HTP_NEW_ARRAY(m->arena, uint8_t, view->values.count + 1)};
    for (uint32_t n = 0; n < s->node_count; n++) {
        htp_view_range made = view->nodes.items[n].outputs;
        for (uint32_t i = made.first; i < made.first + made.count; i++) {
            if (view->operands.items[i] != HTP_NONE) {
                note(&tensors, n, view->operands.items[i]);
            }
        }
        htp_flow_each_read(view, n, note, &tensors);
    }
    for (size_t v = 0; v < view->values.count; v++) {
        const htp_view_value *value = &view->values.items[v];
        bool is_made = value->maker == HTP_VIEW_BY_NODE && value->node != HTP_NONE;
        if (tensors.facts[v] & IS_USED) {
            htp_count(m, HTP_METRIC_TENSORS, is_made ? s->module_of[value->node] : HTP_NONE,
                      !(tensors.facts[v] & LACKS_TAG));
        }
    }
    m->quality->tensors = m->quality->measures.of[HTP_METRIC_TENSORS].of;
    if (m->quality->tensors == 0) {
        htp_give_up(m, HTP_METRIC_TENSORS, "there are no tensors");
    } else if (s->tree->untagged == s->tree->nodes) {
        htp_give_up(m, HTP_METRIC_TENSORS, "no node has a tag");
    }
}

/* ---- specificity ---- */

/* The module of the longest prefix of a node's name: /encoder/layer.0/MatMul. */
static bool find_scope(const htp_subject *s, uint32_t node, uint32_t *module)
{
    const char *name = htp_view_text(s->view, s->view->nodes.items[node].name);
    const char *last = strrchr(name, '/');
    if (*name != '/' || last == name || !s->has_paths) {
        return false;
    }
    char *path = htp_arena_copy(s->arena, name + 1, (size_t)(last - name) - 1);
    for (char *at = path; *at; at++) {
        if (*at == '/') {
            *at = '.';
        }
    }
    return htp_subject_find_path(s, htp_slice_of(path), module);
}

static void take_deeper(htp_measuring *m, uint32_t node, uint32_t module)
{
    const htp_subject *s = m->subject;
    uint32_t *deepest = &m->deepest[node];
    uint32_t tagged = s->eligible[module];
    if (*deepest == HTP_NONE || htp_subject_is_above(s, *deepest, tagged)) {
        *deepest = tagged;
    }
}

/* The deepest module that the file names elsewhere than in the tag. A source that tags were read
 * from adds nothing. */
static void find_deepest(htp_measuring *m, uint32_t node)
{
    const htp_subject *s = m->subject;
    uint32_t innermost = s->tree->places[node].innermost;
    uint32_t module;
    bool has_own_tags =
        s->tree->source <= HTP_TREE_LAYER_ANN || s->tree->source == HTP_TREE_SIDECAR;
    if (m->reference && m->deepest[node] != HTP_NONE) {
        return; /* the reference is more exact */
    }
    if (has_own_tags && s->tree->has_records && innermost != HTP_NONE) {
        take_deeper(m, node, innermost);
    }
    if (has_own_tags && find_scope(s, node, &module)) {
        take_deeper(m, node, module);
    }
    if (m->expected[node] != HTP_NONE &&
        htp_subject_is_above(s, s->module_of[node], m->expected[node])) {
        take_deeper(m, node, m->expected[node]);
    }
}

static void judge_place(htp_measuring *m, uint32_t node)
{
    const htp_subject *s = m->subject;
    uint32_t tag = s->module_of[node];
    uint32_t deepest = m->deepest[node];
    bool is_wrong = (m->problems[node] & 1U << HTP_METRIC_CONTAMINATION_CALLS) != 0;
    if (is_wrong || deepest == HTP_NONE || !htp_subject_is_above(s, tag, deepest)) {
        return; /* unknown, or misplaced, which contamination counts */
    }
    bool is_root = s->tree->modules[tag].parent == HTP_NONE;
    htp_specificity found = tag == deepest && !m->is_deeper[node] ? HTP_SPECIFIC_DEEPEST
                            : is_root                             ? HTP_SPECIFIC_ROOT
                                                                  : HTP_SPECIFIC_ANCESTOR;
    m->quality->specificity[found]++;
    htp_judge(m, node, HTP_METRIC_SPECIFICITY, found != HTP_SPECIFIC_DEEPEST);
}

void htp_judge_specificity(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    uint64_t judged = 0;
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (s->module_of[n] != HTP_NONE) {
            find_deepest(m, n);
            judge_place(m, n);
        }
    }
    for (int i = 0; i < HTP_SPECIFICITIES; i++) {
        judged += m->quality->specificity[i];
    }
    if (judged == 0) {
        htp_give_up(m, HTP_METRIC_SPECIFICITY,
                    s->tree->untagged == s->tree->nodes
                        ? "no node has a tag"
                        : "modules are in the tags alone; pass --reference");
    }
}
