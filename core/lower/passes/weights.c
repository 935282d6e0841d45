#include "lower/passes/weights.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "lower/passes/fixed.h"
#include "lower/weight_layout/weight_layout.h"

#include <string.h>

/* A weight may stay because another one does, so they are found in rounds. After this many,
 * combinations of several weights stay, so that none depends on another. */
enum { MAX_ROUNDS = 8 };

typedef struct pass {
    htp_builder *model;
    htp_arena *arena;
    bool *used_tensors;
    bool *used_nodes;
    const htp_laid **laid; /* by tensor whose elements are a weight's: its layout; or NULL */
    htp_tensor_id *first;  /* by such a tensor: the first tensor of equal layout */
    uint32_t *base;        /* by weight of the trace: its initializer's tensor, or HTP_NONE */
    bool *is_kept;         /* by weight of the trace: it is read as it is stored */
    bool *is_turned;       /* by weight of the trace: its transpose is read */
    uint64_t *elements;    /* by weight of the trace: total elements of all layouts that are read */
    uint32_t *counted_in;  /* by tensor: the round in which its layout was counted, or 0 */
    bool *is_read;         /* by tensor: a node that stays reads it */
    bool is_apart;         /* combinations of several weights stay */
    htp_map layouts;       /* layout -> first tensor */
} pass;

static uint64_t count_elements(uint32_t rank, const int64_t *dims)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        count *= (uint64_t)dims[i];
    }
    return count;
}

/* ---- which tensors are weights, laid out anew ---- */

static void know(pass *p, htp_tensor_id tensor, const htp_laid *laid)
{
    size_t bytes;
    htp_laid *kept = HTP_NEW(p->arena, htp_laid);
    *kept = *laid;
    const void *key = htp_laid_key(p->model, kept, &bytes);
    p->laid[tensor] = kept;
    p->first[tensor] = tensor;
    const void **added = htp_map_add_bytes(p->arena, &p->layouts, key, bytes, &p->first[tensor]);
    if (added) {
        *added = key;
    }
}

static void begin(pass *p)
{
    for (size_t i = 0; i < p->model->initializers.count; i++) {
        const htp_initializer *initializer = &p->model->initializers.items[i];
        htp_laid whole;
        if (initializer->weight != HTP_NONE && p->used_tensors[initializer->tensor] &&
            htp_laid_begin(p->model, initializer, &whole)) {
            p->base[initializer->weight] = initializer->tensor;
            know(p, initializer->tensor, &whole);
        }
    }
}

static bool gives_output(const pass *p, const htp_onnx_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (p->model->tensors.items[node->outputs[i]].is_output) {
            return true;
        }
    }
    return false;
}

static void follow(pass *p)
{
    for (size_t n = 0; n < p->model->nodes.count; n++) {
        const htp_onnx_node *node = &p->model->nodes.items[n];
        if (!p->used_nodes[n] || node->output_count == 0 || gives_output(p, node)) {
            continue;
        }
        htp_laid *outputs = HTP_NEW_ARRAY(p->arena, htp_laid, node->output_count);
        if (!htp_laid_derive(p->model, node, p->laid, outputs)) {
            continue;
        }
        for (uint32_t i = 0; i < node->output_count; i++) {
            know(p, node->outputs[i], &outputs[i]);
        }
    }
}

/* ---- Gemm, which transposes by itself ---- */

/* The weight whose transpose a matrix is; HTP_NONE if there is none. */
static htp_tensor_id transposed_weight(pass *p, htp_tensor_id matrix)
{
    htp_laid swapped;
    size_t bytes;
    uint32_t known;
    const htp_laid *laid = p->laid[matrix];
    if (!laid || laid->dtype != laid->cast || !htp_laid_swap(p->model, laid, &swapped)) {
        return HTP_NONE;
    }
    const void *key = htp_laid_key(p->model, &swapped, &bytes);
    return htp_map_get_bytes(&p->layouts, key, bytes, &known) &&
                   p->model->tensors.items[known].source == HTP_TENSOR_FROM_INITIALIZER
               ? known
               : HTP_NONE;
}

/* Flips transB among the node's attributes. */
static void turn_second(pass *p, htp_onnx_node *node)
{
    htp_attribute *attributes =
        HTP_NEW_ARRAY(p->arena, htp_attribute, (size_t)node->attribute_count + 1);
    uint32_t count = 0;
    bool was_turned = false;
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, "transB") == 0) {
            was_turned = node->attributes[i].i != 0;
        } else {
            attributes[count++] = node->attributes[i];
        }
    }
    if (!was_turned) {
        attributes[count++] = htp_attribute_int("transB", 1);
    }
    node->attributes = attributes;
    node->attribute_count = count;
}

