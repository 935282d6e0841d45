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

#endif
