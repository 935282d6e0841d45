/*
 * Makes the method's arguments by their declared types: tensors without contents, numbers, and
 * tuples, lists and dicts of them.
 */
#include "interpret/method.h"

#include "base/dtype.h"
#include "interpret/steps/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 32 };

/* An argument or a part of one. The path is that of the given input ("past.0"), the name that of
 * the exported model ("past_0"). */
typedef struct part {
    htp_program_type type;
    const char *path;
    const char *name;
    int depth;
} part;

static htp_outcome make_part(htp_machine *m, const part *whole, uint32_t type,
                             const htp_input *input, htp_item **item);

/* ---- messages ---- */

static const char *describe(htp_machine *m, const part *part)
{
    return htp_arena_printf(m->arena, "argument \"%s\" of %s()", part->path, m->method);
}

static htp_outcome refuse(htp_machine *m, const part *part, const char *given)
{
    return htp_machine_stop(m, HTP_BAD_INPUTS, "%s is a %s, not a %s", describe(m, part),
                            part->type.text, given);
}

/* ---- tensors ---- */

static htp_outcome make_tensor(htp_machine *m, const part *part, const htp_input *input,
                               htp_item **item)
{
    int32_t type = htp_dtype_scalar_type(input->dtype);
    if (part->type.kind != HTP_TYPE_TENSOR) {
        return refuse(m, part, "tensor");
    }
    htp_item *made = htp_item_make(m, HTP_ITEM_TENSOR);
    made->name = part->name;
    if (type < 0) {
        return htp_machine_stop(m, HTP_BAD_INPUTS,
                                "an input has a dtype that libtorch does not know");
    }
    for (uint32_t lane = 0; lane < m->lane_count; lane++) {
        const htp_runner_tensor *tensor = NULL;
        HTP_DO(htp_tensor_empty(m, type, input->dims[lane], input->rank, &tensor));
        made->lane[lane] = (htp_operand){.kind = HTP_OPERAND_TENSOR, .as.tensor = tensor};
    }
    *item = made;
    return htp_item_settle_empty(m, made);
}

/* ---- numbers ---- */

/* A number that becomes an input of the exported model. An int may be used as a size, so every lane
 * gets a made-up one. */
static htp_outcome make_open(htp_machine *m, const part *part, const htp_input *input,
                             htp_item **item)
{
    htp_type_kind kind = part->type.kind;
    bool is_any = kind == HTP_TYPE_NUMBER;
    if (kind == HTP_TYPE_INT || (is_any && input->dtype == HTP_DTYPE_INT64)) {
        htp_trace_size size;
        HTP_DO(htp_recording_new_size(m, part->name, &size));
        *item = htp_item_int(m, size.sizes[0]);
        htp_item_take_size(m, *item, &size);
    } else if (kind == HTP_TYPE_BOOL) {
        *item = htp_item_bool(m, false);
        (*item)->known = HTP_KNOWN_OPEN;
    } else if (is_any || kind == HTP_TYPE_FLOAT) {
        *item = htp_item_float(m, 0.0);
        (*item)->known = HTP_KNOWN_OPEN;
    } else {
        return refuse(m, part, "number");
    }
    (*item)->name = part->name;
    return HTP_GOES_ON;
}

static htp_outcome make_number(htp_machine *m, const part *part, const htp_input *input,
                               htp_item **item)
{
    if (input->is_open) {
        return make_open(m, part, input, item);
    }
    switch (part->type.kind) {
    case HTP_TYPE_INT:
        *item = htp_item_int(m, (int64_t)input->scalar);
        return HTP_GOES_ON;
    case HTP_TYPE_BOOL:
        *item = htp_item_bool(m, input->scalar != 0);
        return HTP_GOES_ON;
    case HTP_TYPE_FLOAT:
    case HTP_TYPE_NUMBER:
        *item = htp_item_float(m, input->scalar);
        return HTP_GOES_ON;
    default:
        return refuse(m, part, "number");
    }
}

