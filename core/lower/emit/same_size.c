#include "lower/emit/same_size.h"

#include <string.h>

/** The longest chain of producers that is followed. */
enum { MAX_STEPS = 16 };

/** Operators that return their operand's number. */
static const char *const same_number[] = {
    "prim::NumToTensor.Scalar", "aten::Int.Tensor",     "aten::Int.Scalar",
    "aten::IntImplicit",        "aten::ScalarImplicit", NULL,
};

/** Operators whose output has the sizes of their first operand, whatever their other arguments
 * are. */
static const char *const same_sizes[] = {
    "aten::clamp",
    "aten::clamp_min",
    "aten::clamp_max",
    "aten::abs",
    "aten::relu",
    "aten::relu6",
    "aten::hardtanh",
    "aten::hardswish",
    "aten::leaky_relu",
    "aten::gelu",
    "aten::silu",
    "aten::sigmoid",
    "aten::tanh",
    "aten::exp",
    "aten::log",
    "aten::sqrt",
    "aten::square",
    "aten::neg",
    "aten::pow.Tensor_Scalar",
    "aten::add.Scalar",
    "aten::sub.Scalar",
    "aten::mul.Scalar",
    "aten::div.Scalar",
    "aten::contiguous",
    "aten::detach",
    "aten::dropout",
    NULL,
};

/** Operators of two tensors that are broadcast. */
static const char *const broadcast[] = {
    "aten::pow.Tensor_Tensor", "aten::add.Tensor", "aten::sub.Tensor",
    "aten::mul.Tensor",        "aten::div.Tensor", NULL,
};

static bool is_among(const char *kind, const char *const *list)
{
    while (*list && strcmp(kind, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

/** The node that makes a value, if it has an operand; NULL otherwise. */
static const htp_trace_node *producer_of(htp_lowering *l, htp_value_id id)
{
    uint32_t producer = htp_graph_value(l->graph, id)->producer;
    const htp_trace_node *node = producer == HTP_NONE ? NULL : htp_graph_node(l->graph, producer);
    return node && node->input_count > 0 && node->inputs[0] != HTP_NONE ? node : NULL;
}

/** Whether a value has one element and at most one dim. */
static bool is_single(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind != HTP_TRACE_TENSOR || value->rank == 0) {
        return value->kind == HTP_TRACE_TENSOR || htp_value_is_number(value);
    }
    const htp_dim *dim = &l->graph->values[id].dims[0];
    return value->rank == 1 && !dim->symbol && dim->size == 1;
}

/** The tensor that @p id was computed from element by element. */
static htp_value_id origin_of(htp_lowering *l, htp_value_id id)
{
    for (int i = 0; i < MAX_STEPS; i++) {
        const htp_trace_node *node = producer_of(l, id);
        bool keeps = node && (is_among(node->kind, same_sizes) ||
                              (is_among(node->kind, broadcast) && is_single(l, node->inputs[1])));
        if (!keeps || htp_graph_value(l->graph, node->inputs[0])->rank !=
                          htp_graph_value(l->graph, id)->rank) {
            break;
        }
        id = node->inputs[0];
    }
    return id;
}

/** The dim of the node's operand whose size a number is; -1 if it is none. */
static int64_t dim_of(htp_lowering *l, const htp_trace_node *node, htp_value_id number)
{
    if (strcmp(node->kind, "aten::size.int") == 0 && node->input_count > 1) {
        const htp_trace_value *dim = htp_graph_value(l->graph, node->inputs[1]);
        int64_t rank = htp_graph_value(l->graph, node->inputs[0])->rank;
        return !dim->is_constant ? -1 : dim->i[0] < 0 ? dim->i[0] + rank : dim->i[0];
    }
    if (strcmp(node->kind, "aten::size") != 0 || node->output_count == 0) {
        return -1;
    }
    const htp_trace_value *sizes = htp_graph_value(l->graph, node->outputs[0]);
    for (uint32_t i = 0; sizes->kind == HTP_TRACE_LIST && i < sizes->element_count; i++) {
        if (sizes->elements[i] == number) {
            return i;
        }
    }
    return -1;
}

bool htp_number_is_size_of(htp_lowering *l, htp_value_id number, htp_value_id tensor, uint32_t dim)
{
    const htp_trace_node *node = producer_of(l, number);
    for (int i = 0; i < MAX_STEPS && node && is_among(node->kind, same_number); i++) {
        number = node->inputs[0];
        node = producer_of(l, number);
    }
    return node && dim_of(l, node, number) == dim &&
           origin_of(l, node->inputs[0]) == origin_of(l, tensor);
}
