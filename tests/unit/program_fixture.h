/*
 * Programs made of text, for the tests of what follows them: htp/program.h filled without libtorch.
 *
 *     schema aten::embedding.t weight indices            an operator; arguments are tensors,
 * "n:int" is not class Net weight=tensor[10,4] block=Block          a class, and its one object
 *     class Block rows=list[tensor[2]tensor[3,2]]
 *     def Net.forward(%self:Net, %x, %n:int)             the first one is the method of the program
 *       %w = prim::GetAttr<weight>(%self)
 *       %y = aten::embedding.t(%w, %x)
 *       %k:int = prim::Constant<3>()                     a number, "text", or tensor[2,3]
 *       %z = prim::If(%k)
 *       {
 *         -> %y
 *       }
 *       {
 *         %b:Block = prim::GetAttr<block>(%self)
 *         %c = prim::CallMethod<Block.forward>(%b, %x)   or prim::CallFunction<name>()
 *         -> %c
 *       }
 *       -> %z
 *
 * Types are Tensor where none is written; "tuple" has any parts, "list" and the names of classes
 * others. Everything is loaded from the start.
 */
#ifndef HTP_TESTS_PROGRAM_FIXTURE_H
#define HTP_TESTS_PROGRAM_FIXTURE_H

#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "unit.h"

#include <ctype.h>
#include <htp/program.h>
#include <string.h>

typedef HTP_VECTOR(uint32_t) program_numbers;
typedef HTP_VECTOR(const char *) program_texts;

typedef struct program_fixture {
    htp_arena *arena;
    htp_program program;
    HTP_VECTOR(htp_program_type) types;
    HTP_VECTOR(htp_program_schema) schemas;
    HTP_VECTOR(htp_program_data) data;
    HTP_VECTOR(htp_program_class) classes;
    HTP_VECTOR(htp_program_object) objects;
    HTP_VECTOR(htp_program_function) functions;
    HTP_VECTOR(program_numbers) slots; /* by object: data */
    htp_map class_names;
    htp_map function_names;
    htp_map schema_names;
    /* the function that is read */
    HTP_VECTOR(htp_program_value) values;
    HTP_VECTOR(htp_program_node) nodes;
    HTP_VECTOR(htp_program_block) blocks;
    htp_map value_names;
    const char *at; /* of the text */
} program_fixture;

/* ---- words -------------------------------------------------------------------------------------
 */

static inline void program_skip(program_fixture *p)
{
    while (*p->at == ' ' || *p->at == ',') {
        p->at++;
    }
}

/** Takes @p mark where it is next. */
static inline bool program_takes(program_fixture *p, const char *mark)
{
    program_skip(p);
    size_t length = strlen(mark);
    bool is_next = strncmp(p->at, mark, length) == 0;
    p->at += is_next ? length : 0;
    return is_next;
}

static inline void program_expect(program_fixture *p, const char *mark)
{
    ck_assert_msg(program_takes(p, mark), "%s is expected: %.40s", mark, p->at);
}

/** A name: letters, digits and what is between them in kinds. */
static inline const char *program_word(program_fixture *p)
{
    program_skip(p);
    const char *begin = p->at;
    while (isalnum((unsigned char)*p->at) || strchr("_.%", *p->at ? *p->at : ' ') ||
           (p->at[0] == ':' && p->at[1] == ':') || (p->at[0] == ':' && p->at[-1] == ':')) {
        p->at++;
    }
    ck_assert_msg(p->at > begin, "a name is expected: %.40s", begin);
    return htp_arena_copy(p->arena, begin, (size_t)(p->at - begin));
}

/** To the first word of the next line. @return false at the end */
static inline bool program_line(program_fixture *p)
{
    p->at += strspn(p->at, " \n");
    return *p->at != '\0';
}

static inline uint32_t program_named(const htp_map *names, const char *name)
{
    uint32_t number = 0;
    ck_assert_msg(htp_map_get(names, name, &number), "%s is not known", name);
    return number;
}

/* ---- types and data ----------------------------------------------------------------------------
 */

