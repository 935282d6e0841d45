#include "exported/call/blocks.h"

#include "base/numbers.h"
#include "exported/call/nodes.h"

#include <string.h>

/* ---- arguments ---- */

/* Reads arguments as values of the trace, flattening lists. */
static void read_arguments(htp_tape *r, const htp_exported_argument *arguments, uint32_t count,
                           htp_numbers *values)
{
    htp_exported_arguments list = {0};
    htp_exported_nodes_flatten(r, arguments, count, &list);
    for (size_t i = 0; i < list.count; i++) {
        HTP_PUSH(r->arena, values, htp_exported_nodes_argument(r, list.items[i]));
    }
}

/* Argument @p index as a graph, or NULL. */
static const htp_exported_graph *graph_at(const htp_tape *r, const htp_exported_node *node,
                                          uint32_t index)
{
    bool is_graph = index < node->input_count && node->inputs[index].kind == HTP_EXPORTED_GRAPH;
    return is_graph ? &r->program->graphs.items[node->inputs[index].graph] : NULL;
}

/* The values in argument @p index, a list. */
static htp_numbers list_at(htp_tape *r, const htp_exported_node *node, uint32_t index)
{
    htp_numbers values = {0};
    if (index < node->input_count) {
        read_arguments(r, &node->inputs[index], 1, &values);
    }
    return values;
}

/* How many values arguments are, with those in lists. */
static size_t count_values(htp_tape *r, const htp_exported_argument *arguments, uint32_t count)
{
    htp_exported_arguments list = {0};
    htp_exported_nodes_flatten(r, arguments, count, &list);
    return list.count;
}

/* Whether a graph returns so many values. Asked before a block begins. */
static bool returns(htp_tape *r, const htp_exported_graph *graph, size_t count)
{
    return count_values(r, graph->outputs, graph->output_count) == count;
}

/* ---- blocks ---- */

/* A block under construction. */
struct block {
    uint32_t index;
    uint32_t around;
    htp_numbers inputs;
    htp_numbers outputs;
};

static struct block begin_block(htp_tape *r)
{
    struct block block = {.index = (uint32_t)r->blocks.count, .around = r->block};
    HTP_PUSH(r->arena, &r->blocks, (htp_trace_block){.inputs = NULL});
    r->block = block.index;
    return block;
}

static void end_block(htp_tape *r, const struct block *block)
{
    r->blocks.items[block->index] =
        (htp_trace_block){.inputs = block->inputs.items,
                          .input_count = (uint32_t)block->inputs.count,
                          .outputs = block->outputs.items,
                          .output_count = (uint32_t)block->outputs.count};
    r->block = block->around;
}

/* Binds an input of a graph to a value. */
static void bind_input(htp_tape *r, const htp_exported_argument *input, uint32_t value)
{
    if (input->kind == HTP_EXPORTED_VALUE) {
        r->bound[input->value] = value;
    }
}

/* Adds the nodes of a graph with bound inputs. */
static void run_graph(htp_tape *r, const htp_exported_graph *graph, const htp_numbers *given)
{
    for (uint32_t i = 0; i < graph->input_count; i++) {
        bind_input(r, &graph->inputs[i], given->items[i]);
    }
    htp_exported_nodes_add(r, graph);
}

/* A parameter of a block, of the type of the graph's input. */
static uint32_t add_input(htp_tape *r, struct block *block, const htp_exported_argument *input)
{
    uint32_t value = input->kind == HTP_EXPORTED_VALUE
                         ? htp_tape_described(r, &r->program->values.items[input->value], HTP_NONE)
                         : htp_exported_nodes_argument(r, input);
    HTP_PUSH(r->arena, &block->inputs, value);
    return value;
}

/* The iteration number, which is unknown. */
static uint32_t add_iteration(htp_tape *r, struct block *block)
{
    uint32_t value = htp_tape_add(
        r, (htp_trace_value){
               .kind = HTP_TRACE_INT, .name = "i", .producer = HTP_NONE, .weight = HTP_NONE});
    HTP_PUSH(r->arena, &block->inputs, value);
    return value;
}

/* A condition as a bool; it may be a tensor. */
static uint32_t add_truth(htp_tape *r, uint32_t condition)
{
    static const char *const names[] = {"a"};
    if (r->values.items[condition].kind != HTP_TRACE_TENSOR) {
        return condition;
    }
    uint32_t *inputs = HTP_NEW_ARRAY(r->arena, uint32_t, 1);
    inputs[0] = condition;
    uint32_t node = htp_tape_node(r, "aten::Bool.Tensor", inputs, names, 1);
    uint32_t truth = htp_tape_add(
        r, (htp_trace_value){
               .kind = HTP_TRACE_BOOL, .name = "", .producer = node, .weight = HTP_NONE});
    htp_tape_gives(r, node, &truth, 1);
    return truth;
}

