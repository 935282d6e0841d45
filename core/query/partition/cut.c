#include "query/partition/cut.h"

#include "query/select/folded.h"

/* The outcome of an attempt to cut a region. */
struct attempt {
    uint32_t graph;       /* HTP_NONE: there are no nodes */
    uint32_t other_graph; /* another graph with nodes of the region; or HTP_NONE */
    htp_flow_path detour;
};

/* State shared by successive attempts. */
struct cutter {
    htp_arena *arena;
    const htp_view *view;
    uint32_t *part_of;
    bool *is_inside;       /* by node */
    const bool *is_shared; /* by node; NULL: there are no shared nodes besides the region's */
    htp_flow flow;
    bool has_flow;
};

/* Whether all nodes of a region are shared. Only then do they belong to it. */
static bool is_all_shared(const htp_region *region)
{
    bool is_all = true;
    for (uint32_t n = 0; n < region->view->nodes.count && is_all; n++) {
        is_all = !region->has_node[n] || region->tree->is_shared[n];
    }
    return is_all;
}

/* Finds the graph of the outermost nodes of a region. */
static void find_graph(struct cutter *cutter, const htp_region *region, bool is_all,
                       struct attempt *attempt)
{
    const htp_view *view = cutter->view;
    attempt->graph = HTP_NONE;
    attempt->other_graph = HTP_NONE;
    for (uint32_t n = 0; n < view->nodes.count; n++) { /* bodies follow their nodes */
        uint32_t graph = view->nodes.items[n].graph;
        uint32_t owner = view->graphs.items[graph].node;
        bool is_below = owner != HTP_NONE && cutter->is_inside[owner];
        cutter->is_inside[n] = is_below || region->has_node[n];
        if (!cutter->is_inside[n] || is_below || graph == attempt->graph ||
            (!is_all && region->tree->is_shared[n])) {
            continue;
        }
        if (attempt->graph == HTP_NONE) {
            attempt->graph = graph;
        } else {
            attempt->other_graph = graph;
        }
    }
}

static struct attempt try_region(struct cutter *cutter, const htp_region *region)
{
    struct attempt attempt = {.graph = HTP_NONE};
    const htp_view *view = cutter->view;
    bool is_all = is_all_shared(region);
    const bool *is_shared = is_all ? NULL : region->tree->is_shared;
    find_graph(cutter, region, is_all, &attempt);
    if (attempt.graph == HTP_NONE || attempt.other_graph != HTP_NONE ||
        view->graphs.items[attempt.graph].function != HTP_NONE) {
        return attempt;
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        bool is_part = cutter->is_inside[n] && view->nodes.items[n].graph == attempt.graph &&
                       !(is_shared && is_shared[n]);
        cutter->part_of[n] = is_part ? 0 : HTP_NONE;
    }
    if (!cutter->has_flow || cutter->flow.graph != attempt.graph ||
        cutter->is_shared != is_shared) {
        cutter->is_shared = is_shared;
        cutter->flow = htp_flow_find(cutter->arena, view, is_shared, attempt.graph);
        cutter->has_flow = true;
    }
    htp_flow_find_detour(cutter->arena, &cutter->flow, cutter->part_of, 0, &attempt.detour);
    return attempt;
}

static bool is_done(const struct cutter *cutter, const struct attempt *attempt)
{
    return attempt->graph != HTP_NONE && attempt->other_graph == HTP_NONE &&
           cutter->view->graphs.items[attempt->graph].function == HTP_NONE &&
           attempt->detour.count == 0;
}

/* ---- the module to cut instead ---- */

static uint32_t level_of(const htp_tree *tree, uint32_t module)
{
    uint32_t level = 0;
    while (tree->modules[module].parent != HTP_NONE) {
        module = tree->modules[module].parent;
        level++;
    }
    return level;
}

static uint32_t common_parent(const htp_tree *tree, uint32_t a, uint32_t b)
{
    uint32_t level_a = level_of(tree, a);
    uint32_t level_b = level_of(tree, b);
    while (a != b) {
        bool climbs_a = level_a >= level_b;
        bool climbs_b = level_b >= level_a;
        a = climbs_a ? tree->modules[a].parent : a;
        b = climbs_b ? tree->modules[b].parent : b;
        level_a -= climbs_a;
        level_b -= climbs_b;
    }
    return a;
}

/* The innermost common ancestor of a region's modules. */
static uint32_t find_around(const htp_region *region)
{
    const htp_tree *tree = region->tree;
    uint32_t around = HTP_NONE;
    for (uint32_t i = 0; i < tree->module_count; i++) {
        uint32_t parent = tree->modules[i].parent;
        bool is_in = region->has_tag[i] || region->has_inside[i];
        bool is_outermost = is_in && (parent == HTP_NONE ||
                                      !(region->has_tag[parent] || region->has_inside[parent]));
        if (is_outermost) {
            around = around == HTP_NONE ? i : common_parent(tree, around, i);
        }
    }
    return around;
}

