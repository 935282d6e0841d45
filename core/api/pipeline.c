#include "api/pipeline.h"

#include "api/dynamic_axes.h"
#include "functions/annotate.h"
#include "functions/choose.h"
#include "graph/passes.h"
#include "hierarchy/hierarchy.h"
#include "lower/first_values.h"
#include "lower/lower.h"
#include "onnx/infer.h"
#include "onnx/state_pairs.h"

#include <inttypes.h>
#include <string.h>

/* The root's tag says little where most of the model is below it. */
static void note_root(htp_session *session, const htp_finished *finished)
{
    uint32_t left = finished->annotations->nodes_left_to_root;
    size_t count = finished->model->nodes.count;
    if (session->options.tags && left > count / 2) {
        htp_session_note(session,
                         "%" PRIu32 " of %zu nodes are tagged with the root, %s, although they ran "
                         "in modules of torch.nn below it; --include-torch-nn gives these tags of "
                         "their own",
                         left, count, finished->hierarchy->modules[0].tag);
    }
}

static void note_tags(htp_session *session)
{
    const char *prefix = session->options.tag_attribute_prefix;
    if (session->options.tags & HTP_TAG_ATTRIBUTE && strncmp(prefix, "__", 2) != 0) {
        htp_session_note(session,
                         "tags are written as attribute %ssource_module: onnx.checker and ONNX "
                         "Runtime will refuse the file",
                         prefix);
    }
    if (session->module_count == 1 && session->modules[0].is_frozen) {
        htp_session_note(session, "the module is frozen: torch.jit.freeze() has removed its "
                                  "submodules, and every node is tagged with the root");
    }
}

enum { PAIRS_SHOWN = 8 };

