/*
 * Functions, blocks, branches and loops of __setstate__ methods.
 */
#include "interpret/restore/restore.h"

#include "interpret/operators/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { STEPS_OF_A_TICK = 64 };

/* ---- messages ---- */

htp_outcome htp_restore_fail(htp_follower *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(f->error->message, sizeof(f->error->message), format, arguments);
    va_end(arguments);
    return HTP_FAILS;
}

htp_outcome htp_restore_refuse(htp_follower *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *what = htp_arena_vprintf(&f->arena, format, arguments);
    va_end(arguments);
    (void)htp_restore_fail(f,
                           "__setstate__ of %s needs %s, which does not run when a file is opened; "
                           "save the module without __getstate__ and __setstate__",
                           f->class_name, what);
    return HTP_UNSUPPORTED;
}

htp_outcome htp_restore_exceed(htp_follower *f, htp_limit limit)
{
    (void)htp_restore_fail(f, "__setstate__ of %s takes " HTP_LIMIT_FORMAT, f->class_name,
                           HTP_LIMIT_ARGUMENTS(f->of.limits, limit));
    return HTP_UNSUPPORTED;
}

static htp_outcome count_step(htp_follower *f)
{
    if (++f->steps > htp_limit_value(f->of.limits, HTP_LIMIT_STEPS)) {
        return htp_restore_exceed(f, HTP_LIMIT_STEPS);
    }
    if (f->of.tick && f->steps % STEPS_OF_A_TICK == 0 && !f->of.tick(f->of.user, f->steps, 0)) {
        (void)htp_restore_fail(f, "interrupted");
        return HTP_BREAKS;
    }
    return HTP_GOES_ON;
}

/* ---- blocks ---- */

static htp_outcome run_block(htp_follower *f, htp_restore_frame *frame, uint32_t number);

/* Pushes values of the frame onto the operand stack. */
static void push_values(htp_follower *f, const htp_restore_frame *frame, const uint32_t *values,
                        uint32_t count)
{
    HTP_EXPECT(&f->arena, &f->operands, count);
    for (uint32_t i = 0; i < count; i++) {
        f->operands.items[f->operands.count++] = frame->values[values[i]];
    }
}

static void copy_values(htp_restore_frame *frame, const uint32_t *from, const uint32_t *to,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        frame->values[to[i]] = frame->values[from[i]];
    }
}

static htp_outcome require(htp_follower *f, const htp_operand *value, htp_operand_kind kind)
{
    return value->kind == kind
               ? HTP_GOES_ON
               : htp_restore_fail(f, "__setstate__ of %s has no %s where it branches",
                                  f->class_name, kind == HTP_OPERAND_BOOL ? "bool" : "int");
}

static htp_outcome run_if(htp_follower *f, htp_restore_frame *frame, const htp_program_node *node)
{
    const htp_operand *condition = &frame->values[node->inputs[0]];
    HTP_DO(require(f, condition, HTP_OPERAND_BOOL));
    uint32_t side = node->blocks[condition->as.b ? 0 : 1];
    HTP_DO(run_block(f, frame, side));
    copy_values(frame, frame->code.blocks[side].outputs, node->outputs, node->output_count);
    return HTP_GOES_ON;
}

/* Carries the body's results into the next iteration; they may be its inputs in another order. */
static void carry(htp_follower *f, htp_restore_frame *frame, const htp_program_block *body)
{
    size_t before = f->operands.count;
    uint32_t count = body->output_count - 1;
    push_values(f, frame, body->outputs + 1, count);
    for (uint32_t i = 0; i < count; i++) {
        frame->values[body->inputs[i + 1]] = f->operands.items[before + i];
    }
    f->operands.count = before;
}

