/*
 * The nodes of a graph, one after the other.
 */
#include "replay/replay.h"

#include "replay/run.h"

#include <string.h>

/* ---- preparation ---- */

/* Notes that a node reads a value, and the elements of a list. */
static void note_reader(const htp_replay *replay, htp_value_id id, htp_node_id reader)
{
    if (id == HTP_NONE) {
        return;
    }
    const htp_trace_value *value = htp_graph_value(replay->graph, id);
    replay->last[id] = reader;
    for (uint32_t i = 0; value->kind == HTP_TRACE_LIST && i < value->element_count; i++) {
        note_reader(replay, value->elements[i], reader);
    }
}

/* By node: the node of block 0 that it is, or in whose bodies it lies. Bodies precede their owners,
 * so the last node comes first. */
static htp_node_id *find_tops(const htp_replay *replay)
{
    const htp_graph *graph = replay->graph;
    htp_arena *arena = replay->means->arena;
    htp_node_id *of_block = HTP_NEW_ARRAY(arena, htp_node_id, graph->trace->block_count + 1U);
    htp_node_id *tops = HTP_NEW_ARRAY(arena, htp_node_id, graph->node_count + 1U);
    for (uint32_t n = graph->node_count; n-- > 0;) {
        const htp_trace_node *node = htp_graph_node(graph, n);
        tops[n] = node->block == 0 ? n : of_block[node->block];
        for (uint32_t i = 0; i < node->block_count; i++) {
            of_block[node->blocks[i]] = tops[n];
        }
    }
    return tops;
}

static void find_readers(htp_replay *replay)
{
    const htp_graph *graph = replay->graph;
    const htp_node_id *tops = find_tops(replay);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const htp_trace_node *node = htp_graph_node(graph, n);
        for (uint32_t i = 0; graph->is_live[n] && i < node->input_count; i++) {
            note_reader(replay, node->inputs[i], tops[n]);
        }
        for (uint32_t i = 0; graph->is_live[n] && i < node->block_count; i++) {
            const htp_trace_block *block = &graph->trace->blocks[node->blocks[i]];
            for (uint32_t k = 0; k < block->output_count; k++) {
                note_reader(replay, block->outputs[k], tops[n]);
            }
        }
    }
    for (uint32_t v = 0; v < graph->value_count; v++) {
        if (replay->last[v] != HTP_NONE) {
            HTP_PUSH(replay->means->arena, &replay->dropped[replay->last[v]], v);
        }
    }
}

/* The operator of a node. In-place forms may be the only ones that this libtorch has. */
static uint32_t find_schema(const htp_replay *replay, htp_map *known, const char *kind)
{
    htp_arena *arena = replay->means->arena;
    uint32_t schema = HTP_NONE;
    if (htp_map_get(known, kind, &schema)) {
        return schema;
    }
    schema = htp_replay_find(replay->means, kind);
    if (schema == HTP_NONE) {
        const char *dot = strchr(kind, '.');
        size_t length = dot ? (size_t)(dot - kind) : strlen(kind);
        schema = htp_replay_find(
            replay->means, htp_arena_printf(arena, "%.*s_%s", (int)length, kind, dot ? dot : ""));
    }
    htp_map_set(arena, known, kind, schema);
    return schema;
}

htp_replay *htp_replay_new(htp_replay_means *means, const htp_graph *graph)
{
    htp_arena *arena = means->arena;
    htp_map known = {0};
    htp_replay *replay = HTP_NEW(arena, htp_replay);
    *replay = (htp_replay){
        .means = means,
        .graph = graph,
        .nodes = HTP_NEW_ARRAY(arena, htp_numbers, graph->trace->block_count + 1U),
        .last = HTP_NEW_ARRAY(arena, htp_node_id, graph->value_count + 1U),
        .dropped = HTP_NEW_ARRAY(arena, htp_numbers, graph->node_count + 1U),
        .schemas = HTP_NEW_ARRAY(arena, uint32_t, graph->node_count + 1U),
        .lists = HTP_NEW_ARRAY(arena, uint32_t, graph->node_count + 1U),
        .cast = htp_replay_find(means, "aten::to.dtype"),
        .number = htp_replay_find(means, "prim::NumToTensor.Scalar"),
    };
    memset(replay->last, 0xff, graph->value_count * sizeof(*replay->last));
    find_readers(replay);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const htp_trace_node *node = htp_graph_node(graph, n);
        bool is_control = node->block_count > 0;
        replay->lists[n] = htp_replay_list_row(node->kind);
        replay->schemas[n] = is_control || replay->lists[n] != HTP_NONE
                                 ? HTP_NONE
                                 : find_schema(replay, &known, node->kind);
        if (graph->is_live[n]) {
            HTP_PUSH(arena, &replay->nodes[node->block], n);
        }
    }
    return replay;
}

