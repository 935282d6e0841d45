#include "source/program/operators.h"

#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "interpret/operators/facts.h"
#include "source/program/program.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NESTED_TYPES = 8 };

typedef HTP_VECTOR(htp_named_operator) operator_list;
typedef HTP_VECTOR(uint32_t) function_list;

/* Follows calls by static types, each function once. */
struct listing {
    htp_arena *arena;
    const htp_program *program;
    operator_list found;
    htp_map numbers; /* operators, by kind */
    function_list functions;
    htp_map seen; /* functions, by number */
};

/* Whether a type is a tensor, or contains one. */
static bool holds_tensors(const htp_program *program, uint32_t type, int depth)
{
    const htp_program_type *t = &program->types[type];
    if (t->kind == HTP_TYPE_TENSOR) {
        return true;
    }
    for (uint32_t i = 0; depth < MAX_NESTED_TYPES && i < t->part_count; i++) {
        if (holds_tensors(program, t->parts[i], depth + 1)) {
            return true;
        }
    }
    return false;
}

static bool has_tensors(const htp_program *program, const htp_program_argument *arguments,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (holds_tensors(program, arguments[i].type, 0)) {
            return true;
        }
    }
    return false;
}

/* Whether the interpreter evaluates the operator itself, or it only asks for types and layouts,
 * which are constant. */
static bool is_followed(const htp_program *program, const htp_program_function *function,
                        const htp_program_node *node)
{
    const htp_program_schema *schema = &program->schemas[node->schema];
    static const char *const always[] = {
#define HTP_FOLLOWED(kind, handler) kind,
#include "interpret/steps/followed.def"
    };
    static const char *const in_lists[] = {
#define HTP_FOLLOWED_IN_LISTS(kind, handler) kind,
#include "interpret/steps/followed.def"
    };
    if (htp_text_is_one_of(node->kind, always, sizeof(always) / sizeof(always[0])) ||
        htp_has_fact(schema->name, HTP_FACT_TELLS_TYPE | HTP_FACT_TELLS_LAYOUT)) {
        return true;
    }
    if (node->input_count == 0 ||
        !htp_text_is_one_of(node->kind, in_lists, sizeof(in_lists) / sizeof(in_lists[0]))) {
        return false;
    }
    htp_type_kind kind = program->types[function->values[node->inputs[0]].type].kind;
    return kind == HTP_TYPE_LIST || kind == HTP_TYPE_TUPLE || kind == HTP_TYPE_DICT;
}

static void add_function(struct listing *l, uint32_t function)
{
    if (function != HTP_NONE &&
        htp_map_add_bytes(l->arena, &l->seen, &function, sizeof(function), NULL)) {
        HTP_PUSH(l->arena, &l->functions, function);
    }
}

/* The called method; HTP_NONE if the value has no class, or the class has no such method. */
static uint32_t method_of(const htp_program *program, const htp_program_function *function,
                          const htp_program_node *call)
{
    const htp_program_type *type = &program->types[function->values[call->inputs[0]].type];
    return type->kind == HTP_TYPE_CLASS
               ? htp_program_find_method(program, type->class_number, call->name)
               : HTP_NONE;
}

static void count_operator(struct listing *l, const htp_program_function *function,
                           const htp_program_node *node)
{
    const htp_program *program = l->program;
    if (node->schema == HTP_NONE || strncmp(node->kind, "prim::", strlen("prim::")) == 0) {
        return;
    }
    const htp_program_schema *schema = &program->schemas[node->schema];
    uint32_t number = 0;
    if (htp_map_get(&l->numbers, schema->kind, &number)) {
        l->found.items[number].places++;
        return;
    }
    htp_map_set(l->arena, &l->numbers, schema->kind, (uint32_t)l->found.count);
    HTP_PUSH(l->arena, &l->found,
             (htp_named_operator){
                 .kind = schema->kind,
                 .places = 1,
                 .has_tensors = has_tensors(program, schema->arguments, schema->argument_count) ||
                                has_tensors(program, schema->returns, schema->return_count),
                 .is_followed = is_followed(program, function, node),
             });
}

static void list_function(struct listing *l, const htp_program_function *function)
{
    for (uint32_t i = 0; i < function->node_count; i++) {
        const htp_program_node *node = &function->nodes[i];
        if (strcmp(node->kind, "prim::CallMethod") == 0) {
            add_function(l, method_of(l->program, function, node));
        } else if (node->function != HTP_NONE) {
            add_function(l, node->function);
        } else {
            count_operator(l, function, node);
        }
    }
}

static int compare_kinds(const void *a, const void *b)
{
    return strcmp(((const htp_named_operator *)a)->kind, ((const htp_named_operator *)b)->kind);
}

void htp_operators_sort(htp_named_operator *operators, size_t count)
{
    if (count > 0) {
        qsort(operators, count, sizeof(*operators), compare_kinds);
    }
}

htp_status htp_operators_find(htp_arena *arena, const htp_program *program,
                              const htp_named_operator **operators, uint32_t *count)
{
    struct listing l = {.arena = arena, .program = program};
    add_function(&l, program->method);
    for (size_t i = 0; i < l.functions.count; i++) {
        htp_program_function function;
        HTP_TRY(htp_program_load(program, l.functions.items[i], &function));
        list_function(&l, &function);
    }
    htp_operators_sort(l.found.items, l.found.count);
    *operators = l.found.items;
    *count = (uint32_t)l.found.count;
    return HTP_OK;
}
