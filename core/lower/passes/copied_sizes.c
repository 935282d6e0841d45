#include "lower/passes/copied_sizes.h"

#include <string.h>

/* The longest chain of operators that is followed for one size. */
enum { LONGEST_WAY = 64 };

/* One axis of a tensor. */
typedef struct axis_of {
    htp_tensor_id tensor;
    int64_t axis;
} axis_of;

static const htp_onnx_node *producer_of(const htp_builder *model, htp_tensor_id x)
{
    const htp_tensor *tensor = x == HTP_NONE ? NULL : &model->tensors.items[x];
    return tensor && tensor->source == HTP_TENSOR_FROM_NODE ? &model->nodes.items[tensor->index]
                                                            : NULL;
}

/* The elements of a constant of int64; NULL for other tensors. */
static const int64_t *constant_ints(const htp_builder *model, htp_tensor_id x, size_t *count)
{
    const htp_tensor *tensor = &model->tensors.items[x];
    if (tensor->source != HTP_TENSOR_FROM_INITIALIZER || tensor->dtype != HTP_DTYPE_INT64) {
        return NULL;
    }
    const htp_initializer *constant = &model->initializers.items[tensor->index];
    *count = (size_t)(constant->bytes / sizeof(int64_t));
    return constant->data;
}

/* ---- where a size comes from ---- */

/* The rank of a tensor; -1 if unknown. */
static int64_t rank_of(const htp_builder *model, htp_tensor_id x)
{
    const htp_tensor *tensor = &model->tensors.items[x];
    const htp_onnx_node *node = producer_of(model, x);
    const htp_attribute *perm = node ? htp_builder_attribute(node, "perm") : NULL;
    return tensor->has_type && !tensor->is_sequence ? tensor->rank
           : perm                                   ? (int64_t)perm->count
                                                    : -1;
}

/* Whether broadcasting with a constant keeps the size along @p axis, of @p rank. */
static bool keeps_axis(const htp_builder *model, htp_tensor_id constant, int64_t axis, int64_t rank)
{
    const htp_tensor *tensor = &model->tensors.items[constant];
    if (tensor->source != HTP_TENSOR_FROM_INITIALIZER || tensor->rank > rank) {
        return false;
    }
    int64_t own = axis - (rank - tensor->rank);
    return own < 0 || tensor->dims[own].size == 1;
}

/* The other operand of arithmetic with a constant; HTP_NONE for other nodes. */
static htp_tensor_id behind_arithmetic(const htp_builder *model, const htp_onnx_node *node,
                                       int64_t axis)
{
    int64_t rank = rank_of(model, node->outputs[0]);
    for (uint32_t i = 0; i < 2 && rank >= 0; i++) {
        htp_tensor_id other = node->inputs[1 - i];
        int64_t own = rank_of(model, node->inputs[i]);
        /* An operand of lower rank has been broadcast to the rank of the result. */
        bool has_rank = own == rank || (own < 0 && model->tensors.items[other].rank < rank);
        if (has_rank && keeps_axis(model, other, axis, rank)) {
            return node->inputs[i];
        }
    }
    return HTP_NONE;
}

static axis_of behind_pointwise(const htp_builder *model, const htp_onnx_node *node, int64_t axis)
{
    (void)model;
    return (axis_of){node->inputs[0], axis};
}

static axis_of behind_binary(const htp_builder *model, const htp_onnx_node *node, int64_t axis)
{
    return (axis_of){behind_arithmetic(model, node, axis), axis};
}

/* A product with a matrix keeps all axes of the other operand but the last. */
static axis_of behind_product(const htp_builder *model, const htp_onnx_node *node, int64_t axis)
{
    int64_t rank = rank_of(model, node->inputs[0]);
    bool is_kept = rank >= 2 && axis < rank - 1 && rank_of(model, node->inputs[1]) == 2;
    return (axis_of){is_kept ? node->inputs[0] : HTP_NONE, axis};
}

static axis_of behind_transpose(const htp_builder *model, const htp_onnx_node *node, int64_t axis)
{
    (void)model;
    const htp_attribute *perm = htp_builder_attribute(node, "perm");
    bool is_known = perm && axis < (int64_t)perm->count;
    return is_known ? (axis_of){node->inputs[0], perm->ints[axis]} : (axis_of){HTP_NONE, 0};
}

static axis_of behind_split(const htp_builder *model, const htp_onnx_node *node, int64_t axis)
{
    const htp_attribute *along = htp_builder_attribute(node, "axis");
    int64_t rank = rank_of(model, node->inputs[0]);
    int64_t cut = along ? along->i : 0;
    cut += cut < 0 ? rank : 0;
    return (axis_of){rank < 0 || cut == axis ? HTP_NONE : node->inputs[0], axis};
}

/* The axis from which a Reshape copies a size. */
static axis_of behind_reshape(const htp_builder *model, const htp_onnx_node *node, int64_t axis)
{
    size_t count = 0;
    const int64_t *shape = constant_ints(model, node->inputs[1], &count);
    bool is_copied = shape && axis < (int64_t)count && shape[axis] == 0 &&
                     !htp_builder_attribute(node, "allowzero");
    return (axis_of){is_copied ? node->inputs[0] : HTP_NONE, axis};
}