/* Makes Gemms read weights as they are stored. */
static void turn_gemms(pass *p)
{
    for (size_t n = 0; n < p->model->nodes.count; n++) {
        htp_onnx_node *node = &p->model->nodes.items[n];
        if (*node->domain || strcmp(node->op_type, "Gemm") != 0) {
            continue;
        }
        htp_tensor_id weight = transposed_weight(p, node->inputs[1]);
        if (weight != HTP_NONE) {
            htp_tensor_id *inputs = htp_arena_grow(p->arena, node->inputs, node->input_count,
                                                   node->input_count, sizeof(*inputs));
            inputs[1] = weight;
            node->inputs = inputs;
            turn_second(p, node);
        }
    }
}

/* ---- which weights stay as they are ---- */

/* Whether a tensor may become an initializer, given the weights kept so far. */
static bool may_be_laid(const pass *p, htp_tensor_id tensor)
{
    const htp_laid *laid = p->laid[tensor];
    if (!laid || (p->is_apart && laid->box_count > 1)) {
        return false;
    }
    for (uint32_t i = 0; i < laid->box_count; i++) {
        if (p->is_kept[laid->boxes[i].weight]) {
            return false;
        }
    }
    return true;
}

/* Whether a node becomes dead: all its outputs become initializers. */
static bool goes(const pass *p, const htp_onnx_node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!may_be_laid(p, node->outputs[i])) {
            return false;
        }
    }
    return node->output_count > 0;
}

static void mark_read(pass *p)
{
    memset(p->is_read, 0, p->model->tensors.count * sizeof(*p->is_read));
    for (size_t n = 0; n < p->model->nodes.count; n++) {
        const htp_onnx_node *node = &p->model->nodes.items[n];
        if (!p->used_nodes[n] || goes(p, node)) {
            continue;
        }
        for (uint32_t i = 0; i < node->input_count; i++) {
            if (node->inputs[i] != HTP_NONE && p->laid[node->inputs[i]]) {
                p->is_read[node->inputs[i]] = true;
            }
        }
    }
}

/* Counts the elements of each weight's layouts, each layout once. */
static void count_layouts(pass *p, uint32_t round)
{
    uint32_t weight_count = p->model->graph->trace->weight_count;
    memset(p->elements, 0, weight_count * sizeof(*p->elements));
    for (size_t t = 0; t < p->model->tensors.count; t++) {
        if (!p->is_read[t] || p->counted_in[p->first[t]] == round) {
            continue;
        }
        p->counted_in[p->first[t]] = round;
        const htp_laid *laid = p->laid[t];
        htp_tensor_id base = p->base[laid->boxes->weight];
        if (base != HTP_NONE && htp_laid_is_transpose(p->laid[base], laid)) {
            p->is_turned[laid->boxes->weight] = true;
        }
        for (uint32_t i = 0; i < laid->box_count; i++) {
            const htp_box *box = &laid->boxes[i];
            uint64_t *sum = &p->elements[box->weight];
            if (!htp_checked_add(*sum, count_elements(box->rank, box->dims), sum)) {
                *sum = UINT64_MAX;
            }
        }
    }
}

/* Whether a weight's layouts are small, and none is its transpose: a weight that is read both ways
 * is tied. */
static bool is_small(const pass *p, uint32_t weight)
{
    uint64_t bytes;
    return !p->is_turned[weight] &&
           htp_checked_mul(p->elements[weight],
                           htp_dtype_size(p->model->graph->trace->weights[weight].dtype), &bytes) &&
           bytes <= HTP_FIXED_SMALL;
}

/* Keeps weights whose layouts would take more bytes than they do. @return whether there were any */
static bool keep_more(pass *p)
{
    bool are_more = false;
    for (uint32_t w = 0; w < p->model->graph->trace->weight_count; w++) {
        if (p->base[w] == HTP_NONE || p->is_kept[w]) {
            continue;
        }
        const htp_laid *whole = p->laid[p->base[w]];
        p->is_kept[w] =
            p->elements[w] > count_elements(whole->rank, whole->dims) && !is_small(p, w);
        are_more = are_more || p->is_kept[w];
    }
    return are_more;
}

static void decide(pass *p, bool unties)
{
    for (uint32_t round = 1;; round++) {
        p->is_apart = round > MAX_ROUNDS;
        mark_read(p);
        count_layouts(p, round);
        if (unties || !keep_more(p)) {
            break;
        }
    }
    mark_read(p);
}

/* ---- the initializers ---- */

/* The initializer of a layout's weight, if it has just one. */
static htp_tensor_id base_of(const pass *p, const htp_laid *laid)
{
    for (uint32_t i = 1; i < laid->box_count; i++) {
        if (laid->boxes[i].weight != laid->boxes->weight) {
            return HTP_NONE;
        }
    }
    return p->base[laid->boxes->weight];
}

/* The initializer's name: PATH.T for a transpose, otherwise from the module's path and the
 * operator. */
static const char *name_of(const pass *p, htp_tensor_id tensor, htp_tensor_id base)
{
    const htp_builder *model = p->model;
    if (base != HTP_NONE && htp_laid_is_transpose(p->laid[base], p->laid[tensor])) {
        return htp_arena_printf(p->arena, "%s.T", model->tensors.items[base].name);
    }
    const htp_onnx_node *made = &model->nodes.items[model->tensors.items[tensor].index];
    const char *path = htp_graph_scope_path(model->graph, made->origin.scope);
    return htp_arena_printf(p->arena, "%s%s%s", path, *path ? "." : "", made->op_type);
}