/* ---- operands of an operator ---- */

/* The operand of a node for an argument of the schema. Those that are missing are None. */
static bool read_argument(htp_replay_state *state, const htp_trace_node *node,
                          const htp_program_schema *schema, uint32_t index, htp_operand *operand)
{
    const char *argument = schema->arguments[index].name;
    *operand = (htp_operand){.type = HTP_NONE};
    if (htp_replay_is_packed(schema->name, argument)) {
        return htp_replay_pack(state, node, schema->name, argument, operand);
    }
    if (node->input_count == schema->argument_count) {
        return htp_replay_read(state, node->inputs[index], operand);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (strcmp(node->input_names[i], argument) == 0) {
            return htp_replay_read(state, node->inputs[i], operand);
        }
    }
    return true;
}

static const htp_program_type *type_of(const htp_program *program, uint32_t number)
{
    const htp_program_type *type = number == HTP_NONE ? NULL : &program->types[number];
    return type && type->kind == HTP_TYPE_OPTIONAL ? type_of(program, type->parts[0]) : type;
}

/* Converts numbers as Python does: to a float, to a tensor. */
static bool convert_number(htp_replay_state *state, const htp_program_argument *argument,
                           htp_operand *operand)
{
    const htp_program_type *type = type_of(state->replay->means->program, argument->type);
    bool is_int = operand->kind == HTP_OPERAND_INT;
    bool is_number =
        is_int || operand->kind == HTP_OPERAND_FLOAT || operand->kind == HTP_OPERAND_BOOL;
    if (type && type->kind == HTP_TYPE_FLOAT && is_int) {
        *operand = (htp_operand){
            .kind = HTP_OPERAND_FLOAT, .type = HTP_NONE, .as.f = (double)operand->as.i};
    }
    if (!type || type->kind != HTP_TYPE_TENSOR || !is_number || state->replay->number == HTP_NONE) {
        return true;
    }
    const htp_operand *made = NULL;
    uint32_t count = 0;
    bool is_made = htp_replay_call(state, state->replay->number, operand, 1, &made, &count);
    if (is_made && count == 1) {
        *operand = made[0];
    }
    return is_made;
}

/* In double precision, what asks for a narrower type gets that. */
static void widen_dtype(const htp_replay_state *state, const htp_program_argument *argument,
                        htp_operand *operand)
{
    bool is_dtype =
        strcmp(argument->name, "dtype") == 0 || strcmp(argument->name, "out_dtype") == 0;
    bool is_narrow = operand->kind == HTP_OPERAND_INT &&
                     (operand->as.i == HTP_SCALAR_HALF || operand->as.i == HTP_SCALAR_FLOAT ||
                      operand->as.i == HTP_SCALAR_BFLOAT16);
    if (state->request->is_double && is_dtype && is_narrow) {
        operand->as.i = HTP_SCALAR_DOUBLE;
    }
}

/* Statistics that norms in training mode update in place. The record of such a node has them as
 * its last outputs, beyond those of its schema, which need not say that they are written. */
static const char *const statistics[] = {"running_mean", "running_var"};

enum { STATISTICS = sizeof(statistics) / sizeof(statistics[0]) };

static bool moves_statistics(const htp_trace_node *node, const htp_program_schema *schema)
{
    return node->output_count == schema->return_count + STATISTICS;
}

static bool is_statistic(const htp_program_argument *argument)
{
    return strcmp(argument->name, statistics[0]) == 0 || strcmp(argument->name, statistics[1]) == 0;
}