/* Operators whose results keep sizes of an operand, and how to find the axis there. */
static const struct {
    const char *op;
    axis_of (*behind)(const htp_builder *model, const htp_onnx_node *node, int64_t axis);
    bool is_of_all; /* holds for all outputs, not just the first */
} keeping[] = {
    {"Abs", behind_pointwise, false},
    {"Add", behind_binary, false},
    {"BatchNormalization", behind_pointwise, false},
    {"Cast", behind_pointwise, false},
    {"Clip", behind_pointwise, false},
    {"Div", behind_binary, false},
    {"Elu", behind_pointwise, false},
    {"Erf", behind_pointwise, false},
    {"Exp", behind_pointwise, false},
    {"Gelu", behind_pointwise, false},
    {"HardSigmoid", behind_pointwise, false},
    {"HardSwish", behind_pointwise, false},
    {"InstanceNormalization", behind_pointwise, false},
    {"LayerNormalization", behind_pointwise, false},
    {"LeakyRelu", behind_pointwise, false},
    {"LogSoftmax", behind_pointwise, false},
    {"MatMul", behind_product, false},
    {"Mul", behind_binary, false},
    {"Neg", behind_pointwise, false},
    {"Pow", behind_binary, false},
    {"RMSNormalization", behind_pointwise, false},
    {"Relu", behind_pointwise, false},
    {"Reshape", behind_reshape, false},
    {"Selu", behind_pointwise, false},
    {"Sigmoid", behind_pointwise, false},
    {"Softmax", behind_pointwise, false},
    {"Softplus", behind_pointwise, false},
    {"Softsign", behind_pointwise, false},
    {"Split", behind_split, true},
    {"Sqrt", behind_pointwise, false},
    {"Sub", behind_binary, false},
    {"Tanh", behind_pointwise, false},
    {"Transpose", behind_transpose, false},
};

/* The axis of equal size in an operand of the node that makes @p at; none if unknown. */
static axis_of step_back(const htp_builder *model, axis_of at)
{
    const htp_onnx_node *node = producer_of(model, at.tensor);
    for (size_t i = 0; node && i < sizeof(keeping) / sizeof(keeping[0]); i++) {
        bool is_it = strcmp(node->op_type, keeping[i].op) == 0 && *node->domain == '\0';
        if (is_it && (keeping[i].is_of_all || node->outputs[0] == at.tensor)) {
            return keeping[i].behind(model, node, at.axis);
        }
    }
    return (axis_of){HTP_NONE, 0};
}

/* The axis farthest back that is known to have the same size. */
static axis_of origin_of(const htp_builder *model, axis_of at)
{
    for (int steps = 0; steps < LONGEST_WAY; steps++) {
        axis_of before = step_back(model, at);
        if (before.tensor == HTP_NONE) {
            break;
        }
        at = before;
    }
    return at;
}

/* ---- shapes ---- */

/* A shape under inspection. */
typedef struct reading {
    const htp_builder *model;
    htp_tensor_id x; /* the reshaped tensor */
    int64_t sizes[HTP_MAX_RANK];
    size_t count;
    bool has_copies;
} reading;

/* Adds constant sizes. @return false for a 0, which would copy */
static bool add_constants(reading *r, const int64_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] == 0 || r->count == HTP_MAX_RANK) {
            return false;
        }
        r->sizes[r->count++] = sizes[i];
    }
    return true;
}

/* Adds the sizes of a Shape, if they provably equal those of x at the same positions. */
static bool add_copies(reading *r, const htp_onnx_node *shape)
{
    const htp_attribute *start = htp_builder_attribute(shape, "start");
    const htp_attribute *end = htp_builder_attribute(shape, "end");
    int64_t rank = rank_of(r->model, r->x);
    int64_t first = start ? start->i : 0;
    int64_t last = end ? end->i : rank_of(r->model, shape->inputs[0]);
    for (int64_t axis = first; axis < last; axis++) {
        int64_t place = (int64_t)r->count;
        if (axis < 0 || place >= rank || r->count == HTP_MAX_RANK) {
            return false;
        }
        axis_of wanted = origin_of(r->model, (axis_of){shape->inputs[0], axis});
        axis_of own = origin_of(r->model, (axis_of){r->x, place});
        if (wanted.tensor != own.tensor || wanted.axis != own.axis) {
            return false;
        }
        r->sizes[r->count++] = 0;
        r->has_copies = true;
    }
    return last >= 0;
}

static bool add_part(reading *r, htp_tensor_id part)
{
    size_t count = 0;
    const int64_t *sizes = constant_ints(r->model, part, &count);
    const htp_onnx_node *node = producer_of(r->model, part);
    return sizes ? add_constants(r, sizes, count)
                 : node && strcmp(node->op_type, "Shape") == 0 && add_copies(r, node);
}

static bool read_shape(reading *r, htp_tensor_id shape)
{
    const htp_onnx_node *node = producer_of(r->model, shape);
    if (!node || strcmp(node->op_type, "Concat") != 0) {
        return add_part(r, shape);
    }
    bool is_read = true;
    for (uint32_t i = 0; i < node->input_count && is_read; i++) {
        is_read = add_part(r, node->inputs[i]);
    }
    return is_read;
}

void htp_lower_copy_sizes(htp_lowering *l)
{
    htp_builder *model = l->model;
    for (size_t i = 0; i < model->nodes.count; i++) {
        const htp_onnx_node *node = &model->nodes.items[i];
        reading r = {.model = model};
        if (strcmp(node->op_type, "Reshape") != 0 || *node->domain) {
            continue;
        }
        r.x = node->inputs[0];
        if (!read_shape(&r, node->inputs[1]) || !r.has_copies) {
            continue;
        }
        htp_tensor_id *inputs = HTP_NEW_ARRAY(l->arena, htp_tensor_id, 2);
        inputs[0] = r.x;
        inputs[1] = htp_emit_ints(l, r.sizes, r.count);
        model->nodes.items[i].inputs = inputs;
        model->nodes.items[i].attribute_count = 0; /* allowzero was the only one */
    }
}
