/*
 * The oracle of structure: equal layers have equal tags. Counterparts (quality/align.h) should have
 * one tag below their members; the majority decides which. Separation is measured, too: a layer
 * should have the same operators by its tags as by counterparts.
 */
#include "quality/align.h"
#include "quality/places.h"

#include <string.h>

/* Counterparts of each other, at most one per member. */
typedef HTP_VECTOR(uint32_t) chain;

struct judging {
    htp_measuring *m;
    htp_alignment alignment;
    chain chain;
    uint32_t *votes; /* by relative tag */
    uint32_t votes_room;
    htp_digest *operators; /* by node: digest of its operator */
};

/* ---- the tag of counterparts ---- */

/* The number of neighbours of a node that have a relative tag. */
static uint32_t count_neighbours(const htp_alignment *a, uint32_t node, uint32_t relative)
{
    const htp_subject *s = a->m->subject;
    const htp_edges *const edges[] = {&s->sources, &s->readers};
    uint32_t count = 0;
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = edges[k]->first[node]; i < edges[k]->first[node + 1]; i++) {
            count += a->relative[edges[k]->items[i].node] == relative;
        }
    }
    return count;
}

static size_t length_of(const htp_alignment *a, uint32_t relative)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < a->layer->count && longest == 0; i++) {
        uint32_t module = htp_align_module(a, i, relative);
        longest = module == HTP_NONE
                      ? 0
                      : a->m->subject->tree->modules[module].tag.length -
                            a->m->subject->tree->modules[a->layer->members[i]].tag.length;
    }
    return longest;
}

/* Breaks ties of votes: the tag of more neighbours, then the longer one. */
static bool is_better(const struct judging *j, uint32_t relative, uint32_t other)
{
    uint32_t near = 0;
    uint32_t other_near = 0;
    for (size_t i = 0; i < j->chain.count; i++) {
        near += count_neighbours(&j->alignment, j->chain.items[i], relative);
        other_near += count_neighbours(&j->alignment, j->chain.items[i], other);
    }
    return near != other_near
               ? near > other_near
               : length_of(&j->alignment, relative) > length_of(&j->alignment, other);
}

/* The majority tag among nodes tagged with their own member. */
static uint32_t elect(struct judging *j)
{
    const htp_alignment *a = &j->alignment;
    uint32_t best = HTP_NONE;
    for (size_t i = 0; i < j->chain.count; i++) {
        uint32_t node = j->chain.items[i];
        if (a->member[node] == a->role[node]) {
            j->votes[a->relative[node]]++;
        }
    }
    for (size_t i = 0; i < j->chain.count; i++) {
        uint32_t node = j->chain.items[i];
        uint32_t relative = a->relative[node];
        if (a->member[node] != a->role[node] || relative == best) {
            continue;
        }
        bool is_more = best == HTP_NONE || j->votes[relative] > j->votes[best];
        bool is_equal = best != HTP_NONE && j->votes[relative] == j->votes[best];
        best = is_more || (is_equal && is_better(j, relative, best)) ? relative : best;
    }
    for (size_t i = 0; i < j->chain.count; i++) {
        uint32_t node = j->chain.items[i];
        if (a->member[node] == a->role[node]) {
            j->votes[a->relative[node]] = 0;
        }
    }
    return best;
}

static void judge_chain(struct judging *j)
{
    const htp_alignment *a = &j->alignment;
    uint32_t relative = elect(j);
    for (size_t i = 0; i < j->chain.count && relative != HTP_NONE; i++) {
        uint32_t node = j->chain.items[i];
        bool is_right = a->member[node] == a->role[node] && a->relative[node] == relative;
        uint32_t expected = htp_align_module(a, a->role[node], relative);
        uint32_t tagged = j->m->subject->module_of[node];
        if (!is_right && tagged != HTP_NONE &&
            (htp_places_is_common(j->m, node) ||
             (expected != HTP_NONE && htp_is_alias(j->m, tagged, expected)))) {
            is_right = true;
            a->role[node] = a->member[node]; /* shared by two layers */
        }
        if (tagged != HTP_NONE) {
            htp_judge(j->m, node, HTP_METRIC_CONTAMINATION_STRUCTURE, !is_right);
        }
        if (!is_right && expected != HTP_NONE) {
            j->m->expected[node] = expected;
        }
    }
}

