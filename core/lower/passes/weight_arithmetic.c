#include "lower/passes/weight_arithmetic.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "lower/passes/precompute.h"
#include "lower/weight_layout/weight_layout.h"
#include "onnx/serialize/strided.h"

#include <string.h>

enum { MAX_ADDED = 1 << 20 };

/* Tensors that one is computed of. */
enum { MAX_IN_CONE = 4096 };

typedef struct pass {
    htp_lowering *l;
    htp_builder *model;
    htp_precomputer *precomputer;
    bool *used_tensors;
    bool *used_nodes;
    bool *is_known;        /* by tensor: it follows from initializers alone */
    const htp_laid **laid; /* by such a tensor: the layout of weights that it is no more than */
    bool *is_read;         /* by such a tensor: nodes that take other things, too, need it */
    bool *is_counted;      /* by initializer's tensor: something needs no more of it */
    uint32_t *seen;        /* by tensor: the last cone that it was in */
    uint32_t cones;
    htp_value_id *values; /* by tensor: the value of the graph that it is, or HTP_NONE */
    htp_tensor_id *instead;
    htp_kept_arithmetic *kept; /* or NULL */
} pass;

static const htp_tensor *tensor_at(const pass *p, htp_tensor_id id)
{
    return &p->model->tensors.items[id];
}

static const htp_onnx_node *maker_of(const pass *p, htp_tensor_id id)
{
    const htp_tensor *tensor = tensor_at(p, id);
    return tensor->source == HTP_TENSOR_FROM_NODE ? &p->model->nodes.items[tensor->index] : NULL;
}

/* ---- what follows from initializers ---- */

static bool holds_graph(const htp_onnx_node *node)
{
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (node->attributes[i].kind == HTP_ATTRIBUTE_GRAPH) {
            return true;
        }
    }
    return false;
}

static void follow_node(pass *p, const htp_onnx_node *node)
{
    bool is_known = node->input_count > 0 && !holds_graph(node);
    for (uint32_t i = 0; i < node->input_count; i++) {
        htp_tensor_id input = node->inputs[i];
        is_known = is_known && (input == HTP_NONE || p->is_known[input]);
    }
    if (!is_known) {
        return;
    }
    htp_laid *outputs = HTP_NEW_ARRAY(p->l->arena, htp_laid, node->output_count + 1U);
    bool is_laid = htp_laid_derive(p->model, node, p->laid, outputs);
    for (uint32_t i = 0; i < node->output_count; i++) {
        p->is_known[node->outputs[i]] = true;
        p->laid[node->outputs[i]] = is_laid ? &outputs[i] : NULL;
    }
}

static void follow(pass *p)
{
    for (size_t i = 0; i < p->model->initializers.count; i++) {
        const htp_initializer *initializer = &p->model->initializers.items[i];
        htp_laid *whole = HTP_NEW(p->l->arena, htp_laid);
        bool is_fixed = tensor_at(p, initializer->tensor)->source == HTP_TENSOR_FROM_INITIALIZER;
        p->is_known[initializer->tensor] = is_fixed;
        if (is_fixed && initializer->weight != HTP_NONE &&
            htp_laid_begin(p->model, initializer, whole)) {
            p->laid[initializer->tensor] = whole;
        }
    }
    for (size_t n = 0; n < p->model->nodes.count; n++) {
        if (p->used_nodes[n]) {
            follow_node(p, &p->model->nodes.items[n]);
        }
    }
}

static bool gives_known(const pass *p, const htp_onnx_node *node)
{
    return node->output_count > 0 && p->is_known[node->outputs[0]];
}

/* Marks tensors that nodes outside of the computation read, too. */
static void mark_read(pass *p)
{
    for (size_t n = 0; n < p->model->nodes.count; n++) {
        const htp_onnx_node *node = &p->model->nodes.items[n];
        for (uint32_t i = 0; p->used_nodes[n] && !gives_known(p, node) && i < node->input_count;
             i++) {
            if (node->inputs[i] != HTP_NONE && p->is_known[node->inputs[i]]) {
                p->is_read[node->inputs[i]] = true;
            }
        }
    }
}

