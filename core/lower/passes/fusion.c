/*
 * The pass itself, and its guards for activations and pads.
 *
 * It copies the nodes of the finished builder, in order, to a new list: guards stand directly
 * before their node.
 */
#include "lower/passes/fusion.h"

#include "lower/passes/fusion_parts.h"
#include "onnx/builder/prune.h"
#include "onnx/serialize/payload.h"

#include <string.h>

/* The activations that ONNX Runtime's GemmActivationFusion merges. */
static bool is_merged(const char *op)
{
    static const char *const merged[] = {"Elu",  "HardSigmoid",    "LeakyRelu", "Relu",
                                         "Selu", "Sigmoid",        "Softplus",  "Softsign",
                                         "Tanh", "ThresholdedRelu"};
    return htp_text_is_one_of(op, merged, sizeof(merged) / sizeof(merged[0]));
}

/* The node that makes @p x, if it has one reader; NULL otherwise. */
static const htp_onnx_node *sole_producer(const htp_builder *model, htp_tensor_id x)
{
    if (x == HTP_NONE) {
        return NULL;
    }
    const htp_tensor *tensor = &model->tensors.items[x];
    if (tensor->source != HTP_TENSOR_FROM_NODE || tensor->uses != 1 || tensor->is_output) {
        return NULL;
    }
    const htp_onnx_node *node = &model->nodes.items[tensor->index];
    return node->graph == model->current_graph ? node : NULL;
}

static bool is_matrix(const htp_builder *model, htp_tensor_id x)
{
    return model->tensors.items[x].has_type && model->tensors.items[x].rank == 2;
}

/* Operand @p index of a Gemm, transposed where the Gemm transposes it. */
static htp_tensor_id matrix_operand(htp_lowering *l, const htp_onnx_node *gemm, uint32_t index)
{
    const int64_t swapped[] = {1, 0};
    const htp_attribute *flag = htp_builder_attribute(gemm, index == 0 ? "transA" : "transB");
    htp_tensor_id x = gemm->inputs[index];
    return flag && flag->i ? htp_emit_transpose(l, x, swapped, 2) : x;
}

/* @p x times a Gemm's factor. */
static htp_tensor_id scaled(htp_lowering *l, const htp_onnx_node *gemm, const char *factor,
                            htp_tensor_id x)
{
    const htp_attribute *found = htp_builder_attribute(gemm, factor);
    if (!found || found->f == 1.0F) {
        return x;
    }
    htp_tensor_id scale = htp_emit_scalar(l, HTP_DTYPE_FLOAT32, (double)found->f);
    return htp_emit(l, "Mul", HTP_IN(x, scale), HTP_NO_AT);
}

/* A Gemm's attributes without the bias's factor. */
static htp_emit_attributes product_attributes(htp_lowering *l, const htp_onnx_node *gemm)
{
    htp_attribute *kept = HTP_NEW_ARRAY(l->arena, htp_attribute, gemm->attribute_count);
    size_t count = 0;
    for (uint32_t i = 0; i < gemm->attribute_count; i++) {
        if (strcmp(gemm->attributes[i].name, "beta") != 0) {
            kept[count++] = gemm->attributes[i];
        }
    }
    return (htp_emit_attributes){kept, count};
}

/* Whether all elements of @p size bytes are 0 or -0. */
static bool are_zeros(const unsigned char *bytes, uint64_t count, size_t size)
{
    unsigned found = 0;
    for (uint64_t i = 0; i < count; i++) {
        found |= (i + 1) % size == 0 ? bytes[i] & 0x7fU : bytes[i];
    }
    return found == 0;
}

/* Whether @p x is a constant of zeros. */
static bool is_zero(const htp_builder *model, htp_tensor_id x)
{
    const htp_tensor *tensor = &model->tensors.items[x];
    if (tensor->source != HTP_TENSOR_FROM_INITIALIZER || !htp_dtype_is_float(tensor->dtype)) {
        return false;
    }
    const htp_initializer *constant = &model->initializers.items[tensor->index];
    htp_payload payload;
    uint64_t left = 0;
    const unsigned char *bytes = NULL;
    htp_status status = htp_payload_check(model, constant, &left);
    if (status != HTP_OK) { /* the writer will report it */
        htp_status_free(status);
        return false;
    }
    htp_payload_begin(&payload, model, constant);
    while ((left = htp_payload_next(&payload, &bytes)) > 0) {
        if (!are_zeros(bytes, left, htp_dtype_size(tensor->dtype))) {
            return false;
        }
    }
    return true;
}

