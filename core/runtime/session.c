/*
 * Models in ONNX Runtime.
 */
#include "runtime/session.h"

#include "onnx/proto/tensor_type.h"

#include <stdlib.h>
#include <string.h>

struct htp_runtime_session {
    htp_runtime_link link;
    htp_runtime *runtime;
    htp_ort_session *session;
};

struct htp_fetched {
    htp_runtime_link link;
    const htp_runtime *runtime;
    size_t count;
    htp_ort_value **values;
    htp_array *arrays;
    int64_t *dims;   /* HTP_RUNTIME_MAX_RANK for each */
    void **elements; /* of tensors that were read; NULL: a run returned them */
};

/* The library's number of "all". */
enum { ORT_ENABLE_ALL = 99 };

/* External data are looked for there: htp_runtime_has_data_folder(). */
#define DATA_FOLDER_KEY "session.model_external_initializers_file_folder_path"

/* Weights stay as they are: a session runs too seldom for copies in other layouts to pay. */
#define NO_PREPACKING_KEY "session.disable_prepacking"

static htp_status out_of_memory(void)
{
    return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

size_t htp_array_bytes(const htp_array *array)
{
    return array->count * (htp_tensor_type_bits(array->data_type) / 8);
}

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
        return out_of_memory();
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

static htp_status make_inputs(const htp_runtime *runtime, const htp_named_arrays *inputs,
                              htp_ort_value **values)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const htp_array *array = &inputs->arrays[i];
        HTP_TRY(htp_runtime_take(
            runtime, runtime->api.new_tensor(runtime->memory, (void *)(uintptr_t)array->data,
                                             htp_array_bytes(array), array->dims, array->rank,
                                             array->data_type, &values[i])));
    }
    return HTP_OK;
}

static htp_status read_info(const htp_runtime *runtime, const htp_ort_info *info, htp_array *array,
                            int64_t *dims)
{
    const htp_ort_api *api = &runtime->api;
    int type = 0;
    HTP_TRY(htp_runtime_take(runtime, api->element_type(info, &type)));
    HTP_TRY(htp_runtime_take(runtime, api->rank(info, &array->rank)));
    HTP_TRY(htp_runtime_take(runtime, api->element_count(info, &array->count)));
    if (array->rank > HTP_RUNTIME_MAX_RANK || type == HTP_TENSOR_TYPE_STRING) {
        return HTP_OK; /* such a tensor has no type here */
    }
    HTP_TRY(htp_runtime_take(runtime, api->dims(info, dims, array->rank)));
    array->data_type = type;
    array->dims = dims;
    return HTP_OK;
}

static htp_status read_value(const htp_runtime *runtime, htp_ort_value *value, htp_array *array,
                             int64_t *dims)
{
    const htp_ort_api *api = &runtime->api;
    htp_ort_info *info = NULL;
    void *data = NULL;
    int is_tensor = 0;
    HTP_TRY(htp_runtime_take(runtime, api->is_tensor(value, &is_tensor)));
    if (!is_tensor) {
        return HTP_OK;
    }
    HTP_TRY(htp_runtime_take(runtime, api->tensor_info(value, &info)));
    htp_status status = read_info(runtime, info, array, dims);
    api->free_info(info);
    if (!status && array->data_type != 0) {
        status = htp_runtime_take(runtime, api->tensor_data(value, &data));
        array->data = data;
    }
    return status;
}

static void release_fetched(htp_runtime_link *link)
{
    htp_fetched_free((htp_fetched *)link);
}

static htp_fetched *new_fetched(htp_runtime *runtime, size_t count)
{
    htp_fetched *fetched = calloc(1, sizeof(*fetched));
    if (fetched) {
        htp_runtime_tie(runtime, &fetched->link, release_fetched);
        fetched->runtime = runtime;
        fetched->count = count;
        fetched->values = calloc(count + 1, sizeof(htp_ort_value *));
        fetched->arrays = calloc(count + 1, sizeof(htp_array));
        fetched->dims = calloc(count + 1, HTP_RUNTIME_MAX_RANK * sizeof(int64_t));
    }
    return fetched;
}

static htp_status run(htp_runtime_session *session, const htp_named_arrays *inputs,
                      htp_ort_value *const *values, const char *const *names, htp_fetched *fetched)
{
    const htp_runtime *runtime = session->runtime;
    HTP_TRY(htp_runtime_take(runtime,
                             runtime->api.run(session->session, NULL, inputs->names,
                                              (const htp_ort_value *const *)values, inputs->count,
                                              names, fetched->count, fetched->values)));
    for (size_t i = 0; i < fetched->count; i++) {
        HTP_TRY(read_value(runtime, fetched->values[i], &fetched->arrays[i],
                           fetched->dims + i * HTP_RUNTIME_MAX_RANK));
    }
    return HTP_OK;
}

htp_status htp_runtime_session_run(htp_runtime_session *session, const htp_named_arrays *inputs,
                                   const char *const *names, size_t count, htp_fetched **fetched)
{
    htp_runtime *runtime = session->runtime;
    htp_ort_value **values = calloc(inputs->count + 1, sizeof(htp_ort_value *));
    *fetched = new_fetched(runtime, count);
    if (!values || !*fetched || !(*fetched)->values || !(*fetched)->arrays || !(*fetched)->dims) {
        free(values);
        return out_of_memory();
    }
    htp_status status = make_inputs(runtime, inputs, values);
    if (!status) {
        status = run(session, inputs, values, names, *fetched);
    }
    for (size_t i = 0; i < inputs->count; i++) {
        if (values[i]) {
            runtime->api.free_value(values[i]);
        }
    }
    free(values);
    return status;
}

htp_status htp_fetched_read(htp_runtime *runtime, const htp_array *const *arrays,
                            const size_t *numbers, size_t count, htp_elements_fn read, void *user,
                            htp_fetched **fetched)
{
    htp_fetched *made = new_fetched(runtime, count);
    *fetched = made;
    if (!made || !made->values || !made->arrays || !made->dims) {
        return out_of_memory();
    }
    made->elements = calloc(count + 1, sizeof(void *));
    for (size_t i = 0; made->elements && i < count; i++) {
        made->elements[i] = malloc(htp_array_bytes(arrays[i]) + 1);
        if (!made->elements[i]) {
            return out_of_memory();
        }
        if (!read(user, numbers[i], made->elements[i])) {
            return htp_status_make(HTP_CODE_BAD_INPUT, "its elements cannot be read");
        }
        made->arrays[i] = *arrays[i];
        made->arrays[i].data = made->elements[i];
    }
    return made->elements ? HTP_OK : out_of_memory();
}

const htp_array *htp_fetched_array(const htp_fetched *fetched, size_t index)
{
    return &fetched->arrays[index];
}

void htp_fetched_free(htp_fetched *fetched)
{
    if (!fetched) {
        return;
    }
    htp_runtime_untie(&fetched->link);
    for (size_t i = 0; fetched->values && i < fetched->count; i++) {
        if (fetched->values[i]) {
            fetched->runtime->api.free_value(fetched->values[i]);
        }
    }
    for (size_t i = 0; fetched->elements && i < fetched->count; i++) {
        free(fetched->elements[i]);
    }
    free(fetched->elements);
    free(fetched->values);
    free(fetched->arrays);
    free(fetched->dims);
    free(fetched);
}