/* ---- what is computed ---- */

static void find_values(pass *p)
{
    const htp_graph *graph = p->l->graph;
    memset(p->values, 0xff, p->model->tensors.count * sizeof(*p->values));
    for (htp_value_id id = 0; id < graph->value_count; id++) {
        htp_tensor_id tensor = p->l->bindings[id].tensor;
        const htp_trace_value *value = htp_graph_value(graph, id);
        if (tensor != HTP_NONE && tensor < p->model->tensors.count &&
            value->kind == HTP_TRACE_TENSOR && value->producer != HTP_NONE &&
            !htp_dtype_is_complex(value->dtype) && p->values[tensor] == HTP_NONE) {
            p->values[tensor] = id;
        }
    }
}

/* The bytes of a value; UINT64_MAX where its sizes are not all numbers. */
static uint64_t bytes_of(const pass *p, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(p->l->graph, id);
    uint64_t bytes = htp_dtype_size(value->dtype);
    for (uint32_t i = 0; i < value->rank; i++) {
        const htp_dim *dim = &p->l->graph->values[id].dims[i];
        if (dim->symbol || !htp_checked_mul(bytes, (uint64_t)dim->size, &bytes)) {
            return UINT64_MAX;
        }
    }
    return bytes;
}

static uint64_t initializer_bytes(const pass *p, htp_tensor_id id)
{
    const htp_tensor *tensor = tensor_at(p, id);
    uint64_t bytes = htp_dtype_size(tensor->dtype);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (!htp_checked_mul(bytes, (uint64_t)tensor->dims[i].size, &bytes)) {
            return 0;
        }
    }
    return bytes;
}

/* The initializers from which a tensor is computed, and the bytes of those without other
 * readers. */
typedef struct cone {
    HTP_VECTOR(htp_tensor_id) open;
    HTP_VECTOR(uint32_t) weights; /* of the trace, each once */
    uint64_t gone;
    uint32_t seen_count;
} cone;

static void enter(pass *p, cone *c, htp_tensor_id id)
{
    if (id == HTP_NONE || p->seen[id] == p->cones) {
        return;
    }
    p->seen[id] = p->cones;
    c->seen_count++;
    HTP_PUSH(p->l->arena, &c->open, id);
}

static void add_initializer(pass *p, cone *c, htp_tensor_id id)
{
    const htp_initializer *initializer = &p->model->initializers.items[tensor_at(p, id)->index];
    if (initializer->weight != HTP_NONE) {
        HTP_PUSH(p->l->arena, &c->weights, initializer->weight);
    }
    if (!p->is_read[id] && !p->is_counted[id]) {
        p->is_counted[id] = true;
        c->gone += initializer_bytes(p, id);
    }
}

static cone find_cone(pass *p, htp_tensor_id id)
{
    cone c = {0};
    p->cones++;
    enter(p, &c, id);
    while (c.open.count > 0 && c.seen_count <= MAX_IN_CONE) {
        htp_tensor_id at = c.open.items[--c.open.count];
        const htp_onnx_node *maker = maker_of(p, at);
        if (!maker) {
            add_initializer(p, &c, at);
            continue;
        }
        for (uint32_t i = 0; i < maker->input_count; i++) {
            enter(p, &c, maker->inputs[i]);
        }
    }
    return c;
}

/* The path of the module, and the operator. */
static const char *name_of(const pass *p, htp_value_id id)
{
    const htp_trace_node *node =
        htp_graph_node(p->l->graph, htp_graph_value(p->l->graph, id)->producer);
    const char *path = htp_graph_scope_path(p->model->graph, node->scope);
    const char *colons = strstr(node->kind, "::");
    const char *name = colons ? colons + 2 : node->kind;
    return htp_arena_printf(p->l->arena, "%s%s%.*s", path, *path ? "." : "",
                            (int)strcspn(name, "."), name);
}

