/*
 * Calls of functions and methods, raise nodes, and constants.
 */
#include "interpret/steps/control.h"

#include "interpret/control/blocks.h"
#include "interpret/lists/lists.h"
#include "interpret/objects/attributes.h"
#include "interpret/steps/handlers.h"

#include <string.h>

/* ---- calls ---- */

/* Only a running forward() is part of the chain. The tracer names the second call of a module
 * forward1, and so on. */
static bool is_forward(const char *method)
{
    static const char forward[] = "forward";
    size_t length = sizeof(forward) - 1;
    return strncmp(method, forward, length) == 0 &&
           method[length + strspn(method + length, "0123456789")] == '\0';
}

/* Records the call that a node makes. @return its number */
static uint32_t note_call(htp_machine *m, const htp_place *place)
{
    HTP_PUSH(m->arena, &m->recording.calls_made, *place);
    return (uint32_t)m->recording.calls_made.count;
}

static htp_outcome find_method(htp_machine *m, const htp_item *self, const char *name,
                               uint32_t *method)
{
    const uint32_t number = m->program->objects[self->object].class_number;
    const htp_program_class *type = &m->program->classes[number];
    const htp_class_names methods = {'(', type->method_names, type->method_count};
    uint32_t place = 0;
    if (!htp_class_find(m, number, methods, name, &place)) {
        return htp_machine_stop(m, HTP_FAILS, "%s does not have a method with name '%s'",
                                type->name, name);
    }
    *method = type->methods[place];
    return HTP_GOES_ON;
}

htp_outcome htp_do_call_method(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const char *name = step->node->name;
    const htp_item *self = step->inputs.items[0];
    if (self->kind != HTP_ITEM_OBJECT) {
        return htp_machine_refuse(m, &step->place,
                                  "a method is called on something that is no object");
    }
    uint32_t module = htp_instances_module(m->instances, self->object);
    uint32_t scope = step->frame->scope;
    uint32_t made = note_call(m, &step->place);
    uint32_t method = HTP_NONE;
    HTP_DO(find_method(m, self, name, &method));
    if (module != HTP_NONE && is_forward(name)) {
        htp_loaded_function *code = NULL;
        scope = htp_control_enter(m, module, scope, made);
        HTP_DO(htp_machine_load(m, method, &code));
        htp_passed_note(m, code->function.schema, &step->inputs);
    }
    return htp_control_call(m, method, &step->inputs, scope, made, outputs);
}

/* The first operand is the function. */
htp_outcome htp_do_call_function(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    htp_items arguments = htp_items_of(m, step->inputs.items + 1, step->inputs.count - 1);
    uint32_t made = note_call(m, &step->place);
    return htp_control_call(m, step->node->function, &arguments, step->frame->scope, made, outputs);
}

/* ---- with blocks ---- */

/* Context managers that are followed, by prefix of their class names: PyTorch's own, which only
 * change gradients or profiling; or a refusal, unless the object's switch is off. */
static const struct managers {
    const char *beginning;
    const char *on;      /* PyTorch's name for the switch; NULL: none */
    const char *refusal; /* NULL: no effect on results */
} managers[] = {
    {"torch.autograd.grad_mode.", NULL, NULL},
    {"torch.autograd.profiler.", NULL, NULL},
#define AUTOCAST                                                                                   \
    "_enabled",                                                                                    \
        "a with block of autocast, which has PyTorch compute some operators in float16 or "        \
        "bfloat16 (leave it out or pass enabled=False, and cast the model instead)"
    {"torch.amp.", AUTOCAST},
    {"torch.cpu.amp.", AUTOCAST},
    {"torch.cuda.amp.", AUTOCAST},
#undef AUTOCAST
};

static const struct managers *find_managers(const char *class_name)
{
    for (size_t i = 0; i < sizeof(managers) / sizeof(managers[0]); i++) {
        const char *beginning = managers[i].beginning;
        if (strncmp(class_name, beginning, strlen(beginning)) == 0) {
            return &managers[i];
        }
    }
    return NULL;
}

/* Whether an object's switch is off, so that it has no effect. */
static bool is_off(const htp_machine *m, uint32_t object, const char *on)
{
    const htp_program_class *type = &m->program->classes[m->program->objects[object].class_number];
    bool is_off = false;
    for (uint32_t slot = 0; on && slot < type->attribute_count && !is_off; slot++) {
        if (strcmp(type->attributes[slot], on) == 0) {
            bool has = false;
            const htp_item *flag = htp_attributes_find(&m->state.attributes,
                                                       (htp_object_attribute){object, slot}, &has);
            is_off = has && htp_is_bool(flag) && flag->known == HTP_KNOWN_CONSTANT &&
                     !flag->lane[0].as.b;
        }
    }
    return is_off;
}