/* The Gemm's result in a form that is not merged. */
static htp_tensor_id split_gemm(htp_lowering *l, const htp_onnx_node *gemm)
{
    bool has_bias = gemm->input_count == 3 && !is_zero(l->model, gemm->inputs[2]);
    if (!has_bias) {
        htp_tensor_id a = matrix_operand(l, gemm, 0);
        htp_tensor_id b = matrix_operand(l, gemm, 1);
        return scaled(l, gemm, "alpha", htp_emit(l, "MatMul", HTP_IN(a, b), HTP_NO_AT));
    }
    htp_tensor_id bias = scaled(l, gemm, "beta", gemm->inputs[2]);
    htp_tensor_id product =
        htp_emit(l, "Gemm", HTP_IN(gemm->inputs[0], gemm->inputs[1]), product_attributes(l, gemm));
    return htp_emit(l, "Add", HTP_IN(product, bias), HTP_NO_AT);
}

/* A matrix product as a Gemm; HTP_NONE if @p x is no product, or has other readers. */
static htp_tensor_id gemm_of(htp_lowering *l, htp_tensor_id x)
{
    const htp_onnx_node *product = sole_producer(l->model, x);
    bool is_product = product && strcmp(product->op_type, "MatMul") == 0 &&
                      is_matrix(l->model, product->inputs[0]) &&
                      is_matrix(l->model, product->inputs[1]);
    return is_product
               ? htp_emit(l, "Gemm", HTP_IN(product->inputs[0], product->inputs[1]), HTP_NO_AT)
               : HTP_NONE;
}

/* The result of an Add of one or two matrix products, with these as Gemms; HTP_NONE if it adds
 * none. */
static htp_tensor_id split_sum(htp_lowering *l, const htp_onnx_node *sum)
{
    htp_tensor_id first = gemm_of(l, sum->inputs[0]);
    htp_tensor_id second = gemm_of(l, sum->inputs[1]);
    if (first == HTP_NONE && second == HTP_NONE) {
        return HTP_NONE;
    }
    return htp_emit(l, "Add",
                    HTP_IN(first == HTP_NONE ? sum->inputs[0] : first,
                           second == HTP_NONE ? sum->inputs[1] : second),
                    HTP_NO_AT);
}

/* Whether adding @p constant keeps the shape of a product with matrix @p b: it is a number, or a
 * row as wide as @p b. */
static bool fits_columns(const htp_builder *model, htp_tensor_id constant, htp_tensor_id b)
{
    const htp_tensor *row = &model->tensors.items[constant];
    const htp_tensor *matrix = &model->tensors.items[b];
    int64_t columns = matrix->dims[1].symbol ? 1 : matrix->dims[1].size;
    return row->rank == 0 ||
           (row->rank == 1 && (row->dims[0].size == 1 || row->dims[0].size == columns));
}

/* The matrix product to which zeros are added, in a form that is not merged; or HTP_NONE. Model
 * simplifiers drop such an Add, and then the product would be merged. */
static htp_tensor_id without_zeros(htp_lowering *l, const htp_onnx_node *sum)
{
    for (uint32_t i = 0; i < 2; i++) {
        htp_tensor_id zeros = sum->inputs[1 - i];
        const htp_onnx_node *found = sole_producer(l->model, sum->inputs[i]);
        bool is_product = found && strcmp(found->op_type, "MatMul") == 0 &&
                          is_matrix(l->model, found->inputs[0]) &&
                          is_matrix(l->model, found->inputs[1]);
        if (is_product && is_zero(l->model, zeros) &&
            fits_columns(l->model, zeros, found->inputs[1])) {
            return htp_emit(l, "MatMul", HTP_IN(found->inputs[0], found->inputs[1]), HTP_NO_AT);
        }
    }
    return HTP_NONE;
}

/* A Pad with all of its axes listed; HTP_NONE for one that is not merged. */
static htp_tensor_id name_axes(htp_lowering *l, const htp_onnx_node *pad)
{
    const htp_attribute *mode = htp_builder_attribute(pad, "mode");
    const htp_tensor *x = &l->model->tensors.items[pad->inputs[0]];
    bool is_constant = !mode || strcmp(mode->s, "constant") == 0;
    if (!is_constant || pad->input_count > 3 || !x->has_type) {
        return HTP_NONE;
    }
    if (l->model->opset < 18) {
        htp_lower_fail(l, "ONNX Runtime takes the padding before it for its own, which is not "
                          "filled alike; choose opset 18 or later");
        return HTP_NONE;
    }
    int64_t axes[HTP_MAX_RANK] = {0};
    for (uint32_t i = 0; i < x->rank && i < HTP_MAX_RANK; i++) {
        axes[i] = i;
    }
    htp_tensor_id value = pad->input_count > 2 ? pad->inputs[2] : HTP_NONE;
    return htp_emit(l, "Pad",
                    HTP_IN(pad->inputs[0], pad->inputs[1], value, htp_emit_ints(l, axes, x->rank)),
                    (htp_emit_attributes){pad->attributes, pad->attribute_count});
}

