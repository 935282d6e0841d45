#include "lower/passes/precompute.h"

#include "base/dtype.h"
#include "interpret/operators/operator_facts.h"
#include "lower/refusal/refusal.h"
#include "replay/operators.h"

enum { MAX_NODES = 1 << 16, MAX_NESTED = 256 };

/* Bytes of all tensors that one export computes of weights alone; what is beyond stays in the
 * model. */
#define MAX_COMPUTED (UINT64_C(1) << 33)

struct htp_precomputer {
    htp_lowering *l;
    htp_arena *arena;
    const htp_program *program;
    const htp_runner *runner;
    htp_replay_means means;
    htp_map checked; /* value -> whether it follows from weights alone */
    htp_map made;    /* value -> its index in operands */
    HTP_VECTOR(htp_operand) operands;
    uint32_t nodes; /* nodes that were run or checked */
    uint32_t depth;
};

typedef htp_precomputer computing;

/* ---- what follows from weights alone ---- */

static bool follows(computing *c, htp_value_id id);

static bool all_follow(computing *c, const htp_value_id *ids, uint32_t count)
{
    bool all = true;
    for (uint32_t i = 0; all && i < count; i++) {
        all = follows(c, ids[i]);
    }
    return all;
}

/* The index of a node's operator among the program's schemas; HTP_NONE if it must not be run. */
static uint32_t find_schema(const computing *c, const htp_trace_node *node)
{
    uint32_t number = htp_replay_find(&c->means, node->kind);
    if (number == HTP_NONE) {
        return HTP_NONE;
    }
    const htp_program_schema *schema = &c->program->schemas[number];
    bool may_run = htp_replay_may_run(schema) && !schema->is_mutable && !schema->is_loaded &&
                   !htp_operator_is_uninitialised(schema->name) &&
                   schema->argument_count == node->input_count;
    return may_run ? number : HTP_NONE;
}

static bool node_follows(computing *c, htp_node_id id)
{
    const htp_trace_node *node = htp_graph_node(c->l->graph, id);
    if (++c->nodes > MAX_NODES || c->depth >= MAX_NESTED || node->failure ||
        node->block_count > 0 || find_schema(c, node) == HTP_NONE) {
        return false;
    }
    c->depth++;
    bool all = all_follow(c, node->inputs, node->input_count);
    c->depth--;
    return all;
}

static bool find_follows(computing *c, const htp_trace_value *value)
{
    switch (value->kind) {
    case HTP_TRACE_NOTHING:
    case HTP_TRACE_STRING:
        return true;
    case HTP_TRACE_INT:
    case HTP_TRACE_FLOAT:
    case HTP_TRACE_BOOL:
        return value->is_constant;
    case HTP_TRACE_LIST:
        return all_follow(c, value->elements, value->element_count);
    case HTP_TRACE_TENSOR:
        return !value->is_quantized &&
               (value->data || value->weight != HTP_NONE ||
                (value->producer != HTP_NONE && node_follows(c, value->producer)));
    default:
        return false;
    }
}

static bool follows(computing *c, htp_value_id id)
{
    uint32_t known = 0;
    if (!htp_map_get_bytes(&c->checked, &id, sizeof(id), &known)) {
        known = find_follows(c, htp_graph_value(c->l->graph, id));
        htp_map_set_bytes(c->arena, &c->checked, &id, sizeof(id), known);
    }
    return known;
}

/* ---- what it is ---- */

static bool compute(computing *c, htp_value_id id, htp_operand *operand);

static bool compute_all(computing *c, const htp_value_id *ids, uint32_t count,
                        htp_operand **operands)
{
    bool all = true;
    *operands = HTP_NEW_ARRAY(c->arena, htp_operand, (size_t)count + 1);
    for (uint32_t i = 0; all && i < count; i++) {
        all = compute(c, ids[i], &(*operands)[i]);
    }
    return all;
}

static void count_bytes(computing *c, const htp_operand *output)
{
    htp_dtype dtype;
    if (output->kind == HTP_OPERAND_TENSOR) {
        const htp_runner_tensor *tensor = output->as.tensor;
        bool is_known = htp_dtype_from_scalar_type(tensor->type, &dtype);
        c->l->precomputed += (uint64_t)tensor->elements * (is_known ? htp_dtype_size(dtype) : 1);
    }
}

