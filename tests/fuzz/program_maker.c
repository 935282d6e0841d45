/*
 * Generates programs from bytes: types, schemas, objects and functions. program_nodes.c generates
 * their nodes.
 */
#include "program_maker.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const fuzz_signature fuzz_signatures[FUZZ_FUNCTIONS] = {
    {"forward", 0, "k", "*"}, {"helper", 0, "kti", "t"}, {"forward", 1, "kt", "t"},
    {"step", 1, "ktl", "l"},  {"free", -1, "tin", "t"},  {NULL, -1, "t", "t"},
};

/* ---- types ---- */

static const struct {
    char letter;
    htp_type_kind kind;
    const char *text;
    const char *parts;
} types[] = {
    {'t', HTP_TYPE_TENSOR, "Tensor", ""},
    {'i', HTP_TYPE_INT, "int", ""},
    {'f', HTP_TYPE_FLOAT, "float", ""},
    {'b', HTP_TYPE_BOOL, "bool", ""},
    {'s', HTP_TYPE_STRING, "str", ""},
    {'z', HTP_TYPE_NONE, "NoneType", ""},
    {'*', HTP_TYPE_OTHER, "t", ""},
    {'x', HTP_TYPE_OTHER, "Future[Tensor]", "t"},
    {'o', HTP_TYPE_OPTIONAL, "Optional[Tensor]", "t"},
    {'l', HTP_TYPE_LIST, "List[Tensor]", "t"},
    {'n', HTP_TYPE_LIST, "List[int]", "i"},
    {'g', HTP_TYPE_LIST, "List[List[Tensor]]", "l"},
    {'p', HTP_TYPE_TUPLE, "Tuple[Tensor, int]", "ti"},
    {'d', HTP_TYPE_DICT, "Dict[str, Tensor]", "st"},
    {'k', HTP_TYPE_CLASS, "__torch__.Block", ""},
};

static void make_types(fuzz_maker *m)
{
    static const char *const fields[] = {"0", "1"};
    program_fixture *p = m->program;
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        uint32_t count = (uint32_t)strlen(types[i].parts);
        uint32_t *parts = HTP_NEW_ARRAY(m->arena, uint32_t, (size_t)count + 1);
        for (uint32_t k = 0; k < count; k++) {
            parts[k] = m->types[(unsigned char)types[i].parts[k]];
        }
        m->types[(unsigned char)types[i].letter] = (uint32_t)p->types.count;
        HTP_PUSH(m->arena, &p->types,
                 (htp_program_type){.kind = types[i].kind,
                                    .text = types[i].text,
                                    .parts = parts,
                                    .part_count = count,
                                    .fields = fields,
                                    .class_number = 1,
                                    .is_free = types[i].letter == '*'});
    }
}

/* ---- schemas ---- */

/* Arguments or results, one per letter. */
static htp_program_argument *make_arguments(fuzz_maker *m, const char *letters, uint32_t *count)
{
    htp_program_argument *made = HTP_NEW_ARRAY(m->arena, htp_program_argument, strlen(letters) + 1);
    *count = 0;
    for (const char *at = letters; *at; at++) {
        if (*at == '!') {
            made[*count - 1].is_written = true;
            made[*count - 1].is_alias = true;
        } else if (*at != '+') {
            made[(*count)++] =
                (htp_program_argument){.name = htp_arena_printf(m->arena, "a%u", *count),
                                       .type = m->types[(unsigned char)*at],
                                       .default_data = HTP_NONE};
        }
    }
    return made;
}

/* Built-in constructs have no schema. */
static void make_schema(fuzz_maker *m, const char *kind, const char *takes, const char *gives)
{
    program_fixture *p = m->program;
    const char *dot = strchr(kind, '.');
    htp_program_schema schema = {
        .kind = kind,
        .name = htp_arena_copy(m->arena, kind, strcspn(kind, ".")),
        .overload = dot ? dot + 1 : "",
        .is_mutable = strchr(takes, '!') != NULL,
    };
    if (strncmp(kind, "prim::", strlen("prim::")) == 0) {
        return;
    }
    schema.arguments = make_arguments(m, takes, &schema.argument_count);
    schema.returns = make_arguments(m, gives, &schema.return_count);
    htp_map_set(m->arena, &p->schema_names, kind, (uint32_t)p->schemas.count);
    HTP_PUSH(m->arena, &p->schemas, schema);
}

/* ---- data and objects ---- */

