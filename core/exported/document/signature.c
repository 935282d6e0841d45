#include "exported/document/signature.h"

#include "base/json/json_tree.h"
#include "base/numbers.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_NESTED = 64 };

typedef struct reading {
    htp_arena *arena;
    const htp_exported_program *program;
    htp_numbers leaves; /* user inputs, in the order of the pytree */
    uint32_t taken;     /* number of them assigned */
    bool is_wrong;
} reading;

static const char *text_of(reading *r, const htp_json_node *node)
{
    size_t bytes;
    return node && node->kind == '"' ? htp_json_node_text(r->arena, node, &bytes) : "";
}

/* ---- nodes of a pytree ---- */

static const htp_json_node *children_of(reading *r, const htp_json_node *node, uint32_t *count)
{
    const htp_json_node *children = htp_json_member(node, "children_spec");
    bool is_list = children && children->kind == '[';
    r->is_wrong = r->is_wrong || !is_list;
    *count = is_list ? children->count : 0;
    return is_list ? htp_json_first(children) : node;
}

static bool is_leaf(const htp_json_node *node)
{
    const htp_json_node *type = htp_json_member(node, "type");
    return type && type->kind == 'n';
}

/* Names in a list of texts, or in a list around one. @return whether there are @p count */
static bool read_names(reading *r, const htp_json_node *list, uint32_t count, const char **names)
{
    if (list->kind != '[') {
        return false;
    }
    const htp_json_node *item = htp_json_first(list);
    bool are_texts = list->count == count;
    for (uint32_t i = 0; i < list->count; i++, item = htp_json_end_of(item)) {
        if (item->kind == '[' && item->count == count && read_names(r, item, count, names)) {
            return true;
        }
        are_texts = are_texts && item->kind == '"';
        if (are_texts) {
            names[i] = text_of(r, item);
        }
    }
    return are_texts;
}

/* The names of a node's children: keys of a dict, fields of a NamedTuple, or indices. */
static const char *const *names_of(reading *r, const htp_json_node *node, uint32_t count)
{
    const char **names = HTP_NEW_ARRAY(r->arena, const char *, (size_t)count + 1);
    const char *context = text_of(r, htp_json_member(node, "context"));
    const htp_exported_program *program = r->program;
    htp_json_failure failure;
    for (uint32_t i = 0; i < program->fields_count; i++) {
        if (program->fields[i].count == count && strcmp(program->fields[i].type, context) == 0) {
            return program->fields[i].names;
        }
    }
    const htp_json_node *root =
        *context ? htp_json_tree_read(r->arena, context, strlen(context), &failure) : NULL;
    if (count > 0 && root && read_names(r, root, count, names)) {
        return names;
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = htp_arena_printf(r->arena, "%" PRIu32, i);
    }
    return names;
}

/* ---- arguments ---- */

/* The type of an input, in TorchScript's syntax. */
static htp_argument describe_leaf(reading *r, const htp_exported_input *input)
{
    static const struct {
        htp_exported_kind kind;
        htp_trace_kind as;
        const char *type;
    } fixed[] = {{HTP_EXPORTED_INT, HTP_TRACE_INT, "int"},
                 {HTP_EXPORTED_FLOAT, HTP_TRACE_FLOAT, "float"},
                 {HTP_EXPORTED_BOOL, HTP_TRACE_BOOL, "bool"},
                 {HTP_EXPORTED_STRING, HTP_TRACE_STRING, "str"}};
    const htp_exported_argument *argument = &input->argument;
    if (argument->kind == HTP_EXPORTED_VALUE) {
        const htp_exported_value *value = &r->program->values.items[argument->value];
        bool is_tensor = value->kind == HTP_TRACE_TENSOR;
        return (htp_argument){.kind = value->kind,
                              .type = is_tensor                        ? "Tensor"
                                      : value->kind == HTP_TRACE_FLOAT ? "float"
                                      : value->kind == HTP_TRACE_BOOL  ? "bool"
                                                                       : "int"};
    }
    htp_argument described = {.kind = HTP_TRACE_OPAQUE,
                              .type = "NoneType",
                              .is_optional = true,
                              .has_default = true,
                              .default_value = "None"};
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (argument->kind == fixed[i].kind) {
            htp_text text = {.arena = r->arena};
            described.kind = fixed[i].as;
            described.type = fixed[i].type;
            if (argument->kind == HTP_EXPORTED_STRING) {
                htp_text_add_repr(&text, argument->s);
            } else if (argument->kind == HTP_EXPORTED_FLOAT) {
                htp_text_add_double(&text, argument->f);
            } else if (argument->kind == HTP_EXPORTED_BOOL) {
                htp_text_add(&text, argument->i ? "True" : "False");
            } else {
                htp_text_addf(&text, "%" PRId64, argument->i);
            }
            described.default_value = htp_text_string(&text);
        }
    }
    return described;
}

