/*
 * Inputs that were made up, as the operators that read them require: sorted, the beginnings or
 * lengths of parts, labels. With others libtorch computes anything, or nothing.
 */
#include "api/reference/reference.h"
#include "onnx/proto/tensor_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What an operator requires of an operand. */
enum rule {
    ASCENDING, /* along the last dim; descending if the other operand is an input that sorts it */
    BEGINNING, /* where parts of another operand begin: 0 first, ascending; the other's size may be
                  last */
    BACKWARDS, /* the positions of each row, the last one first: what sorts a descending row */
    FRACTION,  /* from 0 up to 1 */
    SHARES,    /* each row: lengths of parts of another operand; they add up to a dim of it */
    LABEL,     /* positions in the last dim of another operand; not 0, which often means none */
    STEPS,     /* the first dim of another operand */
    LENGTH,    /* of labels: those of the other operand, a row or a share each */
};

static const struct {
    const char *name;
    const char *argument;
    enum rule rule;
    const char *other; /* operand: whose parts begin there, or that makes the rule void */
} rows[] = {
    {"aten::_embedding_bag", "offsets", BEGINNING, "indices"},
    {"aten::_embedding_bag_forward_only", "offsets", BEGINNING, "indices"},
    {"aten::_ctc_loss", "targets", LABEL, "log_probs"},
    {"aten::_ctc_loss", "input_lengths", STEPS, "log_probs"},
    {"aten::_ctc_loss", "target_lengths", LENGTH, "targets"},
    {"aten::bucketize", "boundaries", ASCENDING, NULL},
    {"aten::ctc_loss", "targets", LABEL, "log_probs"},
    {"aten::ctc_loss", "input_lengths", STEPS, "log_probs"},
    {"aten::ctc_loss", "target_lengths", LENGTH, "targets"},
    {"aten::embedding_bag", "offsets", BEGINNING, "indices"},
    {"aten::fractional_max_pool2d", "random_samples", FRACTION, NULL},
    {"aten::fractional_max_pool3d", "random_samples", FRACTION, NULL},
    {"aten::searchsorted", "sorted_sequence", ASCENDING, "sorter"},
    {"aten::searchsorted", "sorter", BACKWARDS, NULL},
    {"aten::segment_reduce", "lengths", SHARES, "data"},
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

static void turn_rows(double *numbers, const htp_array *array)
{
    size_t width = array->rank > 0 ? (size_t)array->dims[array->rank - 1] : 1;
    for (size_t at = 0; width > 0 && at + width <= array->count; at += width) {
        for (size_t i = 0; i < width / 2; i++) {
            double first = numbers[at + i];
            numbers[at + i] = numbers[at + width - 1 - i];
            numbers[at + width - 1 - i] = first;
        }
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

/* Lengths of parts of about equal size, in each row. */
static void share(double *numbers, const htp_array *array, int64_t size)
{
    size_t width = array->rank > 0 ? (size_t)array->dims[array->rank - 1] : 1;
    for (size_t i = 0; i < array->count; i++) {
        double part = (double)(i % width);
        numbers[i] = floor((double)size * (part + 1) / (double)width) -
                     floor((double)size * part / (double)width);
    }
}

static void repeat(double *numbers, size_t count, int64_t number)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (double)number;
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

/* The dims of another operand in this run; none where they are not known. */
static htp_array find_dims(const htp_verify_program *program, htp_value_id id,
                           const htp_array *const *arrays, uint32_t lane)
{
    uint32_t at = find_input(program, id);
    htp_array other = {.rank = 0};
    if (at != HTP_NONE && arrays[at]) {
        return *arrays[at];
    }
    const htp_trace_value *value =
        id == HTP_NONE ? NULL : htp_graph_value(program->fresh.work.graph, id);
    if (!value || value->kind != HTP_TRACE_TENSOR || lane == HTP_NONE) {
        return other;
    }
    other = (htp_array){.rank = value->rank, .dims = value->dims[lane], .count = 1};
    for (uint32_t i = 0; i < value->rank; i++) {
        other.count *= (size_t)value->dims[lane][i];
    }
    return other;
}

/* Numbers that fit. @param other  without dims where these are not known */
static void fit(enum rule rule, const htp_array *array, const htp_array *other, double *numbers)
{
    size_t of = array->rank > 0 ? array->rank - 1 : 0;
    int64_t width = array->rank > 0 ? array->dims[of] : 1;
    int64_t first = other->rank > 0 ? other->dims[0] : 0;
    int64_t last = other->rank > 0 ? other->dims[other->rank - 1] : 0;
    switch (rule) {
    case ASCENDING:
        sort_rows(numbers, array);
        if (other->rank > 0) {
            turn_rows(numbers, array);
        }
        break;
    case BACKWARDS:
        for (size_t i = 0; i < array->count; i++) {
            numbers[i] = (double)(width - 1 - (int64_t)i % width);
        }
        break;
    case BEGINNING:
        spread(numbers, array->count, other->count);
        break;
    case SHARES:
        share(numbers, array, of < other->rank ? other->dims[of] : 0);
        break;
    case STEPS:
        repeat(numbers, array->count, first);
        break;
    case LENGTH:
        if (other->rank == 1 && array->rank == 1) { /* one after the other */
            share(numbers, array, first);
        } else {
            repeat(numbers, array->count, last);
        }
        break;
    case FRACTION:
        for (size_t i = 0; i < array->count; i++) {
            numbers[i] -= floor(numbers[i]);
        }
        break;
    case LABEL:
        for (size_t i = 0; i < array->count; i++) {
            numbers[i] = last > 1 ? (double)(1 + (int64_t)i % (last - 1)) : 0;
        }
        break;
    }
}

static void apply(const htp_verify_program *program, size_t row, const htp_trace_node *node,
                  uint32_t lane, const htp_array **arrays)
{
    uint32_t at = find_input(program, find_argument(node, rows[row].argument));
    const htp_array *made = at == HTP_NONE ? NULL : arrays[at];
    htp_value_id id = find_argument(node, rows[row].other);
    const htp_array other = find_dims(program, id, arrays, lane);
    bool is_void = rows[row].rule == ASCENDING && id != HTP_NONE &&
                   htp_graph_value(program->fresh.work.graph, id)->kind != HTP_TRACE_NOTHING &&
                   find_input(program, id) == HTP_NONE; /* the program sorts it */
    if (!made || is_void || !htp_elements_are_numbers(made->data_type)) {
        return;
    }
    double *numbers = HTP_NEW_ARRAY(program->arena, double, made->count + 1);
    void *data = htp_arena_alloc(program->arena, htp_array_bytes(made) + 1);
    htp_array *fitting = HTP_NEW(program->arena, htp_array);
    htp_elements_read(made->data_type, made->data, made->count, numbers);
    fit(rows[row].rule, made, &other, numbers);
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

void htp_verify_program_fit_inputs(const htp_verify_program *program, uint32_t lane,
                                   const htp_array **arrays)
{
    const htp_graph *graph = program->fresh.work.graph;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const htp_trace_node *node = htp_graph_node(graph, n);
        for (size_t i = 0; graph->is_live[n] && i < sizeof(rows) / sizeof(*rows); i++) {
            if (is_of(i, node)) {
                apply(program, i, node, lane, arrays);
            }
        }
    }
}
