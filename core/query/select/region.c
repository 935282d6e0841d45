#include "query/select/region.h"

#include "query/dataflow/flow.h"

#include <string.h>

htp_region htp_region_new(htp_arena *arena, const htp_view *view, const htp_tree *tree)
{
    return (htp_region){
        .view = view,
        .tree = tree,
        .has_tag = HTP_NEW_ARRAY(arena, bool, tree->module_count + 1U),
        .has_inside = HTP_NEW_ARRAY(arena, bool, tree->module_count + 1U),
        .has_node = HTP_NEW_ARRAY(arena, bool, view->nodes.count + 1),
    };
}

static bool belongs(const htp_region *region, uint32_t node)
{
    const htp_tree *tree = region->tree;
    const htp_tree_place *place = &tree->places[node];
    uint32_t count = region->takes_first_tag && place->tags.count > 0 ? 1 : place->tags.count;
    for (uint32_t i = 0; i < count; i++) {
        if (region->has_tag[tree->owners.items[place->tags.first + i]]) {
            return true;
        }
    }
    return place->innermost != HTP_NONE && region->has_inside[place->innermost];
}

static void find_nodes(htp_region *region)
{
    region->node_count = 0;
    for (uint32_t i = 0; i < region->view->nodes.count; i++) {
        region->has_node[i] = belongs(region, i);
        region->node_count += region->has_node[i];
    }
}

void htp_region_set_module(htp_region *region, uint32_t module)
{
    const htp_tree *tree = region->tree;
    for (uint32_t i = 0; i < tree->module_count; i++) {
        const htp_tree_module *set = &tree->modules[i];
        bool is_it = i == module;
        bool has_parent = set->parent != HTP_NONE;
        region->has_tag[i] =
            (is_it && set->has_tag) || (has_parent && region->has_tag[set->parent]);
        region->has_inside[i] =
            (is_it && !set->has_tag) || (has_parent && region->has_inside[set->parent]);
    }
    find_nodes(region);
}

void htp_region_add_modules(htp_arena *arena, htp_region *region, const bool *is_added, bool own)
{
    const htp_tree *tree = region->tree;
    bool *by_tag = HTP_NEW_ARRAY(arena, bool, tree->module_count);
    bool *by_chain = HTP_NEW_ARRAY(arena, bool, tree->module_count);
    for (uint32_t i = 0; i < tree->module_count; i++) {
        const htp_tree_module *module = &tree->modules[i];
        bool has_parent = !own && module->parent != HTP_NONE;
        by_tag[i] = (is_added[i] && module->has_tag) || (has_parent && by_tag[module->parent]);
        by_chain[i] = (is_added[i] && !module->has_tag) || (has_parent && by_chain[module->parent]);
        region->has_tag[i] = region->has_tag[i] || by_tag[i];
        region->has_inside[i] = region->has_inside[i] || by_chain[i];
    }
    find_nodes(region);
}

htp_status htp_region_add(htp_arena *arena, htp_region *region, const char *address, bool own)
{
    htp_address_matches matches;
    HTP_TRY(htp_address_find(arena, region->tree, address, &matches));
    htp_region_add_modules(arena, region, matches.is_matched, own);
    return HTP_OK;
}

void htp_region_subtract(htp_region *region, const htp_region *other)
{
    for (uint32_t i = 0; i < region->view->nodes.count; i++) {
        if (region->has_node[i] && other->has_node[i]) {
            region->has_node[i] = false;
            region->node_count--;
        }
    }
}

/* ---- borders ---- */

/* Whether a node belongs to the region, or lies in the body of a node that does. */
static bool lies_inside(const htp_region *region, uint32_t node)
{
    const htp_view *view = region->view;
    while (node != HTP_NONE && !region->has_node[node]) {
        node = view->graphs.items[view->nodes.items[node].graph].node;
    }
    return node != HTP_NONE;
}

static uint32_t module_of(const htp_region *region, uint32_t node)
{
    htp_view_range tags =
        node == HTP_NONE ? (htp_view_range){0, 0} : region->tree->places[node].tags;
    return tags.count > 0 ? region->tree->owners.items[tags.first] : HTP_NONE;
}

bool htp_region_is_weight(const htp_view *view, const htp_tree *tree, uint32_t value)
{
    const htp_view_value *made = &view->values.items[value];
    return made->initializer != HTP_NONE ||
           (made->maker == HTP_VIEW_BY_NODE &&
            htp_flow_is_carried(view, tree->is_shared, made->node));
}

/* State of the search for the border. */
struct border {
    htp_arena *arena;
    const htp_region *region;
    bool *is_inside;             /* by node */
    unsigned char *sides;        /* by shared node: the sides of its readers */
    bool *is_input;              /* by value */
    bool *is_output;             /* by value */
    htp_region_modules *readers; /* by value: readers outside */
    htp_map known_readers;
};

enum { INSIDE = 1, OUTSIDE = 2 };

/* The sides of the border that a node's reads count for. */
static unsigned char sides_of(const struct border *b, uint32_t node)
{
    return b->region->tree->is_shared[node] ? b->sides[node]
           : b->is_inside[node]             ? INSIDE
                                            : OUTSIDE;
}

static void note_side(void *user, uint32_t node, uint32_t value)
{
    struct border *b = user;
    const htp_view_value *made = &b->region->view->values.items[value];
    if (made->maker == HTP_VIEW_BY_NODE) {
        b->sides[made->node] |= sides_of(b, node);
    }
}