static htp_tensor_id make(pass *p, htp_value_id id, const cone *cone)
{
    const htp_trace_value *value = htp_graph_value(p->l->graph, id);
    int64_t dims[HTP_MAX_RANK + 1] = {0};
    const void *contents = htp_precompute_contents(p->precomputer, id, dims);
    if (!contents) {
        return HTP_NONE;
    }
    if (cone->weights.count == 0) {
        return htp_builder_constant(p->model, value->dtype, value->rank, dims, contents);
    }
    htp_derivation *derivation = HTP_NEW(p->l->arena, htp_derivation);
    *derivation = (htp_derivation){.dtype = value->dtype,
                                   .weights = cone->weights.items,
                                   .weight_count = (uint32_t)cone->weights.count};
    return htp_builder_derived(p->model, name_of(p, id), value->dtype, value->rank, dims,
                               derivation, contents);
}

static void keep(pass *p, htp_value_id id, uint64_t bytes)
{
    htp_kept_result result = {htp_graph_value(p->l->graph, id)->producer, bytes};
    if (p->kept) {
        HTP_PUSH(p->l->arena, p->kept, result);
    }
}

/* Computes a tensor. @return false where it stays */
static bool compute(pass *p, htp_tensor_id id)
{
    htp_value_id value = p->values[id];
    if (value == HTP_NONE || tensor_at(p, id)->is_output) {
        return false;
    }
    uint64_t bytes = bytes_of(p, value);
    if (bytes == UINT64_MAX || !htp_precompute_follows(p->precomputer, value)) {
        return false;
    }
    if (bytes > HTP_PRECOMPUTE_MAX_BYTES) {
        keep(p, value, bytes);
        return false;
    }
    const cone cone = find_cone(p, id);
    if (cone.seen_count > MAX_IN_CONE) {
        return false;
    }
    if (bytes > MAX_ADDED && bytes > cone.gone + cone.gone / 10) {
        keep(p, value, bytes);
        return false;
    }
    p->instead[id] = make(p, value, &cone);
    return p->instead[id] != HTP_NONE;
}

/* Backwards: if a tensor cannot be computed, its operands are tried. */
static void compute_all(pass *p)
{
    for (size_t n = p->model->nodes.count; n-- > 0;) {
        const htp_onnx_node *node = &p->model->nodes.items[n];
        bool stays = false;
        for (uint32_t i = 0; p->used_nodes[n] && i < node->output_count; i++) {
            htp_tensor_id output = node->outputs[i];
            bool is_wanted = p->is_known[output] && !p->laid[output] &&
                             (p->is_read[output] || tensor_at(p, output)->is_output);
            stays = (is_wanted && !compute(p, output)) || stays;
        }
        for (uint32_t i = 0; stays && i < node->input_count; i++) {
            if (node->inputs[i] != HTP_NONE) {
                p->is_read[node->inputs[i]] = true;
            }
        }
    }
}

/* ---- what transposes it ---- */

/* The permutation of a Transpose: its attribute, or reversed axes. */
static bool find_axes(const htp_onnx_node *node, uint32_t rank, int64_t *axes)
{
    for (uint32_t i = 0; i < rank; i++) {
        axes[i] = rank - 1 - i;
    }
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const htp_attribute *attribute = &node->attributes[i];
        if (strcmp(attribute->name, "perm") == 0 && attribute->count == rank) {
            memcpy(axes, attribute->ints, rank * sizeof(*axes));
        }
    }
    return rank > 0;
}