static const char *find_instead(struct cutter *cutter, const htp_region *region)
{
    const htp_tree *tree = region->tree;
    htp_region around = htp_region_new(cutter->arena, region->view, tree);
    around.takes_first_tag = region->takes_first_tag;
    for (uint32_t m = find_around(region); m != HTP_NONE; m = tree->modules[m].parent) {
        htp_region_set_module(&around, m);
        struct attempt attempt = try_region(cutter, &around);
        if (tree->modules[m].has_tag && is_done(cutter, &attempt)) {
            return htp_arena_printf(cutter->arena,
                                    "the smallest module around it that can be is '%.*s'",
                                    (int)tree->modules[m].tag.length, tree->modules[m].tag.at);
        }
    }
    return "no module around it can be";
}

/* Whether a module of a region runs several times. */
static bool has_calls(const htp_region *region)
{
    const htp_tree *tree = region->tree;
    for (uint32_t i = 0; i < tree->module_count; i++) {
        bool is_in = region->has_tag[i] || region->has_inside[i];
        if (is_in && tree->modules[i].calls > 1 &&
            tree->modules[i].calls != HTP_TREE_CALLS_UNKNOWN) {
            return true;
        }
    }
    return false;
}

/* ---- the whole ---- */

const char *htp_cut_graph_text(htp_arena *arena, const htp_view *view, uint32_t graph)
{
    const htp_view_graph *named = &view->graphs.items[graph];
    if (named->node == HTP_NONE) {
        return named->function == HTP_NONE
                   ? "the model's own graph"
                   : htp_arena_printf(arena, "function '%s'", htp_view_text(view, named->name));
    }
    return htp_arena_printf(arena, "body '%s' of node '%s'",
                            htp_view_text(view, view->attributes.items[named->attribute].name),
                            htp_view_call_node(view, named->node));
}

static htp_status refuse_empty(struct cutter *cutter, const htp_region *region, const char *name)
{
    const htp_view *view = cutter->view;
    uint32_t node = htp_folded_node(cutter->arena, region);
    if (node == HTP_NONE) {
        return htp_status_make(HTP_CODE_USAGE, "%s: '%s' has no nodes", view->path, name);
    }
    htp_slice tag = htp_folded_tag(region, node);
    if (region->tree->is_shared[node]) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: '%s' has no nodes of its own: it shares them with '%.*s', "
                               "which may be cut out; an export with --share module keeps them "
                               "apart",
                               view->path, name, (int)tag.length, tag.at);
    }
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: '%s' has no nodes: it is folded into '%.*s', which may be cut out; "
                           "an export with --no-fold keeps it apart",
                           view->path, name, (int)tag.length, tag.at);
}

static htp_status refuse(struct cutter *cutter, const htp_region *region, const char *name,
                         const struct attempt *attempt)
{
    const htp_view *view = cutter->view;
    htp_arena *arena = cutter->arena;
    const char *calls = has_calls(region) ? "one of its calls may be; " : "";
    if (attempt->graph == HTP_NONE) {
        return refuse_empty(cutter, region, name);
    }
    const char *place = htp_cut_graph_text(arena, view, attempt->graph);
    if (view->graphs.items[attempt->graph].function != HTP_NONE) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: '%s' lies in %s, which cannot be inlined: it imports other "
                               "operators than the model, or takes bodies as attributes",
                               view->path, name, place);
    }
    if (attempt->other_graph != HTP_NONE) {
        const char *other = htp_cut_graph_text(arena, view, attempt->other_graph);
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: '%s' cannot be cut out alone: it lies in %s and in %s; %s%s",
                               view->path, name, place, other, calls, find_instead(cutter, region));
    }
    const char *path = htp_flow_path_text(arena, view, &attempt->detour);
    return htp_status_make(HTP_CODE_USAGE,
                           "%s: '%s' cannot be cut out alone: a path leaves it and comes back, %s; "
                           "%s%s",
                           view->path, name, path, calls, find_instead(cutter, region));
}

htp_status htp_cut_region(htp_arena *arena, const htp_region *region, const char *name,
                          htp_cut *cut)
{
    const htp_view *view = region->view;
    struct cutter cutter = {
        .arena = arena,
        .view = view,
        .part_of = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1),
        .is_inside = HTP_NEW_ARRAY(arena, bool, view->nodes.count + 1),
    };
    struct attempt attempt = try_region(&cutter, region);
    *cut = (htp_cut){attempt.graph, cutter.part_of, cutter.is_shared};
    return is_done(&cutter, &attempt) ? HTP_OK : refuse(&cutter, region, name, &attempt);
}