/* Adds a control flow operator; its outputs are those of the program's node. */
static void add_operator(htp_tape *r, const char *kind, const htp_numbers *inputs,
                         const struct block *blocks, uint32_t block_count,
                         const htp_exported_node *node)
{
    htp_exported_arguments wanted = {0};
    htp_numbers outputs = {0};
    htp_exported_nodes_flatten(r, node->outputs, node->output_count, &wanted);
    const char **names = HTP_NEW_ARRAY(r->arena, const char *, inputs->count + 1);
    uint32_t *numbers = HTP_NEW_ARRAY(r->arena, uint32_t, block_count);
    for (size_t i = 0; i < inputs->count; i++) {
        names[i] = "";
    }
    uint32_t made = htp_tape_node(r, kind, inputs->items, names, (uint32_t)inputs->count);
    for (uint32_t i = 0; i < block_count; i++) {
        numbers[i] = blocks[i].index;
    }
    r->nodes.items[made].blocks = numbers;
    r->nodes.items[made].block_count = block_count;
    for (size_t i = 0; i < wanted.count; i++) {
        bool is_value = wanted.items[i]->kind == HTP_EXPORTED_VALUE;
        uint32_t value =
            is_value
                ? htp_tape_described(r, &r->program->values.items[wanted.items[i]->value], made)
                : htp_tape_none(r);
        bind_input(r, wanted.items[i], value);
        HTP_PUSH(r->arena, &outputs, value);
    }
    htp_tape_gives(r, made, outputs.items, (uint32_t)outputs.count);
}

/* ---- branches ---- */

bool htp_blocks_add_cond(htp_tape *r, const htp_exported_node *node)
{
    const htp_exported_graph *graphs[] = {graph_at(r, node, 1), graph_at(r, node, 2)};
    const htp_numbers operands = list_at(r, node, 3);
    const size_t wanted = count_values(r, node->outputs, node->output_count);
    struct block blocks[2];
    htp_numbers inputs = {0};
    if (!graphs[0] || !graphs[1] || graphs[0]->input_count != operands.count ||
        graphs[1]->input_count != operands.count || !returns(r, graphs[0], wanted) ||
        !returns(r, graphs[1], wanted)) {
        return false;
    }
    HTP_PUSH(r->arena, &inputs, add_truth(r, htp_exported_nodes_argument(r, &node->inputs[0])));
    for (uint32_t i = 0; i < 2; i++) {
        blocks[i] = begin_block(r);
        run_graph(r, graphs[i], &operands);
        read_arguments(r, graphs[i]->outputs, graphs[i]->output_count, &blocks[i].outputs);
        end_block(r, &blocks[i]);
    }
    add_operator(r, "prim::If", &inputs, blocks, 2, node);
    return true;
}

/* ---- loops ---- */

/* Concatenates two lists of values. */
static htp_numbers join(htp_tape *r, const htp_numbers *first, const htp_numbers *second)
{
    htp_numbers both = {0};
    for (size_t i = 0; i < first->count; i++) {
        HTP_PUSH(r->arena, &both, first->items[i]);
    }
    for (size_t i = 0; i < second->count; i++) {
        HTP_PUSH(r->arena, &both, second->items[i]);
    }
    return both;
}

/* Adds the condition of a loop for these values to the tape's current block. */
static uint32_t run_condition(htp_tape *r, const htp_exported_graph *graph,
                              const htp_numbers *carried, const htp_numbers *others)
{
    const htp_numbers given = join(r, carried, others);
    run_graph(r, graph, &given);
    return add_truth(r, htp_exported_nodes_argument(r, &graph->outputs[0]));
}

bool htp_blocks_add_while(htp_tape *r, const htp_exported_node *node)
{
    const htp_exported_graph *condition = graph_at(r, node, 0);
    const htp_exported_graph *body = graph_at(r, node, 1);
    const htp_numbers carried = list_at(r, node, 2);
    const htp_numbers others = list_at(r, node, 3);
    size_t count = carried.count + others.count;
    if (!condition || !body || condition->input_count != count || body->input_count != count ||
        condition->output_count != 1 || !returns(r, body, carried.count) ||
        count_values(r, node->outputs, node->output_count) != carried.count) {
        return false;
    }
    htp_numbers inputs = {0};
    htp_numbers within = {0};
    htp_numbers left = {0};
    HTP_PUSH(r->arena, &inputs, htp_tape_none(r));
    HTP_PUSH(r->arena, &inputs, run_condition(r, condition, &carried, &others));
    inputs = join(r, &inputs, &carried);
    struct block block = begin_block(r);
    (void)add_iteration(r, &block);
    for (size_t i = 0; i < carried.count; i++) {
        HTP_PUSH(r->arena, &within, add_input(r, &block, &body->inputs[i]));
    }
    const htp_numbers given = join(r, &within, &others);
    run_graph(r, body, &given);
    read_arguments(r, body->outputs, body->output_count, &left);
    HTP_PUSH(r->arena, &block.outputs, run_condition(r, condition, &left, &others));
    block.outputs = join(r, &block.outputs, &left);
    end_block(r, &block);
    add_operator(r, "prim::Loop", &inputs, &block, 1, node);
    return true;
}