static htp_outcome run_loop(htp_follower *f, htp_restore_frame *frame, const htp_program_node *node)
{
    const htp_program_block *body = &frame->code.blocks[node->blocks[0]];
    htp_operand limit = frame->values[node->inputs[0]];
    htp_operand condition = frame->values[node->inputs[1]];
    HTP_DO(require(f, &limit, HTP_OPERAND_INT));
    HTP_DO(require(f, &condition, HTP_OPERAND_BOOL));
    copy_values(frame, node->inputs + 2, body->inputs + 1, node->input_count - 2);
    for (int64_t i = 0; i < limit.as.i && condition.as.b; i++) {
        frame->values[body->inputs[0]] = (htp_operand){.kind = HTP_OPERAND_INT, .as.i = i};
        HTP_DO(run_block(f, frame, node->blocks[0]));
        HTP_DO(count_step(f)); /* an empty body takes time, too */
        condition = frame->values[body->outputs[0]];
        HTP_DO(require(f, &condition, HTP_OPERAND_BOOL));
        carry(f, frame, body);
    }
    copy_values(frame, body->inputs + 1, node->outputs, node->output_count);
    return HTP_GOES_ON;
}

static htp_outcome run_plain(htp_follower *f, htp_restore_frame *frame, uint32_t number)
{
    const htp_program_node *node = &frame->code.nodes[number];
    size_t before = f->operands.count;
    push_values(f, frame, node->inputs, node->input_count);
    htp_restore_step followed = {.frame = frame,
                                 .number = number,
                                 .node = node,
                                 .inputs = HTP_FROM(&f->operands, before),
                                 .input_count = node->input_count};
    HTP_DO(htp_restore_node(f, &followed));
    if (followed.output_count < node->output_count) {
        return htp_restore_fail(f, "__setstate__ of %s expects more of %s than it gives",
                                f->class_name, node->kind);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        frame->values[node->outputs[i]] = followed.outputs[i];
    }
    f->operands.count = before;
    return HTP_GOES_ON;
}

static htp_outcome run_node(htp_follower *f, htp_restore_frame *frame, uint32_t number)
{
    const htp_program_node *node = &frame->code.nodes[number];
    if (strcmp(node->kind, "prim::If") == 0) {
        return run_if(f, frame, node);
    }
    return strcmp(node->kind, "prim::Loop") == 0 ? run_loop(f, frame, node)
                                                 : run_plain(f, frame, number);
}

static htp_outcome run_block(htp_follower *f, htp_restore_frame *frame, uint32_t number)
{
    const htp_program_block *block = &frame->code.blocks[number];
    uint64_t most = htp_limit_blocks(f->of.limits);
    if (++f->block_depth > most) {
        return htp_restore_refuse(
            f, "calls, branches and loops that are nested more than %" PRIu64 " deep", most);
    }
    if (htp_stack_is_low()) {
        (void)htp_restore_fail(f, "__setstate__ of %s is nested " HTP_STACK_FORMAT, f->class_name,
                               htp_stack_kilobytes());
        return HTP_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < block->node_count; i++) {
        HTP_DO(count_step(f));
        HTP_DO(run_node(f, frame, block->first_node + i));
    }
    f->block_depth--;
    return HTP_GOES_ON;
}

/* ---- calls ---- */

static htp_outcome load(htp_follower *f, uint32_t number)
{
    const htp_program *program = f->of.program;
    if (program->functions[number].is_loaded) {
        return HTP_GOES_ON;
    }
    switch (program->load_function(program, number, f->error)) {
    case HTP_SHIM_OK:
        return HTP_GOES_ON;
    case HTP_SHIM_INTERNAL:
        return HTP_BREAKS;
    case HTP_SHIM_UNSUPPORTED:
        return HTP_UNSUPPORTED;
    default:
        return HTP_FAILS;
    }
}

/* Frames are not cleared: a function writes each value before it reads it. */
static htp_restore_frame *take_frame(htp_follower *f, uint32_t number)
{
    while (f->unused.count <= number) {
        HTP_PUSH(&f->arena, &f->unused, NULL);
    }
    htp_restore_frame *frame = f->unused.items[number];
    if (frame) {
        f->unused.items[number] = frame->next;
        return frame;
    }
    frame = HTP_NEW(&f->arena, htp_restore_frame);
    frame->number = number;
    frame->code = f->of.program->functions[number];
    frame->values = HTP_NEW_ARRAY(&f->arena, htp_operand, frame->code.value_count);
    return frame;
}

