/*
 * A model's own graph as parts of which the largest is as small as possible.
 */
#include "query/partition/split.h"

#include "base/checked.h"
#include "query/dataflow/flow.h"
#include "query/select/calls.h"

/* What a piece or a copied node adds to a part. An item below the number of tensors is a tensor;
 * above that, it is a node that the part copies. */
struct load {
    uint64_t cost;
    htp_view_range items;
};

/* Nodes that follow each other and stay in one part. */
struct piece {
    uint32_t first, end; /* nodes of graph 0 */
    uint32_t from, to;   /* the modules of the first and the last one */
    struct load load;
};

struct balancer {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    const htp_balancing *asked;
    HTP_VECTOR(struct piece) pieces;
    HTP_VECTOR(uint32_t) items;
    struct load *copied;  /* by node of the view: what a copy of it adds; empty for others */
    uint32_t *first_body; /* by node of graph 0: a node in its bodies, plus one; 0: none */
    uint32_t *next_body;  /* by node in a body: another one of the same node, plus one */
    uint64_t *stamps;     /* by item: the last part that was found to have it */
    uint64_t stamp;
    HTP_VECTOR(const struct load *) pending;
};

/* ---- loads ---- */

static void add_item(struct balancer *b, struct load *load, uint32_t item)
{
    HTP_PUSH(b->arena, &b->items, item);
    load->items.count++;
}

static void add_tensors(struct balancer *b, struct load *load, htp_view_range tensors)
{
    for (uint32_t i = 0; i < tensors.count && !b->asked->costs; i++) {
        add_item(b, load, tensors.first + i);
    }
}

struct noting {
    struct balancer *balancer;
    struct load *load;
};

static void note_read(void *user, uint32_t node, uint32_t value)
{
    const struct noting *noting = user;
    struct balancer *b = noting->balancer;
    const htp_view *view = b->view;
    const htp_view_value *read = &view->values.items[value];
    (void)node;
    if (read->maker == HTP_VIEW_BY_NODE) {
        if (htp_flow_is_carried(view, b->tree->is_shared, read->node)) {
            add_item(b, noting->load, (uint32_t)view->tensors.count + read->node);
        }
    } else if (read->initializer != HTP_NONE) {
        bool is_sparse = view->tensors.items[read->initializer].sparse.at != NULL;
        add_tensors(b, noting->load, (htp_view_range){read->initializer, is_sparse ? 2 : 1});
    }
}

/* Adds what a node alone brings to a part. */
static void add_node(struct balancer *b, struct load *load, uint32_t node)
{
    const htp_view *view = b->view;
    htp_view_range attributes = view->nodes.items[node].attributes;
    struct noting noting = {b, load};
    load->cost += b->asked->costs ? b->asked->costs[node] : 0; /* see can_add() */
    for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
        htp_view_range bodies = view->attributes.items[a].graphs;
        add_tensors(b, load, view->attributes.items[a].tensors);
        for (uint32_t g = bodies.first; g < bodies.first + bodies.count; g++) {
            add_tensors(b, load, view->graphs.items[g].initializers);
        }
    }
    htp_flow_each_read(view, node, note_read, &noting);
}

static struct load begin_load(const struct balancer *b)
{
    return (struct load){.items = {(uint32_t)b->items.count, 0}};
}

/* ---- pieces ---- */

static bool is_copied(const struct balancer *b, uint32_t node)
{
    return htp_flow_is_carried(b->view, b->tree->is_shared, node);
}

/* Whether all that parts may have can be added. */
static bool can_add(const struct balancer *b)
{
    const htp_view *view = b->view;
    bool are_costs = b->asked->costs;
    size_t count = are_costs ? view->nodes.count : view->tensors.count;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t more = are_costs ? b->asked->costs[i] : view->tensors.items[i].bytes;
        if (!htp_checked_add(sum, more, &sum)) {
            return false;
        }
    }
    return true;
}

/* Lists the nodes of bodies by the node of graph 0 around them, and what copies add. */
static void look_at_nodes(struct balancer *b)
{
    const htp_view *view = b->view;
    const uint32_t *tops = htp_view_tops(b->arena, view, 0);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        if (tops[n] != HTP_NONE && tops[n] != n) {
            b->next_body[n] = b->first_body[tops[n]];
            b->first_body[tops[n]] = n + 1;
        }
        if (is_copied(b, n)) {
            b->copied[n] = begin_load(b);
            add_node(b, &b->copied[n], n);
        }
    }
}

