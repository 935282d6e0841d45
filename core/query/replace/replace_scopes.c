/*
 * Scopes in names of nodes: /encoder/layer.0/attention/MatMul.
 */
#include "query/replace/replace_parts.h"

#include <string.h>

static size_t scope_length(const char *name, size_t length)
{
    const char *slash = memrchr(name, '/', length);
    return slash ? (size_t)(slash - name) : 0;
}

htp_slice htp_replace_common_scope(const htp_view *view, const uint32_t *nodes, size_t count)
{
    htp_slice scope = {"", 0};
    for (size_t i = 0; i < count; i++) {
        const char *name = htp_view_text(view, view->nodes.items[nodes[i]].name);
        if (i == 0) {
            scope = (htp_slice){name, scope_length(name, strlen(name))};
        }
        while (scope.length > 0 &&
               !(strncmp(name, scope.at, scope.length) == 0 && name[scope.length] == '/')) {
            scope.length = scope_length(scope.at, scope.length);
        }
    }
    return scope;
}

const char *htp_replace_find_scope(htp_arena *arena, const htp_replacement *r,
                                   const htp_replaced *replaced)
{
    const htp_view *view = r->view;
    const htp_numbers *nodes = &replaced->part.nodes;
    htp_slice address = htp_tree_address(&r->tree->modules[replaced->module]);
    htp_slice scope = htp_replace_common_scope(view, nodes->items, nodes->count);
    bool has_slash = *htp_view_text(view, view->nodes.items[nodes->items[0]].name) == '/';
    for (size_t i = 0; i < nodes->count && scope.length > 0; i++) {
        const char *name = htp_view_text(view, view->nodes.items[nodes->items[i]].name);
        uint32_t owner = r->tree->owners.items[r->tree->places[nodes->items[i]].tags.first];
        if (scope_length(name, strlen(name)) == scope.length && owner != replaced->module) {
            scope.length = scope_length(scope.at, scope.length);
            break;
        }
    }
    scope = scope.length > 0 || !has_slash ? scope : address;
    return htp_arena_printf(arena, "%.*s", (int)scope.length, scope.at);
}

htp_map htp_replace_list_values(htp_arena *arena, const htp_view *view, uint32_t graph)
{
    htp_map values = {0};
    for (uint32_t v = 0; v < view->values.count; v++) {
        if (view->values.items[v].graph == graph) {
            htp_map_set(arena, &values, htp_view_text(view, view->values.items[v].name), v);
        }
    }
    return values;
}

bool *htp_replace_list_inner_graphs(htp_arena *arena, const htp_view *view)
{
    bool *is_inner = HTP_NEW_ARRAY(arena, bool, view->graphs.count + 1);
    for (size_t g = 0; g < view->graphs.count; g++) { /* outer ones first */
        const htp_view_graph *graph = &view->graphs.items[g];
        is_inner[g] =
            graph->parent == HTP_NONE ? graph->function != HTP_NONE : is_inner[graph->parent];
    }
    return is_inner;
}
