/*
 * The driver: binds the inputs, lowers every live node in order, and collects failures.
 */
#include "lower/driver/lower.h"

#include "lower/compose/complex.h"
#include "lower/driver/state.h"
#include "lower/emit/table.h"
#include "lower/passes/copied_sizes.h"
#include "lower/passes/fold_constants.h"
#include "lower/passes/fold_norms.h"
#include "lower/passes/fusion.h"
#include "lower/passes/precompute.h"
#include "lower/passes/settled.h"
#include "lower/passes/shared_sizes.h"
#include "lower/passes/weight_arithmetic.h"
#include "lower/quantized/quantized.h"
#include "lower/refusal/nesting.h"
#include "lower/refusal/refusal.h"
#include "lower/refusal/report.h"
#include "lower/tensor/empty.h"

#include <string.h>
#include <time.h>

/** Nodes between two reports of progress. */
#define PROGRESS_INTERVAL 256

/** Why no lowering can handle a value; NULL if nothing speaks against it. */
static const char *find_reason(htp_lowering *l, const htp_trace_value *value)
{
    if (value->kind != HTP_TRACE_TENSOR) {
        return NULL;
    }
    if (value->dtype == HTP_DTYPE_OTHER) {
        return "tensors of uint16, uint32, uint64, float8 and other rare dtypes cannot be "
               "exported: "
               "cast them to float16, bfloat16, float32, float64, uint8, int8 to int64 or bool";
    }
    if (htp_onnx_data_type(value->dtype) == 0) {
        return htp_arena_printf(l->arena, "tensors of %s cannot be exported",
                                htp_dtype_name(value->dtype));
    }
    /* Complex numbers take one dim more, for their pairs. */
    if (value->rank + htp_dtype_is_complex(value->dtype) > HTP_MAX_RANK) {
        return htp_arena_printf(l->arena, "a tensor of %u dims cannot be exported", value->rank);
    }
    return NULL;
}

/** Declares a complex argument as a graph input of pairs. */
static void bind_complex_input(htp_lowering *l, htp_value_id id, const char *name)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    const char *reason = find_reason(l, value);
    if (reason) {
        htp_lower_fail(l, "%s: %s", name, reason);
        return;
    }
    htp_dim dims[HTP_MAX_RANK] = {0};
    for (uint32_t i = 0; i < value->rank; i++) {
        dims[i] = l->graph->values[id].dims[i];
    }
    dims[value->rank].size = 2;
    htp_tensor_id pairs =
        htp_builder_add_input(l->model, name, htp_dtype_real(value->dtype), value->rank + 1, dims);
    l->model->tensors.items[pairs].is_complex = true;
    l->bindings[id].tensor = pairs;
}

/** Declares an argument of the method as a graph input, or each element of a list as one. The trace
 * names those that are tensors: "past_0_key". */
static void bind_input(htp_lowering *l, htp_value_id id, const char *name)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_LIST) {
        for (uint32_t i = 0; i < value->element_count; i++) {
            const char *own = htp_graph_value(l->graph, value->elements[i])->name;
            bind_input(l, value->elements[i],
                       own && *own ? own : htp_arena_printf(l->arena, "%s_%u", name, i));
        }
    } else if (htp_value_is_complex(l->graph, id) && htp_graph_is_computed(l->graph, id)) {
        bind_complex_input(l, id, name);
    } else if (htp_graph_is_computed(l->graph, id)) {
        bool is_tensor = value->kind == HTP_TRACE_TENSOR;
        l->bindings[id].tensor = htp_builder_add_input(
            l->model, name, htp_value_dtype(l, id), is_tensor ? value->rank : 0,
            is_tensor ? l->graph->values[id].dims : NULL);
    }
}

static void bind_inputs(htp_lowering *l)
{
    const htp_trace *trace = l->graph->trace;
    for (uint32_t i = 0; i < trace->input_count; i++) {
        const char *name = i < l->graph->argument_count ? l->graph->arguments[i].name : "input";
        bind_input(l, trace->inputs[i], name);
    }
}

/** The first reason of find_reason() among a node's values. Sets @p follows if a value is unknown
 * because an earlier node failed. */
static const char *find_reasons(htp_lowering *l, const uint32_t *values, uint32_t count,
                                bool *follows)
{
    const char *reason = NULL;
    for (uint32_t i = 0; i < count && !reason; i++) {
        const htp_trace_value *value = htp_graph_value(l->graph, values[i]);
        reason = find_reason(l, value);
        *follows = *follows || value->kind == HTP_TRACE_UNKNOWN;
        for (uint32_t j = 0; value->kind == HTP_TRACE_LIST && j < value->element_count; j++) {
            const htp_trace_value *element = htp_graph_value(l->graph, value->elements[j]);
            *follows = *follows || element->kind == HTP_TRACE_UNKNOWN;
            reason = reason ? reason : find_reason(l, element);
        }
    }
    return reason;
}