/* The module whose border counts. */
static uint32_t find_group(const struct balancer *b, uint32_t node)
{
    uint32_t module = b->tree->places[node].innermost;
    while (b->asked->is_border && module != HTP_NONE && !b->asked->is_border[module]) {
        module = b->tree->modules[module].parent;
    }
    return module;
}

static void find_pieces(struct balancer *b)
{
    const htp_view_range nodes = b->view->graphs.items[0].nodes;
    uint32_t group = HTP_NONE;
    uint32_t call = HTP_NONE;
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        if (is_copied(b, n)) {
            continue;
        }
        uint32_t module = find_group(b, n);
        uint32_t called = module == HTP_NONE ? b->tree->places[n].innermost : module;
        uint32_t run =
            module == HTP_NONE ? HTP_NONE : htp_calls_of_node(b->tree, b->view, n, module);
        if (b->pieces.count == 0 || module != group || run != call) {
            HTP_PUSH(b->arena, &b->pieces,
                     (struct piece){.first = n, .from = called, .load = begin_load(b)});
        }
        struct piece *piece = &b->pieces.items[b->pieces.count - 1];
        piece->end = n + 1;
        piece->to = called;
        add_node(b, &piece->load, n);
        for (uint32_t k = b->first_body[n]; k != 0; k = b->next_body[k - 1]) {
            add_node(b, &piece->load, k - 1);
        }
        group = module;
        call = run;
    }
}

/* ---- the search ---- */

/* Adds a piece to the part of the stamp. @return by how much the part grows */
static uint64_t grow(struct balancer *b, uint32_t piece)
{
    uint32_t tensors = (uint32_t)b->view->tensors.count;
    uint64_t more = 0;
    b->pending.count = 0;
    HTP_PUSH(b->arena, &b->pending, (const struct load *)&b->pieces.items[piece].load);
    while (b->pending.count > 0) {
        const struct load *load = b->pending.items[--b->pending.count];
        more += load->cost;
        for (uint32_t i = load->items.first; i < load->items.first + load->items.count; i++) {
            uint32_t item = b->items.items[i];
            if (b->stamps[item] == b->stamp) {
                continue;
            }
            b->stamps[item] = b->stamp;
            if (item < tensors) {
                more += b->view->tensors.items[item].bytes;
            } else {
                HTP_PUSH(b->arena, &b->pending, (const struct load *)&b->copied[item - tensors]);
            }
        }
    }
    return more;
}

/* A new part that has one piece. @return its size */
static uint64_t begin_part(struct balancer *b, uint32_t piece)
{
    b->stamp++;
    return grow(b, piece);
}

/* Fills parts up to @p bound, from the last piece to the first.
 * @param begins  by part, so that the last parts are filled: receives the earliest piece that it
 * may begin with; 0 for parts that are not needed
 * @return whether there are enough parts */
static bool fill(struct balancer *b, uint64_t bound, uint32_t *begins)
{
    uint32_t part = b->asked->parts;
    uint64_t size = 0;
    for (uint32_t i = (uint32_t)b->pieces.count; i-- > 0;) {
        bool is_new = part == b->asked->parts;
        if (!is_new) {
            size += grow(b, i);
            is_new = size > bound;
        }
        if (is_new) {
            size = begin_part(b, i);
            if (size > bound || part == 0) {
                return false;
            }
            part--;
        }
        begins[part] = i;
    }
    while (part > 0) {
        begins[--part] = 0;
    }
    return true;
}

/* The smallest bound that is enough. A part with more nodes is never smaller, so filling needs the
 * fewest parts. */
