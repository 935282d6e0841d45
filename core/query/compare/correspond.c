#include "query/compare/correspond.h"

#include "query/compare/surroundings.h"

enum { OF_A, OF_B, SIDES };

/* A group of indistinguishable readers. */
struct readers {
    uint32_t left; /* nodes without a counterpart */
    uint64_t sum;  /* sum of their numbers: the number itself when one is left */
};

/* One of both models. */
struct side {
    const htp_fingerprint *fingerprint;
    uint32_t *found;         /* by node: its counterpart */
    uint32_t *group;         /* by link: its group of readers */
    struct readers *readers; /* by group */
    htp_map groups;          /* by source, result and label */
};

struct finder {
    htp_arena *arena;
    struct side sides[SIDES];
    uint32_t *queue; /* nodes of A whose neighbours are to be joined */
    uint32_t queued;
    uint32_t *next;   /* by node of B: the next one with the same key and no counterpart */
    htp_digest *keys; /* by node of B */
};

static bool is_left(const struct side *side, uint32_t node)
{
    return side->found[node] == HTP_NONE && !side->fingerprint->is_constant[node];
}

/* Makes two nodes counterparts. */
static void join(struct finder *f, uint32_t a, uint32_t b)
{
    const uint32_t nodes[SIDES] = {a, b};
    for (int s = 0; s < SIDES; s++) {
        struct side *side = &f->sides[s];
        uint32_t n = nodes[s];
        side->found[n] = nodes[SIDES - 1 - s];
        for (uint32_t i = side->fingerprint->first_link[n];
             side->group && i < side->fingerprint->first_link[n + 1]; i++) {
            struct readers *readers = &side->readers[side->group[i]];
            readers->left--;
            readers->sum -= n;
        }
    }
    f->queue[f->queued++] = a;
}

/* ---- equal all the way ---- */

/* A node's digest and its sources, as nodes of B; false if a source has no counterpart. */
static bool make_key(const struct side *side, bool is_a, const htp_digest *digests, uint32_t n,
                     htp_digest *key)
{
    const htp_fingerprint *fingerprint = side->fingerprint;
    *key = digests[n];
    for (uint32_t i = fingerprint->first_link[n]; i < fingerprint->first_link[n + 1]; i++) {
        const htp_link *link = &fingerprint->links.items[i];
        uint32_t source = HTP_NONE;
        if (htp_link_is_forward(link, n)) {
            source = is_a ? side->found[link->from] : link->from;
            if (source == HTP_NONE) {
                return false;
            }
        }
        htp_digest_add(key, htp_digest_mix(fingerprint->seed, source, link->what, link->what));
    }
    return true;
}

/* Joins nodes with equal digests and corresponding sources, in the order of the file. */
static void join_in_order(struct finder *f, htp_digest *const digests[SIDES])
{
    struct side *a = &f->sides[OF_A];
    struct side *b = &f->sides[OF_B];
    htp_map heads = {0};
    for (uint32_t n = b->fingerprint->count; n-- > 0;) {
        if (is_left(b, n)) {
            uint32_t head = HTP_NONE;
            (void)make_key(b, false, digests[OF_B], n, &f->keys[n]);
            (void)htp_map_get_bytes(&heads, &f->keys[n], sizeof(*f->keys), &head);
            f->next[n] = head;
            htp_map_set_bytes(f->arena, &heads, &f->keys[n], sizeof(*f->keys), n);
        }
    }
    for (uint32_t n = 0; n < a->fingerprint->count; n++) {
        htp_digest key;
        uint32_t head;
        if (is_left(a, n) && make_key(a, true, digests[OF_A], n, &key) &&
            htp_map_get_bytes(&heads, &key, sizeof(key), &head) && head != HTP_NONE) {
            htp_map_set_bytes(f->arena, &heads, &f->keys[head], sizeof(key), f->next[head]);
            join(f, n, head);
        }
    }
}

/* ---- unique in both ---- */

struct once {
    uint32_t count[SIDES];
    uint32_t node[SIDES];
};

