/*
 * Barriers between factors and matrix products that ONNX Runtime would merge: see
 * lower/passes/fusion.h.
 */
#include "lower/passes/fusion_parts.h"

#include <math.h>
#include <string.h>

uint32_t htp_fusion_passed_operand(const htp_builder *model, const htp_onnx_node *node)
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

/* The tensor that a node multiplies or divides by a constant floating-point number; HTP_NONE for
 * other nodes. */
static htp_tensor_id scaled_tensor(const htp_builder *model, const htp_onnx_node *node)
{
    uint32_t passed = htp_fusion_passed_operand(model, node);
    bool is_scaling = (strcmp(node->op_type, "Mul") == 0 && passed != HTP_NONE) ||
                      (strcmp(node->op_type, "Div") == 0 && passed == 0);
    return is_scaling && htp_dtype_is_float(model->tensors.items[node->inputs[1 - passed]].dtype)
               ? node->inputs[passed]
               : HTP_NONE;
}

/* The node that makes @p x, or NULL. */
static const htp_onnx_node *producer_of(const htp_builder *model, htp_tensor_id x)
{
    const htp_tensor *tensor = x == HTP_NONE ? NULL : &model->tensors.items[x];
    return tensor && tensor->source == HTP_TENSOR_FROM_NODE ? &model->nodes.items[tensor->index]
                                                            : NULL;
}

/* The operand that a node returns unchanged, or that ONNX Runtime may take as unchanged; HTP_NONE
 * for other nodes. */
static htp_tensor_id kept_tensor(const htp_builder *model, const htp_onnx_node *node)
{
    static const char *const keeping[] = {"Cast", "Expand", "Identity", "Slice"};
    uint32_t passed = htp_fusion_passed_operand(model, node);
    bool is_kept = htp_text_is_one_of(node->op_type, keeping, sizeof(keeping) / sizeof(keeping[0]));
    return is_kept ? node->inputs[0] : passed == HTP_NONE ? HTP_NONE : node->inputs[passed];
}

/* Whether @p x is, or may be taken for, a scaled tensor that has other readers. */
static bool is_scaled_for_others(const htp_builder *model, htp_tensor_id x)
{
    bool has_others = false;
    for (int depth = 0; x != HTP_NONE && depth < HTP_DEEPEST_CHAIN; depth++) {
        const htp_onnx_node *node = producer_of(model, x);
        has_others = has_others || model->tensors.items[x].uses > 1;
        if (!node || (has_others && scaled_tensor(model, node) != HTP_NONE)) {
            return node != NULL;
        }
        x = kept_tensor(model, node);
    }
    return false;
}

/* The maximum of a tensor and itself, which equals it. */
static htp_tensor_id emit_barrier(htp_lowering *l, htp_tensor_id x)
{
    return htp_emit(l, "Max", HTP_IN(x, x), HTP_NO_AT);
}

void htp_fusion_guard_scale(htp_lowering *l, htp_tensor_id x)
{
    const htp_onnx_node *outer = producer_of(l->model, x);
    if (!outer || !is_scaled_for_others(l->model, scaled_tensor(l->model, outer))) {
        return;
    }
    /* Readers keep @p x, which becomes the barrier's output. */
    htp_tensor_id scaled = emit_barrier(l, x);
    htp_builder_swap_producers(l->model, x, scaled);
    htp_onnx_node *barrier = &l->model->nodes.items[l->model->nodes.count - 1];
    htp_tensor_id *inputs = HTP_NEW_ARRAY(l->arena, htp_tensor_id, 2);
    inputs[0] = inputs[1] = scaled;
    barrier->inputs = inputs;
    l->model->tensors.items[scaled].uses = 2;
    l->model->tensors.items[x].uses -= 2;
}

/* Whether a node multiplies or divides by a constant of float64 that is no power of two. */
static bool scales_finely(const htp_builder *model, const htp_onnx_node *node)
{
    if (scaled_tensor(model, node) == HTP_NONE) {
        return false;
    }
    const htp_tensor *number =
        &model->tensors.items[node->inputs[1 - htp_fusion_passed_operand(model, node)]];
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

/* Whether ONNX Runtime can trace @p x back to a matrix product or, with @p is_factor, to such a
 * factor. */
static bool is_behind(const htp_builder *model, htp_tensor_id x, bool is_factor)
{
    const htp_onnx_node *node = producer_of(model, x);
    for (int depth = 0; node && depth < HTP_DEEPEST_CHAIN; depth++) {
        if (is_factor ? scales_finely(model, node) : strcmp(node->op_type, "MatMul") == 0) {
            return true;
        }
        bool is_turned = strcmp(node->op_type, "Transpose") == 0;
        node = producer_of(model, is_turned ? node->inputs[0] : kept_tensor(model, node));
    }
    return false;
}

const htp_tensor_id *htp_fusion_guard_digits(htp_lowering *l, const htp_onnx_node *node)
{
    bool is_product = strcmp(node->op_type, "MatMul") == 0;
    if (node->input_count != 2 || (!is_product && !scales_finely(l->model, node))) {
        return node->inputs;
    }
    htp_tensor_id *kept = HTP_NEW_ARRAY(l->arena, htp_tensor_id, 2);
    for (size_t i = 0; i < 2; i++) {
        kept[i] = is_behind(l->model, node->inputs[i], is_product)
                      ? emit_barrier(l, node->inputs[i])
                      : node->inputs[i];
    }
    return kept;
}
