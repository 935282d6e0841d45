#include "lower/fusion.h"

#include <math.h>
#include <string.h>

enum { DEEPEST_CHAIN = 100 };

/* The activations that ONNX Runtime's GemmActivationFusion merges. */
static bool is_merged(const char *op)
{
    static const char *const merged[] = {"Elu",  "HardSigmoid",    "LeakyRelu", "Relu",
                                         "Selu", "Sigmoid",        "Softplus",  "Softsign",
                                         "Tanh", "ThresholdedRelu"};
    return htp_text_is_one_of(op, merged, sizeof(merged) / sizeof(merged[0]));
}

/* The node that makes @p x, when nobody else has read @p x so far; NULL otherwise. */
static const htp_onnx_node *sole_producer(const htp_draft *model, htp_tensor_id x, uint32_t uses)
{
    if (x == HTP_TENSOR_NONE) {
        return NULL;
    }
    const htp_tensor *tensor = &model->tensors.items[x];
    if (tensor->source != HTP_TENSOR_FROM_NODE || tensor->uses != uses || tensor->is_output) {
        return NULL;
    }
    const htp_onnx_node *node = &model->nodes.items[tensor->index];
    return node->graph == model->current_graph ? node : NULL;
}

static bool is_matrix(const htp_draft *model, htp_tensor_id x)
{
    return model->tensors.items[x].has_type && model->tensors.items[x].rank == 2;
}

static const htp_attribute *find_attribute(const htp_onnx_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, name) == 0) {
            return &node->attributes[i];
        }
    }
    return NULL;
}

/* Operand @p index of a Gemm, transposed where the Gemm transposes it. */
static htp_tensor_id matrix_operand(htp_lowering *l, const htp_onnx_node *gemm, uint32_t index)
{
    const int64_t swapped[] = {1, 0};
    const htp_attribute *flag = find_attribute(gemm, index == 0 ? "transA" : "transB");
    htp_tensor_id x = gemm->inputs[index];
    return flag && flag->i ? htp_emit_transpose(l, x, swapped, 2) : x;
}

/* @p x times a Gemm's factor. */
static htp_tensor_id scaled(htp_lowering *l, const htp_onnx_node *gemm, const char *factor,
                            htp_tensor_id x)
{
    const htp_attribute *found = find_attribute(gemm, factor);
    if (!found || found->f == 1.0F) {
        return x;
    }
    htp_tensor_id scale = htp_emit_scalar(l, HTP_DTYPE_FLOAT32, (double)found->f);
    return htp_emit(l, "Mul", HTP_IN(x, scale), HTP_NO_AT);
}

/* A Gemm's attributes but its bias's factor. */
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