/* Runs a node and keeps all its outputs. */
static bool run_node(computing *c, const htp_trace_node *node, const htp_operand **outputs)
{
    htp_operand *inputs = NULL;
    htp_error error;
    uint32_t count = 0;
    uint32_t number = find_schema(c, node);
    if (++c->nodes > MAX_NODES || !compute_all(c, node->inputs, node->input_count, &inputs) ||
        c->l->precomputed > MAX_COMPUTED) {
        return false;
    }
    const htp_program_schema schema = c->program->schemas[number];
    htp_replay_declare_lists(c->means.arena, &schema, inputs, node->input_count);
    return htp_replay_allows(&c->means, number, inputs, node->input_count, &error) &&
           htp_replay_has_run(&c->means,
                              c->runner->run(c->runner->self, number, HTP_RUN_AS_IS, inputs,
                                             node->input_count, outputs, &count, &error)) &&
           count == node->output_count;
}

static void keep(computing *c, htp_value_id id, const htp_operand *operand)
{
    htp_map_set_bytes(c->arena, &c->made, &id, sizeof(id), (uint32_t)c->operands.count);
    HTP_PUSH(c->arena, &c->operands, *operand);
}

/* Keeps an output; of a list, its elements. */
static bool keep_output(computing *c, htp_value_id id, const htp_operand *output)
{
    const htp_trace_value *value = htp_graph_value(c->l->graph, id);
    bool is_list = value->kind == HTP_TRACE_LIST;
    if (is_list && (output->kind != HTP_OPERAND_LIST || output->count != value->element_count)) {
        return false;
    }
    keep(c, id, output);
    for (uint32_t i = 0; is_list && i < value->element_count; i++) {
        keep(c, value->elements[i], &output->as.elements[i]);
    }
    return true;
}

static bool compute_node(computing *c, const htp_trace_node *node)
{
    const htp_operand *outputs = NULL;
    bool is_kept = run_node(c, node, &outputs);
    for (uint32_t i = 0; is_kept && i < node->output_count; i++) {
        count_bytes(c, &outputs[i]);
        is_kept = keep_output(c, node->outputs[i], &outputs[i]);
    }
    return is_kept;
}

static bool compute_plain(computing *c, const htp_trace_value *value, htp_operand *operand)
{
    htp_operand *elements = NULL;
    if (value->kind == HTP_TRACE_LIST) {
        *operand = (htp_operand){
            .kind = HTP_OPERAND_LIST, .type = HTP_NONE, .count = value->element_count};
        bool all = compute_all(c, value->elements, value->element_count, &elements);
        operand->as.elements = elements;
        return all;
    }
    if (value->data) {
        return htp_replay_tensor(&c->means, value, value->dims[0], value->data, value->data_bytes,
                                 operand);
    }
    return value->kind == HTP_TRACE_TENSOR
               ? htp_replay_weight(&c->means, value, HTP_PRECOMPUTE_MAX_BYTES, operand)
               : htp_replay_plain(value, 0, operand);
}

static bool find_made(const computing *c, htp_value_id id, htp_operand *operand)
{
    uint32_t place = 0;
    bool is_made = htp_map_get_bytes(&c->made, &id, sizeof(id), &place) && c->operands.items;
    if (is_made) {
        *operand = c->operands.items[place];
    }
    return is_made;
}

static bool compute(computing *c, htp_value_id id, htp_operand *operand)
{
    if (find_made(c, id, operand)) {
        return true;
    }
    const htp_trace_value *value = htp_graph_value(c->l->graph, id);
    if (value->kind == HTP_TRACE_TENSOR && !value->data && value->weight == HTP_NONE) {
        return compute_node(c, htp_graph_node(c->l->graph, value->producer)) &&
               find_made(c, id, operand);
    }
    bool is_plain = compute_plain(c, value, operand);
    if (is_plain) {
        keep(c, id, operand);
    }
    return is_plain;
}

/* ---- constants ---- */

/* Whether a computed tensor has the value's recorded type. */
static bool is_as_told(const computing *c, htp_value_id id, const htp_operand *operand)
{
    const htp_trace_value *value = htp_graph_value(c->l->graph, id);
    const htp_runner_tensor *tensor = operand->as.tensor;
    htp_dtype dtype = HTP_DTYPE_OTHER;
    bool is_same = operand->kind == HTP_OPERAND_TENSOR &&
                   htp_dtype_from_scalar_type(tensor->type, &dtype) && dtype == value->dtype &&
                   tensor->rank == value->rank;
    for (uint32_t i = 0; is_same && i < value->rank; i++) {
        const htp_dim *dim = &c->l->graph->values[id].dims[i];
        is_same = !dim->symbol && dim->size == tensor->dims[i];
    }
    return is_same;
}

