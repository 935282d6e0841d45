#include "api/export/pipeline.h"

#include "api/axes/axis_search.h"
#include "api/axes/lowered_axes.h"
#include "api/export/notes.h"
#include "functions/annotate.h"
#include "functions/choose.h"
#include "graph/passes.h"
#include "hierarchy/hierarchy.h"
#include "lower/driver/initial_state.h"
#include "lower/driver/lower.h"
#include "lower/passes/asked_inputs.h"
#include "lower/passes/kept_constants.h"
#include "lower/passes/shared_sizes.h"
#include "lower/passes/told_shapes.h"
#include "lower/passes/weights.h"
#include "onnx/builder/ir_version.h"
#include "onnx/shape_inference/infer.h"

#include <inttypes.h>
#include <string.h>

/* The opset of models that need no later one. */
enum { LEAST_OPSET = 18 };

/* Lowers at an opset. If operators need a later one and the caller chose none, lowers again. */
static htp_status lower_at(htp_session *session, const htp_lower_means *means, int opset,
                           htp_builder **model)
{
    for (;;) {
        *model = htp_builder_new(&session->arena, session->graph, opset);
        (*model)->limits = &session->limits;
        htp_status status = htp_lower_graph(*model, means, htp_session_progress, session);
        bool is_open = session->options.opset == 0;
        if (htp_status_code(status) != HTP_CODE_UNSUPPORTED || !is_open ||
            (*model)->needed_opset <= opset) {
            return status;
        }
        htp_status_free(status);
        opset = (*model)->needed_opset;
        session->opset_needed_by = (*model)->needed_by;
    }
}

/* By scope: the scope of its innermost call of a marked module, or the root's. */
static uint32_t *find_calls(htp_session *session, const bool *is_one)
{
    const htp_trace *trace = session->graph->trace;
    uint32_t *calls = HTP_NEW_ARRAY(&session->arena, uint32_t, (size_t)trace->scope_count + 1);
    for (uint32_t s = 0; s < trace->scope_count; s++) {
        const htp_trace_scope *scope = &trace->scopes[s];
        bool is_within = scope->parent != HTP_NONE && !is_one[scope->module];
        calls[s] = is_within ? calls[scope->parent] : s;
    }
    return calls;
}

/* Finds the scopes that functions own, and those that share sizes. */
static htp_status find_borders(htp_session *session, htp_lower_means *means)
{
    const htp_options *options = &session->options;
    htp_arena *arena = &session->arena;
    if (!options->functions && !options->shares_within_modules) {
        return HTP_OK;
    }
    const htp_hierarchy_options hierarchy_options = {.include_torch_nn = options->include_torch_nn};
    const htp_hierarchy *hierarchy = htp_hierarchy_build(
        arena, session->source.modules, session->source.module_count, &hierarchy_options);
    bool *is_chosen = HTP_NEW_ARRAY(arena, bool, hierarchy->module_count);
    if (options->functions) {
        HTP_TRY(htp_functions_choose(arena, hierarchy, session->source.modules,
                                     session->graph->trace->module_calls, options->functions,
                                     is_chosen));
        means->bodies = find_calls(session, is_chosen);
        means->groups = means->bodies;
    }
    if (options->shares_within_modules) {
        for (uint32_t m = 0; m < hierarchy->module_count; m++) {
            is_chosen[m] = is_chosen[m] || hierarchy->modules[m].is_eligible;
        }
        means->groups = find_calls(session, is_chosen);
    }
    session->groups = means->groups;
    return HTP_OK;
}

static htp_status lower_graph(htp_session *session, const void *customs, htp_builder **model)
{
    htp_lower_means means = {.customs = customs,
                             .program = session->source.program,
                             .runner = session->source.runner,
                             .folds = !session->options.no_fold,
                             .records = session->keeps_recorded,
                             .kept = &session->kept};
    HTP_TRY(htp_status_prefix(htp_passes_run(session->graph, NULL), session->model_path));
    HTP_TRY(htp_status_prefix(find_borders(session, &means), session->model_path));
    int opset = session->options.opset;
    return htp_status_prefix(lower_at(session, &means, opset ? opset : LEAST_OPSET, model),
                             session->model_path);
}

/* Infers types. Lowerings rely on declared sizes, which may contradict operators. */
static htp_status infer_types(const htp_session *session, htp_builder *model)
{
    const htp_tensor_id contradicted = htp_builder_infer_types(model);
    return contradicted == HTP_NONE || !session->source.reader->declares_sizes
               ? HTP_OK
               : htp_status_make(HTP_CODE_BAD_INPUT,
                                 "%s: damaged program: it declares other sizes of %s than its "
                                 "operator gives it; export it again",
                                 session->model_path, model->tensors.items[contradicted].name);
}

/* Set last, since it depends on the whole model. */
static htp_status set_ir_version(const htp_session *session, htp_builder *model)
{
    int asked = session->options.ir_version;
    int needed = htp_ir_version_needed(model);
    model->ir_version = asked;
    return asked == 0 || asked >= needed
               ? HTP_OK
               : htp_status_make(HTP_CODE_USAGE,
                                 "%s: IR version %d is asked for, and the model needs %d (opset "
                                 "%d)",
                                 session->model_path, asked, needed, model->opset);
}

