/*
 * Words of programs that are made of text (program_fixture.h): names, types, and data.
 */
#ifndef HTP_TESTS_PROGRAM_WORDS_H
#define HTP_TESTS_PROGRAM_WORDS_H

#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "unit.h"

#include <ctype.h>
#include <htp/program.h>
#include <string.h>

/** Of all tensors that a text has: at::ScalarType's number of float32. */
enum { PROGRAM_FLOAT = 6 };

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

/* ---- words ----------------------------------------------------------------------------------- */

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
    UNIT_EXPECT(program_takes(p, mark), "%s is expected: %.40s", mark, p->at);
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
    UNIT_EXPECT(p->at > begin, "a name is expected: %.40s", begin);
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
    UNIT_EXPECT(htp_map_get(names, name, &number), "%s is not known", name);
    return number;
}

/* ---- types and data -------------------------------------------------------------------------- */

static inline htp_type_kind program_type_kind(const char *name)
{
    static const struct {
        const char *name;
        htp_type_kind kind;
    } kinds[] = {
        {"Tensor", HTP_TYPE_TENSOR},     {"list", HTP_TYPE_LIST},  {"tuple", HTP_TYPE_TUPLE},
        {"dict", HTP_TYPE_DICT},         {"int", HTP_TYPE_INT},    {"float", HTP_TYPE_FLOAT},
        {"bool", HTP_TYPE_BOOL},         {"str", HTP_TYPE_STRING}, {"Scalar", HTP_TYPE_NUMBER},
        {"Optional", HTP_TYPE_OPTIONAL},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            return kinds[i].kind;
        }
    }
    return HTP_TYPE_OTHER;
}

/** A type by its name, with its parts in brackets: "tuple[int,list[Tensor]]". */
static inline uint32_t program_named_type(program_fixture *p)
{
    htp_program_type type = {.kind = HTP_TYPE_OTHER};
    program_texts fields = {0};
    program_numbers parts = {0};
    const char *begin = p->at;
    const char *name = program_word(p);
    bool is_class = htp_map_get(&p->class_names, name, &type.class_number);
    type.kind = is_class ? HTP_TYPE_CLASS : program_type_kind(name);
    if (*p->at == '[') {
        for (p->at++; !program_takes(p, "]");) {
            HTP_PUSH(p->arena, &fields, htp_arena_printf(p->arena, "%zu", parts.count));
            HTP_PUSH(p->arena, &parts, program_named_type(p));
        }
    }
    type.text = htp_arena_copy(p->arena, begin, (size_t)(p->at - begin));
    type.parts = parts.items;
    type.part_count = (uint32_t)parts.count;
    type.fields = fields.items;
    HTP_PUSH(p->arena, &p->types, type);
    return (uint32_t)p->types.count - 1;
}

/** The type that follows a name, behind ":". */
static inline uint32_t program_type(program_fixture *p)
{
    if (*p->at == ':') {
        p->at++;
        return program_named_type(p);
    }
    HTP_PUSH(p->arena, &p->types, (htp_program_type){.kind = HTP_TYPE_TENSOR, .text = "Tensor"});
    return (uint32_t)p->types.count - 1;
}

static inline uint32_t program_add_data(program_fixture *p, htp_program_data data)
{
    HTP_PUSH(p->arena, &p->data, data);
    return (uint32_t)p->data.count - 1;
}

static inline uint32_t program_tensor(program_fixture *p)
{
    HTP_VECTOR(int64_t) dims = {0};
    program_expect(p, "[");
    while (!program_takes(p, "]")) {
        char *end = NULL;
        HTP_PUSH(p->arena, &dims, strtoll(p->at, &end, 10));
        p->at = end;
    }
    int64_t elements = 1;
    int64_t *strides = HTP_NEW_ARRAY(p->arena, int64_t, dims.count + 1);
    for (size_t i = dims.count; i-- > 0;) {
        strides[i] = elements;
        elements *= dims.items[i];
    }
    uint64_t storage = p->data.count + 1;
    if (program_takes(p, "@")) {
        char *end = NULL;
        storage = strtoull(p->at, &end, 10);
        p->at = end;
    }
    htp_tensor_view *view = HTP_NEW(p->arena, htp_tensor_view);
    *view = (htp_tensor_view){.type = PROGRAM_FLOAT,
                              .rank = (uint32_t)dims.count,
                              .dims = dims.items,
                              .strides = strides,
                              .is_plain = true,
                              .storage = storage,
                              .storage_bytes = (uint64_t)elements * sizeof(float),
                              .is_readable = true};
    return program_add_data(p, (htp_program_data){.kind = HTP_DATA_TENSOR, .tensor = view});
}

static inline uint32_t program_data(program_fixture *p);

static inline uint32_t program_list(program_fixture *p)
{
    program_numbers elements = {0};
    program_expect(p, "[");
    while (!program_takes(p, "]")) {
        HTP_PUSH(p->arena, &elements, program_data(p));
    }
    return program_add_data(p, (htp_program_data){.kind = HTP_DATA_LIST,
                                                  .elements = elements.items,
                                                  .element_count = (uint32_t)elements.count});
}

/** A number, a text, a tensor, a list, or the object of a class. */
static inline uint32_t program_data(program_fixture *p)
{
    htp_program_data data = {.kind = HTP_DATA_INT};
    if (program_takes(p, "tensor")) {
        return program_tensor(p);
    }
    if (program_takes(p, "list")) {
        return program_list(p);
    }
    if (program_takes(p, "\"")) {
        size_t length = strcspn(p->at, "\"");
        data.kind = HTP_DATA_STRING;
        data.string = htp_arena_copy(p->arena, p->at, length);
        data.bytes = length;
        p->at += length + 1;
        return program_add_data(p, data);
    }
    if (program_takes(p, "None")) {
        data.kind = HTP_DATA_NONE;
        return program_add_data(p, data);
    }
    data.number = program_takes(p, "True");
    if (data.number || program_takes(p, "False")) {
        data.kind = HTP_DATA_BOOL;
        return program_add_data(p, data);
    }
    if (*p->at == '-' || isdigit((unsigned char)*p->at)) {
        char *end = NULL;
        data.number = strtoll(p->at, &end, 10);
        if (*end == '.') {
            data.kind = HTP_DATA_FLOAT;
            data.real = strtod(p->at, &end);
        }
        p->at = end;
        return program_add_data(p, data);
    }
    data.kind = HTP_DATA_OBJECT;
    data.object = program_named(&p->class_names, program_word(p));
    return program_add_data(p, data);
}

#endif