/* ---- tuples, lists and dicts ---- */

static part part_of(htp_machine *m, const part *whole, const char *name)
{
    return (part){.path = htp_arena_printf(m->arena, "%s.%s", whole->path, name),
                  .name = htp_arena_printf(m->arena, "%s_%s", whole->name, name),
                  .depth = whole->depth + 1};
}

/* The path of an item within its container. */
static htp_outcome add_part(htp_machine *m, const part *whole, uint32_t type, const char *name,
                            const htp_input *input, htp_items *elements)
{
    const part one = part_of(m, whole, name);
    htp_item *element = NULL;
    HTP_DO(make_part(m, &one, type, input, &element));
    htp_items_push(m, elements, element);
    return HTP_GOES_ON;
}

static const char *name_of(const htp_input *input)
{
    return input->name ? input->name : "";
}

static const char *number_text(htp_machine *m, uint32_t number)
{
    return htp_arena_printf(m->arena, "%" PRIu32, number);
}

/* Items by name; of duplicates the first counts. */
static htp_map list_items(htp_machine *m, const htp_input *input)
{
    htp_map items = {0};
    for (uint32_t i = input->count; i-- > 0;) {
        if (input->items[i].name) {
            htp_map_set(m->arena, &items, input->items[i].name, i);
        }
    }
    return items;
}

/* The item of a name, or NULL. */
static const htp_input *find_item(const htp_map *items, const htp_input *input, const char *name)
{
    uint32_t index = 0;
    return htp_map_get(items, name, &index) ? &input->items[index] : NULL;
}

/* Checks that every given item is one of the expected names. */
static htp_outcome check_fields(htp_machine *m, const part *part, const htp_input *input)
{
    htp_map names = {0};
    for (uint32_t i = 0; i < part->type.part_count; i++) {
        htp_map_set(m->arena, &names, part->type.fields[i], i);
        htp_map_set(m->arena, &names, number_text(m, i), i);
    }
    for (uint32_t i = 0; i < input->count; i++) {
        const char *name = name_of(&input->items[i]);
        if (!htp_map_get(&names, name, NULL)) {
            return htp_machine_stop(m, HTP_BAD_INPUTS, "%s is a %s, which has no \"%s\"",
                                    describe(m, part), part->type.text, name);
        }
    }
    return HTP_GOES_ON;
}

/* Parts of a NamedTuple can be given by number, too. */
static htp_outcome make_tuple(htp_machine *m, const part *part, const htp_input *input,
                              htp_item **item)
{
    htp_items elements = {0};
    const htp_map items = list_items(m, input);
    HTP_DO(check_fields(m, part, input));
    for (uint32_t i = 0; i < part->type.part_count; i++) {
        const char *field = part->type.fields[i];
        const htp_input *given = find_item(&items, input, field);
        given = given ? given : find_item(&items, input, number_text(m, i));
        HTP_DO(add_part(m, part, part->type.parts[i], field, given, &elements));
    }
    *item = htp_item_hold(m, HTP_ITEM_TUPLE, &elements);
    return HTP_GOES_ON;
}

static htp_outcome make_list(htp_machine *m, const part *part, const htp_input *input,
                             htp_item **item)
{
    htp_items elements = {0};
    const htp_map items = list_items(m, input);
    for (uint32_t i = 0; i < input->count; i++) {
        const char *name = number_text(m, i);
        const htp_input *given = find_item(&items, input, name);
        HTP_DO(add_part(m, part, part->type.parts[0], name, given, &elements));
    }
    *item = htp_item_hold(m, HTP_ITEM_LIST, &elements);
    return HTP_GOES_ON;
}

