/*
 * Programs made of text, for the tests of what follows them: htp/program.h filled without libtorch.
 *
 * What is declared first, a line each:
 *
 *     schema aten::embedding.t weight indices
 *     schema aten::add_.Tensor self! other -> self!
 *     class Net weight=tensor[10,4] block=Block
 *     class Block rows=list[tensor[2]tensor[3,2]]
 *     class Net weight!=tensor[10,4]
 *     class Tied a=tensor[2,3]@9 b=tensor[2,3]@9
 *
 * An operator's arguments are tensors, "n:int" is not; "!" is written, "*" looked at. Behind "->"
 * are results: a tensor where nothing is said. A class has one object; of its attributes "!" is a
 * parameter, and a number behind "@" a memory, which several may have.
 *
 * Then what is run: the first method is the program.
 *
 *     def Net.forward(%self:Net, %x, %n:int)
 *       %w = prim::GetAttr<weight>(%self)
 *       %y = aten::embedding.t(%w, %x)
 *       %k:int = prim::Constant<3>()
 *       %p = prim::TupleSlice<1 3>(%t)
 *       %z = prim::If(%k)
 *       {
 *         -> %y
 *       }
 *       {
 *         %b:Block = prim::GetAttr<block>(%self)
 *         %c = prim::CallMethod<Block.forward>(%b, %x)
 *         -> %c
 *       }
 *       prim::Loop(%n, %k)
 *       { (%i:int)
 *         -> %k
 *       }
 *       -> %z
 *
 * A constant is a number, "text", None, True or tensor[2,3]; functions are called with
 * prim::CallFunction<name>(). Behind a block's brace stands what it is given. Types are Tensor
 * where none is written; "tuple" has any parts, "list" and the names of classes others. Everything
 * is loaded from the start.
 */
#ifndef HTP_TESTS_PROGRAM_FIXTURE_H
#define HTP_TESTS_PROGRAM_FIXTURE_H

#include "program_words.h"

/* ---- declarations ---------------------------------------------------------------------------- */

typedef HTP_VECTOR(htp_program_argument) program_arguments;

/** Arguments up to the end of the line, or to "->". */
static inline program_arguments program_read_arguments(program_fixture *p)
{
    program_arguments arguments = {0};
    for (program_skip(p); *p->at != '\n' && *p->at && strncmp(p->at, "->", 2) != 0;
         program_skip(p)) {
        htp_program_argument argument = {.name = program_word(p), .default_data = HTP_NONE};
        argument.type = program_type(p);
        argument.is_written = *p->at == '!';
        argument.is_alias = *p->at == '!' || *p->at == '*';
        p->at += argument.is_alias;
        HTP_PUSH(p->arena, &arguments, argument);
    }
    return arguments;
}

static inline void program_read_schema(program_fixture *p)
{
    const char *kind = program_word(p);
    const char *dot = strchr(kind, '.');
    htp_program_schema schema = {
        .kind = kind,
        .name = htp_arena_copy(p->arena, kind, strcspn(kind, ".")),
        .overload = dot ? dot + 1 : "",
    };
    program_arguments arguments = program_read_arguments(p);
    program_arguments returns = {0};
    if (program_takes(p, "->")) {
        returns = program_read_arguments(p);
    } else {
        HTP_PUSH(p->arena, &p->types, (htp_program_type){.kind = HTP_TYPE_TENSOR});
        HTP_PUSH(p->arena, &returns,
                 (htp_program_argument){.name = "", .type = (uint32_t)p->types.count - 1});
    }
    for (size_t i = 0; i < arguments.count; i++) {
        schema.is_mutable = schema.is_mutable || arguments.items[i].is_written;
    }
    schema.arguments = arguments.items;
    schema.argument_count = (uint32_t)arguments.count;
    schema.returns = returns.items;
    schema.return_count = (uint32_t)returns.count;
    htp_map_set(p->arena, &p->schema_names, kind, (uint32_t)p->schemas.count);
    HTP_PUSH(p->arena, &p->schemas, schema);
}

