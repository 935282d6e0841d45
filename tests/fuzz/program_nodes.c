/*
 * The bodies of generated functions: nodes and blocks, which read values that are visible there.
 */
#include "program_maker.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { MAX_DEPTH = 6, MAX_OPERANDS = 8, ONE_IN = 24 };

uint32_t fuzz_make_value(fuzz_maker *m, char type)
{
    uint32_t value = (uint32_t)m->program->values.count;
    HTP_PUSH(m->arena, &m->program->values,
             (htp_program_value){.name = htp_arena_printf(m->arena, "v%u", value),
                                 .type = m->types[(unsigned char)type],
                                 .producer = HTP_NONE});
    HTP_PUSH(m->arena, &m->known, (fuzz_known){value, type});
    return value;
}

/* ---- nodes ---- */

static htp_program_node node_of(const char *kind)
{
    return (htp_program_node){
        .kind = kind, .schema = HTP_NONE, .data = HTP_NONE, .function = HTP_NONE};
}

static void add_node(fuzz_maker *m, uint32_t block, const htp_program_node *node)
{
    HTP_PUSH(m->arena, &m->nodes.items[block], *node);
}

static void add_input(fuzz_maker *m, htp_program_node *node, uint32_t value)
{
    uint32_t *inputs = htp_arena_grow(m->arena, node->inputs, node->input_count,
                                      (size_t)node->input_count + 1, sizeof(*inputs));
    inputs[node->input_count++] = value;
    node->inputs = inputs;
}

static void make_outputs(fuzz_maker *m, htp_program_node *node, const char *types)
{
    uint32_t *outputs = HTP_NEW_ARRAY(m->arena, uint32_t, strlen(types) + 1);
    for (const char *at = types; *at; at++) {
        if (*at != '!') {
            outputs[node->output_count++] = fuzz_make_value(m, *at);
        }
    }
    node->outputs = outputs;
}

static uint32_t make_constant(fuzz_maker *m, uint32_t block, char type)
{
    char made[] = {type, '\0'};
    htp_program_node node = node_of("prim::Constant");
    node.data = fuzz_make_data(m, type);
    make_outputs(m, &node, made);
    add_node(m, block, &node);
    return node.outputs[0];
}

/* A value of a type; sometimes of another one. */
static uint32_t find_value(fuzz_maker *m, uint32_t block, char type)
{
    uint32_t choice = fuzz_take(m->bytes, 256);
    size_t count = m->known.count;
    bool is_any = type == '*' || choice % ONE_IN == ONE_IN - 1;
    for (size_t i = 0; i < count && choice % 4 != 3; i++) {
        const fuzz_known *known = &m->known.items[(count - 1 - choice / 4 % count + i) % count];
        if (is_any || known->type == type || (type == 'o' && known->type == 't')) {
            return known->value;
        }
    }
    return make_constant(m, block, type);
}

static void find_inputs(fuzz_maker *m, uint32_t block, htp_program_node *node, const char *types)
{
    for (const char *at = types; *at && node->input_count < MAX_OPERANDS; at++) {
        bool is_many = at[1] == '+';
        uint32_t more = is_many ? fuzz_take(m->bytes, 4) : 1;
        for (; more > 0 && *at != '!' && *at != '+'; more--) {
            add_input(m, node, find_value(m, block, *at));
        }
    }
}

/* ---- operators ---- */

static void make_row(fuzz_maker *m, uint32_t block)
{
    static const struct {
        const char *kind;
        const char *takes;
        const char *gives;
    } rows[] = {
#define ROW(kind, takes, gives) {kind, takes, gives},
#include "program_rows.def"
#undef ROW
    };
    uint32_t row = fuzz_take(m->bytes, COUNT_OF(rows));
    const char *kind = rows[row].kind;
    htp_program_node node = node_of(htp_arena_copy(m->arena, kind, strcspn(kind, ".")));
    if (!htp_map_get(&m->program->schema_names, kind, &node.schema)) {
        node.schema = HTP_NONE;
    }
    find_inputs(m, block, &node, rows[row].takes);
    if (strcmp(kind, "prim::TupleSlice") == 0) {
        node.begin = fuzz_take(m->bytes, 3);
        node.end = fuzz_take(m->bytes, 3);
    }
    make_outputs(m, &node, rows[row].gives);
    add_node(m, block, &node);
}

/* The letter of an argument of the fake runner's operators. */
static char letter_of(const fuzz_maker *m, const htp_program_argument *argument)
{
    static const char letters[] = {
        [HTP_TYPE_OTHER] = 'z', [HTP_TYPE_TENSOR] = 't', [HTP_TYPE_LIST] = 'n',
        [HTP_TYPE_TUPLE] = 'p', [HTP_TYPE_DICT] = 'd',   [HTP_TYPE_OPTIONAL] = 'o',
        [HTP_TYPE_CLASS] = 'k', [HTP_TYPE_INT] = 'i',    [HTP_TYPE_FLOAT] = 'f',
        [HTP_TYPE_BOOL] = 'b',  [HTP_TYPE_NUMBER] = 'i', [HTP_TYPE_STRING] = 's',
        [HTP_TYPE_NONE] = 'z',
    };
    bool has_tensors =
        strcmp(argument->name, "tensors") == 0 || strcmp(argument->name, "indices") == 0;
    if (has_tensors) {
        return 'l';
    }
    return letters[m->program->types.items[argument->type].kind];
}

