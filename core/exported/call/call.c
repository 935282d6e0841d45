#include "exported/call/call.h"

#include "exported/call/memory.h"
#include "exported/call/nodes.h"
#include "exported/call/scopes.h"

#include <string.h>

typedef HTP_VECTOR(uint32_t) id_list;
typedef HTP_VECTOR(htp_trace_state) state_list;

typedef struct calling {
    htp_tape r;
    const htp_exported_callee *callee;
    const htp_trace_request *request;
    const htp_trace *before;
    const htp_input **given; /* the given input, by input of the program */
    id_list inputs;
    id_list outputs;
    state_list states;
    htp_map weight_inputs;   /* from name of a weight to the program's input */
    htp_map storages;        /* from memory of weights to the first such input in it */
    htp_map shared_storages; /* from memory of weights to a second such input */
    htp_map state_names;     /* from name to state */
    htp_map carried_names;   /* from name to carried state */
    htp_map left_names;      /* from name to the previous call's state */
} calling;

/* ---- inputs ---- */

static void refuse(calling *c, const htp_exported_part *part, const char *what)
{
    htp_tape_fail(&c->r, htp_status_make(HTP_CODE_USAGE, "argument %s: %s", part->path, what));
}

static const htp_exported_value *value_of(const calling *c, const htp_exported_input *input)
{
    return input->argument.kind == HTP_EXPORTED_VALUE
               ? &c->r.program->values.items[input->argument.value]
               : NULL;
}

/* Assigns the given inputs to the program's. */
static void spread(calling *c, const htp_exported_part *part, const htp_input *input)
{
    if (part->input != HTP_NONE) {
        c->given[part->input] = input;
        return;
    }
    if (part->count > 0 && !input->is_nested) {
        refuse(c, part, "it has parts; give them one by one, as inspect shows them");
        return;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        const htp_input *found = NULL;
        for (uint32_t k = 0; k < input->count; k++) {
            const htp_input *item = &input->items[(i + k) % input->count];
            if (item->name && strcmp(item->name, part->parts[i].name) == 0) {
                found = item;
                break;
            }
        }
        if (!found) {
            refuse(c, &part->parts[i], "it is not given");
            return;
        }
        spread(c, &part->parts[i], found);
    }
}

/* The value of an argument, or of a part of it. */
static uint32_t bind_part(calling *c, const htp_exported_part *part)
{
    htp_tape *r = &c->r;
    if (part->input == HTP_NONE) {
        uint32_t *elements = HTP_NEW_ARRAY(r->arena, uint32_t, (size_t)part->count + 1);
        for (uint32_t i = 0; i < part->count; i++) {
            elements[i] = bind_part(c, &part->parts[i]);
        }
        return htp_tape_list(r, elements, part->count);
    }
    const htp_exported_input *input = &r->program->inputs[part->input];
    const htp_exported_value *value = value_of(c, input);
    if (!value) {
        return htp_exported_nodes_argument(r, &input->argument);
    }
    uint32_t bound = htp_tape_described(r, value, HTP_NONE);
    r->values.items[bound].name = part->flat_name;
    r->bound[input->argument.value] = bound;
    return bound;
}

static void bind_arguments(calling *c)
{
    const htp_exported_signature *signature = c->callee->signature;
    for (uint32_t i = 0; i < signature->count && !c->r.failure; i++) {
        if (i < c->request->input_count) {
            spread(c, &signature->parts[i], &c->request->inputs[i]);
        }
    }
    if (c->r.failure) {
        return;
    }
    htp_tape_fail(&c->r, htp_exported_symbols_bind(c->r.symbols, c->given, c->request->lane_count));
    if (!c->r.failure) {
        htp_tape_take_sizes(&c->r);
    }
    for (uint32_t i = 0; i < signature->count && !c->r.failure; i++) {
        uint32_t bound = bind_part(c, &signature->parts[i]);
        HTP_PUSH(c->r.arena, &c->inputs, bound);
    }
}

/* ---- weights and state ---- */

/* The initial value of a state that another call left, with its sizes. */
static uint32_t found_of(calling *c, const htp_trace_state *left, const htp_trace_carried *carried)
{
    htp_tape *r = &c->r;
    htp_trace_value value = c->before->values[left->after];
    if (value.weight != HTP_NONE && carried->part_count == 1 && !carried->parts[0].is_input) {
        return htp_tape_weight(r, value.weight);
    }
    value.producer = HTP_NONE;
    value.weight = HTP_NONE;
    value.data = NULL;
    value.name = htp_arena_strdup(r->arena, left->name);
    for (uint32_t lane = 0; lane < r->symbols->lane_count; lane++) {
        value.dims[lane] = htp_arena_grow(r->arena, value.dims[lane], value.rank,
                                          (size_t)value.rank + 1, sizeof(*value.dims[lane]));
    }
    return htp_tape_add(r, value);
}

