/*
 * The part of ONNX Runtime's C API that is used. Private to core/runtime.
 *
 * The library exports OrtGetApiBase() alone, which gives a table of functions for a version of the
 * API. The table only grows: a function keeps its place in all later versions. So the places below
 * hold for every release since the version that is asked for.
 *
 * Reference: onnxruntime_c_api.h
 */
#ifndef HTP_RUNTIME_API_H
#define HTP_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

/** The version that is asked for: that of ONNX Runtime 1.8, the first with all of these. */
#define HTP_ORT_API_VERSION 8

/** That of 1.10, the first with optional values, and with `has_value`. */
#define HTP_ORT_OPTIONAL_VERSION 10

/** Objects of the library. */
typedef struct htp_ort_status htp_ort_status;
typedef struct htp_ort_env htp_ort_env;
typedef struct htp_ort_options htp_ort_options;
typedef struct htp_ort_session htp_ort_session;
typedef struct htp_ort_value htp_ort_value;
typedef struct htp_ort_info htp_ort_info;
typedef struct htp_ort_memory htp_ort_memory;
typedef struct htp_ort_threads htp_ort_threads;
typedef struct htp_ort_allocator htp_ort_allocator;

/** Places of functions in the table. */
typedef enum htp_ort_place {
    HTP_ORT_ERROR_MESSAGE = 2,
    HTP_ORT_SESSION_FROM_ARRAY = 8,
    HTP_ORT_RUN = 9,
    HTP_ORT_NEW_OPTIONS = 10,
    HTP_ORT_SET_LEVEL = 23,
    HTP_ORT_NEW_TENSOR = 49,
    HTP_ORT_IS_TENSOR = 50,
    HTP_ORT_TENSOR_DATA = 51,
    HTP_ORT_ELEMENT_TYPE = 60,
    HTP_ORT_RANK = 61,
    HTP_ORT_DIMS = 62,
    HTP_ORT_ELEMENT_COUNT = 64,
    HTP_ORT_TENSOR_INFO = 65,
    HTP_ORT_VALUE_TYPE = 67,
    HTP_ORT_NEW_CPU_MEMORY = 69,
    HTP_ORT_USUAL_ALLOCATOR = 78,
    HTP_ORT_ELEMENT = 80,
    HTP_ORT_LENGTH = 81,
    HTP_ORT_NEW_LIST = 82,
    HTP_ORT_FREE_ENV = 92,
    HTP_ORT_FREE_STATUS = 93,
    HTP_ORT_FREE_MEMORY = 94,
    HTP_ORT_FREE_SESSION = 95,
    HTP_ORT_FREE_VALUE = 96,
    HTP_ORT_FREE_INFO = 99,
    HTP_ORT_FREE_OPTIONS = 100,
    HTP_ORT_NEW_ENV = 119,
    HTP_ORT_SHARE_THREADS = 120,
    HTP_ORT_NEW_THREADS = 121,
    HTP_ORT_FREE_THREADS = 122,
    HTP_ORT_CONFIGURE = 130,
    HTP_ORT_HAS_VALUE = 192,
} htp_ort_place;

/** ONNXType: what a value is. */
enum { HTP_ORT_SEQUENCE = 2 };

/** What OrtGetApiBase() returns. */
typedef struct htp_ort_base {
    void *const *(*get_api)(uint32_t version); /* NULL: the release is older */
    const char *(*get_version)(void);
} htp_ort_base;

/** What is read of the table. Those that return a status are NULL after success. */
typedef struct htp_ort_api {
    const char *(*error_message)(const htp_ort_status *status);
    htp_ort_status *(*session_from_array)(const htp_ort_env *env, const void *model, size_t bytes,
                                          const htp_ort_options *options,
                                          htp_ort_session **session);
    htp_ort_status *(*run)(htp_ort_session *session, const void *options,
                           const char *const *input_names, const htp_ort_value *const *inputs,
                           size_t input_count, const char *const *output_names, size_t output_count,
                           htp_ort_value **outputs);
    htp_ort_status *(*new_options)(htp_ort_options **options);
    htp_ort_status *(*set_level)(htp_ort_options *options, int level);
    htp_ort_status *(*new_tensor)(const htp_ort_memory *memory, void *data, size_t bytes,
                                  const int64_t *dims, size_t rank, int type,
                                  htp_ort_value **value);
    htp_ort_status *(*has_value)(const htp_ort_value *value, int *has_value); /* NULL: all have */
    htp_ort_status *(*is_tensor)(const htp_ort_value *value, int *is_tensor);
    htp_ort_status *(*tensor_data)(htp_ort_value *value, void **data);
    htp_ort_status *(*element_type)(const htp_ort_info *info, int *type);
    htp_ort_status *(*rank)(const htp_ort_info *info, size_t *rank);
    htp_ort_status *(*dims)(const htp_ort_info *info, int64_t *dims, size_t rank);
    htp_ort_status *(*element_count)(const htp_ort_info *info, size_t *count);
    htp_ort_status *(*tensor_info)(const htp_ort_value *value, htp_ort_info **info);
    htp_ort_status *(*value_type)(const htp_ort_value *value, int *type);
    htp_ort_status *(*usual_allocator)(htp_ort_allocator **allocator); /* not to be freed */
    htp_ort_status *(*element)(const htp_ort_value *list, int index, htp_ort_allocator *allocator,
                               htp_ort_value **element);
    htp_ort_status *(*length)(const htp_ort_value *list, size_t *length);
    htp_ort_status *(*new_list)(const htp_ort_value *const *elements, size_t count, int type,
                                htp_ort_value **list);
    htp_ort_status *(*new_cpu_memory)(int allocator, int kind, htp_ort_memory **memory);
    void (*free_env)(htp_ort_env *env);
    void (*free_status)(htp_ort_status *status);
    void (*free_memory)(htp_ort_memory *memory);
    void (*free_session)(htp_ort_session *session);
    void (*free_value)(htp_ort_value *value);
    void (*free_info)(htp_ort_info *info);
    void (*free_options)(htp_ort_options *options);
    htp_ort_status *(*new_env)(int severity, const char *name, const htp_ort_threads *threads,
                               htp_ort_env **env);
    htp_ort_status *(*share_threads)(htp_ort_options *options);
    htp_ort_status *(*new_threads)(htp_ort_threads **threads);
    void (*free_threads)(htp_ort_threads *threads);
    htp_ort_status *(*configure)(htp_ort_options *options, const char *key, const char *value);
} htp_ort_api;

#endif
