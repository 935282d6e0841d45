#include "source/program/arguments.h"

enum { MAX_DEPTH = 8, MAX_ITEMS = 4096 };

typedef struct listing {
    htp_arena *arena;
    const htp_program *program;
    size_t items; /* parts of types so far */
} listing;

/* Value kinds of argument types. */
static const htp_trace_kind kinds[] = {
    [HTP_TYPE_OTHER] = HTP_TRACE_OPAQUE, [HTP_TYPE_TENSOR] = HTP_TRACE_TENSOR,
    [HTP_TYPE_LIST] = HTP_TRACE_LIST,    [HTP_TYPE_TUPLE] = HTP_TRACE_LIST,
    [HTP_TYPE_DICT] = HTP_TRACE_LIST,    [HTP_TYPE_OPTIONAL] = HTP_TRACE_OPAQUE,
    [HTP_TYPE_CLASS] = HTP_TRACE_OPAQUE, [HTP_TYPE_INT] = HTP_TRACE_INT,
    [HTP_TYPE_FLOAT] = HTP_TRACE_FLOAT,  [HTP_TYPE_BOOL] = HTP_TRACE_BOOL,
    [HTP_TYPE_NUMBER] = HTP_TRACE_FLOAT, [HTP_TYPE_STRING] = HTP_TRACE_STRING,
    [HTP_TYPE_NONE] = HTP_TRACE_OPAQUE,
};

static htp_argument describe(listing *l, const char *name, uint32_t number, unsigned depth);

static void add_items(listing *l, htp_argument *argument, const htp_program_type *type,
                      unsigned depth)
{
    l->items += type->part_count;
    if (depth >= MAX_DEPTH || l->items > MAX_ITEMS) {
        argument->kind = HTP_TRACE_OPAQUE;
        return;
    }
    argument->is_dict = type->kind == HTP_TYPE_DICT;
    argument->is_open = argument->is_dict || type->kind == HTP_TYPE_LIST;
    uint32_t first = argument->is_open ? type->part_count - 1 : 0; /* skips the keys of a dict */
    argument->item_count = type->part_count - first;
    htp_argument *items = HTP_NEW_ARRAY(l->arena, htp_argument, (size_t)argument->item_count + 1);
    for (uint32_t i = 0; i < argument->item_count; i++) {
        const char *name = argument->is_open ? "" : type->fields[i];
        items[i] = describe(l, name, type->parts[first + i], depth + 1);
    }
    argument->items = items;
}

static htp_argument describe(listing *l, const char *name, uint32_t number, unsigned depth)
{
    const htp_program_type *types = l->program->types;
    const htp_program_type *inner = &types[number];
    while (inner->kind == HTP_TYPE_OPTIONAL) {
        inner = &types[inner->parts[0]];
    }
    htp_argument argument = {
        .name = name,
        .kind = kinds[inner->kind],
        .type = types[number].text,
        .is_optional = inner != &types[number],
    };
    if (argument.kind == HTP_TRACE_LIST) {
        add_items(l, &argument, inner, depth);
    }
    return argument;
}

const htp_argument *htp_arguments_list(htp_arena *arena, const htp_program *program,
                                       uint32_t function, uint32_t *count)
{
    listing l = {.arena = arena, .program = program};
    const htp_program_schema *schema = &program->schemas[program->functions[function].schema];
    *count = schema->argument_count > 0 ? schema->argument_count - 1 : 0;
    if (*count == 0) {
        return NULL;
    }
    htp_argument *arguments = HTP_NEW_ARRAY(arena, htp_argument, *count);
    for (uint32_t i = 0; i < *count; i++) {
        const htp_program_argument *declared = &schema->arguments[i + 1];
        arguments[i] = describe(&l, declared->name, declared->type, 0);
        arguments[i].has_default = declared->default_data != HTP_NONE;
        arguments[i].is_optional = arguments[i].is_optional || arguments[i].has_default;
        arguments[i].default_value = declared->default_text;
    }
    return arguments;
}

const char *htp_arguments_returns(const htp_program *program, uint32_t function)
{
    const htp_program_schema *schema = &program->schemas[program->functions[function].schema];
    return schema->return_count > 0 ? program->types[schema->returns[0].type].text : "None";
}