static void judge_chains(struct judging *j)
{
    const htp_alignment *a = &j->alignment;
    for (size_t i = 0; i < a->touched.count; i++) {
        uint32_t node = a->touched.items[i];
        if (a->next[node] == HTP_NONE || a->before[node] != HTP_NONE) {
            continue; /* it is not the first of a chain */
        }
        j->chain.count = 0;
        for (; node != HTP_NONE; node = a->next[node]) {
            HTP_PUSH(j->m->arena, &j->chain, node);
        }
        judge_chain(j);
    }
}

/* ---- separation ---- */

/* The operators of a member, by tags and by counterparts. */
struct content {
    htp_digest tagged, expected;
    uint64_t nodes; /* tagged */
};

static void subtract(htp_digest *sum, htp_digest term)
{
    sum->low -= term.low;
    sum->high -= term.high;
}

/* Whether a node serves several members, so that it belongs to none. */
static bool is_shared(const struct judging *j, uint32_t node)
{
    const htp_subject *s = j->m->subject;
    htp_view_range tags = s->tree->places[node].tags;
    uint32_t member = j->alignment.layer->members[j->alignment.member[node]];
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++) {
        if (!htp_subject_is_above(s, member, s->tree->owners.items[i])) {
            return true;
        }
    }
    return false;
}

static void add_up(const struct judging *j, struct content *contents)
{
    const htp_alignment *a = &j->alignment;
    const htp_subject *s = j->m->subject;
    for (uint32_t i = 0; i < a->layer->count; i++) {
        htp_view_range nodes = htp_subject_nodes(s, a->layer->members[i]);
        for (uint32_t k = nodes.first; k < nodes.first + nodes.count; k++) {
            uint32_t node = s->nodes[k];
            if (!is_shared(j, node)) {
                htp_digest_add(&contents[i].tagged, j->operators[node]);
                htp_digest_add(&contents[i].expected, j->operators[node]);
                contents[i].nodes++;
            }
        }
    }
}

/* Moves nodes whose counterparts belong to another member. */
static void move(const struct judging *j, struct content *contents)
{
    const htp_alignment *a = &j->alignment;
    for (size_t i = 0; i < a->touched.count; i++) {
        uint32_t node = a->touched.items[i];
        uint32_t role = a->role[node];
        if (role == HTP_NONE || role == a->member[node] || a->moved[node]) {
            continue;
        }
        a->moved[node] = true;
        if (a->member[node] != HTP_NONE && !is_shared(j, node)) {
            subtract(&contents[a->member[node]].expected, j->operators[node]);
        }
        htp_digest_add(&contents[role].expected, j->operators[node]);
    }
    for (size_t i = 0; i < a->touched.count; i++) {
        a->moved[a->touched.items[i]] = false;
    }
}

/* Kinds of members that are tried as parts of merged layers. */
enum { MAX_KINDS = 16 };

/* Members with the same operators. */
struct equals {
    htp_digest operators;
    uint64_t nodes;
    uint32_t members;
};

static uint32_t find_equals(const struct judging *j, const struct content *contents,
                            struct equals *list, uint32_t *equals_of)
{
    htp_map known = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < j->alignment.layer->count; i++) {
        uint32_t index = count;
        const htp_digest *key = &contents[i].expected;
        if (!htp_map_get_bytes(&known, key, sizeof(*key), &index)) {
            htp_map_set_bytes(j->m->arena, &known, key, sizeof(*key), index);
            list[count++] = (struct equals){*key, 0, 0};
        }
        list[index].members++;
        list[index].nodes =
            contents[i].nodes > list[index].nodes ? contents[i].nodes : list[index].nodes;
        equals_of[i] = index;
    }
    return count;
}

/* Whether a member has the operators of several others together, or none although it runs. */
static bool is_merged(const struct judging *j, uint32_t member, const struct content *content,
                      const struct equals *kinds, uint32_t count, const struct equals *most)
{
    const htp_tree_module *module =
        &j->m->subject->tree->modules[j->alignment.layer->members[member]];
    bool runs = module->calls != 0 && module->calls != HTP_TREE_CALLS_UNKNOWN;
    if (content->nodes == 0) {
        return runs && most->nodes > 0;
    }
    if (module->calls > 1 && module->calls != HTP_TREE_CALLS_UNKNOWN) {
        return false; /* every call has these operators */
    }
    for (uint32_t i = 0, seen = 0; i < count && seen < MAX_KINDS; i++) {
        const struct equals *kind = &kinds[i];
        uint64_t times = kind->nodes > 0 ? content->nodes / kind->nodes : 0;
        bool is_usual = kind->members > 1 || kind == most;
        seen += is_usual;
        if (is_usual && times > 1 && content->nodes == times * kind->nodes &&
            content->tagged.low == times * kind->operators.low) {
            return true;
        }
    }
    return false;
}

