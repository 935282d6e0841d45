#include "onnx/builder/order_nodes.h"

#include "base/numbers.h"

/* Calls in dependency cycles are split in rounds; after this many, all are. */
enum { MAX_ROUNDS = 32 };

/* An item of a call: a node, or a nested call. Nodes of a graph come first, then its calls. */
typedef struct item {
    uint32_t parent;   /* the call around it, an item; HTP_NONE for the outermost */
    uint32_t scope;    /* of a call */
    uint32_t depth;    /* number of calls around it */
    uint32_t first;    /* its first node: the sort key */
    uint32_t waiting;  /* number of results that it waits for */
    uint32_t left;     /* of a call: number of items not placed yet */
    uint32_t edges;    /* its first edge to a reader, or HTP_NONE */
    uint32_t needed;   /* in a cycle: an item that it needs */
    htp_numbers ready; /* of a call: a heap of items that can be placed */
} item;

/* Item `to` needs the item whose list holds this edge. */
typedef struct edge {
    uint32_t to;
    uint32_t next;
} edge;

/* `reader`, or a node of its bodies, reads an output of `maker` in the same graph. */
typedef struct need {
    uint32_t maker, reader;
} need;

typedef HTP_VECTOR(need) need_list;

typedef struct ordering {
    htp_builder *model;
    htp_arena *arena;
    htp_numbers *graphs; /* their nodes, in order; 0 is the model's own */
    need_list *needs;    /* by graph */
    uint32_t *owner;     /* by graph: its node */
    uint32_t *place;     /* by node: its position in its graph */
    bool *is_apart;      /* by scope: the call is split in the current graph */
    uint32_t *item_of;   /* by scope: its item in the current graph, or HTP_NONE */
    HTP_VECTOR(item) items;
    HTP_VECTOR(edge) edges;
} ordering;

static uint32_t scope_of(const ordering *g, uint32_t node)
{
    return g->model->nodes.items[node].origin.scope;
}

static uint32_t caller_of(const ordering *g, uint32_t scope)
{
    return g->model->graph->trace->scopes[scope].parent;
}

/* ---- whether anything is to be done ---- */

/* Whether the nodes of a call in a graph have others between them. @p seen, by scope, is all zeroes
 * before and after. */
static bool is_scattered(const ordering *g, const htp_numbers *nodes, unsigned char *seen)
{
    enum { UNSEEN, OPEN, CLOSED };
    htp_numbers open = {0};    /* running calls, the innermost last */
    htp_numbers entered = {0}; /* calls that a node begins */
    htp_numbers all = {0};
    bool is_scattered = false;
    for (size_t i = 0; i < nodes->count && !is_scattered; i++) {
        uint32_t scope = scope_of(g, nodes->items[i]);
        entered.count = 0;
        for (; scope != HTP_NONE && seen[scope] != OPEN; scope = caller_of(g, scope)) {
            is_scattered = is_scattered || seen[scope] == CLOSED;
            HTP_PUSH(g->arena, &entered, scope);
        }
        while (open.count > 0 && open.items[open.count - 1] != scope) {
            seen[open.items[--open.count]] = CLOSED;
        }
        while (entered.count > 0) {
            uint32_t next = entered.items[--entered.count];
            seen[next] = OPEN;
            HTP_PUSH(g->arena, &open, next);
            HTP_PUSH(g->arena, &all, next);
        }
    }
    for (size_t i = 0; i < all.count; i++) {
        seen[all.items[i]] = UNSEEN;
    }
    return is_scattered;
}

/* ---- items and what they need ---- */

/* The item of the innermost unsplit call around a node, created on first use with those around it.
 * The root's call is never split. */