/* The size of a tensor's first dim. */
static uint32_t add_length(htp_tape *r, const htp_exported_argument *tensor, uint32_t value)
{
    static const char *const names[] = {"self", "dim"};
    const htp_exported_value number = {
        .name = "",
        .kind = HTP_TRACE_INT,
        .number = r->program->values.items[tensor->value].sizes[0],
    };
    uint32_t *inputs = HTP_NEW_ARRAY(r->arena, uint32_t, 2);
    inputs[0] = value;
    inputs[1] = htp_tape_integer(r, 0);
    if (htp_tape_is_fixed(r, &number.number)) {
        return htp_tape_described(r, &number, HTP_NONE);
    }
    uint32_t node = htp_tape_node(r, "aten::size.int", inputs, names, 2);
    uint32_t length = htp_tape_described(r, &number, node);
    htp_tape_gives(r, node, &length, 1);
    return length;
}

/* The row of a stack in an iteration, typed like the input of a graph. */
static uint32_t add_row(htp_tape *r, uint32_t stack, uint32_t iteration,
                        const htp_exported_argument *input)
{
    static const char *const names[] = {"self", "dim", "index"};
    uint32_t *inputs = HTP_NEW_ARRAY(r->arena, uint32_t, 3);
    inputs[0] = stack;
    inputs[1] = htp_tape_integer(r, 0);
    inputs[2] = iteration;
    uint32_t node = htp_tape_node(r, "aten::select.int", inputs, names, 3);
    uint32_t row = htp_tape_described(r, &r->program->values.items[input->value], node);
    htp_tape_gives(r, node, &row, 1);
    return row;
}

/* The first element of argument @p index, if it is a list of tensors with dims. */
static const htp_exported_argument *first_stack(htp_tape *r, const htp_exported_node *node,
                                                uint32_t index)
{
    htp_exported_arguments list = {0};
    if (index < node->input_count) {
        htp_exported_nodes_flatten(r, &node->inputs[index], 1, &list);
    }
    const htp_exported_argument *first = list.count > 0 ? list.items[0] : NULL;
    bool has_rows = first && first->kind == HTP_EXPORTED_VALUE &&
                    r->program->values.items[first->value].kind == HTP_TRACE_TENSOR &&
                    r->program->values.items[first->value].rank > 0;
    return has_rows ? first : NULL;
}

/* Whether a graph takes one row per stack after the carried values. */
static bool takes_rows(const htp_exported_graph *graph, size_t carried, size_t stacks)
{
    bool takes = true;
    for (size_t i = carried; i < carried + stacks; i++) {
        takes = takes && graph->inputs[i].kind == HTP_EXPORTED_VALUE;
    }
    return takes;
}

/* A loop over rows. @param first  index of the argument with the stacks */
static bool add_rows(htp_tape *r, const htp_exported_node *node, const htp_numbers *carried,
                     uint32_t first)
{
    const htp_exported_graph *graph = graph_at(r, node, 0);
    const htp_exported_argument *stack = first_stack(r, node, first);
    const htp_numbers stacks = list_at(r, node, first);
    const htp_numbers others = list_at(r, node, first + 1);
    const size_t wanted = count_values(r, node->outputs, node->output_count);
    if (!graph || !stack || graph->input_count != carried->count + stacks.count + others.count ||
        !takes_rows(graph, carried->count, stacks.count) || wanted < carried->count ||
        !returns(r, graph, wanted)) {
        return false;
    }
    htp_numbers inputs = {0};
    htp_numbers given = {0};
    HTP_PUSH(r->arena, &inputs, add_length(r, stack, stacks.items[0]));
    HTP_PUSH(r->arena, &inputs, htp_tape_truth(r, true));
    inputs = join(r, &inputs, carried);
    struct block block = begin_block(r);
    uint32_t iteration = add_iteration(r, &block);
    for (size_t i = 0; i < carried->count; i++) {
        HTP_PUSH(r->arena, &given, add_input(r, &block, &graph->inputs[i]));
    }
    for (size_t i = 0; i < stacks.count; i++) {
        const htp_exported_argument *row = &graph->inputs[carried->count + i];
        HTP_PUSH(r->arena, &given, add_row(r, stacks.items[i], iteration, row));
    }
    given = join(r, &given, &others);
    run_graph(r, graph, &given);
    HTP_PUSH(r->arena, &block.outputs, htp_tape_truth(r, true));
    read_arguments(r, graph->outputs, graph->output_count, &block.outputs);
    end_block(r, &block);
    add_operator(r, "prim::Loop", &inputs, &block, 1, node);
    return true;
}

bool htp_blocks_add_scan(htp_tape *r, const htp_exported_node *node)
{
    const htp_numbers carried = list_at(r, node, 1);
    return add_rows(r, node, &carried, 2);
}

bool htp_blocks_add_map(htp_tape *r, const htp_exported_node *node)
{
    const htp_numbers carried = {0};
    return add_rows(r, node, &carried, 1);
}
