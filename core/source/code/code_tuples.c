#include "source/code/code_tuples.h"

#include "base/map.h"
#include "base/vector.h"
#include "source/code/code_tokens.h"

#include <ctype.h>
#include <string.h>

/* libtorch visits some ten million types a second. */
static const double most_of_one = 1 << 26;
static const double most_of_all = 1 << 28;
static const double noticed = 1 << 14;

enum {
    NAMED_LIMIT = 50, /* nested named tuples */
    TYPE_LIMIT = 64,  /* nested brackets of a type; deeper ones cost too much anyway */
};

static const char too_much[] = "tuples are nested too deep or hold too much";

/* A type and the code around it. */
typedef struct type_place {
    const htp_syntax_module *module;
    const htp_syntax_node *node;
} type_place;

typedef struct named_tuple {
    HTP_VECTOR(type_place) fields;
    double cost; /* 0: unknown */
    bool is_under_way;
} named_tuple;

typedef struct checker {
    htp_arena *arena;
    HTP_VECTOR(named_tuple) tuples;
    htp_map by_name; /* index in tuples */
    HTP_VECTOR(char) name;
    uint32_t depth;  /* of named tuples */
    double declared; /* the largest cost of a declared type */
    double total;
    /* Of the function being read. */
    const htp_syntax_module *module;
    htp_map variables; /* index in costs */
    HTP_VECTOR(double) costs;
    bool is_declared; /* its result type is declared */
} checker;