static uint32_t call_item(ordering *g, uint32_t scope, uint32_t node_place)
{
    htp_numbers missing = {0};
    while (scope != 0 && (g->is_apart[scope] || g->item_of[scope] == HTP_NONE)) {
        if (!g->is_apart[scope]) {
            HTP_PUSH(g->arena, &missing, scope);
        }
        scope = caller_of(g, scope);
    }
    uint32_t above = g->item_of[scope];
    while (missing.count > 0) {
        uint32_t depth = g->items.items[above].depth + 1;
        HTP_PUSH(g->arena, &g->items,
                 (item){.parent = above,
                        .scope = missing.items[missing.count - 1],
                        .depth = depth,
                        .first = node_place,
                        .edges = HTP_NONE});
        g->items.items[above].left++;
        above = (uint32_t)g->items.count - 1;
        g->item_of[missing.items[--missing.count]] = above;
    }
    return above;
}

static void make_items(ordering *g, const htp_numbers *nodes)
{
    g->items.count = 0;
    g->edges.count = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        HTP_PUSH(g->arena, &g->items, (item){.first = i, .edges = HTP_NONE});
    }
    g->item_of[0] = (uint32_t)nodes->count;
    HTP_PUSH(g->arena, &g->items, (item){.parent = HTP_NONE, .edges = HTP_NONE});
    for (uint32_t i = 0; i < nodes->count; i++) {
        uint32_t call = call_item(g, scope_of(g, nodes->items[i]), i);
        g->items.items[i].parent = call;
        g->items.items[i].depth = g->items.items[call].depth + 1;
        g->items.items[call].left++;
    }
}

static void forget_items(ordering *g, const htp_numbers *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t scope = scope_of(g, nodes->items[i]);
        for (; scope != HTP_NONE && g->item_of[scope] != HTP_NONE; scope = caller_of(g, scope)) {
            g->item_of[scope] = HTP_NONE;
        }
    }
}

/* Records that one node needs another; the edge joins the outermost calls that contain only one of
 * them. */
static void add_edge(ordering *g, uint32_t maker, uint32_t reader)
{
    item *items = g->items.items;
    while (items[maker].parent != items[reader].parent) {
        bool climbs_maker = items[maker].depth >= items[reader].depth;
        bool climbs_reader = items[reader].depth >= items[maker].depth;
        maker = climbs_maker ? items[maker].parent : maker;
        reader = climbs_reader ? items[reader].parent : reader;
    }
    if (maker == reader) {
        return;
    }
    HTP_PUSH(g->arena, &g->edges, (edge){reader, items[maker].edges});
    items[maker].edges = (uint32_t)g->edges.count - 1;
    items[reader].waiting++;
}

/* ---- the order ---- */

static bool is_before(const ordering *g, uint32_t a, uint32_t b)
{
    const item *x = &g->items.items[a];
    const item *y = &g->items.items[b];
    return x->first != y->first ? x->first < y->first : a < b;
}

static void push_ready(ordering *g, uint32_t added)
{
    htp_numbers *heap = &g->items.items[g->items.items[added].parent].ready;
    HTP_PUSH(g->arena, heap, added);
    for (size_t i = heap->count - 1; i > 0 && is_before(g, added, heap->items[(i - 1) / 2]);
         i = (i - 1) / 2) {
        heap->items[i] = heap->items[(i - 1) / 2];
        heap->items[(i - 1) / 2] = added;
    }
}