/** Whether a block of the node returns an unknown value because an earlier node failed. */
static bool ends_unknown(const htp_lowering *l)
{
    for (uint32_t k = 0; k < l->node->block_count; k++) {
        const htp_trace_block *block = &l->graph->trace->blocks[l->node->blocks[k]];
        for (uint32_t i = 0; i < block->output_count; i++) {
            htp_value_id id = block->outputs[i];
            if (id != HTP_NONE && htp_graph_value(l->graph, id)->kind == HTP_TRACE_UNKNOWN) {
                return true;
            }
        }
    }
    return false;
}

/** Gives a failed node placeholder outputs, so that all failures of a model are found. */
static void bind_substitutes(htp_lowering *l, htp_value_id id)
{
    const htp_trace_value *value = htp_graph_value(l->graph, id);
    if (value->kind == HTP_TRACE_LIST) {
        for (uint32_t i = 0; i < value->element_count; i++) {
            bind_substitutes(l, value->elements[i]);
        }
    } else if (htp_graph_is_computed(l->graph, id)) {
        htp_tensor_id tensor = HTP_NONE;
        htp_builder_add_node(l->model, "Unsupported", NULL, 0, NULL, 0, &tensor, 1);
        l->bindings[id] = (htp_binding){tensor, tensor, {tensor, tensor}};
    }
}

/** Why there is no row for the node. NULL after an earlier failure, when it is unknown whether the
 * operands are quantised or complex. */
static const char *find_missing(htp_lowering *l)
{
    const htp_trace_node *node = l->node;
    bool is_elsewhere = htp_table_find_quantized(node->kind) != NULL ||
                        htp_table_find_complex(node->kind) != NULL ||
                        strncmp(node->kind, "quantized::", strlen("quantized::")) == 0;
    bool follows = false;
    (void)find_reasons(l, node->inputs, node->input_count, &follows);
    const char *reason = htp_refusal_find(node->kind);
    if (reason) {
        return reason;
    }
    if (htp_node_is_complex(l)) {
        return "there is no lowering for it with complex numbers";
    }
    if ((is_elsewhere && (node->failure || follows)) ||
        (htp_refusal_is_of_layout(node->kind) && node->failure)) {
        return node->failure;
    }
    return htp_node_is_quantized(l) ? "there is no lowering for it with quantised numbers"
                                    : htp_refusal_reason(node->kind);
}

/** Lowers the current node; sets l->failure if it cannot. A node that depends on a failed one is
 * skipped without a reason. */
static void try_node(htp_lowering *l)
{
    const htp_trace_node *node = l->node;
    bool follows = false;
    if (l->row) {
        l->failure = node->failure;
    } else {
        l->failure = find_missing(l);
    }
    if (!l->failure) {
        l->failure = find_reasons(l, node->inputs, node->input_count, &follows);
    }
    if (!l->failure) {
        l->failure = find_reasons(l, node->outputs, node->output_count, &follows);
    }
    follows = follows || ends_unknown(l);
    htp_lower_fn lower = l->failure || !l->row ? NULL : htp_lowering_find(l);
    if (!l->failure && htp_node_is_complex(l)) {
        htp_complex_check(l);
    }
    if (!l->failure && l->custom && htp_node_is_quantized(l)) {
        l->failure = "custom operators cannot be given quantised numbers";
    }
    if (!l->failure && !follows && lower) {
        lower(l);
    }
    if (l->failure && !follows) {
        (void)htp_precompute_node(l);
    }
    l->is_incomplete = l->is_incomplete || follows;
    for (uint32_t i = 0; (l->failure || follows) && i < node->output_count; i++) {
        bind_substitutes(l, node->outputs[i]);
    }
}

static void lower_node(htp_lowering *l, htp_node_id id, htp_unsupported *unsupported)
{
    static const htp_operator custom_row = {.kind = "custom", .lower = htp_lower_custom};
    l->node = htp_graph_node(l->graph, id);
    l->node_id = id;
    /* Custom operators are looked up by the program's own name, in-place form included. */
    l->custom = htp_custom_find(l->means->customs, l->graph->trace->nodes[id].kind);
    if (l->custom) {
        l->row = &custom_row;
    } else {
        l->real_row = htp_table_find(l->node->kind);
        l->row = htp_node_is_complex(l)     ? htp_table_find_complex(l->node->kind)
                 : htp_node_is_quantized(l) ? htp_table_find_quantized(l->node->kind)
                                            : l->real_row;
    }
    l->model->origin = (htp_origin){l->node->scope, id};
    l->model->current_graph = l->graphs[l->node->block];
    htp_kept_bindings kept = {0};
    if (l->node->block != 0) {
        htp_bindings_keep(l, &kept, l->node->block, l->node->inputs, l->node->input_count);
    }
    try_node(l);
    htp_bindings_restore(l, &kept);
    if (l->failure) {
        htp_unsupported_add(unsupported, l->graph, id, l->failure);
        HTP_PUSH(l->arena, &l->model->refused, (htp_refused){id, l->failure, !l->row});
        l->failure = NULL;
    }
}