static htp_status refuse(const htp_syntax_module *module, const htp_syntax_node *place,
                         const char *what)
{
    return htp_status_make(HTP_CODE_BAD_INPUT,
                           "%s: %s, line %zu: %s, which PyTorch does not write; save the model "
                           "again",
                           module->code.path, module->code.name,
                           htp_code_line(&module->code, place->start), what);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- named tuples ---- */

/* Records are found regardless of case, classes are not. */
static void lower_qualifier(char *name, size_t bytes)
{
    size_t end = bytes;
    while (end > 0 && name[end - 1] != '.') {
        end--;
    }
    for (size_t i = 0; i < end; i++) {
        name[i] = (char)tolower((unsigned char)name[i]);
    }
}

/* Writes a dotted name to checker->name. @return whether the type is one */
static bool write_name(checker *c, const type_place *type)
{
    const htp_syntax_node *node = type->node;
    size_t bytes = 0;
    for (; node->kind == HTP_SYNTAX_ATTRIBUTE; node = node->parts[0]) {
        bytes += node->name_bytes + 1U;
    }
    if (node->kind != HTP_SYNTAX_NAME || node == type->node) {
        return false;
    }
    bytes += node->name_bytes;
    c->name.count = 0;
    HTP_EXPECT(c->arena, &c->name, bytes);
    c->name.count = bytes;
    for (node = type->node;; node = node->parts[0]) {
        bytes -= node->name_bytes;
        memcpy(c->name.items + bytes, type->module->code.text + node->name, node->name_bytes);
        if (node->kind == HTP_SYNTAX_NAME) {
            break;
        }
        c->name.items[--bytes] = '.';
    }
    lower_qualifier(c->name.items, c->name.count);
    return true;
}

static named_tuple *add_named(checker *c, const htp_syntax_module *module,
                              const htp_syntax_node *declared)
{
    char *name = htp_arena_printf(c->arena, "%s.%.*s", module->qualifier, (int)declared->name_bytes,
                                  module->code.text + declared->name);
    uint32_t index = (uint32_t)c->tuples.count;
    lower_qualifier(name, strlen(name));
    if (!htp_map_get(&c->by_name, name, &index)) {
        htp_map_set(c->arena, &c->by_name, name, index);
        HTP_PUSH(c->arena, &c->tuples, (named_tuple){.cost = 0});
    }
    return &c->tuples.items[index];
}

static void note_named_tuple(checker *c, const htp_syntax_module *module,
                             const htp_syntax_node *declared)
{
    const htp_syntax_node *base = declared->parts[0];
    if (!base || !htp_syntax_is_name(module, base, "NamedTuple")) {
        return;
    }
    named_tuple *named = add_named(c, module, declared);
    const htp_syntax_node *body = declared->parts[1];
    for (uint32_t i = 0; i < body->count; i++) {
        const htp_syntax_node *statement = body->parts[i];
        if (statement->kind == HTP_SYNTAX_ASSIGNMENT && statement->parts[1]) {
            HTP_PUSH(c->arena, &named->fields, (type_place){module, statement->parts[1]});
        }
    }
}

static void note_named_tuples(checker *c, const htp_syntax_module *module)
{
    for (uint32_t i = 0; i < module->declarations->count; i++) {
        if (module->declarations->parts[i]->kind == HTP_SYNTAX_CLASS) {
            note_named_tuple(c, module, module->declarations->parts[i]);
        }
    }
}

/* ---- types ---- */

static htp_status cost_of_type(checker *c, const type_place *type, uint32_t level, double *cost);

static htp_status cost_of_named(checker *c, uint32_t index, const type_place *place, double *cost)
{
    named_tuple *named = &c->tuples.items[index];
    if (named->cost == 0) {
        if (named->is_under_way || ++c->depth > NAMED_LIMIT) {
            return refuse(place->module, place->node, "named tuples are nested too deep");
        }
        named->is_under_way = true;
        double fields = 0;
        for (size_t i = 0; i < named->fields.count; i++) {
            double field = 0;
            HTP_TRY(cost_of_type(c, &named->fields.items[i], 0, &field));
            fields += field;
        }
        named->cost = htp_tuples_cost(fields);
        named->is_under_way = false;
        c->depth--;
    }
    *cost = named->cost;
    return HTP_OK;
}

static htp_status cost_of_type(checker *c, const type_place *type, uint32_t level, double *cost)
{
    const htp_syntax_node *node = type->node;
    uint32_t index = 0;
    *cost = HTP_TUPLES_PLAIN;
    if (level > TYPE_LIMIT) {
        return refuse(type->module, node, too_much);
    }
    if (node->kind == HTP_SYNTAX_SUBSCRIPT) {
        double elements = 0;
        for (uint32_t i = 1; i < node->count; i++) {
            const type_place part = {type->module, node->parts[i]};
            double element = 0;
            HTP_TRY(cost_of_type(c, &part, level + 1, &element));
            elements += element;
        }
        *cost = htp_tuples_cost(elements);
    } else if (write_name(c, type) &&
               htp_map_get_bytes(&c->by_name, c->name.items, c->name.count, &index)) {
        HTP_TRY(cost_of_named(c, index, type, cost));
    }
    return *cost > most_of_one ? refuse(type->module, node, too_much) : HTP_OK;
}

static htp_status note_type(checker *c, const type_place *type)
{
    double cost = 0;
    HTP_TRY(cost_of_type(c, type, 0, &cost));
    c->declared = larger(c->declared, cost);
    return HTP_OK;
}

/* Notes all parts of a tree that may be types: names with others in brackets. */
static htp_status note_types(checker *c, const type_place *tree)
{
    const htp_syntax_node *node = tree->node;
    if (node->kind == HTP_SYNTAX_SUBSCRIPT && node->parts[0]->kind == HTP_SYNTAX_NAME) {
        return note_type(c, tree);
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->parts[i]) {
            HTP_TRY(note_types(c, &(type_place){tree->module, node->parts[i]}));
        }
    }
    return HTP_OK;
}

static htp_status note_fields(checker *c)
{
    for (size_t i = 0; i < c->tuples.count; i++) {
        for (size_t j = 0; j < c->tuples.items[i].fields.count; j++) {
            HTP_TRY(note_type(c, &c->tuples.items[i].fields.items[j]));
        }
    }
    return HTP_OK;
}

/* ---- functions, read in the order of their text ---- */

/* A type from another record counts as plain: it is declared there, and costs at most as much as
 * the archive's most expensive one. */
static htp_status cost_of(checker *c, const htp_syntax_node *node, double *cost);

static htp_status sum_of(checker *c, const htp_syntax_node *node, double *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        double part = 0;
        if (node->parts[i]) {
            HTP_TRY(cost_of(c, node->parts[i], &part));
        }
        *sum += part;
    }
    return HTP_OK;
}

static htp_status largest_of(checker *c, const htp_syntax_node *node, double *largest)
{
    *largest = HTP_TUPLES_PLAIN;
    for (uint32_t i = 0; i < node->count; i++) {
        double part = 0;
        if (node->parts[i]) {
            HTP_TRY(cost_of(c, node->parts[i], &part));
        }
        *largest = larger(*largest, part);
    }
    return HTP_OK;
}

static htp_status note_cost(checker *c, const htp_syntax_node *place, double found)
{
    const double whole = found * c->declared;
    c->total += whole > noticed ? whole : 0;
    return whole > most_of_one || c->total > most_of_all ? refuse(c->module, place, too_much)
                                                         : HTP_OK;
}