static uint32_t pop_ready(ordering *g, htp_numbers *heap)
{
    uint32_t first = heap->items[0];
    uint32_t moved = heap->items[--heap->count];
    size_t i = 0;
    while (2 * i + 1 < heap->count) {
        size_t child = 2 * i + 1;
        child +=
            child + 1 < heap->count && is_before(g, heap->items[child + 1], heap->items[child]);
        if (!is_before(g, heap->items[child], moved)) {
            break;
        }
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = moved;
    return first;
}

/* Releases the items that waited only for a placed one. */
static void release(ordering *g, uint32_t placed)
{
    for (uint32_t e = g->items.items[placed].edges; e != HTP_NONE; e = g->edges.items[e].next) {
        uint32_t waiting = g->edges.items[e].to;
        if (--g->items.items[waiting].waiting == 0) {
            push_ready(g, waiting);
        }
    }
}

/* Places all items of a graph, call by call. @return a call with a cycle of waiting items; or
 * HTP_NONE */
static uint32_t place_items(ordering *g, uint32_t node_count, htp_numbers *order)
{
    order->count = 0;
    for (uint32_t i = 0; i < g->items.count; i++) {
        if (g->items.items[i].waiting == 0 && g->items.items[i].parent != HTP_NONE) {
            push_ready(g, i);
        }
    }
    uint32_t call = node_count; /* the root's */
    while (call != HTP_NONE) {
        if (g->items.items[call].left == 0) {
            release(g, call);
            call = g->items.items[call].parent;
        } else if (g->items.items[call].ready.count == 0) {
            return call;
        } else {
            uint32_t next = pop_ready(g, &g->items.items[call].ready);
            g->items.items[call].left--;
            if (next >= node_count) {
                call = next;
                continue;
            }
            HTP_PUSH(g->arena, order, next);
            release(g, next);
        }
    }
    return HTP_NONE;
}

/* Splits the calls in a cycle among the waiting items of @p call. @return whether there are any */
static bool take_apart(ordering *g, uint32_t node_count, uint32_t call)
{
    uint32_t at = HTP_NONE;
    for (uint32_t i = 0; i < g->items.count; i++) {
        bool waits = g->items.items[i].parent == call && g->items.items[i].waiting > 0;
        at = waits ? i : at;
        for (uint32_t e = waits ? g->items.items[i].edges : HTP_NONE; e != HTP_NONE;
             e = g->edges.items[e].next) {
            g->items.items[g->edges.items[e].to].needed = i;
        }
    }
    for (size_t i = 0; i < g->items.count; i++) { /* enters the cycle */
        at = g->items.items[at].needed;
    }
    bool is_any = false;
    uint32_t first = at;
    do {
        if (at > node_count) { /* a call; the root's is never in a cycle */
            g->is_apart[g->items.items[at].scope] = true;
            is_any = true;
        }
        at = g->items.items[at].needed;
    } while (at != first);
    return is_any;
}

static void order_graph(ordering *g, uint32_t graph)
{
    htp_numbers *nodes = &g->graphs[graph];
    htp_numbers order = {0};
    bool is_done = false;
    for (unsigned round = 0; round < MAX_ROUNDS && !is_done; round++) {
        make_items(g, nodes);
        for (size_t i = 0; i < g->needs[graph].count; i++) {
            add_edge(g, g->place[g->needs[graph].items[i].maker],
                     g->place[g->needs[graph].items[i].reader]);
        }
        uint32_t stuck = place_items(g, (uint32_t)nodes->count, &order);
        is_done = stuck == HTP_NONE;
        bool goes_on = is_done || take_apart(g, (uint32_t)nodes->count, stuck);
        forget_items(g, nodes);
        if (!goes_on) {
            return;
        }
    }
    if (!is_done || !order.items) {
        return;
    }
    uint32_t *ordered = HTP_NEW_ARRAY(g->arena, uint32_t, nodes->count);
    for (size_t i = 0; i < nodes->count; i++) {
        ordered[i] = nodes->items[order.items[i]];
    }
    nodes->items = ordered;
    nodes->capacity = nodes->count;
}

/* ---- the model ---- */

/* Records the edges between nodes of a graph, and to nodes of enclosing graphs. */
static void note_needs(ordering *g)
{
    const htp_builder *model = g->model;
    g->needs = HTP_NEW_ARRAY(g->arena, need_list, model->graphs.count + 1);
    for (uint32_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        for (uint32_t i = 0; i < node->input_count; i++) {
            const htp_tensor *read =
                node->inputs[i] == HTP_NONE ? NULL : &model->tensors.items[node->inputs[i]];
            if (!read || read->source != HTP_TENSOR_FROM_NODE) {
                continue;
            }
            uint32_t graph = model->nodes.items[read->index].graph;
            uint32_t reader = n;
            while (model->nodes.items[reader].graph != graph) {
                reader = g->owner[model->nodes.items[reader].graph];
            }
            HTP_PUSH(g->arena, &g->needs[graph], (need){read->index, reader});
        }
    }
}

static ordering begin(htp_builder *model)
{
    htp_arena *arena = model->arena;
    ordering g = {.model = model, .arena = arena};
    g.graphs = HTP_NEW_ARRAY(arena, htp_numbers, model->graphs.count + 1);
    g.owner = HTP_NEW_ARRAY(arena, uint32_t, model->graphs.count + 1);
    g.place = HTP_NEW_ARRAY(arena, uint32_t, model->nodes.count);
    for (uint32_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        g.place[n] = (uint32_t)g.graphs[node->graph].count;
        HTP_PUSH(arena, &g.graphs[node->graph], n);
        for (uint32_t k = 0; k < node->attribute_count; k++) {
            if (node->attributes[k].kind == HTP_ATTRIBUTE_GRAPH) {
                g.owner[node->attributes[k].i] = n;
            }
        }
    }
    return g;
}

static void begin_orders(ordering *g)
{
    note_needs(g);
    uint32_t count = g->model->graph->trace->scope_count;
    g->is_apart = HTP_NEW_ARRAY(g->arena, bool, count);
    g->item_of = HTP_NEW_ARRAY(g->arena, uint32_t, count);
    for (uint32_t scope = 0; scope < count; scope++) {
        g->item_of[scope] = HTP_NONE;
    }
}

/* The final order: nodes of bodies before the node of the body, in their old order. */
static void list_nodes(const ordering *g, htp_numbers *listed)
{
    const htp_builder *model = g->model;
    bool *has_bodies = HTP_NEW_ARRAY(g->arena, bool, model->nodes.count); /* its bodies are
                                                                             listed */
    htp_numbers pending = {0};
    for (size_t i = g->graphs[0].count; i-- > 0;) {
        HTP_PUSH(g->arena, &pending, g->graphs[0].items[i]);
    }
    while (pending.count > 0) {
        uint32_t n = pending.items[pending.count - 1];
        const htp_onnx_node *node = &model->nodes.items[n];
        if (has_bodies[n]) {
            HTP_PUSH(g->arena, listed, n);
            pending.count--;
            continue;
        }
        has_bodies[n] = true;
        for (uint32_t k = node->attribute_count; k-- > 0;) {
            bool is_body = node->attributes[k].kind == HTP_ATTRIBUTE_GRAPH;
            const htp_numbers *body = is_body ? &g->graphs[node->attributes[k].i] : NULL;
            for (size_t i = body ? body->count : 0; i-- > 0;) {
                HTP_PUSH(g->arena, &pending, body->items[i]);
            }
        }
    }
}

static void move_nodes(ordering *g)
{
    htp_builder *model = g->model;
    htp_numbers listed = {0};
    list_nodes(g, &listed);
    htp_onnx_node *nodes = HTP_NEW_ARRAY(g->arena, htp_onnx_node, listed.count);
    for (uint32_t i = 0; i < listed.count; i++) {
        nodes[i] = model->nodes.items[listed.items[i]];
        for (uint32_t k = 0; k < nodes[i].output_count; k++) {
            model->tensors.items[nodes[i].outputs[k]].index = i;
        }
    }
    model->nodes.items = nodes;
    model->nodes.count = listed.count;
    model->nodes.capacity = listed.count;
}

void htp_builder_gather_calls(htp_builder *model)
{
    ordering g = begin(model);
    unsigned char *seen = HTP_NEW_ARRAY(g.arena, unsigned char, model->graph->trace->scope_count);
    bool is_any = false;
    for (uint32_t graph = 0; graph <= model->graphs.count; graph++) {
        if (!is_scattered(&g, &g.graphs[graph], seen)) {
            continue;
        }
        if (!is_any) {
            begin_orders(&g);
        }
        is_any = true;
        order_graph(&g, graph);
    }
    if (is_any) {
        move_nodes(&g);
    }
}
