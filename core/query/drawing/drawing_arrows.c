/*
 * Arrows between boxes, and between boxes and nodes that are not drawn.
 */
#include "query/drawing/drawing.h"

/* Arrows under construction. */
struct arrows {
    const htp_drawing_places *places;
    const htp_view *view;
    htp_drawing_graph *drawing;
    htp_arena *arena;
    uint32_t *inputs;  /* by value: the box of an input */
    uint32_t *outputs; /* by value: the box of an output */
    htp_map known;     /* by both boxes, to the arrow */
    htp_map flows;     /* by arrow and value */
};

static bool is_weight(const htp_view_value *value)
{
    return value->maker == HTP_VIEW_BY_INITIALIZER ||
           (value->maker == HTP_VIEW_BY_INPUT && value->initializer != HTP_NONE);
}

/* The number of a pair; a new pair gets @p fresh. */
static uint32_t number_pair(htp_arena *arena, htp_map *map, uint32_t a, uint32_t b, uint32_t fresh)
{
    const uint32_t key[] = {a, b};
    uint32_t number = fresh;
    (void)htp_map_add_bytes(arena, map, key, sizeof(key), &number);
    return number;
}

static void add_arrow(struct arrows *a, uint32_t from, uint32_t to, uint32_t value)
{
    if (from == HTP_NONE || to == HTP_NONE || from == to) {
        return;
    }
    uint32_t fresh = (uint32_t)a->drawing->arrows.count;
    uint32_t number = number_pair(a->arena, &a->known, from, to, fresh);
    if (number == fresh) {
        HTP_PUSH(a->arena, &a->drawing->arrows, (htp_drawing_arrow){.from = from, .to = to});
    }
    htp_drawing_arrow *arrow = &a->drawing->arrows.items[number];
    fresh = (uint32_t)arrow->values.count;
    if (number_pair(a->arena, &a->flows, number, value, fresh) == fresh) {
        HTP_PUSH(a->arena, &arrow->values, value);
    }
}

/* The box of an input or output, created on first use. */
static uint32_t find_end(struct arrows *a, uint32_t *ends, htp_drawing_box_kind kind,
                         uint32_t value, uint32_t frame)
{
    if (ends[value] == HTP_NONE) {
        ends[value] = (uint32_t)a->drawing->boxes.count;
        HTP_PUSH(a->arena, &a->drawing->boxes,
                 (htp_drawing_box){.kind = kind,
                                   .frame = frame,
                                   .module = HTP_NONE,
                                   .node = HTP_NONE,
                                   .value = value});
    }
    return ends[value];
}

/* The box of a graph's host, if that is drawn. */
static uint32_t host_box(const struct arrows *a, uint32_t graph)
{
    uint32_t host = a->places->hosts[graph];
    return host == HTP_NONE ? HTP_NONE : a->places->boxes[host];
}

/* The box that a value comes from: a node's, that of a body's or function's host, or an input's. */
static uint32_t find_source(struct arrows *a, uint32_t value)
{
    const htp_view_value *read = &a->view->values.items[value];
    if (is_weight(read) || read->maker == HTP_VIEW_BY_NOBODY) {
        return HTP_NONE;
    }
    uint32_t box =
        read->maker == HTP_VIEW_BY_NODE ? a->places->boxes[read->node] : host_box(a, read->graph);
    bool is_of_graph = read->maker == HTP_VIEW_BY_INPUT;
    return box != HTP_NONE ? box
                           : find_end(a, a->inputs, HTP_DRAWING_INPUT, value,
                                      is_of_graph ? a->places->frames[read->graph] : HTP_NONE);
}

/* Adds a value whose maker is drawn and whose reader is not. */
static void add_output(struct arrows *a, uint32_t value, uint32_t frame)
{
    uint32_t from = find_source(a, value);
    if (from != HTP_NONE) {
        add_arrow(a, from, find_end(a, a->outputs, HTP_DRAWING_OUTPUT, value, frame), value);
    }
}

static bool is_made_by_drawn(const struct arrows *a, uint32_t value)
{
    const htp_view_value *made = &a->view->values.items[value];
    return made->maker == HTP_VIEW_BY_NODE && a->places->boxes[made->node] != HTP_NONE;
}

static void look_at_node(struct arrows *a, uint32_t node)
{
    htp_view_range read = a->view->nodes.items[node].inputs;
    uint32_t box = a->places->boxes[node];
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t value = a->view->operands.items[i];
        if (value == HTP_NONE) {
            continue;
        }
        if (box != HTP_NONE) {
            add_arrow(a, find_source(a, value), box, value);
        } else if (is_made_by_drawn(a, value)) {
            add_output(a, value, HTP_NONE);
        }
    }
}

/* Inputs of the model are drawn even if nothing reads them. */
static void add_inputs(struct arrows *a)
{
    htp_view_range given = a->view->graphs.items[0].inputs;
    for (uint32_t i = given.first; a->places->is_whole && i < given.first + given.count; i++) {
        if (a->view->operands.items[i] != HTP_NONE) {
            (void)find_source(a, a->view->operands.items[i]);
        }
    }
}

/* Outputs of a body go to its node; those of the model, or of a function on its own, are outputs.
 */
static void look_at_outputs(struct arrows *a, uint32_t graph)
{
    htp_view_range returned = a->view->graphs.items[graph].outputs;
    uint32_t box = host_box(a, graph);
    bool is_whole = graph == 0 ? a->places->is_whole : a->places->frames[graph] != HTP_NONE;
    for (uint32_t i = returned.first; i < returned.first + returned.count; i++) {
        uint32_t value = a->view->operands.items[i];
        if (value == HTP_NONE) {
            continue;
        }
        if (box != HTP_NONE) {
            add_arrow(a, find_source(a, value), box, value);
        } else if (is_whole || is_made_by_drawn(a, value)) {
            add_output(a, value, a->places->frames[graph]);
        }
    }
}

static uint32_t *new_ends(const struct arrows *a)
{
    uint32_t *ends = HTP_NEW_ARRAY(a->arena, uint32_t, a->view->values.count + 1);
    for (size_t i = 0; i <= a->view->values.count; i++) {
        ends[i] = HTP_NONE;
    }
    return ends;
}

void htp_drawing_add_arrows(const htp_drawing_places *places)
{
    struct arrows a = {
        .places = places,
        .view = places->drawing->view,
        .drawing = places->drawing,
        .arena = places->arena,
    };
    a.inputs = new_ends(&a);
    a.outputs = new_ends(&a);
    add_inputs(&a);
    for (uint32_t n = 0; n < a.view->nodes.count; n++) {
        look_at_node(&a, n);
    }
    for (uint32_t g = 0; g < a.view->graphs.count; g++) {
        look_at_outputs(&a, g);
    }
}
