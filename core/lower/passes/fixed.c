#include "lower/passes/fixed.h"

#include <string.h>

/* The most tensors in a cone. */
enum { MAX_IN_CONE = 4096 };

static const htp_tensor *tensor_at(const htp_fixed *f, htp_tensor_id id)
{
    return &f->model->tensors.items[id];
}

static const htp_initializer *initializer_at(const htp_fixed *f, htp_tensor_id id)
{
    return &f->model->initializers.items[tensor_at(f, id)->index];
}

const htp_onnx_node *htp_fixed_maker(const htp_fixed *f, htp_tensor_id id)
{
    const htp_tensor *tensor = tensor_at(f, id);
    return tensor->source == HTP_TENSOR_FROM_NODE ? &f->model->nodes.items[tensor->index] : NULL;
}

/* ---- what follows from initializers ---- */

static void follow_node(htp_fixed *f, const htp_onnx_node *node)
{
    bool is_fixed = node->input_count > 0 && !htp_builder_has_body(node);
    bool is_plain = true;
    for (uint32_t i = 0; i < node->input_count; i++) {
        htp_tensor_id input = node->inputs[i];
        is_fixed = is_fixed && (input == HTP_NONE || f->is_fixed[input]);
        is_plain = is_plain && (input == HTP_NONE || f->is_plain[input]);
    }
    if (!is_fixed) {
        return;
    }
    htp_laid *outputs = HTP_NEW_ARRAY(f->model->arena, htp_laid, node->output_count + 1U);
    bool is_laid = htp_laid_derive(f->model, node, f->laid, outputs);
    for (uint32_t i = 0; i < node->output_count; i++) {
        f->is_fixed[node->outputs[i]] = true;
        f->is_plain[node->outputs[i]] = is_plain;
        f->laid[node->outputs[i]] = is_laid ? &outputs[i] : NULL;
    }
}

static void follow(htp_fixed *f)
{
    for (size_t i = 0; i < f->model->initializers.count; i++) {
        const htp_initializer *initializer = &f->model->initializers.items[i];
        htp_laid *whole = HTP_NEW(f->model->arena, htp_laid);
        bool is_fixed = tensor_at(f, initializer->tensor)->source == HTP_TENSOR_FROM_INITIALIZER;
        f->is_fixed[initializer->tensor] = is_fixed;
        f->is_plain[initializer->tensor] = is_fixed && htp_initializer_is_constant(initializer);
        if (is_fixed && initializer->weight != HTP_NONE &&
            htp_laid_begin(f->model, initializer, whole)) {
            f->laid[initializer->tensor] = whole;
        }
    }
    for (size_t n = 0; n < f->model->nodes.count; n++) {
        if (f->used_nodes[n]) {
            follow_node(f, &f->model->nodes.items[n]);
        }
    }
}

static bool gives_fixed(const htp_fixed *f, const htp_onnx_node *node)
{
    return node->output_count > 0 && f->is_fixed[node->outputs[0]];
}

/* Marks fixed tensors that nodes with other inputs read. */
static void mark_read(htp_fixed *f)
{
    for (size_t n = 0; n < f->model->nodes.count; n++) {
        const htp_onnx_node *node = &f->model->nodes.items[n];
        for (uint32_t i = 0; f->used_nodes[n] && !gives_fixed(f, node) && i < node->input_count;
             i++) {
            if (node->inputs[i] != HTP_NONE && f->is_fixed[node->inputs[i]]) {
                f->is_read[node->inputs[i]] = true;
            }
        }
    }
}

static void find_values(htp_fixed *f)
{
    const htp_graph *graph = f->l->graph;
    memset(f->values, 0xff, f->tensor_count * sizeof(*f->values));
    for (htp_value_id id = 0; id < graph->value_count; id++) {
        htp_tensor_id tensor = f->l->bindings[id].tensor;
        const htp_trace_value *value = htp_graph_value(graph, id);
        if (tensor != HTP_NONE && tensor < f->tensor_count && value->kind == HTP_TRACE_TENSOR &&
            value->producer != HTP_NONE && !htp_dtype_is_complex(value->dtype) &&
            f->values[tensor] == HTP_NONE) {
            f->values[tensor] = id;
        }
    }
}