static void *transposed(pass *p, const htp_tensor *tensor, const int64_t *axes, const void *from)
{
    size_t size = htp_dtype_size(tensor->dtype);
    int64_t own[HTP_MAX_RANK] = {0};
    int64_t strides[HTP_MAX_RANK] = {0};
    int64_t dims[HTP_MAX_RANK] = {0};
    int64_t count = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        own[i] = count;
        count *= tensor->dims[i].size;
    }
    for (uint32_t i = 0; i < tensor->rank; i++) {
        strides[i] = own[axes[i]];
        dims[i] = tensor->dims[axes[i]].size;
    }
    htp_strided strided;
    void *to = htp_arena_alloc(p->l->arena, (size_t)count * size + 1);
    htp_strided_begin(&strided, from, size, tensor->rank, dims, strides);
    htp_strided_copy(&strided, to);
    return to;
}

/* Makes an initializer of a Transpose of one that was computed. */
static void transpose(pass *p, const htp_onnx_node *node)
{
    htp_tensor_id made = p->instead[node->inputs[0]];
    const htp_tensor *tensor = tensor_at(p, made);
    const htp_initializer *computed = &p->model->initializers.items[tensor->index];
    int64_t axes[HTP_MAX_RANK];
    int64_t dims[HTP_MAX_RANK];
    if (!computed->derivation || !find_axes(node, tensor->rank, axes)) {
        return;
    }
    for (uint32_t i = 0; i < tensor->rank; i++) {
        dims[i] = tensor->dims[axes[i]].size;
    }
    const char *name = htp_arena_printf(p->l->arena, "%s.T", tensor->name);
    const void *contents = transposed(p, tensor, axes, computed->data);
    p->instead[node->outputs[0]] = htp_builder_derived(p->model, name, tensor->dtype, tensor->rank,
                                                       dims, computed->derivation, contents);
}

static void transpose_all(pass *p)
{
    for (size_t n = 0; n < p->model->nodes.count; n++) {
        const htp_onnx_node *node = &p->model->nodes.items[n];
        bool is_transpose = p->used_nodes[n] && !*node->domain &&
                            strcmp(node->op_type, "Transpose") == 0 &&
                            !tensor_at(p, node->outputs[0])->is_output;
        if (is_transpose && p->instead[node->inputs[0]] != HTP_NONE) {
            transpose(p, node);
        }
    }
}

void htp_lower_weight_arithmetic(htp_lowering *l, htp_kept_arithmetic *kept)
{
    htp_builder *model = l->model;
    size_t tensors = model->tensors.count + 1;
    pass p = {.l = l,
              .model = model,
              .precomputer = htp_precompute_begin(l),
              .used_tensors = HTP_NEW_ARRAY(l->arena, bool, tensors),
              .used_nodes = HTP_NEW_ARRAY(l->arena, bool, model->nodes.count + 1),
              .is_known = HTP_NEW_ARRAY(l->arena, bool, tensors),
              .laid = HTP_NEW_ARRAY(l->arena, const htp_laid *, tensors),
              .is_read = HTP_NEW_ARRAY(l->arena, bool, tensors),
              .is_counted = HTP_NEW_ARRAY(l->arena, bool, tensors),
              .seen = HTP_NEW_ARRAY(l->arena, uint32_t, tensors),
              .values = HTP_NEW_ARRAY(l->arena, htp_value_id, tensors),
              .instead = HTP_NEW_ARRAY(l->arena, htp_tensor_id, tensors),
              .kept = kept};
    if (!p.precomputer) {
        return;
    }
    size_t count = model->tensors.count;
    if (kept) {
        kept->count = 0;
    }
    memset(p.instead, 0xff, count * sizeof(*p.instead));
    htp_builder_mark_used(model, p.used_tensors, p.used_nodes);
    follow(&p);
    mark_read(&p);
    find_values(&p);
    compute_all(&p);
    transpose_all(&p);
    htp_tensor_id *instead = HTP_NEW_ARRAY(l->arena, htp_tensor_id, model->tensors.count + 1);
    memset(instead, 0xff, model->tensors.count * sizeof(*instead));
    memcpy(instead, p.instead, count * sizeof(*instead));
    htp_builder_replace(model, instead);
}