static void give_frame_back(htp_follower *f, htp_restore_frame *frame)
{
    frame->next = f->unused.items[frame->number];
    f->unused.items[frame->number] = frame;
}

static htp_outcome call_code(htp_follower *f, uint32_t number, const htp_operand *inputs,
                             uint32_t count, htp_operand *output)
{
    if (++f->depth > htp_limit_value(f->of.limits, HTP_LIMIT_CALLS)) {
        return htp_restore_exceed(f, HTP_LIMIT_CALLS);
    }
    htp_restore_frame *frame = take_frame(f, number);
    const htp_program_block *body = &frame->code.blocks[0];
    for (uint32_t i = 0; i < count; i++) {
        frame->values[body->inputs[i]] = inputs[i];
    }
    HTP_DO(run_block(f, frame, 0));
    *output = body->output_count > 0 ? frame->values[body->outputs[0]]
                                     : (htp_operand){.kind = HTP_OPERAND_NONE};
    give_frame_back(f, frame);
    f->depth--;
    return HTP_GOES_ON;
}

static bool begins_with(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

/* Classes of libtorch whose objects hold packed weights and nothing else. */
static bool is_packing(const char *class_name)
{
    return begins_with(class_name, "__torch__.torch.classes.quantized.") ||
           begins_with(class_name, "__torch__.torch.classes.rnn.");
}

/* Whether a native class comes from an opened library. */
static bool is_loaded_class(const htp_follower *f, const char *class_name)
{
    static const char prefix[] = "__torch__.torch.classes.";
    static const char *const own[] = {
        "_TorchScriptTesting",
        "__backends__",
        "_nnapi",
        "aoti",
        "c10d",
        "cuda",
        "dist_c10d",
        "dist_rpc",
        "export",
        "inductor",
        "metal",
        "mkldnn",
        "nativert",
        "prepacked",
        "profiler",
        "profiling",
        "sparse",
        "symm_mem",
        "vulkan",
        "xnnpack",
    };
    const htp_runner *runner = f->of.runner;
    if (!begins_with(class_name, prefix) || !runner->facts(runner->self)->has_libraries) {
        return false;
    }
    const char *space = class_name + sizeof(prefix) - 1;
    size_t length = strcspn(space, ".");
    for (size_t i = 0; i < COUNT_OF(own); i++) {
        if (strlen(own[i]) == length && strncmp(space, own[i], length) == 0) {
            return false;
        }
    }
    return true;
}

/* Native methods of native objects. */
static htp_outcome call_native(htp_follower *f, const htp_program_function *function,
                               const htp_operand *inputs, uint32_t count, htp_operand *output)
{
    const htp_program *program = f->of.program;
    htp_program_class owner = {.name = "", .plain_name = ""};
    if (count > 0 && inputs[0].kind == HTP_OPERAND_OBJECT) {
        owner = program->classes[program->objects[inputs[0].as.object].class_number];
    }
    if (!is_packing(owner.name) && !is_loaded_class(f, owner.name)) {
        return htp_restore_refuse(f, "%s.%s()", owner.plain_name, function->name);
    }
    const htp_operand *outputs = NULL;
    uint32_t output_count = 0;
    HTP_DO(htp_restore_run(f, function->schema, inputs, count, &outputs, &output_count));
    *output = output_count > 0 ? outputs[0] : (htp_operand){.kind = HTP_OPERAND_NONE};
    return HTP_GOES_ON;
}

htp_outcome htp_restore_call(htp_follower *f, uint32_t function, const htp_operand *inputs,
                             uint32_t count, htp_operand *output)
{
    HTP_DO(load(f, function));
    htp_program_function called = f->of.program->functions[function];
    if (count != f->of.program->schemas[called.schema].argument_count) {
        return htp_restore_fail(f, "__setstate__ of %s calls %s() with %u arguments", f->class_name,
                                called.name, (unsigned)count);
    }
    return called.block_count > 0 ? call_code(f, function, inputs, count, output)
                                  : call_native(f, &called, inputs, count, output);
}

htp_outcome htp_restore_run(htp_follower *f, uint32_t schema, const htp_operand *inputs,
                            uint32_t count, const htp_operand **outputs, uint32_t *output_count)
{
    const htp_runner *runner = f->of.runner;
    switch (runner->run(runner->self, schema, HTP_RUN_WHOLE, inputs, count, outputs, output_count,
                        f->error)) {
    case HTP_RUN_OK:
        return HTP_GOES_ON;
    case HTP_RUN_UNSUPPORTED:
        return HTP_UNSUPPORTED;
    case HTP_RUN_NO_MEMORY:
        return HTP_BREAKS;
    default:
        return HTP_FAILS;
    }
}

/* The methods of a class; of duplicates the first counts. */
static const htp_map *methods_of(htp_follower *f, uint32_t class_number)
{
    while (f->methods.count <= class_number) {
        HTP_PUSH(&f->arena, &f->methods, (htp_map){0});
    }
    htp_map *methods = &f->methods.items[class_number];
    const htp_program_class *of = &f->of.program->classes[class_number];
    for (uint32_t i = methods->count == 0 ? of->method_count : 0; i-- > 0;) {
        htp_map_set(&f->arena, methods, of->method_names[i], of->methods[i]);
    }
    return methods;
}

htp_outcome htp_restore_find_method(htp_follower *f, const htp_operand *object, const char *name,
                                    uint32_t *method)
{
    if (object->kind != HTP_OPERAND_OBJECT) {
        return htp_restore_fail(f, "__setstate__ of %s calls %s() of no object", f->class_name,
                                name);
    }
    uint32_t class_number = f->of.program->objects[object->as.object].class_number;
    return htp_map_get(methods_of(f, class_number), name, method)
               ? HTP_GOES_ON
               : htp_restore_fail(f, "__setstate__ of %s calls %s(), which %s does not have",
                                  f->class_name, name, f->of.program->classes[class_number].name);
}

/* ---- all of it ---- */

static htp_outcome restore(htp_follower *f)
{
    const htp_program *program = f->of.program;
    uint32_t class_number = program->objects[f->of.object].class_number;
    f->class_name = program->classes[class_number].plain_name;
    uint32_t method = HTP_NONE;
    if (!htp_map_get(methods_of(f, class_number), "__setstate__", &method)) {
        return htp_restore_fail(f, "damaged archive: %s has a __getstate__, but no __setstate__",
                                f->class_name);
    }
    const htp_operand inputs[] = {{.kind = HTP_OPERAND_OBJECT, .as.object = f->of.object},
                                  *f->of.state};
    htp_operand output = {.kind = HTP_OPERAND_NONE};
    return htp_restore_call(f, method, inputs, COUNT_OF(inputs), &output);
}

static htp_code restore_guarded(htp_follower *f)
{
    if (htp_arena_recover(&f->arena) != 0) {
        (void)htp_restore_fail(f, "out of memory");
        return HTP_CODE_INTERNAL;
    }
    switch (restore(f)) {
    case HTP_GOES_ON:
        return HTP_CODE_OK;
    case HTP_UNSUPPORTED:
        return HTP_CODE_UNSUPPORTED;
    case HTP_BREAKS:
        return HTP_CODE_INTERNAL;
    default:
        return HTP_CODE_BAD_INPUT;
    }
}

htp_status htp_restore(const htp_restoring *of)
{
    htp_error error = {{0}};
    htp_follower f = {
        .of = *of, .error = &error, .budget = {.limits = of->limits}, .zero = HTP_NONE};
    htp_arena_init(&f.arena);
    htp_code code = restore_guarded(&f);
    htp_arena_free(&f.arena);
    if (code == HTP_CODE_OK) {
        return HTP_OK;
    }
    htp_message_shorten(&error);
    return htp_status_make(code, "%s", error.message);
}
