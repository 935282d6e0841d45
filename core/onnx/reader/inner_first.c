#include "onnx/reader/inner_first.h"

/* A graph in the walk: its nodes in order, each after its bodies. */
struct walking {
    uint32_t graph;
    uint32_t next; /* index of the next node */
    uint32_t body; /* the next body of this node */
};

/* By node: its first body; by body: the next one of the same node. */
static const uint32_t *find_bodies(htp_arena *arena, const htp_view *view, uint32_t **next)
{
    uint32_t *first = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1);
    *next = HTP_NEW_ARRAY(arena, uint32_t, view->graphs.count + 1);
    for (uint32_t n = 0; n <= view->nodes.count; n++) {
        first[n] = HTP_NONE;
    }
    for (uint32_t g = (uint32_t)view->graphs.count; g-- > 1;) {
        uint32_t node = view->graphs.items[g].node;
        if (node != HTP_NONE) {
            (*next)[g] = first[node];
            first[node] = g;
        }
    }
    return first;
}

/* State shared by all walks. */
struct order {
    const htp_view *view;
    const uint32_t *first_body;
    const uint32_t *next_body;
    uint32_t *nodes; /* has room for all nodes */
    size_t count;
};

/* Walks an outermost graph. */
static void walk(struct order *order, uint32_t root)
{
    struct walking stack[HTP_VIEW_DEEPEST + 1] = {{.graph = root, .body = HTP_NONE}};
    uint32_t depth = 0;
    bool is_entered = false; /* the next node's bodies have been visited */
    for (;;) {
        struct walking *at = &stack[depth];
        htp_view_range nodes = order->view->graphs.items[at->graph].nodes;
        if (at->next >= nodes.count) {
            if (depth == 0) {
                return;
            }
            depth--;
            is_entered = true;
            continue;
        }
        uint32_t node = nodes.first + at->next;
        at->body = is_entered ? at->body : order->first_body[node];
        is_entered = false;
        if (at->body != HTP_NONE) {
            uint32_t body = at->body;
            at->body = order->next_body[body];
            stack[++depth] = (struct walking){.graph = body, .body = HTP_NONE};
            continue;
        }
        order->nodes[order->count++] = node;
        at->next++;
    }
}

htp_view_order htp_view_inner_first(htp_arena *arena, const htp_view *view)
{
    uint32_t *next_body;
    const uint32_t *first_body = find_bodies(arena, view, &next_body);
    struct order order = {view, first_body, next_body,
                          HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1), 0};
    htp_view_order found = {.nodes = order.nodes};
    for (uint32_t g = 0; g < view->graphs.count; g++) {
        if (view->graphs.items[g].parent == HTP_NONE) {
            walk(&order, g);
            found.own = g == 0 ? order.count : found.own;
        }
    }
    found.count = order.count;
    return found;
}
