/*
 * Cohesion: whether the nodes of a module could run as one. Modules of one depth are checked in
 * batches, a bit for each. A sweep over the nodes carries the set of modules that a path has left,
 * from the first node of the batch to its last, so a batch of consecutive modules costs as much as
 * one.
 */
#include "quality/parts.h"

#include <stdlib.h>

enum { AT_ONCE = 64 };

/* A module and the range of its nodes. */
struct span {
    uint32_t module, first, last;
};

struct sweep {
    htp_measuring *m;
    uint32_t *region;   /* by module: itself or its ancestor at the current depth */
    uint32_t *number;   /* by module: its number in the sweep, or HTP_NONE */
    uint64_t *left;     /* by node: modules left by a path to it */
    struct span *spans; /* by module */
};

static int compare_spans(const void *a, const void *b)
{
    const struct span *first = a;
    const struct span *second = b;
    return first->first < second->first ? -1 : first->first > second->first;
}

static uint64_t bit_of(const struct sweep *sweep, uint32_t node)
{
    uint32_t module = sweep->m->subject->module_of[node];
    uint32_t region = module == HTP_NONE ? HTP_NONE : sweep->region[module];
    uint32_t number = region == HTP_NONE ? HTP_NONE : sweep->number[region];
    return number == HTP_NONE ? 0 : (uint64_t)1 << number;
}

/* Sweeps over a batch. @return the modules that a path returns to, as bits */
static uint64_t run(struct sweep *sweep, uint32_t first, uint32_t last)
{
    const htp_subject *s = sweep->m->subject;
    uint64_t found = 0;
    for (uint32_t n = first; n <= last; n++) {
        uint64_t arriving = 0;
        uint64_t own = bit_of(sweep, n);
        sweep->left[n] = 0;
        if (s->tree->is_shared[n]) { /* each module can have a copy */
            continue;
        }
        for (uint32_t i = s->sources.first[n]; i < s->sources.first[n + 1]; i++) {
            uint32_t source = s->sources.items[i].node;
            if (source >= first && source < n && !s->tree->is_shared[source]) {
                arriving |= sweep->left[source] | (bit_of(sweep, source) & ~own);
                found |= sweep->left[source] & own;
            }
        }
        sweep->left[n] = arriving & ~own;
    }
    return found;
}

static void judge(struct sweep *sweep, const struct span *spans, uint32_t count)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        sweep->number[spans[i].module] = i;
        last = spans[i].last > last ? spans[i].last : last;
    }
    uint64_t found = run(sweep, spans[0].first, last);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t module = spans[i].module;
        bool is_convex = !(found >> i & 1);
        sweep->m->modules[module].has_region = true;
        sweep->m->modules[module].is_convex = is_convex;
        htp_count(sweep->m, HTP_METRIC_COHESION, module, is_convex);
        sweep->number[module] = HTP_NONE;
    }
}

/* The modules of one depth with nodes. @return their number */
static uint32_t list_spans(struct sweep *sweep, uint32_t depth, struct span *list)
{
    const htp_subject *s = sweep->m->subject;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->module_count; i++) {
        const htp_tree_module *module = &s->tree->modules[i];
        bool is_here = module->has_tag && module->depth == depth;
        sweep->region[i] = is_here                      ? i
                           : module->parent == HTP_NONE ? HTP_NONE
                                                        : sweep->region[module->parent];
        if (is_here && sweep->spans[i].first != HTP_NONE) {
            list[count++] = sweep->spans[i];
        }
    }
    qsort(list, count, sizeof(*list), compare_spans);
    return count;
}

static void find_spans(struct sweep *sweep)
{
    const htp_subject *s = sweep->m->subject;
    for (uint32_t i = 0; i < s->module_count; i++) {
        sweep->spans[i] = (struct span){i, HTP_NONE, 0};
        sweep->number[i] = HTP_NONE;
    }
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (s->module_of[n] != HTP_NONE) {
            struct span *span = &sweep->spans[s->module_of[n]];
            span->first = span->first == HTP_NONE ? n : span->first;
            span->last = n;
        }
    }
    for (uint32_t i = s->module_count; i-- > 0;) {
        uint32_t parent = s->tree->modules[i].parent;
        if (parent != HTP_NONE && sweep->spans[i].first != HTP_NONE) {
            struct span *above = &sweep->spans[parent];
            above->first =
                sweep->spans[i].first < above->first ? sweep->spans[i].first : above->first;
            above->last = sweep->spans[i].last > above->last ? sweep->spans[i].last : above->last;
        }
    }
}

void htp_judge_cohesion(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    struct sweep sweep = {
        .m = m,
        .region = HTP_NEW_ARRAY(m->arena, uint32_t, s->module_count + 1U),
        .number = HTP_NEW_ARRAY(m->arena, uint32_t, s->module_count + 1U),
        .left = HTP_NEW_ARRAY(m->arena, uint64_t, s->node_count + 1U),
        .spans = HTP_NEW_ARRAY(m->arena, struct span, s->module_count + 1U),
    };
    struct span *list = HTP_NEW_ARRAY(m->arena, struct span, s->module_count + 1U);
    find_spans(&sweep);
    for (uint32_t depth = 0; depth < m->quality->depth_count; depth++) {
        uint32_t count = list_spans(&sweep, depth, list);
        for (uint32_t first = 0; first < count; first += AT_ONCE) {
            judge(&sweep, list + first, count - first < AT_ONCE ? count - first : AT_ONCE);
        }
    }
    if (m->quality->measures.of[HTP_METRIC_COHESION].of == 0) {
        htp_give_up(m, HTP_METRIC_COHESION, "no node has a tag");
    }
}
