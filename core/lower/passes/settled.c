#include "lower/passes/settled.h"

#include "onnx/builder/prune.h"

#include <string.h>

typedef struct settler {
    htp_builder *model;
    htp_arena *arena;
    htp_tensor_id *instead; /* by tensor: an equal one to read instead, or HTP_NONE */
} settler;

/* A rule: rewrites a node, or replaces its first output by another tensor. */
typedef void (*settle_fn)(settler *s, htp_onnx_node *node);

/* ---- what is asked of operands ---- */

static htp_tensor_id operand(const settler *s, const htp_onnx_node *node, uint32_t index)
{
    htp_tensor_id id = index < node->input_count ? node->inputs[index] : HTP_NONE;
    return id == HTP_NONE || s->instead[id] == HTP_NONE ? id : s->instead[id];
}

/* The constant of a tensor; NULL for weights and computed tensors. */
static const htp_initializer *constant_of(const settler *s, htp_tensor_id id)
{
    if (id == HTP_NONE || s->model->tensors.items[id].source != HTP_TENSOR_FROM_INITIALIZER) {
        return NULL;
    }
    const htp_initializer *found = &s->model->initializers.items[s->model->tensors.items[id].index];
    return htp_initializer_is_constant(found) ? found : NULL;
}

/* Whether a tensor is a 0-d constant equal to @p value, of an integer dtype if @p is_integer. */
static bool is_number(const settler *s, htp_tensor_id id, int value, bool is_integer)
{
    const htp_initializer *constant = constant_of(s, id);
    const htp_tensor *tensor = constant ? &s->model->tensors.items[id] : NULL;
    if (!constant || tensor->rank != 0) {
        return false;
    }
    const int32_t narrow = value;
    const int64_t wide = value;
    const float single = (float)value;
    const double twice = (double)value;
    const void *expected = NULL;
    switch (tensor->dtype) {
    case HTP_DTYPE_INT32:
        expected = &narrow;
        break;
    case HTP_DTYPE_INT64:
        expected = &wide;
        break;
    case HTP_DTYPE_FLOAT32:
        expected = is_integer ? NULL : &single;
        break;
    case HTP_DTYPE_FLOAT64:
        expected = is_integer ? NULL : &twice;
        break;
    default:
        break;
    }
    return expected && constant->bytes == htp_dtype_size(tensor->dtype) &&
           memcmp(constant->data, expected, constant->bytes) == 0;
}

/* The node of the same module call that makes a tensor; NULL otherwise. */
static const htp_onnx_node *own_producer(const settler *s, const htp_onnx_node *node,
                                         htp_tensor_id id, const char *op_type)
{
    const htp_tensor *tensor = id == HTP_NONE ? NULL : &s->model->tensors.items[id];
    if (!tensor || tensor->source != HTP_TENSOR_FROM_NODE || tensor->is_output) {
        return NULL;
    }
    const htp_onnx_node *made = &s->model->nodes.items[tensor->index];
    bool is_own = made->origin.scope == node->origin.scope && made->graph == node->graph;
    return is_own && *made->domain == '\0' && strcmp(made->op_type, op_type) == 0 ? made : NULL;
}

static bool has_one_reader(const settler *s, htp_tensor_id id)
{
    return s->model->tensors.items[id].uses == 1;
}

/* ---- what nodes become ---- */

/* Makes readers of a node read its operand. */
static void pass(settler *s, const htp_onnx_node *node, uint32_t index)
{
    htp_tensor_id made = node->outputs[0];
    htp_tensor_id kept = operand(s, node, index);
    const htp_tensor *tensor = &s->model->tensors.items[made];
    if (tensor->is_output) {
        return;
    }
    if (!s->model->tensors.items[kept].has_type && tensor->has_type) {
        htp_builder_set_type(s->model, kept, tensor->dtype, tensor->rank, tensor->dims);
    }
    s->instead[made] = kept;
}

static void set_inputs(settler *s, htp_onnx_node *node, htp_tensor_id a, htp_tensor_id b)
{
    htp_tensor_id *inputs = HTP_NEW_ARRAY(s->arena, htp_tensor_id, 2);
    htp_tensor *tensors = s->model->tensors.items;
    for (uint32_t i = 0; i < node->input_count; i++) {
        tensors[node->inputs[i]].uses--;
    }
    inputs[0] = a;
    inputs[1] = b;
    node->inputs = inputs;
    node->input_count = b == HTP_NONE ? 1 : 2;
    for (uint32_t i = 0; i < node->input_count; i++) {
        tensors[inputs[i]].uses++;
    }
}