/* Calls a method of a with block's object, which is the first argument. */
static htp_outcome call_manager(htp_machine *m, htp_step *step, const char *name,
                                const htp_items *arguments, htp_items *outputs)
{
    const htp_item *self = arguments->items[0];
    if (self->kind != HTP_ITEM_OBJECT) {
        return htp_machine_refuse(m, &step->place, "a with block of something that is no object");
    }
    uint32_t number = m->program->objects[self->object].class_number;
    const struct managers *own = find_managers(m->program->classes[number].plain_name);
    if (own) {
        return own->refusal && !is_off(m, self->object, own->on)
                   ? htp_machine_refuse(m, &step->place, "%s", own->refusal)
                   : htp_handler_give(m, outputs, arguments->items[0]);
    }
    uint32_t method = HTP_NONE;
    uint32_t made = note_call(m, &step->place);
    HTP_DO(find_method(m, self, name, &method));
    return htp_control_call(m, method, arguments, step->frame->scope, made, outputs);
}

htp_outcome htp_do_enter(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_items arguments = HTP_ITEMS(m, step->inputs.items[0]);
    return call_manager(m, step, "__enter__", &arguments, outputs);
}

/* The arguments say that no exception has left the block. */
htp_outcome htp_do_exit(htp_machine *m, htp_step *step, htp_items *outputs)
{
    HTP_DO(htp_handler_require(m, step, 1));
    htp_item *type = htp_item_none(m);
    htp_item *value = htp_item_none(m);
    htp_item *traceback = htp_item_none(m);
    const htp_items arguments = HTP_ITEMS(m, step->inputs.items[0], type, value, traceback);
    return call_manager(m, step, "__exit__", &arguments, outputs);
}

/* ---- forks ---- */

/* Several results become one tuple. */
static htp_outcome give_results(htp_machine *m, const void *data, const htp_items *results,
                                htp_items *outputs)
{
    (void)data;
    htp_item *only =
        results->count == 1 ? results->items[0] : htp_item_hold(m, HTP_ITEM_TUPLE, results);
    return htp_handler_give(m, outputs, only);
}

/* A fork runs at once, and wait() returns its result. Its body counts as part of the function that
 * contains it.
 */
htp_outcome htp_do_fork(htp_machine *m, htp_step *step, htp_items *outputs)
{
    htp_frame *frame = NULL;
    HTP_DO(htp_control_make_frame(m, step->node->function, &step->inputs, &frame));
    frame->scope = step->frame->scope;
    frame->call = step->frame->call;
    frame->name = step->frame->name;
    htp_items results = {0};
    htp_outcome outcome = htp_control_run_block(m, frame, 0, &step->place, &results);
    if (outcome == HTP_PATH_SPLITS) {
        return htp_branch_resume(m, &m->split, (htp_next){give_results, NULL}, HTP_ALL_LIVE,
                                 outputs);
    }
    HTP_DO(outcome);
    return give_results(m, NULL, &results, outputs);
}

/* ---- exceptions and constants ---- */

htp_outcome htp_do_raise(htp_machine *m, htp_step *step, htp_items *outputs)
{
    (void)outputs;
    HTP_DO(htp_handler_require(m, step, 1));
    const htp_operand *message = &step->inputs.items[0]->lane[0];
    return htp_machine_stop(m, HTP_RAISES, "%s() raised on these inputs %s: %s", m->method,
                            htp_place_describe(m, &step->place),
                            message->kind == HTP_OPERAND_STRING ? message->as.text
                                                                : "an exception");
}

/* A function constant has no value: calls find it by its node. */
static htp_outcome make_constant(htp_machine *m, const htp_program_node *node, htp_item **made)
{
    if (node->data == HTP_NONE) {
        *made = htp_item_none(m);
        return HTP_GOES_ON;
    }
    return htp_constant_of(m, node->data, made);
}

/* A constant of the code is one item, however often it is read. */
htp_outcome htp_do_constant(htp_machine *m, htp_step *step, htp_items *outputs)
{
    const htp_loaded_function *code = step->frame->code;
    htp_item **known = &code->constants[step->place.node];
    if (!*known) {
        htp_item *made = NULL;
        HTP_DO(make_constant(m, step->node, &made));
        made->name = code->function.values[step->node->outputs[0]].name;
        made->is_literal = true;
        *known = made;
    }
    return htp_handler_give(m, outputs, *known);
}
