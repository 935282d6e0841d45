/*
 * Interprets functions node by node. A frame holds the items of their values, by number.
 */
#include "interpret/steps/control.h"

#include "interpret/control/blocks.h"
#include "interpret/lists/lists.h"
#include "interpret/machine/costs.h"
#include "interpret/memory/memory.h"
#include "interpret/sizes/sizes.h"
#include "interpret/steps/inference.h"

#include <string.h>

/* ---- frames ---- */

/* Memory for a function's values; it is reused, since creating it takes time. */
static htp_item **make_room(htp_machine *m, const htp_loaded_function *code)
{
    enum { VALUES_OF_A_STEP = 64 };
    m->control.steps += code->function.value_count / VALUES_OF_A_STEP;
    return HTP_NEW_ARRAY(m->arena, htp_item *, code->function.value_count);
}

htp_outcome htp_control_make_frame(htp_machine *m, uint32_t function, const htp_items *arguments,
                                   htp_frame **made)
{
    htp_loaded_function *code = NULL;
    HTP_DO(htp_machine_load(m, function, &code));
    const char *name = code->function.name ? code->function.name : "fork";
    if (code->function.block_count == 0) {
        return htp_machine_stop(m, HTP_FAILS, "%s() has no code", name);
    }
    const htp_program_block *block = &code->function.blocks[0];
    if (block->input_count != arguments->count) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "%s() takes %u arguments, not %zu", name,
                                (unsigned)block->input_count, arguments->count);
    }
    htp_frame *frame = HTP_NEW(m->arena, htp_frame);
    *frame = (htp_frame){.function = function, .code = code, .name = name};
    frame->values = make_room(m, code);
    for (size_t i = 0; i < arguments->count; i++) {
        frame->values[block->inputs[i]] = arguments->items[i];
    }
    *made = frame;
    return HTP_GOES_ON;
}

htp_frame *htp_control_copy_frame(htp_machine *m, const htp_frame *frame)
{
    size_t count = frame->code->function.value_count;
    htp_frame *copy = HTP_NEW(m->arena, htp_frame);
    *copy = *frame;
    copy->values = make_room(m, frame->code);
    if (count) {
        memcpy(copy->values, frame->values, count * sizeof(*copy->values));
    }
    return copy;
}

/* ---- nodes ---- */

/* The place of a node. Sources are looked up once. */
static htp_place place_of(htp_machine *m, const htp_frame *frame, uint32_t node)
{
    uint32_t *known = &frame->code->file_lines[node];
    if (*known == 0) {
        htp_source_line found = {.file = ""};
        m->places->find(m->places->self, frame->function, node, &found.file, &found.line);
        HTP_PUSH(m->arena, &m->control.sources, found);
        *known = (uint32_t)m->control.sources.count;
    }
    const htp_source_line *source = &m->control.sources.items[*known - 1];
    return (htp_place){.scope = frame->scope,
                       .call = frame->call,
                       .function = frame->function,
                       .node = node,
                       .name = frame->name,
                       .file = source->file,
                       .line = source->line};
}

/* The current states of some values. */
static htp_outcome read_values(htp_machine *m, const htp_frame *frame, const uint32_t *values,
                               uint32_t count, const htp_place *place, htp_items *items)
{
    size_t containers = 0;
    HTP_EXPECT(m->arena, items, count);
    for (uint32_t i = 0; i < count; i++) {
        htp_item *item = frame->values[values[i]];
        if (!item) {
            return htp_machine_stop(m, HTP_FAILS, "a value is read that nothing has made");
        }
        HTP_DO(htp_memory_current(m, item, place, &item));
        htp_items_push(m, items, item);
        if (htp_is_container(item)) {
            HTP_DO(htp_machine_check_elements(m, item, place));
            containers++;
        }
    }
    m->memory.has_nested =
        m->memory.has_nested || containers > 1; /* a container may be added to another one */
    return HTP_GOES_ON;
}

static void set_outputs(const htp_program_node *node, const htp_items *outputs, htp_frame *frame)
{
    for (uint32_t i = 0; i < node->output_count && i < outputs->count; i++) {
        frame->values[node->outputs[i]] = outputs->items[i];
    }
}

static bool holds_dict(const htp_item *item)
{
    bool holds = item->kind == HTP_ITEM_DICT;
    for (size_t i = 0; htp_is_container(item) && i < item->elements.count && !holds; i++) {
        holds = holds_dict(item->elements.items[i]);
    }
    return holds;
}

/* The handler of a node; NULL: it is an operator. */
static htp_outcome find_handler(htp_machine *m, const htp_step *step, htp_handler **handler)
{
    const char *kind = step->node->kind;
    const htp_items *inputs = &step->inputs;
    bool is_grown = false;
    HTP_DO(htp_list_check(m, kind, inputs, &step->place, &is_grown));
    *handler = is_grown ? htp_handler_find_of_grown(kind, inputs) : htp_handler_find(kind);
    if (!*handler && inputs->count > 0 && htp_is_container(inputs->items[0])) {
        *handler = htp_handler_find_of_containers(kind);
    }
    if (!*handler && inputs->count > 0 && inputs->items[0]->kind == HTP_ITEM_PLAIN &&
        inputs->items[0]->lane[0].kind == HTP_OPERAND_DEVICE) {
        *handler = htp_handler_find_of_devices(kind);
    }
    for (size_t i = 0; !*handler && i < inputs->count; i++) {
        if (holds_dict(inputs->items[i])) {
            return htp_machine_refuse(m, &step->place, "%s on a dict", kind);
        }
    }
    return HTP_GOES_ON;
}

