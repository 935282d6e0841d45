#include "quality/align.h"

#include <string.h>

enum { MAX_READERS = 64 }; /* of a node whose readers are compared */

static const unsigned rounds[HTP_ALIGN_RADII] = {8, 4, 2, 1, 0};

/* How much the tags of counterparts may differ. */
enum strictness { TAGGED_ALIKE, TAGGED_ALIKE_ELSEWHERE, TAGGED_OTHERWISE, STRICTNESSES };

/* ---- surroundings ---- */

static uint64_t label_of(const htp_view *view, uint32_t node)
{
    const htp_view_node *facts = &view->nodes.items[node];
    return (uint64_t)facts->op_type << 32 | htp_view_domain(view, facts->domain);
}

/* One round in both directions. Operands count with their position, readers in any order. */
static void refine(const htp_alignment *a, const htp_digest *from, htp_digest *to)
{
    const htp_subject *s = a->m->subject;
    for (uint32_t n = 0; n < s->node_count; n++) {
        htp_digest sum = {0, 0};
        for (uint32_t i = s->sources.first[n]; i < s->sources.first[n + 1]; i++) {
            const htp_edge *edge = &s->sources.items[i];
            htp_digest slot = {edge->slot, 1};
            htp_digest_add(&sum, htp_digest_mix(a->seed, 1, slot, from[edge->node]));
        }
        for (uint32_t i = s->readers.first[n]; i < s->readers.first[n + 1]; i++) {
            const htp_edge *edge = &s->readers.items[i];
            htp_digest slot = {edge->slot, 2};
            htp_digest_add(&sum, htp_digest_mix(a->seed, 2, slot, from[edge->node]));
        }
        to[n] = htp_digest_mix(a->seed, 3, from[n], sum);
    }
}

static uint32_t *new_numbers(htp_arena *arena, size_t count)
{
    uint32_t *numbers = HTP_NEW_ARRAY(arena, uint32_t, count + 1);
    memset(numbers, 0xff, (count + 1) * sizeof(*numbers));
    return numbers;
}

void htp_align_begin(htp_alignment *alignment, htp_measuring *m)
{
    uint32_t count = m->subject->node_count;
    uint64_t *labels = HTP_NEW_ARRAY(m->arena, uint64_t, count + 1U);
    htp_digest *last = HTP_NEW_ARRAY(m->arena, htp_digest, count + 1U);
    *alignment = (htp_alignment){.m = m, .labels = labels, .seed = htp_digest_seed()};
    for (uint32_t n = 0; n < count; n++) {
        labels[n] = label_of(m->subject->view, n);
        last[n] = htp_digest_of(alignment->seed, &labels[n], sizeof(labels[n]));
    }
    unsigned done = 0;
    for (int radius = HTP_ALIGN_RADII; radius-- > 0;) {
        for (; done < rounds[radius]; done++) {
            htp_digest *wider = HTP_NEW_ARRAY(m->arena, htp_digest, count + 1U);
            refine(alignment, last, wider);
            last = wider;
        }
        alignment->around[radius] = last;
    }
    alignment->member = new_numbers(m->arena, count);
    alignment->relative = new_numbers(m->arena, count);
    alignment->next = new_numbers(m->arena, count);
    alignment->before = new_numbers(m->arena, count);
    alignment->role = new_numbers(m->arena, count);
    alignment->moved = HTP_NEW_ARRAY(m->arena, bool, count + 1U);
}

/* ---- tags ---- */

/* Two numbers as one key. */
static uint64_t key_of(uint32_t member, uint32_t relative)
{
    return (uint64_t)member << 32 | relative;
}

static void set_place(htp_alignment *a, uint32_t member, uint32_t relative, uint32_t module)
{
    const uint64_t key = key_of(member, relative);
    htp_map_set_bytes(a->m->arena, &a->places, &key, sizeof(key), module);
}

uint32_t htp_align_module(const htp_alignment *alignment, uint32_t member, uint32_t relative)
{
    uint64_t key = key_of(member, relative);
    uint32_t module;
    return htp_map_get_bytes(&alignment->places, &key, sizeof(key), &module) ? module : HTP_NONE;
}