/* Whether a node inside makes a value. */
static bool is_made_inside(const struct border *b, uint32_t value)
{
    const htp_view *view = b->region->view;
    const htp_view_value *made = &view->values.items[value];
    if (made->maker == HTP_VIEW_BY_NODE) {
        return b->is_inside[made->node];
    }
    uint32_t body = view->graphs.items[made->graph].node;
    return body != HTP_NONE && b->is_inside[body];
}

/* Notes once that a module reads a value. */
static void note_reader(struct border *b, uint32_t value, uint32_t module)
{
    const uint32_t key[] = {value, module};
    b->is_output[value] = true;
    if (htp_map_add_bytes(b->arena, &b->known_readers, key, sizeof(key), NULL)) {
        HTP_PUSH(b->arena, &b->readers[value], module);
    }
}

static void note_input(struct border *b, uint32_t value, htp_region_values *inputs)
{
    htp_region_value input = {.value = value};
    uint32_t maker = module_of(b->region, b->region->view->values.items[value].node);
    b->is_input[value] = true;
    HTP_PUSH(b->arena, &input.others, maker);
    HTP_PUSH(b->arena, inputs, input);
}

static void look_at_node(struct border *b, uint32_t node, htp_region_values *inputs)
{
    const htp_view *view = b->region->view;
    htp_view_range read = view->nodes.items[node].inputs;
    unsigned char sides = sides_of(b, node);
    for (uint32_t i = read.first; i < read.first + read.count; i++) {
        uint32_t value = view->operands.items[i];
        if (value == HTP_NONE || htp_region_is_weight(view, b->region->tree, value)) {
            continue;
        }
        bool is_inside = is_made_inside(b, value);
        if (is_inside && (sides & OUTSIDE)) {
            note_reader(b, value, module_of(b->region, node));
        } else if (!is_inside && (sides & INSIDE) && !b->is_input[value]) {
            note_input(b, value, inputs);
        }
    }
}

/* Outputs of graphs around the region are read outside. */
static void look_at_outputs(struct border *b)
{
    const htp_view *view = b->region->view;
    for (size_t g = 0; g < view->graphs.count; g++) {
        const htp_view_graph *graph = &view->graphs.items[g];
        if (graph->node != HTP_NONE && b->is_inside[graph->node]) {
            continue;
        }
        for (uint32_t i = 0; i < graph->outputs.count; i++) {
            uint32_t value = view->operands.items[graph->outputs.first + i];
            if (value != HTP_NONE && is_made_inside(b, value)) {
                note_reader(b, value, module_of(b->region, graph->node));
            }
        }
    }
}

static void list_outputs(const struct border *b, htp_region_values *outputs)
{
    const htp_view *view = b->region->view;
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_view_range made = view->nodes.items[n].outputs;
        for (uint32_t i = 0; b->is_inside[n] && i < made.count; i++) {
            uint32_t value = view->operands.items[made.first + i];
            if (value != HTP_NONE && b->is_output[value]) {
                HTP_PUSH(b->arena, outputs, (htp_region_value){value, b->readers[value]});
            }
        }
    }
}

void htp_region_find_border(htp_arena *arena, const htp_region *region, htp_region_values *inputs,
                            htp_region_values *outputs)
{
    const htp_view *view = region->view;
    struct border b = {
        .arena = arena,
        .region = region,
        .is_inside = HTP_NEW_ARRAY(arena, bool, view->nodes.count + 1),
        .sides = HTP_NEW_ARRAY(arena, unsigned char, view->nodes.count + 1),
        .is_input = HTP_NEW_ARRAY(arena, bool, view->values.count + 1),
        .is_output = HTP_NEW_ARRAY(arena, bool, view->values.count + 1),
        .readers = HTP_NEW_ARRAY(arena, htp_region_modules, view->values.count + 1),
    };
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        b.is_inside[n] = lies_inside(region, n);
    }
    for (uint32_t n = (uint32_t)view->nodes.count; n-- > 0;) { /* readers follow makers */
        htp_flow_each_read(view, n, note_side, &b);
    }
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        look_at_node(&b, n, inputs);
    }
    look_at_outputs(&b);
    list_outputs(&b, outputs);
    /* Borders of many modules may be asked for in one arena. */
    htp_arena_release(arena, b.is_inside, view->nodes.count + 1);
    htp_arena_release(arena, b.sides, view->nodes.count + 1);
    htp_arena_release(arena, b.is_input, view->values.count + 1);
    htp_arena_release(arena, b.is_output, view->values.count + 1);
    htp_arena_release(arena, b.readers, (view->values.count + 1) * sizeof(*b.readers));
}

bool *htp_region_find_weights(htp_arena *arena, const htp_region *region)
{
    const htp_view *view = region->view;
    bool *is_read = HTP_NEW_ARRAY(arena, bool, view->tensors.count + 1);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_view_range read = view->nodes.items[n].inputs;
        for (uint32_t i = 0; region->has_node[n] && i < read.count; i++) {
            uint32_t value = view->operands.items[read.first + i];
            uint32_t tensor = value == HTP_NONE ? HTP_NONE : view->values.items[value].initializer;
            if (tensor != HTP_NONE) {
                is_read[tensor] = true;
            }
        }
    }
    return is_read;
}