static htp_program_data tensor_of(fuzz_maker *m, const int64_t *dims, uint32_t rank)
{
    htp_tensor_view *view = HTP_NEW(m->arena, htp_tensor_view);
    int64_t *strides = HTP_NEW_ARRAY(m->arena, int64_t, (size_t)rank + 1);
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = step;
        step *= dims[i];
    }
    *view = (htp_tensor_view){.type = HTP_SCALAR_FLOAT,
                              .rank = rank,
                              .dims = dims,
                              .strides = strides,
                              .is_plain = true,
                              .storage = m->program->data.count + 1,
                              .is_readable = true};
    return (htp_program_data){.kind = HTP_DATA_TENSOR, .tensor = view};
}

static htp_program_data holder_of(fuzz_maker *m, htp_data_kind kind, const char *letters)
{
    uint32_t count = (uint32_t)strlen(letters);
    uint32_t *elements = HTP_NEW_ARRAY(m->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        elements[i] = fuzz_make_data(m, letters[i]);
    }
    return (htp_program_data){.kind = kind, .elements = elements, .element_count = count};
}

uint32_t fuzz_make_data(fuzz_maker *m, char type)
{
    static const int64_t numbers[] = {0, 1, 2, -1, 3, 6, 7, 300, 1 << 20, INT64_MAX, INT64_MIN};
    static const int64_t dims[] = {2, 3, 4};
    static const char *const strings[] = {"a", "b", "", "{} {}"};
    htp_program_data data = {.kind = HTP_DATA_NONE};
    switch (type) {
    case 't':
        data = tensor_of(m, dims, fuzz_take(m->bytes, COUNT_OF(dims) + 1));
        break;
    case 'i':
        data.kind = HTP_DATA_INT;
        data.number = numbers[fuzz_take(m->bytes, COUNT_OF(numbers))];
        break;
    case 'b':
        data.kind = HTP_DATA_BOOL;
        data.number = fuzz_take(m->bytes, 2);
        break;
    case 'f':
        data.kind = HTP_DATA_FLOAT;
        data.real = (double)numbers[fuzz_take(m->bytes, COUNT_OF(numbers))] / 2;
        break;
    case 's':
        data.kind = HTP_DATA_STRING;
        data.string = strings[fuzz_take(m->bytes, COUNT_OF(strings))];
        data.bytes = strlen(data.string);
        break;
    case 'l':
        data = holder_of(m, HTP_DATA_LIST, fuzz_take(m->bytes, 2) ? "tt" : "");
        break;
    case 'n':
        data = holder_of(m, HTP_DATA_LIST, "ii");
        break;
    case 'p':
        data = holder_of(m, HTP_DATA_TUPLE, "ti");
        break;
    case 'd':
        data = holder_of(m, HTP_DATA_DICT, fuzz_take(m->bytes, 2) ? "stst" : "");
        break;
    default:
        break;
    }
    return program_add_data(m->program, data);
}

/* The attributes' contents. Tensors are weights, numbered like their data; a Net has Blocks, a
 * Block the next one. */
static void make_objects(fuzz_maker *m)
{
    static const char *const names[] = {"w",     "h",    "n",     "rows",    "flag", "text",
                                        "table", "pair", "maybe", "numbers", "block"};
    static const char letters[] = "ttilbsdpon";
    /* The beginning of the other's name makes it one of PyTorch's own managers of with blocks. */
    static const char *const classes[] = {"Net", "torch.autograd.grad_mode.Block"};
    enum { OBJECTS = 3 };
    program_fixture *p = m->program;
    for (size_t c = 0; c < COUNT_OF(classes); c++) {
        HTP_PUSH(m->arena, &p->classes,
                 (htp_program_class){.name = classes[c],
                                     .plain_name = classes[c],
                                     .attributes = names,
                                     .attribute_count = COUNT_OF(names)});
    }
    for (uint32_t object = 0; object < OBJECTS; object++) {
        program_numbers slots = {0};
        for (const char *at = letters; *at; at++) {
            HTP_PUSH(m->arena, &slots, fuzz_make_data(m, *at));
        }
        htp_program_data next = {.kind = object + 1 < OBJECTS ? HTP_DATA_OBJECT : HTP_DATA_NONE,
                                 .object = object + 1};
        HTP_PUSH(m->arena, &slots, program_add_data(p, next));
        HTP_PUSH(m->arena, &p->objects, (htp_program_object){.class_number = object > 0});
        HTP_PUSH(m->arena, &p->slots, slots);
    }
}

/* ---- functions ---- */

static void begin_function(fuzz_maker *m, uint32_t function)
{
    program_fixture *p = m->program;
    memset(&p->values, 0, sizeof(p->values));
    memset(&p->nodes, 0, sizeof(p->nodes));
    memset(&p->blocks, 0, sizeof(p->blocks));
    memset(&m->known, 0, sizeof(m->known));
    memset(&m->nodes, 0, sizeof(m->nodes));
    m->function = function;
}

