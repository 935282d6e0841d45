/*
 * Notes of a successful export.
 */
#include "api/export/notes.h"

#include "onnx/metadata/state_pairs.h"

#include <inttypes.h>
#include <string.h>

/* A root that holds most of the model makes poor tags. */
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

/* The module that runs in a scope, as notes name it. */
static const char *module_of(const htp_session *session, uint32_t scope)
{
    const char *path = htp_graph_scope_path(session->graph, scope);
    return *path ? path : "forward()";
}

enum {
    SMALLEST_TIED = 1 << 20, /* bytes of a weight worth quantising */
    TIED_SHOWN = 4,
    KEPT_SHOWN = 4,
};

void htp_note_tied(htp_session *session, const htp_tied_weights *tied)
{
    size_t shown = 0;
    for (size_t i = 0; i < tied->count && shown < TIED_SHOWN; i++) {
        const htp_tied_weight *weight = &tied->items[i];
        if (weight->bytes >= SMALLEST_TIED) {
            htp_session_note(session,
                             "%s is read as it is stored, and transposed by the product of "
                             "matrices in %s, which quantisers skip; --untie writes it twice",
                             weight->name, module_of(session, weight->scope));
            shown++;
        }
    }
}

/* ---- squeezed dims ---- */

static bool is_dynamic(const htp_value *value, int64_t dim)
{
    const uint32_t rank = value->traced->rank;
    int64_t at = dim < 0 ? dim + rank : dim;
    return at >= 0 && at < rank && value->dims[at].symbol;
}

/* Whether aten::squeeze, of all dims, one or several, gets a dynamic one. */
static bool squeezes_dynamic(const htp_graph *graph, const htp_trace_node *node)
{
    const htp_value *self = &graph->values[node->inputs[0]];
    if (self->traced->kind != HTP_TRACE_TENSOR) {
        return false;
    }
    const htp_trace_value *dims =
        node->input_count > 1 ? htp_graph_value(graph, node->inputs[1]) : NULL;
    bool is = dims && dims->kind == HTP_TRACE_INT && is_dynamic(self, dims->i[0]);
    for (uint32_t i = 0; dims && i < dims->element_count && !is; i++) {
        is = is_dynamic(self, htp_graph_value(graph, dims->elements[i])->i[0]);
    }
    for (uint32_t i = 0; !dims && i < self->traced->rank && !is; i++) {
        is = is_dynamic(self, i);
    }
    return is;
}

void htp_note_squeezed(htp_session *session)
{
    static const char squeeze[] = "aten::squeeze";
    const htp_graph *graph = session->graph;
    bool is_told =
        session->source.reader->declares_sizes || session->inputs.failure_when_small != NULL;
    for (uint32_t i = 0; i < graph->node_count && !is_told; i++) {
        const htp_trace_node *node = &graph->nodes[i];
        is_told = graph->is_live[i] && strncmp(node->kind, squeeze, strlen(squeeze)) == 0 &&
                  node->input_count > 0 && squeezes_dynamic(graph, node);
        if (is_told) {
            htp_session_note(session,
                             "%s in %s keeps dims of dynamic sizes, which libtorch removes where "
                             "the size is 1",
                             node->kind, module_of(session, node->scope));
        }
    }
}

/* ---- arithmetic on weights ---- */

static const char *why_kept(htp_session *session, const htp_kept_result *result)
{
    switch (result->reason) {
    case HTP_KEPT_LARGE:
        return htp_arena_printf(&session->arena, "the result has %.1f MB, more than the weights",
                                (double)result->bytes / 1e6);
    case HTP_KEPT_LIMIT:
        return "that is more work than an export does";
    case HTP_KEPT_OTHER:
        break;
    }
    return "an export cannot compute it exactly";
}

