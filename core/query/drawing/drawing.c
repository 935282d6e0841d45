#include "query/drawing/drawing.h"

#include "base/checked.h"
#include "base/numbers.h"
#include "query/dataflow/graph_owner.h"

#include <stdlib.h>

/* The graph drawing under construction. */
struct painter {
    htp_arena *arena;
    const htp_view *view;
    const htp_tree *tree;
    htp_drawing_graph *drawing;
    const uint64_t *costs; /* by node; or NULL */
    bool has_depth;
    bool *is_drawn;   /* by node */
    uint32_t *above;  /* by module: the nearest tagged ancestor, or HTP_NONE */
    uint32_t *shown;  /* by module: the one drawn in its place; itself if it is open */
    bool *is_box;     /* by module */
    uint32_t *hosts;  /* by graph: the node whose frame it is beside, or HTP_NONE */
    uint32_t *order;  /* graphs, hosts' graphs first */
    bool *is_host;    /* by node */
    uint32_t *stops;  /* by module: the last graph, from 1 on, with a host in it or below */
    uint32_t *frames; /* by graph */
    uint32_t *boxes;  /* by node */
    uint32_t *stages; /* by node: the stage, equal for nodes that share a box */
    htp_map frames_of_modules; /* by graph and module */
    htp_map boxes_of_modules;  /* the same */
    htp_map boxes_of_stages;   /* by graph, module and stage */
    htp_map counts;            /* by box and op type, to an index of counts */
};

static uint32_t module_of(const struct painter *p, uint32_t node)
{
    htp_view_range tags = p->tree->places[node].tags;
    return tags.count > 0 ? p->tree->owners.items[tags.first] : HTP_NONE;
}

/* ---- what is drawn ---- */

/* Draws all nodes, or those of a region with their bodies. */
static void draw_nodes(struct painter *p, const htp_region *region)
{
    for (size_t i = 0; i < p->view->graphs.count; i++) {
        uint32_t g = p->order[i];
        bool is_inside = p->hosts[g] != HTP_NONE && p->is_drawn[p->hosts[g]];
        htp_view_range nodes = p->view->graphs.items[g].nodes;
        for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
            p->is_drawn[n] = !region || is_inside || region->has_node[n];
        }
    }
}

/* ---- which modules are boxes ---- */

/* The modules that have drawn nodes, of their own or below. */
static void mark_used(const struct painter *p, bool *is_used)
{
    for (uint32_t n = 0; n < p->view->nodes.count; n++) {
        uint32_t module = module_of(p, n);
        if (p->is_drawn[n] && module != HTP_NONE) {
            is_used[module] = true;
        }
    }
    for (uint32_t i = p->tree->module_count; i-- > 0;) {
        if (is_used[i] && p->above[i] != HTP_NONE) {
            is_used[p->above[i]] = true;
        }
    }
}

/* The requested modules have the outermost frames. @p is_part: NULL for all modules. */
static void find_above(struct painter *p, const bool *is_part)
{
    const htp_tree *tree = p->tree;
    for (uint32_t i = 0; i < tree->module_count; i++) {
        uint32_t parent = tree->modules[i].parent;
        bool has_tag = parent == HTP_NONE || tree->modules[parent].has_tag;
        p->above[i] = has_tag ? parent : p->above[parent];
    }
    for (uint32_t i = tree->module_count; is_part && i-- > 0;) {
        bool is_top = p->above[i] == HTP_NONE || !is_part[p->above[i]];
        p->above[i] = is_top ? HTP_NONE : p->above[i];
    }
}