/* The elements of a tensor, which the runner owns. */
static const void *find_contents(computing *c, htp_value_id id, int64_t *dims, size_t *bytes)
{
    htp_operand operand = {.kind = HTP_OPERAND_NONE};
    const htp_trace_value *value = htp_graph_value(c->l->graph, id);
    if (value->kind != HTP_TRACE_TENSOR || !compute(c, id, &operand) ||
        !is_as_told(c, id, &operand)) {
        return NULL;
    }
    for (uint32_t i = 0; i < value->rank; i++) {
        dims[i] = operand.as.tensor->dims[i];
    }
    dims[value->rank] = 2;
    const void *contents = c->runner->contents(c->runner->self, operand.as.tensor, bytes);
    return *bytes <= HTP_PRECOMPUTE_MAX_BYTES ? contents : NULL;
}

/* An output as a constant; complex numbers are pairs. */
static bool make_constant(computing *c, htp_value_id id, htp_tensor_id *constant)
{
    const htp_trace_value *value = htp_graph_value(c->l->graph, id);
    int64_t dims[HTP_MAX_RANK + 1] = {0};
    size_t bytes = 0;
    const void *contents = find_contents(c, id, dims, &bytes);
    if (!contents) {
        return false;
    }
    bool is_complex = htp_dtype_is_complex(value->dtype);
    *constant =
        htp_builder_constant(c->l->model, is_complex ? htp_dtype_real(value->dtype) : value->dtype,
                             value->rank + is_complex, dims, contents);
    return true;
}

static bool bind_constants(computing *c)
{
    const htp_trace_node *node = c->l->node;
    htp_tensor_id *constants = HTP_NEW_ARRAY(c->arena, htp_tensor_id, node->output_count + 1);
    bool all = node_follows(c, c->l->node_id);
    for (uint32_t i = 0; all && i < node->output_count; i++) {
        all = make_constant(c, node->outputs[i], &constants[i]);
    }
    for (uint32_t i = 0; all && i < node->output_count; i++) {
        c->l->bindings[node->outputs[i]].tensor = constants[i];
    }
    return all;
}

htp_precomputer *htp_precompute_begin(htp_lowering *l)
{
    if (!l->means->runner) {
        return NULL;
    }
    computing *c = HTP_NEW(l->arena, computing);
    *c = (computing){
        .l = l, .arena = l->arena, .program = l->means->program, .runner = l->means->runner};
    c->means = (htp_replay_means){
        .arena = l->arena, .model = l->model, .program = c->program, .runner = c->runner};
    return c;
}

bool htp_precompute_follows(htp_precomputer *c, htp_value_id value)
{
    return follows(c, value);
}

/* Releases the results of one value after it. */
static uint64_t begin_computing(computing *c)
{
    uint64_t mark = c->runner->mark(c->runner->self);
    c->runner->begin(c->runner->self);
    return mark;
}

static void end_computing(computing *c, uint64_t mark)
{
    c->runner->end(c->runner->self);
    c->runner->release(c->runner->self, mark);
    c->made = (htp_map){0};
    c->operands.count = 0;
}

const void *htp_precompute_contents(htp_precomputer *c, htp_value_id value, int64_t *dims)
{
    size_t bytes = 0;
    if (!follows(c, value)) {
        return NULL;
    }
    uint64_t mark = begin_computing(c);
    const void *contents = find_contents(c, value, dims, &bytes);
    contents = contents ? htp_arena_copy(c->arena, contents, bytes) : NULL;
    end_computing(c, mark);
    return contents;
}

bool htp_precompute_node(htp_lowering *l)
{
    htp_precomputer *c = htp_refusal_is_of_matrices(l->node->kind) ? htp_precompute_begin(l) : NULL;
    if (!c) {
        return false;
    }
    const char *failure = l->failure;
    l->failure = NULL;
    uint64_t mark = begin_computing(c);
    bool is_computed = bind_constants(c);
    end_computing(c, mark);
    l->failure = is_computed ? NULL : failure;
    return is_computed;
}