/* ---- arithmetic ---- */

static void settle_sum(settler *s, htp_onnx_node *node)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (is_number(s, operand(s, node, 1 - i), 0, true)) {
            pass(s, node, i);
            return;
        }
    }
}

static void settle_difference(settler *s, htp_onnx_node *node)
{
    if (is_number(s, operand(s, node, 1), 0, true)) {
        pass(s, node, 0);
    }
}

static void settle_quotient(settler *s, htp_onnx_node *node)
{
    if (is_number(s, operand(s, node, 1), 1, false)) {
        pass(s, node, 0);
    }
}

/* The root of which a factor is the reciprocal, or HTP_NONE. */
static htp_tensor_id root_below(const settler *s, const htp_onnx_node *product, uint32_t index)
{
    htp_tensor_id factor = operand(s, product, index);
    const htp_onnx_node *quotient = own_producer(s, product, factor, "Div");
    if (!quotient || !has_one_reader(s, factor) ||
        !is_number(s, operand(s, quotient, 0), 1, false)) {
        return HTP_NONE;
    }
    htp_tensor_id root = operand(s, quotient, 1);
    return own_producer(s, product, root, "Sqrt") ? root : HTP_NONE;
}

static void settle_product(settler *s, htp_onnx_node *node)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (is_number(s, operand(s, node, 1 - i), 1, false)) {
            pass(s, node, i);
            return;
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        htp_tensor_id root = root_below(s, node, 1 - i);
        if (root != HTP_NONE) {
            node->op_type = "Div";
            set_inputs(s, node, operand(s, node, i), root);
            return;
        }
    }
}

/* ---- layouts ---- */

static void settle_expansion(settler *s, htp_onnx_node *node)
{
    const htp_initializer *shape = constant_of(s, operand(s, node, 1));
    if (shape && shape->bytes == 0) {
        pass(s, node, 0);
    }
}

static const htp_attribute *permutation_of(const htp_onnx_node *node)
{
    return htp_builder_attribute(node, "perm");
}

static void settle_transpose(settler *s, htp_onnx_node *node)
{
    htp_tensor_id x = operand(s, node, 0);
    const htp_onnx_node *inner = own_producer(s, node, x, "Transpose");
    const htp_attribute *outer_axes = permutation_of(node);
    const htp_attribute *inner_axes = inner ? permutation_of(inner) : NULL;
    if (!outer_axes || !inner_axes || outer_axes->count != inner_axes->count ||
        !has_one_reader(s, x)) {
        return;
    }
    size_t rank = outer_axes->count;
    int64_t *axes = HTP_NEW_ARRAY(s->arena, int64_t, rank);
    htp_attribute *attribute = HTP_NEW_ARRAY(s->arena, htp_attribute, 1);
    bool is_undone = true;
    for (size_t i = 0; i < rank; i++) {
        axes[i] = inner_axes->ints[outer_axes->ints[i]];
        is_undone = is_undone && axes[i] == (int64_t)i;
    }
    attribute[0] = htp_attribute_ints("perm", axes, rank);
    set_inputs(s, node, operand(s, inner, 0), HTP_NONE);
    node->attributes = attribute;
    node->attribute_count = 1;
    if (is_undone) {
        pass(s, node, 0);
    }
}

/* ---- sizes ---- */

/* Sizes of a tensor, from one axis up to another. */
typedef struct asked {
    htp_tensor_id tensor; /* HTP_NONE: none */
    int64_t start;
    int64_t end;
} asked;

/* The sizes in a Concat's part, if that is a Shape in @p scope read only by the Concat. */
static asked read_part(const htp_builder *model, htp_tensor_id part, uint32_t scope)
{
    asked found = {.tensor = HTP_NONE};
    const htp_tensor *tensor = &model->tensors.items[part];
    if (tensor->source != HTP_TENSOR_FROM_NODE || tensor->uses != 1 || tensor->is_output) {
        return found;
    }
    const htp_onnx_node *node = &model->nodes.items[tensor->index];
    if (strcmp(node->op_type, "Shape") != 0 || node->origin.scope != scope ||
        node->attribute_count != 2) {
        return found;
    }
    for (uint32_t i = 0; i < 2; i++) {
        bool is_start = strcmp(node->attributes[i].name, "start") == 0;
        *(is_start ? &found.start : &found.end) = node->attributes[i].i;
    }
    found.tensor = node->inputs[0];
    return found;
}

