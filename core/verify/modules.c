#include "verify/modules.h"

static void find_innermost(htp_arena *arena, htp_module_borders *borders)
{
    const htp_tree *tree = borders->tree;
    size_t count = borders->view->nodes.count;
    uint32_t *innermost = HTP_NEW_ARRAY(arena, uint32_t, count + 1);
    borders->first = HTP_NEW_ARRAY(arena, uint32_t, tree->module_count + 1U);
    for (uint32_t m = 0; m < tree->module_count; m++) {
        borders->first[m] = HTP_NONE;
    }
    for (uint32_t n = 0; n < count; n++) {
        uint32_t module = tree->places[n].innermost;
        innermost[n] = module == HTP_NONE ? 0 : module;
        bool is_top = borders->view->nodes.items[n].graph == 0;
        for (uint32_t m = innermost[n]; is_top && m != HTP_NONE && borders->first[m] == HTP_NONE;
             m = tree->modules[m].parent) {
            borders->first[m] = n;
        }
    }
    borders->innermost = innermost;
}

/* State of a walk over all reads. */
struct walk {
    htp_arena *arena;
    htp_module_borders *borders;
    htp_map known; /* pairs of module and value */
};

/* A value leaves the modules that it is made in, up to the one that its reader is in, too; reader
 * HTP_NONE: all of them. */
static void note_leaving(struct walk *walk, uint32_t value, uint32_t reader)
{
    htp_module_borders *borders = walk->borders;
    uint32_t module = borders->innermost[borders->view->values.items[value].node];
    while (module != HTP_NONE &&
           (reader == HTP_NONE || !htp_tree_order_contains(&borders->order, module, reader))) {
        uint32_t known = 0;
        const uint32_t key[2] = {module, value};
        if (htp_map_add_bytes(walk->arena, &walk->known, key, sizeof(key), &known)) {
            HTP_PUSH(walk->arena, &borders->outputs[module], value);
        }
        module = borders->tree->modules[module].parent;
    }
}

static bool is_made(const htp_view *view, uint32_t value)
{
    const htp_view_value *made = &view->values.items[value];
    return made->maker == HTP_VIEW_BY_NODE && made->graph == 0 &&
           !htp_flow_is_constant(view, made->node);
}

static void note_read(void *user, uint32_t node, uint32_t value)
{
    struct walk *walk = user;
    const htp_module_borders *borders = walk->borders;
    uint32_t top = borders->flow.top[node];
    if (top != HTP_NONE && is_made(borders->view, value)) {
        note_leaving(walk, value, borders->innermost[top]);
    }
}

bool htp_module_makes(const htp_module_borders *borders, uint32_t module, uint32_t value)
{
    const htp_view_value *made = &borders->view->values.items[value];
    return made->maker == HTP_VIEW_BY_NODE && made->graph == 0 &&
           htp_tree_order_contains(&borders->order, module, borders->innermost[made->node]);
}

void htp_module_borders_find(htp_arena *arena, const htp_view *view, const htp_tree *tree,
                             htp_module_borders *borders)
{
    struct walk walk = {.arena = arena, .borders = borders};
    *borders = (htp_module_borders){
        .view = view,
        .tree = tree,
        .flow = htp_flow_find(arena, view, NULL, 0),
        .order = htp_tree_order_find(arena, tree),
        .outputs = HTP_NEW_ARRAY(arena, htp_numbers, tree->module_count + 1U),
    };
    find_innermost(arena, borders);
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        htp_flow_each_read(view, n, note_read, &walk);
    }
    htp_view_range returned = view->graphs.items[0].outputs;
    for (uint32_t i = 0; i < returned.count; i++) {
        uint32_t value = view->operands.items[returned.first + i];
        if (value != HTP_NONE && is_made(view, value)) {
            note_leaving(&walk, value, HTP_NONE);
        }
    }
}