static htp_outcome make_key(htp_machine *m, const part *part, const char *name, htp_item **item)
{
    const htp_program_type type = m->program->types[part->type.parts[0]];
    if (type.kind == HTP_TYPE_STRING) {
        *item = htp_item_text(m, name, strlen(name));
        return HTP_GOES_ON;
    }
    if (type.kind != HTP_TYPE_INT) {
        return htp_machine_stop(m, HTP_UNSUPPORTED,
                                "%s is a dict with keys of type %s; str and int can be given",
                                describe(m, part), type.text);
    }
    errno = 0;
    long long number = strtoll(name, NULL, 10);
    if (errno != 0 || strcmp(htp_arena_printf(m->arena, "%lld", number), name) != 0) {
        return htp_machine_stop(m, HTP_BAD_INPUTS, "%s has keys of type int; \"%s\" is no int",
                                describe(m, part), name);
    }
    *item = htp_item_int(m, number);
    return HTP_GOES_ON;
}

/* Keys have the order of the given items. */
static htp_outcome make_dict(htp_machine *m, const part *part, const htp_input *input,
                             htp_item **item)
{
    htp_items elements = {0};
    for (uint32_t i = 0; i < input->count; i++) {
        const char *name = name_of(&input->items[i]);
        htp_item *key = NULL;
        HTP_DO(make_key(m, part, name, &key));
        htp_items_push(m, &elements, key);
        HTP_DO(add_part(m, part, part->type.parts[1], name, &input->items[i], &elements));
    }
    *item = htp_item_hold(m, HTP_ITEM_DICT, &elements);
    return HTP_GOES_ON;
}

static htp_outcome make_nested(htp_machine *m, const part *part, const htp_input *input,
                               htp_item **item)
{
    switch (part->type.kind) {
    case HTP_TYPE_TUPLE:
        return make_tuple(m, part, input, item);
    case HTP_TYPE_LIST:
        return make_list(m, part, input, item);
    case HTP_TYPE_DICT:
        return make_dict(m, part, input, item);
    default:
        return refuse(m, part, "tuple, list or dict");
    }
}

/* ---- arguments ---- */

/* @param whole  all but the type, which is the program's @p type */
static htp_outcome make_part(htp_machine *m, const part *whole, uint32_t type,
                             const htp_input *input, htp_item **item)
{
    part inner = *whole;
    inner.type = m->program->types[type];
    if (inner.depth > MAX_NESTING) {
        return htp_machine_stop(m, HTP_UNSUPPORTED, "%s is nested too deeply", describe(m, &inner));
    }
    bool is_optional = inner.type.kind == HTP_TYPE_OPTIONAL;
    if (!input || input->is_none) {
        if (!is_optional && inner.type.kind != HTP_TYPE_NONE) {
            return htp_machine_stop(m, HTP_BAD_INPUTS, "%s is missing", describe(m, &inner));
        }
        *item = htp_item_none(m);
        return HTP_GOES_ON;
    }
    if (is_optional) {
        inner.type = m->program->types[inner.type.parts[0]];
    }
    return input->is_nested   ? make_nested(m, &inner, input, item)
           : input->is_scalar ? make_number(m, &inner, input, item)
                              : make_tensor(m, &inner, input, item);
}

htp_outcome htp_arguments_make(htp_machine *m, const htp_input *inputs, uint32_t count,
                               htp_items *arguments)
{
    htp_loaded_function *code = NULL;
    HTP_DO(htp_machine_load(m, m->program->method, &code));
    const htp_program_schema schema = m->program->schemas[code->function.schema];
    for (uint32_t i = 0; i + 1 < schema.argument_count; i++) {
        const htp_program_argument *argument = &schema.arguments[i + 1];
        const htp_input *input = i < count ? &inputs[i] : NULL;
        const part whole = {.path = argument->name, .name = argument->name};
        bool is_given = input && !input->is_none;
        htp_item *item = NULL;
        if (!is_given && argument->default_data != HTP_NONE) {
            HTP_DO(htp_constant_of(m, argument->default_data, &item));
        } else {
            HTP_DO(make_part(m, &whole, argument->type, input, &item));
        }
        htp_items_push(m, arguments, item);
    }
    return HTP_GOES_ON;
}