/* Joins nodes whose digest only one remaining node of each model has. */
static void join_single(struct finder *f, htp_digest *const digests[SIDES])
{
    uint32_t room = f->sides[0].fingerprint->count + f->sides[1].fingerprint->count;
    struct once *list = HTP_NEW_ARRAY(f->arena, struct once, room + 1U);
    uint32_t count = 0;
    htp_map known = {0};
    for (int s = 0; s < SIDES; s++) {
        for (uint32_t n = 0; n < f->sides[s].fingerprint->count; n++) {
            uint32_t index = count;
            if (!is_left(&f->sides[s], n)) {
                continue;
            }
            if (!htp_map_get_bytes(&known, &digests[s][n], sizeof(htp_digest), &index)) {
                htp_map_set_bytes(f->arena, &known, &digests[s][n], sizeof(htp_digest), count++);
            }
            list[index].count[s]++;
            list[index].node[s] = n;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].count[OF_A] == 1 && list[i].count[OF_B] == 1) {
            join(f, list[i].node[OF_A], list[i].node[OF_B]);
        }
    }
}

/* ---- neighbours ---- */

/* The key of a group: source, result, and label of the reader. */
static htp_digest group_key(const htp_fingerprint *fingerprint, uint32_t source,
                            const htp_digest *what, const htp_digest *label)
{
    return htp_digest_mix(fingerprint->seed, source, *what, *label);
}

/* Groups the links of a model by key. */
static void group_readers(struct finder *f, struct side *side, htp_label label)
{
    const htp_fingerprint *fingerprint = side->fingerprint;
    size_t links = fingerprint->links.count;
    htp_digest *keys = HTP_NEW_ARRAY(f->arena, htp_digest, links + 1);
    side->group = HTP_NEW_ARRAY(f->arena, uint32_t, links + 1);
    side->readers = HTP_NEW_ARRAY(f->arena, struct readers, links + 1);
    side->groups = (htp_map){0};
    uint32_t count = 0;
    for (uint32_t n = 0; n < fingerprint->count; n++) {
        for (uint32_t i = fingerprint->first_link[n]; i < fingerprint->first_link[n + 1]; i++) {
            const htp_link *link = &fingerprint->links.items[i];
            uint32_t group = count;
            keys[i] =
                group_key(fingerprint, link->from, &link->what, &fingerprint->labels[label][n]);
            if (!htp_map_get_bytes(&side->groups, &keys[i], sizeof(*keys), &group)) {
                htp_map_set_bytes(f->arena, &side->groups, &keys[i], sizeof(*keys), count++);
            }
            side->group[i] = group;
            if (is_left(side, n)) {
                side->readers[group].left++;
                side->readers[group].sum += n;
            }
        }
    }
}

/* Whether two links lead to nodes that may be counterparts. */
static bool may_join(const struct finder *f, const htp_link *link, const htp_link *other,
                     htp_label label)
{
    const struct side *a = &f->sides[OF_A];
    const struct side *b = &f->sides[OF_B];
    return link->from != HTP_NONE && other->from != HTP_NONE &&
           htp_digest_equals(link->what, other->what) && is_left(a, link->from) &&
           is_left(b, other->from) &&
           htp_digest_equals(a->fingerprint->labels[label][link->from],
                             b->fingerprint->labels[label][other->from]);
}

/* Whether two operands are interchangeable: the operator is commutative, and the operands have
 * equal labels. */
static bool are_alike(const struct side *side, const htp_link *links, htp_label label)
{
    const htp_digest *labels = side->fingerprint->labels[label];
    return htp_digest_equals(links[0].what, links[1].what) && links[0].from != HTP_NONE &&
           links[1].from != HTP_NONE && links[0].from != links[1].from &&
           is_left(side, links[0].from) && is_left(side, links[1].from) &&
           htp_digest_equals(labels[links[0].from], labels[links[1].from]);
}

/* Joins the sources of two counterparts, operand by operand. */
static void join_sources(struct finder *f, uint32_t a, uint32_t b, htp_label label)
{
    const htp_fingerprint *first = f->sides[OF_A].fingerprint;
    const htp_fingerprint *second = f->sides[OF_B].fingerprint;
    const htp_link *links = HTP_FROM(&first->links, first->first_link[a]);
    const htp_link *others = HTP_FROM(&second->links, second->first_link[b]);
    uint32_t count = first->first_link[a + 1] - first->first_link[a];
    uint32_t other_count = second->first_link[b + 1] - second->first_link[b];
    bool may_swap = count == 2 && other_count == 2;
    if (may_swap &&
        (are_alike(&f->sides[OF_A], links, label) || are_alike(&f->sides[OF_B], others, label))) {
        return;
    }
    for (uint32_t i = 0; i < count && i < other_count; i++) {
        if (may_join(f, &links[i], &others[i], label)) {
            join(f, links[i].from, others[i].from);
        } else if (may_swap && may_join(f, &links[i], &others[1 - i], label)) {
            join(f, links[i].from, others[1 - i].from);
        }
    }
}

