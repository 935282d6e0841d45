/*
 * Frames of calls: the object of each value, on one path of calls.
 *
 * Each frame is walked once, in the order of its code. A value is a known object or unknown; the
 * result of a branch or loop is known if all paths agree.
 */
#include "source/call_oracle/static_frames.h"
#include "source/program/program.h"

#include <string.h>

/* A frame and a node in the walk. */
typedef struct step {
    htp_static_search *s;
    htp_static_frame *frame;
    const htp_program_node *node;
    uint32_t number; /* index of the node */
} step;

static void walk_block(htp_static_search *s, htp_static_frame *frame, uint32_t number);

static uint32_t input_of(const step *at, uint32_t number)
{
    return at->frame->objects[at->node->inputs[number]];
}

static uint32_t join(uint32_t one, uint32_t other)
{
    return one == other ? one : HTP_NONE;
}

/* ---- frames ---- */

static uint32_t *copy_objects(htp_static_search *s, const htp_static_frame *frame,
                              const uint32_t *values, uint32_t count)
{
    uint32_t *objects = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        objects[i] = frame->objects[values[i]];
    }
    return objects;
}

/* Adds the next frame number under a key, unless the map has it. */
static bool add_frame(htp_static_search *s, htp_map *map, const uint32_t key[2], uint32_t *number)
{
    *number = (uint32_t)s->frames.count;
    bool is_new = htp_map_add_bytes(s->arena, map, key, 2 * sizeof(*key), number);
    if (is_new) {
        HTP_PUSH(s->arena, &s->frames, NULL);
    }
    return is_new;
}

/*
 * Walks a function in a frame.
 * @param made  has its number, functions and running module
 * @param inputs  objects of the arguments
 */
static htp_static_frame *open_frame(htp_static_search *s, const htp_static_frame *made,
                                    const uint32_t *inputs, uint32_t input_count)
{
    htp_static_measure(s, made->function);
    const htp_static_function *function = htp_static_load(s, made->function);
    if (!function || function->code.block_count == 0) {
        return NULL;
    }
    const htp_program_block *body = &function->code.blocks[0];
    uint32_t count = function->code.value_count;
    htp_static_frame *frame = HTP_NEW(s->arena, htp_static_frame);
    *frame = *made;
    frame->code = &function->code;
    frame->objects = HTP_NEW_ARRAY(s->arena, uint32_t, (size_t)count + 1);
    memset(frame->objects, 0xff, count * sizeof(*frame->objects)); /* HTP_NONE */
    for (uint32_t i = 0; i < body->input_count && i < input_count; i++) {
        frame->objects[body->inputs[i]] = inputs[i];
    }
    s->frames.items[frame->number] = frame;
    walk_block(s, frame, 0);
    return !s->failure ? frame : NULL;
}

/* Whether a call is that of a forward(). The tracer calls repeated ones forward1 and so on. */
static bool enters_module(const htp_program_node *node)
{
    static const char forward[] = "forward";
    const size_t length = sizeof(forward) - 1;
    return strcmp(node->kind, "prim::CallMethod") == 0 &&
           strncmp(node->name, forward, length) == 0 &&
           strspn(node->name + length, "0123456789") == strlen(node->name + length);
}

static bool is_module(const htp_program *program, uint32_t object)
{
    return object != HTP_NONE && program->classes[program->objects[object].class_number].is_module;
}

/* Functions and other methods run in the caller's modules. */
static uint32_t find_running(htp_static_search *s, const htp_static_frame *caller,
                             const htp_program_node *node)
{
    if (caller->running == HTP_NONE || !enters_module(node)) {
        return caller->running;
    }
    uint32_t self = caller->objects[node->inputs[0]];
    if (!is_module(s->program, self)) {
        return HTP_NONE;
    }
    const htp_static_running running = {.object = self, .caller = caller->running};
    HTP_PUSH(s->arena, &s->running, running);
    return (uint32_t)s->running.count - 1;
}

