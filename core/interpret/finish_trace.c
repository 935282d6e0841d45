/*
 * Turns a finished recording into a trace: plain data, without types of the machine.
 */
#include "interpret/method.h"

#include "base/dtype.h"

#include <string.h>

/* Slots of a cache of texts by address: recurring texts are mostly one string. */
enum { KNOWN_TEXTS = 512 };

typedef struct finishing {
    htp_machine *m;
    htp_arena *arena; /* of the trace */
    struct {
        const char *text;
        const char *copy;
    } known[KNOWN_TEXTS];
} finishing;

static const char *keep_text(finishing *h, const char *text)
{
    if (!text || !*text) {
        return text ? "" : NULL;
    }
    const size_t place = ((uintptr_t)text >> 3 ^ (uintptr_t)text >> 12) % KNOWN_TEXTS;
    if (h->known[place].text != text) {
        h->known[place].text = text;
        h->known[place].copy = htp_arena_strdup(h->arena, text);
    }
    return h->known[place].copy;
}

static const char *const *keep_texts(finishing *h, const char *const *texts, uint32_t count)
{
    const char **kept = HTP_NEW_ARRAY(h->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = keep_text(h, texts[i]);
    }
    return kept;
}

static const uint32_t *keep_numbers(finishing *h, const uint32_t *numbers, size_t count)
{
    return htp_arena_grow(h->arena, numbers, count, count, sizeof(*numbers));
}

/* ---- values ---- */

static htp_outcome describe_tensor(finishing *h, const htp_item *item, htp_trace_value *value)
{
    htp_machine *m = h->m;
    const htp_runner_tensor *first = htp_tensor_in(item, 0);
    if (first->rank > HTP_MAX_RANK) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "a list holds tensors of more than %u dims",
                                HTP_MAX_RANK - 1);
    }
    value->kind = item->is_sequence ? HTP_TRACE_SEQUENCE : HTP_TRACE_TENSOR;
    value->absent = item->absent;
    value->varying = item->varying;
    value->device = keep_text(h, item->device);
    value->dtype = HTP_DTYPE_OTHER;
    (void)htp_dtype_from_scalar_type(first->type, &value->dtype);
    value->rank = first->rank;
    value->weight = item->weight;
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        value->dims[lane] = htp_tensor_in(item, lane)->dims; /* owned by the runner */
    }
    if (item->known == HTP_KNOWN_CONSTANT) {
        value->data = item->contents; /* owned by the runner, too */
        value->data_bytes = item->content_bytes;
    }
    if (item->levels) {
        value->is_quantized = true;
        value->scale = item->levels->scale->id;
        value->zero_point = item->levels->zero_point->id;
        value->axis = item->levels->axis;
    }
    return HTP_GOES_ON;
}

static htp_trace_kind plain_kind(htp_operand_kind kind)
{
    switch (kind) {
    case HTP_OPERAND_NONE:
        return HTP_TRACE_NOTHING;
    case HTP_OPERAND_INT:
        return HTP_TRACE_INT;
    case HTP_OPERAND_FLOAT:
        return HTP_TRACE_FLOAT;
    case HTP_OPERAND_BOOL:
        return HTP_TRACE_BOOL;
    case HTP_OPERAND_STRING:
        return HTP_TRACE_STRING;
    default:
        return HTP_TRACE_OPAQUE;
    }
}

/* Describes a value that only the runner can read: a complex number if a tensor can be made of it,
 * which has its parts. */
static void describe_other(finishing *h, const htp_item *item, htp_trace_value *value)
{
    const htp_operand inputs[] = {item->lane[0],
                                  {.kind = HTP_OPERAND_INT, .as.i = HTP_SCALAR_COMPLEX_DOUBLE},
                                  {.kind = HTP_OPERAND_NONE},
                                  {.kind = HTP_OPERAND_NONE},
                                  {.kind = HTP_OPERAND_NONE}};
    const htp_runner *runner = h->m->runner;
    const htp_operand *made = NULL;
    uint32_t count = 0;
    htp_error unused;
    uint32_t schema = runner->find(runner->self, "aten::scalar_tensor", "");
    if (schema == HTP_NONE || runner->run(runner->self, schema, HTP_RUN_AS_IS, inputs, 5, &made,
                                          &count, &unused) != HTP_RUN_OK) {
        return;
    }
    size_t bytes = 0;
    const void *parts = runner->contents(runner->self, made[0].as.tensor, &bytes);
    value->kind = HTP_TRACE_COMPLEX;
    value->dtype = HTP_DTYPE_COMPLEX128;
    if (parts && htp_is_constant(item)) {
        value->data = htp_arena_copy(h->arena, parts, bytes);
        value->data_bytes = bytes;
    }
}