static void add_state(calling *c, htp_trace_state state)
{
    htp_map_set(c->r.arena, &c->state_names, state.name, (uint32_t)c->states.count);
    HTP_PUSH(c->r.arena, &c->states, state);
}

/* Indexes carried states and those of the previous call by name. */
static void list_carried(calling *c)
{
    const htp_trace *before = c->before;
    for (uint32_t i = 0; before && i < c->request->carried_count; i++) {
        htp_map_set(c->r.arena, &c->carried_names, c->request->carried[i].name, i);
    }
    for (uint32_t i = 0; before && i < before->state_count; i++) {
        htp_map_set(c->r.arena, &c->left_names, before->states[i].name, i);
    }
}

/* A weight, or the value that an earlier call left in its place. */
static uint32_t bind_weight(calling *c, uint32_t number)
{
    htp_tape *r = &c->r;
    const htp_weight *weight = &r->weights->all.items[number];
    uint32_t loaded = htp_tape_weight(r, number);
    uint32_t carried;
    uint32_t left;
    if (!htp_map_get(&c->carried_names, weight->name, &carried) ||
        !htp_map_get(&c->left_names, weight->name, &left)) {
        return loaded;
    }
    uint32_t found = found_of(c, &c->before->states[left], &c->request->carried[carried]);
    add_state(c, (htp_trace_state){weight->name, weight->module, loaded, found, found});
    return found;
}

/* Indexes a weight input by its name and by its memory. */
static void note_input(calling *c, uint32_t input, uint32_t number)
{
    htp_arena *arena = c->r.arena;
    const uint64_t *storage = &c->r.weights->all.items[number].storage;
    uint32_t first = number;
    const void **place = htp_map_add_bytes(arena, &c->storages, storage, sizeof(*storage), &first);
    if (place) {
        *place = storage;
    } else if (first != number) {
        htp_map_set_bytes(arena, &c->shared_storages, storage, sizeof(*storage), number);
    }
    htp_map_set(arena, &c->weight_inputs, c->r.program->inputs[input].target, input);
}

static void bind_weights(calling *c)
{
    htp_tape *r = &c->r;
    const htp_exported_program *program = r->program;
    list_carried(c);
    for (uint32_t i = 0; i < program->input_count && !r->failure; i++) {
        const htp_exported_input *input = &program->inputs[i];
        bool is_weight = input->kind == HTP_EXPORTED_PARAMETER ||
                         input->kind == HTP_EXPORTED_BUFFER || input->kind == HTP_EXPORTED_CONSTANT;
        uint32_t weight;
        if (!is_weight) {
            continue;
        }
        if (!htp_map_get(&r->weights->by_name, input->target, &weight)) {
            htp_tape_fail(r, htp_status_make(HTP_CODE_UNSUPPORTED,
                                             "tensor %s is not in the file as plain numbers; "
                                             "convert it to a dense tensor and export it "
                                             "again",
                                             input->target));
            return;
        }
        note_input(c, i, weight);
        r->bound[input->argument.value] = bind_weight(c, weight);
    }
}

/* ---- states after the call ---- */

/* Notes the value that a call leaves in an attribute. An unchanged one is not a state. */
static void note_left(calling *c, const char *name, uint32_t before, uint32_t after)
{
    uint32_t number;
    if (htp_map_get(&c->state_names, name, &number)) {
        c->states.items[number].after = after;
    } else if (before != after && htp_map_get(&c->r.weights->by_name, name, &number)) {
        const htp_weight *weight = &c->r.weights->all.items[number];
        add_state(c, (htp_trace_state){weight->name, weight->module, before, before, after});
    }
}

/* Another weight that the program reads in the memory of a changed one; or NULL. */
static const char *find_shared(const calling *c, uint32_t changed)
{
    const htp_weight *all = c->r.weights->all.items;
    const uint64_t *storage = &all[changed].storage;
    uint32_t first;
    uint32_t other;
    bool is_shared = htp_map_get_bytes(&c->storages, storage, sizeof(*storage), &first) &&
                     htp_map_get_bytes(&c->shared_storages, storage, sizeof(*storage), &other);
    return !is_shared ? NULL : all[first == changed ? other : first].name;
}

/* Refuses a change of memory with two names, which would change both. */
static void check_states(calling *c)
{
    for (size_t i = 0; i < c->states.count && !c->r.failure; i++) {
        const htp_trace_state *state = &c->states.items[i];
        uint32_t weight;
        const char *shared = state->before != state->after &&
                                     htp_map_get(&c->r.weights->by_name, state->name, &weight)
                                 ? find_shared(c, weight)
                                 : NULL;
        if (shared) {
            htp_tape_fail(&c->r,
                          htp_status_make(HTP_CODE_UNSUPPORTED,
                                          "a call changes %s in its place, which shares memory "
                                          "with %s; clone one of them before the export",
                                          state->name, shared));
        }
    }
}

