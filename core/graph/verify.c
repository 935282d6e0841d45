#include "graph/verify.h"

typedef struct verifier {
    const htp_graph *graph;
    const char *pass;
    uint32_t node;     /* the current node; the node count for the outputs */
    uint32_t block;    /* its block */
    uint32_t *parents; /* by block: the block around it */
} verifier;

static htp_status wrong(const verifier *v, const char *what, htp_value_id id)
{
    const char *kind =
        v->node < v->graph->node_count ? v->graph->nodes[v->node].kind : "the outputs";
    return htp_status_make(HTP_CODE_INTERNAL,
                           "after the pass %s the graph is not well formed: node %u, %s: value %u "
                           "%s",
                           v->pass, v->node, kind, id, what);
}

static htp_status check_dims(const verifier *v, htp_value_id id)
{
    const htp_value *value = &v->graph->values[id];
    for (uint32_t i = 0; value->traced->kind == HTP_TRACE_TENSOR && i < value->traced->rank; i++) {
        if (!value->dims || value->dims[i].size < 0) {
            return wrong(v, "has a dim below 0, or lacks one", id);
        }
    }
    return HTP_OK;
}

static bool is_known(const htp_trace_value *value)
{
    return value->is_constant || value->data || value->weight != HTP_NONE ||
           value->kind == HTP_TRACE_NOTHING || value->kind == HTP_TRACE_STRING ||
           value->kind == HTP_TRACE_OPAQUE || value->kind == HTP_TRACE_UNKNOWN;
}

/* Whether values of block @p made are visible in the current one. */
static bool is_visible(const verifier *v, uint32_t made)
{
    uint32_t block = v->block;
    while (block != made && block != 0) {
        block = v->parents[block];
    }
    return block == made;
}

/* Checks an operand. Lists nest only as deep as types in the code. */
static htp_status check_read(const verifier *v, htp_value_id id)
{
    const htp_graph *graph = v->graph;
    if (id >= graph->value_count) {
        return wrong(v, "does not exist", id);
    }
    const htp_trace_value *value = htp_graph_value(graph, id);
    if (value->kind == HTP_TRACE_LIST) {
        for (uint32_t i = 0; i < value->element_count; i++) {
            HTP_TRY(check_read(v, value->elements[i]));
        }
        return HTP_OK;
    }
    if (value->producer == HTP_NONE || is_known(value)) {
        return HTP_OK;
    }
    if (value->producer >= v->node) {
        return wrong(v, "is read before it is made", id);
    }
    if (!graph->is_live[value->producer]) {
        return wrong(v, "is made by a node that is gone", id);
    }
    return is_visible(v, graph->nodes[value->producer].block)
               ? HTP_OK
               : wrong(v, "is made in a block that cannot be seen here", id);
}

static htp_status check_made(const verifier *v, htp_value_id id)
{
    if (id >= v->graph->value_count) {
        return wrong(v, "does not exist", id);
    }
    const htp_trace_value *value = htp_graph_value(v->graph, id);
    if (value->producer != v->node && value->kind != HTP_TRACE_NOTHING) {
        return wrong(v, "is made by another node", id);
    }
    return check_dims(v, id);
}

/* Checks the results of a node's blocks. */
static htp_status check_blocks(verifier *v)
{
    const htp_trace_node *node = &v->graph->nodes[v->node];
    for (uint32_t i = 0; i < node->block_count; i++) {
        const htp_trace_block *block = &v->graph->trace->blocks[node->blocks[i]];
        v->block = node->blocks[i];
        for (uint32_t k = 0; k < block->output_count; k++) {
            if (block->outputs[k] != HTP_NONE) {
                HTP_TRY(check_read(v, block->outputs[k]));
            }
        }
    }
    return HTP_OK;
}

static htp_status check_node(verifier *v)
{
    const htp_trace_node *node = &v->graph->nodes[v->node];
    if (node->scope >= v->graph->trace->scope_count) {
        return wrong(v, "has a scope that does not exist", HTP_NONE);
    }
    v->block = node->block;
    for (uint32_t i = 0; i < node->input_count; i++) {
        HTP_TRY(check_read(v, node->inputs[i]));
        if (!node->input_names[i]) {
            return wrong(v, "is an argument without a name", node->inputs[i]);
        }
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        HTP_TRY(check_made(v, node->outputs[i]));
    }
    return check_blocks(v);
}

/* Checks arguments of calls, which need no producer and no reader. */
static htp_status check_scopes(const verifier *v)
{
    const htp_trace *trace = v->graph->trace;
    for (uint32_t i = 0; i < trace->scope_count; i++) {
        const htp_trace_scope *scope = &trace->scopes[i];
        bool is_right = scope->site <= trace->call_count;
        for (uint32_t k = 0; k < scope->passed_count; k++) {
            is_right =
                is_right && scope->passed[k].name && scope->passed[k].value < v->graph->value_count;
        }
        if (!is_right) {
            return htp_status_make(HTP_CODE_INTERNAL,
                                   "after the pass %s the graph is malformed: scope %u is called "
                                   "nowhere, or with a missing value",
                                   v->pass, i);
        }
    }
    return HTP_OK;
}

/* The parent of each block. @return NULL if a node names a block that does not exist */
static uint32_t *find_parents(const htp_graph *graph)
{
    uint32_t count = graph->trace->block_count;
    uint32_t *parents = HTP_NEW_ARRAY(graph->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const htp_trace_node *node = &graph->nodes[i];
        bool exists = node->block == 0 || node->block < count;
        for (uint32_t k = 0; exists && k < node->block_count; k++) {
            exists = node->blocks[k] < count && node->blocks[k] != 0;
            if (exists) {
                parents[node->blocks[k]] = node->block;
            }
        }
        if (!exists) {
            return NULL;
        }
    }
    return parents;
}

htp_status htp_graph_verify(const htp_graph *graph, const char *pass)
{
    const htp_trace *trace = graph->trace;
    verifier v = {.graph = graph, .pass = pass, .parents = find_parents(graph)};
    if (!v.parents) {
        return wrong(&v, "has a block that does not exist", HTP_NONE);
    }
    for (; v.node < graph->node_count; v.node++) {
        if (graph->is_live[v.node]) {
            HTP_TRY(check_node(&v));
        }
    }
    v.block = 0;
    for (uint32_t i = 0; i < trace->output_count; i++) {
        HTP_TRY(check_read(&v, trace->outputs[i]));
    }
    for (uint32_t i = 0; i < graph->state_count; i++) {
        HTP_TRY(check_read(&v, graph->states[i].after));
    }
    return check_scopes(&v);
}
