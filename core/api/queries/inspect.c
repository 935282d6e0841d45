/*
 * Facts about a model before its export.
 */
#include "api/options.h"
#include "api/paths.h"
#include "api/session/choose_inputs.h"
#include "api/session/load.h"
#include "api/session/session.h"
#include "base/dtype.h"
#include "lower/driver/support.h"
#include "report/tree/inspection.h"

#include <stdlib.h>
#include <string.h>

/* State of one call; see struct job of export.c. */
struct inspecting {
    htp_session session;
    char **text;
    char **json;
};

/* ---- inputs ---- */

static void add_input(htp_arena *arena, htp_inspection *inspection, const htp_inputs *inputs,
                      uint32_t index)
{
    const htp_input *input = &inputs->items[index];
    HTP_PUSH(arena, &inspection->inputs,
             (htp_inspected_input){
                 .name = inputs->paths[index].text,
                 .specification = htp_inputs_describe(arena, inputs, index),
                 .is_left_out = input->is_none,
                 .is_complex = !input->is_none && htp_dtype_is_complex(input->dtype),
             });
}

/* Adds the chosen inputs of one argument. */
static void add_chosen(htp_arena *arena, htp_inspection *inspection, const htp_inputs *inputs,
                       uint32_t argument)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        if (inputs->paths[i].argument == argument) {
            add_input(arena, inspection, inputs, i);
        }
    }
}

/* Adds all chosen inputs, in the order of their arguments. */
static void add_in_order(htp_arena *arena, htp_inspection *inspection, const htp_inputs *inputs,
                         uint32_t argument_count)
{
    uint32_t *places = HTP_NEW_ARRAY(arena, uint32_t, (size_t)argument_count + 1);
    uint32_t *order = HTP_NEW_ARRAY(arena, uint32_t, (size_t)inputs->count + 1);
    for (uint32_t i = 0; i < inputs->count; i++) {
        places[inputs->paths[i].argument + 1]++;
    }
    for (uint32_t k = 1; k < argument_count; k++) {
        places[k] += places[k - 1];
    }
    for (uint32_t i = 0; i < inputs->count; i++) {
        order[places[inputs->paths[i].argument]++] = i;
    }
    for (uint32_t i = 0; i < inputs->count; i++) {
        add_input(arena, inspection, inputs, order[i]);
    }
}

static htp_trial try_nothing(void *user, const htp_inputs *inputs, const htp_trace **trace)
{
    (void)user;
    (void)inputs;
    *trace = NULL;
    return HTP_TRIAL_STOPPED;
}

/* Not all can be derived together: derives each argument alone, with the others optional. */
static htp_status add_derived(htp_session *session, htp_inspection *inspection)
{
    htp_arena *arena = &session->arena;
    htp_argument *alone =
        HTP_NEW_ARRAY(arena, htp_argument, (size_t)session->source.argument_count + 1);
    HTP_TRY(htp_session_find_hints(session));
    for (uint32_t i = 0; i < session->source.argument_count; i++) {
        htp_inputs inputs;
        htp_input_derivation ignored;
        for (uint32_t k = 0; k < session->source.argument_count; k++) {
            alone[k] = session->source.arguments[k];
            alone[k].is_optional = alone[k].is_optional || k != i;
        }
        htp_status status =
            htp_inputs_derive(arena, session->hints, session->hint_count, alone,
                              session->source.argument_count, try_nothing, NULL, &inputs, &ignored);
        const htp_argument *argument = &session->source.arguments[i];
        if (status) {
            HTP_PUSH(arena, &inspection->inputs,
                     (htp_inspected_input){
                         .name = argument->name,
                         .form = htp_inputs_form(arena, argument, argument->name),
                     });
        } else {
            add_chosen(arena, inspection, &inputs, i);
        }
        htp_status_free(status);
    }
    return HTP_OK;
}

static htp_status find_inputs(htp_session *session, htp_inspection *inspection)
{
    static const char *const origins[] = {
        [HTP_INPUTS_GIVEN] = "given",
        [HTP_INPUTS_ARCHIVE] = "archive",
        [HTP_INPUTS_DERIVED] = "derived",
    };
    session->is_untraced = true;
    htp_status status = htp_inputs_choose(session);
    htp_code code = htp_status_code(status);
    inspection->inputs_origin = origins[session->inputs_origin];
    if (session->inputs_origin == HTP_INPUTS_DERIVED &&
        (code == HTP_CODE_USAGE || code == HTP_CODE_UNSUPPORTED)) {
        htp_status_free(status);
        return add_derived(session, inspection);
    }
    HTP_TRY(status);
    add_in_order(&session->arena, inspection, &session->inputs, session->source.argument_count);
    return HTP_OK;
}

