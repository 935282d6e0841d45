#include "query/partition/part.h"

#include "query/partition/part_maker.h"

#include <stdlib.h>

/* ---- dividing ---- */

/* Marks shared nodes that are copied to several parts. */
#define NOWHERE (HTP_NONE - 1)
#define IN_SEVERAL (HTP_NONE - 2)

struct crossing {
    htp_division *division;
    uint32_t *copied_to; /* by shared node: the part that reads it, IN_SEVERAL or NOWHERE */
};

static bool is_shared(const htp_division *division, uint32_t node)
{
    return division->is_shared && division->is_shared[node];
}

/* The part that a node's reads belong to. */
static uint32_t reading_part(const struct crossing *crossing, uint32_t node)
{
    const htp_division *division = crossing->division;
    return is_shared(division, node) ? crossing->copied_to[node] : division->part_of[node];
}

/* A shared node is copied to the parts that read it. */
static void note_copy(void *user, uint32_t node, uint32_t value)
{
    struct crossing *crossing = user;
    const htp_view_value *read = &crossing->division->view->values.items[value];
    uint32_t part = reading_part(crossing, node);
    if (read->maker == HTP_VIEW_BY_NODE && is_shared(crossing->division, read->node) &&
        part != NOWHERE) {
        uint32_t *copied_to = &crossing->copied_to[read->node];
        *copied_to = *copied_to == NOWHERE || *copied_to == part ? part : IN_SEVERAL;
    }
}

/* Notes whether a value is read outside of the part that makes it. */
static void note_crossing(void *user, uint32_t node, uint32_t value)
{
    struct crossing *crossing = user;
    htp_division *division = crossing->division;
    const htp_view *view = division->view;
    const htp_view_value *read = &view->values.items[value];
    uint32_t part = reading_part(crossing, node);
    division->is_read[value] = true;
    if (read->maker == HTP_VIEW_BY_NODE &&
        (division->graph == HTP_NONE || read->graph == division->graph) && part != NOWHERE &&
        division->part_of[read->node] != part &&
        !htp_flow_is_carried(view, division->is_shared, read->node)) {
        division->is_crossing[value] = true;
    }
}

static void find_crossing(htp_arena *arena, htp_division *division)
{
    const htp_view *view = division->view;
    struct crossing crossing = {
        .division = division,
        .copied_to = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1),
    };
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        crossing.copied_to[n] = NOWHERE;
    }
    for (uint32_t n = (uint32_t)view->nodes.count; n-- > 0;) { /* readers follow makers */
        htp_flow_each_read(view, n, note_copy, &crossing);
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_flow_each_read(view, n, note_crossing, &crossing);
    }
}

/* Outputs of a graph are needed outside of all parts of its nodes. */
static void note_returned(htp_division *division, uint32_t graph)
{
    const htp_view *view = division->view;
    htp_view_range returned = view->graphs.items[graph].outputs;
    for (uint32_t i = 0; i < returned.count; i++) {
        uint32_t value = view->operands.items[returned.first + i];
        if (value != HTP_NONE && view->values.items[value].graph == graph) {
            division->is_read[value] = true;
            division->is_crossing[value] = view->values.items[value].maker == HTP_VIEW_BY_NODE;
        }
    }
}

/* Lists the nodes of each part. */
static void list_nodes(htp_arena *arena, htp_division *division)
{
    size_t count = division->view->nodes.count;
    uint32_t *used = HTP_NEW_ARRAY(arena, uint32_t, (size_t)division->count + 1);
    division->first = HTP_NEW_ARRAY(arena, uint32_t, (size_t)division->count + 1);
    for (size_t n = 0; n < count; n++) {
        if (division->part_of[n] != HTP_NONE) {
            division->first[division->part_of[n] + 1]++;
        }
    }
    for (uint32_t p = 0; p < division->count; p++) {
        division->first[p + 1] += division->first[p];
    }
    division->nodes = HTP_NEW_ARRAY(arena, uint32_t, (size_t)division->first[division->count] + 1);
    for (size_t n = 0; n < count; n++) {
        uint32_t part = division->part_of[n];
        if (part != HTP_NONE) {
            division->nodes[division->first[part] + used[part]++] = (uint32_t)n;
        }
    }
}