htp_static_frame *htp_static_begin(htp_static_search *s)
{
    const uint32_t owner = s->program->owner;
    const htp_static_running method = {.object = owner, .caller = HTP_NONE};
    const htp_static_frame made = {.function = s->program->method};
    HTP_PUSH(s->arena, &s->running, method);
    HTP_PUSH(s->arena, &s->frames, NULL);
    return open_frame(s, &made, &owner, 1);
}

/* The frame of a call; the first operand of a function call is the function. */
static htp_static_frame *enter_new(htp_static_search *s, const htp_static_frame *caller,
                                   const htp_program_node *node, uint32_t number)
{
    bool is_method = strcmp(node->kind, "prim::CallMethod") == 0;
    uint32_t first = is_method ? 0 : 1;
    uint32_t self = is_method ? caller->objects[node->inputs[0]] : HTP_NONE;
    uint32_t callee = htp_static_find_callee(s, caller->code, node, self);
    if (callee == HTP_NONE) {
        return NULL;
    }
    const htp_static_frame made = {.number = number,
                                   .call = number,
                                   .function = callee,
                                   .running = find_running(s, caller, node)};
    uint32_t count = node->input_count - first;
    return open_frame(s, &made, copy_objects(s, caller, node->inputs + first, count), count);
}

htp_static_frame *htp_static_enter(htp_static_search *s, const htp_static_frame *caller,
                                   uint32_t node_number)
{
    const htp_program_node *node = &caller->code->nodes[node_number];
    bool is_call = node->input_count > 0 && (strcmp(node->kind, "prim::CallMethod") == 0 ||
                                             strcmp(node->kind, "prim::CallFunction") == 0);
    if (!is_call || s->failure) {
        return NULL;
    }
    const uint32_t key[] = {caller->number, node_number};
    uint32_t number = 0;
    return add_frame(s, &s->calls, key, &number) ? enter_new(s, caller, node, number)
                                                 : s->frames.items[number];
}

htp_static_frame *htp_static_find_fork(const htp_static_search *s, const htp_static_frame *around,
                                       uint32_t function)
{
    const uint32_t key[] = {around->call, function};
    uint32_t number = 0;
    bool is_found = htp_map_get_bytes(&s->forks, key, sizeof(key), &number);
    return is_found ? s->frames.items[number] : NULL;
}

/* ---- nodes ---- */

static void read_attribute(const step *at)
{
    htp_static_search *s = at->s;
    uint32_t object = input_of(at, 0);
    uint32_t data = HTP_NONE;
    if (object == HTP_NONE || !htp_static_may_be_object(s, at->frame->code, at->node->outputs[0])) {
        return;
    }
    uint32_t slot =
        htp_static_find_slot(s, s->program->objects[object].class_number, at->node->name);
    if (slot == HTP_NONE) {
        return;
    }
    s->failure = htp_program_load_slot(s->program, object, slot, &data);
    if (!s->failure && s->program->data[data].kind == HTP_DATA_OBJECT) {
        at->frame->objects[at->node->outputs[0]] = s->program->data[data].object;
    }
}

/* Calls that may return an object are followed now. */
static void take_results(const step *at)
{
    bool is_asked_for = false;
    for (uint32_t i = 0; i < at->node->output_count; i++) {
        is_asked_for =
            is_asked_for || htp_static_may_be_object(at->s, at->frame->code, at->node->outputs[i]);
    }
    const htp_static_frame *called =
        is_asked_for ? htp_static_enter(at->s, at->frame, at->number) : NULL;
    for (uint32_t i = 0; called && i < at->node->output_count; i++) {
        const htp_program_block *body = &called->code->blocks[0];
        if (i < body->output_count) {
            at->frame->objects[at->node->outputs[i]] = called->objects[body->outputs[i]];
        }
    }
}

