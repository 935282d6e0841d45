#include "onnx/builder/builder.h"

#include "base/checked.h"
#include "base/dtype.h"
#include "base/text.h"
#include "onnx/builder/names.h"

#include <string.h>

htp_builder *htp_builder_new(htp_arena *arena, const htp_graph *graph, int opset)
{
    htp_builder *model = HTP_NEW(arena, htp_builder);
    model->arena = arena;
    model->graph = graph;
    model->opset = opset;
    model->origin = (htp_origin){.scope = 0, .node = HTP_NONE};
    model->scope_names = htp_name_scopes(arena, graph);
    HTP_EXPECT(arena, &model->nodes, (size_t)2 * graph->trace->node_count);
    HTP_EXPECT(arena, &model->tensors, (size_t)2 * graph->trace->node_count);
    return model;
}

/* Adds a tensor under @p name, made unique. */
static htp_tensor_id add_tensor(htp_builder *model, const char *name, htp_tensor_source source,
                                size_t index)
{
    const char *unique = htp_name_unique(model->arena, &model->names, name);
    HTP_PUSH(model->arena, &model->tensors,
             (htp_tensor){.name = unique, .source = source, .index = (uint32_t)index});
    return (htp_tensor_id)(model->tensors.count - 1);
}

void htp_builder_set_type(htp_builder *model, htp_tensor_id tensor, htp_dtype dtype, uint32_t rank,
                          const htp_dim *dims)
{
    htp_tensor *typed = &model->tensors.items[tensor];
    typed->has_type = true;
    typed->dtype = dtype;
    typed->rank = rank;
    typed->dims = htp_arena_grow(model->arena, dims, rank, rank, sizeof(*dims));
}

/* Like htp_builder_set_type(), for static dims. */
static void set_static_type(htp_builder *model, htp_tensor_id tensor, htp_dtype dtype,
                            uint32_t rank, const int64_t *sizes)
{
    htp_dim *dims = HTP_NEW_ARRAY(model->arena, htp_dim, rank);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i].size = sizes[i];
    }
    htp_builder_set_type(model, tensor, dtype, rank, dims);
}

htp_tensor_id htp_builder_add_input(htp_builder *model, const char *name, htp_dtype dtype,
                                    uint32_t rank, const htp_dim *dims)
{
    const char *printable = htp_text_printable(model->arena, *name ? name : "input");
    htp_tensor_id tensor = add_tensor(model, printable, HTP_TENSOR_FROM_INPUT, model->inputs.count);
    HTP_PUSH(model->arena, &model->inputs, tensor);
    htp_builder_set_type(model, tensor, dtype, rank, dims);
    return tensor;
}

void htp_builder_set_sequence(htp_builder *model, htp_tensor_id tensor)
{
    model->tensors.items[tensor].is_sequence = true;
}

static void copy_type(htp_builder *model, htp_tensor_id tensor, const htp_tensor *from)
{
    if (from->has_type) {
        htp_builder_set_type(model, tensor, from->dtype, from->rank, from->dims);
        model->tensors.items[tensor].is_sequence = from->is_sequence;
    }
}

void htp_builder_add_output(htp_builder *model, htp_tensor_id tensor, const char *name)
{
    const htp_tensor source = model->tensors.items[tensor];
    if (source.source != HTP_TENSOR_FROM_NODE || source.is_output) {
        htp_origin origin = model->origin;
        model->origin = (htp_origin){.scope = 0, .node = HTP_NONE};
        htp_builder_add_node(model, "Identity", &tensor, 1, NULL, 0, &tensor, 1);
        model->origin = origin;
        copy_type(model, tensor, &source);
    }
    htp_tensor *output = &model->tensors.items[tensor];
    const char *printable = htp_text_printable(model->arena, *name ? name : "output");
    output->name = htp_name_unique(model->arena, &model->names, printable);
    output->is_output = true;
    HTP_PUSH(model->arena, &model->outputs, tensor);
}

uint32_t htp_builder_add_graph(htp_builder *model)
{
    const htp_nested_graph graph = {.inputs = {0}, .outputs = {0}};
    HTP_PUSH(model->arena, &model->graphs, graph);
    return (uint32_t)model->graphs.count;
}

