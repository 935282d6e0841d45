/*
 * Branches and loops: their bodies run as the data say.
 */
#include "replay/run.h"

/* ---- bodies ---- */

/* Runs a body. @param results  receives an operand for each output; NONE for those without readers,
 * or that are unknown: @p are_known */
static bool run_body(htp_replay_state *state, uint32_t block, htp_operand *results, bool *are_known)
{
    const htp_trace_block *body = &state->replay->graph->trace->blocks[block];
    size_t before = state->within.count;
    bool all = true;
    state->depth++;
    htp_replay_block(state, block);
    for (uint32_t i = 0; i < body->output_count; i++) {
        results[i] = (htp_operand){.kind = HTP_OPERAND_NONE, .type = HTP_NONE};
        are_known[i] = body->outputs[i] != HTP_NONE &&
                       htp_replay_read(state, body->outputs[i], &results[i]) &&
                       htp_replay_alias(state, &results[i]);
        all = all && (are_known[i] || body->outputs[i] == HTP_NONE);
    }
    for (size_t i = before; i < state->within.count; i++) {
        htp_replay_drop(state, state->within.items[i]);
    }
    state->within.count = before;
    state->depth--;
    return all;
}

/* Room for the outputs of a body. */
struct results {
    htp_operand *operands;
    bool *are_known;
};

static struct results new_results(const htp_replay_state *state, uint32_t block)
{
    uint32_t count = state->replay->graph->trace->blocks[block].output_count + 1U;
    htp_arena *arena = state->replay->means->arena;
    return (struct results){HTP_NEW_ARRAY(arena, htp_operand, count),
                            HTP_NEW_ARRAY(arena, bool, count)};
}

static bool is_true(const htp_operand *operand)
{
    return operand->kind == HTP_OPERAND_BOOL ? operand->as.b : operand->as.i != 0;
}

/* ---- branches ---- */

static bool run_branch(htp_replay_state *state, const htp_trace_node *node)
{
    htp_operand condition;
    if (!htp_replay_read(state, node->inputs[0], &condition)) {
        return htp_replay_fails(state, "its condition is not known");
    }
    uint32_t block = node->blocks[is_true(&condition) ? 0 : 1];
    struct results results = new_results(state, block);
    bool all = run_body(state, block, results.operands, results.are_known);
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (results.are_known[i]) {
            htp_replay_set(state, node->outputs[i], &results.operands[i]);
        }
    }
    return all || htp_replay_fails(state, "what its side returns is not known");
}

/* ---- loops ---- */

/* A loop that goes on for longer is given up. */
enum { MOST_TRIPS = 1 << 20 };

typedef HTP_VECTOR(htp_operand) operands;

/* A loop under way. */
struct loop {
    const htp_trace_node *node;
    const htp_trace_block *body;
    int64_t trips;         /* at most */
    bool goes_on;          /* the condition */
    uint32_t carried;      /* number of carried values */
    htp_operand *current;  /* of these */
    bool *are_known;       /* likewise */
    operands *rows;        /* of each stack */
    bool *are_rows_known;  /* likewise */
    struct results result; /* of the body */
};

static bool begin_loop(htp_replay_state *state, const htp_trace_node *node, struct loop *loop)
{
    htp_arena *arena = state->replay->means->arena;
    htp_operand limit;
    htp_operand condition;
    const htp_trace_block *body = &state->replay->graph->trace->blocks[node->blocks[0]];
    uint32_t carried = body->input_count > 0 ? body->input_count - 1 : 0;
    uint32_t stacks = body->output_count > carried + 1 ? body->output_count - carried - 1 : 0;
    if (node->input_count != carried + 2 || !htp_replay_read(state, node->inputs[0], &limit) ||
        !htp_replay_read(state, node->inputs[1], &condition)) {
        (void)htp_replay_fails(state, "its limit or condition is not known");
        return false;
    }
    *loop = (struct loop){
        .node = node,
        .body = body,
        .trips = limit.kind == HTP_OPERAND_INT ? limit.as.i : INT64_MAX,
        .goes_on = is_true(&condition),
        .carried = carried,
        .current = HTP_NEW_ARRAY(arena, htp_operand, carried + 1U),
        .are_known = HTP_NEW_ARRAY(arena, bool, carried + 1U),
        .rows = HTP_NEW_ARRAY(arena, operands, stacks + 1U),
        .are_rows_known = HTP_NEW_ARRAY(arena, bool, stacks + 1U),
        .result = new_results(state, node->blocks[0]),
    };
    for (uint32_t i = 0; i < carried; i++) {
        loop->are_known[i] = htp_replay_read(state, node->inputs[i + 2], &loop->current[i]) &&
                             htp_replay_alias(state, &loop->current[i]);
    }
    for (uint32_t i = 0; i < stacks; i++) {
        loop->are_rows_known[i] = true;
    }
    return true;
}