/** Classes are numbered in a first pass, as they may hold later ones. */
static inline void program_read_class(program_fixture *p)
{
    program_texts names = {0};
    program_numbers slots = {0};
    HTP_VECTOR(htp_slot_role) roles = {0};
    const char *name = program_word(p);
    uint32_t number = program_named(&p->class_names, name);
    for (program_skip(p); *p->at != '\n' && *p->at; program_skip(p)) {
        HTP_PUSH(p->arena, &names, program_word(p));
        bool is_parameter = program_takes(p, "!");
        program_expect(p, "=");
        HTP_PUSH(p->arena, &slots, program_data(p));
        htp_data_kind kind = p->data.items[p->data.count - 1].kind;
        HTP_PUSH(p->arena, &roles,
                 is_parameter              ? HTP_SLOT_PARAMETER
                 : kind == HTP_DATA_TENSOR ? HTP_SLOT_TENSOR
                 : kind == HTP_DATA_OBJECT ? HTP_SLOT_MODULE
                                           : HTP_SLOT_OTHER);
    }
    p->classes.items[number].name = name;
    p->classes.items[number].plain_name = name;
    p->classes.items[number].is_module = true;
    p->classes.items[number].roles = roles.items;
    p->classes.items[number].attributes = names.items;
    p->classes.items[number].attribute_count = (uint32_t)names.count;
    p->slots.items[number] = slots;
}

/** Adds "Net.forward" to the methods of its class; what has no class is a function. */
static inline void program_add_method(program_fixture *p, const char *name, uint32_t function)
{
    const char *dot = strchr(name, '.');
    uint32_t number = 0;
    if (!dot || !htp_map_get(&p->class_names, htp_arena_copy(p->arena, name, (size_t)(dot - name)),
                             &number)) {
        return;
    }
    htp_program_class *of = &p->classes.items[number];
    uint32_t count = of->method_count++;
    const char **names = HTP_NEW_ARRAY(p->arena, const char *, (size_t)count + 1);
    uint32_t *methods = HTP_NEW_ARRAY(p->arena, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = of->method_names[i];
        methods[i] = of->methods[i];
    }
    names[count] = dot + 1;
    methods[count] = function;
    of->method_names = names;
    of->methods = methods;
}

/* ---- functions ------------------------------------------------------------------------------- */

static inline uint32_t program_make_value(program_fixture *p, uint32_t producer)
{
    const char *name = program_word(p);
    htp_map_set(p->arena, &p->value_names, name, (uint32_t)p->values.count);
    HTP_PUSH(p->arena, &p->values,
             (htp_program_value){.name = name + 1, .type = program_type(p), .producer = producer});
    return (uint32_t)p->values.count - 1;
}

/** Values up to a mark; @p producer makes them, HTP_NONE a block. */
static inline program_numbers program_make_values(program_fixture *p, const char *mark,
                                                  uint32_t producer)
{
    program_numbers values = {0};
    while (!program_takes(p, mark)) {
        HTP_PUSH(p->arena, &values, program_make_value(p, producer));
    }
    return values;
}

static inline program_numbers program_find_values(program_fixture *p)
{
    program_numbers values = {0};
    for (program_skip(p); *p->at == '%'; program_skip(p)) {
        HTP_PUSH(p->arena, &values, program_named(&p->value_names, program_word(p)));
    }
    return values;
}