htp_tensor_id htp_builder_add_graph_input(htp_builder *model, uint32_t graph, const char *name,
                                          htp_dtype dtype, uint32_t rank, const htp_dim *dims)
{
    const char *printable = htp_text_printable(model->arena, *name ? name : "value");
    htp_tensor_id tensor = add_tensor(model, printable, HTP_TENSOR_FROM_GRAPH, graph);
    htp_builder_set_type(model, tensor, dtype, rank, dims);
    HTP_PUSH(model->arena, &model->graphs.items[graph - 1].inputs, tensor);
    return tensor;
}

uint32_t htp_builder_graph_of(const htp_builder *model, htp_tensor_id tensor)
{
    const htp_tensor *made = &model->tensors.items[tensor];
    if (made->source == HTP_TENSOR_FROM_NODE) {
        return model->nodes.items[made->index].graph;
    }
    return made->source == HTP_TENSOR_FROM_GRAPH ? made->index : 0;
}

void htp_builder_add_graph_output(htp_builder *model, htp_tensor_id tensor)
{
    const htp_tensor made = model->tensors.items[tensor];
    if (made.source != HTP_TENSOR_FROM_NODE || made.is_output ||
        model->nodes.items[made.index].graph != model->current_graph) {
        htp_builder_add_node(model, "Identity", &tensor, 1, NULL, 0, &tensor, 1);
        copy_type(model, tensor, &made);
    }
    model->tensors.items[tensor].is_output = true;
    HTP_PUSH(model->arena, &model->graphs.items[model->current_graph - 1].outputs, tensor);
}

const htp_attribute *htp_builder_attribute(const htp_onnx_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, name) == 0) {
            return &node->attributes[i];
        }
    }
    return NULL;
}

bool htp_builder_has_body(const htp_onnx_node *node)
{
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (node->attributes[i].kind == HTP_ATTRIBUTE_GRAPH) {
            return true;
        }
    }
    return false;
}

static htp_tensor_id add_initializer(htp_builder *model, const char *name,
                                     htp_initializer initializer)
{
    initializer.tensor =
        add_tensor(model, name, HTP_TENSOR_FROM_INITIALIZER, model->initializers.count);
    HTP_PUSH(model->arena, &model->initializers, initializer);
    return initializer.tensor;
}

/* Complex numbers are stored as pairs of real and imaginary parts. */
static void set_pairs_type(htp_builder *model, htp_tensor_id tensor, const htp_weight *view)
{
    int64_t *sizes = HTP_NEW_ARRAY(model->arena, int64_t, (size_t)view->rank + 1);
    if (view->rank > 0) {
        memcpy(sizes, view->dims, view->rank * sizeof(*sizes));
    }
    sizes[view->rank] = 2;
    set_static_type(model, tensor, htp_dtype_real(view->dtype), view->rank + 1, sizes);
}

htp_tensor_id htp_builder_weight(htp_builder *model, uint32_t weight)
{
    const htp_weight *view = &model->graph->trace->weights[weight];
    size_t words = 3 + 2 * (size_t)view->rank;
    uint64_t *key = HTP_NEW_ARRAY(model->arena, uint64_t, words);
    key[0] = view->storage;
    key[1] = (uint64_t)view->storage_offset;
    key[2] = (uint64_t)view->dtype;
    if (view->rank > 0) {
        memcpy(key + 3, view->dims, view->rank * sizeof(*key));
        memcpy(key + 3 + view->rank, view->strides, view->rank * sizeof(*key));
    }
    uint32_t known;
    if (htp_map_get_bytes(&model->weights, key, words * sizeof(*key), &known)) {
        return model->initializers.items[known].tensor;
    }
    htp_map_set_bytes(model->arena, &model->weights, key, words * sizeof(*key),
                      (uint32_t)model->initializers.count);
    const char *name = htp_text_printable(model->arena, *view->name ? view->name : "weight");
    htp_tensor_id tensor = add_initializer(model, name, (htp_initializer){.weight = weight});
    if (htp_dtype_is_complex(view->dtype)) {
        set_pairs_type(model, tensor, view);
    } else {
        set_static_type(model, tensor, view->dtype, view->rank, view->dims);
    }
    return tensor;
}