/* The type of a container: "Tuple[Tensor, int]". */
static const char *type_of(reading *r, const htp_argument *items, uint32_t count)
{
    htp_text text = {.arena = r->arena};
    htp_text_add(&text, "Tuple[");
    for (uint32_t i = 0; i < count; i++) {
        htp_text_add(&text, i ? ", " : "");
        htp_text_add(&text, items[i].type);
    }
    htp_text_add(&text, "]");
    return htp_text_string(&text);
}

/* Reads an argument or a part of one, recursively. */
static void read_part(reading *r, const htp_json_node *node, int depth, htp_exported_part *part,
                      htp_argument *argument)
{
    part->input = HTP_NONE;
    if (is_leaf(node)) {
        if (r->taken == r->leaves.count) {
            r->is_wrong = true;
            *argument = (htp_argument){.name = part->name, .type = ""};
            return;
        }
        part->input = r->leaves.items[r->taken++];
        *argument = describe_leaf(r, &r->program->inputs[part->input]);
        argument->name = part->name;
        return;
    }
    const htp_json_node *child = children_of(r, node, &part->count);
    if (depth == MOST_NESTED) {
        r->is_wrong = true;
        part->count = 0;
    }
    const char *const *names = names_of(r, node, part->count);
    htp_exported_part *parts = HTP_NEW_ARRAY(r->arena, htp_exported_part, (size_t)part->count + 1);
    htp_argument *items = HTP_NEW_ARRAY(r->arena, htp_argument, (size_t)part->count + 1);
    for (uint32_t i = 0; i < part->count; i++, child = htp_json_end_of(child)) {
        parts[i].name = names[i];
        parts[i].flat_name = htp_arena_join(r->arena, part->flat_name, "_", names[i]);
        parts[i].path = htp_arena_join(r->arena, part->path, ".", names[i]);
        read_part(r, child, depth + 1, &parts[i], &items[i]);
    }
    part->parts = parts;
    *argument = (htp_argument){.name = part->name,
                               .kind = HTP_TRACE_LIST,
                               .type = type_of(r, items, part->count),
                               .items = items,
                               .item_count = part->count};
}

/* The name of an argument: forward()'s, or the program's own. */
static const char *argument_name(reading *r, uint32_t index, const char *key)
{
    const htp_exported_program *program = r->program;
    if (key) {
        return key;
    }
    if (index < program->argument_name_count) {
        return program->argument_names[index];
    }
    if (r->taken < r->leaves.count) {
        const htp_exported_argument *next = &program->inputs[r->leaves.items[r->taken]].argument;
        if (next->kind == HTP_EXPORTED_VALUE) {
            return program->values.items[next->value].name;
        }
    }
    return htp_arena_printf(r->arena, "args_%" PRIu32, index);
}

typedef struct listing {
    HTP_VECTOR(htp_exported_part) parts;
    HTP_VECTOR(htp_argument) arguments;
} listing;

static void add_argument(reading *r, const htp_json_node *node, const char *key, listing *list)
{
    const char *name = argument_name(r, (uint32_t)list->parts.count, key);
    htp_exported_part part = {.name = name, .flat_name = name, .path = name};
    htp_argument argument = {.name = name};
    read_part(r, node, 0, &part, &argument);
    HTP_PUSH(r->arena, &list->parts, part);
    HTP_PUSH(r->arena, &list->arguments, argument);
}