static htp_tensor_id add_initializer(pass *p, htp_tensor_id tensor)
{
    const htp_laid *laid = p->laid[tensor];
    htp_tensor_id base = base_of(p, laid);
    htp_derivation *derivation = HTP_NEW(p->arena, htp_derivation);
    *derivation =
        (htp_derivation){.boxes = laid->boxes, .box_count = laid->box_count, .dtype = laid->dtype};
    derivation->weight_count = htp_laid_weights(p->model, laid, &derivation->weights);
    derivation->layout =
        htp_laid_text(p->arena, base == HTP_NONE ? NULL : p->laid[base], laid, derivation->weights);
    htp_weight_cast_set(p->arena, derivation, laid->cast);
    return htp_builder_derived(p->model, name_of(p, tensor, base), laid->cast, laid->rank,
                               laid->dims, derivation, NULL);
}

/* Makes staying nodes read initializers. */
static void replace(pass *p)
{
    size_t count = p->model->tensors.count;
    htp_tensor_id *instead = HTP_NEW_ARRAY(p->arena, htp_tensor_id, count);
    htp_tensor_id *made = HTP_NEW_ARRAY(p->arena, htp_tensor_id, count); /* by first tensor */
    memset(instead, 0xff, count * sizeof(*instead));
    memset(made, 0xff, count * sizeof(*made));
    for (htp_tensor_id t = 0; t < count; t++) {
        htp_tensor_id first = p->first[t];
        if (!p->is_read[t] || p->model->tensors.items[t].source != HTP_TENSOR_FROM_NODE ||
            !may_be_laid(p, t)) {
            continue;
        }
        if (p->model->tensors.items[first].source == HTP_TENSOR_FROM_INITIALIZER) {
            made[first] = first;
        } else if (made[first] == HTP_NONE) {
            made[first] = add_initializer(p, first);
        }
        instead[t] = made[first];
    }
    htp_builder_replace(p->model, instead);
}

/* ---- what stays ---- */

/* Lists products that read a weight through a staying node. */
static void list_tied(pass *p, htp_tied_weights *tied)
{
    for (size_t n = 0; n < p->model->nodes.count; n++) {
        const htp_onnx_node *node = &p->model->nodes.items[n];
        bool is_product = !*node->domain && strcmp(node->op_type, "MatMul") == 0;
        htp_tensor_id second = is_product ? node->inputs[1] : HTP_NONE;
        if (!p->used_nodes[n] || second == HTP_NONE || !p->laid[second] ||
            p->model->tensors.items[second].source != HTP_TENSOR_FROM_NODE ||
            may_be_laid(p, second)) {
            continue;
        }
        const htp_laid *laid = p->laid[second];
        htp_tied_weight found = {.name = p->model->tensors.items[p->base[laid->boxes->weight]].name,
                                 .scope = node->origin.scope,
                                 .bytes = count_elements(laid->rank, laid->dims) *
                                          htp_dtype_size(laid->cast)};
        HTP_PUSH(p->arena, tied, found);
    }
}

void htp_weights_lay_out(htp_builder *model, bool unties, htp_tied_weights *tied)
{
    htp_arena *arena = model->arena;
    size_t tensors = model->tensors.count + 1;
    size_t weights = (size_t)model->graph->trace->weight_count + 1;
    pass p = {.model = model,
              .arena = arena,
              .used_tensors = HTP_NEW_ARRAY(arena, bool, tensors),
              .used_nodes = HTP_NEW_ARRAY(arena, bool, model->nodes.count + 1),
              .laid = HTP_NEW_ARRAY(arena, const htp_laid *, tensors),
              .first = HTP_NEW_ARRAY(arena, htp_tensor_id, tensors),
              .base = HTP_NEW_ARRAY(arena, uint32_t, weights),
              .is_kept = HTP_NEW_ARRAY(arena, bool, weights),
              .is_turned = HTP_NEW_ARRAY(arena, bool, weights),
              .elements = HTP_NEW_ARRAY(arena, uint64_t, weights),
              .counted_in = HTP_NEW_ARRAY(arena, uint32_t, tensors),
              .is_read = HTP_NEW_ARRAY(arena, bool, tensors)};
    memset(p.base, 0xff, weights * sizeof(*p.base));
    htp_builder_mark_used(model, p.used_tensors, p.used_nodes);
    begin(&p);
    follow(&p);
    turn_gemms(&p);
    memset(p.used_tensors, 0, tensors * sizeof(*p.used_tensors));
    memset(p.used_nodes, 0, model->nodes.count * sizeof(*p.used_nodes));
    htp_builder_mark_used(model, p.used_tensors, p.used_nodes);
    decide(&p, unties);
    list_tied(&p, tied);
    replace(&p);
}