/* The links that lead away from the nodes of A, node by node. */
struct leaving {
    uint32_t *first; /* by node, and one more */
    uint32_t *links;
    uint32_t *readers;
};

static void list_leaving(struct finder *f, struct leaving *leaving)
{
    const htp_fingerprint *fingerprint = f->sides[OF_A].fingerprint;
    leaving->first = HTP_NEW_ARRAY(f->arena, uint32_t, fingerprint->count + 2U);
    leaving->links = HTP_NEW_ARRAY(f->arena, uint32_t, fingerprint->links.count + 1);
    leaving->readers = HTP_NEW_ARRAY(f->arena, uint32_t, fingerprint->links.count + 1);
    for (size_t i = 0; i < fingerprint->links.count; i++) {
        if (fingerprint->links.items[i].from != HTP_NONE) {
            leaving->first[fingerprint->links.items[i].from + 2U]++;
        }
    }
    for (uint32_t n = 1; n <= fingerprint->count + 1U; n++) {
        leaving->first[n] += leaving->first[n - 1];
    }
    for (uint32_t n = 0; n < fingerprint->count; n++) {
        for (uint32_t i = fingerprint->first_link[n]; i < fingerprint->first_link[n + 1]; i++) {
            uint32_t from = fingerprint->links.items[i].from;
            if (from != HTP_NONE) {
                uint32_t at = leaving->first[from + 1U]++;
                leaving->links[at] = i;
                leaving->readers[at] = n;
            }
        }
    }
}

/* Joins the readers of two counterparts, if their group has one reader left in each model. */
static void join_readers(struct finder *f, const struct leaving *leaving, uint32_t a, uint32_t b,
                         htp_label label)
{
    struct side *first = &f->sides[OF_A];
    struct side *second = &f->sides[OF_B];
    for (uint32_t at = leaving->first[a]; at < leaving->first[a + 1U]; at++) {
        uint32_t n = leaving->readers[at];
        uint32_t i = leaving->links[at];
        uint32_t group;
        if (!is_left(first, n) || first->readers[first->group[i]].left != 1) {
            continue;
        }
        htp_digest key = group_key(second->fingerprint, b, &first->fingerprint->links.items[i].what,
                                   &first->fingerprint->labels[label][n]);
        if (htp_map_get_bytes(&second->groups, &key, sizeof(key), &group) &&
            second->readers[group].left == 1) {
            join(f, n, (uint32_t)second->readers[group].sum);
        }
    }
}

/* Propagates from all counterparts along their links. */
static void join_neighbours(struct finder *f, const struct leaving *leaving, htp_label label)
{
    for (uint32_t i = 0; i < f->queued; i++) {
        uint32_t a = f->queue[i];
        uint32_t b = f->sides[OF_A].found[a];
        join_sources(f, a, b, label);
        join_readers(f, leaving, a, b, label);
    }
}

/* ---- the steps ---- */

/* Whether one of the models has no nodes left. */
static bool is_done(const struct finder *f)
{
    return f->queued == f->sides[OF_A].fingerprint->units ||
           f->queued == f->sides[OF_B].fingerprint->units;
}

static void join_by_label(struct finder *f, const struct leaving *leaving, htp_label label)
{
    htp_surroundings of[SIDES];
    if (is_done(f)) {
        return;
    }
    for (int s = 0; s < SIDES; s++) {
        htp_surroundings_find(f->arena, f->sides[s].fingerprint, label, &of[s]);
        f->sides[s].group = NULL; /* it was made for another label */
    }
    htp_digest *const both[] = {of[0].both, of[1].both};
    join_in_order(f, both);
    if (is_done(f)) {
        return;
    }
    for (int s = 0; s < SIDES; s++) {
        group_readers(f, &f->sides[s], label);
    }
    htp_digest *const single[][SIDES] = {{of[0].both, of[1].both},
                                         {of[0].far, of[1].far},
                                         {of[0].before, of[1].before},
                                         {of[0].behind, of[1].behind},
                                         {of[0].near, of[1].near}};
    for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
        join_single(f, single[i]);
        join_neighbours(f, leaving, label);
    }
}

