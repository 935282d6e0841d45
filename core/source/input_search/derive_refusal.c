/*
 * Interprets a refusal: how far the program got, and on which arguments the failed operator
 * depends. derive_operands.c compares the sizes of its operands.
 */
#include "source/input_search/derive.h"

/* A breadth-first walk from a node back to forward()'s arguments. */
struct walk {
    const htp_trace *trace;
    uint32_t *queue;
    uint32_t length;
    bool *is_seen;
};

static void push(struct walk *walk, uint32_t value)
{
    if (value < walk->trace->value_count && !walk->is_seen[value]) {
        walk->is_seen[value] = true;
        walk->queue[walk->length++] = value;
    }
}

static void push_all(struct walk *walk, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        push(walk, values[i]);
    }
}

/* The leaves on which the node's operands depend, nearest first. If the program itself raised, also
 * those of its comparisons. */
static void find_suspects(htp_arena *arena, const htp_trace *trace, const htp_plan *plan,
                          const htp_trace_node *node, htp_refusal *refusal)
{
    struct walk walk = {
        .trace = trace,
        .queue = HTP_NEW_ARRAY(arena, uint32_t, (size_t)trace->value_count + 1),
        .is_seen = HTP_NEW_ARRAY(arena, bool, (size_t)trace->value_count + 1),
    };
    const uint32_t *leaves = htp_plan_values(arena, plan, trace);
    refusal->suspects = HTP_NEW_ARRAY(arena, uint32_t, (size_t)plan->leaf_count + 1);
    push_all(&walk, node->inputs, node->input_count);
    for (uint32_t i = 1; !node->failure && i < HTP_COMPARISONS_READ; i++) {
        if (node - trace->nodes >= (int64_t)i) {
            push_all(&walk, node[-(int64_t)i].inputs, node[-(int64_t)i].input_count);
        }
    }
    for (uint32_t next = 0; next < walk.length; next++) {
        const htp_trace_value *value = &trace->values[walk.queue[next]];
        for (uint32_t i = 0; i < plan->leaf_count; i++) {
            if (leaves[i] == walk.queue[next]) {
                refusal->suspects[refusal->suspect_count++] = i;
                break;
            }
        }
        push_all(&walk, value->elements, value->kind == HTP_TRACE_LIST ? value->element_count : 0);
        if (value->producer < trace->node_count) {
            const htp_trace_node *producer = &trace->nodes[value->producer];
            push_all(&walk, producer->inputs, producer->input_count);
        }
    }
}

void htp_refusal_read(htp_arena *arena, const htp_trace *trace, const htp_plan *plan,
                      htp_refusal *refusal)
{
    *refusal = (htp_refusal){.kind = ""};
    if (!trace || trace->node_count == 0) {
        return;
    }
    const htp_trace_node *last = &trace->nodes[trace->node_count - 1];
    refusal->node_count = trace->node_count;
    refusal->kind = htp_arena_strdup(arena, last->kind);
    refusal->is_operator = last->failure != NULL;
    find_suspects(arena, trace, plan, last, refusal);
    htp_operands_read(trace, refusal);
}