/* An operand that the operator writes to is a copy. */
static bool copy_written(htp_replay_state *state, const htp_program_argument *argument, bool moves,
                         htp_operand *operand)
{
    const htp_replay_means *means = state->replay->means;
    htp_error error = {{0}};
    bool is_written = argument->is_written || (moves && is_statistic(argument));
    if (!is_written || operand->kind != HTP_OPERAND_TENSOR) {
        return true;
    }
    const htp_making making = {.way = HTP_MAKE_COPY, .of = operand->as.tensor};
    return htp_replay_has_run(means, means->runner->make(means->runner->self, &making,
                                                         &operand->as.tensor, &error)) ||
           htp_replay_fails(state, error.message);
}

static bool read_arguments(htp_replay_state *state, const htp_trace_node *node,
                           const htp_program_schema *schema, htp_operand *inputs)
{
    const bool moves = moves_statistics(node, schema);
    for (uint32_t i = 0; i < schema->argument_count; i++) {
        const htp_program_argument *argument = &schema->arguments[i];
        if (!read_argument(state, node, schema, i, &inputs[i])) {
            return htp_replay_fails(state, "what it reads is not known");
        }
        if (!convert_number(state, argument, &inputs[i]) ||
            !copy_written(state, argument, moves, &inputs[i])) {
            return false;
        }
        widen_dtype(state, argument, &inputs[i]);
    }
    return true;
}

/* ---- nodes ---- */

/* Sets the last outputs of a norm to the statistics that it has updated. */
static void set_statistics(htp_replay_state *state, const htp_trace_node *node,
                           const htp_program_schema *schema, const htp_operand *inputs)
{
    for (uint32_t i = 0; i < schema->argument_count; i++) {
        for (uint32_t s = 0; s < STATISTICS; s++) {
            if (strcmp(schema->arguments[i].name, statistics[s]) == 0) {
                htp_replay_set(state, node->outputs[schema->return_count + s], &inputs[i]);
            }
        }
    }
}

static void set_outputs(htp_replay_state *state, const htp_trace_node *node,
                        const htp_operand *outputs, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < node->output_count; i++) {
        const htp_trace_value *value = htp_graph_value(state->replay->graph, node->outputs[i]);
        htp_operand made = outputs[i];
        if (value->kind == HTP_TRACE_SEQUENCE && made.kind == HTP_OPERAND_LIST) {
            made = htp_replay_list_new(state, made.as.elements, made.count);
        }
        htp_replay_set(state, node->outputs[i], &made);
    }
}

static bool run_operator(htp_replay_state *state, htp_node_id id, const htp_trace_node *node)
{
    const htp_replay_means *means = state->replay->means;
    uint32_t number = state->replay->schemas[id];
    if (state->replay->lists[id] != HTP_NONE) {
        return htp_replay_list_run(state, state->replay->lists[id], node);
    }
    if (number == HTP_NONE) {
        return htp_replay_fails(state, "this libtorch does not have it");
    }
    const htp_program_schema schema = means->program->schemas[number];
    htp_operand *inputs =
        HTP_NEW_ARRAY(means->arena, htp_operand, (size_t)schema.argument_count + 1);
    htp_error error = {{0}};
    const htp_operand *outputs = NULL;
    uint32_t count = 0;
    if (!htp_replay_may_run(&schema)) {
        return htp_replay_fails(state, "it is not run on contents from a file");
    }
    if (!read_arguments(state, node, &schema, inputs)) {
        return false;
    }
    htp_replay_declare_lists(means->arena, &schema, inputs, schema.argument_count);
    if (!htp_replay_allows(means, number, inputs, schema.argument_count, &error)) {
        return htp_replay_fails(state, error.message);
    }
    if (!htp_replay_call(state, number, inputs, schema.argument_count, &outputs, &count)) {
        return false;
    }
    set_outputs(state, node, outputs, count);
    if (moves_statistics(node, &schema)) {
        set_statistics(state, node, &schema, inputs);
    }
    return true;
}

static void note_gap(htp_replay_state *state, htp_node_id id)
{
    if (state->gap->count++ == 0) {
        state->gap->node = id;
        state->gap->reason = htp_arena_strdup(state->replay->means->arena, state->reason.message);
    }
}