static void describe_plain(finishing *h, const htp_item *item, htp_trace_value *value)
{
    value->kind = plain_kind(item->lane[0].kind);
    if (item->lane[0].kind == HTP_OPERAND_OTHER) {
        describe_other(h, item, value);
    }
    for (uint32_t lane = 0; lane < h->m->lane_count; lane++) {
        const htp_operand *seen = &item->lane[lane];
        value->i[lane] = seen->kind == HTP_OPERAND_INT    ? seen->as.i
                         : seen->kind == HTP_OPERAND_BOOL ? seen->as.b
                                                          : 0;
        value->f[lane] = seen->kind == HTP_OPERAND_FLOAT ? seen->as.f : 0.0;
    }
    if (item->lane[0].kind == HTP_OPERAND_DEVICE) {
        value->device = keep_text(h, item->lane[0].as.text);
    }
    if (value->kind == HTP_TRACE_STRING) {
        value->s_bytes = item->lane[0].bytes;
        value->s = htp_arena_copy(h->arena, item->lane[0].as.text, value->s_bytes);
    }
}

/* For a dict, its values. */
static void describe_container(finishing *h, const htp_item *item, htp_trace_value *value)
{
    size_t step = item->kind == HTP_ITEM_DICT ? 2 : 1;
    uint32_t *ids = HTP_NEW_ARRAY(h->arena, uint32_t, item->elements.count);
    uint32_t count = 0;
    for (size_t i = step - 1; i < item->elements.count; i += step) {
        ids[count++] = item->elements.items[i]->id;
    }
    value->kind = HTP_TRACE_LIST;
    value->elements = ids;
    value->element_count = count;
}

static htp_outcome describe_item(finishing *h, const htp_item *item, htp_trace_value *value)
{
    *value = (htp_trace_value){
        .name = keep_text(h, item->name),
        .producer = item->producer,
        .weight = HTP_NONE,
        .is_constant = htp_is_constant(item),
        .has_lanes = htp_has_lanes(item),
    };
    switch (item->kind) {
    case HTP_ITEM_TENSOR:
        if (htp_item_is_made(h->m, item)) {
            return describe_tensor(h, item, value);
        }
        value->kind = HTP_TRACE_UNKNOWN;
        break;
    case HTP_ITEM_PLAIN:
        describe_plain(h, item, value);
        break;
    case HTP_ITEM_OBJECT:
        value->kind = HTP_TRACE_OPAQUE;
        break;
    case HTP_ITEM_UNKNOWN:
        value->kind = HTP_TRACE_UNKNOWN;
        break;
    default:
        describe_container(h, item, value);
    }
    return HTP_GOES_ON;
}

static htp_outcome list_values(finishing *h, htp_trace *trace)
{
    const htp_machine *m = h->m;
    htp_trace_value *values = HTP_NEW_ARRAY(h->arena, htp_trace_value, m->recording.items.count);
    for (size_t i = 0; i < m->recording.items.count; i++) {
        HTP_DO(describe_item(h, m->recording.items.items[i], &values[i]));
    }
    trace->values = values;
    trace->value_count = (uint32_t)m->recording.items.count;
    return HTP_GOES_ON;
}

/* ---- nodes ---- */

/* A type in the syntax of schemas: "Tensor?", "int[]". */
static const char *schema_text(finishing *h, uint32_t number)
{
    const htp_program_type *type = &h->m->program->types[number];
    switch (type->kind) {
    case HTP_TYPE_LIST:
        return htp_arena_printf(h->arena, "%s[]", schema_text(h, type->parts[0]));
    case HTP_TYPE_OPTIONAL:
        return htp_arena_printf(h->arena, "%s?", schema_text(h, type->parts[0]));
    case HTP_TYPE_NUMBER:
        return "Scalar";
    default:
        return type->text;
    }
}

