#include "query/retag/retag.h"

#include "query/compare/compare.h"
#include "query/retag/retag_parts.h"

#include <string.h>

const char *htp_retag_evidence_name(htp_retag_evidence evidence)
{
    static const char *const names[HTP_RETAG_EVIDENCES] = {
        [HTP_RETAG_BY_NOTHING] = "nothing",
        [HTP_RETAG_BY_ATTRIBUTE] = "attribute",
        [HTP_RETAG_BY_NAME] = "name",
        [HTP_RETAG_BY_TENSOR] = "tensor",
        [HTP_RETAG_BY_PART_NAME] = "part of the name",
        [HTP_RETAG_BY_STRUCTURE] = "structure",
        [HTP_RETAG_BY_WEIGHT] = "weight",
        [HTP_RETAG_BY_READERS] = "readers",
        [HTP_RETAG_BY_SURROUNDINGS] = "surroundings",
    };
    return names[evidence];
}

/* ---- modules ---- */

static void note_modules(htp_retagger *r)
{
    r->levels = HTP_NEW_ARRAY(r->arena, uint32_t, r->tree->module_count + 1U);
    for (uint32_t i = 0; i < r->tree->module_count; i++) {
        const htp_tree_module *module = &r->tree->modules[i];
        r->levels[i] = i == 0 ? 0 : module->parent == HTP_NONE ? 1 : r->levels[module->parent] + 1;
        if (module->has_tag) {
            htp_map_set_bytes(r->arena, &r->tags, module->tag.at, module->tag.length, i);
        }
    }
}

/* ---- one node ---- */

/* The module of the tagged model with this tag, or HTP_NONE. */
static uint32_t find_tag(const htp_retagger *r, uint32_t owner)
{
    htp_slice tag = r->out->changed.tree->modules[owner].tag;
    uint32_t module;
    return htp_map_get_bytes(&r->tags, tag.at, tag.length, &module) ? module : HTP_NONE;
}

/* Whether the changed model itself has tags. Those of a sidecar or of names do not count. */
static bool has_tags(const htp_tree *tree)
{
    return tree->source >= HTP_TREE_ATTRIBUTES && tree->source <= HTP_TREE_NAME_SCOPES;
}

static bool have_one_operator(const htp_retagger *r, uint32_t n, uint32_t node)
{
    return strcmp(htp_view_text(r->changed, r->changed->nodes.items[n].op_type),
                  htp_view_text(r->like, r->like->nodes.items[node].op_type)) == 0;
}

/* The node of the tagged model that makes the same tensor. */
static uint32_t find_maker(const htp_retagger *r, const htp_view_node *node)
{
    for (uint32_t i = 0; i < node->outputs.count; i++) {
        uint32_t value = r->changed->operands.items[node->outputs.first + i];
        uint32_t known = value == HTP_NONE ? HTP_NONE : r->known[value];
        if (known != HTP_NONE && r->like->values.items[known].node != HTP_NONE) {
            return r->like->values.items[known].node;
        }
    }
    return HTP_NONE;
}

/* The better of two nodes: the one with its name, and the one that makes the same tensor. */
static uint32_t choose_node(const htp_retagger *r, uint32_t n, htp_retag_evidence *evidence)
{
    uint32_t namesake = htp_retag_namesake(r, n);
    uint32_t maker = find_maker(r, &r->changed->nodes.items[n]);
    bool is_namesake = namesake != HTP_NONE &&
                       (maker == HTP_NONE || maker == namesake ||
                        (have_one_operator(r, n, namesake) && !have_one_operator(r, n, maker)));
    *evidence = is_namesake ? HTP_RETAG_BY_NAME : HTP_RETAG_BY_TENSOR;
    return is_namesake ? namesake : maker;
}

/* A tag that the tool kept is right. If names agree with it, they decide which node of the module
 * it is. */
static bool place_by_tag(htp_retagger *r, uint32_t n, uint32_t node)
{
    const htp_tree *tree = r->out->changed.tree;
    htp_view_range tags = tree->places[n].tags;
    if (!has_tags(tree) || tags.count == 0) {
        return false;
    }
    htp_retag_place place = {.node = HTP_NONE,
                             .module = find_tag(r, tree->owners.items[tags.first]),
                             .more = {(uint32_t)r->out->more.count, 0},
                             .evidence = HTP_RETAG_BY_ATTRIBUTE};
    if (place.module == HTP_NONE) {
        return false;
    }
    for (uint32_t i = 1; i < tags.count; i++) {
        uint32_t module = find_tag(r, tree->owners.items[tags.first + i]);
        if (module != HTP_NONE) {
            HTP_PUSH(r->arena, &r->out->more, module);
            place.more.count++;
        }
    }
    if (node != HTP_NONE && htp_retag_module(r, node) == place.module) {
        place.node = node;
    }
    r->out->places[n] = place;
    return true;
}