/* Numbers the tags below a member by text, and notes them for its nodes. */
static void note_member(htp_alignment *a, htp_map *texts, uint32_t number)
{
    const htp_subject *s = a->m->subject;
    uint32_t member = a->layer->members[number];
    size_t begin = s->tree->modules[member].tag.length;
    for (uint32_t at = s->place[member]; at < s->end[member]; at++) {
        uint32_t module = s->order[at];
        htp_slice tag = s->tree->modules[module].tag;
        if (!s->tree->modules[module].has_tag || tag.length < begin) {
            continue;
        }
        uint32_t relative = a->relatives;
        htp_slice rest = {tag.at + begin, tag.length - begin};
        if (!htp_map_get_bytes(texts, rest.at, rest.length, &relative)) {
            htp_map_set_bytes(a->m->arena, texts, rest.at, rest.length, a->relatives++);
        }
        set_place(a, number, relative, module);
        for (uint32_t i = s->nodes_at[at]; i < s->nodes_at[at + 1]; i++) {
            uint32_t node = s->nodes[i];
            a->member[node] = number;
            a->relative[node] = relative;
            HTP_PUSH(a->m->arena, &a->touched, node);
        }
    }
}

/* ---- counterparts ---- */

static void join(htp_alignment *a, uint32_t number, uint32_t first, uint32_t second)
{
    a->next[first] = second;
    a->before[second] = first;
    a->role[first] = number;
    a->role[second] = number + 1;
    HTP_PUSH(a->m->arena, &a->touched, first);
    HTP_PUSH(a->m->arena, &a->touched, second);
}

/* Whether two nodes may be counterparts. */
static bool is_free(const htp_alignment *a, uint32_t number, uint32_t first, uint32_t second)
{
    return first != second && a->labels[first] == a->labels[second] && a->next[first] == HTP_NONE &&
           a->before[second] == HTP_NONE &&
           (a->role[first] == HTP_NONE || a->role[first] == number) &&
           (a->role[second] == HTP_NONE || a->role[second] == number + 1);
}

/* Whether two nodes have edges, and all of them lead to counterparts. */
static bool is_held(const htp_alignment *a, const htp_edges *edges, uint32_t first, uint32_t second)
{
    uint32_t count = edges->first[first + 1] - edges->first[first];
    if (count == 0 || count > MAX_READERS ||
        count != edges->first[second + 1] - edges->first[second]) {
        return false;
    }
    uint32_t held = 0;
    uint32_t shared = 0;
    for (uint32_t i = edges->first[first]; i < edges->first[first + 1]; i++) {
        for (uint32_t k = edges->first[second]; k < edges->first[second + 1]; k++) {
            const htp_edge *one = &edges->items[i];
            const htp_edge *other = &edges->items[k];
            if (one->slot == other->slot && a->next[one->node] == other->node) {
                held++;
                break;
            }
            if (one->slot == other->slot && one->node == other->node) {
                shared++;
                break;
            }
        }
    }
    return held > 0 && held + shared == count;
}

static bool may_join(const htp_alignment *a, uint32_t number, uint32_t first, uint32_t second,
                     enum strictness strictness)
{
    bool is_first = a->member[first] == number;
    bool is_second = a->member[second] == number + 1;
    bool is_alike = a->relative[first] == a->relative[second] && a->relative[first] != HTP_NONE;
    if (!is_free(a, number, first, second)) {
        return false;
    }
    if (strictness == TAGGED_ALIKE) {
        return is_alike && is_first && is_second;
    }
    return (is_first || is_second) && (is_alike || strictness == TAGGED_OTHERWISE) &&
           (is_held(a, &a->m->subject->sources, first, second) ||
            is_held(a, &a->m->subject->readers, first, second));
}

/* The only edge through a slot to a node of some kind, or NULL. */
static const htp_edge *find_single(const htp_alignment *a, const htp_edges *edges, uint32_t node,
                                   const htp_edge *like, bool is_second)
{
    const htp_edge *found = NULL;
    for (uint32_t i = edges->first[node]; i < edges->first[node + 1]; i++) {
        const htp_edge *edge = &edges->items[i];
        bool is_taken =
            is_second ? a->before[edge->node] != HTP_NONE : a->next[edge->node] != HTP_NONE;
        if (edge->slot == like->slot && a->labels[edge->node] == a->labels[like->node] &&
            !is_taken) {
            if (found) {
                return NULL;
            }
            found = edge;
        }
    }
    return found;
}

typedef HTP_VECTOR(uint32_t) queue;