static htp_outcome evaluate(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const char *kind = step->node->kind;
    htp_handler *handler = NULL;
    bool answer = false;
    HTP_DO(find_handler(m, step, &handler));
    if (htp_sizes_compare_carried(m, kind, &step->inputs, &answer)) {
        htp_items_push(m, outputs, htp_item_bool(m, answer));
        return HTP_GOES_ON;
    }
    HTP_DO(handler ? handler(m, step, outputs)
                   : htp_execute_node(m, &step->inputs, &step->place, outputs));
    htp_sizes_pass_on_carried(kind, &step->inputs, outputs);
    return HTP_GOES_ON;
}

static htp_outcome run_node(htp_machine *m, htp_frame *frame, uint32_t number)
{
    HTP_DO(htp_machine_tick(m));
    const htp_program_node *node = &frame->code->function.nodes[number];
    htp_step step = {.node = node, .frame = frame, .place = place_of(m, frame, number)};
    htp_items outputs = {0};
    HTP_DO(read_values(m, frame, node->inputs, node->input_count, &step.place, &step.inputs));
    bool is_done = false;
    if (m->is_inference) {
        HTP_DO(htp_inference_apply(m, &step, &outputs, &is_done));
    }
    if (!is_done) {
        HTP_DO(evaluate(m, &step, &outputs));
    }
    set_outputs(node, &outputs, frame);
    return HTP_GOES_ON;
}

/* ---- blocks ---- */

/* The rest of a block after a node whose sides cannot be merged. */
typedef struct rest {
    const htp_frame *before;
    uint32_t block;
    uint32_t at; /* index of the node in the block */
    htp_place place;
} rest;

static htp_outcome run_from(htp_machine *m, htp_frame *frame, uint32_t block, uint32_t at,
                            const htp_place *place, htp_items *outputs);

static htp_outcome run_rest(htp_machine *m, const void *data, const htp_items *given,
                            htp_items *outputs)
{
    const rest *left = data;
    htp_frame *own = htp_control_copy_frame(m, left->before);
    const htp_program_function *function = &own->code->function;
    set_outputs(&function->nodes[function->blocks[left->block].first_node + left->at], given, own);
    return run_from(m, own, left->block, left->at + 1, &left->place, outputs);
}

/* Runs the nodes of a block from one on. */
static htp_outcome run_from(htp_machine *m, htp_frame *frame, uint32_t block, uint32_t at,
                            const htp_place *place, htp_items *outputs)
{
    const htp_program_block *code = &frame->code->function.blocks[block];
    for (uint32_t i = at; i < code->node_count; i++) {
        htp_outcome outcome = run_node(m, frame, code->first_node + i);
        if (outcome == HTP_PATH_SPLITS) {
            rest *left = HTP_NEW(m->arena, rest);
            *left = (rest){htp_control_copy_frame(m, frame), block, i, *place};
            return htp_branch_resume(m, &m->split, (htp_next){run_rest, left}, HTP_ALL_LIVE,
                                     outputs);
        }
        HTP_DO(outcome);
    }
    return read_values(m, frame, code->outputs, code->output_count, place, outputs);
}

htp_outcome htp_control_run_block(htp_machine *m, htp_frame *frame, uint32_t block,
                                  const htp_place *place, htp_items *outputs)
{
    HTP_DO(htp_machine_check_depth(m));
    m->control.block_depth++;
    htp_outcome outcome = run_from(m, frame, block, 0, place, outputs);
    m->control.block_depth--;
    return outcome;
}

/* ---- calls ---- */

uint32_t htp_control_enter(htp_machine *m, uint32_t module, uint32_t caller, uint32_t site)
{
    uint32_t call = m->recording.calls[module]++;
    HTP_PUSH(m->arena, &m->recording.scopes,
             (htp_trace_scope){.parent = caller, .module = module, .call = call, .site = site});
    return (uint32_t)m->recording.scopes.count - 1;
}

/* The results of a call are those of its function. */
static htp_outcome pass_on(htp_machine *m, const void *data, const htp_items *given,
                           htp_items *outputs)
{
    (void)data;
    *outputs = htp_items_copy(m, given);
    return HTP_GOES_ON;
}

static htp_outcome run_function(htp_machine *m, htp_frame *frame, htp_items *outputs)
{
    const htp_place place = {
        .scope = frame->scope, .function = HTP_NONE, .node = HTP_NONE, .file = ""};
    size_t first = m->recording.items.count;
    htp_outcome outcome = htp_control_run_block(m, frame, 0, &place, outputs);
    return outcome == HTP_PATH_SPLITS
               ? htp_branch_resume(m, &m->split, (htp_next){pass_on, NULL}, first, outputs)
               : outcome;
}

static htp_outcome call_deeper(htp_machine *m, uint32_t function, const htp_items *arguments,
                               uint32_t scope, uint32_t call, htp_items *outputs)
{
    htp_frame *frame = NULL;
    HTP_DO(htp_control_make_frame(m, function, arguments, &frame));
    frame->scope = scope;
    frame->call = call;
    return run_function(m, frame, outputs);
}

htp_outcome htp_control_call(htp_machine *m, uint32_t function, const htp_items *arguments,
                             uint32_t scope, uint32_t call, htp_items *outputs)
{
    m->control.depth++;
    htp_outcome outcome = call_deeper(m, function, arguments, scope, call, outputs);
    m->control.depth--;
    return outcome;
}