/* Whether the members that differ, at least two, have the right operators in total. */
static bool is_exchanged(const struct judging *j, const struct content *contents,
                         const struct equals *list, const uint32_t *equals_of, uint32_t most)
{
    uint64_t sum = 0;
    uint64_t count = 0;
    for (uint32_t i = 0; i < j->alignment.layer->count; i++) {
        if (list[equals_of[i]].members == 1) {
            sum += contents[i].tagged.low;
            count++;
        }
    }
    return count > 1 && sum == count * list[most].operators.low;
}

/* Whether a kind is more likely to be right: it has more members, or smaller ones. */
static bool is_rather(const struct equals *one, const struct equals *other)
{
    if (one->nodes == 0 || other->nodes == 0) {
        return one->nodes > other->nodes;
    }
    return one->members != other->members ? one->members > other->members
                                          : one->nodes < other->nodes;
}

static void judge_members(struct judging *j, htp_quality_layer *layer)
{
    struct content *contents = HTP_NEW_ARRAY(j->m->arena, struct content, layer->count);
    struct equals *list = HTP_NEW_ARRAY(j->m->arena, struct equals, layer->count);
    uint32_t *equals_of = HTP_NEW_ARRAY(j->m->arena, uint32_t, layer->count);
    uint32_t most = 0;
    add_up(j, contents);
    move(j, contents);
    uint32_t count = find_equals(j, contents, list, equals_of);
    for (uint32_t i = 0; i < count; i++) {
        most = is_rather(&list[i], &list[most]) ? i : most;
    }
    bool is_exchange = list[most].members > 1 && is_exchanged(j, contents, list, equals_of, most);
    for (uint32_t i = 0; i < layer->count; i++) {
        bool is_single = list[equals_of[i]].members == 1;
        bool has_nodes = contents[i].nodes > 0 || list[equals_of[i]].nodes > 0;
        bool is_wrong = is_single && equals_of[i] != most &&
                        (is_exchange || is_merged(j, i, &contents[i], list, count, &list[most]));
        layer->is_judged[i] = (!is_single && has_nodes) || is_wrong;
        layer->is_separate[i] =
            !is_wrong && htp_digest_equals(contents[i].tagged, contents[i].expected);
    }
}

/* ---- both ---- */

static void judge_layer(struct judging *j, htp_quality_layer *layer)
{
    htp_alignment *a = &j->alignment;
    htp_align_layer(a, layer);
    if (a->relatives > j->votes_room) {
        j->votes_room = 2 * a->relatives;
        j->votes = HTP_NEW_ARRAY(j->m->arena, uint32_t, j->votes_room);
    }
    judge_chains(j);
    judge_members(j, layer);
    for (uint32_t i = 0; i < layer->count; i++) {
        if (layer->is_judged[i]) {
            htp_count(j->m, HTP_METRIC_SEPARATION, layer->members[i], layer->is_separate[i]);
        }
    }
    htp_align_end(a);
}

static const char *find_reason(const htp_measuring *m)
{
    return m->subject->tree->untagged == m->subject->tree->nodes ? "no node has a tag"
           : m->quality->layers.count == 0 ? "no module has two instances of one structure below it"
                                           : "no two instances have the same operators";
}

void htp_judge_structure(htp_measuring *m)
{
    const htp_subject *s = m->subject;
    struct judging j = {.m = m,
                        .operators = HTP_NEW_ARRAY(m->arena, htp_digest, s->node_count + 1U)};
    bool has_judged = false;
    htp_align_begin(&j.alignment, m);
    for (uint32_t n = 0; n < s->node_count; n++) {
        j.operators[n] =
            htp_digest_of(j.alignment.seed, &j.alignment.labels[n], sizeof(*j.alignment.labels));
    }
    for (size_t i = 0; i < m->quality->layers.count; i++) {
        judge_layer(&j, &m->quality->layers.items[i]);
    }
    for (uint32_t n = 0; n < s->node_count && !has_judged; n++) {
        has_judged = m->judged[n] >> HTP_METRIC_CONTAMINATION_STRUCTURE & 1;
    }
    if (!has_judged) {
        htp_give_up(m, HTP_METRIC_CONTAMINATION_STRUCTURE, find_reason(m));
    }
    if (m->quality->measures.of[HTP_METRIC_SEPARATION].of == 0) {
        htp_give_up(m, HTP_METRIC_SEPARATION, find_reason(m));
    }
}
