#include "functions/build.h"

#include "functions/build_body.h"
#include "onnx/builder/names.h"

#include <string.h>

typedef htp_function_builder builder;
typedef htp_body_builder body;

/* A dim that differs between calls becomes unknown. */
static void join_dims(builder *build, htp_tensor *joined, const htp_tensor *met)
{
    for (uint32_t d = 0; joined->has_type && d < joined->rank; d++) {
        if (!joined->dims[d].symbol && joined->dims[d].size != met->dims[d].size) {
            htp_dim *dims = htp_arena_grow(build->arena, joined->dims, joined->rank, joined->rank,
                                           sizeof(*dims));
            dims[d].symbol = "";
            joined->dims = dims;
        }
    }
}

/* Types in a function hold for all its calls. */
static void join_types(builder *build, const htp_function *function)
{
    const htp_body *first = &build->sharing->bodies[function->frames.items[0]];
    for (size_t k = 1; k < function->frames.count; k++) {
        const htp_body *other = &build->sharing->bodies[function->frames.items[k]];
        for (size_t i = 0, j = 0; i < first->values.count && j < other->values.count;) {
            const htp_made *known = &first->values.items[i];
            const htp_made *met = &other->values.items[j];
            if (known->number == met->number) {
                join_dims(build, &build->model->tensors.items[build->ids[known->tensor]],
                          &build->flat->tensors.items[met->tensor]);
            }
            i += known->number <= met->number;
            j += met->number <= known->number;
        }
    }
}

static void set_formals(builder *build, body *b, uint32_t graph)
{
    htp_nested_graph *formal = &build->model->graphs.items[graph - 1];
    size_t count = b->outputs->count;
    for (size_t i = 0; i < count; i++) {
        htp_tensor *output = &build->model->tensors.items[b->given[i]];
        const char *name = count == 1 ? "output" : htp_arena_printf(build->arena, "output_%zu", i);
        output->name = htp_name_unique(build->arena, &b->taken, name);
        output->is_output = true;
        HTP_PUSH(build->arena, &formal->outputs, b->given[i]);
    }
}

static void build_function(builder *build, uint32_t index)
{
    const htp_function *function = &build->sharing->functions.items[index];
    uint32_t frame = function->frames.items[0];
    const htp_body *first = &build->sharing->bodies[frame];
    htp_builder *model = build->model;
    uint32_t graph = htp_builder_add_graph(model);
    size_t first_node = model->nodes.count;
    body b = {.frame = frame,
              .function = (uint32_t)model->functions.count + 1,
              .outputs = &function->outputs,
              .given = HTP_NEW_ARRAY(build->arena, htp_tensor_id, function->outputs.count)};
    model->graphs.items[graph - 1].function = b.function;
    build->inputs[index] = htp_naming_inputs(build->arena, build->frames, build->sharing, frame,
                                             build->passed, &b.taken);
    for (size_t i = 0; i < first->inputs.count; i++) {
        const htp_formal_input *formal = &build->inputs[index][i];
        htp_tensor_id input = htp_build_know(
            build, &b, first->inputs.items[formal->index],
            (htp_tensor){.name = formal->name, .source = HTP_TENSOR_FROM_GRAPH, .index = graph});
        HTP_PUSH(build->arena, &model->graphs.items[graph - 1].inputs, input);
    }
    HTP_PUSH(build->arena, &b.graphs, graph);
    htp_build_body(build, &b);
    join_types(build, function);
    set_formals(build, &b, graph);
    htp_naming_nodes(build->frames, model, build->called.items, frame, first_node, graph, &b.taken);
    HTP_PUSH(build->arena, &model->functions,
             (htp_builder_function){.domain = build->names[index].domain,
                                    .name = build->names[index].name,
                                    .graph = graph,
                                    .scope = build->frames->frames.items[frame].scope,
                                    .is_shared = function->is_shared,
                                    .is_chain_relative = function->has_chains});
}

/* ---- the model ---- */

static void keep_inputs(builder *build, const body *b)
{
    for (size_t i = 0; i < build->flat->inputs.count; i++) {
        htp_tensor_id id = build->flat->inputs.items[i];
        htp_tensor_id input = htp_build_know(build, b, id, build->flat->tensors.items[id]);
        HTP_PUSH(build->arena, &build->model->inputs, input);
    }
}