/** What stands between "<" and ">". */
static inline void program_read_option(program_fixture *p, htp_program_node *node)
{
    if (strcmp(node->kind, "prim::Constant") == 0) {
        node->data = program_data(p);
    } else if (strcmp(node->kind, "prim::TupleSlice") == 0) {
        char *end = NULL;
        node->begin = strtoll(p->at, &end, 10);
        node->end = strtoll(end, &end, 10);
        p->at = end;
    } else {
        const char *name = program_word(p);
        const char *dot = strchr(name, '.');
        node->name = dot ? dot + 1 : name;
        if (strcmp(node->kind, "prim::CallFunction") == 0 ||
            strcmp(node->kind, "prim::fork") == 0) {
            node->function = program_named(&p->function_names, name);
        }
    }
    program_expect(p, ">");
}

static inline htp_program_node program_read_node(program_fixture *p)
{
    htp_program_node node = {.schema = HTP_NONE, .data = HTP_NONE, .function = HTP_NONE};
    program_numbers outputs = {0};
    if (*p->at == '%') {
        outputs = program_make_values(p, "=", (uint32_t)p->nodes.count);
    }
    const char *kind = program_word(p);
    uint32_t schema = 0;
    node.schema = htp_map_get(&p->schema_names, kind, &schema) ? schema : HTP_NONE;
    node.kind = htp_arena_copy(p->arena, kind, strcspn(kind, "."));
    if (program_takes(p, "<")) {
        program_read_option(p, &node);
    }
    program_expect(p, "(");
    program_numbers inputs = program_find_values(p);
    program_expect(p, ")");
    node.inputs = inputs.items;
    node.input_count = (uint32_t)inputs.count;
    node.outputs = outputs.items;
    node.output_count = (uint32_t)outputs.count;
    return node;
}

/** A block up to its "->"; blocks within it come behind it. */
static inline void program_read_block(program_fixture *p, uint32_t number)
{
    typedef struct inner {
        uint32_t number;
        const char *at;
    } inner;
    HTP_VECTOR(inner) within = {0};
    if (program_takes(p, "(")) {
        program_numbers inputs = program_make_values(p, ")", HTP_NONE);
        p->blocks.items[number].inputs = inputs.items;
        p->blocks.items[number].input_count = (uint32_t)inputs.count;
    }
    uint32_t first = (uint32_t)p->nodes.count;
    while (program_line(p) && !program_takes(p, "->")) {
        if (!program_takes(p, "{")) {
            htp_program_node node = program_read_node(p);
            HTP_PUSH(p->arena, &p->nodes, node);
            continue;
        }
        htp_program_node *node = &p->nodes.items[p->nodes.count - 1];
        uint32_t *blocks = htp_arena_grow(p->arena, node->blocks, node->block_count,
                                          (size_t)node->block_count + 1, sizeof(uint32_t));
        blocks[node->block_count++] = (uint32_t)p->blocks.count;
        node->blocks = blocks;
        HTP_PUSH(p->arena, &within, (inner){(uint32_t)p->blocks.count, p->at});
        HTP_PUSH(p->arena, &p->blocks, (htp_program_block){0});
        for (size_t depth = 1; depth > 0; p->at++) {
            UNIT_EXPECT(*p->at, "a block has no end");
            depth += (*p->at == '{') - (*p->at == '}');
        }
    }
    program_numbers outputs = program_find_values(p);
    htp_program_block *block = &p->blocks.items[number];
    block->first_node = first;
    block->node_count = (uint32_t)p->nodes.count - first;
    block->outputs = outputs.items;
    block->output_count = (uint32_t)outputs.count;
    const char *end = p->at;
    for (size_t i = 0; i < within.count; i++) {
        p->at = within.items[i].at;
        program_read_block(p, within.items[i].number);
    }
    p->at = end;
}

/** Makes what was read or made up the function of a number. */
static inline void program_end_function(program_fixture *p, uint32_t number, const char *name,
                                        uint32_t schema)
{
    p->functions.items[number] = (htp_program_function){
        .is_loaded = true,
        .name = name,
        .schema = schema,
        .blocks = p->blocks.items,
        .block_count = (uint32_t)p->blocks.count,
        .nodes = p->nodes.items,
        .node_count = (uint32_t)p->nodes.count,
        .values = p->values.items,
        .value_count = (uint32_t)p->values.count,
    };
}

