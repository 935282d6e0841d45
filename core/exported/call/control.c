#include "exported/call/control.h"

#include "exported/call/blocks.h"
#include "exported/call/nodes.h"

#include <string.h>

/* The first graph argument; @p behind receives the index of the next one, its first operand. */
static const htp_exported_graph *find_graph(const htp_tape *r, const htp_exported_node *node,
                                            uint32_t *behind)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i].kind == HTP_EXPORTED_GRAPH) {
            *behind = i + 1;
            return &r->program->graphs.items[node->inputs[i].graph];
        }
    }
    return NULL;
}

/* A body that runs once and only sets a mode: its nodes replace the operator. */
static bool add_body(htp_tape *r, const htp_exported_node *node)
{
    uint32_t behind = 0;
    htp_exported_arguments given = {0};
    htp_exported_arguments made = {0};
    htp_exported_arguments wanted = {0};
    const htp_exported_graph *graph = find_graph(r, node, &behind);
    if (!graph) {
        return false;
    }
    htp_exported_nodes_flatten(r, node->inputs + behind, node->input_count - behind, &given);
    htp_exported_nodes_flatten(r, graph->outputs, graph->output_count, &made);
    htp_exported_nodes_flatten(r, node->outputs, node->output_count, &wanted);
    if (given.count != graph->input_count || made.count != wanted.count) {
        return false;
    }
    for (size_t i = 0; i < given.count; i++) {
        htp_exported_nodes_bind(r, &graph->inputs[i], given.items[i]);
    }
    htp_exported_nodes_add(r, graph);
    for (size_t i = 0; i < made.count; i++) {
        htp_exported_nodes_bind(r, wanted.items[i], made.items[i]);
    }
    return true;
}

/* autocast(device, dtype, enabled, ...): its casts are not in the body. */
static bool add_autocast(htp_tape *r, const htp_exported_node *node)
{
    enum { ENABLED = 2 };
    if (node->input_count > ENABLED && node->inputs[ENABLED].kind == HTP_EXPORTED_BOOL &&
        node->inputs[ENABLED].i == 0) {
        return add_body(r, node);
    }
    return false;
}

/* Operators with graphs, by their names in programs. */
static const struct {
    const char *target;
    bool (*add)(htp_tape *r, const htp_exported_node *node);
} rows[] = {
    {"torch.ops.higher_order.cond", htp_blocks_add_cond},
    {"torch.ops.higher_order.map_impl", htp_blocks_add_map},
    {"torch.ops.higher_order.scan", htp_blocks_add_scan},
    {"torch.ops.higher_order.while_loop", htp_blocks_add_while},
    {"torch.ops.higher_order.wrap_with_autocast", add_autocast},
    {"torch.ops.higher_order.wrap_with_set_grad_enabled", add_body},
};

bool htp_control_add(htp_tape *r, const htp_exported_node *node)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(node->target, rows[i].target) == 0) {
            return rows[i].add(r, node);
        }
    }
    return false;
}

bool htp_control_knows(const char *target)
{
    bool knows = false;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !knows; i++) {
        knows = strcmp(target, rows[i].target) == 0;
    }
    return knows;
}