htp_status htp_pipeline_lower(htp_session *session, const htp_custom_operators *customs,
                              htp_builder **model)
{
    htp_session_begin(session, HTP_STAGE_LOWERED);
    const htp_lowerer lowerer = {lower_graph, customs};
    htp_status status = lower_graph(session, customs, model);
    if (htp_status_code(status) == HTP_CODE_UNSUPPORTED && session->inputs.axis_count > 0) {
        status = htp_lowered_axes_drop(session, &lowerer, status, model);
    }
    htp_held_status held;
    htp_status_hold(&held, &session->arena, status);
    htp_session_note_inputs(session);
    HTP_TRY(htp_status_let_go(&held, &session->arena));
    if (session->search) {
        htp_axis_search_note_refused(session->search);
    }
    if (session->opset_needed_by && session->options.opset == 0 && (*model)->opset > LEAST_OPSET) {
        htp_session_note(session, "opset %d: %s needs it", (*model)->opset,
                         session->opset_needed_by);
    }
    htp_tied_weights tied = {0};
    htp_weights_lay_out(*model, session->options.untie, &tied);
    htp_note_tied(session, &tied);
    if (!session->options.no_fold) {
        htp_lower_find_kept(*model, &session->kept);
    }
    htp_note_kept(session, &session->kept);
    htp_note_squeezed(session);
    HTP_TRY(infer_types(session, *model));
    htp_lower_ask_inputs(*model);
    htp_lower_share_sizes(*model, session->groups);
    htp_lower_tell_shapes(*model);
    htp_builder_remove_unused(*model);
    HTP_TRY(set_ir_version(session, *model));
    HTP_TRY(htp_status_prefix(htp_initial_state_find(*model), session->model_path));
    htp_note_model(session, *model);
    if (session->options.state_defaults) {
        htp_initial_state_embed(*model);
    }
    return htp_session_end(session, (*model)->nodes.count, "nodes");
}

/* Turns calls of chosen modules into function calls. */
static htp_status make_functions(htp_session *session, htp_finished *finished,
                                 const uint32_t *scope_modules,
                                 const htp_annotate_options *annotate_options)
{
    const htp_options *options = &session->options;
    htp_arena *arena = &session->arena;
    const htp_hierarchy *hierarchy = finished->hierarchy;
    bool *is_chosen = HTP_NEW_ARRAY(arena, bool, hierarchy->module_count);
    HTP_TRY(htp_status_prefix(htp_functions_choose(arena, hierarchy, session->source.modules,
                                                   session->graph->trace->module_calls,
                                                   options->functions, is_chosen),
                              session->model_path));
    if (!memchr(is_chosen, true, hierarchy->module_count)) {
        htp_session_note(session, "no functions: all called modules below the root are of "
                                  "torch.nn; choose some, for example torch.nn.Linear");
    }
    const htp_frames *frames = htp_frames_find(finished->model, is_chosen);
    const htp_stacks *stacks = htp_stacks_find(arena, session->graph);
    const htp_sharing *sharing = htp_sharing_find(arena, frames, hierarchy, scope_modules, stacks,
                                                  options->functions_per_instance);
    if (frames->scattered > 0) {
        htp_session_note(session,
                         "%" PRIu32 " calls of modules become no functions: a path leaves them "
                         "and comes back",
                         frames->scattered);
    }
    finished->functions = htp_functions_build(arena, frames, sharing, stacks);
    finished->written = finished->functions->model;
    finished->annotations =
        htp_functions_annotate(arena, finished->functions, finished->annotations, hierarchy,
                               scope_modules, annotate_options);
    return HTP_OK;
}

htp_status htp_pipeline_tag(htp_session *session, htp_finished *finished)
{
    htp_session_begin(session, HTP_STAGE_TAGGED);
    const htp_options *options = &session->options;
    const htp_hierarchy_options hierarchy_options = {.include_torch_nn = options->include_torch_nn};
    const htp_annotate_options annotate_options = {
        .places = options->tags,
        .attribute_prefix = options->tag_attribute_prefix,
        .sizes = htp_inputs_declared_sizes(&session->arena, &session->inputs),
        .leaves_nodes = options->functions != NULL};
    const htp_trace *trace = session->graph->trace;
    const htp_hierarchy *hierarchy = htp_hierarchy_build(
        &session->arena, session->source.modules, session->source.module_count, &hierarchy_options);
    const uint32_t *scope_modules =
        htp_hierarchy_tag_scopes(&session->arena, hierarchy, trace->scopes, trace->scope_count);
    finished->hierarchy = hierarchy;
    finished->written = finished->model;
    finished->annotations =
        htp_annotate(&session->arena, finished->model, hierarchy, scope_modules, &annotate_options);
    htp_note_tags(session, finished);
    if (options->functions) {
        HTP_TRY(make_functions(session, finished, scope_modules, &annotate_options));
    }
    return htp_session_end(session, finished->model->nodes.count, "nodes");
}