/* Whether an input has a dim of this name. */
static bool is_axis(const htp_draft *model, const char *symbol)
{
    for (size_t i = 0; i < model->inputs.count - model->states.count; i++) {
        const htp_tensor *input = &model->tensors.items[model->inputs.items[i]];
        for (uint32_t dim = 0; dim < input->rank; dim++) {
            if (input->dims[dim].symbol && strcmp(input->dims[dim].symbol, symbol) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a state has sizes that follow those of inputs. */
static bool follows_axes(const htp_draft *model)
{
    for (size_t i = 0; i < model->states.count; i++) {
        const htp_tensor *input = &model->tensors.items[model->states.items[i].input];
        for (uint32_t dim = 0; dim < input->rank; dim++) {
            if (input->dims[dim].symbol && is_axis(model, input->dims[dim].symbol)) {
                return true;
            }
        }
    }
    return false;
}

/* What is kept from call to call, and what the first one is given. */
static void note_state(htp_session *session, const htp_draft *model)
{
    htp_arena *arena = &session->arena;
    const htp_state_pairs pairs = htp_state_pairs_of(arena, model);
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < pairs.count && i < PAIRS_SHOWN; i++) {
        const htp_state_pair *pair = &pairs.items[i];
        htp_text_addf(&text, "%s%s is the %s of the call before, at first %s", i ? "; " : "",
                      pair->input, pair->output, htp_state_pair_first_text(arena, pair));
    }
    if (pairs.count > PAIRS_SHOWN) {
        htp_text_addf(&text, "; and %zu more", pairs.count - PAIRS_SHOWN);
    }
    if (pairs.count > 0) {
        htp_session_note(session, "the model keeps state: %s", htp_text_string(&text));
    }
    if (follows_axes(model)) {
        htp_session_note(session, "calls that follow one another have the same sizes: begin with "
                                  "first values where sizes change");
    }
}

/* What the frozen state is of. */
static void note_frozen(htp_session *session)
{
    const htp_shim_trace *trace = session->graph->trace;
    htp_text text = {.arena = &session->arena};
    for (uint32_t i = 0; i < trace->state_count && i < PAIRS_SHOWN; i++) {
        htp_text_addf(&text, "%s%s", i ? ", " : "", trace->states[i].name);
    }
    if (trace->state_count > PAIRS_SHOWN) {
        htp_text_addf(&text, " and %" PRIu32 " more", trace->state_count - PAIRS_SHOWN);
    }
    if (session->options.freeze_state && trace->state_count > 0) {
        htp_session_note(session,
                         "state is frozen: each call begins with what the archive has of %s",
                         htp_text_string(&text));
    }
}

/* Complex numbers do not cross the border of a model as they are. */
static void note_complex(htp_session *session, const htp_draft *model)
{
    for (size_t i = 0; i < model->inputs.count; i++) {
        const htp_tensor *input = &model->tensors.items[model->inputs.items[i]];
        if (input->is_complex) {
            htp_session_note(session,
                             "input %s is complex: the model takes its real and imaginary parts "
                             "in a last dim of 2",
                             input->name);
        }
    }
    for (size_t i = 0; i < model->outputs.count; i++) {
        const htp_tensor *output = &model->tensors.items[model->outputs.items[i]];
        if (output->is_complex) {
            htp_session_note(session,
                             "output %s is complex: the model gives its real and imaginary parts "
                             "in a last dim of 2",
                             output->name);
        }
    }
}

static htp_status lower_graph(htp_session *session, const htp_custom_operators *customs,
                              htp_draft **model)
{
    HTP_TRY(htp_status_prefix(htp_passes_run(session->graph, NULL), session->model_path));
    *model = htp_draft_new(&session->arena, session->graph, session->options.opset);
    return htp_status_prefix(htp_lower_graph(*model, customs, htp_session_progress, session),
                             session->model_path);
}

htp_status htp_pipeline_lower(htp_session *session, const htp_custom_operators *customs,
                              htp_draft **model)
{
    htp_session_begin(session, HTP_STAGE_LOWERED);
    htp_status status = lower_graph(session, customs, model);
    if (htp_status_code(status) == HTP_CODE_UNSUPPORTED && !session->are_sizes_chosen &&
        session->inputs.axis_count > 0) {
        htp_status fixed = htp_session_trace_static(session);
        fixed = fixed ? fixed : lower_graph(session, customs, model);
        if (!fixed) {
            htp_session_note(session, "no axis is dynamic: %s", htp_status_message(status));
            htp_status_free(status);
            status = HTP_OK;
        }
        htp_status_free(fixed);
    }
    HTP_TRY(status);
    htp_draft_remove_unused(*model);
    htp_draft_infer_types(*model);
    note_complex(session, *model);
    HTP_TRY(htp_status_prefix(htp_first_values_find(*model), session->model_path));
    note_state(session, *model);
    note_frozen(session);
    if (session->options.state_defaults) {
        htp_first_values_embed(*model);
    }
    return htp_session_end(session, (*model)->nodes.count, "nodes");
}

/* Makes calls of chosen modules calls of functions. */
static htp_status make_functions(htp_session *session, htp_finished *finished,
                                 const uint32_t *scope_modules,
                                 const htp_annotate_options *annotate_options)
{
    const htp_options *options = &session->options;
    htp_arena *arena = &session->arena;
    const htp_hierarchy *hierarchy = finished->hierarchy;
    bool *is_chosen = HTP_NEW_ARRAY(arena, bool, hierarchy->module_count);
    HTP_TRY(htp_status_prefix(
        htp_functions_choose(arena, hierarchy, session->modules, options->functions, is_chosen),
        session->model_path));
    if (!memchr(is_chosen, true, hierarchy->module_count)) {
        htp_session_note(session, "no functions: no module below the root is called whose class is "
                                  "not torch.nn's; choose some, for example torch.nn.Linear");
    }
    const htp_frames *frames = htp_frames_find(finished->model, is_chosen);
    const htp_stacks *stacks = htp_stacks_find(arena, session->graph);
    const htp_sharing *sharing = htp_sharing_find(arena, frames, hierarchy, scope_modules, stacks,
                                                  options->functions_per_instance);
    if (frames->scattered > 0) {
        htp_session_note(session,
                         "%" PRIu32 " calls of modules stay as they are: what they need and give "
                         "does not let them run as a whole",
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
    const htp_annotate_options annotate_options = {.places = options->tags,
                                                   .attribute_prefix =
                                                       options->tag_attribute_prefix,
                                                   .leaves_nodes = options->functions != NULL};
    const htp_shim_trace *trace = session->graph->trace;
    const htp_hierarchy *hierarchy = htp_hierarchy_build(&session->arena, session->modules,
                                                         session->module_count, &hierarchy_options);
    const uint32_t *scope_modules =
        htp_hierarchy_tag_scopes(&session->arena, hierarchy, trace->scopes, trace->scope_count);
    finished->hierarchy = hierarchy;
    finished->written = finished->model;
    finished->annotations =
        htp_annotate(&session->arena, finished->model, hierarchy, scope_modules, &annotate_options);
    note_tags(session);
    note_root(session, finished);
    if (options->functions) {
        HTP_TRY(make_functions(session, finished, scope_modules, &annotate_options));
    }
    return htp_session_end(session, finished->model->nodes.count, "nodes");
}
