/*
 * Modules by the names of nodes: /encoder/layer.0/attention/MatMul ran in
 * encoder.layer.0.attention.
 */
#include "query/tree_find.h"

#include <string.h>

htp_status htp_tree_from_node_names(htp_tree_finder *finder)
{
    const htp_view *view = finder->view;
    htp_tree *tree = finder->tree;
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        const char *name = htp_view_text(view, view->nodes.items[i].name);
        const char *last = strrchr(name, '/');
        bool has_scope =
            *name == '/' && last > name && htp_tree_is_shallow(htp_slice_of(name), '/');
        uint32_t module = 0;
        if (has_scope) {
            module = htp_tree_walk_segments(finder, (htp_slice){name, (size_t)(last - name)}, true);
            tree->source = HTP_TREE_NODE_NAMES;
            tree->source_text = "names of nodes";
        }
        if (has_scope || *name == '/') {
            htp_tree_place_node(finder, i, module);
            htp_tree_add_owner(finder, i, module);
        }
    }
    return HTP_OK;
}