/* A division whose parts are not listed yet. */
static htp_division begin_division(htp_arena *arena, const htp_view *view, const bool *is_shared,
                                   uint32_t graph, uint32_t count, uint32_t *part_of)
{
    return (htp_division){
        .view = view,
        .is_shared = is_shared,
        .graph = graph,
        .count = count,
        .part_of = part_of,
        .is_crossing = HTP_NEW_ARRAY(arena, bool, view->values.count + 1),
        .is_read = HTP_NEW_ARRAY(arena, bool, view->values.count + 1),
    };
}

htp_division htp_division_make(htp_arena *arena, const htp_view *view, const bool *is_shared,
                               uint32_t graph, uint32_t count, uint32_t *part_of)
{
    htp_division division = begin_division(arena, view, is_shared, graph, count, part_of);
    for (uint32_t n = 0; n < view->nodes.count; n++) { /* bodies follow their nodes */
        uint32_t in = view->nodes.items[n].graph;
        uint32_t owner = view->graphs.items[in].node;
        if (in != graph) {
            part_of[n] = owner == HTP_NONE ? HTP_NONE : part_of[owner];
        }
    }
    list_nodes(arena, &division);
    find_crossing(arena, &division);
    note_returned(&division, graph);
    return division;
}

htp_division htp_division_make_all(htp_arena *arena, const htp_view *view, const bool *is_shared,
                                   uint32_t count, uint32_t *part_of)
{
    htp_division division = begin_division(arena, view, is_shared, HTP_NONE, count, part_of);
    list_nodes(arena, &division);
    find_crossing(arena, &division);
    for (uint32_t g = 0; g < view->graphs.count; g++) {
        note_returned(&division, g);
    }
    return division;
}

/* ---- one part after the other ---- */

htp_division htp_division_open(htp_arena *arena, const htp_view *view)
{
    htp_division division = {
        .view = view,
        .count = 1,
        .part_of = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1),
        .first = HTP_NEW_ARRAY(arena, uint32_t, 2),
        .nodes = HTP_NEW_ARRAY(arena, uint32_t, view->nodes.count + 1),
        .is_crossing = HTP_NEW_ARRAY(arena, bool, view->values.count + 1),
        .is_read = HTP_NEW_ARRAY(arena, bool, view->values.count + 1),
    };
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        division.part_of[n] = HTP_NONE;
    }
    return division;
}

static void add_to_part(htp_division *division, uint32_t node)
{
    if (division->part_of[node] == HTP_NONE) {
        division->part_of[node] = 0;
        division->nodes[division->first[1]++] = node;
    }
}

/* Adds the nodes of a node's bodies. */
static void add_bodies(htp_division *division, uint32_t node)
{
    const htp_view *view = division->view;
    htp_view_range attributes = view->nodes.items[node].attributes;
    for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
        htp_view_range bodies = view->attributes.items[a].graphs;
        for (uint32_t g = bodies.first; g < bodies.first + bodies.count; g++) {
            htp_view_range nodes = view->graphs.items[g].nodes;
            for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
                add_to_part(division, n);
            }
        }
    }
}

void htp_division_set(htp_division *division, const htp_numbers *nodes)
{
    for (uint32_t i = 0; i < division->first[1]; i++) {
        division->part_of[division->nodes[i]] = HTP_NONE;
    }
    division->first[1] = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        add_to_part(division, nodes->items[i]);
    }
    for (uint32_t i = 0; i < division->first[1]; i++) { /* the list grows on the way */
        add_bodies(division, division->nodes[i]);
    }
    htp_numbers sorted = {.items = division->nodes, .count = division->first[1]};
    htp_numbers_sort(&sorted); /* the order of the file */
}

/* ---- functions ---- */

static void list_function_nodes(htp_part_maker *maker, htp_arena *arena)
{
    const htp_view *view = maker->view;
    size_t count = view->functions.count;
    uint32_t *function_of = HTP_NEW_ARRAY(arena, uint32_t, view->graphs.count + 1);
    uint32_t *used = HTP_NEW_ARRAY(arena, uint32_t, count + 1);
    maker->function_first = HTP_NEW_ARRAY(arena, uint32_t, count + 1);
    for (size_t g = 0; g < view->graphs.count; g++) {
        const htp_view_graph *graph = &view->graphs.items[g];
        uint32_t function =
            graph->parent == HTP_NONE ? graph->function : function_of[graph->parent];
        function_of[g] = function;
        if (function != HTP_NONE) {
            maker->function_first[function + 1] += graph->nodes.count;
        }
    }
    for (size_t f = 0; f < count; f++) {
        maker->function_first[f + 1] += maker->function_first[f];
    }
    maker->function_nodes =
        HTP_NEW_ARRAY(arena, uint32_t, (size_t)maker->function_first[count] + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        uint32_t function = function_of[view->nodes.items[n].graph];
        if (function != HTP_NONE) {
            maker->function_nodes[maker->function_first[function] + used[function]++] = n;
        }
    }
}