static void end_states(calling *c, const uint32_t *found)
{
    htp_tape *r = &c->r;
    for (uint32_t i = 0; i < r->program->output_count && !r->failure; i++) {
        const htp_exported_output *output = &r->program->outputs[i];
        uint32_t input;
        if (output->kind == HTP_EXPORTED_BUFFER_CHANGE &&
            htp_map_get(&c->weight_inputs, output->target, &input)) {
            note_left(c, output->target, found[r->program->inputs[input].argument.value],
                      htp_exported_nodes_argument(r, &output->argument));
        }
    }
    for (uint32_t i = 0; i < r->program->input_count && !r->failure; i++) {
        const htp_exported_input *input = &r->program->inputs[i];
        if (input->target && input->argument.kind == HTP_EXPORTED_VALUE &&
            htp_lying_is_changed(r, input->argument.value)) {
            uint32_t value = input->argument.value;
            note_left(c, input->target, found[value], htp_lying_read(r, value));
        }
    }
}

static void add_outputs(calling *c)
{
    htp_tape *r = &c->r;
    for (uint32_t i = 0; i < r->program->output_count && !r->failure; i++) {
        const htp_exported_output *output = &r->program->outputs[i];
        if (output->kind == HTP_EXPORTED_USER_OUTPUT) {
            uint32_t value = htp_exported_nodes_argument(r, &output->argument);
            HTP_PUSH(r->arena, &c->outputs, value);
        }
    }
}

/* ---- the whole ---- */

static void begin(calling *c, htp_arena *arena)
{
    htp_tape *r = &c->r;
    size_t count = r->program->values.count + 1;
    r->arena = arena;
    r->bound = HTP_NEW_ARRAY(arena, uint32_t, count);
    r->deferred = HTP_NEW_ARRAY(arena, const htp_exported_node *, count);
    memset(r->bound, 0xff, count * sizeof(*r->bound));
    memset(r->integers, 0xff, sizeof(r->integers));
    memset(r->truths, 0xff, sizeof(r->truths));
    r->none = HTP_NONE;
    r->place.file = "";
    c->given = HTP_NEW_ARRAY(arena, const htp_input *, (size_t)r->program->input_count + 1);
    HTP_EXPECT(arena, &r->values, count);
    HTP_EXPECT(arena, &r->nodes, r->program->graphs.items[0].node_count);
    HTP_EXPECT(arena, &r->stacks, r->program->graphs.items[0].node_count);
    HTP_PUSH(arena, &r->blocks, (htp_trace_block){.inputs = NULL});
    htp_lying_begin(r);
    htp_scopes_begin(r);
}

static const htp_trace *finish(calling *c)
{
    htp_tape *r = &c->r;
    htp_trace *trace = HTP_NEW(r->arena, htp_trace);
    *trace = (htp_trace){.values = r->values.items,
                         .value_count = (uint32_t)r->values.count,
                         .nodes = r->nodes.items,
                         .node_count = (uint32_t)r->nodes.count,
                         .blocks = r->blocks.items,
                         .block_count = (uint32_t)r->blocks.count,
                         .scopes = r->scopes.items,
                         .scope_count = (uint32_t)r->scopes.count,
                         .calls = r->calls.items,
                         .call_count = (uint32_t)r->calls.count,
                         .module_calls = r->module_calls,
                         .weights = r->weights->all.items,
                         .weight_count = (uint32_t)r->weights->all.count,
                         .inputs = c->inputs.items,
                         .input_count = (uint32_t)c->inputs.count,
                         .outputs = c->outputs.items,
                         .output_count = (uint32_t)c->outputs.count,
                         .moves_statistics = r->moves_statistics,
                         .states = c->states.items,
                         .state_count = (uint32_t)c->states.count,
                         .untold_count = r->untold,
                         .data_sizes = r->symbols->data_sizes.items,
                         .data_size_count = (uint32_t)r->symbols->data_sizes.count};
    return trace;
}

htp_status htp_exported_call(htp_arena *arena, const htp_exported_callee *callee,
                             const htp_trace_request *request, const htp_trace *before,
                             const htp_trace **trace, const char *const **stacks)
{
    calling c = {.r = {.program = callee->program,
                       .symbols = callee->symbols,
                       .modules = callee->modules,
                       .weights = callee->weights,
                       .limits = callee->limits,
                       .tick = request->tick,
                       .user = request->user},
                 .callee = callee,
                 .request = request,
                 .before = before};
    begin(&c, arena);
    bind_arguments(&c);
    uint32_t *found = NULL;
    if (!c.r.failure) {
        bind_weights(&c);
        found = htp_arena_grow(arena, c.r.bound, callee->program->values.count,
                               callee->program->values.count + 1, sizeof(*found));
        htp_exported_nodes_add(&c.r, &callee->program->graphs.items[0]);
        add_outputs(&c);
        end_states(&c, found);
        check_states(&c);
    }
    *trace = c.r.failure ? NULL : finish(&c);
    *stacks = c.r.stacks.items;
    return c.r.failure;
}