static inline void program_read_function(program_fixture *p)
{
    const char *name = program_word(p);
    const char *dot = strchr(name, '.');
    uint32_t number = program_named(&p->function_names, name);
    p->values.count = p->nodes.count = p->blocks.count = 0;
    p->values.items = NULL;
    p->nodes.items = NULL;
    p->blocks.items = NULL;
    p->values.capacity = p->nodes.capacity = p->blocks.capacity = 0;
    p->value_names = (htp_map){0};
    program_expect(p, "(");
    program_numbers inputs = program_make_values(p, ")", HTP_NONE);
    HTP_PUSH(p->arena, &p->blocks,
             (htp_program_block){.inputs = inputs.items, .input_count = (uint32_t)inputs.count});
    program_read_block(p, 0);
    htp_program_schema schema = {.kind = name, .name = name, .overload = ""};
    htp_program_argument *arguments = HTP_NEW_ARRAY(p->arena, htp_program_argument, inputs.count);
    for (size_t i = 0; i < inputs.count; i++) {
        const htp_program_value *input = &p->values.items[inputs.items[i]];
        arguments[i] = (htp_program_argument){
            .name = input->name, .type = input->type, .default_data = HTP_NONE};
    }
    schema.arguments = arguments;
    schema.argument_count = (uint32_t)inputs.count;
    HTP_PUSH(p->arena, &p->schemas, schema);
    program_end_function(p, number, dot ? dot + 1 : name, (uint32_t)p->schemas.count - 1);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/** Numbers classes and functions. */
static inline void program_number(program_fixture *p, const char *text)
{
    for (p->at = text; program_line(p); p->at += strcspn(p->at, "\n")) {
        if (program_takes(p, "class ")) {
            htp_map_set(p->arena, &p->class_names, program_word(p), (uint32_t)p->classes.count);
            HTP_PUSH(p->arena, &p->objects,
                     (htp_program_object){.class_number = (uint32_t)p->classes.count});
            HTP_PUSH(p->arena, &p->classes, (htp_program_class){0});
            HTP_PUSH(p->arena, &p->slots, (program_numbers){0});
        } else if (program_takes(p, "def ")) {
            const char *name = program_word(p);
            htp_map_set(p->arena, &p->function_names, name, (uint32_t)p->functions.count);
            program_add_method(p, name, (uint32_t)p->functions.count);
            HTP_PUSH(p->arena, &p->functions, (htp_program_function){0});
        }
    }
}

static inline htp_shim_code program_load_slot(const htp_program *program, uint32_t object,
                                              uint32_t slot, uint32_t *data, htp_error *error)
{
    (void)error;
    const program_fixture *p = program->reader;
    *data = p->slots.items[object].items[slot];
    return HTP_SHIM_OK;
}

/** Hands out the tables as they are now. */
static inline void program_publish(program_fixture *p)
{
    p->program.types = p->types.items;
    p->program.schemas = p->schemas.items;
    p->program.data = p->data.items;
    p->program.classes = p->classes.items;
    p->program.objects = p->objects.items;
    p->program.functions = p->functions.items;
}

/** The program that a text says. The first class has the method, which is the first function. */
static inline const htp_program *program_read(htp_arena *arena, const char *text)
{
    program_fixture *p = htp_arena_calloc(arena, 1, sizeof(*p));
    p->arena = arena;
    program_number(p, text);
    for (p->at = text; program_line(p);) {
        if (program_takes(p, "schema ")) {
            program_read_schema(p);
        } else if (program_takes(p, "class ")) {
            program_read_class(p);
        } else {
            program_expect(p, "def ");
            program_read_function(p);
        }
    }
    p->program = (htp_program){
        .load_slot = program_load_slot,
        .reader = p,
    };
    program_publish(p);
    return &p->program;
}

#endif
