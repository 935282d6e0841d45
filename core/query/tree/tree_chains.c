/*
 * Modules by chains of paths and classes, as PyTorch's exporter writes them into metadata. All
 * modules of the chains make one tree of attributes, which gets tags by the rules.
 */
#include "query/tree/tree_find.h"

#include "hierarchy/hierarchy.h"
#include "query/tree/python_list.h"

#include <string.h>

/* A container that is never called has no class in any chain. */
static const char container_class[] = "torch.nn.modules.container.ModuleList";

/* A module in a chain. */
struct link {
    htp_slice path, qualified_class;
};

/* The modules of a node, outermost first, without the operation itself. */
typedef HTP_VECTOR(struct link) chain;

struct chains {
    htp_tree_finder *finder;
    htp_view_name namespace_key, scopes_key, classes_key; /* 0: the file has no such entries */
    HTP_VECTOR(htp_instance) modules;
    HTP_VECTOR(htp_slice) paths;
    HTP_VECTOR(bool) is_called; /* its class was in a chain */
    chain chain;                /* of the current node */
};

/* ---- reading chains ---- */

/* "name: Class/name: Class/operation: target" */
static void read_namespace(struct chains *c, const char *text, size_t length)
{
    size_t begin = 0;
    for (;;) {
        const char *slash = memchr(text + begin, '/', length - begin);
        if (!slash) {
            return;
        }
        size_t end = (size_t)(slash - text);
        const char *colon = memmem(text + begin, end - begin, ": ", 2);
        size_t name_end = colon ? (size_t)(colon - text) : end;
        size_t class_begin = colon ? name_end + 2 : end;
        HTP_PUSH(c->finder->arena, &c->chain,
                 (struct link){{text + begin, name_end - begin},
                               {text + class_begin, end - class_begin}});
        begin = end + 1;
    }
}

static void read_scopes(struct chains *c, htp_span scopes, htp_span classes)
{
    const htp_slice *paths;
    const htp_slice *names;
    size_t path_count = htp_python_list_read(c->finder->arena, scopes, &paths);
    size_t class_count = htp_python_list_read(c->finder->arena, classes, &names);
    if (path_count != class_count) {
        return;
    }
    for (size_t i = 0; i + 1 < path_count; i++) {
        HTP_PUSH(c->finder->arena, &c->chain, (struct link){paths[i], names[i]});
    }
}

/* Reads a node's chain. Sets whether it has one. */
static htp_status read_chain(struct chains *c, uint32_t node, bool *has_chain)
{
    const htp_view *view = c->finder->view;
    htp_view_range properties = view->nodes.items[node].properties;
    const htp_view_property *scopes = htp_view_find_property(view, properties, c->scopes_key);
    const htp_view_property *classes = htp_view_find_property(view, properties, c->classes_key);
    const htp_view_property *text = htp_view_find_property(view, properties, c->namespace_key);
    c->chain.count = 0;
    if (text) {
        const char *copy;
        HTP_TRY(htp_tree_take_text(c->finder, node, text->value, &copy));
        read_namespace(c, copy, text->value.bytes);
    } else if (scopes && classes) {
        read_scopes(c, scopes->value, classes->value);
    }
    *has_chain = c->chain.count > 0;
    return HTP_OK;
}

/* ---- the tree of attributes ---- */

static uint32_t add_module(struct chains *c, uint32_t parent, htp_slice name, htp_slice path)
{
    htp_arena *arena = c->finder->arena;
    HTP_PUSH(arena, &c->modules,
             (htp_instance){.name = htp_arena_copy(arena, name.at, name.length),
                            .path = "",
                            .qualified_class = container_class,
                            .parent = parent});
    HTP_PUSH(arena, &c->paths, path);
    HTP_PUSH(arena, &c->is_called, false);
    return (uint32_t)c->modules.count - 1;
}

