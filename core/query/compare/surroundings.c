#include "query/compare/surroundings.h"

#include <string.h>

/* The direction of a digest. */
enum way { WAY_BEFORE = 101, WAY_BEHIND, WAY_BOTH, WAY_ROUND, WAY_TAKES, WAY_GIVES };

static htp_digest *new_digests(htp_arena *arena, const htp_fingerprint *fingerprint)
{
    return HTP_NEW_ARRAY(arena, htp_digest, fingerprint->count + 1U);
}

/* Links from later nodes, which are in functions, count only as links. */
static void look_before(const htp_fingerprint *fingerprint, const htp_digest *labels,
                        htp_digest *before)
{
    for (uint32_t n = 0; n < fingerprint->count; n++) {
        htp_digest sum = {0, 0};
        for (uint32_t i = fingerprint->first_link[n]; i < fingerprint->first_link[n + 1]; i++) {
            const htp_link *link = &fingerprint->links.items[i];
            htp_digest source = htp_link_is_forward(link, n) ? before[link->from]
                                : link->from == HTP_NONE     ? link->what
                                                             : labels[link->from];
            htp_digest_add(&sum, htp_digest_mix(fingerprint->seed, WAY_TAKES, link->what, source));
        }
        before[n] = htp_digest_mix(fingerprint->seed, WAY_BEFORE, labels[n], sum);
    }
}

static void look_behind(const htp_fingerprint *fingerprint, const htp_digest *labels,
                        htp_digest *behind)
{
    for (size_t i = 0; i < fingerprint->outputs.count; i++) {
        const htp_link *link = &fingerprint->outputs.items[i];
        if (link->from != HTP_NONE) {
            htp_digest_add(&behind[link->from], link->what);
        }
    }
    for (uint32_t n = 0; n < fingerprint->count; n++) {
        for (uint32_t i = fingerprint->first_link[n]; i < fingerprint->first_link[n + 1]; i++) {
            const htp_link *link = &fingerprint->links.items[i];
            if (link->from != HTP_NONE && link->from > n) {
                htp_digest_add(&behind[link->from],
                               htp_digest_mix(fingerprint->seed, WAY_GIVES, link->what, labels[n]));
            }
        }
    }
    for (uint32_t n = fingerprint->count; n-- > 0;) {
        htp_digest self = htp_digest_mix(fingerprint->seed, WAY_BEHIND, labels[n], behind[n]);
        for (uint32_t i = fingerprint->first_link[n]; i < fingerprint->first_link[n + 1]; i++) {
            const htp_link *link = &fingerprint->links.items[i];
            if (htp_link_is_forward(link, n)) {
                htp_digest_add(&behind[link->from],
                               htp_digest_mix(fingerprint->seed, WAY_GIVES, link->what, self));
            }
        }
    }
}

/* One round of refinement: each node takes in its neighbours. */
static void look_around(const htp_fingerprint *fingerprint, const htp_digest *old, htp_digest *sums,
                        htp_digest *new)
{
    memset(sums, 0, (fingerprint->count + 1U) * sizeof(*sums));
    for (size_t i = 0; i < fingerprint->outputs.count; i++) {
        const htp_link *link = &fingerprint->outputs.items[i];
        if (link->from != HTP_NONE) {
            htp_digest_add(&sums[link->from], link->what);
        }
    }
    for (uint32_t n = 0; n < fingerprint->count; n++) {
        for (uint32_t i = fingerprint->first_link[n]; i < fingerprint->first_link[n + 1]; i++) {
            const htp_link *link = &fingerprint->links.items[i];
            htp_digest source = link->what;
            if (link->from != HTP_NONE) {
                source = old[link->from];
                htp_digest_add(&sums[link->from],
                               htp_digest_mix(fingerprint->seed, WAY_GIVES, link->what, old[n]));
            }
            htp_digest_add(&sums[n],
                           htp_digest_mix(fingerprint->seed, WAY_TAKES, link->what, source));
        }
    }
    for (uint32_t n = 0; n < fingerprint->count; n++) {
        new[n] = htp_digest_mix(fingerprint->seed, WAY_ROUND, old[n], sums[n]);
    }
}

void htp_surroundings_find(htp_arena *arena, const htp_fingerprint *fingerprint, htp_label label,
                           htp_surroundings *surroundings)
{
    const htp_digest *labels = fingerprint->labels[label];
    htp_digest *sums = new_digests(arena, fingerprint);
    *surroundings = (htp_surroundings){.before = new_digests(arena, fingerprint),
                                       .behind = new_digests(arena, fingerprint),
                                       .both = new_digests(arena, fingerprint),
                                       .near = new_digests(arena, fingerprint),
                                       .far = new_digests(arena, fingerprint)};
    look_before(fingerprint, labels, surroundings->before);
    look_behind(fingerprint, labels, surroundings->behind);
    for (uint32_t n = 0; n < fingerprint->count; n++) {
        surroundings->behind[n] =
            htp_digest_mix(fingerprint->seed, WAY_BEHIND, labels[n], surroundings->behind[n]);
        surroundings->both[n] = htp_digest_mix(fingerprint->seed, WAY_BOTH, surroundings->before[n],
                                               surroundings->behind[n]);
    }
    htp_digest *old = surroundings->near;
    htp_digest *new = surroundings->far;
    memcpy(old, labels, fingerprint->count * sizeof(*old));
    for (int round = 1; round <= HTP_SURROUNDINGS_FAR; round++) {
        look_around(fingerprint, old, sums, new);
        memcpy(old, new, fingerprint->count * sizeof(*old));
        if (round == HTP_SURROUNDINGS_NEAR) { /* the far rounds continue with a copy */
            old = new_digests(arena, fingerprint);
            memcpy(old, new, fingerprint->count * sizeof(*old));
        }
    }
}
