#include "exported/call/operand_types.h"

#include <string.h>

/* ---- types ---- */

#define KIND(name) (1U << HTP_TRACE_##name)

enum {
    NUMBERS = KIND(INT) | KIND(FLOAT) | KIND(BOOL) | KIND(COMPLEX),
    INTEGERS = KIND(INT) | KIND(BOOL),
};

/* The kinds of values that a type takes. Numbers stand for tensors of rank 0. Of other types, such
 * as those of custom objects, nothing is known. */
static const struct type_row {
    const char *name;
    unsigned kinds;
} type_rows[] = {
    {"Tensor", KIND(TENSOR) | NUMBERS},
    {"Scalar", NUMBERS},
    {"SymInt", INTEGERS},
    {"int", INTEGERS},
    {"bool", INTEGERS},
    {"float", INTEGERS | KIND(FLOAT)},
    {"str", KIND(STRING)},
    {"ScalarType", KIND(INT)},
    {"Layout", KIND(INT)},
    {"MemoryFormat", KIND(INT)},
    {"Device", KIND(OPAQUE)},
    {"Generator", KIND(OPAQUE)},
};

enum { TYPE_COUNT = sizeof(type_rows) / sizeof(type_rows[0]) };

static const struct type_row *find_type(const char *type, size_t length)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strlen(type_rows[i].name) == length && strncmp(type_rows[i].name, type, length) == 0) {
            return &type_rows[i];
        }
    }
    return NULL;
}

/* "SymInt[2]" or "Tensor[]". */
typedef struct list_type {
    size_t element;    /* length of the elements' type; 0: no list */
    bool takes_single; /* one number stands for all elements */
} list_type;

static list_type read_list_type(const char *type, size_t length)
{
    list_type list = {0};
    if (length < 2 || type[length - 1] != ']') {
        return list;
    }
    size_t open = length - 1;
    while (open > 0 && type[open] != '[') {
        open--;
    }
    list.element = open;
    list.takes_single = open + 2 < length;
    return list;
}

/* ---- arguments ---- */

static bool takes(const htp_tape *r, const char *type, size_t length, uint32_t value);

static bool takes_elements(const htp_tape *r, const char *type, size_t length, uint32_t list)
{
    const htp_trace_value *value = &r->values.items[list];
    bool are_taken = true;
    for (uint32_t i = 0; i < value->element_count && are_taken; i++) {
        are_taken = takes(r, type, length, value->elements[i]);
    }
    return are_taken;
}

/* Types nest as deep as the schema writes them. */
static bool takes(const htp_tape *r, const char *type, size_t length, uint32_t value)
{
    const htp_trace_kind kind = r->values.items[value].kind;
    if (length > 0 && type[length - 1] == '?') {
        return kind == HTP_TRACE_NOTHING || takes(r, type, length - 1, value);
    }
    const list_type list = read_list_type(type, length);
    if (list.element > 0 && kind == HTP_TRACE_LIST) {
        return takes_elements(r, type, list.element, value);
    }
    if (list.element > 0) {
        return kind == HTP_TRACE_SEQUENCE ||
               (list.takes_single && takes(r, type, list.element, value));
    }
    const struct type_row *row = find_type(type, length);
    return !row || (row->kinds & 1U << kind);
}

static void check_arguments(htp_tape *r, const htp_exported_schema *schema,
                            const htp_exported_node *node, const uint32_t *inputs)
{
    for (uint32_t i = 0; i < schema->count; i++) {
        const htp_exported_parameter *parameter = &schema->parameters[i];
        if (!takes(r, parameter->type, strlen(parameter->type), inputs[i])) {
            htp_tape_fail(r, htp_status_make(HTP_CODE_BAD_INPUT,
                                             "damaged program: argument %s of %s is no %s; export "
                                             "it again",
                                             parameter->name, node->target, parameter->type));
        }
    }
}

/* ---- outputs ---- */

static bool gives(const htp_tape *r, const char *type, size_t length,
                  const htp_exported_argument *output)
{
    if (output->kind == HTP_EXPORTED_NONE) {
        return true; /* nothing reads it */
    }
    const list_type list = read_list_type(type, length);
    if (list.element > 0 && output->kind == HTP_EXPORTED_LIST) {
        bool are_given = true;
        for (uint32_t i = 0; i < output->count && are_given; i++) {
            are_given = gives(r, type, list.element, &output->items[i]);
        }
        return are_given;
    }
    const struct type_row *row = find_type(type, length);
    if (list.element > 0 || output->kind != HTP_EXPORTED_VALUE) {
        return !row && list.element == 0;
    }
    const htp_trace_kind kind = r->program->values.items[output->value].kind;
    bool is_tensor = row && (row->kinds & KIND(TENSOR));
    return !row || (is_tensor ? kind == HTP_TRACE_TENSOR : (row->kinds & 1U << kind) != 0);
}

static void check_outputs(htp_tape *r, const htp_exported_schema *schema,
                          const htp_exported_node *node)
{
    /* an operator with the same meaning may have more */
    bool are_given = node->output_count >= schema->return_count;
    for (uint32_t i = 0; i < schema->return_count && are_given; i++) {
        const char *type = schema->returns[i];
        are_given = gives(r, type, strlen(type), &node->outputs[i]);
    }
    if (!are_given) {
        htp_tape_fail(r, htp_status_make(HTP_CODE_BAD_INPUT,
                                         "damaged program: the outputs of %s are not those of its "
                                         "schema; export it again",
                                         node->target));
    }
}

void htp_exported_check_types(htp_tape *r, const htp_exported_schema *schema,
                              const htp_exported_node *node, const uint32_t *inputs)
{
    check_arguments(r, schema, node, inputs);
    check_outputs(r, schema, node);
}