/* Frees what node @p id of block 0 was the last to read, and what nobody reads. */
static void drop_read(htp_replay_state *state, htp_node_id id, const htp_trace_node *node)
{
    const htp_numbers *dropped = &state->replay->dropped[id];
    for (size_t i = 0; i < dropped->count; i++) {
        htp_replay_drop(state, dropped->items[i]);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        htp_value_id made = node->outputs[i];
        if (made != HTP_NONE && state->replay->last[made] == HTP_NONE) {
            htp_replay_drop(state, made);
        }
    }
}

void htp_replay_block(htp_replay_state *state, uint32_t block)
{
    const htp_numbers *nodes = &state->replay->nodes[block];
    for (size_t i = 0; i < nodes->count && !state->failure; i++) {
        const htp_trace_node *node = htp_graph_node(state->replay->graph, nodes->items[i]);
        bool has_run = node->block_count > 0 ? htp_replay_control(state, node)
                                             : run_operator(state, nodes->items[i], node);
        if (!has_run) {
            note_gap(state, nodes->items[i]);
        }
        if (block == 0) {
            drop_read(state, nodes->items[i], node);
        }
    }
}

/* Makes the inputs and states. */
static void set_given(htp_replay_state *state)
{
    const htp_graph *graph = state->replay->graph;
    for (uint32_t v = 0; v < graph->value_count; v++) {
        const htp_replay_array *given = &state->request->given[v];
        const htp_trace_value *value = htp_graph_value(graph, v);
        htp_operand operand = {.kind = HTP_OPERAND_NONE, .type = HTP_NONE};
        if (!given->bytes) {
            continue;
        }
        if (value->kind == HTP_TRACE_INT) {
            operand.kind = HTP_OPERAND_INT;
            memcpy(&operand.as.i, given->bytes, sizeof(operand.as.i));
        } else if (value->kind == HTP_TRACE_BOOL) {
            operand.kind = HTP_OPERAND_BOOL;
            operand.as.b = *(const unsigned char *)given->bytes != 0;
        } else if (value->kind == HTP_TRACE_FLOAT) {
            operand.kind = HTP_OPERAND_FLOAT;
            memcpy(&operand.as.f, given->bytes, sizeof(operand.as.f));
        } else if (!htp_replay_tensor(state->replay->means, value, given->dims, given->bytes,
                                      given->count, &operand)) {
            continue;
        }
        htp_replay_set(state, v, &operand);
    }
}

/* Hands over what is wanted and no operator makes: weights, and what was computed at export. */
static void hand_over_known(htp_replay_state *state)
{
    const htp_graph *graph = state->replay->graph;
    for (uint32_t v = 0; v < graph->value_count; v++) {
        htp_operand operand = {.kind = HTP_OPERAND_NONE, .type = HTP_NONE};
        if (state->request->is_wanted[v] && !htp_graph_is_computed(graph, v) &&
            htp_replay_read(state, v, &operand)) {
            htp_replay_set(state, v, &operand);
        }
    }
}

htp_status htp_replay_run(htp_replay *replay, const htp_replay_request *request,
                          htp_replay_gap *gap)
{
    const htp_runner *runner = replay->means->runner;
    const uint32_t count = replay->graph->value_count + 1U;
    htp_replay_state state = {
        .replay = replay,
        .request = request,
        .operands = HTP_NEW_ARRAY(replay->means->arena, htp_operand, count),
        .is_made = HTP_NEW_ARRAY(replay->means->arena, bool, count),
        .gap = gap,
    };
    *gap = (htp_replay_gap){.node = HTP_NONE};
    uint64_t mark = runner->mark(runner->self);
    runner->begin(runner->self);
    set_given(&state);
    hand_over_known(&state);
    htp_replay_block(&state, 0);
    const bool lacks_memory = runner->lacks_memory(runner->self);
    runner->end(runner->self);
    runner->release(runner->self, mark);
    if (lacks_memory && !state.failure) { /* the numbers may be those of several threads */
        htp_arena_exhaust(replay->means->arena);
    }
    return state.failure;
}