static void make_operator(fuzz_maker *m, uint32_t block)
{
    uint32_t number = fuzz_take(m->bytes, (uint32_t)COUNT_OF(runner_schemas));
    const htp_program_schema schema = m->program->schemas.items[number];
    htp_program_node node = node_of(schema.name);
    char gives[MAX_OPERANDS + 1] = {0};
    node.schema = number;
    for (uint32_t i = 0; i < schema.argument_count; i++) {
        add_input(m, &node, find_value(m, block, letter_of(m, &schema.arguments[i])));
    }
    for (uint32_t i = 0; i < schema.return_count; i++) {
        gives[i] = letter_of(m, &schema.returns[i]);
        if (gives[i] == 'n' && strcmp(schema.name, "aten::size") != 0) {
            gives[i] = 'l';
        }
    }
    make_outputs(m, &node, gives);
    add_node(m, block, &node);
}

/* ---- attributes and calls ---- */

static void make_attribute(fuzz_maker *m, uint32_t block)
{
    static const char letters[] = "ttilbsdponk";
    const htp_program_class *of = &m->program->classes.items[0];
    uint32_t slot = fuzz_take(m->bytes, of->attribute_count);
    bool sets = fuzz_take(m->bytes, 2);
    char type[] = {letters[slot], '\0'};
    htp_program_node node = node_of(sets ? "prim::SetAttr" : "prim::GetAttr");
    node.name = of->attributes[slot];
    find_inputs(m, block, &node, "k");
    if (sets) {
        find_inputs(m, block, &node, type);
    } else {
        make_outputs(m, &node, type);
    }
    add_node(m, block, &node);
}

static void make_object(fuzz_maker *m, uint32_t block)
{
    htp_program_node node = node_of("prim::CreateObject");
    make_outputs(m, &node, "k");
    add_node(m, block, &node);
}

/* Functions mostly call later ones, since other calls may not terminate. */
static void make_call(fuzz_maker *m, uint32_t block)
{
    uint32_t choice = fuzz_take(m->bytes, 256);
    uint32_t later = FUZZ_FUNCTIONS - 1 - m->function;
    bool is_later = later > 0 && choice % ONE_IN != ONE_IN - 1;
    uint32_t called = is_later ? m->function + 1 + choice % later : choice % FUZZ_FUNCTIONS;
    const fuzz_signature *signature = &fuzz_signatures[called];
    bool is_fork = !signature->name;
    bool is_method = signature->owner >= 0;
    htp_program_node node = node_of(is_fork     ? "prim::fork"
                                    : is_method ? "prim::CallMethod"
                                                : "prim::CallFunction");
    node.name = is_method ? signature->name : NULL;
    node.function = is_method ? HTP_NONE : called;
    find_inputs(m, block, &node, is_fork || is_method ? "" : "z");
    find_inputs(m, block, &node, signature->takes);
    make_outputs(m, &node, is_fork ? "x" : signature->gives);
    add_node(m, block, &node);
}

/* ---- blocks ---- */

static uint32_t make_inner(fuzz_maker *m, const char *takes, const char *gives)
{
    uint32_t block = (uint32_t)m->program->blocks.count;
    size_t known = m->known.count;
    program_numbers inputs = {0};
    for (const char *at = takes; *at; at++) {
        HTP_PUSH(m->arena, &inputs, fuzz_make_value(m, *at));
    }
    HTP_PUSH(m->arena, &m->program->blocks,
             (htp_program_block){.inputs = inputs.items, .input_count = (uint32_t)inputs.count});
    HTP_PUSH(m->arena, &m->nodes, (fuzz_nodes){0});
    fuzz_make_block(m, block, gives);
    m->known.count = known;
    return block;
}

static const char *const carried[] = {"t", "", "tt", "i", "l", "n", "o", "d", "p", "k", "ti", "g"};

static void make_if(fuzz_maker *m, uint32_t block)
{
    const char *gives = carried[fuzz_take(m->bytes, COUNT_OF(carried))];
    uint32_t *blocks = HTP_NEW_ARRAY(m->arena, uint32_t, 2);
    htp_program_node node = node_of("prim::If");
    find_inputs(m, block, &node, "b");
    blocks[0] = make_inner(m, "", gives);
    blocks[1] = make_inner(m, "", gives);
    node.blocks = blocks;
    node.block_count = 2;
    make_outputs(m, &node, gives);
    add_node(m, block, &node);
}

static void make_loop(fuzz_maker *m, uint32_t block)
{
    const char *gives = carried[fuzz_take(m->bytes, COUNT_OF(carried))];
    uint32_t *blocks = HTP_NEW_ARRAY(m->arena, uint32_t, 1);
    htp_program_node node = node_of("prim::Loop");
    find_inputs(m, block, &node, "ib");
    find_inputs(m, block, &node, gives);
    blocks[0] = make_inner(m, htp_arena_printf(m->arena, "i%s", gives),
                           htp_arena_printf(m->arena, "b%s", gives));
    node.blocks = blocks;
    node.block_count = 1;
    make_outputs(m, &node, gives);
    add_node(m, block, &node);
}

typedef void making(fuzz_maker *m, uint32_t block);

void fuzz_make_block(fuzz_maker *m, uint32_t block, const char *gives)
{
    /* Nesting ones come last. */
    static making *const makings[] = {make_operator, make_operator,  make_operator, make_row,
                                      make_row,      make_attribute, make_object,   make_call,
                                      make_if,       make_loop};
    enum { NESTING = 2, ENDS = 1 };
    m->depth++;
    uint32_t count = COUNT_OF(makings) - (m->depth < MAX_DEPTH ? 0 : NESTING);
    while (m->bytes->at < m->bytes->end) {
        uint32_t choice = fuzz_take(m->bytes, count + ENDS);
        if (choice == count) {
            break;
        }
        makings[choice](m, block);
    }
    m->depth--;
    htp_program_node given = {0};
    find_inputs(m, block, &given, gives);
    m->program->blocks.items[block].outputs = given.inputs;
    m->program->blocks.items[block].output_count = given.input_count;
}
