#include "source/hints/hints.h"

#include "source/hints/hint_scope.h"
#include "source/program/program.h"

#include <string.h>

enum { MAX_HINTS = 1024, MAX_NODES = 100000, MAX_DEPTH = 200, MAX_VALUES = 1 << 20 };

static bool is_list_of_tensors(const htp_hint_search *f, const htp_program_data *data)
{
    return data->kind == HTP_DATA_LIST && data->element_count > 0 &&
           f->program->data[data->elements[0]].kind == HTP_DATA_TENSOR;
}

static htp_hint_known attribute(htp_hint_search *f, uint32_t object, const char *name)
{
    htp_hint_known k = HTP_HINT_UNKNOWN;
    if (object == HTP_NONE || f->failure) {
        return k;
    }
    const htp_program_class *type = &f->program->classes[f->program->objects[object].class_number];
    bool is_module = type->is_module;
    for (uint32_t slot = 0; slot < type->attribute_count; slot++) {
        if (strcmp(type->attributes[slot], name) != 0) {
            continue;
        }
        uint32_t number = HTP_NONE;
        f->failure = htp_program_load_slot(f->program, object, slot, &number);
        if (f->failure) {
            return k;
        }
        const htp_program_data *data = &f->program->data[number];
        k.is_weight = data->kind == HTP_DATA_TENSOR && is_module;
        k.weights = k.is_weight || is_list_of_tensors(f, data) ? number : HTP_NONE;
        k.object = data->kind == HTP_DATA_OBJECT ? data->object : HTP_NONE;
        return k;
    }
    return k;
}

/* @return a function; HTP_NONE if it is unknown */
static uint32_t method_of(const htp_hint_search *f, uint32_t object, const char *name)
{
    return object == HTP_NONE ? HTP_NONE
                              : htp_program_find_method(
                                    f->program, f->program->objects[object].class_number, name);
}

static void visit_block(htp_hint_scope *s, const htp_program_block *block);

/* Begins a function. @return false if it has no code, or too many values */
static bool begin(htp_hint_search *f, uint32_t function, htp_hint_scope *s)
{
    if (f->depth >= MAX_DEPTH || f->failure) {
        return false;
    }
    f->failure = htp_program_load(f->program, function, &s->function);
    s->search = f;
    if (f->failure || s->function.block_count == 0 ||
        s->function.value_count > MAX_VALUES - f->values) {
        return false;
    }
    f->values += s->function.value_count;
    s->values = HTP_NEW_ARRAY(f->arena, htp_hint_known, (size_t)s->function.value_count + 1);
    for (uint32_t i = 0; i < s->function.value_count; i++) {
        s->values[i] = HTP_HINT_UNKNOWN;
    }
    return true;
}

/* Follows a function. @return whether its values are known; they are in @p s */
static bool visit_function(htp_hint_search *f, uint32_t function, const htp_hint_known *inputs,
                           uint32_t input_count, htp_hint_scope *s)
{
    if (!begin(f, function, s) || s->function.blocks[0].input_count != input_count) {
        return false;
    }
    for (uint32_t i = 0; i < input_count; i++) {
        s->values[s->function.blocks[0].inputs[i]] = inputs[i];
    }
    f->depth++;
    visit_block(s, &s->function.blocks[0]);
    f->depth--;
    return true;
}

/* @param first  the operand of the function's first argument */
static void visit_call(const htp_hint_scope *s, uint32_t function, uint32_t first)
{
    uint32_t count = s->node->input_count - first;
    htp_hint_known *inputs = HTP_NEW_ARRAY(s->search->arena, htp_hint_known, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = *htp_hint_input(s, first + i);
    }
    htp_hint_scope called;
    if (!visit_function(s->search, function, inputs, count, &called)) {
        return;
    }
    const htp_program_block *body = &called.function.blocks[0];
    for (uint32_t i = 0; i < body->output_count && i < s->node->output_count; i++) {
        htp_hint_set_output(s, i, called.values[body->outputs[i]]);
    }
}

static void visit_node(const htp_hint_scope *s)
{
    const htp_program_node *node = s->node;
    if (strcmp(node->kind, "prim::GetAttr") == 0) {
        htp_hint_set_output(s, 0, attribute(s->search, htp_hint_input(s, 0)->object, node->name));
        return;
    }
    if (strcmp(node->kind, "prim::CallFunction") == 0 && node->function != HTP_NONE) {
        visit_call(s, node->function, 1);
        return;
    }
    uint32_t method = strcmp(node->kind, "prim::CallMethod") == 0
                          ? method_of(s->search, htp_hint_input(s, 0)->object, node->name)
                          : HTP_NONE;
    if (method != HTP_NONE) {
        visit_call(s, method, 0);
        return;
    }
    htp_hint_note_operands(s);
    htp_hint_note_converted(s);
    htp_hint_note_joined(s);
    htp_hint_note_beside(s);
    htp_hint_note_positions(s);
    htp_hint_pass_on(s);
}

static void visit_block(htp_hint_scope *s, const htp_program_block *block)
{
    htp_hint_search *f = s->search;
    for (uint32_t i = 0; i < block->node_count; i++) {
        if (++f->visited > MAX_NODES || f->hints.count >= MAX_HINTS || f->failure) {
            return;
        }
        const htp_program_node *node = &s->function.nodes[block->first_node + i];
        s->node = node;
        visit_node(s);
        for (uint32_t k = 0; k < node->block_count; k++) {
            visit_block(s, &s->function.blocks[node->blocks[k]]);
        }
        if (strcmp(node->kind, "prim::If") == 0) {
            s->node = node;
            htp_hint_merge_branches(s);
        }
    }
}

htp_status htp_hints_find(htp_arena *arena, const htp_program *program, uint32_t argument_count,
                          const htp_hint **hints, uint32_t *count)
{
    htp_hint_search f = {.arena = arena, .program = program};
    htp_hint_known *inputs = HTP_NEW_ARRAY(arena, htp_hint_known, (size_t)argument_count + 1);
    inputs[0] = HTP_HINT_UNKNOWN;
    inputs[0].object = program->owner;
    for (uint32_t i = 0; i < argument_count; i++) {
        inputs[i + 1] = HTP_HINT_UNKNOWN;
        inputs[i + 1].argument = i;
    }
    htp_hint_scope method;
    visit_function(&f, program->method, inputs, argument_count + 1, &method);
    *hints = f.hints.items;
    *count = (uint32_t)f.hints.count;
    return f.failure;
}