static uint64_t find_bound(struct balancer *b, uint32_t *begins)
{
    uint64_t low = 0;
    uint64_t high = begin_part(b, 0);
    for (uint32_t i = 1; i < b->pieces.count; i++) {
        high += grow(b, i);
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (fill(b, middle, begins)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (void)fill(b, low, begins);
    return low;
}

/* By piece: what all that follow it, and itself, add to one part. */
static uint64_t *find_rest(struct balancer *b)
{
    uint64_t *rest = HTP_NEW_ARRAY(b->arena, uint64_t, b->pieces.count + 1);
    b->stamp++;
    for (uint32_t i = (uint32_t)b->pieces.count; i-- > 0;) {
        rest[i] = rest[i + 1] + grow(b, i);
    }
    return rest;
}

/* Makes parts of similar size: each takes its share of what is left, up to the bound.
 * @param begins  by part: the earliest piece that it may begin with; receives the one it has */
static void place_cuts(struct balancer *b, uint64_t bound, uint32_t *begins, uint64_t *sizes)
{
    const uint64_t *rest = find_rest(b);
    uint32_t parts = b->asked->parts;
    uint32_t count = (uint32_t)b->pieces.count;
    uint32_t part = 0;
    uint64_t share = rest[0] / parts;
    sizes[0] = begin_part(b, 0);
    begins[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t left = parts - 1 - part;
        uint64_t grown = sizes[part] + grow(b, i);
        bool is_nearer =
            grown > share && (sizes[part] >= share || grown - share > share - sizes[part]);
        bool must_begin = grown > bound || count - i <= left;
        if (left > 0 && (must_begin || (i >= begins[part + 1] && is_nearer))) {
            part++;
            begins[part] = i;
            sizes[part] = begin_part(b, i);
            share = rest[i] / left;
        } else {
            sizes[part] = grown;
        }
    }
}

/* ---- the whole ---- */

static void note_parts(struct balancer *b, const uint32_t *begins, htp_split *split)
{
    for (uint32_t p = 0; p < b->asked->parts; p++) {
        uint32_t end = p + 1 < b->asked->parts ? begins[p + 1] : (uint32_t)b->pieces.count;
        const struct piece *first = &b->pieces.items[begins[p]];
        const struct piece *last = &b->pieces.items[end - 1];
        HTP_PUSH(b->arena, &split->parts,
                 (htp_split_part){.module = HTP_NONE,
                                  .call = HTP_NONE,
                                  .is_balanced = true,
                                  .from = first->from,
                                  .to = last->to});
        for (uint32_t n = first->first; n < last->end; n++) {
            split->part_of[n] = is_copied(b, n) ? HTP_NONE : p;
        }
    }
}

/* Constants that the model returns are made by the last part. */
static void place_returned(const struct balancer *b, htp_split *split)
{
    const htp_view *view = b->view;
    htp_view_range returned = view->graphs.items[0].outputs;
    for (uint32_t i = 0; i < returned.count; i++) {
        const htp_view_value *value = &view->values.items[view->operands.items[returned.first + i]];
        if (value->maker == HTP_VIEW_BY_NODE && htp_flow_is_constant(view, value->node)) {
            split->part_of[value->node] = b->asked->parts - 1;
        }
    }
}

htp_status htp_split_balance(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                             const htp_balancing *balancing, htp_split *split, uint64_t *sizes)
{
    size_t nodes = view->nodes.count + 1;
    struct balancer b = {.arena = arena,
                         .view = view,
                         .tree = tree,
                         .asked = balancing,
                         .copied = HTP_NEW_ARRAY(arena, struct load, nodes),
                         .first_body = HTP_NEW_ARRAY(arena, uint32_t, nodes),
                         .next_body = HTP_NEW_ARRAY(arena, uint32_t, nodes),
                         .stamps = HTP_NEW_ARRAY(arena, uint64_t, view->tensors.count + nodes)};
    *split = (htp_split){.part_of = HTP_NEW_ARRAY(arena, uint32_t, nodes)};
    for (size_t n = 0; n < view->nodes.count; n++) {
        split->part_of[n] = HTP_NONE;
    }
    if (!can_add(&b)) {
        return htp_status_make(HTP_CODE_USAGE, "%s: the costs are too large to be added",
                               view->path);
    }
    look_at_nodes(&b);
    find_pieces(&b);
    if (b.pieces.count < balancing->parts) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: there are %zu pieces between borders of modules, too few for "
                               "%u parts",
                               view->path, b.pieces.count, balancing->parts);
    }
    uint32_t *begins = HTP_NEW_ARRAY(arena, uint32_t, balancing->parts + 1U);
    uint64_t bound = find_bound(&b, begins);
    place_cuts(&b, bound, begins, sizes);
    note_parts(&b, begins, split);
    place_returned(&b, split);
    return HTP_OK;
}
