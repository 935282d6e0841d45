/*
 * Empty operands of operators with nonempty results.
 */
#include "lower/tensor/empty.h"

#include "lower/compose/complex.h"
#include "lower/reduction/reduce.h"

#include <string.h>

static bool is_empty(const htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    for (uint32_t i = 0; value->kind == HTP_TRACE_TENSOR && i < value->rank; i++) {
        const htp_dim *dim = &l->graph->values[id].dims[i];
        if (!dim->symbol && dim->size == 0) {
            return true;
        }
    }
    return false;
}

static bool has_empty(const htp_lowering *l, const uint32_t *values, uint32_t count)
{
    bool has = false;
    for (uint32_t i = 0; i < count && !has; i++) {
        has = is_empty(l, values[i]);
    }
    return has;
}

/** Whether an empty tensor is an operand beside a nonempty one. Tensors in lists do not count,
 * since concatenation handles empty ones. */
static bool meets_empty(const htp_lowering *l)
{
    const htp_trace_node *node = l->node;
    if (node->block_count > 0 || !has_empty(l, node->inputs, node->input_count)) {
        return false;
    }
    bool gives_elements = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        gives_elements = gives_elements || !is_empty(l, node->outputs[i]);
    }
    return gives_elements;
}

/** Lowers operators that write into a copy of their first operand: if nothing is written, they
 * return it. */
static void lower_unwritten(htp_lowering *l)
{
    if (!htp_node_is_complex(l)) {
        htp_bind(l, 0, htp_arg_tensor(l, "self"));
        return;
    }
    htp_dtype dtype = htp_dtype_real(htp_output_dtype(l, 0));
    htp_bind_complex(l, 0, htp_arg_complex(l, "self", dtype), dtype);
}

/* Whether an operator writes into a copy of its first operand. */
static bool writes(const char *kind)
{
    static const char *const writers[] = {"aten::_index_put_impl",
                                          "aten::_unsafe_index_put",
                                          "aten::as_strided_scatter",
                                          "aten::diagonal_scatter",
                                          "aten::index_add",
                                          "aten::index_copy",
                                          "aten::index_fill",
                                          "aten::index_put",
                                          "aten::index_reduce",
                                          "aten::masked_scatter",
                                          "aten::put",
                                          "aten::scatter",
                                          "aten::scatter_add",
                                          "aten::scatter_reduce",
                                          "aten::slice_scatter"};
    size_t length = strcspn(kind, ".");
    bool found = false;
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]) && !found; i++) {
        found = strlen(writers[i]) == length && strncmp(writers[i], kind, length) == 0;
    }
    return found;
}

/** Whether the operator's own lowering handles empty tensors. */
static bool knows_empty(const char *kind)
{
    static const char *const handling[] = {"aten::_shape_as_tensor",
                                           "aten::addbmm",
                                           "aten::addmm",
                                           "aten::addmv",
                                           "aten::baddbmm",
                                           "aten::constant_pad_nd",
                                           "aten::histogramdd",
                                           "aten::histogramdd.TensorList_bins",
                                           "aten::histogramdd.int_bins",
                                           "aten::segment_reduce",
                                           "aten::histogram.bin_ct",
                                           "aten::histogram.bins_tensor",
                                           "aten::len.Tensor",
                                           "aten::linalg_householder_product",
                                           "aten::new_empty",
                                           "aten::new_empty_strided",
                                           "aten::new_full",
                                           "aten::new_ones",
                                           "aten::new_zeros",
                                           "aten::numel",
                                           "aten::pad",
                                           "aten::size",
                                           "aten::size.int"};
    return htp_text_is_one_of(kind, handling, sizeof(handling) / sizeof(handling[0]));
}

htp_lower_fn htp_lowering_find(htp_lowering *l)
{
    const char *kind = l->node->kind;
    if (!meets_empty(l) || knows_empty(kind)) {
        return l->row->lower;
    }
    if (htp_reduces_nothing(l)) {
        return htp_lower_reduction_of_nothing;
    }
    if (!writes(kind) || is_empty(l, l->node->inputs[0])) {
        htp_lower_fail(l, "a tensor without elements meets one with elements");
        return NULL;
    }
    return lower_unwritten;
}