static void name_functions(htp_part_maker *maker, htp_arena *arena)
{
    const htp_view *view = maker->view;
    for (uint32_t f = 0; f < view->functions.count; f++) {
        const htp_view_function *function = &view->functions.items[f];
        htp_view_name *key = HTP_NEW_ARRAY(arena, htp_view_name, 3);
        key[0] = function->domain;
        key[1] = function->name;
        key[2] = function->overload;
        htp_map_set_bytes(arena, &maker->functions, key, 3 * sizeof(*key), f);
    }
}

htp_part_maker *htp_part_maker_new(htp_arena *arena, const htp_division *division,
                                   const htp_tree *tree, htp_view_types *types)
{
    const htp_view *view = division->view;
    htp_part_maker *maker = HTP_NEW(arena, htp_part_maker);
    *maker = (htp_part_maker){
        .division = division,
        .tree = tree,
        .view = view,
        .types = types,
        .value_mark = HTP_NEW_ARRAY(arena, uint32_t, view->values.count + 1),
        .output_mark = HTP_NEW_ARRAY(arena, uint32_t, view->values.count + 1),
        .function_mark = HTP_NEW_ARRAY(arena, uint32_t, view->functions.count + 1),
    };
    list_function_nodes(maker, arena);
    name_functions(maker, arena);
    htp_part_find_records(maker, arena);
    htp_part_find_rest(maker, arena);
    return maker;
}

void htp_part_maker_open(htp_part_maker *maker, const int32_t *types)
{
    maker->border_types = types;
}

/* ---- one part ---- */

/* A part under construction. */
struct making {
    htp_part_maker *maker;
    htp_arena *arena;
    htp_part *part;
    uint32_t mark;
};

static void add_range(const struct making *making, htp_view_range tensors)
{
    for (uint32_t i = 0; i < tensors.count; i++) {
        HTP_PUSH(making->arena, &making->part->tensors, tensors.first + i);
    }
}

/* Tensors of attributes, and initializers of bodies. */
static void add_tensors_of_node(const struct making *making, uint32_t node)
{
    const htp_view *view = making->maker->view;
    htp_view_range attributes = view->nodes.items[node].attributes;
    for (uint32_t a = attributes.first; a < attributes.first + attributes.count; a++) {
        htp_view_range bodies = view->attributes.items[a].graphs;
        add_range(making, view->attributes.items[a].tensors);
        for (uint32_t g = bodies.first; g < bodies.first + bodies.count; g++) {
            add_range(making, view->graphs.items[g].initializers);
        }
    }
}

/* An initializer; a sparse one is two tensors. */
static void add_initializer(const struct making *making, uint32_t tensor)
{
    bool is_sparse = making->maker->view->tensors.items[tensor].sparse.at != NULL;
    add_range(making, (htp_view_range){tensor, is_sparse ? 2 : 1});
}

/* Notes the source of a value at its first read. */
static void note_read(void *user, uint32_t node, uint32_t value)
{
    const struct making *making = user;
    htp_part *part = making->part;
    const htp_view *view = making->maker->view;
    const uint32_t *part_of = making->maker->division->part_of;
    const htp_view_value *read = &view->values.items[value];
    uint32_t maker =
        read->maker == HTP_VIEW_BY_NODE ? read->node : view->graphs.items[read->graph].node;
    bool is_inside = maker != HTP_NONE && part_of[maker] == part->number;
    (void)node;
    if (is_inside || making->maker->value_mark[value] == making->mark) {
        return;
    }
    making->maker->value_mark[value] = making->mark;
    if (read->maker == HTP_VIEW_BY_NODE &&
        htp_flow_is_carried(view, making->maker->division->is_shared, maker)) {
        HTP_PUSH(making->arena, &part->constants, maker);
    } else if (read->initializer == HTP_NONE) {
        HTP_PUSH(making->arena, &part->inputs, value);
    } else {
        bool is_input = read->maker == HTP_VIEW_BY_INPUT;
        HTP_PUSH(making->arena, is_input ? &part->defaults : &part->weights, value);
        add_initializer(making, read->initializer);
    }
}