/* Parents precede children. */
static void choose_boxes(struct painter *p, const bool *is_part, int depth)
{
    uint32_t count = p->tree->module_count;
    bool *is_used = HTP_NEW_ARRAY(p->arena, bool, count);
    bool *has_below = HTP_NEW_ARRAY(p->arena, bool, count);
    int *depths = HTP_NEW_ARRAY(p->arena, int, count);
    mark_used(p, is_used);
    for (uint32_t i = 0; i < count; i++) {
        if (is_used[i] && p->above[i] != HTP_NONE) {
            has_below[p->above[i]] = true;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t above = p->above[i];
        bool is_in_box = above != HTP_NONE && p->is_box[p->shown[above]];
        depths[i] = above == HTP_NONE ? 0 : depths[above] + 1;
        p->shown[i] = is_in_box ? p->shown[above] : i;
        p->is_box[i] = p->has_depth && (!is_part || is_part[i]) &&
                       (is_in_box || depths[i] >= depth || !has_below[i]);
    }
}

/* ---- frames ---- */

static uint32_t add_frame(const struct painter *p, htp_drawing_frame frame)
{
    HTP_PUSH(p->arena, &p->drawing->frames, frame);
    return (uint32_t)p->drawing->frames.count - 1;
}

/* The frame of an open module in a graph, created on first use. In bodies, frames of ancestors
 * exist already. A body lies in its host's module. */
static uint32_t find_frame(struct painter *p, uint32_t graph, uint32_t module)
{
    HTP_VECTOR(uint32_t) missing = {0};
    uint32_t frame = p->frames[graph];
    for (uint32_t at = module; at != HTP_NONE && p->stops[at] != graph + 1; at = p->above[at]) {
        const uint32_t key[] = {graph, at};
        if (htp_map_get_bytes(&p->frames_of_modules, key, sizeof(key), &frame)) {
            break;
        }
        if (graph == 0 || at == module) {
            HTP_PUSH(p->arena, &missing, at);
        }
    }
    while (missing.count > 0) {
        const uint32_t key[] = {graph, missing.items[--missing.count]};
        frame = add_frame(p, (htp_drawing_frame){.kind = HTP_DRAWING_MODULE_FRAME,
                                                 .parent = frame,
                                                 .module = key[1],
                                                 .graph = HTP_NONE});
        htp_map_set_bytes(p->arena, &p->frames_of_modules, key, sizeof(key), frame);
    }
    return frame;
}

/* The module whose frame holds a node's box, or HTP_NONE. */
static uint32_t frame_module_of(const struct painter *p, uint32_t module)
{
    if (module == HTP_NONE) {
        return HTP_NONE;
    }
    uint32_t shown = p->shown[module];
    return p->is_box[shown] ? p->above[shown] : shown;
}

/* ---- boxes ---- */

static uint32_t add_box(struct painter *p, htp_map *known, const uint32_t *key, size_t bytes,
                        htp_drawing_box box)
{
    uint32_t number;
    if (htp_map_get_bytes(known, key, bytes, &number)) {
        return number;
    }
    HTP_PUSH(p->arena, &p->drawing->boxes, box);
    number = (uint32_t)p->drawing->boxes.count - 1;
    htp_map_set_bytes(p->arena, known, htp_arena_copy(p->arena, key, bytes), bytes, number);
    return number;
}

static void count_node(struct painter *p, uint32_t number, uint32_t node)
{
    htp_drawing_box *box = &p->drawing->boxes.items[number];
    htp_view_name op_type = p->view->nodes.items[node].op_type;
    const uint32_t key[] = {number, op_type};
    uint32_t index = (uint32_t)box->counts.count;
    box->nodes++;
    if (p->costs && !htp_checked_add(box->cost, p->costs[node], &box->cost)) {
        box->cost = UINT64_MAX;
    }
    if (box->kind == HTP_DRAWING_NODE) {
        return;
    }
    if (htp_map_add_bytes(p->arena, &p->counts, key, sizeof(key), &index)) {
        HTP_PUSH(p->arena, &box->counts, (htp_drawing_count){op_type, 0});
    }
    box->counts.items[index].count++;
}

static uint32_t place_node(struct painter *p, uint32_t graph, uint32_t node)
{
    uint32_t module = module_of(p, node);
    uint32_t shown = module == HTP_NONE ? HTP_NONE : p->shown[module];
    bool is_box = shown != HTP_NONE && p->is_box[shown];
    uint32_t frame_module = frame_module_of(p, module);
    uint32_t frame =
        frame_module == HTP_NONE ? p->frames[graph] : find_frame(p, graph, frame_module);
    htp_drawing_box box = {.frame = frame, .module = shown, .node = HTP_NONE, .value = HTP_NONE};
    const uint32_t key[] = {graph, shown, p->stages[node]};
    if (is_box) {
        box.kind = HTP_DRAWING_MODULE;
        return add_box(p, &p->boxes_of_modules, key, 2 * sizeof(*key), box);
    }
    if (p->has_depth && !p->is_host[node]) {
        box.kind = HTP_DRAWING_NODES;
        return add_box(p, &p->boxes_of_stages, key, sizeof(key), box);
    }
    box.kind = HTP_DRAWING_NODE;
    box.node = node;
    HTP_PUSH(p->arena, &p->drawing->boxes, box);
    return (uint32_t)p->drawing->boxes.count - 1;
}

/* ---- stages ---- */

/* Stages of one graph's nodes, in order. A node's stage is larger than those of its sources outside
 * of its box, so a path that leaves a box returns at a later stage and closes no cycle. A node with
 * bodies may read anything: its stage is larger than all before. */
static void find_stages(struct painter *p, const htp_view_graph *graph)
{
    const htp_view *view = p->view;
    uint32_t largest = 0;
    for (uint32_t n = graph->nodes.first; n < graph->nodes.first + graph->nodes.count; n++) {
        htp_view_range read = view->nodes.items[n].inputs;
        uint32_t stage = p->is_host[n] ? largest + 1 : 0;
        for (uint32_t i = read.first; i < read.first + read.count; i++) {
            uint32_t value = view->operands.items[i];
            uint32_t maker = value == HTP_NONE ? HTP_NONE : view->values.items[value].node;
            if (maker == HTP_NONE || maker >= n || maker < graph->nodes.first) {
                continue;
            }
            bool is_same =
                !p->is_host[maker] && !p->is_host[n] && module_of(p, maker) == module_of(p, n);
            uint32_t least = p->stages[maker] + !is_same;
            stage = stage > least ? stage : least;
        }
        p->stages[n] = stage;
        largest = largest > stage ? largest : stage;
    }
}

/* ---- graphs ---- */

static bool has_drawn_node(const struct painter *p, uint32_t graph)
{
    htp_view_range nodes = p->view->graphs.items[graph].nodes;
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        if (p->is_drawn[n]) {
            return true;
        }
    }
    return false;
}

