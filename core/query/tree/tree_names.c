/*
 * Modules by the names of nodes: /encoder/layer.0/attention/MatMul ran in
 * encoder.layer.0.attention.
 *
 * A scope is a path below the calling module. If the last name of a path is a number, PyTorch's
 * older exporter repeats the name before it: the child 0 of the Sequential layer1 is
 * /layer1/layer1.0, whose path is layer1.0. A module that holds a list of its own name looks the
 * same; names of weights resolve the ambiguity if they can. Source:
 * torch.onnx._internal.torchscript_exporter.utils, _unqualified_variable_name().
 */
#include "query/tree/tree_find.h"

#include <string.h>

/* State of the search for paths. */
struct naming {
    htp_tree_finder *finder;
    htp_map held; /* prefixes of initializer names; filled on first use */
    bool is_filled;
    uint32_t *bases; /* by module: the one that its scope is relative to */
};

static void list_held(struct naming *n)
{
    const htp_view *view = n->finder->view;
    n->is_filled = true;
    for (size_t t = 0; t < view->tensors.count; t++) {
        const char *name = htp_view_text(view, view->tensors.items[t].name);
        if (!htp_tree_is_shallow(htp_slice_of(name), '.')) {
            continue;
        }
        for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
            htp_map_set_bytes(n->finder->arena, &n->held, name, (size_t)(dot - name), 0);
        }
    }
}

static bool is_held(struct naming *n, htp_slice path)
{
    if (!n->is_filled) {
        list_held(n);
    }
    return htp_map_get_bytes(&n->held, path.at, path.length, NULL);
}

/* Whether a scope is that above it followed by numbers: "layer1.0" for "layer1". */
static bool is_numbered(htp_slice scope, htp_slice above)
{
    if (above.length == 0 || scope.length < above.length + 2 || scope.at[above.length] != '.' ||
        memcmp(scope.at, above.at, above.length) != 0) {
        return false;
    }
    for (size_t i = above.length + 1; i < scope.length; i++) {
        if (!strchr(".0123456789", scope.at[i])) {
            return false;
        }
    }
    return true;
}

/* The scope of a module itself; empty for the root. */
static htp_slice scope_of(const htp_tree_module *module)
{
    htp_slice segment = htp_tree_segment(module);
    size_t slash = segment.length > 0;
    return (htp_slice){segment.at + slash, segment.length - slash};
}

static htp_slice join(htp_arena *arena, htp_slice above, htp_slice scope)
{
    size_t dot = above.length > 0;
    char *path = htp_arena_alloc(arena, above.length + dot + scope.length + 1);
    memcpy(path, above.at, above.length);
    path[above.length] = '.';
    memcpy(path + above.length + dot, scope.at, scope.length);
    return (htp_slice){path, above.length + dot + scope.length};
}

static void find_path(struct naming *n, uint32_t index)
{
    htp_tree_module *modules = n->finder->modules.items;
    htp_tree_module *module = &modules[index];
    uint32_t parent = module->parent;
    htp_slice scope = scope_of(module);
    uint32_t base = parent;
    module->path = join(n->finder->arena, modules[parent].path, scope);
    if (parent != 0 && is_numbered(scope, scope_of(&modules[parent]))) {
        uint32_t above = n->bases[parent];
        htp_slice path = join(n->finder->arena, modules[above].path, scope);
        bool is_list = is_held(n, module->path) && !is_held(n, path);
        module->path = is_list ? module->path : path;
        base = is_list ? parent : above;
    }
    n->bases[index] = base;
    module->has_path = true;
}

/* Parents precede their children. */
static void find_paths(htp_tree_finder *finder)
{
    size_t count = finder->modules.count;
    struct naming naming = {.finder = finder,
                            .bases = HTP_NEW_ARRAY(finder->arena, uint32_t, count)};
    finder->modules.items[0].path = htp_slice_of("");
    finder->modules.items[0].has_path = true;
    for (uint32_t i = 1; i < count; i++) {
        find_path(&naming, i);
    }
}

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
    if (tree->source == HTP_TREE_NODE_NAMES) {
        find_paths(finder);
    }
    return HTP_OK;
}