/** The tensor that stands for output @p number of forward(). */
static htp_tensor_id output_tensor(htp_lowering *l, htp_value_id id, uint32_t number)
{
    if (htp_value_is_quantized(l->graph, id)) {
        htp_lower_fail(l, "output %u is quantised: let forward() return dequantize() of it",
                       number);
    }
    if (!htp_value_is_complex(l->graph, id)) {
        return htp_value_tensor(l, id);
    }
    const char *reason = find_reason(l, htp_graph_value(l->graph, id));
    if (reason) {
        htp_lower_fail(l, "output %u: %s", number, reason);
    }
    return l->failure ? HTP_NONE : htp_value_pairs(l, id);
}

/** Whether a value is a tensor, a number or a list of tensors, as it stands in ONNX. */
static bool is_plain(const htp_trace_value *value)
{
    bool has_tensors = value->kind == HTP_TRACE_TENSOR || value->kind == HTP_TRACE_SEQUENCE;
    return has_tensors ? !value->is_quantized : htp_value_is_number(value);
}

/** Records an output that no operator computes: it has no binding. */
static void note_known(htp_lowering *l, htp_value_id id, htp_tensor_id output)
{
    if (l->means->records && is_plain(htp_graph_value(l->graph, id)) &&
        !htp_graph_is_computed(l->graph, id)) {
        HTP_PUSH(l->arena, &l->model->recorded, (htp_recorded_tensor){id, output});
    }
}

/** Declares forward()'s results as graph outputs; None is left out. */
static void bind_outputs(htp_lowering *l)
{
    const htp_trace *trace = l->graph->trace;
    l->model->origin = (htp_origin){0, HTP_NONE};
    l->model->current_graph = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->output_count; i++) {
        htp_trace_kind kind = htp_graph_value(l->graph, trace->outputs[i])->kind;
        count += kind != HTP_TRACE_NOTHING;
    }
    uint32_t number = 0;
    for (uint32_t i = 0; i < trace->output_count; i++) {
        htp_value_id id = trace->outputs[i];
        if (htp_graph_value(l->graph, id)->kind == HTP_TRACE_NOTHING) {
            continue;
        }
        htp_tensor_id tensor = output_tensor(l, id, number);
        const char *name = count == 1 ? "output" : htp_arena_printf(l->arena, "output_%u", number);
        number++;
        if (tensor != HTP_NONE) {
            htp_builder_add_output(l->model, tensor, name);
            htp_tensor_id output = l->model->outputs.items[l->model->outputs.count - 1];
            l->model->tensors.items[output].is_complex = htp_value_is_complex(l->graph, id);
            note_known(l, id, output);
        }
    }
}

/** Records which tensors an argument of a call is. */
static void note_passed(htp_lowering *l, uint32_t scope, const htp_trace_passed *passed)
{
    const htp_binding *binding = &l->bindings[passed->value];
    const htp_tensor_id forms[] = {binding->tensor, binding->vector, binding->parts[0],
                                   binding->parts[1]};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        bool is_made = forms[i] != HTP_NONE &&
                       l->model->tensors.items[forms[i]].source != HTP_TENSOR_FROM_INITIALIZER;
        if (is_made) {
            HTP_PUSH(l->arena, &l->model->passed,
                     (htp_passed_tensor){scope, passed->name, forms[i]});
        }
    }
}

static void note_all_passed(htp_lowering *l)
{
    const htp_trace *trace = l->graph->trace;
    for (uint32_t scope = 0; scope < trace->scope_count; scope++) {
        for (uint32_t i = 0; i < trace->scopes[scope].passed_count; i++) {
            const htp_trace_passed *passed = &trace->scopes[scope].passed[i];
            if (htp_graph_is_computed(l->graph, passed->value)) {
                note_passed(l, scope, passed);
            }
        }
    }
}