/* Copies of a fork, which the compiler made, share one code. */
static void run_fork(const step *at)
{
    htp_static_search *s = at->s;
    const htp_program_node *node = at->node;
    const uint32_t key[] = {at->frame->call, node->function};
    const uint32_t *inputs = copy_objects(s, at->frame, node->inputs, node->input_count);
    htp_static_frame made = {
        .call = at->frame->call, .function = node->function, .running = at->frame->running};
    if (add_frame(s, &s->forks, key, &made.number)) {
        (void)open_frame(s, &made, inputs, node->input_count);
        return;
    }
    htp_static_frame *known = s->frames.items[made.number];
    for (uint32_t i = 0; known && i < known->code->blocks[0].input_count; i++) {
        const uint32_t given = known->objects[known->code->blocks[0].inputs[i]];
        known->is_ambiguous = known->is_ambiguous || given != inputs[i];
    }
}

static const htp_program_block *block_of(const step *at, uint32_t number)
{
    return &at->frame->code->blocks[at->node->blocks[number]];
}

static void join_sides(const step *at)
{
    for (uint32_t i = 0; i < at->node->output_count; i++) {
        uint32_t object = at->frame->objects[block_of(at, 0)->outputs[i]];
        for (uint32_t k = 1; k < at->node->block_count; k++) {
            object = join(object, at->frame->objects[block_of(at, k)->outputs[i]]);
        }
        at->frame->objects[at->node->outputs[i]] = object;
    }
}

/* A loop has two numbers before its carried inputs; its body has one before inputs and results
 * each. A value that the body returns unchanged is the loop's input. */
static void begin_loop(const step *at)
{
    const htp_program_block *body = block_of(at, 0);
    for (uint32_t i = 0; i < at->node->output_count; i++) {
        if (body->outputs[i + 1] == body->inputs[i + 1]) {
            at->frame->objects[body->inputs[i + 1]] = input_of(at, i + 2);
        }
    }
}

/* The body may not run at all. */
static void end_loop(const step *at)
{
    const htp_program_block *body = block_of(at, 0);
    for (uint32_t i = 0; i < at->node->output_count; i++) {
        at->frame->objects[at->node->outputs[i]] =
            join(input_of(at, i + 2), at->frame->objects[body->outputs[i + 1]]);
    }
}

/* Handlers before and after a node's blocks. Results of other nodes are unknown. */
static const struct handler {
    const char *kind;
    void (*before)(const step *at);
    void (*behind)(const step *at);
} handlers[] = {
    {"prim::GetAttr", read_attribute, NULL},
    {"prim::CallMethod", take_results, NULL},
    {"prim::CallFunction", take_results, NULL},
    {"prim::fork", run_fork, NULL},
    {"prim::If", NULL, join_sides},
    {"prim::Loop", begin_loop, end_loop},
};

static const struct handler *find_handler(const char *kind)
{
    static const struct handler nothing = {"", NULL, NULL};
    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
        if (strcmp(handlers[i].kind, kind) == 0) {
            return &handlers[i];
        }
    }
    return &nothing;
}

static void walk_node(htp_static_search *s, htp_static_frame *frame, uint32_t number)
{
    const htp_program_node *node = &frame->code->nodes[number];
    const struct handler *handler = find_handler(node->kind);
    const step at = {s, frame, node, number};
    if (handler->before) {
        handler->before(&at);
    }
    for (uint32_t i = 0; i < node->block_count && !s->failure; i++) {
        walk_block(s, frame, node->blocks[i]);
    }
    if (handler->behind && !s->failure) {
        handler->behind(&at);
    }
}

static void walk_block(htp_static_search *s, htp_static_frame *frame, uint32_t number)
{
    const htp_program_block *block = &frame->code->blocks[number];
    if (!htp_static_deepen(s)) {
        return;
    }
    for (uint32_t i = 0; i < block->node_count && !s->failure; i++) {
        walk_node(s, frame, block->first_node + i);
        htp_static_count(s, ++s->walked);
    }
    s->depth--;
}