/* The module of a dotted path, created with its ancestors on first use. */
static uint32_t find_module(struct chains *c, const struct link *link)
{
    uint32_t at = 0;
    htp_slice path = link->path;
    for (size_t begin = 0; begin < path.length;) {
        const char *dot = memchr(path.at + begin, '.', path.length - begin);
        size_t end = dot ? (size_t)(dot - path.at) : path.length;
        htp_slice name = {path.at + begin, end - begin};
        uint32_t child = htp_tree_find_child(c->finder, at, name);
        if (child == HTP_NONE) {
            child = add_module(c, at, name, (htp_slice){path.at, end});
            htp_tree_set_child(c->finder, at, name, child);
        }
        at = child;
        begin = end + 1;
    }
    if (!c->is_called.items[at] && link->qualified_class.length > 0) {
        c->is_called.items[at] = true;
        c->modules.items[at].qualified_class = htp_arena_copy(
            c->finder->arena, link->qualified_class.at, link->qualified_class.length);
    }
    return at;
}

/* Notes the innermost module. Tags follow once all classes are known. */
static htp_status place_node(struct chains *c, uint32_t node)
{
    bool has_chain;
    HTP_TRY(read_chain(c, node, &has_chain));
    if (!has_chain) {
        return HTP_OK;
    }
    htp_tree_finder *finder = c->finder;
    uint32_t innermost = 0;
    uint32_t owner = 0;
    for (size_t i = 0; i < c->chain.count; i++) {
        if (!htp_tree_is_shallow(c->chain.items[i].path, '.')) {
            return htp_tree_too_deep(finder, node);
        }
        innermost = find_module(c, &c->chain.items[i]);
        bool is_torch = strncmp(c->modules.items[innermost].qualified_class, "torch.nn.",
                                strlen("torch.nn.")) == 0;
        owner = is_torch ? owner : innermost;
    }
    htp_tree_place_node(finder, node, innermost);
    htp_tree_add_owner(finder, node, owner);
    return HTP_OK;
}

/* The tags of all modules, by the rules. */
static void add_modules(struct chains *c)
{
    htp_tree_finder *finder = c->finder;
    const htp_hierarchy_options options = {.include_torch_nn = false};
    uint32_t count = (uint32_t)c->modules.count;
    const htp_hierarchy *hierarchy =
        htp_hierarchy_build(finder->arena, c->modules.items, count, &options);
    for (uint32_t i = 0; i < count; i++) {
        const htp_hierarchy_module *facts = &hierarchy->modules[i];
        const char *class_name = c->is_called.items[i] ? facts->class_name : "";
        const char *qualified = c->is_called.items[i] ? c->modules.items[i].qualified_class : "";
        (void)htp_tree_add_module(finder,
                                  (htp_tree_module){.tag = htp_slice_of(facts->tag),
                                                    .full_tag = htp_slice_of(facts->full_tag),
                                                    .path = c->paths.items[i],
                                                    .class_name = htp_slice_of(class_name),
                                                    .qualified_class = htp_slice_of(qualified),
                                                    .parent = c->modules.items[i].parent,
                                                    .has_tag = facts->is_eligible,
                                                    .has_path = true,
                                                    .calls = HTP_TREE_CALLS_UNKNOWN});
    }
}

static bool has_property(const htp_view *view, htp_view_name key)
{
    for (size_t i = 0; key != 0 && i < view->nodes.count; i++) {
        if (htp_view_find_property(view, view->nodes.items[i].properties, key)) {
            return true;
        }
    }
    return false;
}

htp_status htp_tree_from_chains(htp_tree_finder *finder)
{
    const htp_view *view = finder->view;
    struct chains c = {.finder = finder};
    htp_view_name namespace_key = htp_view_find_name(view, "namespace");
    if (has_property(view, namespace_key)) {
        c.namespace_key = namespace_key;
        finder->tree->source = HTP_TREE_NAMESPACE;
        finder->tree->source_text = "metadata namespace of nodes";
    } else if (has_property(view, htp_view_find_name(view, "pkg.torch.onnx.name_scopes"))) {
        c.scopes_key = htp_view_find_name(view, "pkg.torch.onnx.name_scopes");
        c.classes_key = htp_view_find_name(view, "pkg.torch.onnx.class_hierarchy");
        finder->tree->source = HTP_TREE_NAME_SCOPES;
        finder->tree->source_text = "metadata pkg.torch.onnx.name_scopes of nodes";
    } else {
        return HTP_OK;
    }
    (void)add_module(&c, HTP_NONE, htp_slice_of(""), htp_slice_of(""));
    for (uint32_t i = 0; i < view->nodes.count; i++) {
        HTP_TRY(place_node(&c, i));
    }
    add_modules(&c);
    return HTP_OK;
}
