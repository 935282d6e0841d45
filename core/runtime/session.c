/*
 * Models in ONNX Runtime.
 */
#include "runtime/session.h"

#include <stdlib.h>

struct htp_runtime_session {
    htp_runtime_link link;
    htp_runtime *runtime;
    htp_ort_session *session;
};

struct htp_fetched {
    htp_runtime_link link;
    const htp_runtime *runtime;
    htp_values *values;
};

/* The library's number of "all". */
enum { ORT_ENABLE_ALL = 99 };

/* External data are looked for there: htp_runtime_has_data_folder(). */
#define DATA_FOLDER_KEY "session.model_external_initializers_file_folder_path"

/* Weights stay as they are: a session runs too seldom for copies in other layouts to pay. */
#define NO_PREPACKING_KEY "session.disable_prepacking"

/* ---- sessions ---- */

static htp_status set_options(const htp_runtime *runtime, const char *folder, int level,
                              htp_ort_options *options)
{
    const htp_ort_api *api = &runtime->api;
    HTP_TRY(htp_runtime_take(runtime, api->share_threads(options)));
    HTP_TRY(htp_runtime_take(
        runtime, api->set_level(options, level == HTP_RUNTIME_LEVEL_ALL ? ORT_ENABLE_ALL : level)));
    HTP_TRY(htp_runtime_take(runtime, api->configure(options, NO_PREPACKING_KEY, "1")));
    return htp_runtime_take(runtime, api->configure(options, DATA_FOLDER_KEY, folder));
}

static void release_session(htp_runtime_link *link)
{
    htp_runtime_session_free((htp_runtime_session *)link);
}

htp_status htp_runtime_session_new(htp_runtime *runtime, const void *model, size_t bytes,
                                   const char *folder, int level, htp_runtime_session **session)
{
    const htp_ort_api *api = &runtime->api;
    htp_ort_options *options = NULL;
    *session = calloc(1, sizeof(**session));
    if (!*session) {
        return htp_runtime_out_of_memory();
    }
    (*session)->runtime = runtime;
    htp_runtime_tie(runtime, &(*session)->link, release_session);
    HTP_TRY(htp_runtime_take(runtime, api->new_options(&options)));
    htp_status status = set_options(runtime, folder, level, options);
    if (!status) {
        status = htp_runtime_take(runtime, api->session_from_array(runtime->env, model, bytes,
                                                                   options, &(*session)->session));
    }
    api->free_options(options);
    return status;
}

void htp_runtime_session_free(htp_runtime_session *session)
{
    if (session) {
        htp_runtime_untie(&session->link);
        if (session->session) {
            session->runtime->api.free_session(session->session);
        }
    }
    free(session);
}

/* ---- runs ---- */

static void release_fetched(htp_runtime_link *link)
{
    htp_fetched_free((htp_fetched *)link);
}

/* @return NULL without memory; what is not is freed with the runtime, too */
static htp_fetched *new_fetched(htp_runtime *runtime, size_t count)
{
    htp_fetched *fetched = calloc(1, sizeof(*fetched));
    htp_values *values = htp_values_new(count);
    if (!fetched || !values) {
        htp_values_free(runtime, values);
        free(fetched);
        return NULL;
    }
    htp_runtime_tie(runtime, &fetched->link, release_fetched);
    fetched->runtime = runtime;
    fetched->values = values;
    return fetched;
}

/* @param inputs, outputs  of the library, which receives the latter */
static htp_status run(htp_runtime_session *session, const htp_named_arrays *inputs,
                      htp_ort_value **given, const char *const *names, htp_ort_value **outputs,
                      size_t count)
{
    const htp_runtime *runtime = session->runtime;
    for (size_t i = 0; i < inputs->count; i++) {
        HTP_TRY(htp_value_make(runtime, &inputs->arrays[i], &given[i]));
    }
    return htp_runtime_take(runtime, runtime->api.run(session->session, NULL, inputs->names,
                                                      (const htp_ort_value *const *)given,
                                                      inputs->count, names, count, outputs));
}

/* @param values  room for inputs, and behind them for outputs */
static htp_status run_and_read(htp_runtime_session *session, const htp_named_arrays *inputs,
                               const char *const *names, htp_ort_value **values,
                               htp_fetched *fetched)
{
    const htp_runtime *runtime = session->runtime;
    htp_ort_value **outputs = values + inputs->count;
    size_t count = fetched->values->count;
    htp_status status = run(session, inputs, values, names, outputs, count);
    for (size_t i = 0; i < count; i++) {
        fetched->values->memory[i].value = outputs[i];
    }
    for (size_t i = 0; i < inputs->count; i++) {
        if (values[i]) {
            runtime->api.free_value(values[i]);
        }
    }
    return status ? status : htp_values_read(runtime, fetched->values);
}

htp_status htp_runtime_session_run(htp_runtime_session *session, const htp_named_arrays *inputs,
                                   const char *const *names, size_t count, htp_fetched **fetched)
{
    htp_ort_value **values = calloc(inputs->count + count + 1, sizeof(htp_ort_value *));
    *fetched = new_fetched(session->runtime, count);
    htp_status status = values && *fetched ? run_and_read(session, inputs, names, values, *fetched)
                                           : htp_runtime_out_of_memory();
    free(values);
    return status;
}

/* ---- tensors from elsewhere ---- */

/* Where elements come from. */
struct source {
    htp_elements_fn read;
    void *user;
};

static htp_status read_tensor(const struct source *source, const htp_array *array, size_t number,
                              htp_array *made, htp_value_memory *memory)
{
    memory->elements = malloc(htp_array_bytes(array) + 1);
    if (!memory->elements) {
        return htp_runtime_out_of_memory();
    }
    if (!source->read(source->user, number, memory->elements)) {
        return htp_status_make(HTP_CODE_BAD_INPUT, "its elements cannot be read");
    }
    *made = *array;
    made->data = memory->elements;
    return HTP_OK;
}

static htp_status read_list(const struct source *source, const htp_array *array, size_t number,
                            htp_array *made, htp_value_memory *memory)
{
    memory->tensors = htp_values_new(array->count);
    if (!memory->tensors) {
        return htp_runtime_out_of_memory();
    }
    for (size_t i = 0; i < array->count; i++) {
        HTP_TRY(read_tensor(source, &array->tensors[i], number + i, &memory->tensors->arrays[i],
                            &memory->tensors->memory[i]));
    }
    *made = *array;
    made->tensors = memory->tensors->arrays;
    return HTP_OK;
}

htp_status htp_fetched_read(htp_runtime *runtime, const htp_array *const *arrays,
                            const size_t *numbers, size_t count, htp_elements_fn read, void *user,
                            htp_fetched **fetched)
{
    const struct source source = {read, user};
    *fetched = new_fetched(runtime, count);
    if (!*fetched) {
        return htp_runtime_out_of_memory();
    }
    for (size_t i = 0; i < count; i++) {
        HTP_TRY((arrays[i]->tensors ? read_list : read_tensor)(&source, arrays[i], numbers[i],
                                                               &(*fetched)->values->arrays[i],
                                                               &(*fetched)->values->memory[i]));
    }
    return HTP_OK;
}

const htp_array *htp_fetched_array(const htp_fetched *fetched, size_t index)
{
    return &fetched->values->arrays[index];
}

void htp_fetched_free(htp_fetched *fetched)
{
    if (fetched) {
        htp_runtime_untie(&fetched->link);
        htp_values_free(fetched->runtime, fetched->values);
    }
    free(fetched);
}