/** Records which tensors hold the results of recorded operators, and inputs. */
static void note_recorded(htp_lowering *l)
{
    for (uint32_t v = 0; v < l->graph->value_count; v++) {
        const htp_trace_value *value = htp_graph_value(l->graph, v);
        htp_tensor_id tensor = l->bindings[v].tensor;
        if (!is_plain(value) || tensor == HTP_NONE || !htp_graph_is_computed(l->graph, v)) {
            continue;
        }
        htp_tensor_source source = l->model->tensors.items[tensor].source;
        if (source == HTP_TENSOR_FROM_INPUT ||
            (source == HTP_TENSOR_FROM_NODE && htp_builder_graph_of(l->model, tensor) == 0)) {
            HTP_PUSH(l->arena, &l->model->recorded, (htp_recorded_tensor){v, tensor});
        }
    }
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/** Reports progress of an export. */
typedef struct watch {
    htp_progress_fn progress;
    void *user;
    double start;
    uint32_t node_count;
} watch;

/** Reports progress every PROGRESS_INTERVAL nodes; false if the caller wants to stop. */
static bool may_go_on(const watch *w, uint32_t done)
{
    if (!w->progress || done % PROGRESS_INTERVAL != 0) {
        return true;
    }
    htp_progress report = {.stage = HTP_STAGE_LOWERED,
                           .done = done,
                           .total = w->node_count,
                           .seconds = seconds_now() - w->start,
                           .label = "nodes"};
    return w->progress(w->user, &report);
}

/* @param done  the node of the trace that was lowered last */
static htp_status check_costs(const htp_builder *model, htp_node_id done)
{
    const struct {
        htp_limit limit;
        uint64_t spent;
    } costs[] = {
        {HTP_LIMIT_NODES, model->nodes.count},
        {HTP_LIMIT_CONSTANT, model->constant_bytes},
    };
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        if (costs[i].spent > htp_limit_value(model->limits, costs[i].limit)) {
            const htp_trace_node *node = htp_graph_node(model->graph, done);
            const char *path = htp_graph_scope_path(model->graph, node->scope);
            return htp_status_make(
                HTP_CODE_UNSUPPORTED, "with %s in %s, the model has " HTP_LIMIT_FORMAT, node->kind,
                *path ? path : "forward()", HTP_LIMIT_ARGUMENTS(model->limits, costs[i].limit));
        }
    }
    return HTP_OK;
}

static htp_lowering begin(htp_builder *model, const htp_lower_means *means)
{
    htp_lowering l = {.model = model,
                      .means = means,
                      .graph = model->graph,
                      .arena = model->arena,
                      .shows_conjugates = htp_graph_shows_conjugates(model->graph)};
    l.bindings = HTP_NEW_ARRAY(l.arena, htp_binding, (size_t)l.graph->value_count + 1);
    for (uint32_t i = 0; i < l.graph->value_count; i++) {
        l.bindings[i] = HTP_UNBOUND;
    }
    return l;
}

htp_status htp_lower_graph(htp_builder *model, const htp_lower_means *means,
                           htp_progress_fn progress, void *user)
{
    htp_lowering l = begin(model, means);
    htp_unsupported unsupported = {.arena = l.arena};
    const watch w = {progress, user, seconds_now(), l.graph->node_count};
    htp_lower_begin_blocks(&l);
    bind_inputs(&l);
    htp_state_bind_inputs(&l);
    if (l.failure) {
        return htp_status_make(HTP_CODE_UNSUPPORTED, "the inputs cannot be exported: %s",
                               l.failure);
    }
    for (uint32_t i = 0; i < w.node_count; i++) {
        if (!may_go_on(&w, i)) {
            return htp_status_make(HTP_CODE_INTERRUPTED, "interrupted");
        }
        if (l.graph->is_live[i]) {
            lower_node(&l, i, &unsupported);
        }
        HTP_TRY(check_costs(model, i));
    }
    HTP_TRY(htp_unsupported_status(&unsupported));
    if (l.is_incomplete || l.graph->is_unsettled) {
        return htp_status_make(HTP_CODE_INTERNAL, "the trace lacks values without saying why");
    }
    bind_outputs(&l);
    htp_state_bind_outputs(&l);
    if (!l.failure && model->outputs.count == 0) {
        return htp_status_make(HTP_CODE_UNSUPPORTED,
                               "forward() returns no tensor: there is nothing to export");
    }
    if (l.failure) {
        return htp_status_make(HTP_CODE_UNSUPPORTED, "the outputs cannot be exported: %s",
                               l.failure);
    }
    if (means->folds) {
        htp_lower_weight_arithmetic(&l);
        htp_lower_fold_constants(&l, means->kept);
        htp_norms_fold(model, means->bodies);
    }
    note_all_passed(&l);
    if (means->records) {
        note_recorded(&l);
    }
    htp_lower_copy_sizes(&l);
    htp_lower_settle(&l);
    htp_lower_share_sizes(model, means->groups);
    htp_lower_guard_fusions(&l, &unsupported);
    htp_lower_check_nesting(&l, &unsupported);
    return htp_unsupported_status(&unsupported);
}