htp_fixed *htp_fixed_find(htp_lowering *l)
{
    htp_builder *model = l->model;
    htp_arena *arena = l->arena;
    size_t tensors = model->tensors.count + 1;
    bool *used_tensors = HTP_NEW_ARRAY(arena, bool, tensors);
    bool *used_nodes = HTP_NEW_ARRAY(arena, bool, model->nodes.count + 1);
    htp_builder_mark_used(model, used_tensors, used_nodes);
    htp_fixed *f = HTP_NEW(arena, htp_fixed);
    *f = (htp_fixed){.l = l,
                     .model = model,
                     .tensor_count = model->tensors.count,
                     .used_nodes = used_nodes,
                     .reads = {.model = model},
                     .is_fixed = HTP_NEW_ARRAY(arena, bool, tensors),
                     .is_plain = HTP_NEW_ARRAY(arena, bool, tensors),
                     .laid = HTP_NEW_ARRAY(arena, const htp_laid *, tensors),
                     .is_read = HTP_NEW_ARRAY(arena, bool, tensors),
                     .is_counted = HTP_NEW_ARRAY(arena, bool, tensors),
                     .seen = HTP_NEW_ARRAY(arena, uint32_t, tensors),
                     .values = HTP_NEW_ARRAY(arena, htp_value_id, tensors),
                     .instead = HTP_NEW_ARRAY(arena, htp_tensor_id, tensors)};
    memset(f->instead, 0xff, tensors * sizeof(*f->instead));
    follow(f);
    mark_read(f);
    find_values(f);
    return f;
}

/* ---- what a tensor is computed of ---- */

static void enter(htp_fixed *f, htp_cone *cone, htp_tensor_id id)
{
    if (id == HTP_NONE || f->seen[id] == f->cones) {
        return;
    }
    f->seen[id] = f->cones;
    cone->count++;
    HTP_PUSH(f->l->arena, &cone->open, id);
}

static void add_weight(htp_fixed *f, htp_cone *cone, uint32_t weight)
{
    for (size_t i = 0; i < cone->weights.count; i++) {
        if (cone->weights.items[i] == weight) {
            return;
        }
    }
    HTP_PUSH(f->l->arena, &cone->weights, weight);
}

static void add_initializer(htp_fixed *f, htp_cone *cone, htp_tensor_id id)
{
    const htp_initializer *initializer = initializer_at(f, id);
    const htp_derivation *derivation = initializer->derivation;
    if (initializer->weight != HTP_NONE) {
        add_weight(f, cone, initializer->weight);
    }
    for (uint32_t i = 0; derivation && i < derivation->weight_count; i++) {
        add_weight(f, cone, derivation->weights[i]);
    }
    if (!f->is_read[id] && !f->is_counted[id]) {
        f->is_counted[id] = true;
        cone->gone += htp_storage_reads_add(&f->reads, initializer).fresh;
    }
}

bool htp_fixed_cone(htp_fixed *f, htp_tensor_id id, htp_cone *cone)
{
    *cone = (htp_cone){.gone = 0};
    f->cones++;
    enter(f, cone, id);
    while (cone->open.count > 0 && cone->count <= MAX_IN_CONE) {
        htp_tensor_id at = cone->open.items[--cone->open.count];
        const htp_onnx_node *maker = htp_fixed_maker(f, at);
        if (!maker) {
            add_initializer(f, cone, at);
            continue;
        }
        for (uint32_t i = 0; i < maker->input_count; i++) {
            enter(f, cone, maker->inputs[i]);
        }
    }
    return cone->count <= MAX_IN_CONE;
}

uint64_t htp_fixed_left(const htp_fixed *f)
{
    uint64_t limit = htp_limit_value(f->model->limits, HTP_LIMIT_CONSTANT);
    return limit > f->model->constant_bytes ? limit - f->model->constant_bytes : 0;
}

uint64_t htp_fixed_most(const htp_fixed *f, const htp_cone *cone)
{
    uint64_t most = cone->gone + cone->gone / 10;
    uint64_t left = htp_fixed_left(f);
    most = most > HTP_FIXED_SMALL ? most : HTP_FIXED_SMALL;
    return most - cone->gone < left ? most : cone->gone + left;
}