/* The root is a tuple of positional arguments, and a dict of keyword arguments. */
static void read_arguments(reading *r, const htp_json_node *root, listing *list)
{
    uint32_t count;
    uint32_t positional;
    uint32_t keyed;
    const htp_json_node *half = children_of(r, root, &count);
    if (count != 2) {
        r->is_wrong = true;
        return;
    }
    const htp_json_node *child = children_of(r, half, &positional);
    for (uint32_t i = 0; i < positional; i++, child = htp_json_end_of(child)) {
        add_argument(r, child, NULL, list);
    }
    half = htp_json_end_of(half);
    child = children_of(r, half, &keyed);
    const char *const *names = names_of(r, half, keyed);
    for (uint32_t i = 0; i < keyed; i++, child = htp_json_end_of(child)) {
        add_argument(r, child, names[i], list);
    }
}

/* Without a pytree each input is an argument. */
static void read_flat(reading *r, listing *list)
{
    static const htp_json_node leaf[] = {{.kind = '{', .span = 3, .count = 1},
                                         {.kind = '"', .at = "type", .length = 4, .span = 1},
                                         {.kind = 'n', .span = 1}};
    while (r->taken < r->leaves.count) {
        add_argument(r, leaf, NULL, list);
    }
}

/* ---- results ---- */

static void write_type(reading *r, const htp_json_node *node, int depth, htp_text *text)
{
    uint32_t count;
    if (is_leaf(node) || depth == MOST_NESTED) {
        htp_text_add(text, "Tensor");
        return;
    }
    const htp_json_node *child = children_of(r, node, &count);
    htp_text_add(text, "Tuple[");
    for (uint32_t i = 0; i < count; i++, child = htp_json_end_of(child)) {
        htp_text_add(text, i ? ", " : "");
        write_type(r, child, depth + 1, text);
    }
    htp_text_add(text, "]");
}

/* Parses the pytree in a text, "[1, {...}]"; NULL if there is none. */
static const htp_json_node *read_spec(reading *r, const char *spec)
{
    htp_json_failure failure;
    const htp_json_node *root =
        spec ? htp_json_tree_read(r->arena, spec, strlen(spec), &failure) : NULL;
    bool is_one = root && root->kind == '[' && root->count == 2;
    const htp_json_node *tree = is_one ? htp_json_end_of(htp_json_first(root)) : NULL;
    return tree && tree->kind == '{' ? tree : NULL;
}

/* An object, as torch.export takes some, has no type in ONNX. */
static bool is_object(const htp_exported_program *program, const htp_exported_argument *argument)
{
    return argument->kind == HTP_EXPORTED_OTHER ||
           (argument->kind == HTP_EXPORTED_VALUE &&
            program->values.items[argument->value].kind == HTP_TRACE_OPAQUE);
}

htp_status htp_exported_signature_read(htp_arena *arena, const htp_exported_program *program,
                                       htp_exported_signature *signature)
{
    reading r = {.arena = arena, .program = program};
    listing list = {.parts = {0}};
    htp_text returns = {.arena = arena};
    for (uint32_t i = 0; i < program->input_count; i++) {
        if (program->inputs[i].kind == HTP_EXPORTED_USER_INPUT ||
            program->inputs[i].kind == HTP_EXPORTED_CONSTANT_INPUT) {
            if (is_object(program, &program->inputs[i].argument)) {
                return htp_status_make(HTP_CODE_UNSUPPORTED,
                                       "an argument (%s) is an object; a model takes tensors and "
                                       "numbers",
                                       program->inputs[i].argument.s);
            }
            HTP_PUSH(arena, &r.leaves, i);
        }
    }
    const htp_json_node *root = read_spec(&r, program->in_spec);
    if (root) {
        read_arguments(&r, root, &list);
    } else {
        read_flat(&r, &list);
    }
    if (r.is_wrong || r.taken != r.leaves.count) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "damaged program: its arguments are not those of its graph; export "
                               "it again");
    }
    root = read_spec(&r, program->out_spec);
    if (root) {
        write_type(&r, root, 0, &returns);
    }
    *signature =
        (htp_exported_signature){list.parts.items, list.arguments.items, (uint32_t)list.parts.count,
                                 root ? htp_text_string(&returns) : "Tensor"};
    return HTP_OK;
}
