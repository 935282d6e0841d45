#include "query/compare/compare.h"

#include <string.h>

/* ---- counts ---- */

/* Counts in the order of first use, A's first. */
struct counter {
    htp_arena *arena;
    htp_compared_counts *counts;
    htp_map known;
};

static void count(struct counter *counter, int model, htp_slice name, bool corresponds)
{
    uint32_t row = (uint32_t)counter->counts->count;
    if (!htp_map_get_bytes(&counter->known, name.at, name.length, &row)) {
        htp_map_set_bytes(counter->arena, &counter->known, name.at, name.length, row);
        HTP_PUSH(counter->arena, counter->counts, (htp_compared_count){.name = name});
    }
    counter->counts->items[row].nodes[model]++;
    counter->counts->items[row].corresponding[model] += corresponds;
}

static const uint32_t *partners(const htp_comparison *c, int model)
{
    return model == HTP_COMPARED_A ? c->correspondence.nodes : c->correspondence.back;
}

/* The tag of a node, as it would be without a wrapper around the model. */
static htp_slice tag_of(const htp_comparison *c, int model, uint32_t node)
{
    htp_view_range tags = c->trees[model]->places[node].tags;
    return tags.count > 0 ? c->roots.names[model][c->trees[model]->owners.items[tags.first]]
                          : htp_slice_of("");
}

static void count_nodes(htp_arena *arena, htp_comparison *c)
{
    struct counter operators = {.arena = arena, .counts = &c->operators};
    struct counter modules = {.arena = arena, .counts = &c->modules};
    for (int m = 0; m < HTP_COMPARED; m++) {
        const htp_view *view = c->views[m];
        for (uint32_t n = 0; n < c->fingerprints[m].count; n++) {
            bool corresponds = partners(c, m)[n] != HTP_NONE;
            if (c->fingerprints[m].is_constant[n]) {
                continue;
            }
            count(&operators, m, htp_slice_of(htp_view_text(view, view->nodes.items[n].op_type)),
                  corresponds);
            if (c->has_modules) {
                count(&modules, m, tag_of(c, m, n), corresponds);
            }
        }
    }
}

/* ---- unmatched nodes ---- */

static void list_unmatched(htp_arena *arena, htp_comparison *c)
{
    const htp_fingerprint *a = &c->fingerprints[HTP_COMPARED_A];
    const htp_fingerprint *b = &c->fingerprints[HTP_COMPARED_B];
    htp_constant_changes changes = {0};
    const uint32_t *const counterparts[] = {c->correspondence.counterparts,
                                            c->correspondence.counterparts_back};
    for (int m = 0; m < HTP_COMPARED; m++) {
        for (uint32_t n = 0; n < c->fingerprints[m].count; n++) {
            if (c->fingerprints[m].is_constant[n] || partners(c, m)[n] != HTP_NONE) {
                continue;
            }
            htp_unmatched unmatched = {.node = n, .counterpart = counterparts[m][n]};
            if (unmatched.counterpart != HTP_NONE) {
                uint32_t of_a = m == HTP_COMPARED_A ? n : unmatched.counterpart;
                uint32_t of_b = m == HTP_COMPARED_A ? unmatched.counterpart : n;
                unmatched.differences = htp_correspondence_compare(a, b, &c->correspondence, of_a);
                if (unmatched.differences & HTP_DIFFERENT_CONSTANTS) {
                    unmatched.change =
                        htp_constant_change_find(arena, &changes, c->fingerprints, of_a, of_b);
                }
            }
            HTP_PUSH(arena, &c->unmatched[m], unmatched);
        }
    }
}

/* ---- tags ---- */

/* Tags made of classes and tags made of paths cannot be compared. */
static bool have_one_kind(const htp_tree *const trees[HTP_COMPARED])
{
    return trees[HTP_COMPARED_A]->source != HTP_TREE_NOWHERE &&
           trees[HTP_COMPARED_B]->source != HTP_TREE_NOWHERE &&
           trees[HTP_COMPARED_A]->are_paths_in_tags == trees[HTP_COMPARED_B]->are_paths_in_tags;
}

/* Whether nodes of a tree may have several tags, as only our exports do. */
static bool has_many(const htp_tree *tree)
{
    return tree->source == HTP_TREE_ATTRIBUTES || tree->source == HTP_TREE_METADATA ||
           tree->source == HTP_TREE_DOC_STRINGS;
}

static htp_slice relative_tag_of(const htp_tree *tree, uint32_t node)
{
    return tree->relative ? tree->relative[node] : htp_slice_of("");
}

/* Whether a relative tag may stand for a tag: the tag ends with it. "." may stand for any. */
static bool may_stand_for(htp_slice relative, htp_slice tag)
{
    size_t rest = tag.length > relative.length ? tag.length - relative.length : 0;
    bool ends = rest > 1 && tag.at[rest - 1] == '/' &&
                memcmp(tag.at + rest, relative.at, relative.length) == 0;
    return ends || (tag.length > 0 && htp_slice_equals(relative, htp_slice_of(".")));
}