/* The Gemm's result in a form that is not merged. */
static htp_tensor_id split_gemm(htp_lowering *l, const htp_onnx_node *gemm)
{
    bool has_bias = gemm->input_count == 3;
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

/* A product of matrices as a Gemm; HTP_TENSOR_NONE where @p x is none, or others read it. */
static htp_tensor_id gemm_of(htp_lowering *l, htp_tensor_id x)
{
    const htp_onnx_node *product = sole_producer(l->model, x, 1);
    bool is_product = product && strcmp(product->op_type, "MatMul") == 0 &&
                      is_matrix(l->model, product->inputs[0]) &&
                      is_matrix(l->model, product->inputs[1]);
    return is_product
               ? htp_emit(l, "Gemm", HTP_IN(product->inputs[0], product->inputs[1]), HTP_NO_AT)
               : HTP_TENSOR_NONE;
}

/* The result of an Add of one or two products of matrices, with these as Gemms; HTP_TENSOR_NONE
 * when it adds none. */
static htp_tensor_id split_sum(htp_lowering *l, const htp_onnx_node *sum)
{
    htp_tensor_id first = gemm_of(l, sum->inputs[0]);
    htp_tensor_id second = gemm_of(l, sum->inputs[1]);
    if (first == HTP_TENSOR_NONE && second == HTP_TENSOR_NONE) {
        return HTP_TENSOR_NONE;
    }
    return htp_emit(l, "Add",
                    HTP_IN(first == HTP_TENSOR_NONE ? sum->inputs[0] : first,
                           second == HTP_TENSOR_NONE ? sum->inputs[1] : second),
                    HTP_NO_AT);
}

/* A Pad that names its axes, all of them; HTP_TENSOR_NONE for one that has nothing to fear. */
static htp_tensor_id name_axes(htp_lowering *l, const htp_onnx_node *pad)
{
    const htp_attribute *mode = find_attribute(pad, "mode");
    const htp_tensor *x = &l->model->tensors.items[pad->inputs[0]];
    bool is_constant = !mode || strcmp(mode->s, "constant") == 0;
    if (!is_constant || pad->input_count > 3 || !x->has_type) {
        return HTP_TENSOR_NONE;
    }
    if (l->model->opset < 18) {
        htp_lower_fail(l, "ONNX Runtime takes the padding before it for its own, which is not "
                          "filled alike; choose opset 18 or later");
        return HTP_TENSOR_NONE;
    }
    int64_t axes[HTP_SHIM_MAX_RANK] = {0};
    for (uint32_t i = 0; i < x->rank && i < HTP_SHIM_MAX_RANK; i++) {
        axes[i] = i;
    }
    htp_tensor_id value = pad->input_count > 2 ? pad->inputs[2] : HTP_TENSOR_NONE;
    return htp_emit(l, "Pad",
                    HTP_IN(pad->inputs[0], pad->inputs[1], value, htp_emit_ints(l, axes, x->rank)),
                    (htp_emit_attributes){pad->attributes, pad->attribute_count});
}

/* The operand of a node that ONNX Runtime may take for one that changes nothing, and remove before
 * it merges: arithmetic with one constant number. HTP_NONE for other nodes. */
static uint32_t passed_operand(const htp_draft *model, const htp_onnx_node *node)
{
    bool is_arithmetic = strcmp(node->op_type, "Add") == 0 || strcmp(node->op_type, "Sub") == 0 ||
                         strcmp(node->op_type, "Mul") == 0 || strcmp(node->op_type, "Div") == 0;
    for (uint32_t i = 0; i < 2 && is_arithmetic; i++) {
        const htp_tensor *number = &model->tensors.items[node->inputs[1 - i]];
        bool is_one = number->has_type;
        for (uint32_t k = 0; k < number->rank && is_one; k++) {
            is_one = !number->dims[k].symbol && number->dims[k].size == 1;
        }
        if (is_one && number->source == HTP_TENSOR_FROM_INITIALIZER) {
            return i;
        }
    }
    return HTP_NONE;
}

/* @p x in a form that is not merged; HTP_TENSOR_NONE when it is none that would be. @p uses are
 * those of @p x so far. */
static htp_tensor_id keep_apart(htp_lowering *l, htp_tensor_id x, uint32_t uses, int depth)
{
    const htp_onnx_node *producer = sole_producer(l->model, x, uses);
    if (!producer || depth == DEEPEST_CHAIN) {
        return HTP_TENSOR_NONE;
    }
    /* Nodes move as the model grows: work on a copy, with the producer's own origin. */
    const htp_onnx_node node = *producer;
    htp_tensor_id other = HTP_TENSOR_NONE;
    l->model->origin = node.origin;
    if (strcmp(node.op_type, "Gemm") == 0) {
        return split_gemm(l, &node);
    }
    if (strcmp(node.op_type, "Add") == 0) {
        other = split_sum(l, &node);
    }
    uint32_t passed = passed_operand(l->model, &node);
    if (other == HTP_TENSOR_NONE && passed != HTP_NONE) {
        htp_tensor_id operands[2] = {node.inputs[0], node.inputs[1]};
        operands[passed] = keep_apart(l, operands[passed], 1, depth + 1);
        l->model->origin = node.origin;
        other = operands[passed] == HTP_TENSOR_NONE
                    ? HTP_TENSOR_NONE
                    : htp_emit(l, node.op_type, HTP_IN(operands[0], operands[1]), HTP_NO_AT);
    }
    return other;
}

/* A Pad before a MaxPool in a form that is not merged; HTP_TENSOR_NONE when it needs none. */
static htp_tensor_id keep_pad(htp_lowering *l, htp_tensor_id x)
{
    const htp_onnx_node *producer = sole_producer(l->model, x, 0);
    if (!producer || strcmp(producer->op_type, "Pad") != 0) {
        return HTP_TENSOR_NONE;
    }
    const htp_onnx_node node = *producer;
    l->model->origin = node.origin;
    return name_axes(l, &node);
}

void htp_lower_guard_fusion(htp_lowering *l, const char *op, htp_tensor_id x)
{
    htp_origin origin = l->model->origin;
    htp_tensor_id other = HTP_TENSOR_NONE;
    if (strcmp(op, "MaxPool") == 0) {
        other = keep_pad(l, x);
    } else if (is_merged(op)) {
        other = keep_apart(l, x, 0, 0);
    }
    l->model->origin = origin;
    if (other != HTP_TENSOR_NONE) {
        htp_draft_swap_producers(l->model, x, other);
    }
}

/* What a node multiplies or divides by a constant floating-point number; HTP_TENSOR_NONE for other
 * nodes. */
static htp_tensor_id scaled_tensor(const htp_draft *model, const htp_onnx_node *node)
{
    uint32_t passed = passed_operand(model, node);
    bool is_scaling = (strcmp(node->op_type, "Mul") == 0 && passed != HTP_NONE) ||
                      (strcmp(node->op_type, "Div") == 0 && passed == 0);
    return is_scaling && htp_dtype_is_float(model->tensors.items[node->inputs[1 - passed]].dtype)
               ? node->inputs[passed]
               : HTP_TENSOR_NONE;
}

/* The node that makes @p x; NULL where none does. */
static const htp_onnx_node *producer_of(const htp_draft *model, htp_tensor_id x)
{
    const htp_tensor *tensor = x == HTP_TENSOR_NONE ? NULL : &model->tensors.items[x];
    return tensor && tensor->source == HTP_TENSOR_FROM_NODE ? &model->nodes.items[tensor->index]
                                                            : NULL;
}

/* What a node gives as it is, or as ONNX Runtime may take it for; HTP_TENSOR_NONE for other nodes.
 */
static htp_tensor_id kept_tensor(const htp_draft *model, const htp_onnx_node *node)
{
    static const char *const keeping[] = {"Cast", "Expand", "Identity", "Slice"};
    uint32_t passed = passed_operand(model, node);
    bool is_kept = htp_text_is_one_of(node->op_type, keeping, sizeof(keeping) / sizeof(keeping[0]));
    return is_kept ? node->inputs[0] : passed == HTP_NONE ? HTP_TENSOR_NONE : node->inputs[passed];
}

/* Whether @p x is a tensor times a constant number, or may be taken for one. */
static bool is_scaled(const htp_draft *model, htp_tensor_id x)
{
    const htp_onnx_node *node = producer_of(model, x);
    for (int depth = 0; node && depth < DEEPEST_CHAIN; depth++) {
        if (scaled_tensor(model, node) != HTP_TENSOR_NONE) {
            return true;
        }
        node = producer_of(model, kept_tensor(model, node));
    }
    return false;
}

/* The maximum of one tensor, which is that tensor. */
static htp_tensor_id emit_barrier(htp_lowering *l, htp_tensor_id x)
{
    htp_tensor_id same = HTP_TENSOR_NONE;
    htp_draft_add_node(l->model, "Max", &x, 1, NULL, 0, &same, 1);
    return same;
}

htp_tensor_id htp_lower_guard_scale(htp_lowering *l, htp_tensor_id x)
{
    const htp_onnx_node *outer = producer_of(l->model, x);
    if (!outer || !is_scaled(l->model, scaled_tensor(l->model, outer))) {
        return x;
    }
    return emit_barrier(l, x);
}

/* Whether a node multiplies or divides by a constant of float64 that is no power of two. */
static bool scales_finely(const htp_draft *model, const htp_onnx_node *node)
{
    if (scaled_tensor(model, node) == HTP_TENSOR_NONE) {
        return false;
    }
    const htp_tensor *number = &model->tensors.items[node->inputs[1 - passed_operand(model, node)]];
    const htp_initializer *constant = &model->initializers.items[number->index];
    double value = 0;
    if (number->dtype != HTP_DTYPE_FLOAT64) {
        return false;
    }
    if (!constant->data || constant->bytes < sizeof(value)) {
        return true;
    }
    memcpy(&value, constant->data, sizeof(value));
    int exponent = 0;
    return frexp(fabs(value), &exponent) != 0.5;
}

/* Whether a product of matrices is behind @p x, or where @p is_factor such a factor, as far as
 * ONNX Runtime sees. */
static bool is_behind(const htp_draft *model, htp_tensor_id x, bool is_factor)
{
    const htp_onnx_node *node = producer_of(model, x);
    for (int depth = 0; node && depth < DEEPEST_CHAIN; depth++) {
        if (is_factor ? scales_finely(model, node) : strcmp(node->op_type, "MatMul") == 0) {
            return true;
        }
        bool is_turned = strcmp(node->op_type, "Transpose") == 0;
        node = producer_of(model, is_turned ? node->inputs[0] : kept_tensor(model, node));
    }
    return false;
}

htp_emit_inputs htp_lower_guard_digits(htp_lowering *l, const char *op, htp_emit_inputs inputs)
{
    bool is_product = strcmp(op, "MatMul") == 0;
    const htp_onnx_node probe = {
        .op_type = op, .inputs = inputs.items, .input_count = (uint32_t)inputs.count};
    if (inputs.count != 2 || (!is_product && !scales_finely(l->model, &probe))) {
        return inputs;
    }
    htp_tensor_id *kept = HTP_NEW_ARRAY(l->arena, htp_tensor_id, 2);
    for (size_t i = 0; i < 2; i++) {
        kept[i] = is_behind(l->model, inputs.items[i], is_product)
                      ? emit_barrier(l, inputs.items[i])
                      : inputs.items[i];
    }
    return (htp_emit_inputs){kept, 2};
}
