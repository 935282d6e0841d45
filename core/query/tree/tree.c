#include "query/tree/tree.h"

#include "query/tree/tree_find.h"

#include <cjson/cJSON.h>
#include <string.h>

/* Adds a root without modules below it. */
static void add_bare_root(htp_tree_finder *finder)
{
    (void)htp_tree_add_module(finder, (htp_tree_module){.tag = htp_slice_of("/"),
                                                        .full_tag = htp_slice_of("/"),
                                                        .parent = HTP_NONE,
                                                        .has_tag = true,
                                                        .calls = HTP_TREE_CALLS_UNKNOWN});
}

void htp_tree_close(htp_tree *tree)
{
    htp_sidecar_file_close(&tree->sidecar);
    if (tree->held) {
        cJSON_Delete(*tree->held);
        *tree->held = NULL;
    }
}

/* Drops the modules of a source that no node names. */
static void forget_modules(htp_tree_finder *finder)
{
    finder->tree->has_records = false;
    finder->modules.count = 0;
    finder->children = (htp_map){0};
    finder->by_tag = (htp_map){0};
    finder->by_full_tag = (htp_map){0};
}

htp_status htp_tree_find(htp_view *view, htp_tree *tree)
{
    return htp_tree_find_with(view, tree, NULL);
}

/* A tree without modules and places. */
static htp_tree_finder begin(htp_view *view, htp_tree *tree)
{
    memset(tree, 0, sizeof(*tree));
    htp_tree_finder finder = {
        .view = view,
        .arena = view->arena,
        .tree = tree,
        .places = HTP_NEW_ARRAY(view->arena, htp_tree_place, view->nodes.count + 1),
    };
    for (size_t i = 0; i < view->nodes.count; i++) {
        finder.places[i].innermost = HTP_NONE;
    }
    tree->source_text = "nothing in the file";
    tree->held = HTP_NEW(view->arena, cJSON *);
    return finder;
}

static void end(htp_tree_finder *finder)
{
    htp_tree *tree = finder->tree;
    tree->modules = finder->modules.items;
    tree->module_count = (uint32_t)finder->modules.count;
    tree->places = finder->places;
    htp_tree_find_shared(finder);
    htp_tree_count(finder);
}

htp_status htp_tree_find_sidecar(htp_view *view, htp_tree *tree, htp_sidecar_file *sidecar)
{
    htp_tree_finder finder = begin(view, tree);
    HTP_TRY(htp_tree_from_sidecar(&finder, sidecar));
    end(&finder);
    return HTP_OK;
}

htp_status htp_tree_find_with(htp_view *view, htp_tree *tree, htp_sidecar_file *sidecar)
{
    htp_tree_finder finder = begin(view, tree);
    HTP_TRY(htp_tree_read_records(&finder));
    HTP_TRY(htp_tree_from_tags(&finder));
    if (tree->source == HTP_TREE_NOWHERE) {
        forget_modules(&finder);
        HTP_TRY(htp_tree_from_chains(&finder));
    }
    if (tree->source == HTP_TREE_NOWHERE) {
        HTP_TRY(sidecar ? htp_tree_from_sidecar(&finder, sidecar)
                        : htp_tree_from_sidecar_beside(&finder));
    }
    if (tree->source == HTP_TREE_NOWHERE) {
        forget_modules(&finder);
    }
    if (finder.modules.count == 0) {
        add_bare_root(&finder);
    }
    if (tree->source == HTP_TREE_NOWHERE) {
        tree->are_paths_in_tags = true;
        HTP_TRY(htp_tree_from_node_names(&finder));
    }
    end(&finder);
    return HTP_OK;
}

/* Parents precede children in the tree. */
htp_tree_order htp_tree_order_find(htp_arena *arena, const htp_tree *tree)
{
    size_t count = tree->module_count + 1U;
    uint32_t *sizes = HTP_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *next = HTP_NEW_ARRAY(arena, uint32_t, count);
    uint32_t next_root = 0; /* damaged records may have several roots */
    htp_tree_order order = {
        .before = HTP_NEW_ARRAY(arena, uint32_t, count),
        .behind = HTP_NEW_ARRAY(arena, uint32_t, count),
    };
    for (uint32_t m = tree->module_count; m-- > 0;) {
        sizes[m]++;
        if (tree->modules[m].parent != HTP_NONE) {
            sizes[tree->modules[m].parent] += sizes[m];
        }
    }
    for (uint32_t m = 0; m < tree->module_count; m++) {
        uint32_t parent = tree->modules[m].parent;
        uint32_t *place = parent == HTP_NONE ? &next_root : &next[parent];
        order.before[m] = *place;
        order.behind[m] = *place + sizes[m];
        next[m] = *place + 1;
        *place += sizes[m];
    }
    return order;
}