static void join_by_operator(struct finder *f, const struct leaving *leaving)
{
    if (is_done(f)) {
        return;
    }
    for (int s = 0; s < SIDES; s++) {
        group_readers(f, &f->sides[s], HTP_LABEL_OPERATOR);
    }
    join_neighbours(f, leaving, HTP_LABEL_OPERATOR);
}

static uint32_t *new_answers(htp_arena *arena, uint32_t count)
{
    uint32_t *answers = HTP_NEW_ARRAY(arena, uint32_t, count + 1U);
    for (uint32_t i = 0; i < count; i++) {
        answers[i] = HTP_NONE;
    }
    return answers;
}

bool htp_correspondence_is_same_link(const htp_correspondence *correspondence, const htp_link *link,
                                     const htp_link *other)
{
    uint32_t source = link->from == HTP_NONE ? HTP_NONE : correspondence->counterparts[link->from];
    return htp_digest_equals(link->what, other->what) && source == other->from &&
           (link->from == HTP_NONE) == (other->from == HTP_NONE);
}

/* Whether two nodes have corresponding sources; operands of commutative operators in either order.
 */
static bool take_same(const htp_correspondence *correspondence, const htp_link *links,
                      const htp_link *others, uint32_t count)
{
    uint32_t same = 0;
    while (same < count &&
           htp_correspondence_is_same_link(correspondence, &links[same], &others[same])) {
        same++;
    }
    return same == count ||
           (count == 2 && htp_correspondence_is_same_link(correspondence, &links[0], &others[1]) &&
            htp_correspondence_is_same_link(correspondence, &links[1], &others[0]));
}

unsigned htp_correspondence_compare(const htp_fingerprint *a, const htp_fingerprint *b,
                                    const htp_correspondence *correspondence, uint32_t n)
{
    uint32_t m = correspondence->counterparts[n];
    uint32_t links = a->first_link[n + 1] - a->first_link[n];
    bool are_same = links == b->first_link[m + 1] - b->first_link[m] &&
                    take_same(correspondence, HTP_FROM(&a->links, a->first_link[n]),
                              HTP_FROM(&b->links, b->first_link[m]), links);
    unsigned differences = 0;
    bool has_attributes = htp_digest_equals(a->attributes[n], b->attributes[m]);
    bool has_constants = htp_digest_equals(a->given[n], b->given[m]);
    differences |= has_attributes ? 0 : HTP_DIFFERENT_ATTRIBUTES;
    differences |= has_constants ? 0 : HTP_DIFFERENT_CONSTANTS;
    differences |= are_same ? 0 : HTP_DIFFERENT_EDGES;
    return differences;
}

void htp_correspondence_find(htp_arena *arena, const htp_fingerprint *a, const htp_fingerprint *b,
                             htp_correspondence *correspondence)
{
    struct leaving leaving;
    struct finder f = {
        .arena = arena,
        .sides = {{.fingerprint = a, .found = new_answers(arena, a->count)},
                  {.fingerprint = b, .found = new_answers(arena, b->count)}},
        .queue = HTP_NEW_ARRAY(arena, uint32_t, a->count + 1U),
        .next = HTP_NEW_ARRAY(arena, uint32_t, b->count + 1U),
        .keys = HTP_NEW_ARRAY(arena, htp_digest, b->count + 1U),
    };
    uint32_t *nodes = new_answers(arena, a->count);
    uint32_t *back = new_answers(arena, b->count);
    list_leaving(&f, &leaving);
    join_by_label(&f, &leaving, HTP_LABEL_WHOLE);
    join_by_label(&f, &leaving, HTP_LABEL_FORM);
    htp_digest *const labels[] = {(htp_digest *)a->labels[HTP_LABEL_WHOLE],
                                  (htp_digest *)b->labels[HTP_LABEL_WHOLE]};
    join_in_order(&f, labels);
    join_by_operator(&f, &leaving);
    *correspondence = (htp_correspondence){.nodes = nodes,
                                           .back = back,
                                           .counterparts = f.sides[OF_A].found,
                                           .counterparts_back = f.sides[OF_B].found};
    for (uint32_t n = 0; n < a->count; n++) {
        uint32_t m = correspondence->counterparts[n];
        if (m != HTP_NONE && htp_correspondence_compare(a, b, correspondence, n) == 0) {
            nodes[n] = m;
            back[m] = n;
            correspondence->count++;
        }
    }
}