/* Bytes of a contiguous tensor; UINT64_MAX on overflow, for which allocation fails. */
static uint64_t contiguous_bytes(htp_dtype dtype, uint32_t rank, const int64_t *dims)
{
    uint64_t bytes = htp_dtype_size(dtype);
    bool fits = true;
    bool is_empty = false; /* whatever its other dims are */
    for (uint32_t i = 0; i < rank; i++) {
        is_empty = is_empty || dims[i] == 0;
        fits = fits && htp_checked_mul(bytes, (uint64_t)dims[i], &bytes);
    }
    return is_empty ? 0 : fits ? bytes : UINT64_MAX;
}

htp_tensor_id htp_builder_constant(htp_builder *model, htp_dtype dtype, uint32_t rank,
                                   const int64_t *dims, const void *data)
{
    uint64_t bytes = contiguous_bytes(dtype, rank, dims);
    size_t header = (1 + (size_t)rank) * sizeof(uint64_t);
    size_t key_bytes = bytes < SIZE_MAX - header ? header + (size_t)bytes : SIZE_MAX;
    char *key = htp_arena_alloc(model->arena, key_bytes);
    uint64_t kind = (uint64_t)dtype << 32 | rank;
    memcpy(key, &kind, sizeof(kind));
    if (rank > 0) {
        memcpy(key + sizeof(kind), dims, rank * sizeof(*dims));
    }
    if (bytes > 0) {
        memcpy(key + header, data, (size_t)bytes);
    }
    uint32_t known;
    if (htp_map_get_bytes(&model->constants, key, key_bytes, &known)) {
        htp_arena_release(model->arena, key, key_bytes);
        return model->initializers.items[known].tensor;
    }
    htp_map_set_bytes(model->arena, &model->constants, key, key_bytes,
                      (uint32_t)model->initializers.count);
    htp_initializer initializer = {.weight = HTP_NONE, .data = key + header, .bytes = bytes};
    model->constant_bytes += bytes;
    htp_tensor_id tensor = add_initializer(model, "/Constant", initializer);
    set_static_type(model, tensor, dtype, rank, dims);
    return tensor;
}

htp_tensor_id htp_builder_derived(htp_builder *model, const char *name, htp_dtype dtype,
                                  uint32_t rank, const int64_t *dims,
                                  const htp_derivation *derivation, const void *data)
{
    htp_initializer initializer = {.weight = HTP_NONE,
                                   .derivation = derivation,
                                   .data = data,
                                   .bytes = data ? contiguous_bytes(dtype, rank, dims) : 0};
    model->constant_bytes += initializer.bytes;
    htp_tensor_id tensor =
        add_initializer(model, htp_text_printable(model->arena, name), initializer);
    set_static_type(model, tensor, dtype, rank, dims);
    return tensor;
}

void htp_builder_replace(htp_builder *model, const htp_tensor_id *instead)
{
    for (size_t i = 0; i < model->nodes.count; i++) {
        htp_onnx_node *node = &model->nodes.items[i];
        htp_tensor_id *inputs = NULL;
        for (uint32_t k = 0; k < node->input_count; k++) {
            htp_tensor_id from = node->inputs[k];
            if (from == HTP_NONE || instead[from] == HTP_NONE) {
                continue;
            }
            if (!inputs) {
                inputs = htp_arena_grow(model->arena, node->inputs, node->input_count,
                                        node->input_count, sizeof(*inputs));
                node->inputs = inputs;
            }
            inputs[k] = instead[from];
            model->tensors.items[from].uses--;
            model->tensors.items[inputs[k]].uses++;
        }
    }
}

void htp_builder_replace_passed(htp_builder *model, const htp_tensor_id *instead)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->passed.count; i++) {
        htp_passed_tensor passed = model->passed.items[i];
        if (instead[passed.tensor] != HTP_NONE) {
            passed.tensor = instead[passed.tensor];
        }
        if (model->tensors.items[passed.tensor].source != HTP_TENSOR_FROM_INITIALIZER) {
            model->passed.items[kept++] = passed;
        }
    }
    model->passed.count = kept;
    for (size_t i = 0; i < model->recorded.count; i++) {
        htp_recorded_tensor recorded = model->recorded.items[i];
        if (instead[recorded.tensor] != HTP_NONE) {
            recorded.tensor = instead[recorded.tensor];
        }
        model->recorded.items[i] = recorded;
    }
}