void htp_fixed_keep(htp_kept_arithmetic *kept, htp_lowering *l, htp_kept_result result)
{
    if (!kept || result.node == HTP_NONE ||
        (kept->count > 0 && kept->items[kept->count - 1].node == result.node)) {
        return;
    }
    HTP_PUSH(l->arena, kept, result);
}

/* ---- what becomes of it ---- */

/* A name from the module's path and the operator. */
static const char *name_after(const htp_fixed *f, htp_node_id id)
{
    const htp_trace_node *node = htp_graph_node(f->l->graph, id);
    const char *path = htp_graph_scope_path(f->model->graph, node->scope);
    const char *colons = strstr(node->kind, "::");
    const char *name = colons ? colons + 2 : node->kind;
    return htp_arena_printf(f->l->arena, "%s%s%.*s", path, *path ? "." : "",
                            (int)strcspn(name, "."), name);
}

/* A name for the tensor: its graph value's, or one from its operator. */
static const char *name_of(const htp_fixed *f, htp_tensor_id id)
{
    const htp_onnx_node *maker = htp_fixed_maker(f, id);
    if (!maker) {
        return tensor_at(f, id)->name;
    }
    bool is_value = f->values[id] != HTP_NONE;
    htp_node_id node =
        is_value ? htp_graph_value(f->l->graph, f->values[id])->producer : maker->origin.node;
    return node == HTP_NONE ? maker->op_type : name_after(f, node);
}

static const char *name_transposed(const htp_fixed *f, htp_tensor_id id)
{
    const htp_onnx_node *maker = htp_fixed_maker(f, id);
    bool is_own = f->values[id] == HTP_NONE && maker && strcmp(maker->op_type, "Transpose") == 0;
    return is_own ? htp_arena_printf(f->l->arena, "%s.T", name_of(f, maker->inputs[0]))
                  : name_of(f, id);
}

static htp_tensor_id make(const htp_fixed *f, htp_tensor_id id, const htp_cone *cone,
                          htp_dtype dtype, uint32_t rank, const int64_t *dims, const void *contents)
{
    if (cone->weights.count == 0) {
        return htp_builder_constant(f->model, dtype, rank, dims, contents);
    }
    htp_derivation *derivation = HTP_NEW(f->l->arena, htp_derivation);
    *derivation = (htp_derivation){.dtype = dtype,
                                   .weights = cone->weights.items,
                                   .weight_count = (uint32_t)cone->weights.count};
    return htp_builder_derived(f->model, name_transposed(f, id), dtype, rank, dims, derivation,
                               contents);
}

/* What stands for weights is not added. */
htp_tensor_id htp_fixed_make(const htp_fixed *f, htp_tensor_id id, const htp_cone *cone,
                             htp_dtype dtype, uint32_t rank, const int64_t *dims,
                             const void *contents)
{
    uint64_t before = f->model->constant_bytes;
    htp_tensor_id made = make(f, id, cone, dtype, rank, dims, contents);
    uint64_t added = f->model->constant_bytes - before;
    f->model->constant_bytes = before + (added > cone->gone ? added - cone->gone : 0);
    return made;
}

void htp_fixed_sweep(htp_fixed *f, bool (*compute)(void *with, htp_tensor_id id), void *with)
{
    for (size_t n = f->model->nodes.count; n-- > 0;) {
        const htp_onnx_node *node = &f->model->nodes.items[n];
        bool stays = false;
        for (uint32_t i = 0; f->used_nodes[n] && i < node->output_count; i++) {
            htp_tensor_id output = node->outputs[i];
            bool is_output = tensor_at(f, output)->is_output;
            bool is_wanted =
                f->is_fixed[output] && !f->laid[output] && (f->is_read[output] || is_output);
            stays = (is_wanted && (is_output || !compute(with, output))) || stays;
        }
        for (uint32_t i = 0; stays && i < node->input_count; i++) {
            if (node->inputs[i] != HTP_NONE) {
                f->is_read[node->inputs[i]] = true;
            }
        }
    }
}

void htp_fixed_replace(htp_fixed *f)
{
    size_t count = f->model->tensors.count;
    htp_tensor_id *instead = HTP_NEW_ARRAY(f->l->arena, htp_tensor_id, count + 1);
    memset(instead, 0xff, count * sizeof(*instead));
    memcpy(instead, f->instead, f->tensor_count * sizeof(*instead));
    htp_builder_replace(f->model, instead);
}
