#include "lower/passes/told_shapes.h"

#include "onnx/builder/prune.h"

#include <string.h>

static bool has_dims(const htp_tensor *tensor)
{
    return tensor->has_type && !tensor->is_sequence && tensor->rank <= HTP_MAX_RANK;
}

/* The entry of a Reshape's shape: a fixed size, or 0 for a size copied from @p from; -1 if it is
 * neither. */
static int64_t told_size(const htp_tensor *from, const htp_tensor *to, uint32_t place)
{
    const htp_dim *dim = &to->dims[place];
    if (!dim->symbol) {
        return dim->size > 0 ? dim->size : -1;
    }
    const char *own = place < from->rank ? from->dims[place].symbol : NULL;
    return own && *own && strcmp(own, dim->symbol) == 0 ? 0 : -1;
}

/* The constant shape of a Reshape, or HTP_NONE. */
static htp_tensor_id told_shape(htp_builder *model, const htp_onnx_node *node)
{
    const htp_tensor *from = &model->tensors.items[node->inputs[0]];
    const htp_tensor *to = &model->tensors.items[node->outputs[0]];
    int64_t sizes[HTP_MAX_RANK] = {0};
    if (!has_dims(from) || !has_dims(to)) {
        return HTP_NONE;
    }
    for (uint32_t i = 0; i < to->rank; i++) {
        sizes[i] = told_size(from, to, i);
        if (sizes[i] < 0) {
            return HTP_NONE;
        }
    }
    const int64_t rank = to->rank;
    return htp_builder_constant(model, HTP_DTYPE_INT64, 1, &rank, sizes);
}

static bool is_computed(const htp_builder *model, htp_tensor_id tensor)
{
    return model->tensors.items[tensor].source == HTP_TENSOR_FROM_NODE;
}

/* ---- products of flattened tensors ---- */

static bool is_same_dim(const htp_dim *a, const htp_dim *b)
{
    if (a->symbol || b->symbol) {
        return a->symbol && b->symbol && *a->symbol && strcmp(a->symbol, b->symbol) == 0;
    }
    return a->size == b->size;
}

/* The node that makes a tensor, if it is an @p op_type and the tensor has one reader; or NULL. */
static htp_onnx_node *sole_producer(htp_builder *model, htp_tensor_id id, const char *op_type)
{
    const htp_tensor *tensor = &model->tensors.items[id];
    if (tensor->source != HTP_TENSOR_FROM_NODE || tensor->is_output || tensor->uses != 1) {
        return NULL;
    }
    htp_onnx_node *node = &model->nodes.items[tensor->index];
    return *node->domain == '\0' && strcmp(node->op_type, op_type) == 0 ? node : NULL;
}

/* Whether a Gemm is A · B, or A · B + C where C is a row or a number. */
static bool is_plain_product(const htp_builder *model, const htp_onnx_node *gemm)
{
    for (uint32_t i = 0; i < gemm->attribute_count; i++) {
        const htp_attribute *attribute = &gemm->attributes[i];
        bool is_plain =
            attribute->kind == HTP_ATTRIBUTE_FLOAT ? attribute->f == 1.0F : attribute->i == 0;
        if (!is_plain) {
            return false;
        }
    }
    const htp_tensor *added = gemm->input_count > 2 && gemm->inputs[2] != HTP_NONE
                                  ? &model->tensors.items[gemm->inputs[2]]
                                  : NULL;
    return !added || (has_dims(added) && added->rank <= 1);
}

/* The tensor that a Gemm reads with all axes but the last flattened, if the result gets these axes
 * back; HTP_NONE for others. */
static htp_tensor_id flattened_tensor(htp_builder *model, const htp_onnx_node *gemm,
                                      const htp_tensor *product, const htp_tensor *made)
{
    const htp_tensor *rows = &model->tensors.items[gemm->inputs[0]];
    if (rows->source != HTP_TENSOR_FROM_NODE) {
        return HTP_NONE;
    }
    const htp_onnx_node *flattens = &model->nodes.items[rows->index];
    bool is_reshape = *flattens->domain == '\0' && strcmp(flattens->op_type, "Reshape") == 0;
    const htp_tensor *x = is_reshape ? &model->tensors.items[flattens->inputs[0]] : NULL;
    if (!x || !has_dims(x) || !has_dims(rows) || !has_dims(product) || !has_dims(made) ||
        x->rank < 3 || rows->rank != 2 || product->rank != 2 || made->rank != x->rank) {
        return HTP_NONE;
    }
    uint32_t last = x->rank - 1;
    const htp_dim *columns = &rows->dims[1];
    bool is_flat = !columns->symbol && columns->size > 0 && is_same_dim(columns, &x->dims[last]) &&
                   is_same_dim(&product->dims[1], &made->dims[last]);
    for (uint32_t i = 0; i < last && is_flat; i++) {
        is_flat = is_same_dim(&x->dims[i], &made->dims[i]);
    }
    return is_flat ? flattens->inputs[0] : HTP_NONE;
}

static void set_operands(htp_builder *model, htp_onnx_node *node, const char *op_type,
                         htp_tensor_id a, htp_tensor_id b)
{
    htp_tensor_id *inputs = HTP_NEW_ARRAY(model->arena, htp_tensor_id, 2);
    inputs[0] = a;
    inputs[1] = b;
    node->op_type = op_type;
    node->inputs = inputs;
    node->input_count = 2;
    node->attribute_count = 0;
}

/* Makes the product read the tensor that was flattened for it. */
static void straighten(htp_builder *model, htp_onnx_node *reshape)
{
    htp_tensor_id result = reshape->inputs[0];
    htp_onnx_node *gemm = sole_producer(model, result, "Gemm");
    if (!gemm || gemm->graph != reshape->graph || gemm->origin.scope != reshape->origin.scope ||
        !is_plain_product(model, gemm)) {
        return;
    }
    const htp_tensor *made = &model->tensors.items[reshape->outputs[0]];
    htp_tensor_id x = flattened_tensor(model, gemm, &model->tensors.items[result], made);
    htp_tensor_id added = gemm->input_count > 2 ? gemm->inputs[2] : HTP_NONE;
    if (x == HTP_NONE) {
        return;
    }
    if (added == HTP_NONE) {
        set_operands(model, reshape, "MatMul", x, gemm->inputs[1]);
        return;
    }
    set_operands(model, gemm, "MatMul", x, gemm->inputs[1]);
    set_operands(model, reshape, "Add", result, added);
    htp_builder_set_type(model, result, made->dtype, made->rank, made->dims);
}

/* ---- the pass ---- */

void htp_lower_tell_shapes(htp_builder *model)
{
    const bool *live = htp_builder_count_uses(model);
    for (size_t i = 0; i < model->nodes.count; i++) {
        htp_onnx_node *node = &model->nodes.items[i];
        if (!live[i] || strcmp(node->op_type, "Reshape") != 0 || *node->domain) {
            continue;
        }
        straighten(model, node);
        bool is_told = strcmp(node->op_type, "Reshape") == 0 && is_computed(model, node->inputs[1]);
        htp_tensor_id shape = is_told ? told_shape(model, node) : HTP_NONE;
        if (shape != HTP_NONE) {
            set_operands(model, node, "Reshape", node->inputs[0], shape); /* without allowzero */
        }
    }
}