static const htp_attribute *copy_attributes(htp_arena *arena, const htp_attribute *attributes,
                                            size_t count)
{
    htp_attribute *copies = htp_arena_grow(arena, attributes, count, count, sizeof(*copies));
    for (size_t i = 0; i < count; i++) {
        htp_attribute *copy = &copies[i];
        size_t n = copy->count;
        if (copy->kind == HTP_ATTRIBUTE_STRING) {
            copy->s = htp_arena_strdup(arena, copy->s);
        } else if (copy->kind == HTP_ATTRIBUTE_INTS) {
            copy->ints = htp_arena_grow(arena, copy->ints, n, n, sizeof(*copy->ints));
        } else if (copy->kind == HTP_ATTRIBUTE_FLOATS) {
            copy->floats = htp_arena_grow(arena, copy->floats, n, n, sizeof(*copy->floats));
        } else if (copy->kind == HTP_ATTRIBUTE_STRINGS) {
            const char **strings = HTP_NEW_ARRAY(arena, const char *, n);
            for (size_t k = 0; k < n; k++) {
                strings[k] = htp_arena_strdup(arena, copy->strings[k]);
            }
            copy->strings = strings;
        }
    }
    return copies;
}

void htp_builder_add_node(htp_builder *model, const char *op_type, const htp_tensor_id *inputs,
                          size_t input_count, const htp_attribute *attributes,
                          size_t attribute_count, htp_tensor_id *outputs, size_t output_count)
{
    htp_builder_add_foreign_node(model, (htp_domain){.name = ""}, op_type, inputs, input_count,
                                 attributes, attribute_count, outputs, output_count);
}

static void import_domain(htp_builder *model, htp_domain domain)
{
    for (size_t i = 0; i < model->domains.count; i++) {
        if (strcmp(model->domains.items[i].name, domain.name) == 0) {
            return;
        }
    }
    HTP_PUSH(model->arena, &model->domains, domain);
}

void htp_builder_add_foreign_node(htp_builder *model, htp_domain domain, const char *op_type,
                                  const htp_tensor_id *inputs, size_t input_count,
                                  const htp_attribute *attributes, size_t attribute_count,
                                  htp_tensor_id *outputs, size_t output_count)
{
    if (*domain.name) {
        import_domain(model, domain);
    }
    htp_arena *arena = model->arena;
    const char *base = htp_arena_join(arena, model->scope_names[model->origin.scope], "/", op_type);
    htp_onnx_node node = {
        .op_type = op_type,
        .domain = domain.name,
        .name = htp_name_unique(arena, &model->names, base),
        .inputs = htp_arena_grow(arena, inputs, input_count, input_count, sizeof(*inputs)),
        .input_count = (uint32_t)input_count,
        .output_count = (uint32_t)output_count,
        .attributes = copy_attributes(arena, attributes, attribute_count),
        .attribute_count = (uint32_t)attribute_count,
        .graph = model->current_graph,
        .origin = model->origin,
    };
    for (size_t i = 0; i < input_count; i++) {
        if (inputs[i] != HTP_NONE) {
            model->tensors.items[inputs[i]].uses++;
        }
    }
    for (size_t i = 0; i < output_count; i++) {
        const char *name = htp_name_numbered(arena, node.name, "_output_", (uint32_t)i);
        outputs[i] = add_tensor(model, name, HTP_TENSOR_FROM_NODE, model->nodes.count);
    }
    node.outputs = htp_arena_grow(arena, outputs, output_count, output_count, sizeof(*outputs));
    HTP_PUSH(arena, &model->nodes, node);
}

/* Makes @p tensor the first output of node @p index. */
static void set_producer(htp_builder *model, htp_tensor_id tensor, uint32_t index)
{
    htp_onnx_node *node = &model->nodes.items[index];
    htp_tensor_id *outputs = htp_arena_grow(model->arena, node->outputs, node->output_count,
                                            node->output_count, sizeof(*outputs));
    outputs[0] = tensor;
    node->outputs = outputs;
    model->tensors.items[tensor].index = index;
}

void htp_builder_swap_producers(htp_builder *model, htp_tensor_id a, htp_tensor_id b)
{
    uint32_t producer_of_a = model->tensors.items[a].index;
    set_producer(model, a, model->tensors.items[b].index);
    set_producer(model, b, producer_of_a);
}
