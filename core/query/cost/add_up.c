/*
 * Costs of modules and operators.
 */
#include "query/cost/cost_parts.h"

static void add_node(const htp_cost *cost, htp_cost_sum *sum, const htp_cost_node *node)
{
    const htp_algebra *algebra = &cost->symbols->algebra;
    if (node->multiply_adds != HTP_NONE) {
        htp_amount_add_polynomial(algebra, &sum->multiply_adds, node->multiply_adds, 1);
    }
    if (node->activations != HTP_NONE) {
        htp_amount_add_polynomial(algebra, &sum->activations, node->activations, 1);
    }
}

/* ---- modules ---- */

/* Sums of the modules below, added to those above. */
static htp_cost_sum *add_below(const htp_cost *cost, const htp_cost_sum *own)
{
    const htp_algebra *algebra = &cost->symbols->algebra;
    const htp_tree *tree = cost->tree;
    htp_cost_sum *total = HTP_NEW_ARRAY(cost->arena, htp_cost_sum, tree->module_count + 1U);
    for (uint32_t i = tree->module_count; i-- > 0;) {
        uint32_t parent = tree->modules[i].parent;
        htp_amount_add(algebra, &total[i].multiply_adds, &own[i].multiply_adds, 1);
        htp_amount_add(algebra, &total[i].activations, &own[i].activations, 1);
        if (parent != HTP_NONE) {
            htp_amount_add(algebra, &total[parent].multiply_adds, &total[i].multiply_adds, 1);
            htp_amount_add(algebra, &total[parent].activations, &total[i].activations, 1);
        }
    }
    return total;
}

/* Modules without a tag of their own count the nodes that ran in them. */
static void add_modules(htp_cost *cost)
{
    const htp_tree *tree = cost->tree;
    size_t count = tree->module_count + 1U;
    htp_cost_sum *innermost = HTP_NEW_ARRAY(cost->arena, htp_cost_sum, count);
    cost->own = HTP_NEW_ARRAY(cost->arena, htp_cost_sum, count);
    for (uint32_t n = 0; n < cost->view->nodes.count; n++) {
        const htp_tree_place *place = &tree->places[n];
        const htp_cost_node *node = &cost->nodes[n];
        if (node->is_left_out) {
            continue;
        }
        add_node(cost, &cost->whole, node);
        add_node(cost,
                 place->tags.count > 0 ? &cost->own[tree->owners.items[place->tags.first]]
                                       : &cost->untagged,
                 node);
        if (place->innermost != HTP_NONE) {
            add_node(cost, &innermost[place->innermost], node);
        }
    }
    const htp_cost_sum *of_innermost = add_below(cost, innermost);
    cost->total = add_below(cost, cost->own);
    for (uint32_t i = 0; i < tree->module_count; i++) {
        if (!tree->modules[i].has_tag) {
            cost->own[i] = innermost[i];
            cost->total[i] = of_innermost[i];
        }
    }
}

/* ---- operators ---- */

/* Adds the weights of a node that no node of its operator has read. */
static void add_weights(htp_cost *cost, htp_map *seen, uint32_t number, uint32_t node)
{
    const htp_view *view = cost->view;
    const htp_view_range inputs = view->nodes.items[node].inputs;
    htp_cost_operator *counted = &cost->operators.items[number];
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t value = view->operands.items[inputs.first + i];
        uint32_t tensor = value == HTP_NONE ? HTP_NONE : view->values.items[value].initializer;
        const uint32_t key[] = {number, tensor};
        if (tensor != HTP_NONE && htp_tree_is_weight(&view->tensors.items[tensor]) &&
            htp_map_add_bytes(cost->arena, seen, key, sizeof(key), NULL)) {
            counted->bytes += view->tensors.items[tensor].bytes;
            counted->parameters += htp_tree_elements(view, &view->tensors.items[tensor]);
        }
    }
}

static void add_operators(htp_cost *cost)
{
    const htp_view *view = cost->view;
    htp_map numbers = {0};
    htp_map seen = {0};
    for (uint32_t n = 0; n < view->nodes.count; n++) {
        const htp_view_node *node = &view->nodes.items[n];
        const uint32_t key[] = {htp_view_domain(view, node->domain), node->op_type};
        uint32_t number = (uint32_t)cost->operators.count;
        if (cost->nodes[n].is_left_out) {
            continue;
        }
        if (htp_map_add_bytes(cost->arena, &numbers, key, sizeof(key), &number)) {
            HTP_PUSH(cost->arena, &cost->operators,
                     (htp_cost_operator){.domain = key[0], .op_type = key[1]});
        }
        cost->operators.items[number].nodes++;
        add_node(cost, &cost->operators.items[number].sum, &cost->nodes[n]);
        add_weights(cost, &seen, number, n);
    }
}

void htp_cost_add_up(htp_cost *cost)
{
    add_modules(cost);
    add_operators(cost);
    for (uint32_t n = 0; n < cost->view->nodes.count; n++) {
        if (!cost->nodes[n].is_left_out && cost->nodes[n].multiply_adds == HTP_NONE) {
            HTP_PUSH(cost->arena, &cost->uncounted, n);
        }
    }
}
