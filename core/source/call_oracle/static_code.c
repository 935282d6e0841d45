/*
 * The code of a program under analysis: functions, class names, and its total size.
 */
#include "source/call_oracle/static_frames.h"
#include "source/program/program.h"

#include <string.h>

enum { MAX_NODES = 2 << 20, TICK = 1024 };

/* ---- bounds ---- */

static void refuse_nesting(htp_static_search *s)
{
    s->failure = htp_status_make(HTP_CODE_UNSUPPORTED,
                                 "with all calls inlined, the program is nested more than %" PRIu64
                                 " deep (--limit call-depth=N raises this limit)",
                                 htp_limit_blocks(s->watch->limits));
}

static void refuse_size(htp_static_search *s)
{
    s->failure = htp_status_make(HTP_CODE_UNSUPPORTED,
                                 "with all calls inlined, the program has more than %d operations",
                                 MAX_NODES);
}

void htp_static_count(htp_static_search *s, uint64_t size)
{
    const htp_static_watch *watch = s->watch;
    if (s->failure) {
        return;
    }
    s->looked++;
    if (s->looked % TICK == 0 && watch->tick && !watch->tick(watch->user, s->looked, 0)) {
        s->failure = htp_status_make(HTP_CODE_INTERRUPTED, "interrupted");
    } else if (size > MAX_NODES) {
        refuse_size(s);
    }
}

bool htp_static_deepen(htp_static_search *s)
{
    if (!s->failure && s->depth > htp_limit_blocks(s->watch->limits)) {
        refuse_nesting(s);
    } else if (!s->failure && htp_stack_is_low()) {
        s->failure = htp_status_make(
            HTP_CODE_UNSUPPORTED, "its program is nested " HTP_STACK_FORMAT, htp_stack_kilobytes());
    }
    s->depth += !s->failure;
    return !s->failure;
}

/* ---- functions and classes ---- */

htp_static_function *htp_static_load(htp_static_search *s, uint32_t number)
{
    while (s->functions.count <= number) {
        HTP_PUSH(s->arena, &s->functions, NULL);
    }
    htp_static_function *function = s->functions.items[number];
    if (!function && !s->failure) {
        function = HTP_NEW(s->arena, htp_static_function);
        s->failure = htp_program_load(s->program, number, &function->code);
        s->functions.items[number] = function;
    }
    return !s->failure ? function : NULL;
}

/* The first of duplicate names counts. */
static const htp_static_class *find_class(htp_static_search *s, uint32_t number)
{
    while (s->classes.count <= number) {
        HTP_PUSH(s->arena, &s->classes, NULL);
    }
    if (s->classes.items[number]) {
        return s->classes.items[number];
    }
    const htp_program_class *type = &s->program->classes[number];
    htp_static_class *names = HTP_NEW(s->arena, htp_static_class);
    for (uint32_t i = type->attribute_count; i-- > 0;) {
        htp_map_set(s->arena, &names->slots, type->attributes[i], i);
    }
    for (uint32_t i = type->method_count; i-- > 0;) {
        htp_map_set(s->arena, &names->methods, type->method_names[i], type->methods[i]);
    }
    s->classes.items[number] = names;
    return names;
}

uint32_t htp_static_find_slot(htp_static_search *s, uint32_t class_number, const char *name)
{
    uint32_t slot = HTP_NONE;
    (void)htp_map_get(&find_class(s, class_number)->slots, name, &slot);
    return slot;
}

static const htp_program_type *type_of(const htp_static_search *s, const htp_program_function *code,
                                       uint32_t value)
{
    return &s->program->types[code->values[value].type];
}

bool htp_static_may_be_object(const htp_static_search *s, const htp_program_function *code,
                              uint32_t value)
{
    htp_type_kind kind = type_of(s, code, value)->kind;
    return kind == HTP_TYPE_CLASS || kind == HTP_TYPE_OTHER;
}

uint32_t htp_static_find_callee(htp_static_search *s, const htp_program_function *code,
                                const htp_program_node *node, uint32_t self)
{
    if (strcmp(node->kind, "prim::CallMethod") != 0) {
        return node->function; /* of a call or fork */
    }
    const htp_program_type *type = type_of(s, code, node->inputs[0]);
    if (type->kind != HTP_TYPE_CLASS && self == HTP_NONE) {
        return HTP_NONE;
    }
    uint32_t class_number =
        type->kind == HTP_TYPE_CLASS ? type->class_number : s->program->objects[self].class_number;
    uint32_t method = HTP_NONE;
    (void)htp_map_get(&find_class(s, class_number)->methods, node->name, &method);
    return method;
}

/* ---- sizes ---- */

static uint64_t size_of_block(htp_static_search *s, const htp_program_function *code,
                              uint32_t number);

/* The size of a function after inlining all calls. */
static uint64_t size_of(htp_static_search *s, uint32_t number)
{
    htp_static_function *function = htp_static_load(s, number);
    if (!function || function->size > 0) {
        return function ? function->size : 0;
    }
    if (function->is_measured) {
        s->failure =
            htp_status_make(HTP_CODE_UNSUPPORTED, "%s() calls itself", function->code.name);
        return 0;
    }
    function->is_measured = true;
    uint64_t size = 1 + (function->code.block_count ? size_of_block(s, &function->code, 0) : 0);
    htp_static_count(s, size);
    function->size = size;
    return size;
}

static uint64_t size_of_node(htp_static_search *s, const htp_program_function *code,
                             const htp_program_node *node)
{
    uint64_t size = 1;
    uint32_t callee = htp_static_find_callee(s, code, node, HTP_NONE);
    if (callee != HTP_NONE) {
        size += size_of(s, callee);
    }
    for (uint32_t i = 0; i < node->block_count && !s->failure; i++) {
        size += size_of_block(s, code, node->blocks[i]);
    }
    return size;
}

static uint64_t size_of_block(htp_static_search *s, const htp_program_function *code,
                              uint32_t number)
{
    const htp_program_block *block = &code->blocks[number];
    uint64_t size = 0;
    if (!htp_static_deepen(s)) {
        return size;
    }
    for (uint32_t i = 0; i < block->node_count && !s->failure; i++) {
        size += size_of_node(s, code, &code->nodes[block->first_node + i]);
        htp_static_count(s, size);
    }
    s->depth--;
    return size;
}

void htp_static_measure(htp_static_search *s, uint32_t function)
{
    (void)size_of(s, function);
}
