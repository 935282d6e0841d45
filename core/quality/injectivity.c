/*
 * Injectivity: two instances never share a tag. Records list instances; oracles know which nodes
 * ran in them. If all nodes of an instance have the tag of another one, and none has its own, that
 * tag stands for both.
 */
#include "quality/parts.h"

#include "quality/places.h"

#include <string.h>

struct sharing {
    htp_measuring *m;
    uint32_t *tag_of; /* by instance: the module of the tag of all its nodes */
    bool *has_nodes;  /* by instance: an oracle knows some of its nodes */
    bool *is_judged;  /* by module: an oracle knows a node with its tag */
    bool is_known;    /* an oracle knows anything */
};

static const uint32_t several = HTP_NONE;

static void note(struct sharing *x, uint32_t instance, uint32_t tag)
{
    if (!x->has_nodes[instance]) {
        x->tag_of[instance] = tag;
    } else if (x->tag_of[instance] != tag) {
        x->tag_of[instance] = several;
    }
    x->has_nodes[instance] = true;
    x->is_judged[tag] = true;
    x->is_known = true;
}

/* Finds recorded modules outside torch.nn that share a tag. */
static void find_equal_tags(htp_measuring *m)
{
    static const char torch_nn[] = "torch.nn.";
    const htp_subject *s = m->subject;
    for (uint32_t i = 1; i < s->module_count; i++) {
        const htp_tree_module *module = &s->tree->modules[i];
        bool is_torch = module->qualified_class.length >= strlen(torch_nn) &&
                        memcmp(module->qualified_class.at, torch_nn, strlen(torch_nn)) == 0;
        if (module->is_record && !module->has_tag && !is_torch) {
            m->is_shared[s->eligible[i]] = true;
        }
    }
}

/* By an oracle that knows modules of this tree. */
static void find_by_truth(struct sharing *x, int oracle)
{
    htp_measuring *m = x->m;
    const htp_subject *s = m->subject;
    memset(x->has_nodes, 0, s->module_count * sizeof(*x->has_nodes));
    for (uint32_t n = 0; n < s->node_count; n++) {
        uint32_t instance = m->truth[oracle][n];
        if (instance != HTP_NONE && s->module_of[n] != HTP_NONE) {
            note(x, instance, s->module_of[n]);
        }
    }
    for (uint32_t i = 0; i < s->module_count; i++) {
        uint32_t tag = x->has_nodes[i] ? x->tag_of[i] : several;
        bool is_gone = s->tree->modules[i].nodes_total == 0;
        if (tag != several && is_gone && !htp_subject_is_above(s, tag, i)) {
            m->is_shared[tag] = true;
        }
    }
}

/* By modules of the reference that share a module of the tree. */
static void find_by_reference(struct sharing *x)
{
    htp_measuring *m = x->m;
    const htp_subject *s = m->subject;
    const htp_tree *tree = m->reference->tree;
    uint32_t *first = HTP_NEW_ARRAY(m->arena, uint32_t, s->module_count + 1U);
    memset(first, 0xff, (s->module_count + 1U) * sizeof(*first));
    for (uint32_t n = 0; n < s->node_count; n++) {
        uint32_t ran = m->reference->modules[n];
        if (ran == HTP_NONE || s->module_of[n] == HTP_NONE) {
            continue;
        }
        uint32_t instance = m->places->eligible[ran];
        htp_place place = m->places->of[instance];
        x->is_judged[s->module_of[n]] = true;
        x->is_known = true;
        if (!place.is_exact || place.module != s->module_of[n] ||
            !tree->modules[instance].has_tag) {
            continue;
        }
        if (first[place.module] == HTP_NONE) {
            first[place.module] = instance;
        } else if (first[place.module] != instance) {
            m->is_shared[place.module] = true;
        }
    }
}

void htp_judge_injectivity(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    struct sharing x = {
        .m = m,
        .tag_of = HTP_NEW_ARRAY(m->arena, uint32_t, s->module_count + 1U),
        .has_nodes = HTP_NEW_ARRAY(m->arena, bool, s->module_count + 1U),
        .is_judged = HTP_NEW_ARRAY(m->arena, bool, s->module_count + 1U),
    };
    m->is_shared = HTP_NEW_ARRAY(m->arena, bool, s->module_count + 1U);
    if (s->tree->has_records) {
        find_equal_tags(m);
    }
    for (int oracle = 0; oracle < HTP_ORACLES; oracle++) {
        find_by_truth(&x, oracle);
    }
    if (m->reference) {
        find_by_reference(&x);
    }
    if (!x.is_known && !s->tree->has_records) {
        htp_give_up(m, HTP_METRIC_INJECTIVITY,
                    s->tree->untagged == s->tree->nodes
                        ? "no node has a tag"
                        : "tags do not identify instances; pass --reference");
        return;
    }
    for (uint32_t i = 0; i < s->module_count; i++) {
        if (s->tree->modules[i].has_tag && (s->tree->has_records || x.is_judged[i])) {
            htp_count(m, HTP_METRIC_INJECTIVITY, i, !m->is_shared[i]);
        }
    }
}
