/*
 * Inputs that were made up, as the operators that read them require: sorted, or the beginnings of
 * parts. With others libtorch computes anything, or nothing.
 */
#include "api/reference/reference.h"
#include "onnx/proto/tensor_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What an operator requires of an operand. */
enum rule {
    ASCENDING, /* along the last dim */
    BEGINNING, /* where parts of another operand begin: 0 first, ascending; the other's size may be
                  last */
};

static const struct {
    const char *name;
    const char *argument;
    enum rule rule;
    const char *other; /* operand: whose parts begin there, or that makes the rule void */
} rows[] = {
    {"aten::_embedding_bag", "offsets", BEGINNING, "indices"},
    {"aten::_embedding_bag_forward_only", "offsets", BEGINNING, "indices"},
    {"aten::bucketize", "boundaries", ASCENDING, NULL},
    {"aten::embedding_bag", "offsets", BEGINNING, "indices"},
    {"aten::searchsorted", "sorted_sequence", ASCENDING, "sorter"},
};

static int compare_doubles(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;
    return (first > second) - (first < second);
}

static void sort_rows(double *numbers, const htp_array *array)
{
    size_t width = array->rank > 0 ? (size_t)array->dims[array->rank - 1] : 1;
    for (size_t at = 0; width > 0 && at + width <= array->count; at += width) {
        qsort(numbers + at, width, sizeof(*numbers), compare_doubles);
    }
}

/* Parts of about equal size; the last one is empty, so that it does not matter whether its
 * beginning is the end of all. */
static void spread(double *numbers, size_t count, size_t elements)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = count > 1 ? floor((double)elements * (double)i / (double)(count - 1)) : 0;
    }
}

/* The value of a node's argument; HTP_NONE: it has none. */
static htp_value_id find_argument(const htp_trace_node *node, const char *name)
{
    for (uint32_t i = 0; name && i < node->input_count; i++) {
        if (strcmp(node->input_names[i], name) == 0) {
            return node->inputs[i];
        }
    }
    return HTP_NONE;
}

/* The value of the view that is an input; HTP_NONE: another value. */
static uint32_t find_input(const htp_verify_program *program, htp_value_id value)
{
    uint32_t at = value == HTP_NONE ? HTP_NONE : program->values[value];
    bool is_input =
        at != HTP_NONE && program->fresh.view.values.items[at].maker == HTP_VIEW_BY_INPUT;
    return is_input ? at : HTP_NONE;
}

static void apply(const htp_verify_program *program, size_t row, const htp_trace_node *node,
                  const htp_array **arrays)
{
    uint32_t at = find_input(program, find_argument(node, rows[row].argument));
    const htp_array *made = at == HTP_NONE ? NULL : arrays[at];
    htp_value_id other = find_argument(node, rows[row].other);
    bool is_void = rows[row].rule == ASCENDING && other != HTP_NONE &&
                   htp_graph_value(program->fresh.work.graph, other)->kind != HTP_TRACE_NOTHING;
    if (!made || is_void || !htp_elements_are_numbers(made->data_type)) {
        return;
    }
    double *numbers = HTP_NEW_ARRAY(program->arena, double, made->count + 1);
    void *data = htp_arena_alloc(program->arena, htp_array_bytes(made) + 1);
    htp_array *fitting = HTP_NEW(program->arena, htp_array);
    htp_elements_read(made->data_type, made->data, made->count, numbers);
    if (rows[row].rule == ASCENDING) {
        sort_rows(numbers, made);
    } else {
        uint32_t whole = find_input(program, other);
        bool is_known = whole != HTP_NONE && arrays[whole];
        spread(numbers, made->count, is_known ? arrays[whole]->count : 0);
    }
    (void)htp_measure_write(numbers, made->count, made->data_type, data);
    *fitting = *made;
    fitting->data = data;
    arrays[at] = fitting;
}

static bool is_of(size_t row, const htp_trace_node *node)
{
    size_t length = strlen(rows[row].name);
    return strncmp(node->kind, rows[row].name, length) == 0 &&
           (node->kind[length] == '.' || node->kind[length] == '\0');
}

void htp_verify_program_fit_inputs(const htp_verify_program *program, const htp_array **arrays)
{
    const htp_graph *graph = program->fresh.work.graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const htp_trace_node *node = htp_graph_node(graph, n);
        for (size_t i = 0; graph->is_live[n] && i < sizeof(rows) / sizeof(*rows); i++) {
            if (is_of(i, node)) {
                apply(program, i, node, arrays);
            }
        }
    }
}
