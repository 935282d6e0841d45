#include "query/dataflow/graph_owner.h"

/* The callers of functions, by function. */
struct calls {
    uint32_t *callers; /* the last one */
    uint32_t *counts;
};

static struct calls find_calls(htp_arena *arena, const htp_view *view)
{
    struct calls calls = {HTP_NEW_ARRAY(arena, uint32_t, view->functions.count + 1),
                          HTP_NEW_ARRAY(arena, uint32_t, view->functions.count + 1)};
    htp_map functions = {0};
    for (uint32_t f = 0; f < view->functions.count; f++) {
        const htp_view_function *function = &view->functions.items[f];
        const uint32_t key[] = {function->domain, function->name, function->overload};
        htp_map_set_bytes(arena, &functions, htp_arena_copy(arena, key, sizeof(key)), sizeof(key),
                          f);
    }
    for (uint32_t n = 0; n < view->nodes.count && view->functions.count > 0; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        const uint32_t key[] = {node->domain, node->op_type, node->overload};
        uint32_t function;
        if (htp_map_get_bytes(&functions, key, sizeof(key), &function)) {
            calls.callers[function] = n;
            calls.counts[function]++;
        }
    }
    return calls;
}

/*
 * Lists graphs behind their hosts' graphs, as far as hosts lead to a graph without one.
 * @return the number of graphs; is_listed marks them
 */
static size_t list_graphs(htp_arena *arena, const htp_view *view, const uint32_t *hosts,
                          uint32_t *order, bool *is_listed)
{
    size_t count = view->graphs.count;
    uint32_t *first = HTP_NEW_ARRAY(arena, uint32_t, count); /* of its graphs, from 1 on */
    uint32_t *next = HTP_NEW_ARRAY(arena, uint32_t, count);
    size_t listed = 0;
    for (uint32_t g = (uint32_t)count; g-- > 0;) {
        if (hosts[g] != HTP_NONE) {
            uint32_t around = view->nodes.items[hosts[g]].graph;
            next[g] = first[around];
            first[around] = g + 1;
        }
    }
    for (uint32_t g = 0; g < count; g++) {
        if (hosts[g] == HTP_NONE) {
            order[listed++] = g;
        }
    }
    for (size_t i = 0; i < listed; i++) {
        is_listed[order[i]] = true;
        for (uint32_t g = first[order[i]]; g > 0; g = next[g - 1]) {
            order[listed++] = g - 1;
        }
    }
    return listed;
}

uint32_t *htp_graph_owner_find(htp_arena *arena, const htp_view *view, bool *is_host)
{
    size_t count = view->graphs.count;
    struct calls calls = find_calls(arena, view);
    uint32_t *hosts = HTP_NEW_ARRAY(arena, uint32_t, count);
    bool *is_listed = HTP_NEW_ARRAY(arena, bool, count);
    for (size_t g = 0; g < count; g++) {
        uint32_t function = view->graphs.items[g].function;
        bool is_called = function != HTP_NONE && calls.counts[function] == 1;
        hosts[g] = is_called ? calls.callers[function] : view->graphs.items[g].node;
    }
    (void)list_graphs(arena, view, hosts, HTP_NEW_ARRAY(arena, uint32_t, count), is_listed);
    for (size_t g = 0; g < count; g++) {
        if (!is_listed[g] && view->graphs.items[g].function != HTP_NONE) {
            hosts[g] = HTP_NONE; /* a cycle of calls */
        }
        if (hosts[g] != HTP_NONE) {
            is_host[hosts[g]] = true;
        }
    }
    return hosts;
}

uint32_t *htp_graph_owner_order(htp_arena *arena, const htp_view *view, const uint32_t *hosts)
{
    uint32_t *order = HTP_NEW_ARRAY(arena, uint32_t, view->graphs.count);
    (void)list_graphs(arena, view, hosts, order, HTP_NEW_ARRAY(arena, bool, view->graphs.count));
    return order;
}