void htp_note_kept(htp_session *session, const htp_kept_arithmetic *kept)
{
    for (size_t i = 0; i < kept->count && i < KEPT_SHOWN; i++) {
        const htp_kept_result *result = &kept->items[i];
        const htp_trace_node *node = htp_graph_node(session->graph, result->node);
        htp_session_note(session,
                         "%s in %s is computed of weights alone whenever the model runs: %s",
                         node->kind, module_of(session, node->scope), why_kept(session, result));
    }
    if (kept->count > KEPT_SHOWN) {
        htp_session_note(session, "so are %zu other results", kept->count - KEPT_SHOWN);
    }
}

static void note_places(htp_session *session)
{
    const char *prefix = session->options.tag_attribute_prefix;
    if (session->options.tags & HTP_TAG_ATTRIBUTE && strncmp(prefix, "__", 2) != 0) {
        htp_session_note(session,
                         "tags are written as attribute %ssource_module: onnx.checker and ONNX "
                         "Runtime will refuse the file",
                         prefix);
    }
    if (session->source.module_count == 1 && session->source.modules[0].is_frozen) {
        htp_session_note(session, "the module is frozen: torch.jit.freeze() has removed its "
                                  "submodules, and every node is tagged with the root");
    }
}

enum { PAIRS_SHOWN = 8 };

/* Whether an input has a dim of this name. */
static bool is_axis(const htp_builder *model, const char *symbol)
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

/* Whether a state has sizes that depend on input sizes. */
static bool follows_axes(const htp_builder *model)
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

/* The states, and the initial values of the first call. */
static void note_state(htp_session *session, const htp_builder *model)
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
                                  "initial state where sizes change");
    }
}

/* The meaning of an export in training mode, which was not refused. */
static void note_training(htp_session *session)
{
    const htp_trace *trace = session->graph->trace;
    if (trace->moves_statistics && !trace->is_inference) {
        htp_session_note(session, "norms are in training mode: they use the statistics of the "
                                  "inputs, and move running ones; for inference, save it after "
                                  "eval(), or export TorchScript with --eval");
    }
}

/* The values of frozen state. */
static void note_frozen(htp_session *session)
{
    const htp_trace *trace = session->graph->trace;
    htp_text text = {.arena = &session->arena};
    for (uint32_t i = 0; i < trace->state_count && i < PAIRS_SHOWN; i++) {
        htp_text_addf(&text, "%s%s", i ? ", " : "", trace->states[i].name);
    }
    if (trace->state_count > PAIRS_SHOWN) {
        htp_text_addf(&text, " and %" PRIu32 " more", trace->state_count - PAIRS_SHOWN);
    }
    if (session->options.freeze_state && trace->state_count > 0) {
        htp_session_note(session,
                         "state is frozen: each call begins with the archive's value of %s",
                         htp_text_string(&text));
    }
}

/* Complex numbers become pairs at the border of a model. */
static void note_complex(htp_session *session, const htp_builder *model)
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

/* Custom kernels that ran. */
static void note_probes(htp_session *session)
{
    const htp_trace *trace = session->graph->trace;
    for (uint32_t i = 0; i < trace->run_on_probes_count; i++) {
        htp_session_note(session,
                         "%s has no kernel for meta tensors: it was run on ones and on zeroes to "
                         "find the sizes of its outputs",
                         trace->run_on_probes[i]);
    }
}

void htp_note_model(htp_session *session, const htp_builder *model)
{
    note_probes(session);
    note_complex(session, model);
    note_state(session, model);
    note_training(session);
    note_frozen(session);
}

/* Blocks whose modules the file does not name. */
static void note_untold(htp_session *session)
{
    uint32_t untold = session->graph->trace->untold_count;
    if (session->options.tags && untold > 0) {
        htp_session_note(session,
                         "%" PRIu32 " operators in branches, loops or blocks have the tag of the "
                         "module that calls these: the file does not say in which modules they "
                         "ran; of branches and loops, torch.export with strict=True does",
                         untold);
    }
}

void htp_note_tags(htp_session *session, const htp_finished *finished)
{
    note_untold(session);
    note_places(session);
    note_root(session, finished);
}