/* Makes the nodes added from @p first on serve all scopes that @p node serves. */
static void share_scopes(htp_lowering *l, size_t first, const htp_onnx_node *node)
{
    for (size_t n = first; n < l->model->nodes.count; n++) {
        for (size_t i = 0; i < node->more_scopes.count; i++) {
            HTP_PUSH(l->arena, &l->model->nodes.items[n].more_scopes, node->more_scopes.items[i]);
        }
    }
}

/* @p x in a form that is not merged; HTP_NONE if it would not be merged. */
static htp_tensor_id keep_apart(htp_lowering *l, htp_tensor_id x, int depth)
{
    const htp_onnx_node *producer = sole_producer(l->model, x);
    if (!producer || depth == HTP_DEEPEST_CHAIN) {
        return HTP_NONE;
    }
    /* The vector of nodes moves as it grows, so this works on a copy, with the producer's origin.
     */
    const htp_onnx_node node = *producer;
    htp_tensor_id other = HTP_NONE;
    l->model->origin = node.origin;
    if (strcmp(node.op_type, "Gemm") == 0) {
        size_t first = l->model->nodes.count;
        other = split_gemm(l, &node);
        share_scopes(l, first, &node);
        return other;
    }
    if (strcmp(node.op_type, "Add") == 0) {
        other = without_zeros(l, &node);
        other = other == HTP_NONE ? split_sum(l, &node) : other;
    }
    uint32_t passed = htp_fusion_passed_operand(l->model, &node);
    if (other == HTP_NONE && passed != HTP_NONE) {
        htp_tensor_id operands[2] = {node.inputs[0], node.inputs[1]};
        operands[passed] = keep_apart(l, operands[passed], depth + 1);
        l->model->origin = node.origin;
        other = operands[passed] == HTP_NONE
                    ? HTP_NONE
                    : htp_emit(l, node.op_type, HTP_IN(operands[0], operands[1]), HTP_NO_AT);
    }
    return other;
}

/* A Pad before a MaxPool in a form that is not merged; HTP_NONE if it needs none. */
static htp_tensor_id keep_pad(htp_lowering *l, htp_tensor_id x)
{
    const htp_onnx_node *producer = sole_producer(l->model, x);
    if (!producer || strcmp(producer->op_type, "Pad") != 0) {
        return HTP_NONE;
    }
    const htp_onnx_node node = *producer;
    l->model->origin = node.origin;
    return name_axes(l, &node);
}

/* Guards @p x before a node @p op that reads it is added. */
static void guard_operand(htp_lowering *l, const char *op, htp_tensor_id x)
{
    htp_origin origin = l->model->origin;
    htp_tensor_id other = HTP_NONE;
    if (strcmp(op, "MaxPool") == 0) {
        other = keep_pad(l, x);
    } else if (is_merged(op)) {
        other = keep_apart(l, x, 0);
    }
    l->model->origin = origin;
    if (other != HTP_NONE) {
        htp_builder_swap_producers(l->model, x, other);
    }
}

/* ---- the pass ---- */

/* Adds a node of the former list again, with its guards. */
static void replay(htp_lowering *l, htp_onnx_node node)
{
    htp_builder *model = l->model;
    model->origin = node.origin;
    model->current_graph = node.graph;
    if (node.input_count > 0 && node.inputs[0] != HTP_NONE) {
        guard_operand(l, node.op_type, node.inputs[0]);
    }
    node.inputs = htp_fusion_guard_digits(l, &node);
    for (uint32_t k = 0; k < node.output_count; k++) {
        model->tensors.items[node.outputs[k]].index = (uint32_t)model->nodes.count;
    }
    HTP_PUSH(l->arena, &model->nodes, node);
    if (node.output_count == 1) {
        htp_fusion_guard_scale(l, node.outputs[0]);
    }
}

void htp_lower_guard_fusions(htp_lowering *l, htp_unsupported *unsupported)
{
    htp_builder *model = l->model;
    const htp_origin origin = model->origin;
    const bool *live = htp_builder_count_uses(model);
    const htp_onnx_node *nodes = model->nodes.items;
    size_t count = model->nodes.count;
    model->nodes.items = HTP_NEW_ARRAY(l->arena, htp_onnx_node, count + 1);
    model->nodes.count = 0;
    model->nodes.capacity = count + 1;
    for (size_t i = 0; i < count; i++) {
        if (!live[i]) {
            continue;
        }
        replay(l, nodes[i]);
        if (l->failure) {
            htp_node_id node = nodes[i].origin.node;
            htp_unsupported_add(unsupported, l->graph, node, l->failure);
            HTP_PUSH(l->arena, &model->refused, (htp_refused){node, l->failure, false});
            l->failure = NULL;
        }
    }
    model->origin = origin;
    model->current_graph = 0;
}