/* The nodes of the blocks in one table. */
static void join_blocks(fuzz_maker *m)
{
    program_fixture *p = m->program;
    for (size_t b = 0; b < m->nodes.count; b++) {
        const fuzz_nodes *nodes = &m->nodes.items[b];
        p->blocks.items[b].first_node = (uint32_t)p->nodes.count;
        p->blocks.items[b].node_count = (uint32_t)nodes->count;
        for (size_t i = 0; i < nodes->count; i++) {
            const htp_program_node *node = &nodes->items[i];
            for (uint32_t k = 0; k < node->output_count; k++) {
                p->values.items[node->outputs[k]].producer = (uint32_t)p->nodes.count;
            }
            HTP_PUSH(m->arena, &p->nodes, *node);
        }
    }
}

static uint32_t make_schema_of(fuzz_maker *m, const fuzz_signature *signature, const char *takes)
{
    htp_program_schema schema = {.kind = signature->name, .name = signature->name, .overload = ""};
    if (!signature->name) {
        return HTP_NONE;
    }
    schema.arguments = make_arguments(m, takes, &schema.argument_count);
    schema.returns = make_arguments(m, signature->gives, &schema.return_count);
    HTP_PUSH(m->arena, &m->program->schemas, schema);
    return (uint32_t)m->program->schemas.count - 1;
}

static void make_function(fuzz_maker *m, uint32_t number, const char *inputs)
{
    program_fixture *p = m->program;
    const fuzz_signature *signature = &fuzz_signatures[number];
    const char *takes = htp_arena_printf(m->arena, "%s%s", signature->takes, inputs);
    program_numbers values = {0};
    begin_function(m, number);
    for (const char *at = takes; *at; at++) {
        HTP_PUSH(m->arena, &values, fuzz_make_value(m, *at));
    }
    HTP_PUSH(m->arena, &p->blocks,
             (htp_program_block){.inputs = values.items, .input_count = (uint32_t)values.count});
    HTP_PUSH(m->arena, &m->nodes, (fuzz_nodes){0});
    fuzz_make_block(m, 0, signature->gives);
    join_blocks(m);
    program_end_function(p, number, signature->name, make_schema_of(m, signature, takes));
}

static void declare_functions(fuzz_maker *m)
{
    program_fixture *p = m->program;
    for (uint32_t i = 0; i < FUZZ_FUNCTIONS; i++) {
        const fuzz_signature *signature = &fuzz_signatures[i];
        if (signature->owner >= 0) {
            const char *owner = signature->owner ? "Block" : "Net";
            htp_map_set(m->arena, &p->class_names, owner, (uint32_t)signature->owner);
            program_add_method(p, htp_arena_printf(m->arena, "%s.%s", owner, signature->name), i);
        }
        HTP_PUSH(m->arena, &p->functions, (htp_program_function){0});
    }
}

/* ---- all of it ---- */

/* The method's inputs. @return their types */
static const char *make_inputs(fuzz_maker *m, const char **inputs)
{
    static const struct {
        const char *text;
        const char *letter;
    } rows[] = {
        {"[2,?]", "t"}, {"[2,3,4]", "t"}, {"[?,4,?]", "t"}, {"long[4]", "t"}, {"mask[?]", "t"},
        {"[]", "t"},    {"3", "i"},       {"int", "i"},     {"bool", "b"},    {"None", "o"},
    };
    enum { MAX_INPUTS = 4 };
    const char *letters = "";
    *inputs = "";
    for (uint32_t left = 1 + fuzz_take(m->bytes, MAX_INPUTS); left > 0; left--) {
        uint32_t row = fuzz_take(m->bytes, COUNT_OF(rows));
        *inputs =
            htp_arena_printf(m->arena, "%s%s%s", *inputs, **inputs ? " " : "", rows[row].text);
        letters = htp_arena_printf(m->arena, "%s%s", letters, rows[row].letter);
    }
    return letters;
}

const htp_program *fuzz_make_program(htp_arena *arena, fuzz_bytes *bytes, const char **inputs)
{
    const htp_program *program = program_read(arena, runner_schemas_text(arena));
    fuzz_maker *m = HTP_NEW(arena, fuzz_maker);
    program_fixture *p = program->reader;
    *m = (fuzz_maker){.arena = arena, .program = p, .bytes = bytes};
    make_types(m);
#define ROW(kind, takes, gives) make_schema(m, kind, takes, gives);
#include "program_rows.def"
#undef ROW
    const char *given = make_inputs(m, inputs);
    make_objects(m);
    declare_functions(m);
    for (uint32_t i = 0; i < FUZZ_FUNCTIONS; i++) {
        make_function(m, i, i == 0 ? given : "");
    }
    program_publish(p);
    return program;
}