/* ---- operators ---- */

static htp_status find_operators(htp_session *session, htp_inspection *inspection)
{
    htp_arena *arena = &session->arena;
    const htp_named_operator *operators = NULL;
    htp_custom_operators customs;
    HTP_TRY(htp_custom_read(arena, session->options.custom_operators,
                            session->options.custom_operator_count, &customs));
    HTP_TRY(htp_source_find_operators(&session->source, &operators, &inspection->operator_count));
    htp_inspected_operator *inspected =
        HTP_NEW_ARRAY(arena, htp_inspected_operator, inspection->operator_count);
    for (uint32_t i = 0; i < inspection->operator_count; i++) {
        bool is_judged = operators[i].has_tensors && !operators[i].is_followed;
        inspected[i].kind = operators[i].kind;
        inspected[i].places = operators[i].places;
        inspected[i].reason =
            is_judged ? htp_lower_unsupported_reason(arena, &customs, operators[i].kind) : NULL;
    }
    inspection->operators = inspected;
    return HTP_OK;
}

/* ---- all of it ---- */

static uint64_t find_format_version(htp_session *session)
{
    const char *text = htp_source_read(&session->source, ".data/version", NULL);
    text = text ? text : htp_source_read(&session->source, "version", NULL);
    return text ? strtoull(text, NULL, 10) : 0;
}

static void find_facts(htp_session *session, htp_inspection *inspection)
{
    htp_source *source = &session->source;
    htp_arena *arena = &session->arena;
    const htp_hierarchy_options options = {.include_torch_nn = session->options.include_torch_nn};
    inspection->format_version = find_format_version(session);
    inspection->has_serialization_id =
        htp_map_get(&source->archive.by_name, ".data/serialization_id", NULL);
    htp_source_list_methods(source, source->module, &inspection->methods,
                            &inspection->method_count);
    inspection->returns = source->returns;
    inspection->model_path = session->model_path;
    inspection->method = session->options.method;
    inspection->module = session->options.module;
    inspection->libtorch_version = source->libtorch_version;
    inspection->arguments = source->arguments;
    inspection->argument_count = source->argument_count;
    inspection->modules = source->modules;
    inspection->depth = session->options.tree_depth;
    inspection->hierarchy =
        htp_hierarchy_build(arena, source->modules, source->module_count, &options);
    inspection->parameters = htp_parameters_count(arena, source->modules, source->module_count,
                                                  source->weights, source->weight_count);
}

static htp_status hand_over(const char *made, char **result)
{
    *result = strdup(made);
    return *result ? HTP_OK : htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

static htp_status inspect(struct inspecting *work)
{
    htp_session *session = &work->session;
    htp_inspection inspection = {.model_path = NULL};
    HTP_TRY(htp_session_load(session));
    find_facts(session, &inspection);
    HTP_TRY(find_inputs(session, &inspection));
    HTP_TRY(find_operators(session, &inspection));
    if (work->text) {
        HTP_TRY(hand_over(htp_report_inspection(&session->arena, &inspection), work->text));
    }
    if (work->json) {
        HTP_TRY(hand_over(htp_report_inspection_json(&session->arena, &inspection), work->json));
    }
    return HTP_OK;
}

static htp_status inspect_guarded(struct inspecting *work)
{
    if (htp_arena_recover(&work->session.arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "%s: out of memory", work->session.model_path);
    }
    return inspect(work);
}

htp_status htp_inspect(const char *model_path, const htp_options *options, char **text, char **json)
{
    struct inspecting work = {.text = text, .json = json};
    char **const results[] = {text, json};
    for (size_t i = 0; i < 2; i++) {
        if (results[i]) {
            *results[i] = NULL;
        }
    }
    HTP_TRY(htp_paths_check_model(model_path));
    HTP_TRY(htp_options_copy(options, &work.session.options));
    work.session.model_path = model_path;
    htp_arena_init(&work.session.arena);
    htp_status status = inspect_guarded(&work);
    htp_session_close(&work.session);
    for (size_t i = 0; i < 2; i++) {
        if (results[i] && status) {
            free(*results[i]);
            *results[i] = NULL;
        }
    }
    return status;
}