/* Input types of an operator of a loaded library; otherwise NULL. */
static const char *const *input_types(finishing *h, const htp_recorded_node *node)
{
    const htp_machine *m = h->m;
    if (node->schema == HTP_NONE || !m->program->schemas[node->schema].is_loaded) {
        return NULL;
    }
    const htp_program_schema *schema = &m->program->schemas[node->schema];
    const char **types = HTP_NEW_ARRAY(h->arena, const char *, node->input_count);
    for (uint32_t i = 0; i < node->input_count; i++) {
        types[i] = i < schema->argument_count ? schema_text(h, schema->arguments[i].type) : "";
    }
    return types;
}

/* Texts of places. */
static const char *source_text(const htp_machine *m, const htp_place *place)
{
    return place->node == HTP_NONE
               ? NULL
               : m->places->find_text(m->places->self, place->function, place->node);
}

static htp_trace_node describe_node(finishing *h, const htp_recorded_node *node)
{
    return (htp_trace_node){
        .kind = keep_text(h, node->kind),
        .inputs = keep_numbers(h, node->inputs, node->input_count),
        .input_names = keep_texts(h, node->input_names, node->input_count),
        .input_types = input_types(h, node),
        .input_count = node->input_count,
        .outputs = keep_numbers(h, node->outputs, node->output_count),
        .output_count = node->output_count,
        .block = node->block,
        .blocks = keep_numbers(h, node->blocks, node->block_count),
        .block_count = node->block_count,
        .scope = node->place.scope,
        .source_file = node->place.file ? keep_text(h, node->place.file) : "",
        .source_line = node->place.line,
        .source_text = source_text(h->m, &node->place),
        .function = keep_text(h, node->place.name),
        .call = node->place.call,
        .failure = keep_text(h, node->failure),
    };
}

static void list_nodes(finishing *h, htp_trace *trace)
{
    const htp_machine *m = h->m;
    htp_trace_node *nodes = HTP_NEW_ARRAY(h->arena, htp_trace_node, m->recording.nodes.count);
    for (size_t i = 0; i < m->recording.nodes.count; i++) {
        nodes[i] = describe_node(h, &m->recording.nodes.items[i]);
    }
    trace->nodes = nodes;
    trace->node_count = (uint32_t)m->recording.nodes.count;
}

static void list_blocks(finishing *h, htp_trace *trace)
{
    const htp_machine *m = h->m;
    htp_trace_block *blocks = HTP_NEW_ARRAY(h->arena, htp_trace_block, m->recording.blocks.count);
    for (size_t i = 0; i < m->recording.blocks.count; i++) {
        const htp_recorded_block *block = &m->recording.blocks.items[i];
        blocks[i] = (htp_trace_block){
            keep_numbers(h, block->inputs.items, block->inputs.count),
            (uint32_t)block->inputs.count,
            keep_numbers(h, block->outputs.items, block->outputs.count),
            (uint32_t)block->outputs.count,
        };
    }
    trace->blocks = blocks;
    trace->block_count = (uint32_t)m->recording.blocks.count;
}

/* ---- calls ---- */

static void list_scopes(finishing *h, htp_trace *trace)
{
    const htp_recording *recording = &h->m->recording;
    const size_t passed_count = recording->passed.count;
    htp_trace_passed *passed = HTP_NEW_ARRAY(h->arena, htp_trace_passed, passed_count);
    for (size_t i = 0; i < passed_count; i++) {
        const htp_trace_passed *one = &recording->passed.items[i];
        passed[i] = (htp_trace_passed){keep_text(h, one->name), one->value};
    }
    htp_trace_scope *scopes =
        htp_arena_grow(h->arena, recording->scopes.items, recording->scopes.count,
                       recording->scopes.count, sizeof(*scopes));
    for (size_t i = 0; i < recording->scopes.count; i++) {
        scopes[i].passed = passed;
        passed += scopes[i].passed_count;
    }
    trace->scopes = scopes;
    trace->scope_count = (uint32_t)recording->scopes.count;
    trace->module_calls =
        recording->calls ? keep_numbers(h, recording->calls, h->m->module_count) : NULL;
}