/* Compares tags of which one is relative: inlining a function without the tags of its calls leaves
 * such tags. @return whether one is */
static bool compare_relative(const htp_comparison *c, const uint32_t nodes[HTP_COMPARED],
                             bool *are_same)
{
    htp_slice relative[HTP_COMPARED];
    htp_slice tags[HTP_COMPARED];
    for (int m = 0; m < HTP_COMPARED; m++) {
        relative[m] = relative_tag_of(c->trees[m], nodes[m]);
        tags[m] = tag_of(c, m, nodes[m]);
    }
    if (relative[0].length > 0 && relative[1].length > 0) {
        *are_same = htp_slice_equals(relative[0], relative[1]);
    } else if (relative[0].length > 0 || relative[1].length > 0) {
        int m = relative[0].length > 0 ? 0 : 1;
        *are_same = may_stand_for(relative[m], tags[1 - m]);
    }
    return relative[0].length > 0 || relative[1].length > 0;
}

static bool have_same_tags(const htp_comparison *c, const uint32_t nodes[HTP_COMPARED])
{
    const htp_tree *a = c->trees[HTP_COMPARED_A];
    const htp_tree *b = c->trees[HTP_COMPARED_B];
    bool are_same_below = false;
    if (compare_relative(c, nodes, &are_same_below)) {
        return are_same_below;
    }
    htp_view_range first = a->places[nodes[HTP_COMPARED_A]].tags;
    htp_view_range second = b->places[nodes[HTP_COMPARED_B]].tags;
    bool are_whole = has_many(a) && has_many(b);
    bool are_same =
        are_whole ? first.count == second.count : (first.count > 0) == (second.count > 0);
    for (uint32_t i = 0; are_same && i < first.count && (are_whole || i == 0); i++) {
        are_same = htp_slice_equals(c->roots.names[0][a->owners.items[first.first + i]],
                                    c->roots.names[1][b->owners.items[second.first + i]]);
    }
    return are_same;
}

static void compare_tags(htp_arena *arena, htp_comparison *c)
{
    for (uint32_t n = 0; c->has_tags && n < c->fingerprints[HTP_COMPARED_A].count; n++) {
        const htp_compared_tag pair = {{n, c->correspondence.nodes[n]}};
        if (pair.nodes[HTP_COMPARED_B] != HTP_NONE && !have_same_tags(c, pair.nodes)) {
            HTP_PUSH(arena, &c->tags, pair);
        }
    }
}

/* ---- all of it ---- */

static void judge(htp_comparison *c)
{
    bool is_same = c->unmatched[0].count == 0 && c->unmatched[1].count == 0 &&
                   c->only[0].count == 0 && c->only[1].count == 0 && c->function_outputs == 0;
    for (size_t i = 0; i < c->values.count; i++) {
        const htp_compared_value *value = &c->values.items[i];
        is_same = is_same && value->values[0] != HTP_NONE && value->values[1] != HTP_NONE &&
                  !value->has_other_type && !value->has_other_source;
    }
    c->has_same_topology = is_same;
    c->is_different = !is_same || c->facts.count > 0 || c->tags.count > 0;
}

htp_status htp_compare(htp_arena *arena, const htp_view *const views[HTP_COMPARED],
                       const htp_tree *const trees[HTP_COMPARED], htp_comparison *comparison)
{
    uint64_t seed = htp_digest_seed();
    htp_pairing pairings[HTP_COMPARED];
    *comparison = (htp_comparison){.has_modules = have_one_kind(trees)};
    comparison->has_tags =
        comparison->has_modules && trees[HTP_COMPARED_A]->source != HTP_TREE_NODE_NAMES;
    htp_compare_pair(arena, views, pairings);
    for (int m = 0; m < HTP_COMPARED; m++) {
        const htp_content *contents;
        comparison->views[m] = views[m];
        comparison->trees[m] = trees[m];
        HTP_TRY(htp_contents_read(arena, views[m], seed, &contents));
        htp_fingerprint_make(arena, views[m], seed, contents, &pairings[m],
                             &comparison->fingerprints[m]);
    }
    htp_correspondence_find(arena, &comparison->fingerprints[0], &comparison->fingerprints[1],
                            &comparison->correspondence);
    htp_compared_roots_find(arena, trees, comparison->fingerprints, &comparison->correspondence,
                            &comparison->roots);
    comparison->roots.are_aligned = comparison->roots.are_aligned && comparison->has_modules;
    list_unmatched(arena, comparison);
    count_nodes(arena, comparison);
    htp_compare_values(arena, comparison, pairings);
    htp_compare_constants(arena, comparison);
    htp_compare_facts(arena, comparison);
    compare_tags(arena, comparison);
    judge(comparison);
    return HTP_OK;
}