/* Initializers that the model's own nodes read, including weights of functions, in order. */
static void keep_initializers(builder *build, const body *b)
{
    const htp_builder *flat = build->flat;
    bool *is_kept = HTP_NEW_ARRAY(build->arena, bool, flat->initializers.count);
    for (size_t n = 0; n < flat->nodes.count; n++) {
        for (uint32_t i = 0; i < flat->nodes.items[n].input_count; i++) {
            htp_tensor_id id = flat->nodes.items[n].inputs[i];
            const htp_tensor *read = id == HTP_NONE ? NULL : &flat->tensors.items[id];
            if (read && read->source == HTP_TENSOR_FROM_INITIALIZER) {
                is_kept[read->index] =
                    is_kept[read->index] || build->frames->node_frames[n] == HTP_NONE ||
                    !htp_initializer_is_constant(&flat->initializers.items[read->index]);
            }
        }
    }
    for (uint32_t i = 0; i < flat->initializers.count; i++) {
        if (is_kept[i]) {
            (void)htp_build_initializer(build, b, flat->initializers.items[i].tensor);
        }
    }
}

/* Keeps default values of inputs. */
static void keep_defaults(builder *build)
{
    for (uint32_t i = 0; i < build->flat->initializers.count; i++) {
        htp_initializer initializer = build->flat->initializers.items[i];
        if (build->flat->tensors.items[initializer.tensor].source == HTP_TENSOR_FROM_INPUT) {
            initializer.tensor = build->ids[initializer.tensor];
            HTP_PUSH(build->arena, &build->initializers, i);
            HTP_PUSH(build->arena, &build->model->initializers, initializer);
        }
    }
}

static int64_t version_of(const htp_builder *flat, const char *domain)
{
    for (size_t i = 0; i < flat->domains.count; i++) {
        if (strcmp(flat->domains.items[i].name, domain) == 0) {
            return flat->domains.items[i].version;
        }
    }
    return 1; /* the version for functions */
}

/* Notes that a function (number plus one; 0: the model) uses a domain. */
static void import_domain(builder *build, htp_map *seen, uint32_t function, const char *domain)
{
    const char *key = htp_arena_printf(build->arena, "%u %s", (unsigned)function, domain);
    if (htp_map_get(seen, key, NULL)) {
        return;
    }
    htp_map_set(build->arena, seen, key, 1);
    const htp_domain imported = {domain, version_of(build->flat, domain)};
    if (function) {
        HTP_PUSH(build->arena, &build->model->functions.items[function - 1].domains, imported);
    } else {
        HTP_PUSH(build->arena, &build->model->domains, imported);
    }
}

/* The model imports the domains of its functions. */
static void import_domains(builder *build)
{
    htp_builder *model = build->model;
    htp_map seen = {0};
    for (size_t i = 0; i < build->flat->domains.count; i++) {
        import_domain(build, &seen, 0, build->flat->domains.items[i].name);
    }
    for (size_t n = 0; n < model->nodes.count; n++) {
        const htp_onnx_node *node = &model->nodes.items[n];
        if (*node->domain) {
            uint32_t graph = node->graph;
            import_domain(build, &seen, graph ? model->graphs.items[graph - 1].function : 0,
                          node->domain);
            import_domain(build, &seen, 0, node->domain);
        }
    }
}

htp_functions *htp_functions_build(htp_arena *arena, const htp_frames *frames,
                                   const htp_sharing *sharing, const htp_stacks *stacks)
{
    const htp_builder *flat = frames->model;
    htp_builder *model = HTP_NEW(arena, htp_builder);
    *model = (htp_builder){.arena = arena,
                           .graph = flat->graph,
                           .opset = flat->opset,
                           .ir_version = flat->ir_version,
                           .scope_names = flat->scope_names};
    builder build = {.arena = arena,
                     .frames = frames,
                     .sharing = sharing,
                     .flat = flat,
                     .model = model,
                     .result = HTP_NEW(arena, htp_functions),
                     .names = htp_naming_functions(arena, frames, sharing),
                     .inputs =
                         HTP_NEW_ARRAY(arena, const htp_formal_input *, sharing->functions.count),
                     .passed = htp_naming_passed(arena, flat),
                     .ids = HTP_NEW_ARRAY(arena, htp_tensor_id, flat->tensors.count),
                     .known_in = HTP_NEW_ARRAY(arena, uint32_t, flat->tensors.count)};
    for (size_t i = 0; i < sharing->functions.count; i++) {
        build_function(&build, sharing->order[i]);
    }
    body own = {.frame = HTP_NONE};
    HTP_PUSH(arena, &own.graphs, 0);
    keep_inputs(&build, &own);
    keep_initializers(&build, &own);
    htp_build_body(&build, &own);
    keep_defaults(&build);
    for (size_t i = 0; i < flat->outputs.count; i++) {
        HTP_PUSH(arena, &model->outputs, build.ids[flat->outputs.items[i]]);
    }
    import_domains(&build);
    build.result->model = model;
    build.result->frames = frames;
    build.result->stacks = stacks;
    build.result->initializers = build.initializers.items;
    build.result->called = build.called.items;
    return build.result;
}
