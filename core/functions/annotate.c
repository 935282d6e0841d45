#include "functions/annotate.h"

#include "hierarchy/relation.h"
#include "onnx/metadata/annotate_node.h"

#include <inttypes.h>

/* The function, or the model, whose nodes are annotated. */
typedef struct setting {
    htp_node_setting node_setting;
    const htp_frames *frames;
    uint32_t frame; /* the first frame of the function; HTP_NONE: the model */
} setting;

typedef struct annotator {
    htp_arena *arena;
    const htp_functions *functions;
    htp_node_annotator *nodes;
    setting *settings; /* of the model, then of the functions */
} annotator;

static htp_call_range find_calls(const void *user, uint32_t module)
{
    const setting *in = user;
    htp_call_count calls = htp_frames_calls(in->frames, in->frame, module);
    return (htp_call_range){calls.first, calls.count};
}

static void make_settings(annotator *a)
{
    const htp_functions *functions = a->functions;
    const htp_builder *model = functions->model;
    a->settings = HTP_NEW_ARRAY(a->arena, setting, model->functions.count + 1);
    for (size_t i = 0; i <= model->functions.count; i++) {
        const htp_builder_function *function = i ? &model->functions.items[i - 1] : NULL;
        setting *in = &a->settings[i];
        in->frames = functions->frames;
        in->frame = function ? functions->frames->scope_frames[function->scope] : HTP_NONE;
        in->node_setting = (htp_node_setting){
            .call = {.scope = function ? function->scope : HTP_NONE,
                     .is_relative = function && function->is_chain_relative,
                     .stacks = functions->stacks},
            .are_tags_relative = function && function->is_shared,
            .find_calls = find_calls,
            .user = in,
        };
    }
}

/* {"path": N}: for each module in a call that runs several times around it, the number of its first
 * call there. */
static const char *list_first_calls(const annotator *a, uint32_t called, uint32_t around)
{
    const htp_frames *frames = a->functions->frames;
    const htp_module *modules = a->functions->model->graph->modules;
    const htp_frame *callee = &frames->frames.items[called];
    htp_text text = {.arena = a->arena};
    for (size_t i = 0; i < callee->repeated.count; i++) {
        uint32_t module = callee->repeated.items[i];
        htp_call_count all = htp_frames_calls(frames, around, module);
        uint32_t first = htp_frames_calls(frames, called, module).first;
        const char *path = modules[module].instance->path;
        const char *below = htp_relation_path(path, modules[callee->module].instance->path);
        if (all.count > 1) {
            htp_text_add(&text, text.length ? ", " : "{");
            htp_text_add_json(&text, below ? below : path);
            htp_text_addf(&text, ": %" PRIu32, first - all.first);
        }
    }
    htp_text_add(&text, text.length ? "}" : "");
    return text.length ? htp_text_string(&text) : NULL;
}

static const htp_node_annotation *annotate_node(annotator *a, uint32_t index)
{
    const htp_builder *model = a->functions->model;
    const htp_onnx_node *node = &model->nodes.items[index];
    uint32_t function = node->graph ? model->graphs.items[node->graph - 1].function : 0;
    setting *in = &a->settings[function];
    uint32_t called = a->functions->called[index];
    if (called != HTP_NONE) {
        return htp_annotate_call(a->nodes, node, &in->node_setting,
                                 list_first_calls(a, called, in->frame));
    }
    return htp_annotate_node(a->nodes, node, &in->node_setting);
}

htp_annotations *htp_functions_annotate(htp_arena *arena, const htp_functions *functions,
                                        const htp_annotations *flat, const htp_hierarchy *hierarchy,
                                        const uint32_t *scope_modules,
                                        const htp_annotate_options *options)
{
    const htp_builder *model = functions->model;
    annotator a = {
        .arena = arena,
        .functions = functions,
        .nodes = htp_node_annotator_new(arena, model->graph, hierarchy, scope_modules, options),
    };
    make_settings(&a);
    htp_annotations *annotations = HTP_NEW(arena, htp_annotations);
    htp_node_annotation *nodes = HTP_NEW_ARRAY(arena, htp_node_annotation, model->nodes.count);
    htp_properties *initializers = HTP_NEW_ARRAY(arena, htp_properties, model->initializers.count);
    for (uint32_t i = 0; i < model->nodes.count; i++) {
        nodes[i] = *annotate_node(&a, i);
    }
    for (size_t i = 0; i < model->initializers.count; i++) {
        initializers[i] = flat->initializers[functions->initializers[i]];
    }
    *annotations = *flat;
    annotations->nodes = nodes;
    annotations->initializers = initializers;
    return annotations;
}