/*
 * Puts a graph into its host's box if that is more than the host node, or into a new frame.
 * @return the box, or HTP_NONE
 */
static uint32_t begin_graph(struct painter *p, uint32_t graph)
{
    uint32_t host = p->hosts[graph];
    uint32_t parent = HTP_NONE;
    bool is_function = p->view->graphs.items[graph].function != HTP_NONE;
    p->frames[graph] = HTP_NONE;
    bool is_drawn = host == HTP_NONE ? has_drawn_node(p, graph) : p->is_drawn[host];
    if (graph == 0 || !is_drawn) {
        return HTP_NONE;
    }
    if (host != HTP_NONE) {
        const htp_drawing_box *box = &p->drawing->boxes.items[p->boxes[host]];
        if (box->kind != HTP_DRAWING_NODE) {
            return p->boxes[host];
        }
        parent = box->frame;
        for (uint32_t at = module_of(p, host); at != HTP_NONE; at = p->above[at]) {
            p->stops[at] = graph + 1;
        }
    }
    p->frames[graph] =
        add_frame(p, (htp_drawing_frame){
                         .kind = is_function ? HTP_DRAWING_FUNCTION_FRAME : HTP_DRAWING_BODY_FRAME,
                         .parent = parent,
                         .module = HTP_NONE,
                         .graph = graph,
                     });
    return HTP_NONE;
}

/* In a body, creates frames of ancestors first. */
static void make_frames(struct painter *p, uint32_t graph)
{
    htp_view_range nodes = p->view->graphs.items[graph].nodes;
    htp_numbers modules = {0};
    for (uint32_t n = nodes.first; graph > 0 && n < nodes.first + nodes.count; n++) {
        uint32_t module = frame_module_of(p, module_of(p, n));
        if (p->is_drawn[n] && module != HTP_NONE) {
            HTP_PUSH(p->arena, &modules, module);
        }
    }
    htp_numbers_sort(&modules);
    for (size_t i = 0; i < modules.count; i++) {
        (void)find_frame(p, graph, modules.items[i]);
    }
}

static void paint_graph(struct painter *p, uint32_t graph)
{
    htp_view_range nodes = p->view->graphs.items[graph].nodes;
    uint32_t box = begin_graph(p, graph);
    find_stages(p, &p->view->graphs.items[graph]);
    if (box == HTP_NONE) {
        make_frames(p, graph);
    }
    for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
        if (p->is_drawn[n]) {
            p->boxes[n] = box == HTP_NONE ? place_node(p, graph, n) : box;
            count_node(p, p->boxes[n], n);
        }
    }
}