static bool find_variable(const checker *c, const htp_syntax_node *name, uint32_t *index)
{
    return htp_map_get_bytes(&c->variables, c->module->code.text + name->name, name->name_bytes,
                             index);
}

/* The cost of a variable; a new one has 0. */
static double *variable_of(checker *c, const htp_syntax_node *name)
{
    uint32_t index = (uint32_t)c->costs.count;
    const char *text = c->module->code.text + name->name;
    const void **key = htp_map_add_bytes(c->arena, &c->variables, text, name->name_bytes, &index);
    if (key) {
        *key = text;
        HTP_PUSH(c->arena, &c->costs, 0);
    }
    return &c->costs.items[index];
}

/* Assigns costs by unpacking. @param elements  costs of the elements of a literal tuple; or NULL */
static void assign(checker *c, const htp_syntax_node *target, double value,
                   const htp_syntax_node *written, const double *elements)
{
    if (target->kind == HTP_SYNTAX_NAME) {
        double *known = variable_of(c, target);
        *known = larger(*known, value);
    } else if (target->kind == HTP_SYNTAX_TUPLE) {
        const bool are_known = written && written->count == target->count;
        const double element = larger(HTP_TUPLES_PLAIN, (value - 1) / 2);
        for (uint32_t i = 0; i < target->count; i++) {
            assign(c, target->parts[i], are_known ? elements[i] : element, NULL, NULL);
        }
    } else if (target->kind == HTP_SYNTAX_STARRED) {
        assign(c, target->parts[0], htp_tuples_cost(value), NULL, NULL);
    }
}

static htp_status read_elements(checker *c, const htp_syntax_node *tuple, double *elements,
                                double *whole)
{
    double sum = 0;
    for (uint32_t i = 0; i < tuple->count; i++) {
        HTP_TRY(cost_of(c, tuple->parts[i], &elements[i]));
        sum += elements[i];
    }
    *whole = htp_tuples_cost(sum);
    return HTP_OK;
}

static htp_status read_assignment(checker *c, const htp_syntax_node *node)
{
    const htp_syntax_node *value = node->parts[node->count - 1];
    const htp_syntax_node *written = NULL;
    double *elements = NULL;
    double whole = 0;
    if (!value) {
        return HTP_OK;
    }
    if (value->kind == HTP_SYNTAX_TUPLE && value->count > 0) {
        written = value;
        elements = HTP_NEW_ARRAY(c->arena, double, value->count);
        HTP_TRY(read_elements(c, value, elements, &whole));
    } else {
        HTP_TRY(cost_of(c, value, &whole));
    }
    assign(c, node->parts[0], whole, written, elements);
    for (uint32_t i = 2; i + 1 < node->count; i++) {
        assign(c, node->parts[i], whole, written, elements);
    }
    return note_cost(c, node, whole);
}

/* Adding tuples concatenates them. */
static htp_status read_sum(checker *c, const htp_syntax_node *node, double *cost)
{
    double both = 0;
    HTP_TRY(sum_of(c, node, &both));
    if (both > 2 * HTP_TUPLES_PLAIN) {
        HTP_TRY(note_cost(c, node, both));
        *cost = both;
    }
    return HTP_OK;
}

/* PyTorch writes all loops with range() or while; a loop over a tuple is compiled once per
 * element. */
static htp_status read_loop(checker *c, const htp_syntax_node *node)
{
    const htp_syntax_node *taken = node->parts[1];
    double ignored = 0;
    for (uint32_t i = 0; i < taken->count; i++) {
        const htp_syntax_node *from = taken->parts[i];
        if (from->kind != HTP_SYNTAX_CALL ||
            !htp_syntax_is_name(c->module, from->parts[0], "range") ||
            find_variable(c, from->parts[0], NULL)) {
            return refuse(c->module, node, "a loop is over something else than range()");
        }
    }
    return sum_of(c, node, &ignored);
}

static htp_status read_function(checker *c, const htp_syntax_node *node)
{
    const htp_syntax_node *parameters = node->parts[0];
    const bool was_declared = c->is_declared;
    double ignored = 0;
    for (uint32_t i = 0; i < parameters->count; i++) {
        *variable_of(c, parameters->parts[i]) = HTP_TUPLES_PLAIN;
    }
    c->is_declared = node->parts[1] != NULL;
    HTP_TRY(sum_of(c, node->parts[3], &ignored));
    c->is_declared = was_declared;
    return HTP_OK;
}

