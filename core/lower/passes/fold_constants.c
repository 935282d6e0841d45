#include "lower/passes/fold_constants.h"

#include "lower/evaluate/evaluate.h"
#include "lower/passes/fixed.h"
#include "onnx/builder/prune.h"

typedef struct pass {
    htp_lowering *l;
    htp_fixed *fixed;
    htp_evaluator *evaluator;
    bool *may_be;   /* by tensor: all nodes that compute it have a kernel */
    uint32_t *left; /* by tensor: readers that are not computed yet */
    htp_kept_arithmetic *kept;
    HTP_VECTOR(htp_tensor_id) made; /* intermediate tensors of the current one */
} pass;

/* ---- constants ---- */

static bool may_have_inputs(const pass *p, const htp_onnx_node *node)
{
    bool may = true;
    for (uint32_t i = 0; may && i < node->input_count; i++) {
        htp_tensor_id id = node->inputs[i];
        may = id == HTP_NONE || p->may_be[id] || !htp_fixed_maker(p->fixed, id);
    }
    return may;
}

static bool may_compute(const pass *p, const htp_onnx_node *node)
{
    return htp_evaluator_has(node) && may_have_inputs(p, node);
}

/* Frees operands that no other node needs. */
static void leave_inputs(pass *p, const htp_onnx_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        htp_tensor_id id = node->inputs[i];
        if (id != HTP_NONE && p->left[id] > 0 && --p->left[id] == 0 && !p->fixed->is_read[id]) {
            htp_evaluator_forget(p->evaluator, id);
        }
    }
}

/* Bytes of what a node gives to nodes that stay. */
static uint64_t bytes_that_stay(const pass *p, const htp_onnx_node *node)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < node->output_count; i++) {
        htp_tensor_id id = node->outputs[i];
        bytes += p->fixed->is_read[id] ? htp_evaluator_find(p->evaluator, id)->bytes : 0;
    }
    return bytes;
}

/* Computes small tensors that follow from constants, in the order of nodes. */
static void compute_constants(pass *p)
{
    const htp_builder *model = p->fixed->model;
    uint64_t held = 0;
    for (htp_tensor_id id = 0; id < p->fixed->tensor_count; id++) {
        p->left[id] = model->tensors.items[id].uses;
    }
    for (size_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        if (!p->fixed->used_nodes[n] || node->output_count == 0 ||
            !p->fixed->is_fixed[node->outputs[0]]) {
            continue;
        }
        htp_evaluator_limit limit;
        bool may = may_compute(p, node);
        for (uint32_t i = 0; i < node->output_count; i++) {
            p->may_be[node->outputs[i]] = may;
        }
        if (may && p->fixed->is_plain[node->outputs[0]] && held <= htp_fixed_left(p->fixed) &&
            htp_evaluate(p->evaluator, node, HTP_FIXED_SMALL, &limit)) {
            held += bytes_that_stay(p, node);
        }
        leave_inputs(p, node);
    }
}

/* ---- what is read ---- */

/* Computes a tensor and those that it needs. The recursion is no deeper than its cone. */
static bool know(pass *p, htp_tensor_id id)
{
    const htp_onnx_node *maker = htp_fixed_maker(p->fixed, id);
    htp_evaluator_limit limit;
    if (htp_evaluator_find(p->evaluator, id)) {
        return true;
    }
    for (uint32_t i = 0; maker && i < maker->input_count; i++) {
        if (maker->inputs[i] != HTP_NONE && !know(p, maker->inputs[i])) {
            return false;
        }
    }
    bool is_known = maker && htp_evaluate(p->evaluator, maker, HTP_EVALUATE_MAX_BYTES, &limit);
    for (uint32_t i = 0; is_known && i < maker->output_count; i++) {
        HTP_PUSH(p->l->arena, &p->made, maker->outputs[i]);
    }
    return is_known;
}

static void keep(const pass *p, const htp_onnx_node *node, htp_kept_reason reason, uint64_t bytes)
{
    htp_fixed_keep(p->kept, p->l, (htp_kept_result){node->origin.node, reason, bytes});
}

/* Computes a tensor from known ones, if it has at most @p most bytes. An operand that is computed,
 * and not known, is what stays, and is told of. */
static bool know_last(pass *p, htp_tensor_id id, uint64_t most)
{
    const htp_onnx_node *maker = htp_fixed_maker(p->fixed, id);
    htp_evaluator_limit limit;
    for (uint32_t i = 0; i < maker->input_count; i++) {
        if (maker->inputs[i] != HTP_NONE && !know(p, maker->inputs[i])) {
            if (!htp_fixed_maker(p->fixed, maker->inputs[i])) {
                keep(p, maker, HTP_KEPT_LIMIT, 0);
            }
            return false;
        }
    }
    bool is_known = htp_evaluate(p->evaluator, maker, most, &limit);
    if (!is_known) {
        keep(p, maker,
             limit.bytes > 0 ? HTP_KEPT_LARGE
             : limit.is_work ? HTP_KEPT_LIMIT
                             : HTP_KEPT_OTHER,
             limit.bytes);
    }
    return is_known;
}

static void keep_unknown(const pass *p, htp_tensor_id id)
{
    const htp_onnx_node *maker = htp_fixed_maker(p->fixed, id);
    if (!htp_evaluator_has(maker) && may_have_inputs(p, maker)) {
        keep(p, maker, HTP_KEPT_OTHER, 0);
    }
}

static void forget_made(pass *p)
{
    for (size_t i = 0; i < p->made.count; i++) {
        htp_evaluator_forget(p->evaluator, p->made.items[i]);
    }
    p->made.count = 0;
}

static void put(pass *p, htp_tensor_id id, const htp_cone *cone)
{
    const htp_known *known = htp_evaluator_find(p->evaluator, id);
    p->fixed->instead[id] =
        htp_fixed_make(p->fixed, id, cone, known->dtype, known->rank, known->dims, known->data);
    if (cone->weights.count == 0) {
        htp_evaluator_forget(p->evaluator, id); /* constants are copied */
    }
}

/* @return false where it stays */
static bool compute(void *with, htp_tensor_id id)
{
    pass *p = with;
    htp_cone cone = {.gone = 0};
    if (!p->may_be[id]) {
        keep_unknown(p, id);
        return false;
    }
    const htp_known *known = htp_evaluator_find(p->evaluator, id);
    if (p->fixed->is_plain[id] && known && known->bytes <= htp_fixed_most(p->fixed, &cone)) {
        put(p, id, &cone);
        return true;
    }
    bool is_known =
        htp_fixed_cone(p->fixed, id, &cone) && know_last(p, id, htp_fixed_most(p->fixed, &cone));
    forget_made(p);
    if (is_known) {
        put(p, id, &cone);
    }
    return is_known;
}

void htp_lower_fold_constants(htp_lowering *l, htp_kept_arithmetic *kept)
{
    htp_builder *model = l->model;
    (void)htp_builder_count_uses(model);
    pass p = {.l = l,
              .fixed = htp_fixed_find(l),
              .evaluator = htp_evaluator_new(model),
              .may_be = HTP_NEW_ARRAY(l->arena, bool, model->tensors.count + 1),
              .left = HTP_NEW_ARRAY(l->arena, uint32_t, model->tensors.count + 1),
              .kept = kept};
    if (kept) {
        kept->count = 0;
    }
    compute_constants(&p);
    htp_fixed_sweep(p.fixed, compute, &p);
    htp_fixed_replace(p.fixed);
}
