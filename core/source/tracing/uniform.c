#include "source/tracing/uniform.h"

#include "base/bits.h"
#include "graph/graph.h"

#include <string.h>

/* Operators that only reshape their first argument. */
static const char *const movements[] = {
    "aten::alias",     "aten::chunk",   "aten::clone",  "aten::contiguous", "aten::detach",
    "aten::expand",    "aten::flatten", "aten::narrow", "aten::permute",    "aten::repeat",
    "aten::reshape",   "aten::select",  "aten::slice",  "aten::split",      "aten::squeeze",
    "aten::t",         "aten::to",      "aten::unbind", "aten::transpose",  "aten::unflatten",
    "aten::unsqueeze", "aten::view"};

/* Operators that fill a tensor with one number: this one, or an argument. */
static const struct {
    const char *kind;
    const char *argument; /* NULL: number */
    double number;
} fills[] = {
    {"aten::zeros", NULL, 0},
    {"aten::zeros_like", NULL, 0},
    {"aten::new_zeros", NULL, 0},
    {"aten::ones", NULL, 1},
    {"aten::ones_like", NULL, 1},
    {"aten::new_ones", NULL, 1},
    {"aten::full", "fill_value", 0},
    {"aten::full_like", "fill_value", 0},
    {"aten::new_full", "fill_value", 0},
};

static bool is_movement(const htp_trace_node *node)
{
    for (size_t i = 0; i < sizeof(movements) / sizeof(movements[0]); i++) {
        if (htp_trace_node_runs(node, movements[i])) {
            return node->input_count > 0;
        }
    }
    return false;
}

static const htp_trace_node *producer_of(const htp_trace *trace, uint32_t id)
{
    uint32_t node = trace->values[id].producer;
    return node == HTP_NONE ? NULL : &trace->nodes[node];
}

uint32_t htp_uniform_source(const htp_trace *trace, uint32_t id)
{
    const htp_trace_node *node = producer_of(trace, id);
    while (node && is_movement(node) &&
           trace->values[node->inputs[0]].dtype == trace->values[id].dtype) {
        id = node->inputs[0];
        node = producer_of(trace, id);
    }
    return id;
}

/* ---- one number all over ---- */

static bool read_element(const htp_trace_value *value, uint64_t index, double *number)
{
    switch (value->dtype) {
    case HTP_DTYPE_FLOAT32: {
        float element;
        memcpy(&element, (const char *)value->data + index * sizeof(element), sizeof(element));
        *number = element;
        return true;
    }
    case HTP_DTYPE_FLOAT64:
        memcpy(number, (const char *)value->data + index * sizeof(*number), sizeof(*number));
        return true;
    case HTP_DTYPE_INT64: {
        int64_t element;
        memcpy(&element, (const char *)value->data + index * sizeof(element), sizeof(element));
        *number = (double)element;
        return true;
    }
    case HTP_DTYPE_BOOL:
        *number = ((const unsigned char *)value->data)[index];
        return true;
    default:
        return false;
    }
}

static uint64_t count_elements(const htp_trace_value *value)
{
    uint64_t count = 1;
    for (uint32_t dim = 0; dim < value->rank; dim++) {
        count *= (uint64_t)value->dims[0][dim];
    }
    return count;
}

static bool is_uniform_constant(const htp_trace_value *value, double *number)
{
    if (!value->is_constant || !value->data || value->kind != HTP_TRACE_TENSOR) {
        return false;
    }
    uint64_t count = count_elements(value);
    bool is_uniform = count > 0 && read_element(value, 0, number);
    for (uint64_t i = 1; is_uniform && i < count; i++) {
        double other;
        is_uniform = read_element(value, i, &other) && htp_bits_are_equal(other, *number);
    }
    return is_uniform;
}

static bool read_argument(const htp_trace *trace, const htp_trace_node *node, const char *name,
                          double *number)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const htp_trace_value *value = &trace->values[node->inputs[i]];
        if (strcmp(node->input_names[i], name) != 0 || !value->is_constant) {
            continue;
        }
        *number = value->kind == HTP_TRACE_FLOAT ? value->f[0] : (double)value->i[0];
        return value->kind == HTP_TRACE_FLOAT || value->kind == HTP_TRACE_INT ||
               value->kind == HTP_TRACE_BOOL;
    }
    return false;
}

bool htp_uniform_find(const htp_trace *trace, uint32_t id, double *number)
{
    uint32_t source = htp_uniform_source(trace, id);
    const htp_trace_node *node = producer_of(trace, source);
    if (!node) {
        return is_uniform_constant(&trace->values[source], number);
    }
    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
        if (htp_trace_node_runs(node, fills[i].kind)) {
            *number = fills[i].number;
            return !fills[i].argument || read_argument(trace, node, fills[i].argument, number);
        }
    }
    return is_uniform_constant(&trace->values[id], number);
}