/* ---- steps ---- */

/* Places nodes by tags, names and tensors that the tool kept. @return how many */
static size_t place_kept(htp_retagger *r)
{
    size_t kept = 0;
    for (uint32_t n = 0; n < r->changed->nodes.count; n++) {
        htp_retag_evidence evidence;
        uint32_t node = choose_node(r, n, &evidence);
        kept += place_by_tag(r, n, node) ||
                (node != HTP_NONE && htp_retag_place_like(r, n, node, evidence));
    }
    return kept;
}

/* Outputs of a node have the meaning of those of a counterpart with the same operator. */
static void note_outputs(htp_retagger *r, uint32_t n, uint32_t node)
{
    htp_view_range made = r->changed->nodes.items[n].outputs;
    htp_view_range was = r->like->nodes.items[node].outputs;
    for (uint32_t i = 0; i < made.count && i < was.count; i++) {
        uint32_t value = r->changed->operands.items[made.first + i];
        if (value != HTP_NONE && r->meant[value] == HTP_NONE) {
            r->meant[value] = r->like->operands.items[was.first + i];
        }
    }
}

/* For files that keep few names. */
static htp_status place_by_structure(htp_retagger *r)
{
    const htp_view *const views[] = {r->like, r->changed};
    const htp_tree *const trees[] = {r->tree, r->out->changed.tree};
    htp_comparison comparison;
    HTP_TRY(htp_compare(r->arena, views, trees, &comparison));
    for (uint32_t n = 0; n < r->changed->nodes.count; n++) {
        uint32_t node = comparison.correspondence.counterparts_back[n];
        if (!htp_retag_is_placed(r, n) && node != HTP_NONE && have_one_operator(r, n, node) &&
            htp_retag_place_like(r, n, node, HTP_RETAG_BY_STRUCTURE) &&
            comparison.correspondence.back[n] == node) {
            note_outputs(r, n, node);
        }
    }
    return HTP_OK;
}

static void begin(htp_retagger *r)
{
    size_t count = r->changed->nodes.count;
    r->out->places = HTP_NEW_ARRAY(r->arena, htp_retag_place, count + 1);
    for (size_t n = 0; n < count; n++) {
        r->out->places[n] = (htp_retag_place){.node = HTP_NONE, .module = HTP_NONE};
    }
    note_modules(r);
    htp_retag_names_begin(r);
}

htp_status htp_retag_find(htp_arena *arena, const htp_retag_side *changed,
                          const htp_retag_side *like, htp_retagging *retagging)
{
    htp_retagger r = {.arena = arena,
                      .out = retagging,
                      .changed = changed->view,
                      .like = like->view,
                      .tree = like->tree};
    *retagging = (htp_retagging){.changed = *changed, .like = *like};
    if (like->tree->source == HTP_TREE_NOWHERE) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: it has no modules; --like needs the model as it was "
                               "exported, with its tags",
                               like->view->path);
    }
    begin(&r);
    size_t kept = place_kept(&r);
    htp_retag_by_parts(&r);
    htp_retag_find_held(&r);
    if (kept < r.changed->nodes.count - kept) {
        HTP_TRY(place_by_structure(&r));
    }
    htp_retag_by_neighbours(&r);
    htp_retag_add_weights(&r);
    for (size_t n = 0; n < r.changed->nodes.count; n++) {
        retagging->counts[retagging->places[n].evidence]++;
    }
    bool is_other = retagging->counts[HTP_RETAG_BY_NOTHING] == r.changed->nodes.count;
    retagging->is_same = retagging->counts[HTP_RETAG_BY_ATTRIBUTE] == r.changed->nodes.count;
    return is_other && r.changed->nodes.count > 0
               ? htp_status_make(HTP_CODE_BAD_INPUT,
                                 "%s: it has no tag, name, tensor or structure in common with "
                                 "%s; --like takes the model that it was made of",
                                 changed->view->path, like->view->path)
               : HTP_OK;
}