static void join_edges(htp_alignment *a, uint32_t number, uint32_t first, const htp_edges *edges,
                       enum strictness strictness, queue *queue)
{
    uint32_t second = a->next[first];
    if (edges->first[first + 1] - edges->first[first] > MAX_READERS ||
        edges->first[second + 1] - edges->first[second] > MAX_READERS) {
        return;
    }
    for (uint32_t i = edges->first[first]; i < edges->first[first + 1]; i++) {
        const htp_edge *edge = &edges->items[i];
        if (find_single(a, edges, first, edge, false) != edge) {
            continue;
        }
        const htp_edge *other = find_single(a, edges, second, edge, true);
        if (other && may_join(a, number, edge->node, other->node, strictness)) {
            join(a, number, edge->node, other->node);
            HTP_PUSH(a->m->arena, queue, edge->node);
        }
    }
}

/* Propagates from all counterparts along their edges. */
static void join_neighbours(htp_alignment *a, uint32_t number, queue *queue,
                            enum strictness strictness)
{
    for (size_t i = 0; i < queue->count; i++) {
        uint32_t first = queue->items[i];
        join_edges(a, number, first, &a->m->subject->sources, strictness, queue);
        join_edges(a, number, first, &a->m->subject->readers, strictness, queue);
    }
}

/* ---- unique surroundings ---- */

struct once_key {
    htp_digest around;
    uint64_t relative;
};

/* The free node of a member with a key; `twice` if there are several. */
static const uint32_t twice = HTP_NONE;

static void list_once(htp_alignment *a, uint32_t number, int radius, bool is_second, htp_map *map)
{
    const htp_subject *s = a->m->subject;
    htp_view_range nodes = htp_subject_nodes(s, a->layer->members[number]);
    for (uint32_t i = nodes.first; i < nodes.first + nodes.count; i++) {
        uint32_t node = s->nodes[i];
        bool is_taken = (is_second ? a->before : a->next)[node] != HTP_NONE;
        if (!is_taken) {
            struct once_key *key = HTP_NEW(a->m->arena, struct once_key);
            *key = (struct once_key){a->around[radius][node], a->relative[node]};
            bool is_known = htp_map_get_bytes(map, key, sizeof(*key), NULL);
            htp_map_set_bytes(a->m->arena, map, key, sizeof(*key), is_known ? twice : node);
        }
    }
}

static void join_once(htp_alignment *a, uint32_t number, int radius, queue *queue)
{
    const htp_subject *s = a->m->subject;
    htp_map first = {0};
    htp_map second = {0};
    htp_view_range nodes = htp_subject_nodes(s, a->layer->members[number]);
    list_once(a, number, radius, false, &first);
    list_once(a, number + 1, radius, true, &second);
    for (uint32_t i = nodes.first; i < nodes.first + nodes.count; i++) {
        uint32_t node = s->nodes[i];
        const struct once_key key = {a->around[radius][node], a->relative[node]};
        uint32_t one;
        uint32_t other;
        if (htp_map_get_bytes(&first, &key, sizeof(key), &one) && one == node &&
            htp_map_get_bytes(&second, &key, sizeof(key), &other) && other != twice &&
            may_join(a, number, node, other, TAGGED_ALIKE)) {
            join(a, number, node, other);
            HTP_PUSH(a->m->arena, queue, node);
        }
    }
}

/* ---- a layer ---- */

void htp_align_layer(htp_alignment *alignment, const htp_quality_layer *layer)
{
    htp_alignment *a = alignment;
    htp_map texts = {0};
    queue *queues = HTP_NEW_ARRAY(a->m->arena, queue, layer->count + 1U);
    a->layer = layer;
    a->places = (htp_map){0};
    a->relatives = 0;
    for (uint32_t i = 0; i < layer->count; i++) {
        note_member(a, &texts, i);
    }
    for (uint32_t i = 0; i + 1 < layer->count; i++) {
        for (int radius = 0; radius < HTP_ALIGN_RADII; radius++) {
            join_once(a, i, radius, &queues[i]);
            join_neighbours(a, i, &queues[i], TAGGED_ALIKE);
        }
    }
    for (int strictness = TAGGED_ALIKE_ELSEWHERE; strictness < STRICTNESSES; strictness++) {
        for (uint32_t i = 0; i + 1 < layer->count; i++) {
            join_neighbours(a, i, &queues[i], (enum strictness)strictness);
        }
    }
}

void htp_align_end(htp_alignment *alignment)
{
    htp_alignment *a = alignment;
    uint32_t *const lists[] = {a->member, a->relative, a->next, a->before, a->role};
    for (size_t i = 0; i < a->touched.count; i++) {
        for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
            lists[k][a->touched.items[i]] = HTP_NONE;
        }
    }
    a->touched.count = 0;
}
