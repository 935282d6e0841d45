#include "query/compare/roots.h"

#include <string.h>

/* The first tag of a node; empty: it has none. */
static htp_slice tag_of(const htp_tree *tree, uint32_t node)
{
    htp_view_range tags = tree->places[node].tags;
    return tags.count > 0 ? tree->modules[tree->owners.items[tags.first]].tag : htp_slice_of("");
}

/* Votes for modules of the tree with the wrapper. */
struct vote {
    const htp_tree *bare;
    const htp_tree *wrapped;
    htp_map modules; /* by tag */
    uint32_t *votes; /* by module */
};

static struct vote begin(htp_arena *arena, const htp_tree *bare, const htp_tree *wrapped)
{
    struct vote vote = {.bare = bare, .wrapped = wrapped};
    vote.votes = HTP_NEW_ARRAY(arena, uint32_t, wrapped->module_count);
    for (uint32_t m = wrapped->module_count; m-- > 1;) {
        htp_slice tag = wrapped->modules[m].tag;
        if (wrapped->modules[m].has_tag) {
            htp_map_set_bytes(arena, &vote.modules, tag.at, tag.length, m);
        }
    }
    return vote;
}

/* Whether a module below the root may be what the other model's root is. */
static bool may_be_root(const htp_tree_module *root, const htp_tree_module *module)
{
    return root->class_name.length == 0 || module->class_name.length == 0 ||
           htp_slice_equals(root->class_name, module->class_name);
}

/* Votes for the module of the wrapped tree whose tag, in the place of the root's, makes two tags
 * the same. */
static void add_vote(struct vote *vote, htp_slice bare, htp_slice wrapped)
{
    const htp_tree_module *root = &vote->bare->modules[0];
    uint32_t module = 0;
    if (bare.length < root->tag.length || wrapped.length < bare.length - root->tag.length) {
        return;
    }
    size_t rest = bare.length - root->tag.length;
    size_t length = wrapped.length - rest;
    if (memcmp(wrapped.at + length, bare.at + root->tag.length, rest) == 0 &&
        htp_map_get_bytes(&vote->modules, wrapped.at, length, &module) &&
        may_be_root(root, &vote->wrapped->modules[module])) {
        vote->votes[module]++;
    }
}

static uint32_t find_winner(const struct vote *vote)
{
    uint32_t winner = 0; /* the root has no votes */
    for (uint32_t m = 1; m < vote->wrapped->module_count; m++) {
        winner = vote->votes[m] > vote->votes[winner] ? m : winner;
    }
    return winner;
}

static const htp_slice *list_tags(htp_arena *arena, const htp_tree *tree)
{
    htp_slice *names = HTP_NEW_ARRAY(arena, htp_slice, tree->module_count);
    for (uint32_t m = 0; m < tree->module_count; m++) {
        names[m] = tree->modules[m].tag;
    }
    return names;
}

/* Tags at and below a module begin with the other root's. */
static const htp_slice *rename_tags(htp_arena *arena, const htp_tree *tree, htp_slice module,
                                    htp_slice root)
{
    htp_slice *names = HTP_NEW_ARRAY(arena, htp_slice, tree->module_count);
    for (uint32_t m = 0; m < tree->module_count; m++) {
        htp_slice tag = tree->modules[m].tag;
        bool is_below = tag.length >= module.length &&
                        memcmp(tag.at, module.at, module.length) == 0 &&
                        (tag.length == module.length || tag.at[module.length] == '/');
        names[m] = tag;
        if (is_below) {
            names[m] = htp_slice_of(htp_arena_printf(arena, "%.*s%.*s", (int)root.length, root.at,
                                                     (int)(tag.length - module.length),
                                                     tag.at + module.length));
        }
    }
    return names;
}

void htp_compared_roots_find(htp_arena *arena, const htp_tree *const trees[2],
                             const htp_fingerprint fingerprints[2],
                             const htp_correspondence *correspondence, htp_compared_roots *roots)
{
    struct vote votes[2]; /* by the model that has the wrapper */
    uint32_t same = 0;
    for (int m = 0; m < 2; m++) {
        roots->names[m] = list_tags(arena, trees[m]);
        votes[m] = begin(arena, trees[1 - m], trees[m]);
    }
    for (uint32_t n = 0; n < fingerprints[0].count; n++) {
        uint32_t partner = correspondence->nodes[n];
        if (partner == HTP_NONE) {
            continue;
        }
        const htp_slice tags[2] = {tag_of(trees[0], n), tag_of(trees[1], partner)};
        same += htp_slice_equals(tags[0], tags[1]);
        for (int m = 0; m < 2; m++) {
            add_vote(&votes[m], tags[1 - m], tags[m]);
        }
    }
    for (int m = 0; m < 2; m++) {
        uint32_t winner = find_winner(&votes[m]);
        if (winner > 0 && votes[m].votes[winner] > same) {
            same = votes[m].votes[winner];
            roots->are_aligned = true;
            roots->tags[m] = trees[m]->modules[winner].tag;
            roots->tags[1 - m] = trees[1 - m]->modules[0].tag;
            roots->names[m] = rename_tags(arena, trees[m], roots->tags[m], roots->tags[1 - m]);
            roots->names[1 - m] = list_tags(arena, trees[1 - m]);
        }
    }
}
