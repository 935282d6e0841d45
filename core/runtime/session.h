/*
 * The opened library. Private to core/runtime.
 */
#ifndef HTP_RUNTIME_SESSION_H
#define HTP_RUNTIME_SESSION_H

#include "runtime/api.h"
#include "runtime/runtime.h"

/** What is freed with the runtime, unless it was before: the first member of what is. */
typedef struct htp_runtime_link {
    struct htp_runtime_link **place; /* that points here */
    struct htp_runtime_link *next;
    void (*release)(struct htp_runtime_link *link);
} htp_runtime_link;

struct htp_runtime {
    htp_ort_api api;
    bool is_open; /* the table was read */
    const char *version;
    htp_ort_threads *threads;
    htp_ort_env *env;
    htp_ort_memory *memory;
    htp_runtime_link *links;
};

/** Ties something to the runtime, and unties it. */
void htp_runtime_tie(htp_runtime *runtime, htp_runtime_link *link,
                     void (*release)(htp_runtime_link *link));
void htp_runtime_untie(htp_runtime_link *link);

/** A status of the library as one of ours; it is freed. */
HTP_MUST_USE htp_status htp_runtime_take(const htp_runtime *runtime, htp_ort_status *status);

/** Memory of a tensor or list, each NULL where it has none. */
typedef struct htp_value_memory {
    htp_ort_value *value; /* of the library */
    int64_t *dims;
    void *elements; /* that were read from elsewhere */
    struct htp_values *tensors;
} htp_value_memory;

/** Tensors and lists side by side. */
typedef struct htp_values {
    size_t count;
    htp_array *arrays;
    htp_value_memory *memory;
} htp_values;

/** Room for values. @return NULL without memory */
htp_values *htp_values_new(size_t count);

/** Frees values and what they hold; NULL is accepted. */
void htp_values_free(const htp_runtime *runtime, htp_values *values);

/** Reads the types, dims and elements of values of the library. What is no tensor of numbers, nor a
 * list of these, has no type. */
HTP_MUST_USE htp_status htp_values_read(const htp_runtime *runtime, htp_values *values);

/** Makes a value of the library. The elements stay where they are, and live as long as it. */
HTP_MUST_USE htp_status htp_value_make(const htp_runtime *runtime, const htp_array *array,
                                       htp_ort_value **value);

/** The failure of an allocation. */
HTP_MUST_USE htp_status htp_runtime_out_of_memory(void);

#endif