static htp_status read_return(checker *c, const htp_syntax_node *node)
{
    double value = 0;
    HTP_TRY(largest_of(c, node, &value));
    return value > HTP_TUPLES_PLAIN && !c->is_declared
               ? refuse(c->module, node, "a function that returns a tuple does not declare it")
               : HTP_OK;
}

static htp_status read_name(checker *c, const htp_syntax_node *node, double *cost)
{
    uint32_t index = 0;
    if (!find_variable(c, node, &index)) {
        return HTP_OK;
    }
    *cost = larger(c->costs.items[index], HTP_TUPLES_PLAIN);
    return note_cost(c, node, *cost);
}

static htp_status read_tuple(checker *c, const htp_syntax_node *node, double *cost)
{
    double elements = 0;
    HTP_TRY(sum_of(c, node, &elements));
    *cost = htp_tuples_cost(elements);
    return note_cost(c, node, *cost);
}

/* The result of other expressions has a declared type, or an operator's. */
static htp_status cost_of(checker *c, const htp_syntax_node *node, double *cost)
{
    double ignored = 0;
    *cost = HTP_TUPLES_PLAIN;
    switch (node->kind) {
    case HTP_SYNTAX_NAME:
        return read_name(c, node, cost);
    case HTP_SYNTAX_ASSIGNMENT:
        return read_assignment(c, node);
    case HTP_SYNTAX_AUGMENTED_ASSIGNMENT:
        HTP_TRY(read_sum(c, node, &ignored));
        assign(c, node->parts[0], larger(ignored, HTP_TUPLES_PLAIN), NULL, NULL);
        return HTP_OK;
    case HTP_SYNTAX_FOR:
        return read_loop(c, node);
    case HTP_SYNTAX_FUNCTION:
        return read_function(c, node);
    case HTP_SYNTAX_RETURN:
        return read_return(c, node);
    case HTP_SYNTAX_LIST_COMPREHENSION:
    case HTP_SYNTAX_DICT_COMPREHENSION:
        return refuse(c->module, node, "a list or dict is made by a loop of its own");
    case HTP_SYNTAX_TUPLE:
        return read_tuple(c, node, cost);
    case HTP_SYNTAX_SEQUENCE:
    case HTP_SYNTAX_LIST: /* lists and dicts are visited once */
    case HTP_SYNTAX_DICT:
    case HTP_SYNTAX_STARRED:
    case HTP_SYNTAX_CONDITIONAL:
    case HTP_SYNTAX_SUBSCRIPT:
        return largest_of(c, node, cost);
    default:
        return node->kind == HTP_SYNTAX_BINARY && node->operation == '+'
                   ? read_sum(c, node, cost)
                   : sum_of(c, node, &ignored);
    }
}

static htp_status begin_function(checker *c, const htp_syntax_node *node)
{
    double ignored = 0;
    c->variables = (htp_map){0};
    c->costs.count = 0;
    return cost_of(c, node, &ignored);
}

static htp_status read_functions(checker *c, const htp_syntax_node *declarations)
{
    for (uint32_t i = 0; i < declarations->count; i++) {
        const htp_syntax_node *node = declarations->parts[i];
        if (node->kind == HTP_SYNTAX_CLASS) {
            HTP_TRY(read_functions(c, node->parts[1]));
        } else if (node->kind == HTP_SYNTAX_FUNCTION) {
            HTP_TRY(begin_function(c, node));
        }
    }
    return HTP_OK;
}

/* ---- all of it ---- */

htp_status htp_tuples_check(htp_arena *arena, const char *path, const htp_syntax_module *modules,
                            size_t count, double constant)
{
    checker c = {.arena = arena, .declared = larger(HTP_TUPLES_PLAIN, constant)};
    if (constant > most_of_one) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "%s: damaged archive: constants.pkl: tuples are nested too deep",
                               path);
    }
    for (size_t i = 0; i < count; i++) {
        note_named_tuples(&c, &modules[i]);
    }
    HTP_TRY(note_fields(&c));
    for (size_t i = 0; i < count; i++) {
        HTP_TRY(note_types(&c, &(type_place){&modules[i], modules[i].declarations}));
    }
    for (size_t i = 0; i < count; i++) {
        c.module = &modules[i];
        HTP_TRY(read_functions(&c, modules[i].declarations));
    }
    return HTP_OK;
}