/* One trip. @return false where it is not known whether there is another */
static bool run_trip(htp_replay_state *state, struct loop *loop, int64_t trip)
{
    htp_arena *arena = state->replay->means->arena;
    const htp_operand number = {.kind = HTP_OPERAND_INT, .type = HTP_NONE, .as.i = trip};
    size_t before = state->within.count;
    state->depth++;
    htp_replay_set(state, loop->body->inputs[0], &number);
    for (uint32_t i = 0; i < loop->carried; i++) {
        if (loop->are_known[i]) {
            htp_replay_set(state, loop->body->inputs[i + 1], &loop->current[i]);
        }
    }
    bool all =
        run_body(state, loop->node->blocks[0], loop->result.operands, loop->result.are_known);
    state->depth--;
    for (size_t i = before; i < state->within.count; i++) {
        htp_replay_drop(state, state->within.items[i]);
    }
    state->within.count = before;
    for (uint32_t i = 0; i < loop->carried; i++) {
        loop->current[i] = loop->result.operands[i + 1];
        loop->are_known[i] = loop->result.are_known[i + 1];
    }
    for (uint32_t i = loop->carried + 1; i < loop->body->output_count; i++) {
        uint32_t stack = i - loop->carried - 1;
        loop->are_rows_known[stack] = loop->are_rows_known[stack] && loop->result.are_known[i];
        HTP_PUSH(arena, &loop->rows[stack], loop->result.operands[i]);
    }
    loop->goes_on = loop->result.are_known[0] && is_true(&loop->result.operands[0]);
    return (all && loop->result.are_known[0]) ||
           htp_replay_fails(state, "what its body returns is not known");
}

/* Numbers as tensors of rank 0. */
static bool as_tensors(htp_replay_state *state, operands *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const htp_operand *made = NULL;
        uint32_t count = 0;
        if (rows->items[i].kind == HTP_OPERAND_TENSOR) {
            continue;
        }
        if (state->replay->number == HTP_NONE ||
            !htp_replay_call(state, state->replay->number, &rows->items[i], 1, &made, &count)) {
            return false;
        }
        rows->items[i] = made[0];
    }
    return true;
}

/* No rows: a tensor whose first dim is 0. */
static bool make_empty(htp_replay_state *state, const htp_trace_value *value, htp_operand *stacked)
{
    int64_t dims[HTP_MAX_RANK] = {0};
    uint32_t lane = state->request->lane == HTP_NONE ? 0 : state->request->lane;
    for (uint32_t i = 1; i < value->rank; i++) {
        dims[i] = value->dims[lane][i];
    }
    return htp_replay_tensor(state->replay->means, value, dims, "", 0, stacked);
}

static bool stack(htp_replay_state *state, const htp_trace_value *value, operands *rows,
                  htp_operand *stacked)
{
    const htp_operand list = {.kind = HTP_OPERAND_LIST,
                              .type = HTP_NONE,
                              .count = (uint32_t)rows->count,
                              .as.elements = rows->items};
    if (value->kind == HTP_TRACE_SEQUENCE) { /* tensors of several sizes */
        *stacked = htp_replay_list_new(state, rows->items, (uint32_t)rows->count);
        return true;
    }
    if (value->kind != HTP_TRACE_TENSOR) {
        return false;
    }
    if (rows->count == 0) {
        return make_empty(state, value, stacked);
    }
    const htp_operand inputs[] = {list, {.kind = HTP_OPERAND_INT, .type = HTP_NONE}};
    const htp_operand *made = NULL;
    uint32_t count = 0;
    uint32_t schema = htp_replay_find(state->replay->means, "aten::stack");
    if (!as_tensors(state, rows) || schema == HTP_NONE ||
        !htp_replay_call(state, schema, inputs, 2, &made, &count) || count != 1) {
        return false;
    }
    *stacked = made[0];
    return true;
}

static bool run_loop(htp_replay_state *state, const htp_trace_node *node)
{
    struct loop loop = {.node = node};
    if (!begin_loop(state, node, &loop)) {
        return false;
    }
    bool is_known = true;
    for (int64_t trip = 0; loop.goes_on && trip < loop.trips && is_known && !state->failure;
         trip++) {
        is_known = trip < MOST_TRIPS ? run_trip(state, &loop, trip)
                                     : htp_replay_fails(state, "it does not end");
    }
    for (uint32_t i = 0; is_known && i < node->output_count; i++) {
        htp_value_id output = node->outputs[i];
        bool is_carried = i < loop.carried;
        htp_operand result = is_carried ? loop.current[i] : (htp_operand){.type = HTP_NONE};
        bool is_made = is_carried ? loop.are_known[i] : loop.are_rows_known[i - loop.carried];
        if (is_made && !is_carried) {
            is_made = stack(state, htp_graph_value(state->replay->graph, output),
                            &loop.rows[i - loop.carried], &result);
        }
        if (is_made) {
            htp_replay_set(state, output, &result);
        }
    }
    return is_known;
}

bool htp_replay_control(htp_replay_state *state, const htp_trace_node *node)
{
    return htp_trace_node_runs(node, "prim::If") ? run_branch(state, node) : run_loop(state, node);
}
