#include "query/diff/surroundings.h"

#include <string.h>

/* In which way a digest was made. */
enum way { WAY_BEFORE = 101, WAY_BEHIND, WAY_BOTH, WAY_ROUND, WAY_TAKES, WAY_GIVES };

static htp_digest *new_digests(htp_arena *arena, const htp_outline *outline)
{
    return HTP_NEW_ARRAY(arena, htp_digest, outline->count + 1U);
}

/* What links that lead to nodes of graphs behind tell: no more than that they do. */
static void look_before(const htp_outline *outline, const htp_digest *labels, htp_digest *before)
{
    for (uint32_t n = 0; n < outline->count; n++) {
        htp_digest sum = {0, 0};
        for (uint32_t i = outline->first_link[n]; i < outline->first_link[n + 1]; i++) {
            const htp_link *link = &outline->links.items[i];
            htp_digest source = htp_link_is_forward(link, n) ? before[link->from]
                                : link->from == HTP_NONE     ? link->what
                                                             : labels[link->from];
            htp_digest_add(&sum, htp_digest_mix(outline->seed, WAY_TAKES, link->what, source));
        }
        before[n] = htp_digest_mix(outline->seed, WAY_BEFORE, labels[n], sum);
    }
}

static void look_behind(const htp_outline *outline, const htp_digest *labels, htp_digest *behind)
{
    for (size_t i = 0; i < outline->outputs.count; i++) {
        const htp_link *link = &outline->outputs.items[i];
        if (link->from != HTP_NONE) {
            htp_digest_add(&behind[link->from], link->what);
        }
    }
    for (uint32_t n = 0; n < outline->count; n++) {
        for (uint32_t i = outline->first_link[n]; i < outline->first_link[n + 1]; i++) {
            const htp_link *link = &outline->links.items[i];
            if (link->from != HTP_NONE && link->from > n) {
                htp_digest_add(&behind[link->from],
                               htp_digest_mix(outline->seed, WAY_GIVES, link->what, labels[n]));
            }
        }
    }
    for (uint32_t n = outline->count; n-- > 0;) {
        htp_digest self = htp_digest_mix(outline->seed, WAY_BEHIND, labels[n], behind[n]);
        for (uint32_t i = outline->first_link[n]; i < outline->first_link[n + 1]; i++) {
            const htp_link *link = &outline->links.items[i];
            if (htp_link_is_forward(link, n)) {
                htp_digest_add(&behind[link->from],
                               htp_digest_mix(outline->seed, WAY_GIVES, link->what, self));
            }
        }
    }
}

/* One round: each node learns of its neighbours. */
static void look_around(const htp_outline *outline, const htp_digest *old, htp_digest *sums,
                        htp_digest *new)
{
    memset(sums, 0, (outline->count + 1U) * sizeof(*sums));
    for (size_t i = 0; i < outline->outputs.count; i++) {
        const htp_link *link = &outline->outputs.items[i];
        if (link->from != HTP_NONE) {
            htp_digest_add(&sums[link->from], link->what);
        }
    }
    for (uint32_t n = 0; n < outline->count; n++) {
        for (uint32_t i = outline->first_link[n]; i < outline->first_link[n + 1]; i++) {
            const htp_link *link = &outline->links.items[i];
            htp_digest source = link->what;
            if (link->from != HTP_NONE) {
                source = old[link->from];
                htp_digest_add(&sums[link->from],
                               htp_digest_mix(outline->seed, WAY_GIVES, link->what, old[n]));
            }
            htp_digest_add(&sums[n], htp_digest_mix(outline->seed, WAY_TAKES, link->what, source));
        }
    }
    for (uint32_t n = 0; n < outline->count; n++) {
        new[n] = htp_digest_mix(outline->seed, WAY_ROUND, old[n], sums[n]);
    }
}

void htp_surroundings_find(htp_arena *arena, const htp_outline *outline, htp_label label,
                           htp_surroundings *surroundings)
{
    const htp_digest *labels = outline->labels[label];
    htp_digest *sums = new_digests(arena, outline);
    *surroundings = (htp_surroundings){.before = new_digests(arena, outline),
                                       .behind = new_digests(arena, outline),
                                       .both = new_digests(arena, outline),
                                       .near = new_digests(arena, outline),
                                       .far = new_digests(arena, outline)};
    look_before(outline, labels, surroundings->before);
    look_behind(outline, labels, surroundings->behind);
    for (uint32_t n = 0; n < outline->count; n++) {
        surroundings->behind[n] =
            htp_digest_mix(outline->seed, WAY_BEHIND, labels[n], surroundings->behind[n]);
        surroundings->both[n] = htp_digest_mix(outline->seed, WAY_BOTH, surroundings->before[n],
                                               surroundings->behind[n]);
    }
    htp_digest *old = surroundings->near;
    htp_digest *new = surroundings->far;
    memcpy(old, labels, outline->count * sizeof(*old));
    for (int round = 1; round <= HTP_SURROUNDINGS_FAR; round++) {
        look_around(outline, old, sums, new);
        memcpy(old, new, outline->count * sizeof(*old));
        if (round == HTP_SURROUNDINGS_NEAR) { /* the far ones go on from a copy */
            old = new_digests(arena, outline);
            memcpy(old, new, outline->count * sizeof(*old));
        }
    }
}