static void note_function(const struct making *making, uint32_t node)
{
    const htp_view_node *call = &making->maker->view->nodes.items[node];
    const htp_view_name key[] = {call->domain, call->op_type, call->overload};
    uint32_t function;
    if (htp_map_get_bytes(&making->maker->functions, key, sizeof(key), &function) &&
        making->maker->function_mark[function] != making->mark) {
        making->maker->function_mark[function] = making->mark;
        HTP_PUSH(making->arena, &making->part->functions, function);
    }
}

/* Functions that functions call are appended to the list, so one loop sees all. */
static void follow_functions(const struct making *making)
{
    const htp_part_maker *maker = making->maker;
    for (size_t i = 0; i < making->part->functions.count; i++) {
        uint32_t function = making->part->functions.items[i];
        for (uint32_t k = maker->function_first[function]; k < maker->function_first[function + 1];
             k++) {
            note_function(making, maker->function_nodes[k]);
            add_tensors_of_node(making, maker->function_nodes[k]);
        }
    }
}

static void look_at_nodes(struct making *making)
{
    const htp_division *division = making->maker->division;
    htp_part *part = making->part;
    const uint32_t first = division->first[part->number];
    uint32_t graph = division->graph; /* nodes of bodies follow */
    if (graph == HTP_NONE && first < division->first[part->number + 1]) {
        graph = division->view->nodes.items[division->nodes[first]].graph;
    }
    for (uint32_t i = first; i < division->first[part->number + 1]; i++) {
        uint32_t node = division->nodes[i];
        if (division->view->nodes.items[node].graph == graph) {
            HTP_PUSH(making->arena, &part->nodes, node);
        }
        part->node_count++;
        htp_flow_each_read(division->view, node, note_read, making);
        add_tensors_of_node(making, node);
        note_function(making, node);
    }
    follow_functions(making);
}

/* Constants that constants read are appended to the list, so one loop sees all. */
static void look_at_constants(struct making *making)
{
    for (size_t i = 0; i < making->part->constants.count; i++) {
        uint32_t node = making->part->constants.items[i];
        making->part->node_count += is_shared(making->maker->division, node);
        htp_flow_each_read(making->maker->view, node, note_read, making);
        add_tensors_of_node(making, node);
    }
}

static void add_output(const struct making *making, uint32_t value)
{
    if (making->maker->output_mark[value] != making->mark) {
        making->maker->output_mark[value] = making->mark;
        HTP_PUSH(making->arena, &making->part->outputs, value);
    }
}

/* Adds the values that are read elsewhere, or else those that nobody reads. */
static void add_outputs(const struct making *making, bool are_needed)
{
    const htp_division *division = making->maker->division;
    const htp_view *view = division->view;
    for (size_t i = 0; i < making->part->nodes.count; i++) {
        htp_view_range made = view->nodes.items[making->part->nodes.items[i]].outputs;
        for (uint32_t k = 0; k < made.count; k++) {
            uint32_t value = view->operands.items[made.first + k];
            if (value != HTP_NONE &&
                (are_needed ? division->is_crossing[value] : !division->is_read[value])) {
                add_output(making, value);
            }
        }
    }
}

void htp_part_find(htp_part_maker *maker, htp_arena *arena, uint32_t number,
                   const htp_numbers *extra_outputs, htp_part *part)
{
    struct making making = {maker, arena, part, ++maker->last_mark};
    *part = (htp_part){.number = number, .mark = making.mark};
    look_at_nodes(&making);
    look_at_constants(&making);
    add_outputs(&making, true);
    for (size_t i = 0; extra_outputs && i < extra_outputs->count; i++) {
        note_read(&making, HTP_NONE, extra_outputs->items[i]);
        add_output(&making, extra_outputs->items[i]);
    }
    if (part->outputs.count == 0) {
        add_outputs(&making, false);
    }
    htp_numbers_sort_unique(&part->tensors);
    htp_numbers_sort_unique(&part->weights); /* values of initializers are numbered in this order */
    htp_numbers_sort_unique(&part->functions);
    htp_numbers_sort_unique(&part->constants);
}