/* Parents have lower numbers. */
static void count_frames(const htp_drawing_graph *drawing)
{
    for (size_t i = 0; i < drawing->boxes.count; i++) {
        const htp_drawing_box *box = &drawing->boxes.items[i];
        if (box->frame != HTP_NONE) {
            drawing->frames.items[box->frame].nodes += box->nodes;
        }
    }
    for (size_t i = drawing->frames.count; i-- > 0;) {
        const htp_drawing_frame *frame = &drawing->frames.items[i];
        if (frame->parent != HTP_NONE) {
            drawing->frames.items[frame->parent].nodes += frame->nodes;
        }
    }
}

/* ---- all of it ---- */

static struct painter new_painter(htp_arena *arena, htp_drawing_graph *drawing)
{
    size_t nodes = drawing->view->nodes.count + 1;
    size_t graphs = drawing->view->graphs.count;
    struct painter p = {
        .arena = arena,
        .view = drawing->view,
        .tree = drawing->tree,
        .drawing = drawing,
        .is_drawn = HTP_NEW_ARRAY(arena, bool, nodes),
        .above = HTP_NEW_ARRAY(arena, uint32_t, drawing->tree->module_count),
        .shown = HTP_NEW_ARRAY(arena, uint32_t, drawing->tree->module_count),
        .is_box = HTP_NEW_ARRAY(arena, bool, drawing->tree->module_count),
        .stops = HTP_NEW_ARRAY(arena, uint32_t, drawing->tree->module_count),
        .frames = HTP_NEW_ARRAY(arena, uint32_t, graphs),
        .boxes = HTP_NEW_ARRAY(arena, uint32_t, nodes),
        .stages = HTP_NEW_ARRAY(arena, uint32_t, nodes),
        .is_host = HTP_NEW_ARRAY(arena, bool, nodes),
    };
    for (size_t n = 0; n < nodes; n++) {
        p.boxes[n] = HTP_NONE;
    }
    p.hosts = htp_graph_owner_find(arena, drawing->view, p.is_host);
    p.order = htp_graph_owner_order(arena, drawing->view, p.hosts);
    return p;
}

/* Types are inferred now, while running out of memory is still handled; writers only read them. */
static void settle_types(htp_arena *arena, htp_drawing_graph *drawing)
{
    drawing->types = htp_view_types_new(arena, drawing->view);
    for (size_t i = 0; i < drawing->boxes.count; i++) {
        const htp_drawing_box *box = &drawing->boxes.items[i];
        bool is_value = box->kind == HTP_DRAWING_INPUT || box->kind == HTP_DRAWING_OUTPUT;
        htp_view_types_need(drawing->types, &box->value, is_value ? 1 : 0);
    }
    for (size_t i = 0; i < drawing->arrows.count; i++) {
        const htp_drawing_arrow *arrow = &drawing->arrows.items[i];
        htp_view_types_need(drawing->types, arrow->values.items, arrow->values.count);
    }
    htp_view_types_settle(drawing->types);
}

htp_status htp_drawing_make(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                            const htp_drawing_choice *choice, htp_drawing_graph *drawing)
{
    htp_region region;
    *drawing = (htp_drawing_graph){.view = view, .tree = tree, .has_costs = choice->costs};
    if (choice->module) {
        region = htp_region_new(arena, view, tree);
        HTP_TRY(htp_region_add(arena, &region, choice->module, choice->own));
    }
    struct painter p = new_painter(arena, drawing);
    const bool *is_part = choice->module ? region.has_tag : NULL;
    p.has_depth = choice->depth >= 0;
    p.costs = choice->costs;
    draw_nodes(&p, choice->module ? &region : NULL);
    find_above(&p, is_part);
    choose_boxes(&p, is_part, choice->depth);
    for (size_t i = 0; i < view->graphs.count; i++) {
        paint_graph(&p, p.order[i]);
    }
    count_frames(drawing);
    for (size_t i = 0; i < drawing->boxes.count; i++) {
        uint64_t cost = drawing->boxes.items[i].cost;
        drawing->most = cost > drawing->most ? cost : drawing->most;
        drawing->sum += (double)cost;
    }
    htp_drawing_add_arrows(
        &(htp_drawing_places){drawing, arena, p.boxes, p.frames, p.hosts, !choice->module});
    settle_types(arena, drawing);
    return HTP_OK;
}