/** The type that follows a name, behind ":". */
static inline uint32_t program_type(program_fixture *p)
{
    htp_program_type type = {.kind = HTP_TYPE_TENSOR};
    if (*p->at == ':') {
        p->at++;
        const char *name = program_word(p);
        bool is_class = htp_map_get(&p->class_names, name, &type.class_number);
        type.kind = is_class                      ? HTP_TYPE_CLASS
                    : strcmp(name, "Tensor") == 0 ? HTP_TYPE_TENSOR
                    : strcmp(name, "list") == 0   ? HTP_TYPE_LIST
                    : strcmp(name, "tuple") == 0  ? HTP_TYPE_TUPLE
                    : strcmp(name, "dict") == 0   ? HTP_TYPE_DICT
                                                  : HTP_TYPE_OTHER;
    }
    HTP_PUSH(p->arena, &p->types, type);
    return (uint32_t)p->types.count - 1;
}

static inline uint32_t program_add_data(program_fixture *p, htp_program_data data)
{
    HTP_PUSH(p->arena, &p->data, data);
    return (uint32_t)p->data.count - 1;
}

/** @param weight  its number, or HTP_PROGRAM_NONE */
static inline uint32_t program_tensor(program_fixture *p, uint32_t weight)
{
    HTP_VECTOR(int64_t) dims = {0};
    program_expect(p, "[");
    while (!program_takes(p, "]")) {
        char *end = NULL;
        HTP_PUSH(p->arena, &dims, strtoll(p->at, &end, 10));
        p->at = end;
    }
    return program_add_data(p, (htp_program_data){.kind = HTP_DATA_TENSOR,
                                                  .dims = dims.items,
                                                  .rank = (uint32_t)dims.count,
                                                  .weight = weight});
}

static inline uint32_t program_list(program_fixture *p)
{
    program_numbers elements = {0};
    program_expect(p, "[");
    while (!program_takes(p, "]")) {
        program_expect(p, "tensor");
        HTP_PUSH(p->arena, &elements, program_tensor(p, HTP_PROGRAM_NONE));
    }
    return program_add_data(p, (htp_program_data){.kind = HTP_DATA_LIST,
                                                  .weight = HTP_PROGRAM_NONE,
                                                  .elements = elements.items,
                                                  .element_count = (uint32_t)elements.count});
}

/** A number, a text, or a tensor. @param weight  of a tensor */
static inline uint32_t program_data(program_fixture *p, uint32_t weight)
{
    htp_program_data data = {.kind = HTP_DATA_INT, .weight = HTP_PROGRAM_NONE};
    if (program_takes(p, "tensor")) {
        return program_tensor(p, weight);
    }
    if (program_takes(p, "list")) {
        return program_list(p);
    }
    if (program_takes(p, "\"")) {
        size_t length = strcspn(p->at, "\"");
        data.kind = HTP_DATA_STRING;
        data.string = htp_arena_copy(p->arena, p->at, length);
        p->at += length + 1;
        return program_add_data(p, data);
    }
    if (*p->at == '-' || isdigit((unsigned char)*p->at)) {
        char *end = NULL;
        data.number = strtoll(p->at, &end, 10);
        p->at = end;
        return program_add_data(p, data);
    }
    data.kind = HTP_DATA_OBJECT;
    data.object = program_named(&p->class_names, program_word(p));
    return program_add_data(p, data);
}

/* ---- declarations ------------------------------------------------------------------------------
 */

static inline void program_read_schema(program_fixture *p)
{
    HTP_VECTOR(htp_program_argument) arguments = {0};
    const char *kind = program_word(p);
    for (program_skip(p); *p->at != '\n' && *p->at; program_skip(p)) {
        const char *name = program_word(p);
        HTP_PUSH(p->arena, &arguments, (htp_program_argument){name, program_type(p)});
    }
    htp_map_set(p->arena, &p->schema_names, kind, (uint32_t)p->schemas.count);
    HTP_PUSH(p->arena, &p->schemas,
             (htp_program_schema){.kind = kind,
                                  .arguments = arguments.items,
                                  .argument_count = (uint32_t)arguments.count});
}

