/*
 * Inputs that torch.utils.bundled_inputs attached to a method, found by interpreting the method
 * that lists them.
 */
#include "interpret/interpret.h"

#include "base/dtype.h"
#include "interpret/method.h"

#include <string.h>

enum { MAX_NESTING = 32 };

/* Doubles hold integers exactly up to here. */
#define EXACT_LIMIT ((int64_t)1 << 53)

/* Stands for a value that cannot be an input. */
static const htp_input left_out = {.is_none = true};

static htp_input describe_tensor(const htp_runner_tensor *tensor)
{
    htp_input input = {.rank = tensor->rank};
    if (tensor->rank > HTP_MAX_RANK || !htp_dtype_from_scalar_type(tensor->type, &input.dtype)) {
        return left_out;
    }
    memcpy(input.dims[0], tensor->dims, tensor->rank * sizeof(*tensor->dims));
    return input;
}

htp_input htp_input_of_operand(const htp_operand *value)
{
    htp_input input = {.is_scalar = true};
    switch (value->kind) {
    case HTP_OPERAND_INT:
        input.dtype = HTP_DTYPE_INT64;
        input.scalar = (double)value->as.i;
        return value->as.i <= EXACT_LIMIT && value->as.i >= -EXACT_LIMIT ? input : left_out;
    case HTP_OPERAND_FLOAT:
        input.dtype = HTP_DTYPE_FLOAT64;
        input.scalar = value->as.f;
        return input;
    case HTP_OPERAND_BOOL:
        input.dtype = HTP_DTYPE_BOOL;
        input.scalar = value->as.b ? 1 : 0;
        return input;
    default:
        return left_out;
    }
}

/* The name of an item by its dict key. */
static const char *name_of_key(htp_arena *arena, const htp_item *key)
{
    if (htp_is_int(key)) {
        return htp_arena_printf(arena, "%lld", (long long)key->lane[0].as.i);
    }
    bool is_text = key->kind == HTP_ITEM_PLAIN && key->lane[0].kind == HTP_OPERAND_STRING;
    return is_text ? htp_arena_strdup(arena, key->lane[0].as.text) : "";
}

static htp_input describe(htp_arena *arena, const htp_item *item, int depth)
{
    if (htp_is_tensor(item)) {
        return describe_tensor(htp_tensor_in(item, 0));
    }
    if (item->kind == HTP_ITEM_PLAIN) {
        return htp_input_of_operand(&item->lane[0]);
    }
    if (!htp_is_container(item) || depth > MAX_NESTING) {
        return left_out;
    }
    bool is_dict = item->kind == HTP_ITEM_DICT;
    size_t step = is_dict ? 2 : 1;
    size_t count = item->elements.count / step;
    htp_input *items = HTP_NEW_ARRAY(arena, htp_input, count + 1);
    for (size_t i = 0; i < count; i++) {
        items[i] = describe(arena, item->elements.items[i * step + step - 1], depth + 1);
        items[i].name = is_dict ? name_of_key(arena, item->elements.items[i * step])
                                : htp_arena_printf(arena, "%zu", i);
    }
    return (htp_input){.is_nested = true, .items = items, .count = (uint32_t)count};
}

/* Omitting a value means its default, which must equal the bundled one. */
static htp_outcome check_left_out(htp_machine *m, const htp_program_argument *argument,
                                  const htp_item *item, const htp_input *input)
{
    static const char *const kinds[] = {[HTP_OPERAND_INT] = "Int",
                                        [HTP_OPERAND_STRING] = "String",
                                        [HTP_OPERAND_DEVICE] = "Device",
                                        [HTP_OPERAND_OTHER] = "value of another kind"};
    if (!input->is_none || item->kind != HTP_ITEM_PLAIN || htp_is_none(item)) {
        return HTP_GOES_ON;
    }
    const htp_operand *value = &item->lane[0];
    if (argument->default_data != HTP_NONE && value->kind == HTP_OPERAND_STRING) {
        const htp_program_data *otherwise = &m->program->data[argument->default_data];
        if (otherwise->kind == HTP_DATA_STRING && otherwise->bytes == value->bytes &&
            memcmp(otherwise->string, value->as.text, value->bytes) == 0) {
            return HTP_GOES_ON;
        }
    }
    return htp_machine_stop(m, HTP_BAD_INPUTS,
                            "the bundled inputs give argument \"%s\" a %s, which no input can be; "
                            "pass --input for the others",
                            argument->name, kinds[value->kind]);
}

/* The method that lists the inputs of the chosen one; or HTP_NONE. */
static uint32_t find_lister(htp_machine *m)
{
    static const char *const lister = "get_all_bundled_inputs";
    const char *name = strcmp(m->method, "forward") == 0
                           ? lister
                           : htp_arena_printf(m->arena, "%s_for_%s", lister, m->method);
    const htp_program *program = m->program;
    const htp_program_class *owner =
        &program->classes[program->objects[program->owner].class_number];
    for (uint32_t i = 0; i < owner->method_count; i++) {
        if (strcmp(owner->method_names[i], name) == 0) {
            return owner->methods[i];
        }
    }
    return HTP_NONE;
}

/* The first of the listed inputs, without self. */
static htp_outcome list_inputs(htp_machine *m, uint32_t lister, const htp_input **inputs,
                               uint32_t *count)
{
    const htp_items none = {0};
    htp_items results = {0};
    htp_loaded_function *code;
    HTP_DO(htp_machine_load(m, m->function, &code));
    const htp_program_schema schema = m->program->schemas[code->function.schema];
    m->function = lister;
    HTP_DO(htp_method_run(m, &none, NULL, 0, &results));
    if (results.count == 0 || results.items[0]->elements.count == 0) {
        return HTP_GOES_ON;
    }
    const htp_items *first = &results.items[0]->elements.items[0]->elements;
    htp_input *listed = HTP_NEW_ARRAY(m->arena, htp_input, first->count + 1);
    for (size_t i = 0; i < first->count; i++) {
        listed[i] = describe(m->arena, first->items[i], 0);
        if (i + 1 < schema.argument_count) {
            HTP_DO(check_left_out(m, &schema.arguments[i + 1], first->items[i], &listed[i]));
        }
    }
    *inputs = listed;
    *count = (uint32_t)first->count;
    return HTP_GOES_ON;
}

htp_status htp_interpreter_bundled_inputs(htp_interpreter *interpreter, htp_arena *arena,
                                          const htp_input **inputs, uint32_t *count)
{
    const htp_interpreted *of = htp_interpreter_of(interpreter);
    const htp_runner *runner = of->runner;
    htp_machine *m = htp_machine_make(arena, interpreter, 1);
    *inputs = NULL;
    *count = 0;
    uint32_t lister = find_lister(m);
    if (lister == HTP_NONE) {
        return HTP_OK;
    }
    uint64_t mark = runner->mark(runner->self);
    runner->begin(runner->self);
    htp_outcome outcome = list_inputs(m, lister, inputs, count);
    runner->end(runner->self);
    runner->release(runner->self, mark);
    htp_status status = htp_machine_end(m, outcome);
    if (htp_status_code(status) != HTP_CODE_INTERNAL) {
        return status;
    }
    htp_status damaged = htp_status_make(HTP_CODE_BAD_INPUT, "%s", htp_status_message(status));
    htp_status_free(status);
    return damaged;
}