/* Turns a node into the Shape that returns @p sizes. */
static void ask(settler *s, htp_onnx_node *node, asked sizes)
{
    htp_attribute *attributes = HTP_NEW_ARRAY(s->arena, htp_attribute, 2);
    attributes[0] = htp_attribute_int("start", sizes.start);
    attributes[1] = htp_attribute_int("end", sizes.end);
    node->op_type = "Shape";
    node->attributes = attributes;
    node->attribute_count = 2;
    set_inputs(s, node, sizes.tensor, HTP_NONE);
}

static void settle_size(settler *s, htp_onnx_node *node)
{
    const htp_onnx_node *made = own_producer(s, node, operand(s, node, 0), "Transpose");
    const htp_attribute *axes = made ? permutation_of(made) : NULL;
    const htp_attribute *start = htp_builder_attribute(node, "start");
    const htp_attribute *end = htp_builder_attribute(node, "end");
    if (!axes || !start || !end || start->i < 0 || start->i >= end->i ||
        end->i > (int64_t)axes->count) {
        return;
    }
    int64_t first = axes->ints[start->i];
    for (int64_t i = start->i; i < end->i; i++) {
        if (axes->ints[i] != first + i - start->i) {
            return;
        }
    }
    ask(s, node, (asked){operand(s, made, 0), first, first + end->i - start->i});
}

/* Merges parts of a Concat that are adjacent sizes of one tensor. */
static void settle_join(settler *s, htp_onnx_node *concat)
{
    htp_builder *model = s->model;
    htp_tensor_id *kept = HTP_NEW_ARRAY(s->arena, htp_tensor_id, concat->input_count);
    uint32_t count = 0;
    asked last = {.tensor = HTP_NONE};
    for (uint32_t i = 0; i < concat->input_count; i++) {
        asked next = read_part(model, concat->inputs[i], concat->origin.scope);
        if (next.tensor != HTP_NONE && next.tensor == last.tensor && next.start == last.end) {
            last.end = next.end;
            ask(s, &model->nodes.items[model->tensors.items[kept[count - 1]].index], last);
            continue;
        }
        last = next;
        kept[count++] = concat->inputs[i];
    }
    bool is_joined = count < concat->input_count;
    concat->inputs = kept;
    concat->input_count = count;
    if (is_joined && count == 1) {
        ask(s, concat, last);
    }
}

/* ---- the pass ---- */

typedef struct rule {
    const char *op_type;
    settle_fn settle;
} rule;

static void sweep(settler *s, const rule *rules, size_t count)
{
    const bool *live = htp_builder_count_uses(s->model);
    for (size_t n = 0; n < s->model->nodes.count; n++) {
        htp_onnx_node *node = &s->model->nodes.items[n];
        for (size_t i = 0; live[n] && *node->domain == '\0' && i < count; i++) {
            if (strcmp(node->op_type, rules[i].op_type) == 0) {
                rules[i].settle(s, node);
                break;
            }
        }
    }
}

void htp_lower_settle(htp_lowering *l)
{
    /* Adjacent sizes of the operand of a Transpose may not be adjacent in its result. */
    static const rule first[] = {{"Concat", settle_join}};
    static const rule then[] = {
        {"Add", settle_sum},
        {"Sub", settle_difference},
        {"Mul", settle_product},
        {"Div", settle_quotient},
        {"Expand", settle_expansion},
        {"Shape", settle_size},
        {"Transpose", settle_transpose},
    };
    htp_builder *model = l->model;
    settler s = {.model = model,
                 .arena = l->arena,
                 .instead = HTP_NEW_ARRAY(l->arena, htp_tensor_id, model->tensors.count + 1)};
    for (size_t i = 0; i < model->tensors.count; i++) {
        s.instead[i] = HTP_NONE;
    }
    sweep(&s, first, sizeof(first) / sizeof(first[0]));
    sweep(&s, then, sizeof(then) / sizeof(then[0]));
    htp_builder_replace(model, s.instead);
    htp_builder_replace_passed(model, s.instead);
}