/** Classes are numbered in a first pass, as they may hold later ones. */
static inline void program_read_class(program_fixture *p)
{
    program_texts names = {0};
    program_numbers slots = {0};
    uint32_t number = program_named(&p->class_names, program_word(p));
    for (program_skip(p); *p->at != '\n' && *p->at; program_skip(p)) {
        HTP_PUSH(p->arena, &names, program_word(p));
        program_expect(p, "=");
        HTP_PUSH(p->arena, &slots, program_data(p, (uint32_t)p->data.count));
    }
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

/* ---- functions ---------------------------------------------------------------------------------
 */

static inline uint32_t program_make_value(program_fixture *p, uint32_t producer)
{
    const char *name = program_word(p);
    htp_map_set(p->arena, &p->value_names, name, (uint32_t)p->values.count);
    HTP_PUSH(p->arena, &p->values, (htp_program_value){program_type(p), producer});
    return (uint32_t)p->values.count - 1;
}

/** Values up to a mark; @p producer makes them, HTP_PROGRAM_NONE a block. */
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
        node->data = program_data(p, HTP_PROGRAM_NONE);
    } else {
        const char *name = program_word(p);
        const char *dot = strchr(name, '.');
        node->name = dot ? dot + 1 : name;
        if (strcmp(node->kind, "prim::CallFunction") == 0) {
            node->function = program_named(&p->function_names, name);
        }
    }
    program_expect(p, ">");
}

static inline htp_program_node program_read_node(program_fixture *p)
{
    htp_program_node node = {
        .schema = HTP_PROGRAM_NONE, .data = HTP_PROGRAM_NONE, .function = HTP_PROGRAM_NONE};
    program_numbers outputs = {0};
    if (*p->at == '%') {
        outputs = program_make_values(p, "=", (uint32_t)p->nodes.count);
    }
    const char *kind = program_word(p);
    uint32_t schema = 0;
    node.schema = htp_map_get(&p->schema_names, kind, &schema) ? schema : HTP_PROGRAM_NONE;
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
            ck_assert_msg(*p->at, "a block has no end");
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

static inline void program_read_function(program_fixture *p)
{
    uint32_t number = program_named(&p->function_names, program_word(p));
    p->values.count = p->nodes.count = p->blocks.count = 0;
    p->values.items = NULL;
    p->nodes.items = NULL;
    p->blocks.items = NULL;
    p->values.capacity = p->nodes.capacity = p->blocks.capacity = 0;
    p->value_names = (htp_map){0};
    program_expect(p, "(");
    program_numbers inputs = program_make_values(p, ")", HTP_PROGRAM_NONE);
    HTP_PUSH(p->arena, &p->blocks,
             (htp_program_block){.inputs = inputs.items, .input_count = (uint32_t)inputs.count});
    program_read_block(p, 0);
    p->functions.items[number] = (htp_program_function){
        .is_loaded = true,
        .blocks = p->blocks.items,
        .block_count = (uint32_t)p->blocks.count,
        .nodes = p->nodes.items,
        .node_count = (uint32_t)p->nodes.count,
        .values = p->values.items,
        .value_count = (uint32_t)p->values.count,
    };
}

/* ---- all of it ---------------------------------------------------------------------------------
 */

/** Numbers classes and functions. */
static inline void program_number(program_fixture *p, const char *text)
{
    for (p->at = text; program_line(p); p->at += strcspn(p->at, "\n")) {
        if (program_takes(p, "class ")) {
            htp_map_set(p->arena, &p->class_names, program_word(p), (uint32_t)p->classes.count);
            HTP_PUSH(p->arena, &p->objects, (htp_program_object){(uint32_t)p->classes.count});
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
                                              uint32_t slot, uint32_t *data, htp_shim_error *error)
{
    (void)error;
    const program_fixture *p = program->reader;
    *data = p->slots.items[object].items[slot];
    return HTP_SHIM_OK;
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
        .types = p->types.items,
        .schemas = p->schemas.items,
        .data = p->data.items,
        .classes = p->classes.items,
        .objects = p->objects.items,
        .functions = p->functions.items,
        .load_slot = program_load_slot,
        .reader = p,
    };
    return &p->program;
}

#endif