static void list_calls(finishing *h, htp_trace *trace)
{
    const htp_machine *m = h->m;
    htp_trace_call *calls = HTP_NEW_ARRAY(h->arena, htp_trace_call, m->recording.calls_made.count);
    for (size_t i = 0; i < m->recording.calls_made.count; i++) {
        const htp_place *place = &m->recording.calls_made.items[i];
        calls[i] = (htp_trace_call){
            .scope = place->scope,
            .source_file = place->file ? keep_text(h, place->file) : "",
            .source_line = place->line,
            .source_text = source_text(m, place),
            .function = keep_text(h, place->name),
            .call = place->call,
        };
    }
    trace->calls = calls;
    trace->call_count = (uint32_t)m->recording.calls_made.count;
}

/* ---- inputs and states ---- */

static void flatten(finishing *h, const htp_item *output, htp_ids *ids)
{
    if (!htp_is_container(output)) {
        HTP_PUSH(h->arena, ids, output->id);
        return;
    }
    size_t step = output->kind == HTP_ITEM_DICT ? 2 : 1;
    for (size_t i = step - 1; i < output->elements.count; i += step) {
        flatten(h, output->elements.items[i], ids);
    }
}

static void list_ends(finishing *h, const htp_items *given, const htp_items *outputs,
                      htp_trace *trace)
{
    htp_ids inputs = {0};
    htp_ids flat = {0};
    for (size_t i = 0; i < given->count; i++) {
        HTP_PUSH(h->arena, &inputs, given->items[i]->id);
    }
    for (size_t i = 0; i < outputs->count; i++) {
        flatten(h, outputs->items[i], &flat);
    }
    trace->inputs = inputs.items;
    trace->input_count = (uint32_t)inputs.count;
    trace->outputs = flat.items;
    trace->output_count = (uint32_t)flat.count;
}

static void list_states(finishing *h, const htp_recorded_states *changed, htp_trace *trace)
{
    htp_trace_state *states = HTP_NEW_ARRAY(h->arena, htp_trace_state, changed->count);
    for (size_t i = 0; i < changed->count; i++) {
        const htp_recorded_state *state = &changed->items[i];
        states[i] = (htp_trace_state){keep_text(h, state->name), state->holder.module,
                                      state->loaded->id, state->before->id, state->after->id};
    }
    trace->states = states;
    trace->state_count = (uint32_t)changed->count;
}

static void list_data_sizes(finishing *h, htp_trace *trace)
{
    const htp_recording *recording = &h->m->recording;
    htp_trace_size *sizes =
        htp_arena_grow(h->arena, recording->data_sizes.items, recording->data_sizes.count,
                       recording->data_sizes.count, sizeof(*sizes));
    for (size_t i = 0; i < recording->data_sizes.count; i++) {
        sizes[i].name = keep_text(h, sizes[i].name);
    }
    trace->data_sizes = sizes;
    trace->data_size_count = (uint32_t)recording->data_sizes.count;
}

htp_outcome htp_trace_make(htp_machine *m, htp_arena *arena, const htp_items *given,
                           const htp_items *outputs, const htp_recorded_states *states,
                           htp_trace *trace)
{
    finishing h = {.m = m, .arena = arena};
    const uint32_t probe_count = (uint32_t)m->recording.run_on_probes.count;
    *trace = (htp_trace){
        .run_on_probes = keep_texts(&h, m->recording.run_on_probes.items, probe_count),
        .run_on_probes_count = probe_count,
        .fake_rounding = m->recording.fake_rounding,
        .tensor_rounding = m->recording.tensor_rounding,
        .channel_rounding = m->recording.channel_rounding,
    };
    HTP_DO(list_values(&h, trace));
    list_nodes(&h, trace);
    list_blocks(&h, trace);
    list_scopes(&h, trace);
    list_calls(&h, trace);
    list_ends(&h, given, outputs, trace);
    list_states(&h, states, trace);
    list_data_sizes(&h, trace);
    trace->has_control = m->recording.has_control;
    trace->moves_statistics = m->recording.moves_statistics;
    trace->is_inference = m->is_inference;
    trace->weights = m->weight_list->all.items;
    trace->weight_count = (uint32_t)m->weight_list->all.count;
    return HTP_GOES_ON;
}
